"""Ensembles from scans: the model file is that of the same rows in memory, byte for byte."""

import gc
import os
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from scanned_rows import blocks_of, made_rows
from treewright.data.scanned_table import ScannedTable
from treewright.ensembles import packed
from treewright.ensembles.forests import shrinkage
from treewright.persistence.model_file import model_bytes

pytestmark = pytest.mark.filterwarnings("ignore:.*")

MODELS = {
    "boosted classes": tw.BoostedTreesClassifier(n_estimators=3),
    "boosted numbers": tw.BoostedTreesRegressor(n_estimators=4, n_iter_no_change=2, loss="huber"),
    "random forest": tw.RandomForestClassifier(
        n_estimators=3, oob_score=True, class_weight="balanced"
    ),
    "forest of numbers": tw.RandomForestRegressor(n_estimators=3, keep_targets=True),
    "extra trees": tw.ExtraTreesClassifier(n_estimators=3),
    "extra trees of numbers": tw.ExtraTreesRegressor(n_estimators=3, min_samples_leaf=2),
    "isolation forest": tw.IsolationForest(n_estimators=3, max_samples=30, contamination=0.1),
}


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    """Tables of more than 20 rows are read in blocks, as otherwise those of 200,000."""
    monkeypatch.setattr(ScannedTable, "most_rows_read", 20)
    monkeypatch.setattr(packed, "MOST_ROWS_OF_BINS", 20)
    monkeypatch.setattr(packed, "FEW_ROWS", 20)
    monkeypatch.setattr(shrinkage, "MANY_ROWS", 20)


def is_class(model):
    return "Classifier" in type(model).__name__


@given(
    name=st.sampled_from(sorted(MODELS)),
    seed=st.integers(0, 2**16),
    n_rows=st.integers(30, 90),
    size=st.sampled_from([1, 7, 50, 1000]),
    has_weights=st.booleans(),
    on_disk=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_bytes_do_not_depend_on_blocks(name, seed, n_rows, size, has_weights, on_disk):
    model = MODELS[name].set_params(random_state=seed)
    X, classes, numbers, weights = made_rows(seed, n_rows)
    y = classes if is_class(model) else numbers
    rows = (X, y, weights if has_weights else None)
    expected = model_bytes(model.fit(*rows))
    scan = tw.scan(blocks_of(rows, size), memory_map=on_disk)
    assert model_bytes(model.fit(scan)) == expected


@pytest.mark.parametrize("name", MODELS)
def test_many_values_and_3000_categories(name):
    model = MODELS[name].set_params(random_state=0)
    X, classes, numbers, weights = made_rows(1, 4000, n_categories=3000)
    rows = (X, classes if is_class(model) else numbers, weights)
    expected = model_bytes(model.fit(*rows))
    assert model_bytes(model.fit(tw.scan(blocks_of(rows, 1000)))) == expected


def test_sets_of_3000_categories_found_in_nodes():
    X, classes, _, weights = made_rows(1, 4000, n_categories=3000)
    model = tw.BoostedTreesClassifier(n_estimators=3, target_encoding=False)
    expected = model_bytes(model.fit(X, classes, weights))
    assert model_bytes(model.fit(tw.scan(blocks_of((X, classes, weights), 1000)))) == expected


def test_integer_weights_and_classes_that_only_the_last_block_has():
    X, classes, _, _ = made_rows(3, 80)
    classes[-1] = "zz"
    weights = np.random.default_rng(3).integers(0, 3, 80).astype(float)
    weights[-1] = 2.0
    model = tw.BoostedTreesClassifier(n_estimators=3)
    expected = model_bytes(model.fit(X, classes, weights))
    assert model_bytes(model.fit(tw.scan(blocks_of((X, classes, weights), 9)))) == expected


@pytest.mark.parametrize("numbers", [[1, 2, 30], [0.5, 1.0, 2.0]])
def test_numbers_that_are_categories(numbers):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.choice(numbers, 60), rng.normal(size=60)])
    X[:50, 0] = numbers[0]  # the others only come late
    X[5, 0] = np.nan
    y = X[:, 1] > 0
    model = tw.RandomForestClassifier(n_estimators=3, categorical_features=[0])
    expected = model_bytes(model.fit(X, y))
    assert model_bytes(model.fit(tw.scan(blocks_of((X, y), 8)))) == expected


def test_a_class_of_weight_0_takes_its_categories_along():
    X, classes, _, _ = made_rows(5, 90)
    model = tw.RandomForestClassifier(n_estimators=3, class_weight={"no": 0, "yes": 1, "may": 2})
    expected = model_bytes(model.fit(X, classes))
    assert model_bytes(model.fit(tw.scan(blocks_of((X, classes), 20)))) == expected


