"""A fitted model on rows that are new to it takes what `fit` takes."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import treewright as tw
from treewright.errors import DataError
from treewright.evaluation.rows import rows_for

IRIS, LABELS = tw.load_sample("iris")
COLUMNS = {name: IRIS[name].values for name in IRIS.names}


@pytest.mark.parametrize(
    "X",
    [IRIS, COLUMNS, pd.DataFrame(COLUMNS), pd.DataFrame(COLUMNS).to_dict("records")],
    ids=["table", "mapping", "frame", "records"],
)
def test_tables_of_every_kind_are_judged(X):
    model = tw.CARTClassifier(prune=None, max_depth=2).fit(IRIS, LABELS)
    found = tw.evaluate_fitted(model, X, LABELS)
    assert found.mean("accuracy") == model.score(IRIS, LABELS)
    rules = tw.rules(model)
    assert tw.evaluate_fitted(rules, X, LABELS).mean("accuracy") == found.mean("accuracy")


@pytest.mark.parametrize(
    "model", [tw.CARTClassifier(prune=None), tw.CARTRegressor(prune=None), LogisticRegression()]
)
def test_a_model_that_is_not_fitted_says_so(model):
    with pytest.raises(NotFittedError, match="not fitted"):
        tw.evaluate_fitted(model, np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.float64, object])
def test_labels_are_compared_by_value(kind):
    X, y = np.arange(30.0)[:, None], np.arange(30) // 10
    model = tw.CARTClassifier(prune=None).fit(X, y)
    found = tw.evaluate_fitted(model, X, y.astype(kind))
    assert found.mean("accuracy") == 1
    assert found.classes == (0, 1, 2)
    assert all(type(label) is int for label in found.classes)


def test_words_are_no_numbers():
    X = np.arange(4.0)[:, None]
    with pytest.raises(DataError, match="of the same type as in training"):
        tw.evaluate_fitted(
            tw.CARTClassifier(prune=None).fit(X, [0, 0, 1, 1]), X, ["0", "0", "1", "1"]
        )


def test_models_of_scikit_learn_may_have_sparse_tables_and_mappings():
    numbers = np.column_stack(list(COLUMNS.values()))
    model = LogisticRegression(max_iter=500)
    dense = tw.evaluate(model, numbers, LABELS, folds=3)
    for X in (scipy.sparse.csr_array(numbers), COLUMNS):
        found = tw.evaluate(model, X, LABELS, folds=3)
        assert found.mean("accuracy") == pytest.approx(dense.mean("accuracy"))


def test_a_tuned_model_knows_the_name_of_its_target():
    target = pd.Series(LABELS, name="species")
    for model in (tw.CARTClassifier(prune=None), tw.C45Rules()):
        found = tw.tune(model, IRIS, target, {"min_samples_leaf": [2, 5]}, folds=3)
        assert found.model.target_name_ == model.fit(IRIS, target).target_name_ == "species"


def test_columns_that_differ_far_inside_a_long_list_are_told_apart():
    X = np.arange(40.0 * 1500).reshape(40, 1500) % 7
    masks = [np.zeros(1500, dtype=bool), np.zeros(1500, dtype=bool)]
    masks[1][700] = True
    models = [tw.CARTClassifier(prune=None, categorical_features=mask) for mask in masks]
    assert repr(masks[0]) == repr(masks[1])
    assert not isinstance(rows_for(models, X, np.arange(40) % 2).X, tw.Table)
    assert isinstance(rows_for(models[:1] * 2, X, np.arange(40) % 2).X, tw.Table)
