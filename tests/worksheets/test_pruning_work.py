"""The estimates on a worksheet are those that pruning compared, and they add up."""

import math

import numpy as np
import pytest

import treewright as tw


def noisy(holes: float = 0.0):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(200, 3)).round(1), rng.integers(0, 4, 200)])
    y = np.where(X[:, 0] + rng.normal(size=200) > 0, "a", np.where(rng.random(200) < 0.4, "b", "c"))
    X[rng.random(X.shape) < holes] = np.nan
    return X, y


METHODS = {
    "error_based": {"subtree_raising": False},
    "pessimistic": {},
    "minimum_error": {"m": 5},
    "mdl": {},
    "cost_complexity": {"alpha": 0.01},
}


def pruned(method: str, holes: float = 0.0):
    X, y = noisy(holes)
    model = tw.prune(tw.TreeClassifier(missing="stop").fit(X, y), method, **METHODS[method])
    return model, list(tw.worksheet(model, X, y).nodes)


@pytest.mark.parametrize("holes", [0.0, 0.1])
@pytest.mark.parametrize("method", METHODS)
def test_branches_add_up_to_the_subtree(method, holes):
    _, works = pruned(method, holes)
    compared = [work.pruning for work in works if work.pruning is not None]
    assert {pruning.became for pruning in compared} == {"leaf", "subtree"}
    for pruning in compared:
        together = pruning.at_node + sum(branch.estimate for branch in pruning.branches)
        assert together == pytest.approx(pruning.as_subtree, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_what_was_cut_has_the_estimates_of_the_report(method):
    model, works = pruned(method)
    for cut in model.pruning_.cuts:
        pruning = works[cut.node].pruning
        assert (pruning.became, pruning.leaf.estimate) == (cut.became, cut.as_leaf)
        assert pruning.as_subtree == cut.as_subtree


@pytest.mark.parametrize("method", ["minimum_error", "mdl", "cost_complexity", "error_based"])
def test_what_was_kept_is_better_than_a_leaf(method):
    _, works = pruned(method)
    kept = [work.pruning for work in works if work.pruning and work.pruning.became == "subtree"]
    assert all(pruning.as_subtree < pruning.leaf.estimate for pruning in kept)


def test_leaves_of_growth_were_not_compared():
    _, works = pruned("mdl")
    for work in works:
        if work.stop_reason == "pure":
            assert work.pruning is None


def test_error_based_pruning_shows_errors_weight_and_their_upper_limit():
    X, y = noisy()
    model = tw.C45Classifier().fit(X, y)
    for work in tw.worksheet(model, X, y).nodes:
        if work.pruning is None:
            continue
        leaf = work.pruning.leaf
        if not work.pruning.rows_came:
            assert leaf.weight == pytest.approx(work.group.weight)
            assert leaf.errors == pytest.approx(work.group.weight - max(work.group.counts))
        assert leaf.errors < leaf.as_leaf <= leaf.weight
        for branch in work.pruning.branches:
            assert branch.estimate <= branch.as_leaf + 0.1 + 1e-9


def test_six_rows_without_error_are_expected_to_make_a_share_of_errors():
    # Quinlan 1993, section 4.2: U(0, 6) = 0.206 of 6 rows, the branches of a pruned split.
    X = [["a"]] * 6 + [["b"]] * 9 + [["c"]]
    y = ["democrat"] * 15 + ["republican"]
    model = tw.C45Classifier(collapse=False, min_samples_leaf=1, min_gain=None).fit(X, y)
    pruning = tw.worksheet(model, X, y).nodes[0].pruning
    assert pruning.became == "leaf"
    assert [round(branch.as_leaf / branch.weight, 3) for branch in pruning.branches] == [
        0.206,
        0.143,
        0.75,
    ]
    assert round(pruning.as_subtree, 3) == 3.273
    # The book has 16 x 0.157 from the binomial, the program the normal approximation.
    assert round(pruning.leaf.as_leaf, 3) == 2.476


def test_a_saved_model_still_knows_what_it_compared(tmp_path):
    X, y = noisy()
    model = tw.C45Classifier().fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    here, there = (list(tw.worksheet(one, X, y).nodes) for one in (model, loaded))
    for work, again in zip(here, there, strict=True):
        assert (work.pruning is None) == (again.pruning is None)
        if work.pruning is not None:
            assert again.pruning.leaf == work.pruning.leaf
            assert again.pruning.as_subtree == work.pruning.as_subtree


def test_reduced_error_pruning_shows_what_it_cut():
    X, y = noisy()
    model = tw.TreeClassifier(prune="reduced_error").fit(X, y)
    shown = [work.pruning for work in tw.worksheet(model, X, y).nodes if work.pruning]
    assert len(shown) == len(model.pruning_.cuts)
    assert all(math.isnan(pruning.leaf.weight) for pruning in shown)


def test_a_critical_value_stands_against_the_best_split_below():
    X, y = noisy()
    model = tw.prune(tw.TreeClassifier().fit(X, y), "critical_value", value=0.05)
    for work in tw.worksheet(model, X, y).nodes:
        if work.pruning is not None and work.pruning.became == "subtree":
            assert work.pruning.as_subtree >= work.pruning.leaf.estimate == 0.05
