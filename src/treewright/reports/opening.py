"""How a report begins: what it is about, and the numbers that count."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from treewright.data.table_text import counted
from treewright.documents.page import Block, KeyFact, KeyFacts, Note, Paragraph, Run
from treewright.ensembles.base import Ensemble
from treewright.estimators.base import OtherModel
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.measure import TITLES
from treewright.models.base import TreeEstimator
from treewright.models.c45_rules import C45Rules
from treewright.reports.facts import ReportFacts, is_stopped_from_outside
from treewright.reports.words import between, method_text, score_text, short_name

COLUMNS_ANCHOR = "columns"
NOT_ITS_ROWS = (
    "These are not the rows that the model learnt from, so it was judged as it is. If some of "
    "them were among its training rows, it looks better here than it is."
)
ITS_OWN_ROWS = (
    "The model was judged on the rows that it learnt from: on new rows it will do worse than here."
)


def opening(facts: ReportFacts) -> Iterator[Block]:
    """The whole story in a few lines."""
    yield what_it_is(facts)
    yield KeyFacts(tuple(key_facts(facts)))
    if not facts.is_resampled:
        yield Note(ITS_OWN_ROWS if facts.learnt_here else NOT_ITS_ROWS)
    elif caution := caution_on_copies(facts):
        yield Note(caution)
    for note in facts.model.notes_:
        yield Note(note)
    if n_warnings := len(facts.columns.warnings):
        link = Run("Columns", link=COLUMNS_ANCHOR)
        yield Paragraph.of(f"{counted(n_warnings, 'remark')} on columns: see ", link, ".")


def what_it_is(facts: ReportFacts) -> Paragraph:
    """Who predicts what, learnt from where."""
    n_learnt, n_columns = facts.n_learnt, len(facts.model.schema_.names)
    table = short_name(facts.rows.name)
    learnt = "learnt" if n_learnt is None else f"learnt from {counted(n_learnt, 'row')}"
    if facts.learnt_here:
        where = f"{learnt} of {table}."
    else:
        elsewhere = f"{learnt} from other rows" if n_learnt is None else learnt
        answered = counted(facts.rows.table.n_rows, "row")
        where = f"{elsewhere}. Here it answers for {answered} of {table}."
    return Paragraph.of(
        f"{type(facts.model).__name__} predicts ",
        Run(short_name(facts.target), "strong"),
        f" from {counted(n_columns, 'column')}, {where}",
    )


def caution_on_copies(facts: ReportFacts) -> str:
    """That the judged copies are not made as the model of the page was; "" if they are."""
    if is_stopped_from_outside(facts.model):
        return (
            "What ended the rounds of the model, validation rows or a callback, the copies that "
            "were judged have not: they grew as many rounds."
        )
    pruning = facts.later_pruning
    if pruning is not None and facts.evaluation.pruned != str(pruning):
        return (
            f"The tree was pruned ({method_text(pruning)}) after the model was fitted; the copies "
            "that were judged were not. How good it is, rows that it has never seen can tell."
        )
    if facts.n_leaves_by_settings is not None:
        return (
            f"The settings of the model make a tree of {facts.n_leaves_by_settings:,} leaves from "
            "these rows; this one was changed after its fit. The copies that were judged were not."
        )
    return ""


def key_facts(facts: ReportFacts) -> Iterator[KeyFact]:
    """How good, compared with what, how large."""
    found = facts.evaluation
    for name in leading_measures(found):
        judged = found.interval(name)
        yield KeyFact(
            TITLES[name], score_text(judged.mean), interval_remark(judged.low, judged.high)
        )
    yield simplest(facts)
    if not isinstance(facts.model, OtherModel):
        yield size_fact(facts.model)


def size_fact(model: TreeEstimator | Ensemble[Any]) -> KeyFact:
    """How large the model is, in its own unit."""
    if isinstance(model, Ensemble):
        return KeyFact("trees", f"{len(model.trees_):,}", f"{model.get_n_leaves():,} leaves")
    if isinstance(model, C45Rules):
        return KeyFact("rules", f"{len(model.rules_):,}")
    return KeyFact("leaves", f"{model.tree_.n_leaves:,}", f"depth {model.tree_.depth}")


def leading_measures(found: Evaluation) -> tuple[str, ...]:
    if found.classes is None:
        return ("rmse", "r2")
    return ("cost", "accuracy") if "cost" in found.scores else ("accuracy",)


def interval_remark(low: float, high: float) -> str:
    words = between(low, high)
    return f"95 %: {words}" if words else ""


def simplest(facts: ReportFacts) -> KeyFact:
    """What an answer scores that looks at no column: the commonest class, or the mean."""
    found = facts.evaluation
    weights = found.rows.weight_of_rows
    if found.classes is None:
        middle = float(np.average(found.rows.y, weights=weights))
        spread = float(np.sqrt(np.average((found.rows.y - middle) ** 2, weights=weights)))
        return KeyFact("without a model", score_text(spread), "RMSE of answering the mean")
    assert found.rows.codes is not None
    totals = np.bincount(found.rows.codes, weights, len(found.classes))
    if found.costs is not None:
        prices = totals @ found.costs / totals.sum()
        cheapest = short_name(found.classes[int(prices.argmin())], 30)
        return KeyFact("without a model", score_text(prices.min()), f"cost of always {cheapest}")
    commonest = short_name(found.classes[int(totals.argmax())], 30)
    share = float(totals.max() / totals.sum())
    return KeyFact("without a model", score_text(share), f"accuracy of always {commonest}")
