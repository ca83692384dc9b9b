"""Rows for the search for an optimal tree: alike rows are one, and weights are whole numbers."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.target import ClassTarget
from treewright.data.weights import are_counts
from treewright.induction.optimal.questions import Questions

Int64Array = NDArray[np.int64]

MOST_ROWS = 2**31  # that limits tell apart
MOST_WEIGHT_BITS = 50  # of the sum of all weights, so that sums of costs fit 64 bits


@dataclass(frozen=True, slots=True, eq=False)
class SearchedRows:
    """One row for all rows of the table that no question and no class tells apart."""

    codes: list[NDArray[np.uint32]]  # by column
    classes: NDArray[np.uint32]
    weights: Int64Array
    n_rows: NDArray[np.uint32]  # rows of the table, as limits count them
    sure_loss: Int64Array  # the weight, where another class has more of the rows alike
    of_table: Int64Array  # weights of the rows of the table

    @property
    def weight(self) -> int:
        """Of all rows."""
        return int(self.weights.sum())

    def in_small_units(self) -> "SearchedRows":
        """The same rows with weights so large that the price of a leaf is whole beside them."""
        factor = 1 << max(0, MOST_WEIGHT_BITS - self.weight.bit_length())
        return replace(
            self,
            weights=self.weights * factor,
            sure_loss=self.sure_loss * factor,
            of_table=self.of_table * factor,
        )


def searched_rows(
    questions: Questions, target: ClassTarget, weights: Floats | None
) -> SearchedRows:
    """The rows of a table as the search takes them."""
    whole = whole_weights(weights, target.n_rows)
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
    # Of each group one class is right, the first of the heaviest.
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
    """The rows of each group; a row of weight k is k rows where weights are counts."""
    counts = weights if weights is not None and are_counts(weights) else None
    n_rows = np.bincount(group, counts, minlength=n_groups)
    return np.minimum(n_rows, MOST_ROWS).astype(np.uint32)


def groups_alike(questions: Questions, n_rows: int) -> NDArray[np.int64]:
    """A number for each row, the same for rows that are alike in all columns."""
    group = np.zeros(n_rows, dtype=np.int64)
    for column in questions.columns:
        together = group * (column.n_values + 1) + column.codes
        group = np.unique(together, return_inverse=True)[1].astype(np.int64)
    return group


def whole_weights(weights: Floats | None, n_rows: int) -> Int64Array:
    """Weights in proportion as whole numbers.

    Exact where all weights are multiples of the smallest one; otherwise a weight is off by at most
    2**-50 of their sum.

    >>> whole_weights(np.array([0.5, 1.5, 1.0]), 3)
    array([1, 3, 2])
    """
    if weights is None:
        return np.ones(n_rows, dtype=np.int64)
    smallest, largest = float(weights.min()), float(weights.max())
    with np.errstate(over="ignore"):  # then they are no multiples that could be counted
        multiples = weights / smallest
    if multiples.sum() < 2.0**MOST_WEIGHT_BITS:
        rounded = np.rint(multiples)
        if (rounded * smallest == weights).all():
            return rounded.astype(np.int64)
    shares = weights / largest
    bits = MOST_WEIGHT_BITS - int(np.ceil(np.log2(shares.sum())))
    return np.rint(np.ldexp(shares, bits)).astype(np.int64)
