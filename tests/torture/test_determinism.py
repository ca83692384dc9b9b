"""T68 to T70 of the torture list: one table gives one model, and one row one answer.

T68, the same model for any number of threads, is also in tests/contracts/test_every_*.py on tables
that are worth threads; `python -m benchmarks.reliability.determinism` counts thousands of cases.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from torture.models import MODELS, answers, for_every, table_for
from treewright.any_model.saved_model import model_bytes, model_from_bytes

for_every_saved = for_every(lambda kind: kind.is_saved)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

OTHERS_FIRST = """
import numpy, scipy.linalg, sklearn.ensemble, pandas, polars
X = numpy.random.default_rng(0).normal(size=(300, 4))
numpy.linalg.svd(X)
sklearn.ensemble.HistGradientBoostingClassifier(max_iter=2).fit(X, X[:, 0] > 0)
"""
TELL = "from torture.test_determinism import tell_digests; tell_digests()"
ENVIRONMENTS = {
    "other hashes, zone and numbers of threads": {
        "PYTHONHASHSEED": "7",
        "OMP_NUM_THREADS": "1",
        "OMP_SCHEDULE": "dynamic",
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
    },
    "memory that is not 0": {"MALLOC_PERTURB_": "165", "PYTHONHASHSEED": "0"},
}


def fitted(kind, n_jobs: int | None = None):
    model = kind()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    return model.fit(*table_for(kind, n_rows=80))


def digests() -> dict[str, str]:
    """sha256 of the file of every estimator."""
    return {
        name: hashlib.sha256(model_bytes(fitted(kind))).hexdigest()
        for name, kind in MODELS.items()
        if kind.is_saved
    }


def tell_digests() -> None:
    print(json.dumps(digests()))


def digests_of_a_fresh_process(first: str, environment: dict[str, str]) -> dict[str, str]:
    tests = str(Path(__file__).parents[1])
    ran = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            f"import sys; sys.path.append({tests!r})\n{first}{TELL}",
        ],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout.splitlines()[-1])


@for_every_saved
def test_T68_any_number_of_threads_gives_the_same_model(kind):
    assert len({model_bytes(fitted(kind, n_jobs)) for n_jobs in (1, 2, 3, 8, -1)}) == 1


def test_T69_a_fresh_process_with_other_libraries_first_makes_the_same_models():
    environment = ENVIRONMENTS["other hashes, zone and numbers of threads"]
    assert digests_of_a_fresh_process(OTHERS_FIRST, environment) == digests()


@pytest.mark.large
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_T69_fifty_fresh_processes_make_the_same_models(name):
    expected = digests()
    for repeat in range(25):
        first = OTHERS_FIRST if repeat % 2 else ""
        assert digests_of_a_fresh_process(first, ENVIRONMENTS[name]) == expected, repeat


@for_every_saved
def test_T70_a_row_has_one_answer_in_any_batch_by_any_threads_and_after_loading(kind):
    model = fitted(kind)
    asked, _ = table_for(kind, n_rows=50, seed=9)
    expected = answers(model, asked)

    def some(first: int, end: int) -> dict[str, list]:
        return {name: values[first:end] for name, values in asked.items()}

    for size in (1, 3, 17, 64):
        parts = [answers(model, some(at, at + size)) for at in range(0, 50, size)]
        np.testing.assert_array_equal(np.concatenate(parts), expected, err_msg=f"{size} rows")
    if "n_jobs" in model.get_params():
        for n_jobs in (1, 2, 7):
            again = answers(model.set_params(n_jobs=n_jobs), asked)
            np.testing.assert_array_equal(again, expected, err_msg=f"{n_jobs} threads")
    loaded = model_from_bytes(model_bytes(model))
    np.testing.assert_array_equal(answers(loaded, asked), expected)


@for_every(lambda kind: kind.trees == "one" and kind.is_classifier and kind.name != "C45Rules")
@pytest.mark.parametrize("language", ["python", "json"])
def test_T70_exported_code_answers_as_the_model(kind, language):
    """Bit for bit, on rows at both sides of every cut; other languages are in tests/exports."""
    model = fitted(kind)
    assert tw.verify_export(model, tw.export(model, to=language), to=language)
