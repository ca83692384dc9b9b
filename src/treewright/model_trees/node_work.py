"""What was worked out at each node of a model tree, from the rows of the fit."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.target import NumericTarget
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows
from treewright.linear.least_squares import CrossProducts
from treewright.model_trees.coding import Coding
from treewright.model_trees.growth import grow_models
from treewright.model_trees.node_models import Term
from treewright.tree.layout import LEAF, SUBSET
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.model_trees.m5 import M5Regressor


LARGEST_COEFFICIENT = 1.5  # standardized; above it columns tell the same twice
PERFECT = 1e-14  # squares below this share are rounding


@dataclass(frozen=True, slots=True)
class DropWork:
    """One look at the terms that are left: which one may go, and what that would come to."""

    place: int  # of the term among all
    coefficient: float  # standardized
    before: float  # the criterion with the term; NaN where only the coefficient counts
    after: float  # and without
    goes: bool


def error_factor(weight: float, n_parameters: float, penalty: float) -> float:
    """How much larger than on its own rows the error of a model is expected to be."""
    if weight <= n_parameters:
        return 10.0
    return (weight + penalty * n_parameters) / (weight - n_parameters)


@dataclass(frozen=True, slots=True, eq=False)
class TermChoice:
    """The terms of one node: columns of numbers, and what is known of sets of them."""

    products: CrossProducts
    penalty: float

    @classmethod
    def of(cls, terms: Floats, y: Floats, weights: Floats, penalty: float) -> "TermChoice":
        return cls(CrossProducts.of(terms, y, weights), penalty)

    @property
    def weight(self) -> float:
        return self.products.total_weight

    def standardized(self, chosen: list[int]) -> Floats:
        """Coefficients as if all columns and the target had the deviation one."""
        products = self.products
        fit = products.fit(chosen)
        scales = products.scales[chosen] / np.sqrt(products.target_squares)
        return np.asarray(fit.coefficients[chosen] * scales)

    def squares(self, chosen: list[int]) -> float:
        """Share of the target's squares that is left."""
        if not chosen:
            return 1.0
        moments = self.products.moments[chosen] / np.sqrt(self.products.target_squares)
        return max(1.0 - float(self.standardized(chosen) @ moments), PERFECT)

    def worth(self) -> list[int]:
        """The terms to begin with: those that earlier ones do not determine."""
        if self.products.target_squares == 0:
            return []
        return np.flatnonzero(self.products.fit().used).tolist()

    def drops(self, rule: str) -> tuple[list[DropWork], list[int]]:
        """Each look at the terms in turn, and the terms that stay."""
        if rule == "akaike":
            return self._by_akaike()
        return self._by_error() if rule == "adjusted_error" else ([], self.worth())

    def _by_akaike(self) -> tuple[list[DropWork], list[int]]:
        chosen, works = self.worth(), []
        while chosen:
            sizes = np.abs(self.standardized(chosen))
            largest = int(sizes.argmax())
            if sizes[largest] <= LARGEST_COEFFICIENT:
                break
            works.append(DropWork(chosen[largest], sizes[largest], np.nan, np.nan, goes=True))
            del chosen[largest]
        unit = self.squares(chosen) / max(self.weight - len(chosen) - 1, np.finfo(float).tiny)
        while chosen:
            sizes = np.abs(self.standardized(chosen))
            smallest = int(sizes.argmin())
            rest = chosen[:smallest] + chosen[smallest + 1 :]
            before = self.squares(chosen) / unit + 2 * (len(chosen) + 1)
            after = self.squares(rest) / unit + 2 * (len(rest) + 1)
            goes = after < before
            works.append(DropWork(chosen[smallest], sizes[smallest], before, after, goes=goes))
            if not goes:
                break
            chosen = rest
        return works, chosen

    def _expected(self, chosen: list[int]) -> float:
        deviation = np.sqrt(self.products.target_squares)
        factor = error_factor(self.weight, len(chosen) + 1, self.penalty)
        return float(deviation * np.sqrt(self.squares(chosen)) * factor)

    def _by_error(self) -> tuple[list[DropWork], list[int]]:
        chosen, works = self.worth(), []
        while chosen:
            rests = [chosen[:place] + chosen[place + 1 :] for place in range(len(chosen))]
            least = int(np.argmin([self.squares(rest) for rest in rests]))
            before, after = self._expected(chosen), self._expected(rests[least])
            size = float(np.abs(self.standardized(chosen))[least])
            goes = after <= before
            works.append(DropWork(chosen[least], size, before, after, goes=goes))
            if not goes:
                break
            chosen = rests[least]
        return works, chosen


