"""How well one column alone predicts the target, in a moment and without a model.

Numbers are cut into few intervals, the most useful cut first; categories each predict their most
frequent class, or their mean, with the row itself left out, so that a column of many categories
gets no credit for remembering rows. A missing value is a category of its own.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import Column, NominalColumn, NumericColumn

MOST_CLASSES = 100  # with more, only copies of the target are found
FEW_NUMBERS = 20  # a numeric target with so few values is classes
LEAST_ROWS = 5  # in an interval
MOST_INTERVALS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What is to be predicted: classes as codes, or numbers."""

    codes: NDArray[np.int64] | None
    numbers: Floats | None
    labels: tuple[Any, ...] = ()

    @property
    def n_rows(self) -> int:
        return len(self.codes if self.codes is not None else self.numbers)  # type: ignore[arg-type]

    @property
    def n_classes(self) -> int:
        return len(self.labels)

    @property
    def is_constant(self) -> bool:
        """Whether there is nothing to decide, or too much."""
        if self.codes is not None:
            return self.n_wrong_guesses == 0 or self.n_classes > MOST_CLASSES
        assert self.numbers is not None
        return not np.isfinite(self.numbers).all() or not np.ptp(self.numbers) > 0

    @property
    def n_wrong_guesses(self) -> int:
        """Errors of always guessing the most frequent class."""
        assert self.codes is not None
        return self.n_rows - int(np.bincount(self.codes, minlength=1).max())

    def label(self, code: int) -> Any:
        return self.labels[code]

    def take(self, rows: NDArray[Any]) -> "Target":
        """Some of the rows."""
        codes = None if self.codes is None else self.codes[rows]
        return Target(codes, None if self.numbers is None else self.numbers[rows], self.labels)


def target_of(column: Column, *, of_classes: bool | None = None) -> Target:
    """The values of a target column; None takes numbers of few values for classes.

    Rows without a target are a class of their own, or have the mean: commands leave them out.
    """
    if isinstance(column, NominalColumn):
        codes = column.codes.astype(np.int64)
        codes[codes < 0] = len(column.levels)
        return Target(codes, None, (*column.levels, None))
    known = column.values[~column.is_missing]
    values, places = np.unique(column.values, return_inverse=True)
    if of_classes or (of_classes is None and len(values) <= FEW_NUMBERS):
        return Target(places.astype(np.int64), None, tuple(map(short_number, values.tolist())))
    middle = float(known.mean()) if len(known) else 0.0
    return Target(None, np.where(column.is_missing, middle, column.values))


def short_number(number: float) -> float | int:
    """A number as people write it: 1, not 1.0."""
    return int(number) if number == number and abs(number) < 1e15 and number % 1 == 0 else number


def class_errors(column: Column, target: Target) -> float:
    """Rows that are wrong if the column alone predicts the class."""
    assert target.codes is not None
    if isinstance(column, NominalColumn):
        return category_errors(column.codes.astype(np.int64) + 2, target)
    is_missing = column.is_missing
    known = ~is_missing
    n_wrong = interval_errors(column.values[known], target.codes[known], target.n_classes)
    if is_missing.any():
        n_wrong += category_errors(
            np.zeros(int(is_missing.sum()), np.int64), target.take(is_missing)
        )
    return n_wrong


def category_errors(codes: NDArray[np.int64], target: Target) -> float:
    """Each category predicts its most frequent class among its other rows; a tie is wrong."""
    assert target.codes is not None
    n_classes = target.n_classes
    cells = np.bincount(codes * n_classes + target.codes)
    cells = np.pad(cells, (0, -len(cells) % n_classes)).reshape(-1, n_classes)
    if n_classes < 2:
        return 0.0
    ordered = np.sort(cells, axis=1)
    most, second = ordered[:, -1], ordered[:, -2]
    right = np.where(most - 1 > second, most, 0)
    return float(len(codes) - right.sum())


def interval_errors(values: Floats, codes: NDArray[np.int64], n_classes: int) -> float:
    """Cut the numbers into intervals by Gini impurity, the best cut first; count their errors."""
    if not len(values):
        return 0.0
    distinct, place = np.unique(values, return_inverse=True)
    cells = np.bincount(place * n_classes + codes, minlength=len(distinct) * n_classes)
    until = np.zeros((len(distinct) + 1, n_classes))
    np.cumsum(cells.reshape(-1, n_classes), axis=0, out=until[1:])
    intervals = [best_cut(until, 0, len(distinct))]
    for _ in range(min(2 * n_classes, MOST_INTERVALS) - 1):
        at = max(range(len(intervals)), key=lambda one: intervals[one][0])
        gain, low, cut, high = intervals[at]
        if gain <= 0:
            break
        intervals[at : at + 1] = [best_cut(until, low, cut), best_cut(until, cut, high)]
    counts = [until[high] - until[low] for _, low, _, high in intervals]
    return float(sum(each.sum() - each.max() for each in counts))


def best_cut(until: Floats, low: int, high: int) -> tuple[float, int, int, int]:
    """Gain, and the interval with its best cut; a gain of 0 if there is no cut to make."""
    whole = until[high] - until[low]
    left = until[low + 1 : high] - until[low]
    right = whole - left
    n_left, n_right = left.sum(axis=1), right.sum(axis=1)
    allowed = (n_left >= LEAST_ROWS) & (n_right >= LEAST_ROWS)
    if not allowed.any() or whole.max() == whole.sum():
        return 0.0, low, low, high
    pure = (left**2).sum(axis=1) / np.maximum(n_left, 1)
    pure += (right**2).sum(axis=1) / np.maximum(n_right, 1)
    pure = np.where(allowed, pure, -1.0)
    best = int(pure.argmax())
    gain = float(pure[best] - (whole**2).sum() / whole.sum())
    return (gain if gain > 1e-9 else 0.0), low, low + 1 + best, high


def explained_variance(column: Column, target: Target) -> float:
    """The share of the variance that the column alone explains (R²), rows left out one by one.

    Categories predict their mean. Numbers predict the mean of the two nearest rows, one on each
    side; rows of equal numbers must come in random order.
    """
    assert target.numbers is not None
    y = target.numbers - target.numbers.mean()
    total = float((y**2).sum())
    if isinstance(column, NominalColumn):
        wrong = mean_errors(column.codes.astype(np.int64) + 2, y)
    else:
        known = ~column.is_missing
        wrong = neighbor_errors(column, y) + mean_errors(
            np.zeros(int((~known).sum()), np.int64), y[~known]
        )
    return 1 - wrong / total if total > 0 else 0.0


def mean_errors(codes: NDArray[np.int64], y: Floats) -> float:
    """Squared errors if each row is predicted by the mean of the other rows of its category."""
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, y)
    others = np.maximum(sizes - 1, 1)[codes]
    predicted = np.where(sizes[codes] > 1, (sums[codes] - y) / others, 0.0)
    return float(((y - predicted) ** 2).sum())


def neighbor_errors(column: NumericColumn, y: Floats) -> float:
    """Squared errors if each row is predicted by its neighbors, of those that have a number."""
    known = np.flatnonzero(~column.is_missing)
    if len(known) < 2:
        return float((y[known] ** 2).sum())
    ordered = y[known[np.argsort(column.values[known], kind="stable")]]
    predicted = np.empty_like(ordered)
    predicted[1:-1] = (ordered[:-2] + ordered[2:]) / 2
    predicted[0], predicted[-1] = ordered[1], ordered[-2]
    return float(((ordered - predicted) ** 2).sum())
