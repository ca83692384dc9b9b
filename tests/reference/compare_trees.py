"""Whether a tree of the package is the one that the reference has as nested objects."""

from dataclasses import replace

import numpy as np
import pytest

from reference.problem import Problem, value_of, weight_of
from reference.prunable import PNode, question_of
from treewright.tree.layout import KIND_NAMES
from treewright.tree.tree import Tree


def assert_same_tree(tree: Tree, expected: PNode, problem: Problem) -> None:
    """Structure, questions and counts of a tree are those of nested objects."""
    for number, node in side_by_side(tree, expected, problem):
        about = f"node {number}\n{problem}"
        assert tree.weight[number] == near(weight_of(node.rows)), about
        if problem.settings.criterion != "absolute_error":  # there are several medians
            prediction = [float(v) for v in value_of(problem, node.predicting_rows)]
            assert np.allclose(tree.value[number], prediction, rtol=1e-9, atol=1e-9), about


def side_by_side(tree: Tree, root: PNode, problem: Problem) -> list[tuple[int, PNode]]:
    """The nodes of two trees in pairs; the trees must have the same structure."""
    pairs = [(0, root)]
    for number, node in pairs:
        about = f"node {number}\n{problem}"
        assert (KIND_NAMES[tree.kind[number]] == "leaf") == node.is_leaf, about
        assert tree.n_rows[number] == len(node.rows), about
        if not node.is_leaf:
            asked, wanted = question_of(tree, number), node.question
            assert replace(asked, gain=0, score=0) == replace(wanted, gain=0, score=0), about
            assert tree.n_children[number] == len(node.children), about
            pairs += enumerate(node.children, start=int(tree.first_child[number]))
    return pairs


def near(expected):
    if isinstance(expected, list | tuple):
        expected = type(expected)(float(e) for e in expected)
        return pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)
    return pytest.approx(float(expected), rel=1e-9, abs=1e-9, nan_ok=True)
