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
from small_tables import numbers
from torture.models import MODELS, for_every, predictions, table_for, trees_of
from treewright.verbs.load import model_bytes, model_from_bytes

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


CORES = os.cpu_count() or 1
JOBS = sorted({1, 2, 3, 4, CORES, 2 * CORES})
UNSET = {"OMP_NUM_THREADS": None, "OMP_SCHEDULE": None}
OPEN_MP = {
    "unset": UNSET,
    "one thread": {**UNSET, "OMP_NUM_THREADS": "1"},
    "static": {"OMP_NUM_THREADS": "3", "OMP_SCHEDULE": "static"},
    "dynamic": {"OMP_NUM_THREADS": "4", "OMP_SCHEDULE": "dynamic,1"},
}


def fitted(kind, n_jobs: int | None = None):
    model = kind()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    return model.fit(*table_for(kind, n_rows=80))


def digests(first_job: int | None = None) -> dict[str, str]:
    """sha256 of the file of every estimator; with a first job one after the other by other jobs."""
    saved = [(name, kind) for name, kind in MODELS.items() if kind.is_saved]
    jobs = [None] if first_job is None else [*JOBS[first_job:], *JOBS[:first_job]]
    return {
        name: hashlib.sha256(model_bytes(fitted(kind, jobs[at % len(jobs)]))).hexdigest()
        for at, (name, kind) in enumerate(saved)
    }


def tell_digests(first_job: int | None = None) -> None:
    print(json.dumps(digests(first_job)))


def digests_of_a_fresh_process(
    first: str, environment: dict[str, str | None], tell: str = TELL
) -> dict[str, str]:
    """Digests of another process; what is None in its environment is not set there."""
    tests = str(Path(__file__).parents[1])
    variables = {**os.environ, **environment}
    ran = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            f"import sys; sys.path.append({tests!r})\n{first}{tell}",
        ],
        env={name: value for name, value in variables.items() if value is not None},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout.splitlines()[-1])


@for_every_saved
def test_T68_any_number_of_threads_gives_the_same_model(kind):
    jobs = (*JOBS, 8, -1, None)
    assert len({model_bytes(fitted(kind, n_jobs)) for n_jobs in jobs}) == 1


@for_every(lambda kind: kind.is_saved and "n_jobs" in kind().get_params())
def test_T68_any_number_of_threads_gives_the_same_model_of_rows_that_are_worth_them(kind):
    X, y = numbers(1_500, 36)
    X[::7, 1] = np.nan
    weights = np.random.default_rng(1).integers(1, 5, len(y)) / 4
    models = [kind(n_jobs=n_jobs).fit(X, y, sample_weight=weights) for n_jobs in JOBS]
    assert len({model_bytes(model) for model in models}) == 1


def in_an_environment(name: str, at: int) -> dict[str, str]:
    return digests_of_a_fresh_process("", OPEN_MP[name], TELL.replace("()", f"({at})"))


def test_T68_settings_of_openmp_change_no_model():
    """In a fresh process, which reads them when it starts; models by different numbers of jobs.

    T69 sets them, here they are not set.
    """
    assert in_an_environment("unset", 1) == digests()


@pytest.mark.large
@pytest.mark.parametrize("name", OPEN_MP)
def test_T68_no_settings_of_openmp_and_no_number_of_jobs_change_a_model(name):
    expected = digests()
    for at in range(len(JOBS)):
        assert in_an_environment(name, at) == expected


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
    expected = predictions(model, asked)

    def some(first: int, end: int) -> dict[str, list]:
        return {name: values[first:end] for name, values in asked.items()}

    for size in (1, 2, 3, 17, 49, 64):
        parts = [predictions(model, some(at, at + size)) for at in range(0, 50, size)]
        np.testing.assert_array_equal(np.concatenate(parts), expected, err_msg=f"{size} rows")
    if "n_jobs" in model.get_params():
        for n_jobs in (*JOBS, 7, -1):
            again = predictions(model.set_params(n_jobs=n_jobs), asked)
            np.testing.assert_array_equal(again, expected, err_msg=f"{n_jobs} threads")
    loaded = model_from_bytes(model_bytes(model))
    np.testing.assert_array_equal(predictions(loaded, asked), expected)
    one_by_one = [predictions(loaded, some(row, row + 1)) for row in range(50)]
    np.testing.assert_array_equal(np.concatenate(one_by_one), expected)


NO_EXPORT = ("M5Regressor",)  # equations in leaves
for_every_exported = for_every(lambda kind: kind.trees != "none" and kind.name not in NO_EXPORT)


@for_every_exported
@pytest.mark.parametrize("language", ["python", "json", "sql"])
def test_T70_exported_code_answers_as_the_model(kind, language):
    """Bit for bit, on rows at both sides of every cut; other languages are in tests/exports.

    Of an ensemble it is each of its trees that has an exporter.
    """
    model = fitted(kind)
    members = [model] if kind.trees == "one" else trees_of(model)[:3]
    for member in members:
        assert tw.verify_export(member, tw.export(member, to=language), to=language)


def exact_trees(kind, table, y, order):
    """The trees of a model that draws nothing, grown on the rows in some order."""
    drawn = {"bootstrap": False, "max_features": 1.0, "max_features_node": 1.0, "subsample": 1.0}
    known = kind().get_params()
    model = kind(**{key: value for key, value in drawn.items() if key in known})
    model.fit({name: [column[row] for row in order] for name, column in table.items()}, y[order])
    return trees_of(model)


@for_every(
    lambda kind: kind.trees != "none" and kind.has_target and not kind.name.startswith("Extra")
)
def test_T70_the_order_of_training_rows_changes_no_tree_where_nothing_ties(kind):
    """Columns of different numbers, one of them of no use; leaves may differ in the last digit."""
    rng = np.random.default_rng(3)
    table = {name: rng.normal(size=120).tolist() for name in ("a", "b", "c")}
    a, b = np.array(table["a"]), np.array(table["b"])
    strength = np.abs(a) + 2 * (b > 0) * a + 0.1 * rng.normal(size=120)
    y = (strength > 0.2).astype(int) if kind.is_classifier else strength
    expected = exact_trees(kind, table, y, np.arange(120))
    assert max(tree.n_leaves for tree in expected) > 1
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(120)
        for tree, other in zip(expected, exact_trees(kind, table, y, order), strict=True):
            np.testing.assert_array_equal(tree.feature, other.feature)
            np.testing.assert_array_equal(tree.threshold, other.threshold)
            np.testing.assert_array_equal(tree.first_child, other.first_child)
            np.testing.assert_array_equal(tree.n_rows, other.n_rows)
            np.testing.assert_allclose(tree.value, other.value, rtol=1e-12, atol=1e-14)
            if kind.is_classifier and kind.trees == "one":
                np.testing.assert_array_equal(tree.value, other.value)
