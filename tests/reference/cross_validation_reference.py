"""k-fold cross-validation of a cost-complexity path, by growing and pruning every tree in full."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from reference.cost_complexity_reference import Step
from reference.problem import Problem, class_weights, weight_of
from reference.prunable import PNode, new_parts
from reference.pruning_units import Prices


@dataclass(frozen=True)
class HeldOut:
    """Risk of one subtree of the path on rows that it has not seen, and its standard error."""

    risk: float
    standard_error: float


def prices_to_judge_at(steps: list[Step]) -> list[float]:
    """The geometric mean of a step's alpha and the next; for the last step any price is right."""
    alphas = [float(step.alpha) for step in steps]
    return [math.sqrt(a * b) for a, b in pairwise(alphas)] + [math.inf]


def subtree_for(steps: list[Step], price: float) -> PNode:
    """The last subtree whose price is no higher; prices that differ by rounding are equal."""
    return [step.root for step in steps if float(step.alpha) <= price * (1 + 1e-9)][-1]


def held_out(problem: Problem, losses: dict[int, Fraction]) -> HeldOut:
    """From the loss of every row."""
    weights, total = problem.weights, problem.total_weight
    losses_in_all = sum(weights[row] * loss for row, loss in losses.items())
    squares = sum(weights[row] * loss**2 for row, loss in losses.items())
    variance = squares - losses_in_all**2 / Fraction(total)
    return HeldOut(float(Fraction(losses_in_all) / total), math.sqrt(variance) / float(total))


def simplest(estimates: list[HeldOut], standard_errors: float) -> int:
    """The smallest subtree within so many standard errors of the best; the smallest best counts."""
    best = min(estimate.risk for estimate in estimates)
    at_best = max(at for at, e in enumerate(estimates) if e.risk <= best + 1e-12)
    limit = best + standard_errors * estimates[at_best].standard_error
    return max(at for at, e in enumerate(estimates) if e.risk <= limit + 1e-12)


def loss_of_row(problem: Problem, root: PNode, prices: Prices, row: int) -> Fraction:
    """The cost of the tree's prediction for one row."""
    shares = class_shares(problem, root, prices, row, Fraction(1))
    expected = [
        sum(share * prices.costs[true][prediction] for true, share in enumerate(shares))
        for prediction in range(problem.n_classes)
    ]
    return prices.costs[problem.target[row]][expected.index(min(expected))]


def class_shares(
    problem: Problem, node: PNode, prices: Prices, row: int, share: Fraction
) -> list[Fraction]:
    """The class shares of every leaf that predicts, times the part of the row that it predicts."""
    if node.is_leaf:
        return _shares_at(problem, node, prices, share)
    weights = [weight_of(child.rows) for child in node.children]
    parts, stopped = new_parts(problem, node, [(row, share)], weights)
    total = [Fraction(0)] * problem.n_classes
    if stopped:
        total = _shares_at(problem, node, prices, share)
    for child, part in zip(node.children, parts, strict=True):
        for _, of_child in part:
            below = class_shares(problem, child, prices, row, of_child)
            total = [a + b for a, b in zip(total, below, strict=True)]
    return total


def _shares_at(problem: Problem, node: PNode, prices: Prices, share: Fraction) -> list[Fraction]:
    weights = class_weights(problem, node.predicting_rows)
    counted = [weight * factor for weight, factor in zip(weights, prices.factors, strict=True)]
    return [share * Fraction(weight) / Fraction(sum(counted)) for weight in counted]