def test_warm_start_goes_on_with_a_scan():
    X, classes, _, _ = made_rows(6, 100)
    scan = tw.scan(blocks_of((X, classes), 33))
    for kind in (tw.BoostedTreesClassifier, tw.RandomForestClassifier):
        files = []
        for rows in ((X, classes), (scan,)):
            model = kind(n_estimators=2, warm_start=True, random_state=0).fit(*rows)
            files.append(model_bytes(model.set_params(n_estimators=4).fit(*rows)))
        assert files[0] == files[1]


def test_a_scan_beyond_the_real_limit(monkeypatch):
    monkeypatch.undo()
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=210_000), rng.integers(0, 9, 210_000)])
    y = X[:, 0] + X[:, 1] + rng.normal(size=len(X))
    model = tw.BoostedTreesRegressor(n_estimators=2)
    expected = model_bytes(model.fit(X, y))
    assert model_bytes(model.fit(tw.scan(blocks_of((X, y), 60_000)))) == expected


def test_predictions_come_block_by_block():
    X, classes, numbers, _ = made_rows(7, 60)
    without_y = tw.scan([X[at : at + 13] for at in range(0, 60, 13)])
    for name, model in MODELS.items():
        model.fit(X, classes if is_class(model) else numbers)
        np.testing.assert_array_equal(model.predict(without_y), model.predict(X), err_msg=name)
        if is_class(model):
            np.testing.assert_array_equal(model.predict_proba(without_y), model.predict_proba(X))
            scan = tw.scan(blocks_of((X, classes), 13))
            assert model.score(scan) == model.score(X, classes)
    forest = MODELS["isolation forest"]
    np.testing.assert_array_equal(forest.score_samples(without_y), forest.score_samples(X))


def test_other_models_refuse_a_scan():
    scan = tw.scan([([[1.0], [2.0]], ["a", "b"])])
    with pytest.raises(tw.DataError, match="cannot be trained from a scan"):
        tw.KNeighborsClassifier().fit(scan)
    with pytest.raises(tw.DataError, match=r"scan\.read"):
        tw.KMeans().fit(scan)
    assert tw.KNeighborsClassifier(n_neighbors=1).fit(*scan.read()).predict([[1.0]]) == ["a"]


def test_what_a_large_scan_cannot_do_says_so():
    X, classes, _, _ = made_rows(8, 60)
    scan = tw.scan(blocks_of((X, classes), 30))
    with pytest.raises(tw.ParameterError, match="exact"):
        tw.RandomForestClassifier(splits="exact").fit(scan)
    with pytest.raises(tw.ParameterError, match="bootstrap=True is not available"):
        tw.IsolationForest(bootstrap=True).fit(scan)
    with pytest.raises(tw.ParameterError, match="y cannot be given with a scan"):
        tw.RandomForestClassifier().fit(scan, classes)
    with pytest.raises(tw.DataError, match="the scan has no target"):
        tw.RandomForestClassifier().fit(tw.scan([X]))


def test_a_source_that_changes_between_passes_is_an_error():
    X, classes, _, _ = made_rows(9, 60)
    n_passes = [0]

    def blocks():
        n_passes[0] += 1
        return iter(blocks_of((X, classes), 20)[: 3 if n_passes[0] < 3 else 2])

    with pytest.raises(tw.DataError, match="did not return the same 60 rows as in the first pass"):
        tw.BoostedTreesClassifier(n_estimators=2).fit(tw.scan(blocks))


def test_nothing_stays_in_the_folder_of_the_bytes(tmp_path):
    X, classes, _, _ = made_rows(10, 60)
    scan = tw.scan(blocks_of((X, classes), 20), memory_map=str(tmp_path))
    tw.BoostedTreesClassifier(n_estimators=2).fit(scan)
    gc.collect()
    assert os.listdir(tmp_path) == []
    (tmp_path / "none").mkdir()
    scan = tw.scan(blocks_of((X, classes), 20), memory_map=str(tmp_path / "none"))
    (tmp_path / "none").rmdir()
    with pytest.raises(tw.DataError, match="no room"):
        tw.BoostedTreesClassifier(n_estimators=2).fit(scan)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX timers")
def test_ctrl_c_ends_a_fit():
    X = np.random.default_rng(0).normal(size=(1000, 4))
    scan = tw.scan(lambda: ((X, X[:, 0]) for _ in range(10_000)))

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            tw.BoostedTreesRegressor().fit(scan)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
