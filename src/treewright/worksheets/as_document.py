"""A worksheet as a page: a section for each node, a part for each column."""

from collections.abc import Iterable, Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from treewright.documents.page import Block, Document, Heading, Note, Paragraph
from treewright.errors import ParameterError
from treewright.plain_text import shortened
from treewright.worksheets.framing import closing, leaves_table, measured_by, opening
from treewright.worksheets.growth_notes import growth_notes, pruning_rule
from treewright.worksheets.pruning_estimates import pruning_blocks
from treewright.worksheets.sheet_page import LONGEST_WORDS, SheetPage
from treewright.worksheets.split_tables import (
    branch_table,
    compared,
    comparison_table,
    further_measures,
    levels_in_order,
    tried_table,
)
from treewright.worksheets.stored import MOST_WORKED_OUT
from treewright.worksheets.words import (
    anchor,
    children_in_words,
    missing_counted,
    missing_in_words,
    rows_in_words,
    surrogates_in_words,
    verdict,
)
from treewright.worksheets.work import CandidateWork, NodeWork

MOST_ON_A_PAGE, LEAST_WORKED_OUT = 180, 4  # columns in full: of all nodes, and of each
LONGEST_PATH = 300  # characters of a heading
RAISED = (
    "Pruning raised this subtree: growth chose its splits with fewer rows, before the rows of "
    "other branches were added. The numbers here are for all rows, so another column may score "
    "higher, and the margin may be negative."
)


def worksheet_document(  # noqa: PLR0913 -- settings by name
    page: SheetPage,
    model: str,
    notes: tuple[str, ...],
    *,
    steps: Any,
    max_nodes: int,
    framed: bool = True,
) -> Document:
    """The page with the requested steps; unless framed, without its beginning and end."""
    tree = page.tree
    shown = nodes_shown(page, steps, max_nodes)
    is_whole = isinstance(steps, str) and framed
    is_full = steps != "summary"
    blocks: list[Block] = [Note(note) for note in notes]
    if is_whole:
        blocks += opening(page)
    n_splits = max(int((~tree.is_leaf[shown]).sum()), 1)
    most = 0  # columns of each node in full: the more nodes, the fewer
    if is_full:
        most = min(MOST_WORKED_OUT, max(LEAST_WORKED_OUT, MOST_ON_A_PAGE // n_splits))
    works = [page.nodes.on_page(node, most) for node in shown]
    if is_full:
        blocks += measured_by(page, growth_notes(page, works))
    pruning = next((work.pruning for work in works if work.pruning), None)
    if pruning is not None:
        blocks += pruning_rule(pruning, full=is_full)
    listed = []
    if not is_full:  # leaves at which nothing was compared, neither columns nor estimates
        listed = [work for work in works if not (work.chosen or work.candidates or work.pruning)]
    linked = set(shown) - {work.node for work in listed}
    for work in works:
        if work.node in linked:
            blocks += _node(page, work, linked, most)
    if listed:
        blocks += leaves_table(page, listed)
    if is_whole and len(shown) < tree.n_nodes:
        left_out = tree.n_nodes - len(shown)
        blocks.append(
            Note(f"... {left_out} more nodes; max_nodes= or steps=[number, ...] shows them")
        )
    if is_whole:
        blocks += closing(page, full=is_full)
    return Document(f"Worksheet: {model}", tuple(blocks))


def nodes_shown(page: SheetPage, steps: Any, max_nodes: int) -> list[int]:
    """The requested nodes: those that most rows pass, or those given by number."""
    n_nodes = page.tree.n_nodes
    is_known = steps in ("full", "summary") if isinstance(steps, str) else True
    if not is_known or not isinstance(steps, str | Integral | Iterable):
        raise ParameterError(
            f"steps={steps!r} is not known", hint='use "full", "summary" or node numbers'
        )
    if isinstance(steps, str):
        if not _is_whole(max_nodes) or max_nodes < 1:
            raise ParameterError(f"max_nodes={max_nodes!r} is not a number of nodes")
        heaviest = np.argsort(-page.tree.weight, kind="stable")[:max_nodes]
        return sorted(heaviest.tolist())
    numbers: Sequence[Any] = [steps] if isinstance(steps, Integral) else list(steps)
    if not numbers:
        raise ParameterError("steps names no node", hint="give the numbers of nodes")
    for node in numbers:
        if not _is_whole(node):
            raise ParameterError(f"steps names {node!r}", hint="give the numbers of nodes")
        if not 0 <= node < n_nodes:
            raise ParameterError(
                f"steps names node {node}, the tree has {n_nodes} nodes",
                hint=f"use numbers from 0 to {n_nodes - 1}",
            )
    return [int(node) for node in numbers]


def _is_whole(number: Any) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def _node(page: SheetPage, work: NodeWork, shown: set[int], most: int) -> Iterator[Block]:
    """The calculation at a node with `most` columns in full; 0 gives a summary."""
    full = most > 0
    where = shortened(" and ".join(work.path), LONGEST_PATH) or "root"
    yield Heading(2, f"Node {work.node}: {where}", anchor(work.node))
    yield Paragraph.of(*rows_in_words(page, work.group))
    if work.is_raised and work.chosen is not None:
        yield Note(RAISED)
    if full and work.group.n_rows:
        yield from _impurity(page, work)
    if work.candidates:
        if full:
            yield from _columns(page, work, most)
        yield comparison_table(page, work)
        yield from _average(page, work)
    yield Paragraph.of(*verdict(page, work))
    if work.chosen is not None:
        about_missing = missing_in_words(page, work), surrogates_in_words(page, work.node)
        yield from (Paragraph.of(sentence) for sentence in about_missing if sentence)
    if work.stability is not None:
        yield Paragraph.of(work.stability.in_words())
    if children := children_in_words(page, work, shown):
        yield Paragraph.of(*children)
    yield from pruning_blocks(page, work, full=full)


def _impurity(page: SheetPage, work: NodeWork) -> Iterator[Block]:
    formulas = [page.formulas.impurity(work.group)]
    formulas += [
        page.formulas.more_of_node(name, work.group)
        for name in further_measures(page)
        if work.candidates
    ]
    yield from (formula for formula in formulas if formula is not None)


def _columns(page: SheetPage, work: NodeWork, most: int) -> Iterator[Block]:
    """The calculation of each column that has one."""
    worth_it = [found for found in compared(work, most) if found.kind]
    for found in worth_it:
        yield Heading(3, shortened(found.column, LONGEST_WORDS))
        yield from _column(page, work, found)
    left_out = sum(bool(found.kind) for found in work.candidates) - len(worth_it)
    if left_out:
        yield Note(f"{left_out} more columns scored less; the best are compared below")


def _column(page: SheetPage, work: NodeWork, found: CandidateWork) -> Iterator[Block]:
    if order := levels_in_order(page, work, found):
        yield Paragraph.of(order)
    if len(found.tried) > 1:
        yield tried_table(page, work, found)
    yield branch_table(page, work, found)
    if missing_counted(page, found):
        yield Paragraph.of(missing_counted(page, found))
    yield from page.formulas.of_column(work, found)
    for name in further_measures(page):
        yield from page.formulas.more(name, found)


def _average(page: SheetPage, work: NodeWork) -> Iterator[Block]:
    """C4.5: which columns are compared by gain ratio."""
    if work.average_gain is None:
        return
    formula = page.formulas.average_gain(work)
    if formula is not None:
        yield formula
    yield Paragraph.of(
        "Only columns whose gain is at least the average less 0.001, "
        f"{page.digits.text(work.average_gain - 0.001)}, compete by their gain ratio."
    )
