"""The core gives the same results, bit for bit, on other processors (T41, T69 of the torture list).

The core's test program is built for this processor and for another one, which QEMU plays; both
print a digest of the results of every kernel. s390x has the high byte of a number first.
"""

import platform
import subprocess
from pathlib import Path

import pytest

from machine import program

ROOT = Path(__file__).parents[2]
OTHERS = ["aarch64" if platform.machine() == "x86_64" else "x86_64", "s390x"]


def digests(folder: Path, run_by: list[str], *options: str) -> list[str]:
    cmake = program("cmake")
    settings = ["-DTREEWRIGHT_EXTENSION=OFF", "-DTREEWRIGHT_CORE_TESTS=ON", *options]
    make = f"-DCMAKE_MAKE_PROGRAM={program('ninja')}"
    subprocess.run([cmake, "-S", ROOT, "-B", folder, "-G", "Ninja", make, *settings], check=True)
    subprocess.run([cmake, "--build", folder], check=True)
    tests = str(folder / "treewright_core_tests")
    shown = subprocess.run(
        [*run_by, tests, "--digests"], check=True, capture_output=True, text=True
    )
    return shown.stdout.splitlines()


@pytest.mark.large
@pytest.mark.parametrize("other", OTHERS)
def test_T69_another_processor_gives_the_same_results(other):
    compiler, player = program(f"{other}-linux-gnu-g++"), program(f"qemu-{other}")
    there = digests(
        ROOT / "build" / f"coretest-{other}",
        [player],
        "-DCMAKE_SYSTEM_NAME=Linux",
        f"-DCMAKE_SYSTEM_PROCESSOR={other}",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DCMAKE_EXE_LINKER_FLAGS=-static",
    )
    assert len(there) > 10
    assert there == digests(ROOT / "build" / "coretest", [])
