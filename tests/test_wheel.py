"""The wheel holds everything that a user needs, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from machine import imported

ROOT = Path(__file__).parents[1]


def build_wheel(folder):
    """The names of the files in a freshly built wheel."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps"]
    subprocess.run([*command, "-w", str(folder), str(ROOT)], check=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path).namelist()


# One test, so that no two processes build in the same folder.
def test_the_wheel_holds_what_a_user_needs(tmp_path):
    imported("scikit_build_core")
    if not (ROOT / "build").is_dir():
        pytest.skip("nothing is built in build/ yet, and a build from nothing takes minutes")
    names = build_wheel(tmp_path)

    package = ROOT / "src"
    page = package / "treewright" / "pictures" / "page"
    own = [*package.rglob("*.py"), *package.rglob("*.csv"), *page.iterdir()]
    assert {str(path.relative_to(package)) for path in own} <= {*names}
    assert "treewright/_kernels/_native.pyi" in names
    assert "treewright/py.typed" in names
    assert [n for n in names if n.startswith("treewright/_kernels/_native") and n.endswith(".so")]
    assert [n for n in names if n.endswith("licenses/LICENSE")]
    assert not [n for n in names if n.endswith((".cpp", ".hpp")) or "tests/" in n]
