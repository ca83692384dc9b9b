"""Files and pickles of forests hold all that a fit learns."""

import pickle

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ModelFileError
from treewright.estimators.fitted import kinds_of
from treewright.persistence.container import container_bytes, read_container
from treewright.verbs.load import model_bytes, model_from_bytes

FORESTS = {
    "on bins": tw.RandomForestClassifier(n_estimators=20, oob_score=True),
    "of inductors": tw.RandomForestClassifier(
        n_estimators=4, inductors=["id3", tw.CARTClassifier(prune=None, max_depth=2)], voting="hard"
    ),
    "exact": tw.RandomForestClassifier(n_estimators=20, splits="exact", oob_score=True),
    "with targets": tw.RandomForestRegressor(n_estimators=20, keep_targets=True, oob_score=True),
    "by random cuts": tw.ExtraTreesRegressor(n_estimators=4, keep_targets=True),
    "of odd rows": tw.IsolationForest(n_estimators=4, contamination=0.1),
}


@pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS)
def test_a_file_and_a_pickle_give_the_same_forest_back(forest, tmp_path):
    X, species = tw.load_sample("iris")
    target = species if hasattr(forest, "voting") else X.columns[0].values
    forest.fit(X, target).save(tmp_path / "forest.tw")
    for other in (tw.load(tmp_path / "forest.tw"), pickle.loads(pickle.dumps(forest))):
        assert repr(other) == repr(forest)
        np.testing.assert_array_equal(other.predict(X), forest.predict(X))
        for name in [f"{field}_" for field in kinds_of(forest.state_type)]:
            assert hasattr(other, name) == hasattr(forest, name)
            np.testing.assert_array_equal(getattr(other, name, 0), getattr(forest, name, 0))
        if hasattr(forest, "keep_targets"):
            quantiles = forest.predict_quantiles(X)
            np.testing.assert_array_equal(other.predict_quantiles(X), quantiles)
        if hasattr(forest, "drawn_rows"):
            np.testing.assert_array_equal(other.drawn_rows(1), forest.drawn_rows(1))


def test_a_loaded_forest_grows_on(tmp_path):
    X, species = tw.load_sample("iris")
    forest = tw.RandomForestClassifier(n_estimators=3, warm_start=True).fit(X, species)
    forest.save(tmp_path / "forest.tw")
    grown_on = tw.load(tmp_path / "forest.tw").set_params(n_estimators=6).fit(X, species)
    at_once = tw.RandomForestClassifier(n_estimators=6).fit(X, species)
    for ours, theirs in zip(grown_on.trees_, at_once.trees_, strict=True):
        assert ours.same_as(theirs)


def test_positions_of_rows_fit_their_number():
    X, species = tw.load_sample("iris")
    weights = np.arange(150) % 2
    forest = tw.RandomForestClassifier(n_estimators=2).fit(X, species, sample_weight=weights)
    held = read_container(model_bytes(forest))
    for wrong in (forest.positions_[1:], forest.positions_ * 0):
        arrays = {**held.arrays, "learned.positions_": np.ascontiguousarray(wrong)}
        with pytest.raises(ModelFileError, match="positions_"):
            model_from_bytes(container_bytes(held.model, arrays))
