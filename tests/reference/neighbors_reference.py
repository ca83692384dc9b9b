"""Nearest neighbors as one would write them on the board: row by row, column by column."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Row = Sequence[float]


@dataclass(frozen=True)
class Rule:
    """How two rows are compared."""

    is_level: Sequence[bool]
    squares: bool
    missing: str  # "one", "farthest", "left_out"


def difference(a: float, b: float, is_level: bool, missing: str) -> float | None:
    """What one column differs by; None if it is left out."""
    if not math.isnan(a) and not math.isnan(b):
        if a == b:
            return 0.0
        return 1.0 if is_level else abs(a - b)
    if missing == "left_out":
        return None
    if missing == "one" or is_level or (math.isnan(a) and math.isnan(b)):
        return 1.0
    known = b if math.isnan(a) else a
    return max(known, 1 - known)


def apart(a: Row, b: Row, rule: Rule) -> float:
    """What rows are compared by: their distance, or its square where squares are added up.

    A root would make equal what is not: two squares next to each other have the same root.
    """
    differences = [
        difference(x, y, is_level, rule.missing)
        for x, y, is_level in zip(a, b, rule.is_level, strict=True)
    ]
    known = [one for one in differences if one is not None]
    total = 0.0
    for one in known:
        total += one * one if rule.squares else one
    if rule.missing == "left_out":
        return total / len(known) if known else 1.0
    return total


def distance(a: Row, b: Row, rule: Rule) -> float:
    """The distance of two rows."""
    return math.sqrt(apart(a, b, rule)) if rule.squares else apart(a, b, rule)


def in_order(query: Row, rows: Sequence[Row], rule: Rule) -> list[tuple[float, int]]:
    """What every row is compared by and its number, the nearest and the smaller number first."""
    return sorted((apart(query, row, rule), at) for at, row in enumerate(rows))


@dataclass(frozen=True)
class Vote:
    """Which rows count."""

    n_neighbors: float
    weights: Sequence[float] | None
    all_ties: bool
    by_distance: bool
    rounds: bool = False  # whether distances that rounding may tell apart are the same


def end_of_ties(how_far: float, query: Row, rule: Rule) -> float:
    """The largest number that is as far, but for the rounding of scaled numbers."""
    if how_far == 0:
        return how_far
    numbers = [abs(x) for x, level in zip(query, rule.is_level, strict=True) if not level]
    length = math.sqrt(how_far) if rule.squares else how_far
    known = sum(x for x in numbers if math.isfinite(x))
    end = length + 2.0**-50 * (known + len(query) * length)
    return max(how_far, end * end) if rule.squares else end


def counts(query: Row, rows: Sequence[Row], rule: Rule, vote: Vote) -> dict[int, float]:
    """How much each neighbor counts, the nearest first."""
    found: dict[int, float] = {}
    last, total = math.inf, 0.0
    for how_far, row in in_order(query, rows, rule):
        weight = 1.0 if vote.weights is None else vote.weights[row]
        is_full = total >= vote.n_neighbors
        if is_full and not (vote.all_ties and how_far <= last):
            break
        found[row] = weight if vote.all_ties else min(weight, vote.n_neighbors - total)
        if not is_full:
            last = end_of_ties(how_far, query, rule) if vote.rounds else how_far
        total += weight
    if not vote.by_distance:
        return found
    distances = {row: distance(query, rows[row], rule) for row in found}
    if 0.0 in distances.values():
        return {row: found[row] if distances[row] == 0 else 0.0 for row in found}
    return {row: found[row] / distances[row] for row in found}


def silhouettes(rows: Sequence[Row], groups: Sequence[int], rule: Rule) -> list[float]:
    """How well each row fits its group, after Rousseeuw."""
    found = []
    for at, row in enumerate(rows):
        by_group: dict[int, list[float]] = {}
        for other, group in enumerate(groups):
            if other != at:
                by_group.setdefault(group, []).append(distance(row, rows[other], rule))
        own = by_group.pop(groups[at], None)
        if own is None:
            found.append(0.0)
            continue
        a = sum(own) / len(own)
        b = min(sum(others) / len(others) for others in by_group.values())
        found.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return found
