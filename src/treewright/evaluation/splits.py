"""Training and test rows: hold-out, folds, groups, time.

Every plan is a sequence of splits that depends on its arguments alone: same seed, same rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import distinct
from treewright.errors import DataError, ParameterError

IntArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Training rows and test rows."""

    repeat: int
    fold: int
    train: IntArray
    test: IntArray


class Plan(Sequence[Split]):
    """Splits of one table: each row is held out once in every repeat, or in the last part of time.

    `fold_of_row[repeat, row]` is the fold that holds the row out. With `is_ordered`, a fold is
    predicted from the folds before it, and rows of fold 0 are never held out.
    """

    def __init__(self, fold_of_row: NDArray[Any], *, is_ordered: bool = False) -> None:
        self.fold_of_row = np.atleast_2d(np.asarray(fold_of_row, dtype=np.int32))
        self.is_ordered = is_ordered
        first = 1 if is_ordered else 0
        self._numbers = [
            (repeat, fold)
            for repeat, folds in enumerate(self.fold_of_row)
            for fold in distinct(folds[folds >= first]).tolist()
        ]

    @property
    def n_repeats(self) -> int:
        return len(self.fold_of_row)

    @property
    def n_rows(self) -> int:
        return int(self.fold_of_row.shape[1])

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        repeat, fold = self._numbers[index]
        folds = self.fold_of_row[repeat]
        # -1 marks rows that are only used for training.
        learned = folds < fold if self.is_ordered else folds != fold
        return Split(repeat, fold, np.flatnonzero(learned), np.flatnonzero(folds == fold))

    def __iter__(self) -> Iterator[Split]:
        return (self[at] for at in range(len(self)))


def k_folds(
    n_rows: int,
    n_folds: int,
    *,
    n_repeats: int = 1,
    strata: NDArray[Any] | None = None,
    seed: int = 0,
) -> Plan:
    """Rows assigned at random to `n_folds`, class by class if `strata` gives the classes.

    The folds of one class begin where those of the last class ended, so that folds differ in size
    by one row at most.

    >>> plan = k_folds(10, 5, strata=np.array(list("aaaaabbbbb")))
    >>> [split.test.size for split in plan]
    [2, 2, 2, 2, 2]
    """
    check_n_folds(n_folds, n_rows)
    if n_repeats < 1:
        raise ParameterError(f"repeats={n_repeats} is not allowed", hint="use 1 or more")
    generator = np.random.default_rng(seed)
    return Plan(np.array([dealt_out(n_rows, n_folds, strata, generator) for _ in range(n_repeats)]))


