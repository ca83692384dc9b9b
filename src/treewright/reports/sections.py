"""The sections of a report, from the table to the settings."""

import platform
from collections.abc import Callable, Iterator
from importlib import metadata
from itertools import chain

import numpy as np

from treewright.documents.page import (
    Block,
    Document,
    Figure,
    Heading,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.evaluation.as_text import TITLES, shown, with_spread
from treewright.evaluation.calibration import calibration
from treewright.figures import feature_importance
from treewright.models.drawing import draw
from treewright.models.rule_models import rules
from treewright.reports.calibration_figure import calibration_figure
from treewright.reports.facts import ReportFacts
from treewright.tree.conditions import plain, weight_text

MOST_RULES = 30
MOST_COLUMNS = 60
MOST_CLASSES = 12  # of a confusion matrix on paper
WORKSHEET_NODES = 3

Section = Callable[[ReportFacts], Iterator[Block]]


def report_document(facts: ReportFacts) -> Document:
    """All sections, one after the other."""
    title = f"Report: {plain(facts.target)} by {type(facts.model).__name__}"
    return Document(title, tuple(chain.from_iterable(section(facts) for section in SECTIONS)))


def summary(facts: ReportFacts) -> Iterator[Block]:
    """The whole story in a few sentences."""
    tree, found = facts.model.tree_, facts.evaluation
    measure = next(iter(found.scores))
    judged = found.interval(measure)
    title = TITLES.get(measure, measure)
    between = (
        "" if np.isnan(judged.low) else f" (95 % interval {judged.low:.4f} to {judged.high:.4f})"
    )
    yield Paragraph.of(
        f"A tree of {tree.n_leaves} leaves and depth {tree.depth}, learnt from "
        f"{weight_text(float(tree.n_rows[0]))} rows and {len(facts.model.schema_.names)} columns, "
        f"predicts {plain(facts.target)}. On rows that it did not learn from its {title} is ",
        Run(f"{judged.mean:.4f}", "strong"),
        f"{between}, by {found.scheme}." if facts.worksheet else f"{between} ({found.scheme}).",
    )
    for note in facts.model.notes_:
        yield Note(note)


def columns(facts: ReportFacts) -> Iterator[Block]:
    """What each column was taken for, and warnings."""
    found = facts.rows.table.report(facts.rows.y)
    yield Heading(2, "Columns")
    yield Paragraph.of(
        f"{plain(facts.rows.name)}: {found.n_rows} rows, {len(found.lines)} columns."
    )
    lines = found.lines[:MOST_COLUMNS]
    yield SheetTable(
        ("column", "kind", "distinct", "missing", "because"),
        tuple(
            (line.name, line.kind, str(line.n_distinct), str(line.n_missing), line.why)
            for line in lines
        ),
        "llrrl",
        "" if len(lines) == len(found.lines) else f"{len(lines)} of {len(found.lines)} columns",
    )
    for warning in found.warnings:
        yield Note(warning)


def tree(facts: ReportFacts) -> Iterator[Block]:
    """The picture."""
    yield Heading(2, "The tree")
    picture = draw(facts.model)
    yield Figure(picture.to_svg(), picture.drawing.description)
    report = facts.model.pruning_
    if report is not None:
        yield Paragraph.of(
            f"Pruned by {report.method}: {report.n_leaves_before} leaves became "
            f"{report.n_leaves_after}."
        )


def rule_list(facts: ReportFacts) -> Iterator[Block]:
    """The rules that most rows meet."""
    found = rules(facts.model)
    yield Heading(2, "Rules")
    ordered = found if found.is_ordered else found.sort("weight")
    text = ordered[:MOST_RULES].to_text()
    if len(found) > MOST_RULES:
        which = "first" if found.is_ordered else "heaviest"
        yield Paragraph.of(f"The {which} {MOST_RULES} of {len(found)} rules.")
    yield Listing(text)


def judgement(facts: ReportFacts) -> Iterator[Block]:
    """Measures, classes, confusion, calibration."""
    found = facts.evaluation
    yield Heading(2, "How good it is")
    what = "fresh copies of the model, fitted inside each split" if facts.worksheet else "the model"
    yield Paragraph.of(f"Judged by {found.scheme}: {what}, on {found.rows.n_rows} rows.")
    yield SheetTable(
        ("measure", "mean", "deviation", "95 % interval"),
        tuple(
            (
                TITLES.get(name, name),
                shown(found.mean(name)),
                shown(found.deviation(name)),
                interval_words(facts, name),
            )
            for name in found.scores
        ),
        "lrrr",
    )
    if found.classes is None:
        return
    yield from class_tables(facts)


def interval_words(facts: ReportFacts, name: str) -> str:
    found = facts.evaluation.interval(name)
    return "" if np.isnan(found.low) else f"{found.low:.4f} to {found.high:.4f}"


def class_tables(facts: ReportFacts) -> Iterator[Block]:
    """Each class, the confusion matrix, and whether shares mean what they say."""
    found = facts.evaluation
    assert found.classes is not None
    names = list(found.by_class)
    yield SheetTable(
        ("class", *names),
        tuple(
            (str(label), *(with_spread(*measures[name]) for name in names))
            for label, measures in found.class_table().items()
        ),
        "l" + "r" * len(names),
        "By class, mean and standard deviation over the splits",
    )
    labels = [str(label) for label in found.classes]
    if len(labels) <= MOST_CLASSES:
        yield SheetTable(
            ("true \\ predicted", *labels),
            tuple(
                (label, *(weight_text(round(cell, 1)) for cell in line))
                for label, line in zip(labels, found.confusion.tolist(), strict=True)
            ),
            "l" + "r" * len(labels),
            "Confusion matrix" + (", mean of the repeats" if found.plan.n_repeats > 1 else ""),
        )
    if found.judgements[0].shares is not None:
        picture = calibration_figure(calibration(found))
        yield Figure(picture.to_svg(), picture.drawing.description)


def importance(facts: ReportFacts) -> Iterator[Block]:
    """Which columns matter."""
    if facts.model.tree_.n_leaves == 1:
        return
    yield Heading(2, "Which columns matter")
    picture = feature_importance(facts.model)
    yield Figure(picture.to_svg(), picture.drawing.description)


def top_nodes(facts: ReportFacts) -> Iterator[Block]:
    """The calculation at the nodes that most rows pass."""
    if facts.worksheet is None:
        return
    yield Heading(2, "The calculation at the top")
    for block in facts.worksheet.document(steps="summary", max_nodes=WORKSHEET_NODES).blocks:
        yield Heading(3, block.text) if isinstance(block, Heading) and block.level == 2 else block


def settings(facts: ReportFacts) -> Iterator[Block]:
    """All that is needed to make it again."""
    yield Heading(2, "Settings and versions")
    given = facts.model.get_params()
    yield SheetTable(
        ("setting", "value"),
        tuple((name, repr(value)) for name, value in sorted(given.items())),
        "ll",
    )
    packages = ("treewright", "numpy", "scikit-learn")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages if installed(name))
    yield Paragraph.of(f"Python {platform.python_version()}, {versions}.")
    if facts.command:
        yield Listing(facts.command)


def installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


SECTIONS: tuple[Section, ...] = (
    summary,
    tree,
    judgement,
    importance,
    rule_list,
    columns,
    top_nodes,
    settings,
)
