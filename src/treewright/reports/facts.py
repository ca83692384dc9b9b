"""What a report is made of, gathered once."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from treewright.data.report import ColumnReport
from treewright.data.table import Table
from treewright.errors import DataError
from treewright.evaluation.evaluate import evaluate
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.saved import evaluate_fitted
from treewright.models.base import TreeEstimator
from treewright.models.fitted_rows import training_of
from treewright.models.worksheets import worksheet
from treewright.worksheets.agreement import check_agreement
from treewright.worksheets.node_rows import NodeRows
from treewright.worksheets.place import Place
from treewright.worksheets.sheet import Worksheet

NODES_COMPARED = 100  # with the rows that reach them, to know whether the model learnt from these
MANY_ROWS = 50_000  # then five folds judge as well as ten


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The table that a report is about."""

    name: str
    table: Table
    y: Any
    weights: Any = None
    unused: tuple[str, ...] = ()  # columns that the model was not given


@dataclass(frozen=True, slots=True)
class Words:
    """What the user calls things."""

    target: str = "the target"
    title: str = ""  # of the page; "" for one made of target and model
    command: str = ""  # that makes the model again; "" if it was made in Python


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """A fitted model, rows, and how the one does on the other."""

    model: TreeEstimator
    rows: Rows
    evaluation: Evaluation
    worksheet: Worksheet | None  # None: these are not the rows that the model learnt from
    words: Words

    @property
    def target(self) -> str:
        return self.words.target

    @property
    def is_resampled(self) -> bool:
        """Whether copies of the model were judged, each on rows that it did not see."""
        return len(self.evaluation.judgements[0].split.train) > 0

    @cached_property
    def columns(self) -> ColumnReport:
        """What each column was taken for."""
        return self.rows.table.report(self.rows.y)


@dataclass(frozen=True, slots=True, eq=False)
class Judging:
    """How the model is to be judged, unless it was already."""

    options: Mapping[str, Any]  # of `evaluate`
    found: Evaluation | None = None

    def on(self, model: TreeEstimator, rows: Rows, *, are_its_own: bool) -> Evaluation:
        """By cross-validation on rows that it learnt from; as it is on others."""
        if self.found is not None:
            return self.found
        if not are_its_own:
            return evaluate_fitted(model, rows.table, rows.y, rows.weights)
        return evaluate(model, rows.table, rows.y, rows.weights, **self.options)


def gathered(model: TreeEstimator, rows: Rows, words: Words, judging: Judging) -> ReportFacts:
    """Judge the model, and see whether it learnt from these rows."""
    sheet = None
    if learnt_from(model, rows):
        sheet = worksheet(model, rows.table, rows.y, rows.weights)
    found = judging.on(model, rows, are_its_own=sheet is not None)
    return ReportFacts(model, rows, found, sheet, words)


def learnt_from(model: TreeEstimator, rows: Rows) -> bool:
    """Whether as many rows of each class reach the nodes as did in training."""
    tree = model.tree_
    if tree.n_rows[0] == 0:  # written by hand
        return False
    try:
        training = training_of(model, rows.table, rows.y, rows.weights)
        below = NodeRows(tree, training)
        for node in np.argsort(-tree.weight, kind="stable")[:NODES_COMPARED].tolist():
            share = below.of(node)
            if share.n_rows != tree.n_rows[node]:
                return False
            if share.n_rows:
                check_agreement(tree, node, Place(training, share).group(""))
    except DataError:
        return False
    return True


def usual_folds(n_rows: int) -> int:
    """Ten folds, fewer for few rows and for very many."""
    if n_rows >= MANY_ROWS:
        return 5
    return max(2, min(10, n_rows))
