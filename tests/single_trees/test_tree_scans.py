"""Single trees from scans: the model file is that of the same rows in memory, byte for byte."""

import gc
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from scanned_rows import blocks_of, made_rows
from treewright.data import stored_table
from treewright.data.scanned_table import ScannedTable
from treewright.persistence.model_file import model_bytes

pytestmark = pytest.mark.filterwarnings("ignore:.*")

COSTS = {"no": {"yes": 3.0}}
NO_WEIGHT = {"no": 0, "yes": 1, "may": 2}
CLASSES = {
    "ID3": tw.ID3Classifier(),
    "ID3 by chi-square": tw.ID3Classifier(criterion="chi2", discretize="kmeans", n_bins=3),
    "C4.5": tw.C45Classifier(),
    "C4.5 in J48's way": tw.C45Classifier(j48_gaps=True, nominal="one_vs_rest", prune=None),
    "C4.5, reduced error": tw.C45Classifier(prune="reduced_error", midpoint_thresholds=True),
    "CART": tw.CARTClassifier(),
    "CART by entropy": tw.CARTClassifier(criterion="entropy", missing="learned", prune=None),
    "CART with costs": tw.CARTClassifier(costs=COSTS, ccp_alpha=0.01, max_leaf_nodes=9),
    "intervals": tw.TreeClassifier(numeric="intervals", missing="branch"),
    "missing rows stop": tw.TreeClassifier(missing="stop", class_weight=NO_WEIGHT),
    "held-out rows": tw.TreeClassifier(missing="majority", validation_fraction=0.3),
    "C4.5 rules": tw.C45Rules(),
}
NUMBERS = {
    "CART": tw.CARTRegressor(),
    "CART by medians": tw.CARTRegressor(criterion="absolute_error", max_depth=3, prune=None),
    "fractional": tw.TreeRegressor(missing="fractional", max_leaf_nodes=12),
}
MODELS = {("classes", name): model for name, model in CLASSES.items()}
MODELS |= {("numbers", name): model for name, model in NUMBERS.items()}


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    """Tables of more than 20 rows are read in blocks, and stored in files if they may be."""
    monkeypatch.setattr(ScannedTable, "most_rows_read", 20)
    monkeypatch.setattr(stored_table, "SMALL", 1)


def rows_for(kind, seed, n_rows, *, has_weights=False, n_categories=3):
    X, classes, numbers, weights = made_rows(seed, n_rows, n_categories)
    return X, classes if kind == "classes" else numbers, weights if has_weights else None


@given(
    name=st.sampled_from(sorted(MODELS)),
    seed=st.integers(0, 2**16),
    n_rows=st.integers(30, 120),
    size=st.sampled_from([1, 7, 50, 1000]),
    has_weights=st.booleans(),
    on_disk=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_bytes_do_not_depend_on_blocks(name, seed, n_rows, size, has_weights, on_disk):
    model = MODELS[name]
    rows = rows_for(name[0], seed, n_rows, has_weights=has_weights)
    expected = model_bytes(model.fit(*rows))
    scan = tw.scan(blocks_of(rows, size), memory_map=on_disk)
    assert model_bytes(model.fit(scan)) == expected


@pytest.mark.parametrize(
    "model",
    [
        tw.C45Classifier(max_depth=4),
        tw.CARTClassifier(max_depth=4, prune=None),  # by bins in memory
        tw.CARTRegressor(max_depth=3, prune=None),
    ],
    ids=["C4.5", "CART", "CART of numbers"],
)
def test_columns_that_are_large_enough_for_files(monkeypatch, tmp_path, model):
    monkeypatch.undo()
    rng = np.random.default_rng(0)
    n_rows = 270_000
    X = tw.table_from(
        {
            "number": rng.normal(size=n_rows),
            "single": rng.normal(size=n_rows).astype(np.float32),
            "few": rng.integers(0, 9, n_rows).astype(float),
            "word": rng.choice(["b", "a", "c"], n_rows),
        }
    )
    y = X["number"].values + X["few"].values + rng.normal(size=n_rows)
    rows = (X, y > 4 if hasattr(model, "predict_proba") else y)
    expected = model_bytes(model.fit(*rows))
    scan = tw.scan(blocks_of(rows, 50_000), memory_map=str(tmp_path))
    assert model_bytes(model.fit(scan)) == expected
    gc.collect()
    assert os.listdir(tmp_path) == []
    (tmp_path / "none").mkdir()
    scan = tw.scan(blocks_of(rows, 50_000), memory_map=str(tmp_path / "none"))
    (tmp_path / "none").rmdir()
    with pytest.raises(tw.DataError, match=r"no room for .* bytes in .*none"):
        model.fit(scan)


def test_what_is_done_with_a_tree_takes_scans():
    X, classes, _, _ = made_rows(1, 150)
    scan = tw.scan(blocks_of((X, classes), 40), memory_map=True)
    model = tw.C45Classifier(prune=None).fit(scan)
    np.testing.assert_array_equal(model.predict(scan), model.predict(X))
    assert model.score(scan) == model.score(X, classes)
    assert str(tw.worksheet(model, scan)) == str(tw.worksheet(model, X, classes))
    for method in ("error_based", "reduced_error"):
        pruned = tw.prune(model, method, scan)
        assert model_bytes(pruned) == model_bytes(tw.prune(model, method, X, classes))
    expected = tw.evaluate(model, X, classes, folds=3).mean("accuracy")
    assert tw.evaluate(model, scan, folds=3).mean("accuracy") == expected
    assert tw.evaluate_fitted(model, scan).mean("accuracy") == model.score(X, classes)
    with pytest.raises(tw.ParameterError, match="y cannot be given with a scan"):
        tw.evaluate(model, scan, classes)


def test_rows_taken_out_of_files_are_in_files(tmp_path):
    X, classes, _, _ = made_rows(2, 60)
    table, _, _ = tw.scan(blocks_of((X, classes), 7), memory_map=str(tmp_path)).read()
    assert table.same_as(X)
    rows = np.array([40, 3, 3, -1])
    for taken in (table[rows], table[5:9], table.select(["word", "many"])[rows], table.drop("id")):
        assert stored_table.folder_of(taken) == str(tmp_path)
    assert table[rows].same_as(X[rows])
    assert table[5:9].same_as(X[5:9])
