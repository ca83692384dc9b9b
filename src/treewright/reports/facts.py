"""What a report is made of, gathered once."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.data.table import Table
from treewright.errors import DataError
from treewright.evaluation.evaluate import Protocol, evaluated
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.rows import rows_for
from treewright.evaluation.saved import evaluate_fitted
from treewright.models.base import TreeEstimator
from treewright.models.worksheets import worksheet
from treewright.worksheets.sheet import Worksheet

NODES_COMPARED = 12
MANY_ROWS = 50_000  # then five folds judge as well as ten


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The table that a report is about."""

    name: str
    table: Table
    y: Any
    weights: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class ReportFacts:
    """A fitted model, rows, and how the one does on the other."""

    model: TreeEstimator
    rows: Rows
    evaluation: Evaluation
    worksheet: Worksheet | None  # None: these are not the rows that the model learnt from
    command: str  # that makes it again; "" if it was made in Python

    @property
    def target(self) -> str:
        return self.model.target_name_ or "the target"


def gathered(model: TreeEstimator, rows: Rows, protocol: Protocol, command: str) -> ReportFacts:
    """Judge the model: by cross-validation on its own rows, as it is on others."""
    sheet = worksheet_or_none(model, rows)
    if sheet is None:
        found = evaluate_fitted(model, rows.table, rows.y, rows.weights)
    else:
        found = evaluated(model, rows_for([model], rows.table, rows.y, rows.weights), protocol)
    return ReportFacts(model, rows, found, sheet, command)


def worksheet_or_none(model: TreeEstimator, rows: Rows) -> Worksheet | None:
    """The worksheet, if these are the rows that the model learnt from."""
    try:
        sheet = worksheet(model, rows.table, rows.y, rows.weights)
        for node in np.argsort(-model.tree_.weight, kind="stable")[:NODES_COMPARED]:
            sheet.nodes[int(node)]  # raises where other rows come than did in training
    except DataError:
        return None
    return sheet


def usual_folds(n_rows: int) -> int:
    """Ten folds, fewer for few rows and for very many."""
    if n_rows >= MANY_ROWS:
        return 5
    return max(2, min(10, n_rows))
