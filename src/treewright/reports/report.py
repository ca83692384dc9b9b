"""tw.report: a report on a model, as one page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from treewright.data.sources import table_from
from treewright.documents.page import Document
from treewright.documents.printed import Printed
from treewright.errors import DataError, check_type
from treewright.estimators.base import Model as AnyModel
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.frontier import Frontier
from treewright.evaluation.frontier import frontier as find_frontier
from treewright.evaluation.judging import Progress
from treewright.evaluation.protocol import usual_folds
from treewright.evaluation.rows import check_has_target
from treewright.protocols import Predictor, ProbabilityPredictor
from treewright.readable_trees.estimators import ReadableTreeClassifier, ReadableTreeRegressor
from treewright.reports.facts import NO_TARGET, UNNAMED, Model, ReportFacts, Rows, Words, short_name
from treewright.reports.judging import Judging, check_evaluation, gathered
from treewright.reports.sections import report_document
from treewright.verbs.predictions import check_predicts, rows_for


def report(
    model: Model | Predictor | ProbabilityPredictor,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    name: str = UNNAMED,
    target: str = "",
    title: str = "",
    unused: Sequence[str] = (),
    evaluation: Evaluation | None = None,
    frontier: Frontier | bool = False,
    folds: Any = None,
    repeats: int = 1,
    hold_out: float | None = None,
    groups: Any = None,
    times: Any = None,
    stratified: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    command: str = "",
) -> "Report":
    """Create a report on a model: tree, evaluation, rules, columns, calculation, settings.

    On its training rows the model is evaluated by cross-validation; on other rows as it is.

    Parameters
    ----------
    model
        A model that predicts a target. If it is not fitted, a copy is fitted to the rows. Of an
        object of another package, which only needs `predict` or `predict_proba`, the page shows
        the evaluation, what it loses if columns are shuffled, and a small tree that approximates
        it.
    X, y, sample_weight
        The training rows, or new ones.
    name, target, title
        Names of the table and the target, and the title of the page.
    unused
        Columns of the table that were left out, such as ids; the report names them.
    evaluation
        The result of `treewright.evaluate` for these rows; None evaluates the model here.
    frontier
        True adds what trees of different sizes score, which takes as long as `treewright.frontier`;
        or the result of that function for these rows.
    folds, repeats, hold_out, groups, times, stratified, random_state
        How rows are split, as in `treewright.evaluate`; `folds=None` means 10, or 5 for 50,000
        rows and more.
    n_jobs, progress
        As in `treewright.evaluate`.
    command
        The command that makes the page; it is printed at the end instead of Python code.

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
    check_predicts(model, "has no report")
    check_has_target(model)
    table = table_from(X, categorical_features=getattr(model, "categorical_features", "from_dtype"))
    own, fitted_here = fitted(model, table if isinstance(model, AnyModel) else X, y, sample_weight)
    rows = Rows(name, table, y, sample_weight, tuple(unused), X)
    check_evaluation(evaluation, own, rows)
    division = {
        "folds": folds,
        "repeats": repeats,
        "hold_out": hold_out,
        "groups": groups,
        "times": times,
        "stratified": stratified,
        "random_state": random_state,
    }
    texts = {"name": name, "target": target, "title": title, "unused": tuple(unused)}
    asked = unusual({**texts, "evaluation": evaluation, "frontier": frontier, **division})
    words = Words(target or known_name(own, y), title, command, asked)
    options = {**division, "n_jobs": n_jobs, "progress": progress}
    if folds is None:
        options["folds"] = usual_folds(table.n_rows)
    facts = gathered(own, rows, words, Judging(options, evaluation), fitted_here=fitted_here)
    return Report(replace(facts, frontier=frontier_of(facts, n_jobs, asked=frontier)))


def fitted(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, bool]:
    """The model, or a copy fitted to the rows if it is not fitted, and whether it is that copy."""
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    if isinstance(model, AnyModel):
        if model.__sklearn_is_fitted__():
            return model, False
        return clone(model).fit(X, y, **weights), True
    if hasattr(model, "__sklearn_tags__"):
        try:
            check_is_fitted(model)
        except NotFittedError:
            return clone(model).fit(rows_for(model, X), y, **weights), True
    return model, False


def frontier_of(
    facts: ReportFacts, n_jobs: int | None, *, asked: Frontier | bool
) -> Frontier | None:
    """What trees of different sizes score on the rows, if the page should say it."""
    rows, of_classes = facts.rows, facts.evaluation.classes is not None
    if not isinstance(asked, bool):
        check_type(asked, Frontier, "a frontier", "tw.frontier(X, y)")
        n_rows, predicts = rows.table.n_rows, "classes" if of_classes else "numbers"
        if asked.n_rows != n_rows and rows.weights is None:
            raise DataError(f"the frontier is of {asked.n_rows:,} rows, the table has {n_rows:,}")
        if (asked.measure == "log loss") != of_classes:
            raise DataError(f"the frontier has {asked.measure}, but the model predicts {predicts}")
        return asked
    if not asked:
        return None
    kind = ReadableTreeClassifier if of_classes else ReadableTreeRegressor
    nominal = "from_dtype" if facts.is_foreign else facts.model.categorical_features
    readable = kind(categorical_features=nominal)
    return find_frontier(rows.table, rows.y, rows.weights, model=readable, n_jobs=n_jobs)


def unusual(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of `report` that are not the default."""
    usual = {one.name: one.default for one in signature(report).parameters.values()}
    return {
        name: value
        for name, value in arguments.items()
        if type(value) is not type(usual[name]) or value != usual[name]
    }


def known_name(model: Any, y: Any) -> str:
    """The name of the target, if it is known."""
    own = model.target_name_ if isinstance(model, AnyModel) else None
    name = own or getattr(y, "name", None)
    return NO_TARGET if name is None else str(name)


class Report(Printed):
    """A page about one model; `facts.evaluation` has the numbers."""

    def __init__(self, facts: ReportFacts) -> None:
        self.facts = facts

    def document(self) -> Document:
        """The page before it is rendered."""
        return report_document(self.facts)

    def _forms(self) -> dict[str, Callable[..., str]]:
        return {**super()._forms(), ".htm": self.to_html}

    def __repr__(self) -> str:
        facts = self.facts
        name = facts.words.title or f"{short_name(facts.target)} by {type(facts.model).__name__}"
        return f"<Report: {name}>"