def dealt_out(
    n_rows: int,
    n_folds: int,
    strata: NDArray[Any] | None,
    generator: np.random.Generator,
) -> NDArray[np.int32]:
    """The fold of each row."""
    order = generator.permutation(n_rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    fold = np.empty(n_rows, dtype=np.int32)
    fold[order] = np.arange(n_rows) % n_folds
    return fold


def hold_out(
    n_rows: int,
    share: float,
    *,
    n_repeats: int = 1,
    strata: NDArray[Any] | None = None,
    seed: int = 0,
) -> Plan:
    """Hold out a share of the rows, once or several times.

    >>> [split.test.size for split in hold_out(9, 1 / 3)]
    [3]
    """
    n_held = round(share * n_rows)
    if not 0 < n_held < n_rows:
        raise ParameterError(
            f"holding out {share:g} of {n_rows} rows leaves one side empty",
            hint="use a share between 0 and 1, or more rows",
        )
    generator = np.random.default_rng(seed)
    lines = []
    for _ in range(n_repeats):
        order = generator.permutation(n_rows)
        if strata is not None:
            order = order[np.argsort(strata[order], kind="stable")]
        # Evenly spaced places of the rows in class order: each class gives its share.
        places = np.floor((np.arange(n_held) + 0.5) * n_rows / n_held).astype(np.intp)
        fold = np.full(n_rows, -1, dtype=np.int32)
        fold[order[places]] = 0
        lines.append(fold)
    return Plan(np.array(lines))


def grouped_folds(groups: NDArray[Any], n_folds: int, *, n_repeats: int = 1, seed: int = 0) -> Plan:
    """Folds that never divide a group: the largest groups first, each to the emptiest fold.

    >>> plan = grouped_folds(np.array(["ann", "ann", "bob", "cid", "cid"]), 2)
    >>> sorted(len(split.test) for split in plan)
    [2, 3]
    """
    names, group_of_row = np.unique(groups, return_inverse=True)
    if len(names) < n_folds:
        raise DataError(
            f"{len(names)} groups cannot make {n_folds} folds", hint=at_most(len(names))
        )
    check_n_folds(n_folds, len(groups))
    sizes = np.bincount(group_of_row)
    generator = np.random.default_rng(seed)
    lines = []
    for _ in range(n_repeats):
        order = generator.permutation(len(names))
        order = order[np.argsort(-sizes[order], kind="stable")]
        filled = np.zeros(n_folds)
        fold_of_group = np.empty(len(names), dtype=np.int32)
        for group in order:
            fold = int(np.argmin(filled))
            fold_of_group[group] = fold
            filled[fold] += sizes[group]
        lines.append(fold_of_group[group_of_row])
    return Plan(np.array(lines))


def ordered_folds(times: NDArray[Any], n_folds: int) -> Plan:
    """The rows in the order of time, in n_folds + 1 parts: each is predicted from those before it.

    Rows of the same time stay together.

    >>> [split.train.tolist() for split in ordered_folds(np.array([3, 1, 2]), 2)]
    [[1], [1, 2]]
    """
    moments, moment_of_row = np.unique(times, return_inverse=True)
    if len(moments) <= n_folds:
        raise DataError(
            f"{len(moments)} moments cannot make {n_folds} folds and a beginning",
            hint=at_most(len(moments) - 1),
        )
    check_n_folds(n_folds, len(times))
    rows_until = np.cumsum(np.bincount(moment_of_row))
    part = np.zeros(len(moments), dtype=np.int32)
    begin = 0
    for number in range(1, n_folds + 1):
        wanted = np.searchsorted(rows_until, number * len(times) / (n_folds + 1)) + 1
        begin = int(np.clip(wanted, begin + 1, len(moments) - (n_folds + 1 - number)))
        part[begin:] = number  # every part has a moment, however many rows share one
    return Plan(part[moment_of_row], is_ordered=True)


def given_folds(folds: object, n_rows: int) -> Plan:
    """Folds by numbers that the user has: one for each row, or a line of them for each repeat.

    Any whole numbers will do: they are counted through from 0. Negative ones mark rows that are
    only used for training.
    """
    numbers = np.asarray(folds)
    if numbers.dtype.kind not in "iu" or numbers.ndim not in (1, 2):
        raise DataError("folds are not whole numbers", hint="give one fold number for each row")
    if numbers.shape[-1] != n_rows:
        raise DataError(
            f"{numbers.shape[-1]} fold numbers for {n_rows} rows", hint="give one for each row"
        )
    lines = []
    for line in np.atleast_2d(numbers):
        known, place = np.unique(line[line >= 0], return_inverse=True)
        if len(known) < 2:
            raise DataError("all rows are in one fold", hint="use at least two fold numbers")
        lines.append(np.full(n_rows, -1, dtype=np.int32))
        lines[-1][line >= 0] = place
    return Plan(np.array(lines))


def beginning(split: Split, share: float, strata: NDArray[Any] | None, seed: int) -> Split:
    """A share of the training rows of a split, drawn at random; larger shares contain smaller.

    The rows of each class are spread evenly over the order that shares are cut from, so that every
    share has its part of each class.
    """
    if share == 1:
        return split
    generator = np.random.default_rng([seed, split.repeat, split.fold])
    order = generator.permutation(split.train)
    if strata is not None:
        codes = strata[order]
        place = generator.random(len(order))  # where a class begins, so that none is always first
        for code in distinct(codes):
            of_class = np.flatnonzero(codes == code)
            place[of_class] = (np.arange(len(of_class)) + place[of_class[0]]) / len(of_class)
        order = order[np.argsort(place, kind="stable")]
    n_kept = max(1, round(share * len(order)))
    return Split(split.repeat, split.fold, np.sort(order[:n_kept]), split.test)


def at_most(n_folds: int) -> str:
    """A hint at the number of folds that can be made."""
    return f"use folds={n_folds} or fewer" if n_folds >= 2 else "there are too few"


def check_n_folds(n_folds: int, n_rows: int) -> None:
    """Raise unless every fold gets a row."""
    if not is_whole(n_folds) or n_folds < 2:
        raise ParameterError(f"folds={n_folds!r} is not allowed", hint="use a number from 2 on")
    if n_folds > n_rows:
        raise DataError(f"{n_rows} rows cannot make {n_folds} folds", hint=at_most(n_rows))


def is_whole(number: Any) -> bool:
    """Whether something is a whole number, and not True or False."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)
