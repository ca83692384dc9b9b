"""Hypotheses of the attribute-value language: each column asks for one value, or for none.

A hypothesis is a tuple with one entry for each column: a level code, ANY, or NOTHING. One that asks
NOTHING anywhere covers no row at all.
"""

from collections.abc import Iterator, Sequence

ANY = -1  # whatever the value is; also what a missing value is covered by
NOTHING = -2  # no value

Hypothesis = tuple[int, ...]
Row = tuple[int, ...]  # level codes; a missing value is below 0


def most_specific(n_columns: int) -> Hypothesis:
    """The hypothesis that covers no row.

    >>> most_specific(2)
    (-2, -2)
    """
    return (NOTHING,) * n_columns


def most_general(n_columns: int) -> Hypothesis:
    """The hypothesis that covers every row."""
    return (ANY,) * n_columns


def covers(hypothesis: Hypothesis, row: Row) -> bool:
    """Whether a row has all that the hypothesis asks.

    >>> covers((ANY, 1), (0, 1)), covers((0, 1), (0, 2))
    (True, False)
    """
    return all(asked in (ANY, value) for asked, value in zip(hypothesis, row, strict=True))


def is_at_least_as_general(one: Hypothesis, other: Hypothesis) -> bool:
    """Whether `one` covers every row that `other` covers.

    >>> is_at_least_as_general((ANY, 1), (0, 1)), is_at_least_as_general((0, 1), (ANY, 1))
    (True, False)
    """
    if NOTHING in other:
        return True
    return all(mine in (ANY, theirs) for mine, theirs in zip(one, other, strict=True))


def least_generalization(hypothesis: Hypothesis, row: Row) -> Hypothesis:
    """The most specific hypothesis that covers the row and all that `hypothesis` covers.

    >>> least_generalization((0, 1), (0, 2))
    (0, -1)
    """
    if NOTHING in hypothesis:
        return tuple(max(value, ANY) for value in row)
    return tuple(
        asked if asked == value else ANY for asked, value in zip(hypothesis, row, strict=True)
    )


def least_specializations(
    hypothesis: Hypothesis, row: Row, n_levels: Sequence[int]
) -> Iterator[Hypothesis]:
    """The most general hypotheses below `hypothesis` that do not cover the row.

    >>> list(least_specializations((ANY, ANY), (0, 1), n_levels=(2, 3)))
    [(1, -1), (-1, 0), (-1, 2)]
    """
    for column, (asked, value) in enumerate(zip(hypothesis, row, strict=True)):
        if asked != ANY:
            continue
        for level in range(n_levels[column]):
            if level != value:
                yield (*hypothesis[:column], level, *hypothesis[column + 1 :])
