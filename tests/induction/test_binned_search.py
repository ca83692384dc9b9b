"""Wide nodes search by bins of values. They find the split that sorted rows give, bit for bit.

Small tables are sorted. With the short cut `sorted_subtrees` left out they are searched by bins
too, with `binned_columns` left out none is.
"""

import numpy as np
import pytest

import treewright as tw
from treewright._kernels.short_cuts import left_out, met
from treewright.verbs.load import model_bytes

MISSING = ("learned", "majority", "branch", "stop")
TRAPS = (np.inf, -np.inf, 0.0, -0.0, np.finfo(float).max, np.finfo(float).min, 5e-324)


def random_column(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Numbers of many kinds: even, skewed, tied, in one heap, near infinity."""
    kind = rng.integers(6)
    if kind == 0:
        return rng.normal(size=n_rows)
    if kind == 1:
        return np.exp(4 * rng.normal(size=n_rows))
    if kind == 2:
        return rng.integers(0, rng.integers(2, 60), n_rows) / 4
    if kind == 3:
        return np.where(rng.random(n_rows) < 0.9, 1.0, rng.random(n_rows))
    if kind == 4:
        return np.sort(rng.random(n_rows)) * 1e300
    return np.where(rng.random(n_rows) < 0.1, rng.choice(TRAPS, n_rows), rng.normal(size=n_rows))


def random_table(seed: int, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns, some of them missing or twice there, and classes that follow one, or none."""
    rng = np.random.default_rng(seed)
    columns = [random_column(rng, n_rows) for _ in range(rng.integers(1, 9))]
    if rng.random() < 0.3:
        columns.append(columns[0].copy())
    X = np.column_stack(columns)
    n_classes = rng.integers(2, 7)
    follows = np.argsort(np.argsort(columns[rng.integers(len(columns))])) * n_classes // n_rows
    y = np.where(rng.random(n_rows) < rng.random(), rng.integers(0, n_classes, n_rows), follows)
    if rng.random() < 0.2:
        y = (rng.random(n_rows) < 0.01).astype(int)
    if rng.random() < 0.4:
        X[rng.random(X.shape) < 0.1] = np.nan
    if rng.random() < 0.3:
        with np.errstate(over="ignore"):
            X = X.astype(np.float32)
    return X, y


def random_model(seed: int) -> tw.TreeClassifier:
    rng = np.random.default_rng(seed)
    return tw.TreeClassifier(
        criterion=str(rng.choice(["gini", "entropy"])),
        missing=str(rng.choice(MISSING)),
        min_samples_leaf=int(rng.choice([1, 2, 7])),
        min_samples_split=int(rng.choice([2, 20])),
        max_depth=int(rng.integers(1, 9)),
        n_jobs=int(rng.choice([1, 3])),
    )


def grown_both_ways(seed: int, n_rows: int, *plain: str) -> tuple[bytes, bytes]:
    X, y = random_table(seed, n_rows)
    with left_out("binned_columns", *plain):
        by_order = model_bytes(random_model(seed).fit(X, y))
    met()
    with left_out("sorted_subtrees", *plain):
        by_bins = model_bytes(random_model(seed).fit(X, y))
    assert "binned_columns" in met()
    return by_order, by_bins


def check(seeds: range, n_rows: int) -> None:
    for seed in seeds:
        for plain in ((), ("counted_columns",), ("local_subtrees", "counted_tallies")):
            by_order, by_bins = grown_both_ways(seed, n_rows, *plain)
            assert by_bins == by_order, (seed, plain)


@pytest.mark.parametrize("n_rows", [40, 200, 700])
def test_random_tables_grow_the_same_tree_by_bins(n_rows):
    check(range(25), n_rows)


@pytest.mark.large
@pytest.mark.parametrize("n_rows", [30, 120, 500, 2000, 9000])
def test_hundreds_of_random_tables_grow_the_same_tree_by_bins(n_rows):
    check(range(1000, 1000 + 200_000 // (n_rows + 200)), n_rows)


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_symmetric_classes_take_the_first_of_equal_cuts(criterion, missing):
    """Both ends of the column cut off as much, and so do two equal columns."""
    values = np.arange(600.0)
    y = (np.abs(values - 299.5) < 100).astype(int)
    X = np.column_stack([values, -values, values])
    X[::50, 1] = np.nan
    model = tw.TreeClassifier(criterion=criterion, missing=missing, max_depth=3)
    with left_out("binned_columns"):
        by_order = model_bytes(model.fit(X, y))
    with left_out("sorted_subtrees"):
        assert model_bytes(model.fit(X, y)) == by_order


def test_a_table_of_many_rows_is_searched_by_bins_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(270_000, 3)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=len(X)) > 1).astype(int)
    model = tw.CARTClassifier(prune=None, max_depth=6, min_samples_leaf=5)
    with left_out("binned_columns"):
        by_order = model.fit(X, y).tree_
    met()
    for n_jobs in (1, 2, 5, 16, 33):
        by_bins = model.set_params(n_jobs=n_jobs).fit(X, y).tree_
        assert by_bins.same_as(by_order), n_jobs
    assert "binned_columns" in met()
