"""The fuzzers of the C++ core: built by clang with libFuzzer, or by g++ with our own driver."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "fuzz" / "native"
BUILD = ROOT / "build"
NATIVE_NAMES = tuple(sorted(path.stem for path in SOURCE.glob("*_target.cpp")))
CLANGS = ("clang++", *(f"clang++-{version}" for version in range(21, 13, -1)))


def native_programs() -> tuple[dict[str, Path], str]:
    """The programs by target, and what is to be said where there is none."""
    if not shutil.which("cmake"):
        return {}, "cmake is not installed"
    clang = next((name for name in CLANGS if shutil.which(name)), "")
    for compiler in filter(None, (clang, shutil.which("g++") and "g++")):
        programs = built(compiler)
        if programs:
            return programs, ""
    return {}, "neither clang++ nor g++ could build them with sanitizers"


def built(compiler: str) -> dict[str, Path]:
    """The programs that a compiler makes; none if it cannot."""
    folder = BUILD / f"fuzz-{compiler.split('-')[0].removesuffix('++')}"
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    wanted = f"-DCMAKE_CXX_COMPILER={compiler}"
    steps = (
        ["cmake", "-S", str(SOURCE), "-B", str(folder), wanted, *ninja],
        ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1)],
    )
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{compiler} does not build the fuzzers:\n{done.stdout[-2000:]}{done.stderr}")
            return {}
    return {name: folder / name for name in NATIVE_NAMES}