TIE = 1e-12  # of the node's spread: gains this close are equal


@dataclass(frozen=True, slots=True)
class SideWork:
    """The rows on one side of a cut."""

    weight: float
    deviation: float
    spread: float


@dataclass(frozen=True, slots=True)
class SplitWork:
    """A cut of one column, and how much it takes away of the spread of the target."""

    column: int
    cut: float  # values up to this go to the first child
    between: tuple[float, float]  # the values next to it
    left: SideWork
    right: SideWork
    gain: float


@dataclass(frozen=True, slots=True)
class SplitRule:
    """What makes a cut good, and which ones are allowed."""

    criterion: str
    min_leaf: float
    min_share: float

    def spreads(self, variances: Floats) -> Floats:
        """The roots of variances that cuts are to lower."""
        return np.asarray(variances ** (0.2 if self.criterion == "fifth_root" else 0.5))

    def spread(self, variance: float) -> float:
        """The root of one variance."""
        return float(self.spreads(np.array(variance)))

    def are_enough(self, weights: Floats, total: float) -> NDArray[np.bool_]:
        """Which sides of cuts are heavy enough; sums of weights may have been rounded."""
        rounding = 1e-9 * total
        margin = np.floor(self.min_share * total)
        return np.asarray((weights > margin + rounding) & (weights > self.min_leaf - rounding))


def variance_of(y: Floats, weights: Floats) -> float:
    """Mean square of the distance from the mean."""
    if (y == y[0]).all():
        return 0.0
    mean = np.average(y, weights=weights)
    return float(np.average((y - mean) ** 2, weights=weights))


def best_cut(
    column: int,
    values: Floats,
    y: Floats,
    weights: Floats,
    rule: SplitRule,
    *,
    is_ranked: bool,
) -> SplitWork | None:
    """The first of the best cuts of a column; None if none is allowed."""
    order = np.argsort(values, kind="stable")
    values, y, weights = values[order], y[order], weights[order]
    total, spread = float(weights.sum()), rule.spread(variance_of(y, weights))
    before, after = running_variances(y, weights), running_variances(y[::-1], weights[::-1])[::-1]
    left_share = np.cumsum(weights)[:-1] / total
    gains = spread - left_share * rule.spreads(before[:-1])
    gains -= (1 - left_share) * rule.spreads(after[1:])
    allowed = values[1:] > values[:-1]
    allowed &= rule.are_enough(left_share * total, total)
    allowed &= rule.are_enough(total - left_share * total, total)
    if not allowed.any():
        return None
    most = gains[allowed].max()
    last = int(np.flatnonzero(allowed & (gains >= most - TIE * spread))[0])
    low, high = float(values[last]), float(values[last + 1])
    cut = low + 0.5 if is_ranked else low + (high - low) / 2
    left = side_work(y[: last + 1], weights[: last + 1], rule)
    right = side_work(y[last + 1 :], weights[last + 1 :], rule)
    return SplitWork(column, cut, (low, high), left, right, max(float(gains[last]), 0.0))


def running_variances(y: Floats, weights: Floats) -> Floats:
    """The variance of the first row, of the first two, and so on."""
    distances = y - np.average(y, weights=weights)
    mass = np.cumsum(weights)
    means = np.cumsum(weights * distances) / mass
    variances = np.maximum(np.cumsum(weights * distances**2) / mass - means**2, 0.0)
    variances[np.logical_and.accumulate(y == y[0])] = 0.0  # whatever rounding makes of it
    return np.asarray(variances)


def side_work(y: Floats, weights: Floats, rule: SplitRule) -> SideWork:
    variance = variance_of(y, weights)
    return SideWork(float(weights.sum()), float(variance**0.5), rule.spread(variance))


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
        settings = self.model.growth_settings()
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

    def _numbers(self, term: Term) -> Floats:
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
