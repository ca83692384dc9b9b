"""Rows for the search of an optimal tree: equal rows are merged, weights are integers."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import ClassTarget
from treewright.data.weights import are_counts
from treewright.induction.optimal.questions import Questions

Int64Array = NDArray[np.int64]

MOST_ROWS = 2**31  # limits cannot count more
MOST_GROUPS = 2**62  # numbers of groups fit 64 bits, whatever the codes
MOST_WEIGHT_BITS = 50  # of the sum of all weights, so that sums of costs fit 64 bits


@dataclass(frozen=True, slots=True, eq=False)
class SearchedRows:
    """One row for all rows of the table with the same codes and class."""

    codes: list[NDArray[np.uint32]]  # by column
    classes: NDArray[np.uint32]
    weights: Int64Array
    n_rows: NDArray[np.uint32]  # rows of the table, as limits count them
    sure_loss: Int64Array  # the weight, if another class is more frequent among equal rows
    of_table: Int64Array  # weights of the rows of the table

    @property
    def weight(self) -> int:
        """Of all rows."""
        return int(self.weights.sum())

    def in_small_units(self) -> "SearchedRows":
        """The same rows with larger weights, so that the cost of a leaf is an integer."""
        factor = 1 << max(0, MOST_WEIGHT_BITS - self.weight.bit_length())
        return replace(
            self,
            weights=self.weights * factor,
            sure_loss=self.sure_loss * factor,
            of_table=self.of_table * factor,
        )


def searched_rows(
    questions: Questions,
    target: ClassTarget,
    weights: Floats | None,
    price: Floats | None = None,
) -> SearchedRows:
    """The rows of a table for the search; a row weighs what an error on its class costs."""
    priced = weights
    if price is not None:
        priced = price[target.codes] * (1.0 if weights is None else weights)
    whole = whole_weights(priced, target.n_rows)
    alike = groups_alike(questions, target.n_rows)
    n_groups = int(alike.max()) + 1
    cell = alike * target.n_classes + target.codes
    kept, first, back = np.unique(cell, return_index=True, return_inverse=True)
    weight = np.zeros(len(kept), dtype=np.int64)
    np.add.at(weight, back, whole)
    group = kept // target.n_classes
    classes = (kept % target.n_classes).astype(np.uint32)
    heaviest = np.full(n_groups, -1, dtype=np.int64)
    np.maximum.at(heaviest, group, weight)
    # In each group one class is right: the heaviest, the first of equals.
    is_heaviest = weight == heaviest[group]
    right = np.unique(group[is_heaviest], return_index=True)[1]
    sure_loss = weight.copy()
    sure_loss[np.flatnonzero(is_heaviest)[right]] = 0
    rows = SearchedRows(
        codes=[np.ascontiguousarray(column.codes[first]) for column in questions.columns],
        classes=classes,
        weights=weight,
        n_rows=rows_alike(back, weights, len(kept)),
        sure_loss=sure_loss,
        of_table=whole,
    )
    return rows.in_small_units()


def rows_alike(
    group: NDArray[np.intp], weights: Floats | None, n_groups: int
) -> NDArray[np.uint32]:
    """The number of rows of each group; if weights are counts, a row of weight k is k rows."""
    counts = weights if weights is not None and are_counts(weights) else None
    n_rows = np.bincount(group, counts, minlength=n_groups)
    return np.minimum(n_rows, MOST_ROWS).astype(np.uint32)


def groups_alike(questions: Questions, n_rows: int) -> NDArray[np.int64]:
    """A number for each row, the same for rows that are equal in all columns."""
    group = np.zeros(n_rows, dtype=np.int64)
    n_groups = 1  # numbers are below this
    for column in questions.columns:
        n_codes = column.n_values + 1
        if n_groups * n_codes > MOST_GROUPS:
            group = np.unique(group, return_inverse=True)[1].astype(np.int64)
            n_groups = n_rows
        group *= n_codes
        group += column.codes
        n_groups *= n_codes
    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def whole_weights(weights: Floats | None, n_rows: int) -> Int64Array:
    """Weights in proportion as integers.

    Exact if all weights are multiples of the smallest one; otherwise the error of a weight is at
    most 2**-50 of their sum.

    >>> whole_weights(np.array([0.5, 1.5, 1.0]), 3)
    array([1, 3, 2])
    """
    if weights is None:
        return np.ones(n_rows, dtype=np.int64)
    smallest, largest = float(weights.min()), float(weights.max())
    with np.errstate(over="ignore"):  # then they are not multiples
        multiples = weights / smallest
    if multiples.sum() < 2.0**MOST_WEIGHT_BITS:
        rounded = np.rint(multiples)
        if (rounded * smallest == weights).all():
            return rounded.astype(np.int64)
    shares = weights / largest
    fraction, power = math.frexp(shares.sum())
    bits = MOST_WEIGHT_BITS - (power - 1 if fraction == 0.5 else power)
    return np.rint(np.ldexp(shares, bits)).astype(np.int64)
