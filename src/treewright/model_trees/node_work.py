"""What was worked out at each node of a model tree, from the rows of the fit."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.cached import cached_property
from treewright.data.target import NumericTarget
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows
from treewright.model_trees.coding import Coding, Float64Array
from treewright.model_trees.equation import Term
from treewright.model_trees.growth import grow_models
from treewright.model_trees.split_work import SplitRule, SplitWork, best_cut, variance_of
from treewright.model_trees.term_work import DropWork, TermChoice, error_factor
from treewright.tree.kinds import LEAF, SUBSET
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.model_trees.m5 import M5Regressor

MOST_TERMS = 128  # that one model chooses from


@dataclass(frozen=True, slots=True)
class NodeWork:
    """The work at one node: its cuts, its model, and whether the model is enough."""

    node: int
    weight: float
    n_rows: int
    mean: float
    deviation: float
    spread: float  # the root of the variance that cuts are to lower
    splits: tuple[SplitWork, ...]  # the best cut of each column, best first; empty where none was
    terms: tuple[Term, ...]  # that the splits in and below the node ask for
    drops: tuple[DropWork, ...]  # looks at the terms, one after the other
    model_error: float
    n_parameters: int
    subtree_error: float
    subtree_parameters: int
    is_pruned: bool  # the model took the place of what was below
    stop_reason: str  # why there was nothing below

    def expected(self, penalty: float) -> tuple[float, float]:
        """The errors to expect of the node's model and of what is below it."""
        return (
            self.model_error * error_factor(self.weight, self.n_parameters, penalty),
            self.subtree_error * error_factor(self.weight, self.subtree_parameters, penalty),
        )


class NodeWorks:
    """The work at every node of a fitted model, by its number; worked out when looked at."""

    def __init__(self, model: "M5Regressor", rows: TrainingRows) -> None:
        assert isinstance(rows.target, NumericTarget)
        self.model = model
        self._rows = rows
        self.y = rows.target.values
        self._weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        self._grown = self._grown_again()

    @property
    def coding(self) -> Coding:
        return self.model.state_.coding

    def __len__(self) -> int:
        return self.model.tree_.n_nodes

    def __getitem__(self, node: int) -> NodeWork:
        model, tree, full = self.model, self.model.tree_, self._grown
        at = self._twin[node]
        members = np.flatnonzero(np.isin(self._leaf, leaves_below(full, at)))
        y, weights = self.y[members], self._weights[members]
        terms = tuple(sorted(self._terms_below(at)))
        variance = variance_of(y, weights)
        view = tree.node(node)
        return NodeWork(
            node,
            float(weights.sum()),
            len(members),
            float(tree.value[node, 0]),
            float(variance**0.5),
            self._rule.spread(variance),
            tuple(self._splits(members, at)) if full.kind[at] != LEAF else (),
            terms,
            tuple(self._drops(members, terms)),
            float(model.model_errors_[node]),
            int(np.diff(model.term_starts_)[node]) + 1,
            float(model.subtree_errors_[node]),
            int(model.subtree_parameters_[node]),
            view.stop_reason == "pruned",
            view.stop_reason,
        )

    def __iter__(self) -> Iterator[NodeWork]:
        return (self[node] for node in range(len(self)))

    def _grown_again(self) -> Tree:
        """The tree before pruning; an error unless it begins as the model's does."""
        settings = self.model._settings()
        settings.prune = False
        unseen = self.model.tree_.unseen
        full = grow_models(self._rows, settings, unseen=unseen, n_threads=1).tree
        twins = [0]
        tree = self.model.tree_
        is_same = full.schema == tree.schema
        for node in range(tree.n_nodes):
            if not is_same or len(twins) <= node:
                break
            at = twins[node]
            is_same = tree.weight[node] == full.weight[at] and tree.value[node] == full.value[at]
            if tree.kind[node] != LEAF:
                is_same &= tree.feature[node] == full.feature[at]
                is_same &= tree.threshold[node] == full.threshold[at]
                twins += [int(full.first_child[at]), int(full.first_child[at]) + 1]
        if not is_same:
            raise ParameterError(
                "these are not the rows that the model was fitted to",
                hint="give X, y and sample_weight of the fit",
            )
        self._twin = twins
        return full

    @cached_property
    def _leaf(self) -> NDArray[np.int32]:
        encoded = self.coding.schema.encode(self._rows.table)
        return predict_leaves(self._grown, encoded)

    @property
    def _rule(self) -> SplitRule:
        model = self.model
        return SplitRule(model.criterion, model.min_samples_leaf, model.min_leaf_share)

    def _splits(self, members: NDArray[np.intp], at: int) -> list[SplitWork]:
        """The best cut of each column: the one that was taken, then the others, best first."""
        coding, found = self.coding, []
        for column, spec in enumerate(coding.schema.columns):
            values = coding.numbers(self._rows.table, column)[members]
            y, weights = self.y[members], self._weights[members]
            ranked = not spec.is_numeric
            split = best_cut(column, values, y, weights, self._rule, is_ranked=ranked)
            found += [] if split is None else [split]
        taken = self._grown.feature[at]
        return sorted(found, key=lambda split: (split.column != taken, -split.gain))

    def _terms_below(self, at: int) -> set[Term]:
        """The terms of the splits in and below a node of the tree before pruning."""
        if not self.model.models:
            return set()
        full, terms, stack = self._grown, set(), [at]
        while stack:
            node = stack.pop()
            if full.kind[node] == LEAF:
                continue
            terms.add(Term(int(full.feature[node]), cut_of(full, node)))
            stack += [int(full.first_child[node]), int(full.first_child[node]) + 1]
        return terms

    def _drops(self, members: NDArray[np.intp], terms: tuple[Term, ...]) -> list[DropWork]:
        if not terms or len(terms) > MOST_TERMS:
            return []
        y, weights = self.y[members], self._weights[members]
        numbers = np.column_stack([self._numbers(term)[members] for term in terms])
        choice = TermChoice.of(numbers, y, weights, self.model.penalty)
        return choice.drops(self.model.terms)[0]

    def _numbers(self, term: Term) -> Float64Array:
        values = self.coding.numbers(self._rows.table, term.column)
        return (values >= term.cut).astype(np.float64) if term.cut else values


def cut_of(tree: Tree, node: int) -> int:
    """The rank from which levels go to the second child; 0 for a split of numbers."""
    if tree.kind[node] == SUBSET:
        entries = slice(tree.level_start[node], tree.level_start[node + 1])
        return int(np.count_nonzero(tree.level_child[entries] == 0))
    spec: Any = tree.schema.columns[tree.feature[node]]
    return 0 if spec.is_numeric else int(np.ceil(tree.threshold[node]))


def leaves_below(tree: Tree, node: int) -> list[int]:
    """The leaves of a subtree."""
    found, stack = [], [node]
    while stack:
        at = stack.pop()
        if tree.kind[at] == LEAF:
            found.append(at)
        else:
            stack += [int(tree.first_child[at]), int(tree.first_child[at]) + 1]
    return found
