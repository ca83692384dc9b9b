"""Cut points by the description length of Fayyad and Irani, from the paper's formulas.

Given (value, class, weight) triples. A cut is accepted when

    gain > (log2(N - 1) + log2(3^k - 2) - (k H - k1 H1 - k2 H2)) / N

with k, k1, k2 the numbers of classes present; accepted cuts are refined on both sides.
Below a weight of two there is no choice of place to pay for, so N - 1 counts as one.
"""

from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise

from reference.impurity import LN2, entropy_of_weights, to_decimal
from reference.problem import Weight
from reference.thresholds import midpoint

Triple = tuple[float, int, Weight]


IsBigEnough = Callable[[list[Triple]], bool]


def mdl_cuts(triples: list[Triple], is_big_enough: IsBigEnough = lambda side: True) -> list[float]:
    """The accepted cuts in rising order, both sides of each big enough."""
    best = _best_cut(triples, is_big_enough)
    if best is None or not _is_worth_it(triples, best):
        return []
    left = [triple for triple in triples if triple[0] <= best]
    right = [triple for triple in triples if triple[0] > best]
    return [*mdl_cuts(left, is_big_enough), best, *mdl_cuts(right, is_big_enough)]


def _best_cut(triples: list[Triple], is_big_enough: IsBigEnough) -> float | None:
    """The cut that leaves least entropy; the smallest one on a tie; none in a pure group."""
    if _n_classes(triples) < 2:
        return None
    values = sorted({value for value, _, _ in triples})
    best, best_left_over = None, None
    tolerance = to_decimal(1e-12) * _entropy(triples)
    for lower, upper in pairwise(values):
        left = [triple for triple in triples if triple[0] <= lower]
        right = [triple for triple in triples if triple[0] > lower]
        if not (is_big_enough(left) and is_big_enough(right)):
            continue
        left_over = _entropy(left) + _entropy(right)
        if best is None or left_over < best_left_over - tolerance:
            best, best_left_over = midpoint(lower, upper), left_over
    return best


def _is_worth_it(triples: list[Triple], cut: float) -> bool:
    left = [triple for triple in triples if triple[0] <= cut]
    right = [triple for triple in triples if triple[0] > cut]
    total = sum(weight for _, _, weight in triples)
    gain = _entropy(triples) - _entropy(left) - _entropy(right)
    delta = _log2(3 ** _n_classes(triples) - 2) - (
        _n_classes(triples) * _mean_entropy(triples)
        - _n_classes(left) * _mean_entropy(left)
        - _n_classes(right) * _mean_entropy(right)
    )
    return gain > _log2(max(total - 1, 1)) + delta


def _log2(number: Weight) -> Decimal:
    return to_decimal(number).ln() / LN2


def _class_weights(triples: list[Triple]) -> list[Weight]:
    weights: dict[int, Weight] = {}
    for _, of_class, weight in triples:
        weights[of_class] = weights.get(of_class, 0) + weight
    return list(weights.values())


def _n_classes(triples: list[Triple]) -> int:
    return len(_class_weights(triples))


def _entropy(triples: list[Triple]) -> Decimal:
    return entropy_of_weights(_class_weights(triples))


def _mean_entropy(triples: list[Triple]) -> Decimal:
    return _entropy(triples) / to_decimal(sum(_class_weights(triples)))
