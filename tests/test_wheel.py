"""The wheel holds everything that a user needs, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names of the files in a freshly built wheel."""
    pytest.importorskip("scikit_build_core", reason="the build tools are not installed")
    if not (ROOT / "build").is_dir():
        pytest.skip("nothing is built in build/ yet, and a build from nothing takes minutes")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps"]
    subprocess.run([*command, "-w", str(folder), str(ROOT)], check=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path).namelist()


def test_the_compiled_module_is_in_the_wheel_with_its_stub(wheel):
    assert [n for n in wheel if n.startswith("treewright/_kernels/_native") and n.endswith(".so")]
    assert "treewright/_kernels/_native.pyi" in wheel
    assert "treewright/py.typed" in wheel


def test_every_module_and_sample_is_in_the_wheel(wheel):
    package = ROOT / "src"
    wanted = [*package.rglob("*.py"), *package.rglob("*.csv")]
    assert {str(path.relative_to(package)) for path in wanted} <= {*wheel}


def test_the_licence_is_in_the_wheel(wheel):
    assert any(name.endswith("licenses/LICENSE") for name in wheel)


def test_sources_and_tests_stay_outside(wheel):
    assert not [name for name in wheel if name.endswith((".cpp", ".hpp")) or "tests/" in name]
