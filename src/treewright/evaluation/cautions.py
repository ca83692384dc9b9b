"""Warnings about an evaluation: leaks that its splits do not prevent."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.data.column import Column
from treewright.data.leaks import (
    TableWarning,
    column_leaks,
    date_warnings,
    duplicate_warnings,
    group_leaks,
    row_hashes,
    target_phrase,
)
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import TreewrightError, warn_user
from treewright.evaluation.cv_and_scoring import GivenSplits
from treewright.evaluation.protocol import Protocol, usual_folds
from treewright.evaluation.rows import EvaluationRows, rows_for
from treewright.evaluation.splits import Plan
from treewright.evaluation.verdict import Verdict


def evaluation_warnings(
    X: Any, rows: EvaluationRows, protocol: Protocol | GivenSplits
) -> tuple[TableWarning, ...]:
    """Leaks between training rows and test rows.

    A table that only other packages can read (a sparse matrix, say) is not looked at.
    """
    try:
        table = rows.X if isinstance(rows.X, Table) else table_from(X)
        return tuple(found_warnings(X, table, rows, protocol))
    except TreewrightError:
        return ()


def table_warnings(model: object, X: Any, y: Any, sample_weight: Any) -> tuple[TableWarning, ...]:
    """The warnings of shuffled folds, without an evaluation."""
    rows = with_target_name(model, rows_for([model], X, y, sample_weight))
    return evaluation_warnings(X, rows, Protocol(folds=usual_folds(rows.n_rows)))


def with_target_name(model: object, rows: EvaluationRows) -> EvaluationRows:
    """The rows with the name of the target that a fitted model knows."""
    return replace(rows, target_name=rows.target_name or getattr(model, "target_name_", None))


def found_warnings(
    X: Any, table: Table, rows: EvaluationRows, protocol: Protocol | GivenSplits
) -> Iterator[TableWarning]:
    target, of_classes = target_column(rows), rows.classes is not None
    found = [*column_leaks(table, target, of_classes=of_classes)]
    yield from found
    if isinstance(protocol, GivenSplits):
        return
    if protocol.has_given_folds or protocol.times is not None:
        return
    yield from dates_of_index(X) or date_warnings(table)
    if protocol.groups is None:
        yield from group_leaks(table, target, of_classes=of_classes, reported=found)
    if splits_copies(table, target, protocol.plan(rows)):
        yield from duplicate_warnings(table, target)


def target_column(rows: EvaluationRows) -> Column:
    """The target as a column."""
    column = table_from({"y": rows.y}).columns[0]
    return column.renamed(target_phrase(rows.target_name))


def dates_of_index(X: Any) -> list[TableWarning]:
    """A warning if the index of a frame holds dates."""
    index = getattr(X, "index", None)
    if getattr(getattr(index, "dtype", None), "kind", "") != "M":
        return []
    name = str(getattr(index, "name", None) or "the index")
    column = table_from({name: np.asarray(index)}).columns[0]
    found = [*date_warnings(Table([column]))]
    advice = "times=X.index tests on later rows only"
    return [replace(one, flag="", advice=advice) for one in found]


def splits_copies(table: Table, target: Column, plan: Plan) -> bool:
    """Whether some equal rows are in different folds."""
    _, group = np.unique(row_hashes(table, target), return_inverse=True)
    folds = plan.fold_of_row[0]
    first, last = np.full(group.max() + 1, folds.max() + 1), np.full(group.max() + 1, -2)
    np.minimum.at(first, group, folds)
    np.maximum.at(last, group, folds)
    return bool((first < last).any())


def warn_of(warnings: tuple[TableWarning, ...]) -> tuple[TableWarning, ...]:
    """Raise each as a Python warning, at the line of the user."""
    for one in warnings:
        warn_user(str(one))
    return warnings


def baseline_warning(verdict: Verdict) -> list[TableWarning]:
    """A warning if a model is not better than guessing."""
    if verdict.is_better:
        return []
    sentence = f"the model is {verdict.words}"
    return [TableWarning("baseline", "", verdict.gain.mean, sentence, "", "", "")]
