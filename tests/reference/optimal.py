"""The best tree by trying every tree: the definition that the search is held against."""

from collections.abc import Iterator
from itertools import combinations

Row = tuple[object, ...]  # one value for each column, None where it is missing
Rows = list[tuple[Row, int, float]]  # values, class, weight


def parted(rows: Rows, nominal: str) -> Iterator[tuple[Rows, Rows]]:
    """Both sides of every question: thresholds, levels, holes on either side."""
    for column in range(len(rows[0][0])):
        known = sorted({row[0][column] for row in rows if row[0][column] is not None})
        for chosen in left_sides(known, nominal):
            for missing_left in (False, True):
                sides: tuple[Rows, Rows] = ([], [])
                for row in rows:
                    value = row[0][column]
                    left = missing_left if value is None else value in chosen
                    sides[0 if left else 1].append(row)
                if sides[0] and sides[1]:
                    yield sides


def left_sides(known: list[object], nominal: str) -> Iterator[tuple[object, ...]]:
    """The values that questions send to the left."""
    yield tuple(known)  # is there a value?
    if known and isinstance(known[0], str):
        sizes = [1] if nominal == "one_vs_rest" else range(1, len(known))
        for size in sizes:
            yield from combinations(known, size)
    else:
        yield from (tuple(known[:end]) for end in range(1, len(known)))


def least_cost(
    rows: Rows,
    depth: int,
    leaves: int,
    *,
    price: float = 0.0,
    min_rows: int = 1,
    nominal: str = "one_vs_rest",
) -> float:
    """The weight of the errors of the best tree, and `price` for each of its leaves."""
    of_class: dict[int, float] = {}
    for _, label, weight in rows:
        of_class[label] = of_class.get(label, 0.0) + weight
    best = sum(of_class.values()) - max(of_class.values()) + price
    if depth == 0 or leaves < 2:
        return best
    for left, right in parted(rows, nominal):
        if min(len(left), len(right)) < min_rows:
            continue
        for n_left in range(1, leaves):
            one = least_cost(
                left, depth - 1, n_left, price=price, min_rows=min_rows, nominal=nominal
            )
            other = least_cost(
                right, depth - 1, leaves - n_left, price=price, min_rows=min_rows, nominal=nominal
            )
            best = min(best, one + other)
    return best
