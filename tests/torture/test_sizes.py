"""T29 to T32: very many rows, columns, classes, levels and nodes.

Each case is here twice: small for every run of the tests, whole behind the marker `large`.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from torture.in_a_child import (
    available_megabytes,
    can_limit_memory,
    done_in_a_child,
)
from torture.models import (
    MODELS,
    Model,
    for_every,
    for_every_many_classes,
    for_every_model,
    is_sane,
    learned,
    predictions,
    trees_of,
)
from treewright.linear.terms import Terms
from treewright.verbs.load import model_bytes, model_from_bytes
from watched import IS_WATCHED

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.skipif(not can_limit_memory, reason="memory is read from /proc"),
    pytest.mark.skipif(IS_WATCHED, reason="what watches the code needs memory of its own"),
]

# What docs/reliability.md promises: megabytes that a fit needs at most beside the table itself.
BYTES_PER_CELL, BYTES_PER_COLUMN, BYTES_PER_CLASS, MEGABYTES_AT_ALL = 100, 6_000, 40, 250
SECONDS = {"small": 60, "large": 400}  # of processors, for one estimator

# A search that grows with the square of columns or levels is made to look at fewer of them.
QUICK = {
    "OptimalTreeClassifier": {"max_depth": 1, "max_cuts": 1},
    "CandidateElimination": {"n_bins": 2},
    "FindS": {"n_bins": 2},
    "GradientDescentRegressor": {"max_iter": 5},
    "GradientDescentClassifier": {"max_iter": 5},
}
for_every_taker_of_words = for_every(lambda kind: kind.takes_words)


def few_steps(kind: Model, **params: object):
    """An estimator that does not take long on anything."""
    few_trees = {"n_estimators": 2} if "n_estimators" in kind().get_params() else {}
    return kind(**{**few_trees, **QUICK.get(kind.name, {}), **params})


def bound(n_rows: int, n_columns: int, n_classes: int = 0) -> float:
    """Megabytes that a fit may need."""
    cells = n_rows * n_columns * BYTES_PER_CELL + n_columns * BYTES_PER_COLUMN
    return (cells + n_rows * n_classes * BYTES_PER_CLASS) / 2**20 + MEGABYTES_AT_ALL


def test_T31_the_page_promises_the_bounds_that_are_tested():
    page = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text()
    promised = (
        f"at most {BYTES_PER_CELL} bytes for each cell of the table, {BYTES_PER_COLUMN // 1000} "
        f"kilobytes for each column, {BYTES_PER_CLASS} bytes for each row and class, and "
        f"{MEGABYTES_AT_ALL} megabytes at all"
    )
    assert promised in " ".join(page.split())


def fits_and_answers(
    kind: Model, X, y, *, size: str, n_predictions: int = 20, limit: str = r"(?<![\w`])\d[\d,]{2,}"
) -> None:
    """Fit in a child, within the promised memory and time, and look at some answers.

    Or a limit of the method, told before the work begins, with numbers beside those of names: `x0`.
    """

    def work() -> bool:
        model = few_steps(kind).fit(X, y)
        return is_sane(predictions(model, X[:n_predictions]))

    outcome = done_in_a_child(work)
    assert outcome.megabytes < bound(*np.shape(X))
    if outcome.error == "DataError":
        assert outcome.seconds < SECONDS["small"]
        assert re.search(limit, outcome.told), outcome.told
        return
    assert outcome.error == "", outcome.told
    assert outcome.result is True
    assert outcome.seconds < SECONDS[size]


# ---- T29: more than 2^31 cells


@pytest.fixture
def bytes_on_disk(tmp_path):
    """A file of zeros that takes no room, as an array of one byte a cell."""

    def made(n_rows: int, n_columns: int) -> np.memmap:
        path = tmp_path / "cells"
        with open(path, "wb") as file:
            file.truncate(n_rows * n_columns)
        cells = np.memmap(path, np.uint8, "r+", shape=(n_rows, n_columns), order="F")
        cells[:, -1] = np.arange(n_rows) % 7
        cells.flush()
        return np.memmap(path, np.uint8, "r", shape=(n_rows, n_columns), order="F")

    return made


@for_every_model
def test_T29_bytes_in_a_file_are_read_as_numbers(kind, bytes_on_disk):
    cells = bytes_on_disk(60, 4)
    y = (np.arange(60) % 7 > 3).astype(int)
    one = few_steps(kind).fit(cells, y)
    other = few_steps(kind).fit(np.array(cells, dtype=np.float64), y)
    assert learned(one) == learned(other)


def columns_asked(kind: Model, X, y) -> list[int]:
    """The columns that a model of few questions asks about."""
    limits = {"max_features": 1.0} if "max_features" in kind().get_params() else {}
    model = few_steps(kind, max_depth=1, **limits).fit(X, y)
    return sorted({int(at) for tree in trees_of(model) for at in tree.feature if at >= 0})


@pytest.mark.large
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["RandomForestClassifier", "CARTClassifier"])
def test_T29_more_bytes_than_a_32_bit_number_counts(name, bytes_on_disk):
    """65,536 x 40,000 bytes: the column that tells the classes is found, or MemoryError."""
    cells = bytes_on_disk(65_536, 40_000)
    y = np.asarray(cells[:, -1]) > 3
    work = partial(columns_asked, MODELS[name], cells, y)
    outcome = done_in_a_child(work, more_megabytes=0.7 * available_megabytes())
    assert outcome.error in ("", "MemoryError"), outcome.told
    assert outcome.error or outcome.result == [39_999]


@pytest.mark.large
@pytest.mark.timeout(1800)
def test_T29_more_bins_than_a_32_bit_number_counts():
    """The same size as a view that takes no memory: two copies of 2.6 gigabytes of bins."""
    numbers_in_a_row = np.random.default_rng(0).random(65_536 + 39_999, dtype=np.float32)
    X = np.lib.stride_tricks.sliding_window_view(numbers_in_a_row, 40_000)
    y = X[:, -1] > 0.5
    work = partial(columns_asked, MODELS["RandomForestClassifier"], X, y)
    outcome = done_in_a_child(work, more_megabytes=0.7 * available_megabytes())
    assert outcome.error in ("", "MemoryError"), outcome.told
    assert outcome.error or outcome.result == [39_999]


@pytest.mark.large
@pytest.mark.timeout(1800)
def test_T29_more_probabilities_than_a_32_bit_number_counts():
    """Rows x classes above 2^31: 16 gigabytes of probabilities, or MemoryError."""
    n_classes = 1_500
    X = np.arange(float(n_classes))[:, np.newaxis]
    model = tw.CARTClassifier().fit(X, np.arange(n_classes))
    rows = np.resize(X, (2**31 // n_classes + 1000, 1))

    def work() -> bool:
        found = model.predict_proba(rows)
        return bool(found[-1, int(rows[-1, 0])] == 1.0)

    outcome = done_in_a_child(work, more_megabytes=0.85 * available_megabytes())
    assert outcome.error in ("", "MemoryError"), outcome.told
    assert outcome.error or outcome.result is True


# ---- T30: trees of very many nodes


def assert_every_row_has_its_leaf(kind: type, n_rows: int) -> None:
    """Rows that all differ: a tree with a leaf for each, every count and answer exact."""
    rng = np.random.default_rng(0)
    X, y = np.arange(float(n_rows))[:, np.newaxis], 1.0 * rng.permutation(n_rows)
    model = kind().fit(X, y)
    tree = model.tree_
    assert tree.n_nodes == 2 * n_rows - 1
    assert tree.n_rows[0] == n_rows
    assert tree.weight[0] == n_rows
    leaves = tree.n_children == 0
    assert (tree.n_rows[leaves] == 1).all()
    assert int(tree.n_rows[leaves].sum()) == n_rows
    assert len(np.unique(model.apply(X))) == n_rows
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("kind", [tw.CARTRegressor, tw.TreeRegressor])
def test_T30_trees_of_more_than_65535_nodes_are_exact(kind):
    assert_every_row_has_its_leaf(kind, 33_000)


@pytest.mark.large
@pytest.mark.timeout(1800)
def test_T30_a_tree_of_more_than_2_to_the_24_nodes_is_exact():
    assert_every_row_has_its_leaf(tw.CARTRegressor, 2**23 + 1_000)


@pytest.mark.parametrize("name", ["RandomForestRegressor", "ExtraTreesRegressor"])
def test_T30_trees_of_forests_of_more_than_32767_nodes_count_every_row(name):
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 4))
    model = MODELS[name](n_estimators=1, bootstrap=False).fit(X, np.arange(20_000.0))
    (tree,) = trees_of(model)
    assert tree.n_nodes > 32_767
    assert int(tree.n_rows[tree.n_children == 0].sum()) == 20_000
    np.testing.assert_array_equal(model.predict(X), tree.value[model.apply(X)[:, 0], 0])


# ---- T31: very many columns, very many classes


def wide(n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).random((50, n_columns))
    return X, (X[:, 7] > 0.5).astype(int)


@for_every_model
def test_T31_a_table_of_many_more_columns_than_rows(kind):
    X, y = wide(400)
    model = few_steps(kind).fit(X, y)
    assert is_sane(predictions(model, X))


@pytest.mark.large
@pytest.mark.timeout(900)
@for_every_model
def test_T31_a_hundred_thousand_columns_of_fifty_rows(kind):
    fits_and_answers(kind, *wide(100_000), size="large")


def many_classes(n_rows: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).random((n_rows, 3))
    return X, np.arange(n_rows) % n_classes


@for_every_many_classes
def test_T31_a_target_of_many_classes(kind):
    X, y = many_classes(400, 100)
    model = few_steps(kind).fit(X, y)
    found = model.predict_proba(X[:5])
    assert found.shape == (5, 100)
    assert (np.abs(found.sum(axis=1) - 1) < 1e-12).all()


@pytest.mark.large
@pytest.mark.timeout(900)
@for_every_many_classes
def test_T31_fifteen_hundred_classes_of_a_hundred_thousand_rows(kind):
    X, y = many_classes(100_000, 1_500)

    def work() -> tuple[int, ...]:
        limits = {"max_depth": 4} if "max_depth" in kind().get_params() else {}
        return few_steps(kind, **limits).fit(X, y).predict_proba(X[:5]).shape

    outcome = done_in_a_child(work)
    assert outcome.error in ("", "DataError"), outcome.told
    assert outcome.error or outcome.result == (5, 1_500)
    assert outcome.megabytes < bound(*X.shape, 1_500)


# ---- T32: very many levels


def levels(n_levels: int, n_rows: int, n_columns: int = 1) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of words, most of them rare; the target depends on the words of the first."""
    rng = np.random.default_rng(0)
    words = [f"level {at}" for at in range(n_levels)]
    codes = [rng.integers(0, n_levels, n_rows) for _ in range(n_columns)]
    frame = {f"id{at}": pd.Categorical.from_codes(one, words) for at, one in enumerate(codes)}
    return pd.DataFrame(frame), (codes[0] % 7 < 3).astype(int)


