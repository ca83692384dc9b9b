"""tw.report: a model on one page, to hand in."""

import os
from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from treewright.atomic_file import write_by_suffix
from treewright.data.sources import table_from
from treewright.documents.as_html import to_html
from treewright.documents.as_markdown import to_markdown
from treewright.documents.page import Document
from treewright.errors import DataError, ParameterError
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.side_by_side import Progress
from treewright.models.base import TreeEstimator
from treewright.reports.facts import Judging, ReportFacts, Rows, Words, gathered, usual_folds
from treewright.reports.sections import report_document, title_of


def report(
    model: TreeEstimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    name: str = "the table",
    target: str = "",
    title: str = "",
    unused: Sequence[str] = (),
    evaluation: Evaluation | None = None,
    folds: Any = None,
    repeats: int = 1,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> "Report":
    """One page about a model: tree, judgement, rules, columns, calculation, settings.

    On the rows that the model learnt from it is judged by cross-validation; on others as it is.

    Parameters
    ----------
    model
        A tree estimator; one that is not fitted is fitted to the rows, in a copy.
    X, y, sample_weight
        Rows: those of the fit, or new ones.
    name, target, title
        What the table, the target and the page are called.
    unused
        Columns of the table that the model was not given, such as ids, to be named.
    evaluation
        What `treewright.evaluate` found of these rows; None judges the model here.
    folds, repeats, random_state
        The cross-validation; None takes ten folds, or five for 50,000 rows and more.
    n_jobs, progress
        As in `treewright.evaluate`.
    command
        The command that makes the model again, to be printed at the end.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> page = tw.report(tw.C45Classifier(), X, y, name="iris", target="species")
    >>> page
    <Report: species by C45Classifier>
    >>> page.to_html()[:15]
    '<!DOCTYPE html>'
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"a {type(model).__name__} has no report", hint="give a tree estimator"
        )
    table = table_from(X, categorical_features=model.categorical_features)
    if not hasattr(model, "tree_"):
        model = clone(model).fit(table, y, sample_weight=sample_weight)
    check_evaluation(evaluation, table.n_rows)
    words = Words(target or known_name(model, y), title, command)
    options = {
        "folds": usual_folds(table.n_rows) if folds is None else folds,
        "repeats": repeats,
        "random_state": random_state,
        "n_jobs": n_jobs,
        "progress": progress,
    }
    rows = Rows(name, table, y, sample_weight, tuple(unused))
    return Report(gathered(model, rows, words, Judging(options, evaluation)))


def check_evaluation(evaluation: Any, n_rows: int) -> None:
    """Raise unless it is an evaluation of as many rows."""
    if evaluation is None:
        return
    if not isinstance(evaluation, Evaluation):
        raise ParameterError(
            f"evaluation is a {type(evaluation).__name__}",
            hint="give what treewright.evaluate(model, X, y) returns",
        )
    if evaluation.rows.n_rows != n_rows:
        raise DataError(
            f"evaluation is of {evaluation.rows.n_rows} rows, the table has {n_rows}",
            hint="evaluate the model on the rows of the report",
        )


def known_name(model: TreeEstimator, y: Any) -> str:
    """What the target is called, if anybody knows."""
    name = model.target_name_ or getattr(y, "name", None)
    return "the target" if name is None else str(name)


class Report:
    """A page about one model; `facts.evaluation` has the numbers."""

    def __init__(self, facts: ReportFacts) -> None:
        self.facts = facts

    def document(self) -> Document:
        """The page before it is rendered."""
        return report_document(self.facts)

    def to_html(self) -> str:
        """The report as one HTML file that needs no network."""
        return to_html(self.document())

    def to_markdown(self) -> str:
        """The report in Markdown; pictures are left to their descriptions."""
        return to_markdown(self.document())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file that ends in .html or .md, all of it or nothing."""
        ways = {".html": self.to_html, ".htm": self.to_html, ".md": self.to_markdown}
        write_by_suffix(path, ways, "form of a report")

    def _repr_html_(self) -> str:
        return to_html(self.document(), standalone=False)

    def __repr__(self) -> str:
        return f"<{title_of(self.facts)}>"
