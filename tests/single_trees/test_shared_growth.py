"""Models that share a growth are the models that `fit` makes."""

from itertools import product

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.single_trees import shared_growth
from treewright.single_trees.shared_growth import fit_many


def a_table(n_rows=300, seed=0):
    generator = np.random.default_rng(seed)
    columns = {
        "size": generator.normal(size=n_rows).round(1),
        "width": generator.normal(size=n_rows).round(1),
        "color": generator.choice(["red", "green", "blue", None], n_rows),
    }
    y = np.where(columns["size"] + generator.normal(size=n_rows) > 0, "yes", "no")
    y[generator.random(n_rows) < 0.1] = "maybe"
    columns["size"][generator.random(n_rows) < 0.1] = np.nan
    return tw.table_from(columns), y


GRIDS = [
    (tw.CARTClassifier(prune=None), {"max_depth": [1, 3, None], "ccp_alpha": [0.0, 0.01]}),
    (
        tw.CARTClassifier(prune=None),
        {"max_depth": [2, 5], "min_samples_leaf": [1, 7], "cp": [None, 0.01]},
    ),
    (tw.CARTClassifier(prune=None), {"max_leaf_nodes": [2, 5, None], "max_depth": [2, 4]}),
    (
        tw.CARTClassifier(prune=None, max_depth=4),
        {"class_weight": [None, "balanced"], "priors": [None]},
    ),
    (tw.C45Classifier(), {"max_depth": [2, 4, None], "confidence": [0.1, 0.5]}),
    (tw.C45Classifier(), {"prune": [None, "reduced_error"], "max_depth": [3, 6]}),
    (tw.C45Classifier(), {"collapse": [True, False], "laplace": [True, False], "max_depth": [3]}),
    (tw.ID3Classifier(), {"max_depth": [1, 2, 3]}),
    (tw.TreeClassifier(), {"max_depth": [1, 2, 9], "missing": ["majority", "fractional"]}),
]


@pytest.mark.parametrize(("model", "grid"), GRIDS, ids=lambda value: str(value)[:40])
def test_every_candidate_answers_as_if_it_were_fitted_alone(model, grid):
    X, y = a_table()
    candidates = [dict(zip(grid, chosen, strict=True)) for chosen in product(*grid.values())]
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    for given, fitted in zip(candidates, fit_many(model, candidates, X, y, weights), strict=True):
        alone = type(model)(**{**model.get_params(), **given}).fit(X, y, weights)
        np.testing.assert_array_equal(fitted.predict_proba(X), alone.predict_proba(X), str(given))
        assert fitted.get_n_leaves() == alone.get_n_leaves()
        assert fitted.get_params() == alone.get_params()


def test_depths_share_one_growth_and_all_share_the_sorted_columns(monkeypatch):
    depths, sorts = [], []
    grow, sort = shared_growth.grow_tree, shared_growth.sorted_columns

    def counted_growth(table, target, weights, settings, *rest):
        depths.append(settings.max_depth)
        return grow(table, target, weights, settings, *rest)

    def counted_sort(table, n_threads):
        sorts.append(table)
        return sort(table, n_threads)

    monkeypatch.setattr(shared_growth, "grow_tree", counted_growth)
    monkeypatch.setattr(shared_growth, "sorted_columns", counted_sort)
    X, y = a_table()
    candidates = [
        {"max_depth": depth, "min_samples_leaf": leaf} for depth in (2, 4, 6) for leaf in (1, 9)
    ]
    assert len(list(fit_many(tw.CARTClassifier(prune=None), candidates, X, y))) == 6
    assert depths == [6, 6]
    assert len(sorts) == 1


def test_a_model_does_not_keep_the_trees_of_others():
    X, y = a_table()
    (fitted,) = fit_many(tw.CARTClassifier(prune=None), [{"max_depth": 3}], X, y)
    assert "_grown" not in vars(fitted)


def test_models_with_nominal_columns_share_the_sorted_columns_too(monkeypatch):
    sorts, sort = [], shared_growth.sorted_columns
    monkeypatch.setattr(
        shared_growth, "sorted_columns", lambda *given: (sorts.append(given), sort(*given))[1]
    )
    X = np.random.default_rng(0).integers(0, 4, (80, 3)).astype(float)
    y = (X[:, 0] > 1).astype(int)
    model = tw.CARTClassifier(prune=None, categorical_features=[0])
    candidates = [{"min_samples_leaf": 1}, {"min_samples_leaf": 4}]
    candidates.append({"min_samples_leaf": 4, "categorical_features": None})
    for given, fitted in zip(candidates, fit_many(model, candidates, X, y), strict=True):
        alone = type(model)(**{**model.get_params(), **given}).fit(X, y)
        assert fitted.predict(X).tolist() == alone.predict(X).tolist()
        assert fitted.schema_ == alone.schema_
    assert len(sorts) == 1


def test_a_setting_that_is_not_allowed_is_named_before_anything_is_grown():
    X, y = a_table(40)
    with pytest.raises(ParameterError, match="max_depth='x'"):
        list(fit_many(tw.CARTClassifier(prune=None), [{"max_depth": 1}, {"max_depth": "x"}], X, y))
