"""Memory that runs out inside compiled code is a MemoryError in Python, and nothing worse."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from machine import imported, program
from torture.models import MODELS
from treewright._kernels import _native

HERE = Path(__file__).parent
FEW = ("CARTClassifier", "BoostedTreesRegressor", "KNeighborsClassifier")


@pytest.fixture(scope="module")
def failing_new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that is loaded first and makes the n-th allocation of C++ code fail."""
    if not sys.platform.startswith("linux"):
        pytest.skip("this system has no LD_PRELOAD")
    compiler = program("g++")
    library = tmp_path_factory.mktemp("preloaded") / "failing_new.so"
    source = HERE / "failing_new.cpp"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


def n_failures(name: str, steps: int, library: Path) -> int:
    """How many allocations failed one by one while an estimator was fitted and asked."""
    paths = [str(HERE.parent), *(path for path in sys.path if path)]
    environment = dict(os.environ) | {
        "LD_PRELOAD": str(library),
        "PYTHONPATH": os.pathsep.join(paths),
    }
    done = subprocess.run(
        [sys.executable, HERE / "out_of_memory.py", name, str(steps)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stdout)


@pytest.mark.parametrize("name", FEW)
def test_T33_the_nth_allocation_of_a_fit_fails_with_a_memory_error(
    name: str, failing_new: Path
) -> None:
    assert n_failures(name, 1, failing_new) > 5


@pytest.mark.large
@pytest.mark.parametrize("name", MODELS)
def test_T45_no_allocation_of_any_fit_ends_the_process(name: str, failing_new: Path) -> None:
    assert n_failures(name, 40, failing_new) >= 0


class NoRoom(list[list[int]]):
    """Numbers that cannot be copied."""

    def __iter__(self):
        raise MemoryError


def test_no_memory_for_a_list_is_not_taken_for_a_wrong_argument():
    imported("duckdb")  # it turns such C++ exceptions into its own, but not ours
    settings = _native.GradientTreeSettings()
    with pytest.raises(MemoryError):
        settings.interactions = NoRoom([[0, 1]])
    with pytest.raises(TypeError):
        settings.interactions = 3
