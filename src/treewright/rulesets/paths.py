"""The conditions that lead to the nodes of a tree."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from treewright.rulesets.condition import Condition, LevelSet, Question
from treewright.tree.layout import BRANCHES, INTERVALS, SPREAD, STOP, SUBSET
from treewright.tree.tree import Tree

# The conditions on the path to a node, by column, or by node for a sum.
Way = dict[Any, Condition]


class Paths:
    """Reads the conditions that lead to the nodes of one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        # Python lists are several times faster to read entry by entry than arrays.
        self._kind = tree.kind.tolist()
        self._feature = tree.feature.tolist()
        self._threshold = tree.threshold.tolist()
        self._first_child = tree.first_child.tolist()
        self._n_children = tree.n_children.tolist()
        self._missing_child = tree.missing_child.tolist()
        self._weight = tree.weight.tolist()
        self._other_child = tree.other_child.tolist()
        self._heaviest_child = tree.heaviest_child.tolist()
        self._listed: tuple[int, tuple[dict[int, frozenset[int]], frozenset[int]]]
        self._listed = (-1, ({}, frozenset()))
        self._below = (-1, 0.0)

    def conditions_of(self, node: int) -> tuple[Condition, ...]:
        """The conditions for a row to end at `node`; at a split, its value must be missing."""
        return self._at(self._way_to(node), node)

    def leading_to(self, node: int) -> tuple[Condition, ...]:
        """The conditions for a row to come to `node`, wherever it goes from there."""
        return tuple(self._way_to(node).values())

    def _way_to(self, node: int) -> Way:
        way: Way = {}
        for above, below in pairwise(self.tree.path_to(node)):
            way = self._further(way, above, below - self._first_child[above])
        return way

    def all_conditions(self, nodes: Sequence[int]) -> Iterator[tuple[Condition, ...]]:
        """The conditions of many nodes; each step of the tree is visited once."""
        needed = self._on_the_way_to(nodes)
        ways: dict[int, Way] = {0: {}}
        for node in range(self.tree.n_nodes):  # parents come first
            if not needed[node]:
                continue
            first = self._first_child[node]
            for child in range(self._n_children[node]):
                if needed[first + child]:
                    ways[first + child] = self._further(ways[node], node, child)
        return (self._at(ways[node], node) for node in nodes)

    def _on_the_way_to(self, nodes: Sequence[int]) -> list[bool]:
        """Which nodes lie on a path from the root to one of `nodes`, both included."""
        needed = [False] * self.tree.n_nodes
        parent = self.tree.parent.tolist()
        for node in nodes:
            while node >= 0 and not needed[node]:
                needed[node] = True
                node = parent[node]
        return needed

    def step(self, node: int, child: int) -> Condition:
        """The condition under which a row goes from `node` to its child number `child`.

        With `STOP` as the child, the condition under which the node itself predicts.
        """
        features, factors = self._asked(node)
        columns = tuple(self.tree.schema.columns[feature] for feature in features)
        return Condition(features, columns, factors, (self._question(node, child),))

    def _at(self, way: Way, node: int) -> tuple[Condition, ...]:
        if self._n_children[node]:
            way = self._further(way, node, STOP)
        return tuple(way.values())

    def _further(self, way: Way, node: int, child: int) -> Way:
        feature = self._feature[node]
        key = feature if feature >= 0 else ("sum", node)
        known = way.get(key)
        if known is None:
            return way | {key: self.step(node, child)}
        return way | {key: known.asked_again(self._question(node, child))}

    def _asked(self, node: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        tree = self.tree
        if self._feature[node] >= 0:
            return (self._feature[node],), ()
        terms = slice(tree.term_start[node], tree.term_start[node + 1])
        return tuple(tree.term_feature[terms].tolist()), tuple(tree.term_weight[terms].tolist())

    def _question(self, node: int, child: int) -> Question:
        tree, kind = self.tree, self._kind[node]
        bounds: tuple[float | None, float | None] = (None, None)
        more: dict[str, Any] = {}
        if kind in (BRANCHES, SUBSET):
            more = self._level_parts(node, child)
        elif kind == INTERVALS:
            cuts = tree.cut[tree.cut_start[node] : tree.cut_start[node + 1]].tolist()
            more["wants_missing"] = not 0 <= child <= len(cuts)
            bounds = ([None, *cuts, None][child], [*cuts, None, None][child])
        else:  # a threshold on a column or a sum
            more["wants_missing"] = child not in (0, 1)
            at = self._threshold[node]
            bounds = ((None, at), (at, None), (None, None))[child]
        if more["wants_missing"]:
            bounds = (None, None)
        unseen_passes: bool | None = None
        if tree.unseen == "majority":
            unseen_passes = self._heaviest_child[node] == self._first_child[node] + child
        return Question(
            *bounds,
            **more,
            share=self._missing_share(node, child),
            unseen_passes=unseen_passes,
            surrogates=self._surrogates(node, child),
        )

    def _level_parts(self, node: int, child: int) -> dict[str, Any]:
        by_child, listed = self._levels_of(node)
        own, other = by_child.get(child), self._other_child[node]
        parts: dict[str, Any] = {"wants_missing": False}
        if own is not None:
            parts["levels"] = LevelSet(own)
        elif other >= 0 and other == self._first_child[node] + child:
            parts["levels"] = LevelSet(listed, excluded=True)
        else:
            parts["wants_missing"] = True
        n_levels = len(self.tree.schema.columns[self._feature[node]].levels)
        if other < 0 and len(listed) < n_levels:
            parts["unlisted"] = LevelSet(listed, excluded=True)
        return parts

    def _levels_of(self, node: int) -> tuple[dict[int, frozenset[int]], frozenset[int]]:
        """The codes that lead to each child, and all of them; cached for the last node."""
        if self._listed[0] != node:
            entries = slice(self.tree.level_start[node], self.tree.level_start[node + 1])
            codes = self.tree.level_code[entries].tolist()
            by_child: dict[int, list[int]] = {}
            for code, child in zip(codes, self.tree.level_child[entries].tolist(), strict=True):
                by_child.setdefault(child, []).append(code)
            sets = {child: frozenset(found) for child, found in by_child.items()}
            self._listed = (node, (sets, frozenset(codes)))
        return self._listed[1]

    def _missing_share(self, node: int, child: int) -> float:
        goes_to = self._missing_child[node]
        if goes_to != SPREAD:
            return float(goes_to == child)
        total = self._weight_below(node)
        if child == STOP:
            return float(total == 0)
        weight = self._weight[self._first_child[node] + child]
        return weight / total if weight > 0 else 0.0

    def _weight_below(self, node: int) -> float:
        """The weight of the children of a node; cached for the last node."""
        if self._below[0] != node:
            first, total = self._first_child[node], 0.0
            for weight in self._weight[first : first + self._n_children[node]]:
                total += weight
            self._below = (node, total)
        return self._below[1]

    def _surrogates(self, node: int, child: int) -> tuple[Condition, ...]:
        start, end = self.tree.surrogate_start[node : node + 2].tolist()
        return tuple(self._surrogate(entry, child) for entry in range(start, end))

    def _surrogate(self, entry: int, child: int) -> Condition:
        tree = self.tree
        feature = int(tree.surrogate_feature[entry])
        if tree.surrogate_kind[entry] == SUBSET:
            question = self._level_surrogate(entry, child)
        elif child not in (0, 1):
            question = Question(wants_missing=True)
        else:
            at = float(tree.surrogate_threshold[entry])
            is_below = (child == 0) != bool(tree.surrogate_flip[entry])
            question = Question(high=at) if is_below else Question(low=at)
        return Condition((feature,), (tree.schema.columns[feature],), (), (question,))

    def _level_surrogate(self, entry: int, child: int) -> Question:
        tree = self.tree
        start, end = tree.surrogate_level_start[entry : entry + 2]
        codes = tree.surrogate_level_code[start:end]
        listed = LevelSet(frozenset(codes.tolist()), excluded=True)
        if child not in (0, 1):
            return Question(wants_missing=True, unlisted=listed)
        own = frozenset(codes[tree.surrogate_level_child[start:end] == child].tolist())
        return Question(levels=LevelSet(own), unlisted=listed)
