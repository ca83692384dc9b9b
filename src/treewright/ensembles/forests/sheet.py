"""Worksheet of a forest: one of its trees in full, and the vote of all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.documents.math import Dots, Fraction, Math, Name, Number, Sum, Term
from treewright.documents.page import (
    Block,
    Document,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.pictures.fitting import fitting_figure, fitting_tree
from treewright.plain_text import counted, plain
from treewright.tree.as_text import top_text
from treewright.tree.tree import Tree
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.digits import Digits
from treewright.worksheets.page_start import PageStart
from treewright.worksheets.sheet import Worksheet

MOST_ROWS, MOST_TREES, MOST_TERMS, MOST_LINES = 30, 30, 8, 40
MOST_CLASSES = 8
ONLY_THE_TREE = (
    "The comparison at each node is not shown: cuts were drawn at random, other algorithms grew "
    "the tree, or the number of leaves was limited."
)


@dataclass(frozen=True, eq=False)
class ForestVote:
    """The prediction of each tree for some training rows, and which rows were drawn for it."""

    classes: tuple[Any, ...]  # empty for numbers
    rows: tuple[int, ...]  # positions of the rows shown
    predictions: Floats  # (n_rows, n_trees, n_values)
    mean: Floats  # (n_rows, n_values): the forest's own
    predicted: tuple[Any, ...]
    truth: tuple[Any, ...]
    times: NDArray[Any]  # (n_rows, n_trees): how often each row was drawn for each tree
    by_votes: bool  # whether trees vote; otherwise probabilities are averaged

    @property
    def most_divided(self) -> int:
        """The row on which the trees agree least; of several, the first."""
        if not self.classes:
            return int(self.predictions[:, :, 0].std(axis=1).argmax())
        return int(self.mean.max(axis=1).argmin())


@dataclass(frozen=True, eq=False)
class ForestWork:
    """One tree of a forest, and the vote."""

    name: str
    n_trees: int
    number: int  # of the tree shown
    tree: Tree
    times: NDArray[Any]  # how often each training row was drawn for it
    positions: NDArray[Any]  # of these rows in the table of the fit
    drawing: str
    shrinkage: float  # the strength; 0 if there is none
    n_columns_drawn: int
    calculation: Calculation | None  # None: only the tree is known, not what it compared
    columns: dict[int, tuple[int, ...]] | None  # drawn at each node
    vote: ForestVote


class ForestSheet(Worksheet):
    """The calculation behind one tree of a forest and its vote; `nodes` has the numbers.

    It is printed as every `Worksheet` is; `steps` and `max_nodes` are about the nodes of the tree.
    """

    def __init__(self, work: ForestWork) -> None:
        self.work = work
        self._tree_sheet = None
        title = f"Tree {work.number} as a picture"
        self._start = PageStart(lambda: fitting_figure(fitting_tree(work.tree), title), title)
        self.nodes = ()  # type: ignore[assignment]  # nothing is known of them
        if work.calculation is not None:
            self._tree_sheet = Worksheet(work.calculation, work.name)
            self.nodes = self._tree_sheet.nodes

    def document(
        self,
        *,
        steps: Any = "full",
        decimals: int = 4,
        max_nodes: int | None = None,
        framed: bool = True,
    ) -> Document:
        """The page before it is rendered; unless framed, the nodes alone for another page."""
        work, digits = self.work, Digits(decimals)
        blocks: list[Block] = []
        framed = framed and isinstance(steps, str)
        if framed:
            blocks += opening(work)
            blocks += drawn_rows(work)
        if self._tree_sheet is None:
            lines = top_text(work.tree, MOST_LINES)
            blocks += [Heading(2, f"Tree {work.number}", "tree"), Listing(lines)]
            blocks.append(Note(ONLY_THE_TREE))
        else:
            if framed:
                blocks += drawn_columns(work)
            tree = self._tree_sheet.document(
                steps=steps, decimals=decimals, max_nodes=max_nodes, framed=framed
            )
            blocks += tree.blocks
        if framed:
            blocks += shrinkage_blocks(work, digits)
            blocks += vote_blocks(work.vote, digits)
        return Document(f"Worksheet: {work.name}", tuple(blocks))

    def __repr__(self) -> str:
        work = self.work
        return f"<ForestSheet: {work.name}, tree {work.number} of {work.n_trees}>"


def opening(work: ForestWork) -> Iterator[Block]:
    """What a forest is."""
    together = "their mean is the prediction"
    if work.vote.classes:
        together = "they vote" if work.vote.by_votes else "the mean of their probabilities decides"
    yield Paragraph.of(
        f"A forest of {counted(work.n_trees, 'tree')}. Each is grown on rows of its own, drawn at "
        f"random; {together}. This page shows tree {work.number}, counted from 0: the rows drawn "
        "for it, its nodes, and how all trees predict together."
    )


def drawn_rows(work: ForestWork) -> Iterator[Block]:
    """How often each row was drawn."""
    times = work.times
    n_rows, n_drawn = len(times), int(times.sum())
    yield Heading(2, f"Rows drawn for tree {work.number}", "drawn-rows")
    if work.drawing == "all_rows":
        yield Paragraph.of(f"The tree gets all {n_rows:,} training rows, each once.")
        return
    yield Paragraph.of(
        f"{counted(n_drawn, 'row')} of {n_rows:,} drawn {work.drawing.replace('_', ' ')}: "
        f"{int((times > 0).sum())} different ones. The other {int((times == 0).sum())} are out of "
        "bag: this tree can be tested on them. A row that is drawn twice has weight 2."
    )
    counts = np.bincount(times)
    rows = tuple((str(often), str(n)) for often, n in enumerate(counts.tolist()) if n)
    yield SheetTable(("drawn", "rows"), rows, "rr")
    shown = min(n_rows, MOST_ROWS)
    lines = tuple((str(int(work.positions[at])), str(int(times[at]))) for at in range(shown))
    yield SheetTable(("row", "drawn"), lines, "rr", "Each row, counted from 0")
    if n_rows > shown:
        yield Note(f"... {n_rows - shown} more rows")


def drawn_columns(work: ForestWork) -> Iterator[Block]:
    """Which columns each node could choose from."""
    names = [plain(spec.name) for spec in work.tree.schema.columns]
    yield Heading(2, f"Columns drawn at the nodes of tree {work.number}", "drawn-columns")
    if work.n_columns_drawn >= len(names):
        yield Paragraph.of("Every node may choose from all columns.")
        return
    assert work.columns is not None
    yield Paragraph.of(
        f"At each node, columns are drawn at random until {work.n_columns_drawn} of them have more "
        "than one value there. The node chooses the best of these; other columns are shown for "
        "comparison, as not drawn."
    )
    shown = sorted(work.columns)[:MOST_ROWS]
    lines = []
    for node in shown:
        chosen = int(work.tree.feature[node])
        drawn = ", ".join(names[column] for column in work.columns[node])
        lines.append((str(node), drawn, names[chosen] if chosen >= 0 else "none: a leaf"))
    yield SheetTable(("node", "drawn", "chosen"), tuple(lines), "rll")
    if len(work.columns) > MOST_ROWS:
        yield Note(f"... {len(work.columns) - MOST_ROWS} more nodes")


def shrinkage_blocks(work: ForestWork, digits: Digits) -> Iterator[Block]:
    """How the values of leaves become predictions."""
    if not work.shrinkage:
        return
    what = "class shares" if work.vote.classes else "mean"
    yield Heading(2, "Shrinkage", "shrinkage")
    yield Paragraph.of(
        f"The nodes above show the {what} of their training rows. For predictions, all trees are "
        f"shrunk with a strength of s = {digits.text(work.shrinkage)} rows: from the root down, a "
        "node gets the shrunk value of its parent, plus its own value minus its parent's, times "
        "n / (n + s), where n is the weight of the parent's rows. The vote below uses the shrunk "
        "values."
    )


def vote_blocks(vote: ForestVote, digits: Digits) -> Iterator[Block]:
    """One row tree by tree, then several rows by all trees together."""
    yield Heading(2, "The vote", "vote")
    n_trees, at = vote.predictions.shape[1], vote.most_divided
    row = vote.rows[at]
    yield Paragraph.of(f"Row {row}, the one of the rows below on which the trees agree least:")
    yield one_row(vote, at, digits)
    if n_trees > MOST_TREES:
        yield Note(f"... {n_trees - MOST_TREES} more trees")
    yield from mean_formulas(vote, at, digits)
    predicted = said(vote.predicted[at], digits)
    yield Paragraph.of(f"Prediction for row {row}: ", Run(predicted, "strong"), ".")
    yield Heading(3, "All trees, and those that did not draw the row")
    yield all_rows(vote, digits)


def one_row(vote: ForestVote, at: int, digits: Digits) -> SheetTable:
    """The prediction of each tree for one row."""
    classes = shown_classes(vote, at)
    rows = []
    for number, prediction in enumerate(vote.predictions[at][:MOST_TREES]):
        cells = [str(number), str(int(vote.times[at, number]))]
        if vote.classes:
            cells += [digits.text(float(prediction[code])) for code in classes]
            cells.append(plain(str(vote.classes[int(prediction.argmax())])))
        else:
            cells.append(digits.text(float(prediction[0])))
        rows.append(tuple(cells))
    titles = ["tree", "drawn"]
    if vote.classes:
        titles += [f"share of {plain(str(vote.classes[code]))}" for code in classes] + ["vote"]
    else:
        titles.append("prediction")
    align = "rr" + "r" * len(classes) + "l" if vote.classes else "rrr"
    return SheetTable(tuple(titles), tuple(rows), align)


def shown_classes(vote: ForestVote, at: int) -> list[int]:
    """Classes with a column of their own: all, or those with the largest means for a row."""
    if len(vote.classes) <= MOST_CLASSES:
        return list(range(len(vote.classes)))
    return sorted(np.argsort(-vote.mean[at], kind="stable")[:MOST_CLASSES].tolist())


def mean_formulas(vote: ForestVote, at: int, digits: Digits) -> Iterator[Block]:
    """The mean over the trees, for each class that is shown."""
    predictions, n_trees = vote.predictions[at], vote.predictions.shape[1]
    if not vote.classes:
        numbers = added([float(one[0]) for one in predictions], digits)
        mean = digits.number(float(vote.mean[at, 0]))
        yield Formula(Name("mean"), (Fraction(numbers, Number(str(n_trees))), mean))
        return
    for code in shown_classes(vote, at):
        if vote.by_votes:
            above: Math = Number(str(int(predictions[:, code].sum())))
        else:
            above = added(predictions[:, code].tolist(), digits)
        left = Name(f"share of {plain(str(vote.classes[code]))}")
        mean = digits.number(float(vote.mean[at, code]))
        yield Formula(left, (Fraction(above, Number(str(n_trees))), mean))


def added(values: list[float], digits: Digits) -> Math:
    """The numbers added up, with dots for the middle of many."""
    texts: list[Math] = [digits.number(abs(value)) for value in values]
    signs = [value >= 0 for value in values]
    if len(texts) > MOST_TERMS:
        texts = [*texts[: MOST_TERMS - 1], Dots(), texts[-1]]
        signs = [*signs[: MOST_TERMS - 1], True, signs[-1]]
    terms = zip(texts, signs, strict=True)
    return Sum(tuple(Term(text, is_added=is_added) for text, is_added in terms))


def all_rows(vote: ForestVote, digits: Digits) -> SheetTable:
    """Some rows: the prediction of all trees, and of those that did not draw the row."""
    rows = []
    for at, row in enumerate(vote.rows):
        unseen = vote.times[at] == 0
        by_others = ""
        if unseen.any():
            by_others = said(of_trees(vote, vote.predictions[at][unseen]), digits)
        rows.append(
            (
                str(row),
                said(vote.truth[at], digits),
                *votes_text(vote, at),
                said(vote.predicted[at], digits),
                str(int(unseen.sum())),
                by_others,
            )
        )
    votes = ["votes"] if vote.classes else []
    titles = ("row", "target", *votes, "prediction", "trees without it", "prediction by these")
    marked = frozenset({vote.most_divided})
    return SheetTable(titles, tuple(rows), f"rl{'l' * len(votes)}lrl", "", marked)


def votes_text(vote: ForestVote, at: int) -> tuple[str, ...]:
    if not vote.classes:
        return ()
    counts = np.bincount(vote.predictions[at].argmax(axis=1), minlength=len(vote.classes))
    order = np.argsort(-counts, kind="stable")
    some = [code for code in order.tolist() if counts[code]]
    shown = [f"{plain(str(vote.classes[code]))} {counts[code]}" for code in some]
    return (", ".join(shown[:MOST_CLASSES]),)


def of_trees(vote: ForestVote, predictions: Floats) -> Any:
    """What some of the trees predict together."""
    if not vote.classes:
        return float(predictions[:, 0].mean())
    if vote.by_votes:
        counts = np.bincount(predictions.argmax(axis=1), minlength=len(vote.classes))
        return vote.classes[int(counts.argmax())]
    return vote.classes[int(predictions.mean(axis=0).argmax())]


def said(prediction: Any, digits: Digits) -> str:
    return digits.text(prediction) if isinstance(prediction, float) else plain(str(prediction))
