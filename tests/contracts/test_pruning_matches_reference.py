"""Every pruning method against a slow exact one, on random small tables.

The trees are grown by the package. The reference takes only their questions, counts the rows
again with fractions, and prunes nested objects by the rules of docs/pruning.md; structure, counts
and the estimates in the report must be the same.
"""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import treewright as tw
from reference import cost_complexity_reference, pruning_reference
from reference.compare_trees import assert_same_tree, near, side_by_side
from reference.cost_complexity_reference import (
    best_subtree,
    error_risk,
    impurity_risk,
    rpart_path,
)
from reference.error_based_reference import ErrorBased
from reference.grown_cases import (
    for_every_classifier,
    for_every_family,
    grown_models,
    in_chunks,
    validation_of,
)
from reference.impurity import fifty_digits, scored_weight, total_impurity
from reference.problem import Problem, Rows
from reference.prunable import PNode

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def assert_same_pruning(pruned, judged, problem: Problem) -> None:
    """Tree and report are those of the reference."""
    report = pruned.pruning_
    found = {cut.was: (cut.as_leaf, cut.as_subtree) for cut in report.cuts}
    expected = {was: (cut.as_leaf, cut.as_subtree) for was, cut in judged.cuts.items()}
    assert found.keys() == expected.keys(), f"{report}\n{problem}"
    for was, estimates in expected.items():
        assert found[was] == near(estimates), f"cut of {was}: {report}\n{problem}"
    assert_same_tree(pruned.tree_, judged.node, problem)
    assert report.n_leaves_after == judged.node.n_leaves


# The methods that need no rows.


@for_every_classifier
@in_chunks
def test_the_grown_trees_are_counted_alike(family, first):
    for grown in grown_models(family, first):
        assert_same_tree(grown.model.tree_, grown.root, grown.problem)
        assert grown.model.get_n_leaves() == grown.root.n_leaves
        predictions = {
            n.number: grown.prices.prediction(n.predicting_rows) for n in grown.root.walk()
        }
        assert grown.model.tree_.node_class.tolist() == [
            predictions[n] for n in sorted(predictions)
        ]


@pytest.mark.parametrize("order", ["top_down", "bottom_up"])
@for_every_classifier
@in_chunks
def test_pessimistic_pruning_is_that_of_the_reference(family, first, order):
    for grown in grown_models(family, first):
        for errors in (1.0, 0.5):
            pruned = grown.prune("pessimistic", order=order, standard_errors=errors)
            judged = pruning_reference.pessimistic(grown.root, grown.prices, errors, order)
            assert_same_pruning(pruned, judged, grown.problem)


@pytest.mark.parametrize("m", [None, 0.0, 2.5])
@for_every_classifier
@in_chunks
def test_minimum_error_pruning_is_that_of_the_reference(family, first, m):
    for grown in grown_models(family, first):
        judged = pruning_reference.minimum_error(grown.root, grown.prices, m)
        assert_same_pruning(grown.prune("minimum_error", m=m), judged, grown.problem)


@pytest.mark.parametrize("structure", [1.0, 0.3])
@for_every_classifier
@in_chunks
def test_mdl_pruning_is_that_of_the_reference(family, first, structure):
    for grown in grown_models(family, first):
        judged = pruning_reference.mdl(grown.root, grown.prices, structure)
        assert_same_pruning(grown.prune("mdl", structure=structure), judged, grown.problem)


@pytest.mark.parametrize("by", ["score", "gain"])
@for_every_classifier
@in_chunks
def test_critical_value_pruning_is_that_of_the_reference(family, first, by):
    for grown in grown_models(family, first):
        of_nodes = getattr(grown.model.tree_, by)  # at the value of a split that split stays
        for value in {0.1, *of_nodes[of_nodes > 0][:3].tolist()}:
            judged = pruning_reference.critical_value(grown.root, value, by)
            pruned = grown.prune("critical_value", value=value, by=by)
            assert_same_pruning(pruned, judged, grown.problem)


# Error-based pruning.


@pytest.mark.parametrize("raising", [False, True])
@for_every_classifier
@in_chunks
def test_error_based_pruning_is_that_of_the_reference(family, first, raising):
    for grown in grown_models(family, first):
        rows = grown.case.rows if raising else ()
        for confidence in (0.25, 0.1):
            options = {"confidence": confidence, "subtree_raising": raising}
            reference = ErrorBased(grown.problem, grown.prices, confidence, raising)
            expected = reference.prune(grown.root)
            if min(reference.margins, default=1) > 1e-9:  # otherwise rounding decides
                pruned = grown.prune("error_based", *rows, **options)
                assert_same_tree(pruned.tree_, expected, grown.problem)
                assert_same_verdicts(pruned, reference.shown(expected), grown.problem)


@for_every_classifier
@in_chunks
def test_raised_trees_tell_impurities_and_gains_of_the_rows_they_have_now(family, first):
    for grown in grown_models(family, first):
        problem = grown.scored_problem
        reference = ErrorBased(grown.problem, grown.prices, 0.25, raising=True)
        expected = reference.prune(grown.root)
        if min(reference.margins, default=1) < 1e-9:
            continue
        tree = grown.prune("error_based", *grown.case.rows).tree_
        for number, node in side_by_side(tree, expected, problem):
            if node.rows:
                assert tree.impurity[number] == near(impurity_of(problem, node.rows)), problem
            if not node.is_leaf and gain_is_impurity_lost(problem):
                assert tree.gain[number] == near(impurity_lost(problem, node)), problem


