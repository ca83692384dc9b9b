"""What a report is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright.cached import cached_property
from treewright.data.report import ColumnReport
from treewright.data.table import Table
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.estimators import base
from treewright.estimators.base import OtherModel
from treewright.evaluation.evaluation import Evaluation
from treewright.models.base import TreeEstimator
from treewright.models.pruned_later import LaterPruning, later_pruning
from treewright.worksheets.sheet import Worksheet

Model = base.Model[Any]


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
    command: str = ""  # that makes the page; "" if it is made in Python
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of `report`, not the default


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """A fitted model, rows, and how the one does on the other."""

    model: Model
    rows: Rows
    evaluation: Evaluation
    learnt_here: bool  # whether these are the rows that the model learnt from
    worksheet: Worksheet | None  # of a tree that did
    words: Words
    n_leaves_by_settings: int | None = None  # of these rows; None: as many as the tree has

    @property
    def target(self) -> str:
        return self.words.target

    @property
    def tree_model(self) -> TreeEstimator:
        """The model, in the sections on single trees."""
        assert isinstance(self.model, TreeEstimator)
        return self.model

    @property
    def learned_model(self) -> Model:
        """The model, in the section on those that are no trees."""
        assert isinstance(self.model, OtherModel)
        return self.model

    @property
    def n_learnt(self) -> int | None:
        """How many rows the model learnt from; None where nobody remembers."""
        if isinstance(self.model, TreeEstimator):
            return int(self.model.tree_.n_rows[0])
        if isinstance(self.model, OtherModel):
            return self.rows.table.n_rows if self.learnt_here else None
        return int(self.model.n_rows_)

    @property
    def is_resampled(self) -> bool:
        """Whether copies of the model were judged, each on rows that it did not see."""
        return len(self.evaluation.judgements[0].split.train) > 0

    @cached_property
    def later_pruning(self) -> LaterPruning | None:
        """What `tw.prune` did to a tree after its fit."""
        return later_pruning(self.model)

    @cached_property
    def columns(self) -> ColumnReport:
        """What each column was taken for."""
        return self.rows.table.report(self.rows.y)


def is_stopped_from_outside(model: Model) -> bool:
    """Whether rows or callbacks that copies are not given decided on the number of rounds."""
    if not isinstance(model, BoostedTrees):
        return False
    by_given_rows = model.patience is not None and model.validation_fraction is None
    return by_given_rows or bool(model.callbacks)
