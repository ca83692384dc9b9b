"""Leaves in one table, for a summary."""

from collections.abc import Iterator

from treewright.documents.page import Block, Heading, SheetTable
from treewright.worksheets.sheet_page import SheetPage, shortened
from treewright.worksheets.words import WHY_LEAF, answer_text, rows_in_words
from treewright.worksheets.work import NodeWork


def leaves_table(page: SheetPage, leaves: list[NodeWork]) -> Iterator[Block]:
    """What each leaf answers, to whom and why it does not ask."""
    yield Heading(2, "Leaves")
    rows = []
    for work in leaves:
        here = "".join(map(str, rows_in_words(page, work.group))).removesuffix(".")
        why = WHY_LEAF.get(work.stop_reason, work.stop_reason)
        where = shortened(" and ".join(work.path))
        rows.append((str(work.node), where, here, answer_text(page, work.answer), why))
    yield SheetTable(("node", "where", "training rows", "answer", "because"), tuple(rows), "rllll")
