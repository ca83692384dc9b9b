"""A refit has the same bytes on every machine, as model file and as predictions.

`golden/refits.json` holds the digests. After a change that is meant to change models, write it
anew: `python tests/golden/refits.py --write`.
"""

import json
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import treewright as tw
from golden import refits
from machine import program

ROOT = Path(__file__).parents[2]
EXPECTED = json.loads(refits.FILE.read_text(encoding="utf-8"))
OTHER = "aarch64" if platform.machine() == "x86_64" else "x86_64"
DEBIAN_NAMES = {"x86_64": "amd64", "aarch64": "arm64"}
# What an interpreter needs to run, and what NumPy's and SciPy's wheels leave to the system.
PYTHON = "python3.11"
PACKAGES = (
    *(PYTHON, f"{PYTHON}-minimal", f"lib{PYTHON}-minimal", f"lib{PYTHON}-stdlib"),
    *("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libffi8", "libbz2-1.0"),
    *("liblzma5", "libssl3", "libuuid1", "libcrypt1"),
)
WHEELS = ("numpy", "scipy", "scikit-learn")


@pytest.mark.parametrize("name", refits.REFITS)
def test_a_refit_has_the_bytes_that_are_checked_in(name):
    assert refits.differing(refits.REFITS[name].digests(), EXPECTED[name]) == []


def test_every_estimator_is_fitted_in_several_settings():
    assert refits.not_covered() == []
    assert set(EXPECTED) == set(refits.REFITS)


@pytest.mark.large
@pytest.mark.timeout(7200)
def test_another_processor_fits_and_predicts_the_same_bytes():
    """The whole package for the other processor, which QEMU plays; about 20 minutes."""
    player, compiler = program(f"qemu-{OTHER}"), program(f"{OTHER}-linux-gnu-g++")
    folder = ROOT / "build" / f"refits-{OTHER}"
    folder.mkdir(parents=True, exist_ok=True)
    python = interpreter_of(folder)
    packages = packages_of(folder)
    package_for(folder, compiler)
    run = subprocess.run(
        [
            *(player, "-cpu", "max", "-L", folder / "root"),
            *(python, folder / "package" / "golden" / "refits.py"),
        ],
        env={
            "PYTHONPATH": f"{folder / 'package'}:{packages}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
            # QEMU 7.2 crashes in what NumPy sorts by AVX2's gather instructions.
            "NPY_DISABLE_CPU_FEATURES": "X86_V3" if OTHER == "x86_64" else "",
        },
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{len(refits.REFITS)} of {len(refits.REFITS)} refits" in run.stdout


def interpreter_of(folder: Path) -> Path:
    """Debian's Python for the other processor, unpacked into a folder of its own."""
    root, state = folder / "root", folder / "apt"
    python = root / "usr" / "bin" / PYTHON
    if python.exists():
        return python
    for place in (state / "lists" / "partial", state / "archives" / "partial", folder / "packages"):
        place.mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    of_other = [
        *("-o", f"APT::Architecture={DEBIAN_NAMES[OTHER]}"),
        *("-o", f"APT::Architectures={DEBIAN_NAMES[OTHER]}"),
        *("-o", f"Dir::State={state}", "-o", f"Dir::State::status={state / 'status'}"),
        *("-o", f"Dir::Cache={state}", "-o", "APT::Sandbox::User=root"),
    ]
    apt, unpack = program("apt-get"), program("dpkg")
    in_packages = {"cwd": folder / "packages", "check": True}
    try:
        subprocess.run([apt, *of_other, "-q", "update"], **in_packages)
        subprocess.run([apt, *of_other, "-q", "download", *PACKAGES], **in_packages)
    except subprocess.CalledProcessError:
        pytest.skip(f"install Debian 12, which has {PYTHON} for {OTHER}")
    for package in sorted((folder / "packages").glob("*.deb")):
        subprocess.run([unpack, "-x", package, root], check=True)
    for link in root.rglob("*"):  # those from the root of the file system would lead out of it
        if link.is_symlink() and link.readlink().is_absolute():
            to = root / link.readlink().relative_to("/")
            link.unlink()
            link.symlink_to(to)
    return python


def packages_of(folder: Path) -> Path:
    """The wheels of what treewright needs, in the versions that are installed here."""
    site = folder / "site"
    if site.exists():
        return site
    wanted = [f"{name}=={version(name)}" for name in WHEELS]
    platforms = [
        f"--platform=manylinux{one}_{OTHER}" for one in ("2014", "_2_17", "_2_27", "_2_28")
    ]
    chosen = ["--only-binary=:all:", "--python-version=3.11", *platforms]
    command = [sys.executable, "-m", "pip", "install", "-q", *chosen, "--target", site, *wanted]
    subprocess.run(command, check=True)
    subprocess.run([sys.executable, "-m", "compileall", "-q", site], check=False)
    return site


def package_for(folder: Path, compiler: str) -> None:
    """Treewright with its core compiled for the other processor, and the refits."""
    build, package = folder / "core", folder / "package"
    settings = {
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": OTHER,
        "CMAKE_CXX_COMPILER": compiler,
        "CMAKE_MAKE_PROGRAM": program("ninja"),
        "Python_EXECUTABLE": sys.executable,
        "SKBUILD_SABI_COMPONENT": "Development.SABIModule",
    }
    cmake = program("cmake")
    given = [f"-D{name}={value}" for name, value in settings.items()]
    subprocess.run([cmake, "-S", ROOT, "-B", build, "-G", "Ninja", *given], check=True)
    subprocess.run([cmake, "--build", build, "--target", "_native"], check=True)
    shutil.rmtree(package, ignore_errors=True)
    without = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(Path(tw.__file__).parent, package / "treewright", ignore=without)
    shutil.copytree(refits.FILE.parent, package / "golden", ignore=without)
    (module,) = build.glob("_native*.so")
    shutil.copy(module, package / "treewright" / "_kernels" / "_native.abi3.so")
    subprocess.run([sys.executable, "-m", "compileall", "-q", package], check=False)