def assert_same_verdicts(pruned, verdicts, problem: Problem) -> None:
    report = pruned.pruning_
    found = {cut.was: cut for cut in report.cuts}
    became = {was: cut.became for was, cut in found.items()}
    assert became == {was: verdict.became for was, verdict in verdicts.items()}, problem
    for was, verdict in verdicts.items():
        cut = found[was]
        estimates = (verdict.as_leaf, verdict.as_subtree, verdict.as_branch)
        assert (cut.as_leaf, cut.as_subtree, cut.as_branch) == near(estimates), problem


def impurity_of(problem: Problem, rows: Rows) -> float:
    """Per unit of weight."""
    with fifty_digits():
        return float(total_impurity(problem, rows)) / float(scored_weight(problem, rows))


def impurity_lost(problem: Problem, node: PNode) -> float:
    """By the split of a node, per unit of its weight."""
    children = [child.rows for child in node.children if child.rows]
    weights = [float(scored_weight(problem, rows)) for rows in children]
    impurities = [impurity_of(problem, rows) for rows in children]
    return impurity_of(problem, node.rows) - np.average(impurities, weights=weights)


def gain_is_impurity_lost(problem: Problem) -> bool:
    """Elsewhere the gain counts known rows only, or pays for its threshold."""
    has_holes = any(None in column.values for column in problem.columns)
    return problem.settings.criterion in ("gini", "information_gain") and not has_holes


# Reduced error.


@for_every_classifier
@in_chunks
def test_reduced_error_pruning_is_that_of_the_reference(family, first):
    for seed, grown in enumerate(grown_models(family, first), start=first):
        validation, rows = validation_of(grown, seed)
        prices = replace(grown.prices, problem=validation)

        def cost(rows: Rows, node: PNode, grown=grown, prices=prices) -> Fraction:
            return prices.cost(rows, grown.prices.prediction(node.predicting_rows))

        judged = pruning_reference.reduced_error(grown.root, validation, validation.all_rows, cost)
        assert_same_pruning(grown.prune("reduced_error", *rows), judged, grown.problem)


@in_chunks
def test_reduced_error_pruning_of_numbers_is_that_of_the_reference(first):
    for seed, grown in enumerate(grown_models("numbers", first), start=first):
        validation, rows = validation_of(grown, seed)
        predictions = grown.model.tree_.value[:, 0].tolist()

        def squares(rows: Rows, node: PNode, v=validation, predictions=predictions) -> Fraction:
            prediction = Fraction(predictions[node.number])
            return sum(
                (w * (Fraction(v.target[r]) - prediction) ** 2 for r, w in rows), Fraction(0)
            )

        root = grown.root
        judged = pruning_reference.reduced_error(root, validation, validation.all_rows, squares)
        assert_same_pruning(grown.prune("reduced_error", *rows), judged, grown.problem)


# Cost complexity.


def assert_same_path(found, expected, problem: Problem) -> None:
    about = f"{found}\n{problem}"
    assert found.n_leaves.tolist() == [step.root.n_leaves for step in expected], about
    assert found.alphas.tolist() == near([float(step.alpha) for step in expected]), about
    assert found.risks.tolist() == near([float(step.risk) for step in expected]), about
    for at, step in enumerate(expected):
        side_by_side(found.tree_at(at), step.root, problem)


@for_every_family
@in_chunks
def test_paths_by_impurity_have_the_weakest_links_of_the_reference(family, first):
    for grown in grown_models(family, first):
        risk = impurity_risk(grown.scored_problem)
        expected = cost_complexity_reference.path(grown.root, risk)
        found = tw.cost_complexity_path(grown.model, risk="impurity")
        assert_same_path(found, expected, grown.problem)


@for_every_family
@in_chunks
def test_paths_by_error_are_those_of_rpart(family, first):
    for grown in grown_models(family, first):
        is_number = grown.problem.n_classes == 0
        risk = impurity_risk(grown.problem) if is_number else error_risk(grown.prices)
        expected = rpart_path(grown.root, risk)
        assert_same_path(
            tw.cost_complexity_path(grown.model, risk="error"), expected, grown.problem
        )


@for_every_classifier
@in_chunks
def test_the_tree_for_a_price_is_the_best_of_all_subtrees(family, first):
    for grown in grown_models(family, first):
        risk = impurity_risk(grown.scored_problem)
        alphas = [step.alpha for step in cost_complexity_reference.path(grown.root, risk)]
        between = [(low + high) / 2 for low, high in pairwise(alphas)]
        for alpha in random.Random(first).sample(between, min(len(between), 4)):
            best, _ = best_subtree(grown.root, risk, alpha)
            pruned = grown.prune("cost_complexity", alpha=float(alpha), risk="impurity")
            assert_same_tree(pruned.tree_, best, grown.problem)


@pytest.mark.parametrize(("family", "first"), [("plain", 1_000_528), ("numbers", 1_001_044)])
def test_rows_that_stopped_at_splits_with_surrogates_are_counted(family, first):
    test_paths_by_impurity_have_the_weakest_links_of_the_reference(family, first)
    test_paths_by_error_are_those_of_rpart(family, first)
    if family == "plain":
        test_pessimistic_pruning_is_that_of_the_reference(family, first, "top_down")
        test_error_based_pruning_is_that_of_the_reference(family, first, False)
