"""Pruning that is slow, exact and obviously right.

Written from the papers and from docs/pruning.md; the package's pruning is tested against it.
Subtrees are nested objects, estimates are exact fractions wherever the rule has no root and no
logarithm, and every node recounts its rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from reference.problem import Problem, Rows, class_weights, weight_of
from reference.prunable import PNode, new_parts
from reference.pruning_units import Prices

HALF = Fraction(1, 2)
ROUNDING = 1e-9  # estimates with logarithms closer than this are equal

Number = Fraction | float


@dataclass(frozen=True)
class Estimates:
    """What was compared at a node."""

    as_leaf: Number
    as_subtree: Number


@dataclass(frozen=True)
class Judged:
    """A subtree after pruning, what it is estimated at, and the cuts that show in it."""

    node: PNode
    estimate: Number
    cuts: dict[int, Estimates]


def from_the_leaves_up(
    node: PNode,
    charge: Callable[[PNode], Number],
    becomes_leaf: Callable[[PNode, Number, Number], bool],
    split_charge: Callable[[PNode], Number] = lambda node: 0,
) -> Judged:
    """Judge every subtree as it is after the cuts below it.

    `charge(node)` is the estimate of the rows that end at a node; of an inner node made a leaf all
    of its rows do.
    """
    if node.is_leaf:
        return Judged(node, charge(node), {})
    below = [
        from_the_leaves_up(child, charge, becomes_leaf, split_charge) for child in node.children
    ]
    pruned = replace(node, children=tuple(judged.node for judged in below))
    as_subtree = split_charge(node) + charge(node) + sum(judged.estimate for judged in below)
    as_leaf = charge(node.as_leaf())
    if becomes_leaf(pruned, as_leaf, as_subtree):
        return Judged(node.as_leaf(), as_leaf, {node.number: Estimates(as_leaf, as_subtree)})
    cuts = {number: cut for judged in below for number, cut in judged.cuts.items()}
    return Judged(pruned, as_subtree, cuts)


def is_no_worse(node: PNode, as_leaf: Number, as_subtree: Number) -> bool:
    if isinstance(as_leaf, Fraction) and isinstance(as_subtree, Fraction | int):
        return as_leaf <= as_subtree
    return as_leaf <= as_subtree + ROUNDING


# Pessimistic: Quinlan 1987.


def pessimistic(root: PNode, prices: Prices, standard_errors: float, order: str) -> Judged:
    def charge(node: PNode) -> Fraction:
        return corrected_errors(node, prices)

    def becomes_leaf(node: PNode, as_leaf: Fraction, as_subtree: Fraction) -> bool:
        n = prices.count(node.rows)
        variance = max(as_subtree * (n - as_subtree) / n, Fraction(0)) if n else Fraction(0)
        excess = as_leaf - as_subtree
        return excess <= 0 or excess**2 <= Fraction(standard_errors) ** 2 * variance

    if order == "bottom_up":
        return from_the_leaves_up(root, charge, becomes_leaf)
    return _from_the_top_down(root, charge, becomes_leaf)


def corrected_errors(node: PNode, prices: Prices) -> Fraction:
    if not node.ending:
        return Fraction(0)
    _, errors = prices.counted(node.ending, node.rows)
    return errors + HALF


def _from_the_top_down(node: PNode, charge, becomes_leaf) -> Judged:
    if node.is_leaf:
        return Judged(node, charge(node), {})
    as_leaf = charge(node.as_leaf())
    as_subtree = sum((charge(part) for part in node.walk()), start=Fraction(0))
    if becomes_leaf(node, as_leaf, as_subtree):
        return Judged(node.as_leaf(), as_leaf, {node.number: Estimates(as_leaf, as_subtree)})
    below = [_from_the_top_down(child, charge, becomes_leaf) for child in node.children]
    return Judged(
        replace(node, children=tuple(judged.node for judged in below)),
        charge(node) + sum(judged.estimate for judged in below),
        {number: cut for judged in below for number, cut in judged.cuts.items()},
    )


# Minimum error: Niblett and Bratko 1986, Cestnik and Bratko 1991.


def minimum_error(root: PNode, prices: Prices, m: float | None) -> Judged:
    further = one_of_each_class(prices) if m is None else m_rows_as(root.rows, prices, m)
    return from_the_leaves_up(root, minimum_error_charge(prices, further), is_no_worse)


def minimum_error_charge(prices: Prices, further: list[Fraction]) -> Callable[[PNode], Fraction]:
    """Expected errors of the rows that end at a node, `further` rows of each class coming in."""

    def charge(node: PNode) -> Fraction:
        if not node.ending:
            return Fraction(0)
        prediction = prices.prediction(node.rows)
        n, errors = prices.count(node.ending), prices.errors(node.ending, prediction)
        more, more_errors = prices.largest_cost_of(further), prices.cost_of(further, prediction)
        return n * (errors + more_errors * prices.scale) / (n + more * prices.scale)

    return charge


def one_of_each_class(prices: Prices) -> list[Fraction]:
    """Laplace: the weights of the classes that come in."""
    return [Fraction(1)] * prices.problem.n_classes


def m_rows_as(rows: Rows, prices: Prices, m: float) -> list[Fraction]:
    """The same for rows that count as m and are mixed as those given."""
    factor = Fraction(m) / prices.count(rows)
    return [weight * factor for weight in class_weights(prices.problem, rows)]


# Minimum description length.


def mdl(root: PNode, prices: Prices, structure: float) -> Judged:
    return from_the_leaves_up(root, *mdl_charges(prices, structure))


def mdl_charges(prices: Prices, structure: float):
    """Bits of the rows that end at a node, the rule that compares them, bits of a question."""
    k = prices.problem.n_classes

    def charge(node: PNode) -> float:
        bits = structure if node.is_leaf else 0.0
        if not node.ending:
            return bits
        n, errors = prices.counted(node.ending, node.rows)
        class_bits = structure * math.log2(k)
        return bits + class_bits + exception_bits(n, errors, k)

    def split_charge(node: PNode) -> float:
        return structure * (1 + question_bits(prices.problem, node))

    return charge, is_no_worse, split_charge


def exception_bits(n: Number, errors: Number, n_classes: int) -> float:
    bits = math.log2(n + 1) + log2_choose(n, errors)
    return bits + errors * math.log2(n_classes - 1) if n_classes > 1 else bits


def log2_choose(n: Number, k: Number) -> float:
    n, k = float(n), float(k)
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)


def question_bits(problem: Problem, node: PNode) -> float:
    question, column = node.question, problem.columns[node.question.column]
    bits = math.log2(len(problem.columns))
    if question.kind == "branches":
        return bits
    if question.kind == "subset":
        return bits + math.log2(max(2 ** (len(question.level_child) - 1) - 1, 1))
    places = column.n_levels - 1 if column.kind == "ordered" else weight_of(node.rows) - 1
    places = max(places, 1)
    if question.kind == "threshold":
        return bits + math.log2(places)
    return bits + math.log2(places) + log2_choose(places, len(question.cuts))


# Critical value: Mingers 1987.


def critical_value(root: PNode, value: float, by: str) -> Judged:
    """The best value in a subtree stands for it."""
    if root.is_leaf:
        return Judged(root, -math.inf, {})
    below = [critical_value(child, value, by) for child in root.children]
    own = root.question.score if by == "score" else root.question.gain
    best = max(own, *(judged.estimate for judged in below))
    if best < value:
        return Judged(root.as_leaf(), best, {root.number: Estimates(value, best)})
    cuts = {number: cut for judged in below for number, cut in judged.cuts.items()}
    return Judged(replace(root, children=tuple(j.node for j in below)), best, cuts)


# Reduced error: Quinlan 1987, as the lecture notes have it.


def reduced_error(
    node: PNode,
    validation: Problem,
    rows: Rows,
    loss: Callable[[Rows, PNode], Fraction],
) -> Judged:
    """`loss(rows, node)`: what the prediction of the node costs these validation rows."""
    as_leaf = loss(rows, node)
    if node.is_leaf:
        return Judged(node, as_leaf, {})
    weights = [weight_of(child.rows) for child in node.children]
    parts, stopped = new_parts(validation, node, rows, weights)
    below = [
        reduced_error(child, validation, part, loss)
        for child, part in zip(node.children, parts, strict=True)
    ]
    as_subtree = loss(stopped, node) + sum(judged.estimate for judged in below)
    if as_leaf <= as_subtree:
        return Judged(node.as_leaf(), as_leaf, {node.number: Estimates(as_leaf, as_subtree)})
    cuts = {number: cut for judged in below for number, cut in judged.cuts.items()}
    pruned = replace(node, children=tuple(judged.node for judged in below))
    return Judged(pruned, as_subtree, cuts)
