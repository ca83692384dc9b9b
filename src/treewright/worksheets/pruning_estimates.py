"""The pruning part of a node: estimates as a leaf, as a subtree, as its largest branch."""

from collections.abc import Iterator
from math import isclose, sqrt

from treewright.documents.math import Call, Fraction, Math, Name, Number, Product, Sum
from treewright.documents.page import Block, Formula, Note, Paragraph, SheetTable
from treewright.plain_text import shortened
from treewright.worksheets.digits import Digits
from treewright.worksheets.sheet_page import SheetPage
from treewright.worksheets.work import Estimate, NodeWork, PruningWork

MOST_BRANCHES = 12
CLOSE = 1e-9
BECAME = {
    "leaf": "it became a leaf",
    "branch": "its largest branch took its place",
    "subtree": "the split was kept",
}
DECIDED_BEFORE = (
    "This was decided before a subtree above was raised. Raising brought further rows here; the "
    "numbers compared are those of the rows from before."
)
BY_RPART = (
    "The subtree has the lower cost, yet it went: this path follows rpart, which prices each "
    "subtree once, from the leaves up."
)


def pruning_blocks(page: SheetPage, work: NodeWork, *, full: bool) -> Iterator[Block]:
    """The estimates as a table, and the decision; nothing if there are no estimates."""
    pruning = work.pruning
    if pruning is None:
        if work.cut is not None:
            yield Note(f"Pruning took a subtree of {work.cut.n_leaves} leaves away here.")
        return
    if full and pruning.branches:
        yield _table(page, pruning)
    if full:
        yield from _formulas(page, pruning)
    if full and pruning.raised:
        yield _raised_table(page, pruning)
    yield Paragraph.of(_in_words(page, pruning))
    if pruning.rows_came:
        yield Note(DECIDED_BEFORE)
    if _is_by_rpart(pruning):
        yield Note(BY_RPART)


def _in_words(page: SheetPage, pruning: PruningWork) -> str:
    text, became = page.digits.text, BECAME.get(pruning.became, pruning.became)
    if pruning.method == "critical_value":
        return f"The highest value here and below is {text(pruning.as_subtree)}: {became}."
    parts = [f"as a leaf {text(pruning.leaf.estimate)}"]
    if pruning.as_subtree == pruning.as_subtree:
        parts.append(f"as a subtree {text(pruning.as_subtree)}")
    if pruning.as_branch == pruning.as_branch:
        parts.append(f"as its largest branch {text(pruning.as_branch)}")
    return f"Pruning compared {pruning.measure}: {', '.join(parts)}; {became}."


def _is_by_rpart(pruning: PruningWork) -> bool:
    """Whether rpart's rule decided, and not this comparison."""
    leaf, subtree = pruning.leaf.estimate, pruning.as_subtree
    is_cut = pruning.method == "cost_complexity" and pruning.became == "leaf"
    return is_cut and leaf > subtree * (1 + CLOSE)


def _formulas(page: SheetPage, pruning: PruningWork) -> Iterator[Formula]:
    """The estimate of the leaf, if it can be written in one line."""
    leaf, number = pruning.leaf, page.digits.number
    steps = _leaf_steps(pruning, page.digits, n_classes=len(page.classes))
    if steps:
        yield Formula(Name("as a leaf"), (*steps, number(leaf.estimate)))
    subtree, weight = pruning.as_subtree, leaf.weight
    if pruning.method == "pessimistic" and subtree <= weight:
        error = float(pruning.options["standard_errors"]) * sqrt(
            subtree * (weight - subtree) / weight
        )
        yield Formula(
            Name("subtree and standard error"),
            (Sum.of(number(subtree), number(error)), number(subtree + error)),
        )


def _leaf_steps(pruning: PruningWork, digits: Digits, *, n_classes: int) -> tuple[Math, ...]:
    leaf, number = pruning.leaf, digits.number
    weight, errors = leaf.weight, leaf.errors
    if pruning.method == "cost_complexity":
        alpha = float(pruning.options["alpha"])
        return (Sum.of(number(leaf.estimate - alpha), number(alpha)),)
    if not weight > 0:
        return ()
    n, e = Number(digits.weight(weight)), Number(digits.weight(errors))
    if pruning.method == "error_based":
        rate = number(leaf.estimate / weight)
        return Product((n, Call(Name("U"), (e, n)))), Product((n, rate))
    is_plain = isclose(errors + 0.5, leaf.estimate, rel_tol=CLOSE)
    if pruning.method == "pessimistic" and is_plain:
        return (Sum.of(e, Number("0.5")),)
    if pruning.method == "minimum_error" and pruning.options.get("m") is None:
        k = n_classes
        laplace = weight * (errors + k - 1) / (weight + k)
        if isclose(laplace, leaf.estimate, rel_tol=CLOSE):  # with priors and costs it is not
            above, below = Sum.of(e, Number(str(k - 1))), Sum.of(n, Number(str(k)))
            return (Product((n, Fraction(above, below))),)
    return ()


def _table(page: SheetPage, pruning: PruningWork) -> SheetTable:
    rows = _branch_rows(page, pruning.branches, pruning.at_node)
    rows.append(("together", "", "", "", page.digits.text(pruning.as_subtree)))
    rows.append(("as a leaf", *_row(page, pruning.leaf)[1:]))
    marked = {"leaf": len(rows) - 1, "subtree": len(rows) - 2}.get(pruning.became)
    caption = f"{pruning.measure[:1].upper()}{pruning.measure[1:]}"
    return _estimates(rows, f"{caption}{_shown(pruning.branches)}", marked)


def _raised_table(page: SheetPage, pruning: PruningWork) -> SheetTable:
    """The branches of the raised branch, with all rows of the node."""
    rows = _branch_rows(page, pruning.raised, pruning.raised_at_node)
    rows.append(("together", "", "", "", page.digits.text(pruning.as_branch)))
    caption = f"The largest branch in its place, with all rows{_shown(pruning.raised)}"
    return _estimates(rows, caption, len(rows) - 1)


def _branch_rows(
    page: SheetPage, branches: tuple[Estimate, ...], at_node: float
) -> list[tuple[str, ...]]:
    rows = [_row(page, estimate) for estimate in branches[:MOST_BRANCHES]]
    if left_out := branches[MOST_BRANCHES:]:
        total = sum(branch.estimate for branch in left_out)
        rows.append((f"{len(left_out)} more", "", "", "", page.digits.text(total)))
    if at_node == at_node and at_node:
        rows.append(("the node itself", "", "", "", page.digits.text(at_node)))
    return rows


def _shown(branches: tuple[Estimate, ...]) -> str:
    if len(branches) <= MOST_BRANCHES:
        return ""
    return f", {MOST_BRANCHES} of {len(branches)} branches"


def _estimates(rows: list[tuple[str, ...]], caption: str, marked: int | None) -> SheetTable:
    columns = ("branch", "rows N", "errors E as a leaf", "estimate as a leaf", "estimate")
    kept = [0, *(at for at in range(1, len(columns)) if any(row[at] for row in rows))]
    return SheetTable(
        tuple(columns[at] for at in kept),
        tuple(tuple(row[at] for at in kept) for row in rows),
        "l" + "r" * (len(kept) - 1),
        caption,
        frozenset(() if marked is None else (marked,)),
    )


def _row(page: SheetPage, estimate: Estimate) -> tuple[str, ...]:
    digits = page.digits
    counts = ["" if n != n else digits.weight(n) for n in (estimate.weight, estimate.errors)]
    estimates = map(digits.text, (estimate.as_leaf, estimate.estimate))
    return (shortened(estimate.condition), *counts, *estimates)
