"""Which rows fulfill a condition, for all rows at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import MISSING, UNSEEN, NumericColumn
from treewright.data.table import Table
from treewright.rulesets.condition import Condition, Question

Mask = NDArray[np.bool_]
Rows = Table | NDArray[Any]


def rule_shares(conditions: Sequence[Condition], rows: Rows) -> Floats:
    """(n_rows,): how much of each row fulfills all conditions; 1 or 0 where nothing is missing."""
    shares = np.ones(len(rows))
    for condition in conditions:
        shares *= condition_shares(condition, rows)
    return shares


def condition_shares(condition: Condition, rows: Rows) -> Floats:
    """(n_rows,): how much of each row fulfills the condition."""
    values, is_missing = asked_values(condition, rows)
    shares = np.ones(len(rows))
    for question in condition.questions:
        shares *= question_shares(question, condition, values, is_missing, rows)
    return shares


def question_shares(
    question: Question,
    condition: Condition,
    values: NDArray[Any],
    is_missing: Mask,
    rows: Rows,
) -> Floats:
    """(n_rows,): how much of each row passes one question."""
    is_missing, passes = missing_and_passing(question, condition, values, is_missing)
    shares = passes.astype(np.float64)
    undecided = np.flatnonzero(is_missing)
    if len(undecided):
        shares[undecided] = shares_without_value(question, rows[undecided])
    return shares


def missing_and_passing(
    question: Question, condition: Condition, values: NDArray[Any], is_missing: Mask
) -> tuple[Mask, Mask]:
    """Rows whose value counts as missing at this question, and rows whose known value passes."""
    if question.unlisted is not None:
        is_missing = is_missing | (question.unlisted.mask(values) & (values >= 0))
    if question.wants_missing:
        passes = np.zeros(len(values), dtype=np.bool_)
    else:
        passes = ~is_missing
        if question.low is not None:
            passes &= ~(values <= question.low)  # a sum of infinities may be NaN: it is above
        if question.high is not None:
            passes &= values <= question.high
        if not question.levels.is_everything:
            passes &= question.levels.mask(values)
    if not condition.column.is_numeric:
        unseen = values < MISSING
        if question.unseen_passes is None:
            is_missing, passes = is_missing | unseen, passes & ~unseen
        else:
            is_missing = is_missing & ~unseen
            passes = np.where(unseen, question.unseen_passes, passes)
    return is_missing, passes


def shares_without_value(question: Question, rows: Rows) -> Floats:
    """(n_rows,): how much of each row passes, if the value is missing in all of them."""
    shares = np.full(len(rows), question.share)
    undecided = np.ones(len(rows), dtype=np.bool_)
    for surrogate in question.surrogates:
        values, is_missing = asked_values(surrogate, rows)
        (asked,) = surrogate.questions
        is_missing, passes = missing_and_passing(asked, surrogate, values, is_missing)
        decides = undecided & ~is_missing
        shares[decides] = passes[decides]
        undecided &= is_missing
    return shares


def asked_values(condition: Condition, rows: Rows) -> tuple[NDArray[Any], Mask]:
    """The numbers, sums or codes that a condition tests, and where they are missing."""
    columns = [column_values(rows, feature) for feature in condition.features]
    if not condition.is_sum:
        (values,) = columns
        if condition.column.is_numeric:
            return values, np.isnan(values)
        values = np.where(values < len(condition.column.levels), values, UNSEEN)
        return values, values == MISSING
    total = np.zeros(len(rows))
    is_missing = np.zeros(len(rows), dtype=np.bool_)
    with np.errstate(invalid="ignore", over="ignore"):
        for factor, values in zip(condition.factors, columns, strict=True):
            total = total + factor * values
            is_missing |= np.isnan(values)
    return total, is_missing


def column_values(rows: Rows, feature: int) -> NDArray[Any]:
    """Doubles or codes; narrower numbers become doubles, as thresholds are."""
    if isinstance(rows, np.ndarray):
        return rows[:, feature].astype(np.float64, copy=False)
    column = rows.columns[feature]
    if isinstance(column, NumericColumn):
        return column.values.astype(np.float64, copy=False)
    return column.codes


def fulfilling(conditions: Sequence[Condition], rows: Rows) -> Mask:
    """(n_rows,): which rows fulfill all conditions; a missing value fulfills none."""
    mask = np.ones(len(rows), dtype=np.bool_)
    for condition in conditions:
        values, is_missing = asked_values(condition, rows)
        for question in condition.questions:
            mask &= missing_and_passing(question, condition, values, is_missing)[1]
    return mask
