"""What pruning compared at a node: the estimates as a leaf, as it stands, as its largest branch."""

from collections.abc import Iterator

from treewright.documents.page import Block, Note, Paragraph, SheetTable
from treewright.worksheets.sheet_page import SheetPage, shortened
from treewright.worksheets.work import Estimate, NodeWork, PruningWork

MOST_BRANCHES = 12
BECAME = {
    "leaf": "it became a leaf",
    "branch": "its largest branch took its place",
    "subtree": "the split was kept",
}


def pruning_blocks(page: SheetPage, work: NodeWork, *, full: bool) -> Iterator[Block]:
    """The estimates as a table and what followed from them; nothing where none were made."""
    pruning = work.pruning
    if pruning is None:
        if work.cut is not None:
            yield Note(f"Pruning took a subtree of {work.cut.n_leaves} leaves away here.")
        return
    if full and pruning.branches:
        yield _table(page, pruning)
    yield Paragraph.of(_in_words(page, pruning))


def _in_words(page: SheetPage, pruning: PruningWork) -> str:
    text = page.digits.text
    parts = [f"as a leaf {text(pruning.leaf.estimate)}"]
    if pruning.as_subtree == pruning.as_subtree:
        parts.append(f"as a subtree {text(pruning.as_subtree)}")
    if pruning.as_branch == pruning.as_branch:
        parts.append(f"as its largest branch {text(pruning.as_branch)}")
    method = pruning.method.replace("_", " ")
    return (
        f"Pruning ({method}) compared {pruning.measure}: {', '.join(parts)}; "
        f"{BECAME.get(pruning.became, pruning.became)}."
    )


def _table(page: SheetPage, pruning: PruningWork) -> SheetTable:
    rows = [_row(page, estimate) for estimate in pruning.branches[:MOST_BRANCHES]]
    if pruning.at_node == pruning.at_node and pruning.at_node:
        rows.append(("the node itself", "", "", "", page.digits.text(pruning.at_node)))
    rows.append(("together", "", "", "", page.digits.text(pruning.as_subtree)))
    rows.append(("as a leaf", *_row(page, pruning.leaf)[1:]))
    marked = {"leaf": len(rows) - 1, "subtree": len(rows) - 2}.get(pruning.became)
    caption = f"{pruning.measure[:1].upper()}{pruning.measure[1:]}"
    if len(pruning.branches) > MOST_BRANCHES:
        caption += f", {MOST_BRANCHES} of {len(pruning.branches)} branches"
    columns = ("branch", "weight", "errors as a leaf", "estimate as a leaf", "estimate")
    return SheetTable(
        columns, tuple(rows), "lrrrr", caption, frozenset(() if marked is None else (marked,))
    )


def _row(page: SheetPage, estimate: Estimate) -> tuple[str, ...]:
    digits = page.digits
    weight = "" if estimate.weight != estimate.weight else digits.weight(estimate.weight)
    errors = "" if estimate.errors != estimate.errors else digits.weight(estimate.errors)
    return (
        shortened(estimate.condition),
        weight,
        errors,
        digits.text(estimate.as_leaf),
        digits.text(estimate.estimate),
    )
