"""The calculation at each node of a model tree, from the training rows."""

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


LARGEST_COEFFICIENT = 1.5  # standardized; above it columns are collinear
PERFECT = 1e-14  # squares below this share are rounding


@dataclass(frozen=True, slots=True)
class DropWork:
    """One step of dropping terms: the candidate, and the criterion with and without it."""

    place: int  # position of the term
    coefficient: float  # standardized
    before: float  # the criterion with the term; NaN if only the coefficient decides
    after: float  # and without
    is_dropped: bool


def error_factor(weight: float, n_parameters: float, penalty: float) -> float:
    """The expected error of a model on new rows, relative to that on its own rows."""
    if weight <= n_parameters:
        return 10.0
    return (weight + penalty * n_parameters) / (weight - n_parameters)


@dataclass(frozen=True, slots=True, eq=False)
class TermChoice:
    """The choice among the terms of one node."""

    products: CrossProducts
    penalty: float

    @classmethod
    def of(cls, terms: Floats, y: Floats, weights: Floats, penalty: float) -> "TermChoice":
        return cls(CrossProducts.of(terms, y, weights), penalty)

    @property
    def weight(self) -> float:
        return self.products.total_weight

    def standardized(self, chosen: list[int]) -> Floats:
        """Coefficients for columns and target of standard deviation 1."""
        products = self.products
        fit = products.fit(chosen)
        scales = products.scales[chosen] / np.sqrt(products.target_squares)
        return np.asarray(fit.coefficients[chosen] * scales)

    def squares(self, chosen: list[int]) -> float:
        """Residual sum of squares, as a share of the target's."""
        if not chosen:
            return 1.0
        moments = self.products.moments[chosen] / np.sqrt(self.products.target_squares)
        return max(1.0 - float(self.standardized(chosen) @ moments), PERFECT)

    def candidates(self) -> list[int]:
        """The terms to start with: those that are not determined by earlier ones."""
        if self.products.target_squares == 0:
            return []
        return np.flatnonzero(self.products.fit().used).tolist()

    def drops(self, rule: str) -> tuple[list[DropWork], list[int]]:
        """The steps, and the terms that are kept."""
        if rule == "akaike":
            return self._by_akaike()
        return self._by_error() if rule == "adjusted_error" else ([], self.candidates())

    def _by_akaike(self) -> tuple[list[DropWork], list[int]]:
        chosen, works = self.candidates(), []
        while chosen:
            sizes = np.abs(self.standardized(chosen))
            largest = int(sizes.argmax())
            if sizes[largest] <= LARGEST_COEFFICIENT:
                break
            works.append(DropWork(chosen[largest], sizes[largest], np.nan, np.nan, is_dropped=True))
            del chosen[largest]
        unit = self.squares(chosen) / max(self.weight - len(chosen) - 1, np.finfo(float).tiny)
        while chosen:
            sizes = np.abs(self.standardized(chosen))
            smallest = int(sizes.argmin())
            rest = chosen[:smallest] + chosen[smallest + 1 :]
            before = self.squares(chosen) / unit + 2 * (len(chosen) + 1)
            after = self.squares(rest) / unit + 2 * (len(rest) + 1)
            is_dropped = after < before
            works.append(
                DropWork(chosen[smallest], sizes[smallest], before, after, is_dropped=is_dropped)
            )
            if not is_dropped:
                break
            chosen = rest
        return works, chosen

    def _expected(self, chosen: list[int]) -> float:
        deviation = np.sqrt(self.products.target_squares)
        factor = error_factor(self.weight, len(chosen) + 1, self.penalty)
        return float(deviation * np.sqrt(self.squares(chosen)) * factor)

    def _by_error(self) -> tuple[list[DropWork], list[int]]:
        chosen, works = self.candidates(), []
        while chosen:
            rests = [chosen[:place] + chosen[place + 1 :] for place in range(len(chosen))]
            least = int(np.argmin([self.squares(rest) for rest in rests]))
            before, after = self._expected(chosen), self._expected(rests[least])
            size = float(np.abs(self.standardized(chosen))[least])
            is_dropped = after <= before
            works.append(DropWork(chosen[least], size, before, after, is_dropped=is_dropped))
            if not is_dropped:
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
    """A cut of one column, and how much it reduces the spread of the target."""

    column: int
    cut: float  # values up to this go to the first child
    between: tuple[float, float]  # the values next to it
    left: SideWork
    right: SideWork
    gain: float


@dataclass(frozen=True, slots=True)
class SplitRule:
    """The criterion for cuts, and which cuts are allowed."""

    criterion: str
    min_leaf: float
    min_share: float

    def spreads(self, variances: Floats) -> Floats:
        """The roots of variances that cuts reduce."""
        return np.asarray(variances ** (0.2 if self.criterion == "fifth_root" else 0.5))

    def spread(self, variance: float) -> float:
        """The root of one variance."""
        return float(self.spreads(np.array(variance)))

    def are_enough(self, weights: Floats, total: float) -> NDArray[np.bool_]:
        """Which sides of cuts are heavy enough, up to rounding."""
        rounding = 1e-9 * total
        margin = np.floor(self.min_share * total)
        return np.asarray((weights > margin + rounding) & (weights > self.min_leaf - rounding))


def variance_of(y: Floats, weights: Floats) -> float:
    """The weighted variance."""
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
    variances[np.logical_and.accumulate(y == y[0])] = 0.0  # without rounding errors
    return np.asarray(variances)


def side_work(y: Floats, weights: Floats, rule: SplitRule) -> SideWork:
    variance = variance_of(y, weights)
    return SideWork(float(weights.sum()), float(variance**0.5), rule.spread(variance))


MOST_TERMS = 128  # candidates of one model


@dataclass(frozen=True, slots=True)
class NodeWork:
    """The calculation at one node: its cuts, its model, and pruning."""

    node: int
    weight: float
    n_rows: int
    mean: float
    deviation: float
    spread: float  # the root of the variance that cuts reduce
    splits: tuple[SplitWork, ...]  # the best cut of each column, best first; empty at a leaf
    terms: tuple[Term, ...]  # of the splits in and below the node
    drops: tuple[DropWork, ...]  # steps of dropping terms
    model_error: float
    n_parameters: int
    subtree_error: float
    subtree_parameters: int
    is_pruned: bool  # the model replaced the subtree
    stop_reason: str  # why growth stopped here

    def expected(self, penalty: float) -> tuple[float, float]:
        """The expected errors of the node's model and of its subtree."""
        return (
            self.model_error * error_factor(self.weight, self.n_parameters, penalty),
            self.subtree_error * error_factor(self.weight, self.subtree_parameters, penalty),
        )


class NodeWorks:
    """The calculation at each node of a fitted model, computed on demand."""

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
        """The tree before pruning; an error unless the model's tree is its top."""
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
                "these are not the training rows of the model",
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
        """The best cut of each column: that of the tree, then the others, best first."""
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
    """The rank from which categories go to the second child; 0 for a numeric split."""
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
