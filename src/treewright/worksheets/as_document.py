"""A worksheet as a page: a section for each node, a part for each column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.documents.page import (
    Block,
    Document,
    Heading,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.errors import ParameterError
from treewright.tree.conditions import number_text, plain, weight_text
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.comparison import comparison_table
from treewright.worksheets.formulas import Formulas
from treewright.worksheets.work import CandidateWork, Group, NodeWork

MOST_TRIED = 12  # thresholds or level sets shown of one column
MOST_BRANCHES = 30

WHY_LEAF = {
    "pure": "all rows have the same target",
    "empty": "no training row comes here: it answers as its parent",
    "no candidate": "no column can part the rows any more",
    "min_gain": "no column gains enough",
    "min_samples_leaf": "every split would leave too few rows in a branch",
    "min_samples_split": "too few rows to split",
    "max_depth": "the limit of depth is reached",
    "pruned": "pruning made it a leaf",
    "collapsed": "the subtree made no fewer errors than a leaf",
}


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """What all parts of one worksheet need."""

    calculation: Calculation
    nodes: Sequence[NodeWork]
    decimals: int
    measures: tuple[str, ...]

    @property
    def formulas(self) -> Formulas:
        return Formulas(self.calculation.training.settings, self.decimals)

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(map(str, self.calculation.tree.classes or ()))

    def number(self, number: float) -> str:
        return f"{number:.{self.decimals}f}"


def worksheet_document(
    page: Page, model: str, notes: tuple[str, ...], *, steps: Any, max_nodes: int
) -> Document:
    """The page with the steps asked for."""
    tree = page.calculation.tree
    shown = _nodes_shown(page, steps, max_nodes)
    title = f"Worksheet: {model}, {tree.n_leaves} leaves"
    blocks: list[Block] = [Note(note) for note in notes]
    for node in shown:
        blocks += _node(page, page.nodes[node], full=steps != "summary")
    if isinstance(steps, str) and len(shown) < tree.n_nodes:
        left_out = tree.n_nodes - len(shown)
        blocks.append(Note(f"... {left_out} more nodes; ask for them by steps=[number, ...]"))
    return Document(title, tuple(blocks))


def _nodes_shown(page: Page, steps: Any, max_nodes: int) -> list[int]:
    tree = page.calculation.tree
    if isinstance(steps, str):
        if steps not in ("full", "summary"):
            raise ParameterError(
                f"steps={steps!r} is not known", hint='use "full", "summary" or node numbers'
            )
        heaviest = np.argsort(-tree.weight, kind="stable")[:max_nodes]
        return sorted(heaviest.tolist())
    for node in steps:
        if not 0 <= node < tree.n_nodes:
            raise ParameterError(
                f"steps names node {node}, the tree has {tree.n_nodes} nodes",
                hint=f"use numbers from 0 to {tree.n_nodes - 1}",
            )
    return [int(node) for node in steps]


def _node(page: Page, work: NodeWork, *, full: bool) -> Iterator[Block]:
    where = " and ".join(work.path) or "root"
    yield Heading(2, f"Node {work.node}: {where}")
    yield Paragraph.of(*_rows_in_words(page, work))
    if work.group.n_rows:
        formula = page.formulas.impurity(work.group)
        if formula is not None:
            yield formula
    if work.candidates:
        if full:
            for found in work.candidates:
                yield from _column(page, work, found)
        yield comparison_table(
            work, page.calculation.training.settings, page.measures, page.decimals
        )
    yield Paragraph.of(*_verdict(page, work))
    if work.is_raised:
        yield Note("Pruning raised this subtree: growth chose its splits by other rows.")
    if work.cut is not None:
        cut = work.cut
        yield Note(
            f"Pruning compared: as leaf {number_text(cut.as_leaf)}, "
            f"as subtree {number_text(cut.as_subtree)}; it became a {cut.became}."
        )


def _rows_in_words(page: Page, work: NodeWork) -> list[str | Run]:
    group = work.group
    weight = "" if group.weight == group.n_rows else f" of weight {weight_text(group.weight)}"
    rows = f"{group.n_rows} row{'' if group.n_rows == 1 else 's'}{weight}"
    if not group.counts:
        return [f"{rows}, mean {page.number(group.mean)}"] if group.n_rows else [rows]
    counts = ", ".join(
        f"{weight_text(count)} {plain(name)}"
        for name, count in zip(page.classes, group.counts, strict=True)
    )
    return [f"{rows}: {counts}"]


def _column(page: Page, work: NodeWork, found: CandidateWork) -> Iterator[Block]:
    if found.kind == "":
        return
    yield Heading(3, plain(found.column))
    if len(found.tried) > 1:
        yield _tried_table(page, found)
    yield _branch_table(page, found)
    yield from page.formulas.gain(work.group, found)


def _tried_table(page: Page, found: CandidateWork) -> SheetTable:
    what = "Thresholds" if found.kind == "threshold" else "Level sets"
    best = max(range(len(found.tried)), key=lambda at: _rank(found, at))
    kept = range(len(found.tried))
    caption = f"{what} tried"
    if len(found.tried) > MOST_TRIED:
        by_gain = sorted(kept, key=lambda at: -found.tried[at].gain)[:MOST_TRIED]
        kept = sorted({*by_gain, best})  # type: ignore[assignment]
        caption += f", the best {len(kept)}"
    rows = [
        (
            found.tried[at].condition,
            page.number(found.tried[at].gain),
            "" if found.tried[at].is_allowed else "too few rows on a side",
        )
        for at in kept
    ]
    marked = frozenset(number for number, at in enumerate(kept) if at == best)
    return SheetTable(("first side", "gain", ""), tuple(rows), "lrl", caption, marked)


def _rank(found: CandidateWork, at: int) -> tuple[bool, bool, float]:
    tried = found.tried[at]
    is_it = tried.condition == found.branches[0].condition
    return is_it, tried.is_allowed, tried.gain


def _branch_table(page: Page, found: CandidateWork) -> SheetTable:
    middle = page.classes if found.branches[0].counts else ("mean",)
    columns = ("branch", *middle, "weight", page.formulas.name)
    rows = [_branch_row(page, branch) for branch in found.branches[:MOST_BRANCHES]]
    caption = ""
    if len(found.branches) > MOST_BRANCHES:
        caption = f"{MOST_BRANCHES} of {len(found.branches)} branches"
    return SheetTable(columns, tuple(rows), "l" + "r" * (len(columns) - 1), caption)


def _branch_row(page: Page, branch: Group) -> tuple[str, ...]:
    middle = [weight_text(count) for count in branch.counts] or [page.number(branch.mean)]
    return (
        branch.condition,
        *middle,
        weight_text(branch.weight),
        page.number(branch.impurity),
    )


def _verdict(page: Page, work: NodeWork) -> list[str | Run]:
    if work.chosen is None:
        why = WHY_LEAF.get(work.stop_reason, work.stop_reason)
        answer = page.number(work.answer) if isinstance(work.answer, float) else str(work.answer)
        return ["Leaf: ", Run(plain(answer), "strong"), f", because {why}."]
    words: list[str | Run] = ["Chosen: ", Run(plain(work.chosen.column), "strong")]
    if work.runner_up is not None:
        words.append(
            f", {page.number(work.chosen.score)}; runner-up {plain(work.runner_up.column)}, "
            f"{page.number(work.runner_up.score)}; margin {page.number(work.margin)}"
        )
    words.append(".")
    if work.ties:
        words.append(f" Tied with {', '.join(map(plain, work.ties))}: the earlier column is taken.")
    return words
