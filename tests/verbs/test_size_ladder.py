"""tw.size_ladder shows how well smaller and larger trees predict, and returns them."""

import numpy as np
import pytest

import treewright as tw


@pytest.fixture(scope="module")
def loans():
    X, y = tw.load_sample("loans")
    return X.drop("loan"), y


@pytest.mark.parametrize(
    "model",
    [tw.CARTClassifier(), tw.CARTClassifier(prune=None), tw.C45Classifier(prune=None)],
    ids=["pruned", "grown", "C4.5"],
)
def test_rungs_are_subtrees_of_the_sizes_asked_for(loans, model):
    X, y = loans
    ladder = tw.size_ladder(model.fit(X, y), X, y, sizes=(3, 10, 40))
    sizes = [rung.n_leaves for rung in ladder.rungs]
    assert sizes == sorted(set(sizes))
    assert [rung.chosen for rung in ladder.rungs].count(True) == 1
    for rung in ladder.rungs:
        assert rung.at_most is None or rung.n_leaves <= rung.at_most
        assert 0.5 < rung.score < 1.0
        assert 0.0 < rung.standard_error < 0.1
    for most in (3, 10, 40):
        smaller = ladder.of_leaves(most, X)
        assert smaller.get_n_leaves() <= most
        assert smaller.predict(X).shape == y.shape
        assert smaller.pruning_.n_leaves_after == smaller.get_n_leaves()


def test_the_scores_are_those_of_the_path(loans):
    X, y = loans
    grown = tw.CARTClassifier(prune=None).fit(X, y)
    path = tw.cost_complexity_path(grown, X, y, risk="error")
    for rung in tw.size_ladder(tw.CARTClassifier().fit(X, y), X, y).rungs:
        assert rung.score == pytest.approx(1 - path.held_out.risks[rung.step])


def test_a_model_of_a_rung_can_be_saved_loaded_and_evaluated(loans, tmp_path):
    X, y = loans
    model = tw.size_ladder(tw.CARTClassifier().fit(X, y), X, y).of_leaves(20, X)
    model.save(tmp_path / "m.json")
    loaded = tw.load(tmp_path / "m.json")
    assert (loaded.predict(X) == model.predict(X)).all()
    assert tw.evaluate(model, X, y, folds=3).mean("accuracy") > 0.6


def test_numbers_are_scored_by_r_squared():
    X, y = tw.load_sample("iris")
    X, y = X.drop("petal width"), X["petal width"].to_numpy()
    ladder = tw.size_ladder(tw.CARTRegressor(prune=None).fit(X, y), X, y)
    assert ladder.measure == "R squared"
    assert ladder.rungs[1].score > 0.8
    assert np.diff([rung.n_leaves for rung in ladder.rungs]).min() > 0


def test_sizes_below_one_are_refused(loans):
    X, y = loans
    with pytest.raises(tw.ParameterError, match="n_leaves=0"):
        tw.size_ladder(tw.CARTClassifier().fit(X, y), X, y).of_leaves(0)
