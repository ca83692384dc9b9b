"""How rows are split to evaluate a model, as the user specifies it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import is_missing_value
from treewright.errors import DataError, ParameterError
from treewright.estimators.threads import seed_of
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.splits import (
    Plan,
    check_n_folds,
    given_folds,
    grouped_folds,
    hold_out,
    is_whole,
    k_folds,
    ordered_folds,
)

MANY_ROWS = 50_000  # with more, five folds are as good as ten
ISO_MOMENT = re.compile(r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?)?")


@dataclass(frozen=True, slots=True, eq=False)
class Protocol:
    """How rows are split to evaluate a model: arguments that all functions here share.

    A random seed (None, or a generator) is drawn once, so that all models of a comparison use the
    same splits.
    """

    folds: Any = 10  # a number, or fold numbers, one per row
    repeats: int = 1
    hold_out: float | None = None  # a share of the rows, in place of folds
    groups: Any = None  # rows of a group stay together
    times: Any = None  # later rows are predicted from earlier ones
    stratified: bool = True  # every fold has the same class proportions
    random_state: Any = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "random_state", seed_of(self.random_state))
        self._check_numbers()
        self._check_ways()

    @property
    def has_given_folds(self) -> bool:
        return not isinstance(self.folds, int | np.integer)

    def plan(self, rows: EvaluationRows) -> Plan:
        """The splits of these rows."""
        n_rows, seed = rows.n_rows, self.random_state
        strata = rows.codes if self.stratified else None
        if self.has_given_folds:
            return given_folds(self.folds, n_rows)
        if self.hold_out is not None:
            return hold_out(n_rows, self.hold_out, n_repeats=self.repeats, strata=strata, seed=seed)
        n_folds = int(self.folds)
        check_n_folds(n_folds, n_rows)
        if self.groups is not None:
            groups = one_per_row(self.groups, n_rows, "groups")
            return grouped_folds(groups, n_folds, n_repeats=self.repeats, seed=seed)
        if self.times is not None:
            return ordered_folds(moments(one_per_row(self.times, n_rows, "times")), n_folds)
        return k_folds(n_rows, n_folds, n_repeats=self.repeats, strata=strata, seed=seed)

    def within(self, kept: NDArray[np.intp]) -> "Protocol":
        """The same protocol for some of the rows."""
        given = np.asarray(self.folds)[..., kept] if self.has_given_folds else self.folds
        groups = None if self.groups is None else np.asarray(self.groups)[kept]
        times = None if self.times is None else np.asarray(self.times)[kept]
        return replace(self, folds=given, groups=groups, times=times)

    def in_words(self, plan: Plan, *, of_classes: bool) -> str:
        """The scheme in words, for reports."""
        n_folds = len(plan) // plan.n_repeats
        times_over = f", repeated {plan.n_repeats} times" if plan.n_repeats > 1 else ""
        if self.has_given_folds:
            return f"{n_folds} given folds{times_over}"
        if self.hold_out is not None:
            return f"{self.hold_out:.0%} of the rows held out{times_over}"
        if self.times is not None:
            return f"{n_folds} folds in the order of time"
        if self.groups is not None:
            return f"{n_folds}-fold cross-validation by groups{times_over}"
        how = "stratified " if self.stratified and of_classes else ""
        return f"{how}{n_folds}-fold cross-validation{times_over}"

    def _check_numbers(self) -> None:
        repeats, share = self.repeats, self.hold_out
        if not is_whole(repeats) or repeats < 1:
            raise ParameterError(f"repeats={repeats!r} is not allowed", hint="use 1 or more")
        if share is not None and not (isinstance(share, Real) and 0 < share < 1):
            raise ParameterError(
                f"hold_out={share!r} is not allowed", hint="use a share between 0 and 1"
            )
        if self.has_given_folds and np.ndim(self.folds) == 0:
            raise ParameterError(
                f"folds={self.folds!r} is not allowed",
                hint="use a number from 2 on, or the fold of each row",
            )

    def _check_ways(self) -> None:
        ways = {
            "hold_out": self.hold_out is not None,
            "groups": self.groups is not None,
            "times": self.times is not None,
            "fold numbers": self.has_given_folds,
        }
        asked = [name for name, is_asked in ways.items() if is_asked]
        if len(asked) > 1:
            raise ParameterError(
                f"{' and '.join(asked)} cannot be combined", hint="give one of them"
            )
        if self.repeats != 1 and self.times is not None:
            raise ParameterError("time has one order: repeats must be 1", hint="leave it out")
        if self.repeats != 1 and self.has_given_folds:
            raise ParameterError(
                "fold numbers are fixed: repeats must be 1",
                hint="give one line of fold numbers for each repeat",
            )


def one_per_row(values: Any, n_rows: int, name: str) -> NDArray[Any]:
    """Values of any kind that can be compared, one per row."""
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != n_rows:
        raise DataError(f"{name} has shape {array.shape}, the table {n_rows} rows")
    row = first_missing(array)
    if row is not None:
        raise DataError(
            f"{name} is missing in row {row}", hint="fill in these values, or leave the rows out"
        )
    try:
        np.unique(array)
    except TypeError:
        raise DataError(
            f"{name} mixes values that cannot be compared", hint="use numbers, or text, or dates"
        ) from None
    return array


def moments(times: NDArray[Any], name: str = "times") -> NDArray[Any]:
    """Numbers and dates as they are; text as dates.

    Other text has no order in time: by letters, 05.02.2024 comes before 31.01.2024, and 10
    before 9.

    >>> moments(np.array(["2024-01-31", "2023-12-01 10:30"])).astype("datetime64[D]").tolist()
    [datetime.date(2024, 1, 31), datetime.date(2023, 12, 1)]
    """
    if not all(isinstance(time, str) for time in times.tolist()):
        return times
    texts = [time.strip() for time in times.tolist()]
    try:
        return np.array([moment(text) for text in texts], dtype="datetime64[us]")
    except ValueError as wrong:
        raise DataError(
            f"{name} has text that is not a date or time: {wrong}",
            hint="give numbers, dates, or text such as 2024-01-31 or 2024-01-31 10:30",
        ) from None


def moment(text: str) -> np.datetime64:
    """A text as a date and time; a ValueError that quotes it if it is none."""
    if not ISO_MOMENT.fullmatch(text):
        raise ValueError(f"`{text}`")
    try:
        return np.datetime64(text, "us")
    except ValueError:
        raise ValueError(f"`{text}`") from None


def first_missing(values: NDArray[Any]) -> int | None:
    """The first row without a value; None if there is none."""
    if values.dtype.kind in "mM":
        is_missing = np.isnat(values)
    else:
        is_missing = np.array([is_missing_value(value) for value in values.tolist()], dtype=bool)
    return int(np.argmax(is_missing)) if is_missing.any() else None


def usual_folds(n_rows: int) -> int:
    """Ten folds, fewer for few rows and for very many."""
    if n_rows >= MANY_ROWS:
        return 5
    return max(2, min(10, n_rows))


def several(values: Any, name: str, example: str) -> tuple[Any, ...]:
    """The values of an argument that takes a list; a single string is an error.

    >>> several([1, 2], "values", "[6, 3, 2]")
    (1, 2)
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ParameterError(
            f"{name}={values!r} is not a list of values", hint=f"use {name}={example}"
        )
    found = tuple(values)
    if not found:
        raise ParameterError(f"{name} has no values to try", hint=f"use {name}={example}")
    return found
