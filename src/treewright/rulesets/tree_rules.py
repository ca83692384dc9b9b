"""The rules of a tree: one for every node that predicts.

A leaf is a rule. So is an inner node where training rows ended because their value was missing.
Inner nodes that would predict such a row, but had none in training, are fallbacks: they are not
rules, but a new row may need them.

`Rule` objects are created on demand; sorting and selecting works on arrays. Predictions come from
the tree itself, so they are exactly those of the tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import Predictor
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.rulesets.condition import Condition
from treewright.rulesets.counts import RuleCounts, counts_of_nodes, ended_rows
from treewright.rulesets.evaluate import Mask, Rows, condition_shares
from treewright.rulesets.paths import Paths
from treewright.rulesets.rule import Rule
from treewright.tree.layout import BRANCHES, LEAF, SPREAD, STOP, SUBSET
from treewright.tree.predict import (
    build_predictor,
    kernel_rows,
    predict_leaves,
    predict_values,
    predicted_classes,
)
from treewright.tree.tree import Tree

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TreeRules:
    """Mutually exclusive rules that together cover every row, or a selection of them."""

    tree: Tree
    nodes: Indices  # the node of each rule
    numbers: Indices  # its position among all rules of the tree
    fallbacks: Indices  # nodes that may predict, but did not in training
    counts: RuleCounts  # of the rules
    is_complete: bool = True  # no rule was left out

    @property
    def unseen(self) -> str:
        """How levels not seen in training are treated."""
        return self.tree.unseen

    @classmethod
    def of(cls, tree: Tree, trained: Tree | None = None) -> "TreeRules":
        """All rules of a tree, from left to right.

        `trained` has the training weights where the nodes of `tree` hold smoothed ones.
        """
        trained = tree if trained is None else trained
        stopping = stopping_nodes(tree)
        has_rows = ended_rows(trained)[0] > 0
        predicting = tree.is_leaf | (stopping & has_rows)
        nodes = left_to_right(tree)
        nodes = nodes[predicting[nodes]]
        fallbacks = np.flatnonzero(stopping & ~has_rows)
        counts = counts_of_nodes(trained, nodes)
        return cls(tree, nodes, np.arange(len(nodes)), fallbacks, counts)

    def __len__(self) -> int:
        return len(self.nodes)

    def take(self, rules: Indices) -> "TreeRules":
        """Some of the rules, in this order."""
        return replace(
            self,
            nodes=self.nodes[rules],
            numbers=self.numbers[rules],
            counts=self.counts.take(rules),
            is_complete=self.is_complete and len(set(rules.tolist())) == len(self.nodes),
        )

    def rule(self, at: int) -> Rule:
        """The rule at this position."""
        return self._rule(at, self._paths.conditions_of(int(self.nodes[at])))

    def rules(self) -> Iterator[Rule]:
        """All rules; faster than one at a time."""
        every = self._paths.all_conditions(self.nodes.tolist())
        return (self._rule(at, conditions) for at, conditions in enumerate(every))

    def fallback_rules(self) -> Iterator[Rule]:
        """Predictions of inner nodes for values that were never missing in training."""
        every = self._paths.all_conditions(self.fallbacks.tolist())
        return (
            self._unused_rule(int(node), conditions)
            for node, conditions in zip(self.fallbacks, every, strict=True)
        )

    def values(self, rows: Rows, n_threads: int = 1) -> Floats:
        """(n_rows, n_values): class shares or means; where no rule is left, the root's."""
        if self.is_complete:
            return predict_values(self.tree, rows, n_threads)
        return self._partial_predictor.values(kernel_rows(rows), n_threads)

    def predictions_to(self, rows: Rows, n_threads: int = 1) -> NDArray[Any]:
        """(n_rows,): index into `tree.classes` of each prediction, or the predicted number."""
        values = self.values(rows, n_threads)
        return values[:, 0] if self.tree.classes is None else predicted_classes(self.tree, values)

    def fired(self, rows: Rows, n_threads: int = 1) -> Indices:
        """(n_rows,): position of the rule that predicts, the one with the largest share; or -1."""
        place = np.full(self.tree.n_nodes, -1, dtype=np.intp)
        place[self.nodes] = np.arange(len(self.nodes))
        return place[predict_leaves(self.tree, rows, n_threads)]

    def parts(self, row: Rows) -> list[tuple[Rule | None, float]]:
        """The rules that predict one row and their shares; None stands for rules left out."""
        found: list[tuple[Rule | None, float]] = []
        for node, share in self._predicting_nodes(row):
            place = np.flatnonzero(self.nodes == node)
            if len(place):
                found.append((self.rule(int(place[0])), share))
            elif node in self.fallbacks:
                found.append((self._unused_rule(node, self._paths.conditions_of(node)), share))
            else:
                found.append((None, share))
        return found

    def default(self) -> object:
        """The prediction if a rule was left out: that of the root."""
        return self._prediction(0)

    def _predicting_nodes(self, row: Rows) -> Iterator[tuple[int, float]]:
        """The nodes that predict one row, from left to right."""
        tree, waiting = self.tree, [(0, 1.0)]
        while waiting:
            node, share = waiting.pop()
            if tree.kind[node] == LEAF:
                yield node, share
                continue
            first = int(tree.first_child[node])
            steps = [(first + child, child) for child in range(int(tree.n_children[node]))]
            for below, child in [*reversed(steps), (node, STOP)]:
                part = float(condition_shares(self._paths.step(node, child), row)[0])
                if part > 0 and child == STOP:
                    yield node, share * part
                elif part > 0:
                    waiting.append((below, share * part))

    @cached_property
    def _paths(self) -> Paths:
        return Paths(self.tree)

    @cached_property
    def _partial_predictor(self) -> Predictor:
        tree = self.tree
        predictions = (tree.value if tree.classes is None else tree.probabilities).copy()
        left_out = np.ones(tree.n_nodes, dtype=np.bool_)
        left_out[self.nodes] = left_out[self.fallbacks] = False
        predictions[left_out] = predictions[0]
        return build_predictor(tree, predictions)

    def _prediction(self, node: int) -> object:
        if self.tree.classes is None:
            return float(self.tree.value[node, 0])
        return self.tree.classes[self.tree.node_class[node]]

    def _rule(self, at: int, conditions: tuple[Condition, ...]) -> Rule:
        name, quality = f"R{self.numbers[at] + 1}", self.counts.fields_of(at)
        return self._rule_of_node(name, int(self.nodes[at]), conditions, quality)

    def _unused_rule(self, node: int, conditions: tuple[Condition, ...]) -> Rule:
        quality = {
            "weight": 0.0,
            "n_rows": 0,
            "errors": 0.0 if self.tree.is_classifier else np.nan,
            "confidence": np.nan,
            "interval": (0.0, 1.0),
            "lift": np.nan,
        }
        return self._rule_of_node(f"node {node}", node, conditions, quality)

    def _rule_of_node(
        self, name: str, node: int, conditions: tuple[Condition, ...], quality: dict[str, Any]
    ) -> Rule:
        is_class = self.tree.is_classifier
        probabilities = tuple(self.tree.probabilities[node].tolist()) if is_class else ()
        return Rule(
            name,
            conditions,
            self._prediction(node),
            probabilities,
            node=node,
            target_format=self.tree.schema.target_format,
            **quality,
        )


