"""tw.evaluate with scikit-learn's cv and scoring gives what scikit-learn gives."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from treewright.errors import DataError, ParameterError

X, y = (np.asarray(part) for part in tw.load_sample("iris"))
ORDER = np.random.default_rng(0).permutation(150)
X, y = X.astype(float)[ORDER], y[ORDER]
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
SPLITTERS = [
    KFold(4, shuffle=True, random_state=1),
    RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
    ShuffleSplit(3, train_size=0.4, test_size=0.3, random_state=1),
    TimeSeriesSplit(3),
]


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "neg_log_loss"])
def test_scores_are_those_of_scikit_learn(cv, scoring):
    found = tw.evaluate(TREE, X, y, cv=cv, scoring=scoring)
    expected = cross_val_score(TREE, X, y, cv=cv, scoring=scoring)
    np.testing.assert_allclose(found.scores[scoring], expected, rtol=1e-12)
    assert next(iter(found.scores)) == scoring
    assert scoring.replace("_", " ") in str(found).replace("_", " ")
    assert type(cv).__name__ in found.scheme
    assert len(found.to_frame())


def test_numbers_are_scored_too():
    target = X[:, 3]
    model = DecisionTreeRegressor(max_depth=2, random_state=0)
    name = "neg_root_mean_squared_error"
    found = tw.evaluate(model, X[:, :3], target, cv=KFold(5), scoring=name)
    expected = cross_val_score(model, X[:, :3], target, cv=KFold(5), scoring=name)
    np.testing.assert_allclose(found.scores[name], expected)
    np.testing.assert_allclose(-found.scores[name], found.scores["rmse"])


def test_pairs_of_rows_masks_and_groups_are_splits():
    first = np.arange(150) < 75
    found = tw.evaluate(tw.CARTClassifier(), X, y, cv=[(first, ~first), (~first, first)])
    assert [len(one.split.test) for one in found.judgments] == [75, 75]
    assert (found.predictions >= 0).all()
    groups = np.arange(150) % 5
    found = tw.evaluate(tw.CARTClassifier(), X, y, cv=GroupKFold(5), groups=groups)
    for one in found.judgments:
        assert not {*groups[one.split.train]} & {*groups[one.split.test]}


def test_a_row_that_is_tested_twice_begins_a_new_repeat():
    found = tw.evaluate(TREE, X, y, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2))
    assert found.predictions.shape == (2, 150)
    assert found.confusion.sum() == pytest.approx(150)


def test_leaving_one_out_is_possible():
    few = slice(0, 150, 10)
    found = tw.evaluate(TREE, X[few], y[few], cv=LeaveOneOut())
    assert found.n_splits == 15


def test_a_number_of_folds_is_ours():
    ours = tw.evaluate(tw.CARTClassifier(), X, y, folds=5)
    same = tw.evaluate(tw.CARTClassifier(), X, y, cv=5)
    assert same.scheme == ours.scheme
    assert same.scores["accuracy"].tolist() == ours.scores["accuracy"].tolist()


def test_scorers_functions_lists_and_dicts_are_scores():
    by_f1 = make_scorer(f1_score, average="macro")
    found = tw.evaluate(tw.CARTClassifier(), X, y, cv=3, scoring=["kappa", by_f1])
    assert [*found.scores][:2] == ["kappa", "f1_score"]
    named = tw.evaluate(tw.CARTClassifier(), X, y, cv=3, scoring={"mine": by_f1})
    assert named.scores["mine"].tolist() == found.scores["f1_score"].tolist()
    weights = np.linspace(1, 2, 150)
    weighted = tw.evaluate(tw.CARTClassifier(), X, y, weights, cv=3, scoring=by_f1)
    assert weighted.scores["f1_score"].tolist() != found.scores["f1_score"].tolist()


def test_mistakes_are_named():
    with pytest.raises(ParameterError, match="cv= and folds= cannot"):
        tw.evaluate(TREE, X, y, cv=3, folds=4)
    with pytest.raises(ParameterError, match="f1_macr") as refused:
        tw.evaluate(TREE, X, y, scoring="f1_macr")
    assert "f1_macro" in str(refused.value)
    with pytest.raises(ParameterError, match="no measure `rmse`"):
        tw.evaluate(TREE, X, y, scoring="rmse")
    with pytest.raises(ParameterError, match="neither a number of folds"):
        tw.evaluate(TREE, X, y, cv="kfold")
    with pytest.raises(DataError, match="test rows of split 0"):
        tw.evaluate(TREE, X, y, cv=[([0, 1], [150])])
    by_class = np.argsort(y, kind="stable")
    with pytest.raises(ParameterError, match="`neg_log_loss` fails on fold 0"):
        tw.evaluate(TREE, X[by_class], y[by_class], cv=TimeSeriesSplit(3), scoring="neg_log_loss")
    with pytest.raises(DataError, match="no splits"):
        tw.evaluate(TREE, X, y, cv=[])
