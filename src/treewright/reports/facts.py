"""The data of a report."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treewright.cached import cached_property
from treewright.data.formats import PLAIN, Format
from treewright.data.report import ColumnReport, column_report
from treewright.data.table import Table
from treewright.documents.page import Figure
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.estimators import base
from treewright.estimators.base import OtherModel
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.frontier import Frontier
from treewright.evaluation.verdict import IN_UNITS
from treewright.imports.estimators import Imported
from treewright.pictures.picture import Picture
from treewright.plain_text import plain, truncated
from treewright.single_trees.base import TreeEstimator
from treewright.verbs.prune import LaterPruning, later_pruning
from treewright.worksheets.sheet import Worksheet

Model = base.Model[Any]
UNNAMED = "the table"  # the name of a table without a name
NO_TARGET = "the target"  # and of a target without one


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The table that a report is about."""

    name: str
    table: Table
    y: Any
    weights: Any = None
    unused: tuple[str, ...] = ()  # columns that were not given to the model
    X: Any = None  # as given, for a model of another package


@dataclass(frozen=True, slots=True)
class Words:
    """Names for the target and the page, and how the page was made."""

    target: str = NO_TARGET
    title: str = ""  # of the page; "" for one made of target and table
    command: str = ""  # that makes the page; "" if it is made in Python
    arguments: Mapping[str, Any] = field(default_factory=dict)  # of `report`, not the default


@dataclass(frozen=True, eq=False)
class ReportFacts:
    """A fitted model, rows, and the evaluation of the model on them."""

    model: Model
    rows: Rows
    evaluation: Evaluation
    learned_here: bool  # whether these are the training rows of the model
    worksheet: Worksheet | None  # of a tree, from its training rows
    words: Words
    n_leaves_by_settings: int | None = None  # leaves of a refitted tree; None if the same
    frontier: Frontier | None = None  # what trees of different sizes score

    @property
    def is_foreign(self) -> bool:
        """Whether only predictions are known of the model, an object of another package."""
        return not isinstance(self.model, base.Model)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the fit had to say."""
        return () if self.is_foreign else self.model.notes_

    @property
    def target(self) -> str:
        return self.words.target

    @property
    def target_if_named(self) -> str:
        """The name of the target; "" if it has none."""
        return "" if self.target == NO_TARGET else short_name(self.target)

    @property
    def tree_model(self) -> TreeEstimator:
        """The model, which is a single tree."""
        assert isinstance(self.model, TreeEstimator)
        return self.model

    @property
    def other_model(self) -> Model:
        """The model, which is neither a tree nor an ensemble."""
        assert isinstance(self.model, OtherModel)
        return self.model

    @property
    def n_learned(self) -> int | None:
        """The number of training rows; None if it is not known."""
        if isinstance(self.model, TreeEstimator):
            return int(self.model.tree_.n_rows[0])
        if isinstance(self.model, OtherModel) or self.is_foreign:
            return self.rows.table.n_rows if self.learned_here else None
        return None if isinstance(self.model, Imported) else int(self.model.n_rows_)

    @property
    def is_resampled(self) -> bool:
        """Whether copies of the model were tested on held-out rows."""
        return len(self.evaluation.judgments[0].split.train) > 0

    @cached_property
    def later_pruning(self) -> LaterPruning | None:
        """What `tw.prune` did to a tree after its fit."""
        return later_pruning(self.model)

    @cached_property
    def columns(self) -> ColumnReport:
        """The type of each column, and warnings."""
        return column_report(self.rows.table, self.rows.y)


def is_stopped_early(model: Model) -> bool:
    """Whether validation rows or callbacks, which copies do not get, ended boosting."""
    if not isinstance(model, BoostedTrees):
        return False
    by_given_rows = model.n_iter_no_change is not None and model.validation_fraction is None
    return by_given_rows or bool(model.callbacks)


LONGEST_NAME = 60  # characters of a class or a column in a sentence
LARGE = 1000.0  # from here on without decimals
HUGE, TINY = 1e9, 5e-5  # beyond them with an exponent


def score_text(number: float) -> str:
    """A measure: four decimals, fewer for larger numbers.

    >>> [score_text(number) for number in (0.91953, 12.34567, 43210.9, 1.5e30, float("nan"))]
    ['0.9195', '12.35', '43,211', '1.5e+30', '–']
    """
    if math.isnan(number):
        return "–"
    size = abs(number)
    if size >= HUGE or 0 < size < TINY:
        return f"{number:.4g}"
    if size >= LARGE:
        return f"{number:,.0f}"
    return f"{number:.4f}" if size < 10 else f"{number:.2f}"


def measure_text(found: Evaluation, measure: str, number: float) -> str:
    """A measure; an error in the unit of the target as the table writes it."""
    return error_text(number, found.rows.target_format if measure in IN_UNITS else PLAIN)


def error_text(number: float, form: Format) -> str:
    """An error in the unit of the target, as the table writes it."""
    return score_text(number) if form == PLAIN or math.isnan(number) else form.value_text(number)


def between(found: Evaluation, measure: str, low: float, high: float) -> str:
    """An interval of a measure; "" where there is none."""
    if math.isnan(low):
        return ""
    return f"{measure_text(found, measure, low)} to {measure_text(found, measure, high)}"


def with_deviation(mean: float, deviation: float) -> str:
    """A mean and its standard deviation.

    >>> with_deviation(0.5, 0.125), with_deviation(0.5, float("nan"))
    ('0.500 ± 0.125', '0.500')
    """
    if math.isnan(mean):
        return "–"
    return f"{mean:.3f}" if math.isnan(deviation) else f"{mean:.3f} ± {deviation:.3f}"


def short_name(name: object, longest: int = LONGEST_NAME) -> str:
    """A name on one line, truncated; a blank one in quotes.

    >>> short_name("a very long name", 10), short_name(" ")
    ('a very lo…', '" "')
    """
    words = plain(str(name))
    if not words.strip():
        return f'"{words}"'
    return truncated(words, longest)


def method_text(method: object) -> str:
    """The name of a pruning method, as text."""
    return str(method).replace("_", " ")


def figure_of(picture: Picture, text: str = "", remark: str = "") -> Figure:
    """A picture as a block of the page."""
    return Figure(picture.to_svg(), picture.drawing.description, text, remark)
