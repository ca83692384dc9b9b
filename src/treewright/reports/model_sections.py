"""The tree, the importance of columns, and the calculation at the top."""

from collections.abc import Callable, Iterator
from functools import partial
from textwrap import wrap
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from treewright.documents.page import Block, Figure, Heading, Listing, Note, Paragraph
from treewright.ensembles.base import Ensemble
from treewright.ensembles.summary import n_bytes_of, size_text, trees_text
from treewright.estimators.base import OtherModel
from treewright.figures import feature_importance
from treewright.figures.descent_figure import descent
from treewright.linear.base import LinearModel
from treewright.pictures.fitting import fits, fitting_picture, left_out
from treewright.pictures.picture import Picture
from treewright.plain_text import counted, percent
from treewright.reports.facts import ReportFacts, figure_of, method_text
from treewright.tree.as_text import MOST_LEVELS, counts_explained, top_text
from treewright.tree.counts import leaves_text
from treewright.tree.tree import Tree
from treewright.verbs.distil import distil
from treewright.verbs.draw import draw, split_distributions
from treewright.verbs.predictions import rows_for

FEWEST_WITH_ROWS = 11  # of a smaller picture the splits have no room for their rows
WORKSHEET_NODES = 3
MOST_COLUMNS = 15  # in the picture of importance
MOST_LINES = 60  # of the tree as text
MOST_SHUFFLED, N_SHUFFLES = 2_000, 5  # rows, and how often: every shuffle predicts them again
MOST_DISTILLED = 8  # leaves


def tree_section(facts: ReportFacts) -> Iterator[Block]:
    """The picture of the tree."""
    model = facts.tree_model
    yield shape_in_words(facts)
    if (proof := getattr(model, "proof_", None)) is not None:
        lines = [line for line in str(proof).splitlines() if line not in model.notes_]
        yield Paragraph.of(" ".join(lines))
    if (choice := getattr(model, "candidates_", None)) is not None and choice.others:
        yield Paragraph.of(choice.others)
    if model.tree_.n_leaves > 1:
        yield tree_figure(model.tree_, drawn_tree(facts))


def shape_in_words(facts: ReportFacts) -> Paragraph:
    tree, pruning = facts.tree_model.tree_, facts.tree_model.pruning_
    words = f"The tree has {leaves_text(tree)}; its depth is {tree.depth}."
    if tree.n_leaves == 1:
        words = (
            "No split was good enough: the tree is a single leaf, with one prediction for all rows."
        )
    if pruning is not None and pruning.n_leaves_before > pruning.n_leaves_after:
        method = method_text(pruning.method)
        words += f" Before pruning ({method}) there were {pruning.n_leaves_before:,}."
    return Paragraph.of(words)


def tree_figure(tree: Tree, draw_it: Callable[..., Picture], which: str = "") -> Figure:
    """A picture with as many nodes as fit on a page, and the tree as text.

    `draw_it` takes `max_nodes`, `direction` and `with_rows`: whether splits show their rows, for
    which some trees are too large.
    """
    picture = fitting_picture(partial(draw_it, with_rows=True), fewest=FEWEST_WITH_ROWS)
    if not fits(picture):
        picture = fitting_picture(partial(draw_it, with_rows=False))
    remark = left_out(picture)
    if which:
        remark = f"{which}: the picture shows {picture.summary}, those with most rows."
    text = top_text(tree, MOST_LINES, max_levels=MOST_LEVELS)
    if explained := counts_explained(tree):
        text += f"\n\n{explained}"
    return figure_of(picture, text, remark)


def drawn_tree(facts: ReportFacts) -> Callable[..., Picture]:
    """How to draw the tree of the report; its splits show the training rows, if they are here."""
    model, rows = facts.tree_model, facts.rows
    splits = None
    if facts.learned_here:
        splits = split_distributions(model, rows.table, rows.y, rows.weights)

    def draw_it(*, with_rows: bool, **limits: Any) -> Picture:
        own = splits if with_rows else None
        return model.draw(target=facts.target_if_named, splits=own, **limits)

    return draw_it


def importance_section(facts: ReportFacts) -> Iterator[Block]:
    """Which columns matter."""
    model = facts.model
    assert not isinstance(model, OtherModel)
    n_asked = int((model.feature_importances_ > 0).sum())
    most = min(MOST_COLUMNS, max(n_asked, 1))
    yield figure_of(feature_importance(model, max_columns=most))
    yield Note(
        "Importances come from the training rows. They favor columns with many values, and "
        "correlated columns share their importance."
    )