@for_every_taker_of_words
def test_T32_a_column_of_many_levels(kind):
    X, y = levels(500, 1_000)
    model = few_steps(kind).fit(X, y)
    assert is_sane(predictions(model, X[:20]))


@pytest.mark.large
@pytest.mark.timeout(900)
@pytest.mark.parametrize("n_columns", [1, 50])
@for_every_taker_of_words
def test_T32_a_hundred_thousand_levels(kind, n_columns):
    """No table of levels x classes x nodes: memory as for any other table, or a limit in words."""
    X, y = levels(100_000, 200_000, n_columns)
    fits_and_answers(kind, X, y, size="large", limit=r"column `id\d+` has 8\d,\d{3} levels")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["C45Rules", "OptimalTreeClassifier"])
def test_T32_searches_that_would_not_end_are_refused_before_they_begin(name):
    """The column and its levels are named within seconds, in any run of the tests."""
    X, y = levels(60_000, 60_000, 1 if name == "C45Rules" else 9)
    outcome = done_in_a_child(lambda: MODELS[name](min_samples_leaf=1).fit(X, y))
    assert outcome.error == "DataError", outcome.told
    assert re.search(r"column `id\d` has 3\d,\d{3} levels", outcome.told), outcome.told
    assert "leave" in outcome.told
    assert outcome.seconds < SECONDS["small"]
    assert outcome.megabytes < bound(*X.shape)


def test_T32_many_levels_below_the_limits_are_quick():
    X, y = levels(8_000, 10_000)
    for name, params in {"C45Rules": {}, "OptimalTreeClassifier": {"max_depth": 3}}.items():
        outcome = done_in_a_child(lambda kind=MODELS[name], params=params: kind(**params).fit(X, y))
        assert outcome.error == "", outcome.told
        assert outcome.seconds < SECONDS["small"]
        assert outcome.megabytes < bound(*X.shape)


@pytest.mark.parametrize("name", ["GradientDescentRegressor", "GradientDescentClassifier"])
def test_T32_levels_are_not_named_one_by_one_unless_somebody_asks(name, monkeypatch):
    """Names of four million levels once took most of a gigabyte."""
    X, y = levels(500, 1_000)
    monkeypatch.delattr(Terms, "names")
    model = few_steps(MODELS[name]).fit(X, y)
    loaded = model_from_bytes(model_bytes(model))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(AttributeError):
        model.equation()
