"""What must be true of every pruning, whatever its rule, on random small tables."""

import math

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from reference.grown_cases import (
    Grown,
    for_every_classifier,
    grown_models,
    in_chunks,
    validation_of,
)
from treewright.verbs.load import model_bytes, model_from_bytes

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

WAYS = {
    "pessimistic": {},
    "minimum_error": {},
    "mdl": {},
    "critical_value": {"value": 0.2},
    "cost_complexity": {"alpha": 0.03},
    "error_based": {},
    "reduced_error": {},
}
for_every_way = pytest.mark.parametrize("method", WAYS)


def rows_for(grown: Grown, method: str, seed: int):
    if method == "error_based":
        return grown.case.rows
    return validation_of(grown, seed)[1] if method == "reduced_error" else ()


@for_every_way
@for_every_classifier
@in_chunks
def test_pruning_a_loaded_model_is_pruning_the_model(family, first, method):
    for seed, grown in enumerate(grown_models(family, first), start=first):
        before = model_bytes(grown.model)
        rows = rows_for(grown, method, seed)
        pruned = grown.prune(method, *rows, **WAYS[method])
        loaded = model_from_bytes(before)
        assert model_bytes(tw.prune(loaded, method, *rows, **WAYS[method])) == model_bytes(pruned)
        again = tw.prune(pruned, method, *rows, **WAYS[method])
        loaded_again = tw.prune(
            model_from_bytes(model_bytes(pruned)), method, *rows, **WAYS[method]
        )
        assert model_bytes(loaded_again) == model_bytes(again)
        assert model_bytes(grown.model) == before


@for_every_way
@for_every_classifier
@in_chunks
def test_P11_no_cut_makes_the_estimate_worse(family, first, method):
    """Beyond what the rule itself allows: a standard error, 0.1 errors, the price of a leaf."""
    for seed, grown in enumerate(grown_models(family, first), start=first):
        rows = rows_for(grown, method, seed)
        report = grown.prune(method, *rows, **WAYS[method]).pruning_
        gone = sum(cut.n_leaves - 1 for cut in report.cuts if cut.became == "leaf")
        raised = [cut for cut in report.cuts if cut.became == "branch"]
        if not raised:
            assert report.n_leaves_before - gone == report.n_leaves_after
        for cut in report.cuts:
            allowed = {
                "pessimistic": math.sqrt(max(cut.as_subtree, 0) * report.before.weight[cut.was]),
                "error_based": 0.1,
                "cost_complexity": 0.03 * (cut.n_leaves - 1),
            }
            smaller = cut.as_branch if cut.became == "branch" else cut.as_leaf
            if method == "critical_value":
                assert cut.as_subtree < cut.as_leaf
            else:
                assert smaller <= cut.as_subtree + allowed.get(method, 0.0) + 1e-9


@pytest.mark.parametrize("method", [way for way in WAYS if way != "reduced_error"])
@for_every_classifier
@in_chunks
def test_fit_prunes_as_prune_does_on_the_same_weighted_rows(family, first, method):
    for grown in grown_models(family, first):
        rows = rows_for(grown, method, 0)
        asked = clone(grown.model).set_params(prune=method, prune_options=dict(WAYS[method]))
        asked.fit(*grown.case.rows)
        by_hand = grown.prune(method, *rows, **WAYS[method])
        assert asked.tree_.same_as(by_hand.tree_)
        assert asked.pruning_.to_dict() == by_hand.pruning_.to_dict()


@for_every_classifier
@in_chunks
def test_P11_trees_are_nested_along_the_path_by_either_risk(family, first):
    for grown in grown_models(family, first):
        for risk in ("impurity", "error"):
            path = tw.cost_complexity_path(grown.model, risk=risk)
            assert np.all(np.diff(path.alphas) > 0)
            assert np.all(np.diff(path.n_leaves) < 0)
            assert np.all(np.diff(path.risks) >= 0)
            for at, alpha in enumerate(path.alphas.tolist()):
                pruned = grown.prune("cost_complexity", alpha=alpha, risk=risk)
                assert pruned.tree_.same_as(path.tree_at(at))
                again = tw.prune(pruned, "cost_complexity", alpha=alpha, risk=risk)
                assert again.tree_.same_as(pruned.tree_)