def shuffling_section(facts: ReportFacts) -> Iterator[Block]:
    """What a model of another package loses if a column is shuffled."""
    rows, given = facts.rows, rows_for(facts.model, facts.rows.X)
    y, which = np.asarray(rows.y), ""
    if (n_rows := len(y)) > MOST_SHUFFLED:
        taken = np.linspace(0, n_rows - 1, MOST_SHUFFLED).astype(np.intp)
        given, y = _safe_indexing(given, taken), y[taken]
        which = f" Of {n_rows:,} rows, {MOST_SHUFFLED:,} were used."
    n_columns = min(MOST_COLUMNS, rows.table.n_columns)
    yield figure_of(
        feature_importance(facts.model, given, y, max_columns=n_columns, n_shuffles=N_SHUFFLES)
    )
    yield Note(
        "Importances come from the predictions for these rows alone. Correlated columns hide each "
        f"other.{which}"
    )


def distilled_section(facts: ReportFacts) -> Iterator[Block]:
    """A small tree that predicts much as the model does."""
    small = distil(facts.model, facts.rows.X, max_leaf_nodes=MOST_DISTILLED)
    measure = f"R squared is {small.fidelity:.3f}"
    if small.measure == "agreement":
        measure = f"it predicts the same class for {percent(small.fidelity)}"
    yield Paragraph.of(
        f"A tree was grown on the predictions of the model. On {counted(small.n_held_out, 'row')} "
        f"that it was not grown on, {measure}."
    )
    tree = small.model.tree_
    if tree.n_leaves == 1:
        return

    def draw_it(*, with_rows: bool, **limits: Any) -> Picture:
        return small.model.draw(target=facts.target_if_named, **limits)

    yield tree_figure(tree, draw_it)
    others = "`treewright.distil(model, X)` makes larger and smaller ones."
    if type(facts.model).__module__.partition(".")[0] in ("catboost", "lightgbm", "xgboost"):
        others += " `treewright.import_model(model)` has the trees of the model itself."
    yield Note(others)


def calculation_section(facts: ReportFacts) -> Iterator[Block]:
    """The calculation at the nodes that most rows pass."""
    assert facts.worksheet is not None
    page = facts.worksheet.document(steps="summary", max_nodes=WORKSHEET_NODES, framed=False)
    for block in page.blocks[len(facts.notes) :]:  # notes are at the top of the report
        yield lowered(block)
    if (n_nodes := facts.tree_model.tree_.n_nodes) > WORKSHEET_NODES:
        yield Note(
            f"The calculation at all {n_nodes:,} nodes: `treewright worksheet MODEL TABLE`, or "
            "`treewright.worksheet(model, X, y)`."
        )


def lowered(block: Block) -> Block:
    """The heading of a page as one of a section; other blocks as they are."""
    if not isinstance(block, Heading):
        return block
    return Heading(block.level + 1, block.text, block.anchor)


LONGEST_SUMMARY = 80  # lines
WIDEST_LINE = 96  # characters; equations are longer
STEPS_SHOWN = 1  # of a calculation


def model_section(facts: ReportFacts) -> Iterator[Block]:
    """The summary of the model."""
    model = facts.other_model
    lines = [part for line in model.summary().splitlines() for part in wrapped(line)]
    if len(lines) > LONGEST_SUMMARY:
        lines = [*lines[:LONGEST_SUMMARY], f"... {len(lines) - LONGEST_SUMMARY:,} more lines"]
    yield Listing("\n".join(lines))
    if isinstance(model, LinearModel) and model.solver == "gradient_descent":
        yield figure_of(descent(model))


def wrapped(line: str) -> list[str]:
    """A long line as several, with a hanging indent."""
    if len(line) <= WIDEST_LINE:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(line, WIDEST_LINE, subsequent_indent=f"{indent}    ", break_long_words=False)


def first_steps_section(facts: ReportFacts) -> Iterator[Block]:
    """The beginning of the worksheet."""
    rows = facts.rows
    sheet = facts.other_model.worksheet(rows.table, rows.y, rows.weights)
    for block in sheet.document(max_steps=STEPS_SHOWN).blocks:
        yield Heading(block.level + 1, block.text) if isinstance(block, Heading) else block
    yield Note(
        "All steps: `treewright worksheet MODEL TABLE`, or `treewright.worksheet(model, X, y)`."
    )


def trees_section(facts: ReportFacts) -> Iterator[Block]:
    """The size of the ensemble, and its first tree."""
    model = facts.model
    assert isinstance(model, Ensemble)
    size = size_text(n_bytes_of(model.trees_))
    score = getattr(model, "oob_score_", None)
    out_of_bag = "" if score is None else f" Out-of-bag score: {score:.4f}."
    yield Paragraph.of(f"The model has {trees_text(model)} and takes {size} of memory.{out_of_bag}")
    if not len(model.trees_) or model.trees_[0].n_leaves == 1:
        return
    first = model.trees_[0]

    def draw_it(*, with_rows: bool, **limits: Any) -> Picture:
        return draw(first, **limits)

    yield tree_figure(first, draw_it, "The first tree")
    yield Note(
        "`treewright show MODEL --tree N` prints another tree, `treewright explain` what each "
        "column adds to one prediction; `treewright distil` approximates them by one tree."
    )
