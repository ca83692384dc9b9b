"""The weakest link, one link at a time: Breiman, Friedman, Olshen and Stone 1984, chapter 3.

`path` is theirs. `rpart_path` is that of R's rpart, by which the package prices errors; it is the
same but for some trees, see docs/pruning.md. `best_subtree` is the definition itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from reference.impurity import fifty_digits, scored_weight, total_impurity
from reference.problem import Problem, class_weights
from reference.prunable import PNode
from reference.pruning_units import Prices

Risk = Callable[[PNode], Fraction]  # of the rows that end at a node, per unit of all weight

TIE = Fraction(1, 10**25)  # impurities have fifty digits


@dataclass(frozen=True)
class Step:
    """A subtree of the path: the best one for every price from alpha up to the next step's."""

    alpha: Fraction
    root: PNode
    risk: Fraction


# What a node costs.


def error_risk(prices: Prices) -> Risk:
    """The cost of wrong predictions."""
    total = Fraction(prices.problem.total_weight)

    def risk(node: PNode) -> Fraction:
        return prices.cost(node.ending, prices.prediction(node.predicting_rows)) / total

    return remembered(risk)


def impurity_risk(problem: Problem) -> Risk:
    """Impurity by the criterion of growth; rows that stop at a split have that of its node."""
    total = Fraction(scored_weight(problem, problem.all_rows))

    def risk(node: PNode) -> Fraction:
        with fifty_digits():
            impurity = Fraction(total_impurity(problem, node.rows))
        share = Fraction(scored_weight(problem, node.ending)) / scored_weight(problem, node.rows)
        return impurity * share / total

    return remembered(risk)


def remembered(risk: Risk) -> Risk:
    """The same function, which works out each node once; a node without rows costs nothing."""
    known: dict[tuple[int, bool], Fraction] = {}

    def look_up(node: PNode) -> Fraction:
        key = (node.number, node.is_leaf)
        if key not in known:
            known[key] = risk(node) if node.ending else Fraction(0)
        return known[key]

    return look_up


def altered_factors(problem: Problem, prices: Prices) -> tuple[Fraction, ...]:
    """What growth multiplies the weight of each class by: prior x sum of its costs, normalized.

    The criterion "cost_gini" has the costs in its formula, so there only the prior counts.
    """
    if problem.settings.criterion == "cost_gini":
        return prices.factors
    totals = class_weights(problem, problem.all_rows)
    wanted = [
        factor * total * sum(costs)
        for factor, total, costs in zip(prices.factors, totals, prices.costs, strict=True)
    ]
    whole = sum(wanted)
    return tuple(
        share / whole * problem.total_weight / total
        for share, total in zip(wanted, totals, strict=True)
    )


# The path.


def risk_of_subtree(node: PNode, risk: Risk) -> Fraction:
    return risk(node) + sum((risk_of_subtree(child, risk) for child in node.children), Fraction(0))


def path(root: PNode, risk: Risk) -> list[Step]:
    """From the smallest subtree of least risk to the root alone."""
    steps = [Step(Fraction(0), root, risk_of_subtree(root, risk))]
    while not root.is_leaf:
        alpha, numbers = weakest_links(root, risk)
        root = cut_at(root, numbers)
        step = Step(max(alpha, Fraction(0)), root, risk_of_subtree(root, risk))
        if step.alpha <= steps[-1].alpha + TIE:
            steps.pop()
        steps.append(step)
    return steps


def weakest_links(root: PNode, risk: Risk) -> tuple[Fraction, set[int]]:
    links = {node.number: link(node, risk) for node in root.walk() if not node.is_leaf}
    weakest = min(links.values())
    return weakest, {number for number, strength in links.items() if strength <= weakest + TIE}


def link(node: PNode, risk: Risk) -> Fraction:
    """What each extra leaf below the node saves: g(t)."""
    saved = risk(node.as_leaf()) - risk_of_subtree(node, risk)
    return saved / (node.n_stored_leaves - 1)


def cut_at(node: PNode, numbers: set[int]) -> PNode:
    if node.number in numbers:
        return node.as_leaf()
    return replace(node, children=tuple(cut_at(child, numbers) for child in node.children))


def best_subtree(node: PNode, risk: Risk, alpha: Fraction) -> tuple[PNode, Fraction]:
    """The smallest of all subtrees with least risk + alpha x leaves, and this sum.

    The definition itself, not the path: the best subtree of a node is its root alone, or the best
    subtrees of its children together.
    """
    as_leaf = risk(node.as_leaf()) + alpha
    if node.is_leaf:
        return node, as_leaf
    below = [best_subtree(child, risk, alpha) for child in node.children]
    as_subtree = risk(node) + sum(total for _, total in below)
    if as_leaf <= as_subtree + TIE:
        return node.as_leaf(), as_leaf
    return replace(node, children=tuple(child for child, _ in below)), as_subtree


# The path of rpart.


@dataclass(frozen=True)
class Weighed:
    """A subtree in which the children that are too weak count as leaves already."""

    strength: Fraction | None  # None at a leaf
    risk: Fraction
    n_leaves: int


def rpart_path(root: PNode, risk: Risk) -> list[Step]:
    strengths: dict[int, Fraction] = {}
    weigh(root, risk, strengths)
    goes_at = price_of_each(root, strengths, None)
    steps = []
    for alpha in sorted({Fraction(0), *(max(price, Fraction(0)) for price in goes_at.values())}):
        if steps and alpha <= steps[-1].alpha + TIE:
            continue
        subtree = cut_at(root, {n for n, price in goes_at.items() if price <= alpha + TIE})
        steps.append(Step(alpha, subtree, risk_of_subtree(subtree, risk)))
    return steps


def weigh(node: PNode, risk: Risk, strengths: dict[int, Fraction]) -> Weighed:
    """From the leaves up: a child weaker than the node counts as a leaf in its weight."""
    if node.is_leaf:
        return Weighed(None, risk(node), 1)
    below = [weigh(child, risk, strengths) for child in node.children]
    while True:
        leaves = sum(weighed.n_leaves for weighed in below)
        total = risk(node) + sum(weighed.risk for weighed in below)
        strength = (risk(node.as_leaf()) - total) / (leaves - 1)
        weaker = [w for w in below if w.strength is not None and w.strength < strength - TIE]
        if not weaker:
            strengths[node.number] = strength
            return Weighed(strength, total, leaves)
        at = below.index(min(weaker, key=lambda weighed: weighed.strength))
        below[at] = Weighed(None, risk(node.children[at].as_leaf()), 1)


def price_of_each(
    node: PNode, strengths: dict[int, Fraction], above: Fraction | None
) -> dict[int, Fraction]:
    """The price at which each split goes, at the latest with the split above it."""
    if node.is_leaf:
        return {}
    own = strengths[node.number]
    price = own if above is None else min(own, above)
    prices = {node.number: price}
    for child in node.children:
        prices |= price_of_each(child, strengths, price)
    return prices