def left_to_right(tree: Tree) -> Indices:
    """All nodes, with the leaves from left to right; an inner node after its children."""
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    order: list[int] = []
    stack = [0]
    while stack:  # a node before its children, these from right to left; reversed at the end
        node = stack.pop()
        order.append(node)
        stack += range(first[node], first[node] + count[node])
    return np.array(order[::-1], dtype=np.intp)


def stopping_nodes(tree: Tree) -> Mask:
    """Which inner nodes predict some rows themselves, because the value is missing.

    Nodes that a missing value cannot reach are excluded: the same column was tested further up,
    and a missing value went another way.
    """
    stops: Mask = ~tree.is_leaf & (tree.missing_child == STOP)
    spreading = np.flatnonzero(tree.missing_child == SPREAD)
    weight_below = np.zeros(tree.n_nodes)
    np.add.at(weight_below, tree.parent[1:], tree.weight[1:])
    stops[spreading] = weight_below[spreading] == 0
    if stops.any():
        stops &= missing_arrives(tree)
    return stops


def missing_arrives(tree: Tree) -> Mask:
    """Which nodes a row may reach whose value is missing in the column that they test.

    A level that a node does not list may count as missing, so nodes that test levels are always
    included.
    """
    found = np.ones(tree.n_nodes, dtype=np.bool_)
    feature, is_leaf = tree.feature.tolist(), tree.is_leaf.tolist()
    by_level = (tree.kind == BRANCHES) | (tree.kind == SUBSET)
    arrives: dict[int, bool] = {}  # by column, on the way to the current node
    stack = [] if is_leaf[0] else [(0, -1, True)]  # a node, or -1, and what it sets for a column
    while stack:
        node, column, passes = stack.pop()
        arrives[column] = passes
        if node < 0:
            continue
        asked = feature[node]
        found[node] = here = arrives.get(asked, True)
        stack.append((-1, asked, here))  # restored after the nodes below
        children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        taking = children_taking_missing(tree, node, children)
        stack += [
            (below, asked, here and below in taking) for below in children if not is_leaf[below]
        ]
    found |= by_level | (tree.feature < 0)
    return found


def children_taking_missing(tree: Tree, node: int, children: range) -> range:
    """The children that rows with a missing value go to."""
    route = int(tree.missing_child[node])
    has_surrogates = tree.surrogate_start[node] != tree.surrogate_start[node + 1]
    if route == SPREAD or has_surrogates:
        return children
    return children[:0] if route == STOP else children[route : route + 1]
