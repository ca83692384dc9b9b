"""tw.report: a model on one page, to hand in."""

import os
from typing import Any

from treewright.atomic_file import write_file
from treewright.data.sources import table_from
from treewright.documents.as_html import to_html
from treewright.documents.as_markdown import to_markdown
from treewright.documents.page import Document
from treewright.errors import ParameterError
from treewright.evaluation.evaluate import Protocol
from treewright.models.base import TreeEstimator
from treewright.reports.facts import ReportFacts, Rows, gathered, usual_folds
from treewright.reports.sections import report_document


def report(
    model: TreeEstimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    name: str = "the table",
    folds: Any = None,
    repeats: int = 1,
    random_state: int = 0,
    command: str = "",
) -> "Report":
    """One page about a fitted model: columns, tree, rules, judgement, calculation, settings.

    On the rows that the model learnt from it is judged by cross-validation; on others as it is.

    Parameters
    ----------
    model
        A fitted tree estimator.
    X, y, sample_weight
        Rows: those of the fit, or new ones.
    name
        What the table is called.
    folds, repeats, random_state
        The cross-validation; None takes ten folds, or five for more than 50,000 rows.
    command
        The command that makes the model again, to be printed at the end.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> page = tw.report(tw.C45Classifier().fit(X, y), X, y, name="iris")
    >>> page
    <Report: the target by C45Classifier>
    >>> page.to_html()[:15]
    '<!DOCTYPE html>'
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"a {type(model).__name__} has no report", hint="give a fitted tree estimator"
        )
    model._fitted_tree()
    table = table_from(X, categorical_features=model.categorical_features)
    rows = Rows(name, table, y, sample_weight)
    if folds is None:
        folds = usual_folds(table.n_rows)
    protocol = Protocol(folds=folds, repeats=repeats, random_state=random_state)
    return Report(gathered(model, rows, protocol, command))


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
        """Write the report as HTML, all of it or nothing."""
        write_file(path, self.to_html().encode("utf-8"))

    def _repr_html_(self) -> str:
        return to_html(self.document(), standalone=False)

    def __repr__(self) -> str:
        return f"<{self.document().title}>"
