"""The page: how it begins, and its sections from the tree to the settings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.documents.page import (
    Block,
    Contents,
    Document,
    Heading,
    KeyFact,
    KeyFacts,
    Note,
    Paragraph,
    Run,
)
from treewright.ensembles.base import Ensemble
from treewright.estimators.base import OtherModel
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.scores import TITLES
from treewright.imports.estimators import Imported
from treewright.plain_text import counted, named_class
from treewright.reports.facts import (
    UNNAMED,
    Model,
    ReportFacts,
    between,
    is_stopped_early,
    measure_text,
    method_text,
    score_text,
    short_name,
)
from treewright.reports.model_sections import (
    calculation_section,
    distilled_section,
    first_steps_section,
    importance_section,
    model_section,
    shuffling_section,
    tree_section,
    trees_section,
)
from treewright.reports.rule_section import rule_section
from treewright.reports.scores_section import (
    frontier_section,
    judgment_section,
    needs_threshold,
    threshold_section,
)
from treewright.reports.settings_section import settings_section
from treewright.reports.table_section import columns_section
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.c45_rules import C45Rules
from treewright.verbs.distil import LEAST_ROWS

COLUMNS_ANCHOR = "columns"
NOT_ITS_ROWS = (
    "These are not the training rows of the model, so it was tested on them as it is. If some of "
    "them were training rows, the scores are optimistic."
)
PERHAPS_ITS_ROWS = (
    "The training rows of the model are not known, so it was tested on these rows as it is. If "
    "some of them were training rows, the scores are optimistic."
)
ITS_OWN_ROWS = "The model was tested on its own training rows, so the scores are optimistic."


def opening(facts: ReportFacts) -> Iterator[Block]:
    """The summary at the top: the verdict, then what the model is and its key figures."""
    yield from verdict_lead(f"The model is {facts.evaluation.verdict}.")
    for warning in facts.evaluation.warnings:
        yield Note(f"Warning: {warning}.")
    yield what_it_is(facts)
    yield KeyFacts(tuple(key_facts(facts)))
    if not facts.is_resampled:
        is_unknown = facts.is_foreign or isinstance(facts.model, Imported)
        others = PERHAPS_ITS_ROWS if is_unknown else NOT_ITS_ROWS
        yield Note(ITS_OWN_ROWS if facts.learned_here else others)
    elif caution := caution_on_copies(facts):
        yield Note(caution)
    for note in facts.notes:
        yield Note(note)
    if n_warnings := len(facts.columns.warnings):
        link = Run("Columns", link=COLUMNS_ANCHOR)
        yield Paragraph.of(f"{counted(n_warnings, 'warning')} on columns: see ", link, ".")


def verdict_lead(sentence: str) -> Iterator[Block]:
    """The verdict on the model, which a reader sees first.

    >>> (lead,) = verdict_lead("Accuracy 87 %, always `no` 72 %.")
    >>> [run.text for run in lead.runs]
    ['Accuracy 87 %, always ', 'no', ' 72 %.']
    """
    parts = enumerate(sentence.split("`"))
    runs = tuple(Run(text, "code" if at % 2 else "plain") for at, text in parts if text)
    yield Paragraph(runs, is_lead=True)


def what_it_is(facts: ReportFacts) -> Paragraph:
    """Model, target, columns and training rows."""
    n_learned, n_columns = facts.n_learned, facts.rows.table.n_columns
    if not facts.is_foreign:
        n_columns = len(facts.model.schema_.names)
    table = short_name(facts.rows.name)
    learned = "learned" if n_learned is None else f"learned from {counted(n_learned, 'row')}"
    if facts.learned_here:
        where = f"{learned} of {table}."
    else:
        elsewhere = f"{learned} from other rows" if n_learned is None else learned
        if isinstance(facts.model, Imported):
            elsewhere = f"imported from {facts.model.import_report_.library}"
        if facts.is_foreign:
            elsewhere = "trained elsewhere"
        n_rows = counted(facts.rows.table.n_rows, "row")
        where = f"{elsewhere}. Here it predicts {n_rows} of {table}."
    return Paragraph.of(
        f"{kind_in_words(facts.model)} predicts ",
        Run(short_name(facts.target), "strong"),
        f" from {counted(n_columns, 'column')}, {where}",
    )


def kind_in_words(model: Model) -> str:
    """`A decision tree (C45Classifier)`: what kind of model it is, and its name."""
    name = type(model).__name__
    if isinstance(model, Ensemble):
        return f"An ensemble of {counted(len(model.trees_), 'tree')} ({name})"
    if isinstance(model, C45Rules):
        return f"A list of rules ({name})"
    if isinstance(model, TreeEstimator):
        return f"A decision tree ({name})"
    package = type(model).__module__.partition(".")[0]
    return name if package in ("treewright", "__main__") else f"{name} ({package})"


def caution_on_copies(facts: ReportFacts) -> str:
    """Caution if the evaluated copies were trained differently from the model; "" if not."""
    if is_stopped_early(facts.model):
        return (
            "Validation rows or a callback ended the rounds of the model. The evaluated copies had "
            "neither: they grew the same number of rounds."
        )
    pruning = facts.later_pruning
    if pruning is not None and facts.evaluation.pruned != str(pruning):
        return (
            f"The tree was pruned ({method_text(pruning)}) after the model was fitted; the "
            "evaluated copies were not. Use new rows to evaluate the pruned tree."
        )
    if facts.n_leaves_by_settings is not None:
        return (
            f"The settings of the model make a tree of {facts.n_leaves_by_settings:,} leaves from "
            "these rows; this one was changed after its fit. The evaluated copies were not."
        )
    return ""


def key_facts(facts: ReportFacts) -> Iterator[KeyFact]:
    """The main score, the baseline, and the size of the model."""
    found = facts.evaluation
    for name in leading_measures(found):
        judged = found.interval(name)
        interval = between(found, name, judged.low, judged.high)
        remark = f"95 %: {interval}" if interval else ""
        yield KeyFact(TITLES[name], measure_text(found, name, judged.mean), remark)
    yield baseline(facts)
    if isinstance(facts.model, TreeEstimator | Ensemble):
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


def baseline(facts: ReportFacts) -> KeyFact:
    """The baseline: always predict the most frequent class, the cheapest one, or the mean.

    Its score is that of the verdict: on the same held-out rows as the score of the model.
    """
    found = facts.evaluation
    score = score_text(found.verdict.guess_score)
    if found.classes is None:
        error = measure_text(found, "rmse", found.verdict.guess_score)
        return KeyFact("without a model", error, "RMSE of always predicting the mean")
    assert found.rows.codes is not None
    totals = np.bincount(found.rows.codes, found.rows.weight_of_rows, len(found.classes))
    if found.costs is not None:
        cheapest = class_text(facts, found.classes[int((totals @ found.costs).argmin())])
        return KeyFact("without a model", score, f"cost of always predicting {cheapest}")
    commonest = class_text(facts, found.classes[int(totals.argmax())])
    return KeyFact("without a model", score, f"accuracy of always predicting {commonest}")


def class_text(facts: ReportFacts, label: object) -> str:
    classes = facts.evaluation.classes or ()
    return named_class(short_name(label, 30), classes, facts.target_if_named)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page, and for which models it is shown."""

    title: str
    blocks: Callable[[ReportFacts], Iterator[Block]]
    is_wanted: Callable[[ReportFacts], bool] = lambda facts: True

    @property
    def heading(self) -> Heading:
        """Its anchor is what Markdown makes of its title, too."""
        return Heading(2, self.title, self.title.lower().replace(" ", "-"))


