"""The estimates that pruning compared, at every node of a worksheet, cut or kept."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest

import treewright as tw
from reference.compare_trees import near
from reference.error_based_reference import ErrorBased
from reference.grown_cases import Grown, for_every_classifier, grown_models, in_chunks
from reference.prunable import PNode, prunable
from reference.pruning_reference import (
    Number,
    corrected_errors,
    mdl,
    mdl_charges,
    minimum_error,
    minimum_error_charge,
    one_of_each_class,
    pessimistic,
)
from treewright.worksheets.work import Estimate, NodeWork, PruningWork

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@dataclass(frozen=True)
class Judge:
    """A method from the leaves up: what nodes cost, and subtrees after the cuts below them."""

    of_ending_rows: Callable[[PNode], Number]
    of_subtree: Callable[[PNode], Number]
    of_question: Callable[[PNode], Number] = lambda node: 0


def pessimistic_judge(grown: Grown) -> Judge:
    return Judge(
        partial(corrected_errors, prices=grown.prices),
        lambda node: pessimistic(node, grown.prices, 1.0, "bottom_up").estimate,
    )


def minimum_error_judge(grown: Grown) -> Judge:
    return Judge(
        minimum_error_charge(grown.prices, one_of_each_class(grown.prices)),
        lambda node: minimum_error(node, grown.prices, None).estimate,
    )


def mdl_judge(grown: Grown) -> Judge:
    charge, _, of_question = mdl_charges(grown.prices, 1.0)
    return Judge(charge, lambda node: mdl(node, grown.prices, 1.0).estimate, of_question)


def error_based_judge(grown: Grown) -> Judge:
    method = ErrorBased(grown.problem, grown.prices, 0.25, raising=False)
    return Judge(
        lambda node: method.limit(node.ending, node.rows) if node.ending else 0.0,
        lambda node: method.estimate(method.prune(node)),
    )


METHODS = {
    "pessimistic": (pessimistic_judge, {"order": "bottom_up"}),
    "minimum_error": (minimum_error_judge, {}),
    "mdl": (mdl_judge, {}),
    "error_based": (error_based_judge, {"subtree_raising": False}),
}


def beside(pruned: PNode, grown: PNode) -> Iterator[tuple[int, PNode]]:
    """The nodes that are left, each with what it was before."""
    yield pruned.number, grown
    for child, was in zip(pruned.children, grown.children, strict=bool(pruned.children)):
        yield from beside(child, was)


def check_node(work: NodeWork, node: PNode, judge: Judge, grown: Grown) -> None:
    found = work.pruning
    if node.is_leaf:
        assert found is None
        return
    assert found.became == ("subtree" if work.chosen is not None else "leaf")
    check_estimate(found.leaf, node, judge.of_ending_rows(node.as_leaf()), grown)
    of_node = judge.of_ending_rows(node) + judge.of_question(node)
    assert found.at_node == near(of_node)
    for branch, child in zip(found.branches, node.children, strict=True):
        as_leaf = judge.of_ending_rows(child.as_leaf())
        check_estimate(branch, child, as_leaf, grown, estimate=judge.of_subtree(child))
    assert found.as_subtree == near(of_node + sum(map(judge.of_subtree, node.children)))
    assert sum_of(found) == near(found.as_subtree)
    assert math.isnan(found.as_branch)


def check_estimate(
    found: Estimate, node: PNode, as_leaf: Number, grown: Grown, estimate: Number | None = None
) -> None:
    n, errors = grown.prices.counted(node.rows, node.predicting_rows)
    assert (found.weight, found.errors) == near((n, errors))
    assert found.as_leaf == near(as_leaf)
    assert found.estimate == near(as_leaf if estimate is None else estimate)


def sum_of(found: PruningWork) -> float:
    return found.at_node + sum(branch.estimate for branch in found.branches)


@pytest.mark.parametrize("method", METHODS)
@for_every_classifier
@in_chunks
def test_estimates_are_those_of_the_reference(family, first, method):
    judge_of, options = METHODS[method]
    for grown in grown_models(family, first):
        pruned = grown.prune(method, **options)
        judge = judge_of(grown)
        left = prunable(pruned.tree_, grown.problem)
        works = tw.worksheet(pruned, *grown.case.rows).nodes
        for number, node in beside(left, grown.root):
            check_node(works[number], node, judge, grown)
