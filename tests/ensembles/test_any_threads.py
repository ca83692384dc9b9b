"""The model file is the same, byte for byte, for any number of threads."""

import numpy as np
import pytest

import treewright as tw
from treewright.verbs.load import model_bytes

N_ROWS = 12_000
THREADS = (1, 2, 3, 5, 8, 16, 33)


def made_table():
    """Numbers, some missing, few and many categories; large enough that threads share leaves."""
    rng = np.random.default_rng(3)
    columns = {f"x{i}": rng.normal(size=N_ROWS).round(2) for i in range(16)}
    for values in columns.values():
        values[rng.random(N_ROWS) < 0.03] = np.nan
    columns["steady"] = rng.integers(0, 50, N_ROWS).astype(float)
    columns["kind"] = rng.choice(list("abcdefg"), N_ROWS)
    columns["town"] = np.char.add("town ", rng.integers(0, 400, N_ROWS).astype(str))
    score = np.nan_to_num(columns["x0"]) + np.nan_to_num(columns["x1"]) * (columns["kind"] == "a")
    score += columns["steady"] / 25 + rng.normal(size=N_ROWS)
    return tw.table_from(columns), score, rng.integers(1, 4, N_ROWS).astype(float)


TABLE, SCORE, WEIGHTS = made_table()
CLASSES = np.digitize(SCORE, [0.5, 2.0])


@pytest.mark.parametrize(
    ("model", "y", "weights"),
    [
        (tw.BoostedTreesClassifier(), CLASSES == 1, None),
        (tw.BoostedTreesClassifier(growth="level", max_depth=6), CLASSES == 1, WEIGHTS),
        (tw.BoostedTreesClassifier(growth="symmetric", max_depth=5), CLASSES, None),
        (tw.BoostedTreesRegressor(monotonic_cst={"steady": 1}), SCORE, WEIGHTS),
        (tw.BoostedTreesRegressor(loss="absolute_error", subsample=0.6), SCORE, None),
        (tw.BoostedTreesRegressor(max_leaf_nodes=300, max_features_node=0.3), SCORE, None),
        (tw.RandomForestClassifier(), CLASSES, WEIGHTS),
        (tw.ExtraTreesRegressor(), SCORE, None),
    ],
    ids=["leaf", "level", "symmetric", "monotone", "absolute", "many leaves", "forest", "extra"],
)
def test_no_byte_depends_on_the_threads(model, y, weights):
    model.set_params(n_estimators=4)
    contents = set()
    for n_jobs in THREADS:
        model.set_params(n_jobs=n_jobs).fit(TABLE, y, sample_weight=weights)
        contents.add(model_bytes(model))
    assert len(contents) == 1


def test_nor_in_a_wide_table_whose_columns_are_shared():
    """With many threads, sums of all columns for each of them would take too much memory."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 9, size=(6_000, 1_500)).astype(np.float32)
    y = X[:, 7] + X[:, 1_400] > 8
    model = tw.BoostedTreesClassifier(n_estimators=2, max_leaf_nodes=5)
    contents = {model_bytes(model.set_params(n_jobs=n_jobs).fit(X, y)) for n_jobs in (1, 2, 16)}
    assert len(contents) == 1


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor, tw.C45Classifier])
def test_nor_does_any_byte_of_a_single_tree(kind):
    y = SCORE if kind is tw.CARTRegressor else CLASSES
    contents = {
        model_bytes(kind(prune=None, max_depth=7, n_jobs=n_jobs).fit(TABLE, y))
        for n_jobs in THREADS
    }
    assert len(contents) == 1