def predicts_by_tree(facts: ReportFacts) -> bool:
    return isinstance(facts.model, TreeEstimator) and not facts.model.predicts_by_rules


def has_rules(facts: ReportFacts) -> bool:
    return isinstance(facts.model, TreeEstimator) and facts.model.tree_.n_leaves > 1


def knows_importances(facts: ReportFacts) -> bool:
    """Values close to overflow have no importances."""
    model = facts.model
    if facts.is_foreign:
        return False
    if isinstance(model, Ensemble):
        has_splits = model.get_n_leaves() > len(model.trees_)
    else:
        has_splits = has_rules(facts)
    shares = model.feature_importances_ if has_splits else np.zeros(0)
    return bool(shares.any()) and bool(np.isfinite(shares).all())


def is_other(facts: ReportFacts) -> bool:
    return isinstance(facts.model, OtherModel)


def has_first_steps(facts: ReportFacts) -> bool:
    """Whether the worksheet of a model that is not a tree can be computed from the rows."""
    has_sheet = getattr(type(facts.model), "worksheet", None) is not OtherModel.worksheet
    return is_other(facts) and facts.learned_here and has_sheet


SECTIONS = (
    Section("The tree", tree_section, predicts_by_tree),
    Section("The trees", trees_section, lambda facts: isinstance(facts.model, Ensemble)),
    Section("The model", model_section, is_other),
    Section("Rules", rule_section, has_rules),
    Section("Evaluation", judgment_section),
    Section("Decision threshold", threshold_section, needs_threshold),
    Section("How many leaves", frontier_section, lambda facts: facts.frontier is not None),
    Section("Which columns matter", importance_section, knows_importances),
    Section("Which columns matter", shuffling_section, lambda facts: facts.is_foreign),
    Section(
        "A tree that approximates it",
        distilled_section,
        lambda facts: facts.is_foreign and facts.rows.table.n_rows >= LEAST_ROWS,
    ),
    Section("Columns", columns_section),
    Section(
        "The calculation at the top",
        calculation_section,
        lambda facts: facts.worksheet is not None,
    ),
    Section("The calculation", first_steps_section, has_first_steps),
    Section("Settings and versions", settings_section),
)


def report_document(facts: ReportFacts) -> Document:
    """The opening, the contents, and the sections for this model."""
    wanted = [section for section in SECTIONS if section.is_wanted(facts)]
    blocks: list[Block] = [*opening(facts)]
    blocks.append(Contents(tuple(section.heading for section in wanted)))
    for section in wanted:
        blocks += [section.heading, *section.blocks(facts)]
    return Document(title_of(facts), tuple(blocks))


def title_of(facts: ReportFacts) -> str:
    """What the page is called."""
    table = "" if facts.rows.name == UNNAMED else f" from {short_name(facts.rows.name)}"
    return facts.words.title or f"Predicting {short_name(facts.target)}{table}"
