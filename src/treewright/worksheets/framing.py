"""How a worksheet begins and ends: what is measured, and the tree and rules that came of it."""

from collections.abc import Iterator

from treewright.documents.page import Block, Heading, Listing, Note, Paragraph
from treewright.rulesets.sheet import RuleSheet
from treewright.rulesets.tree_rules import TreeRules
from treewright.tree.as_text import export_text
from treewright.worksheets.sheet_page import SheetPage, shortened

MOST_RULES = 12
MOST_LINES = 40  # of the tree
LONGEST_LINE = 110

CHOICE = {
    "information_gain": "the largest information gain",
    "entropy": "the largest information gain",
    "gain_ratio": "the largest gain ratio",
    "gini": "the largest Gini gain",
    "cost_gini": "the largest gain of Gini with costs",
    "chi2": "the largest chi-square",
    "squared_error": "the largest gain: the variance that it takes away",
    "absolute_error": "the largest gain: the absolute error that it takes away",
    "poisson": "the largest gain: the deviance that it takes away",
}


def opening(page: SheetPage, *, with_formulas: bool) -> Iterator[Block]:
    """What was grown and by which measure."""
    tree = page.tree
    criterion = page.settings.criterion
    choice = CHOICE[criterion] if isinstance(criterion, str) else "the largest gain"
    n_columns = len(tree.schema.columns)
    yield Paragraph.of(
        f"A tree of {tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'} from "
        f"{n_columns} column{'' if n_columns == 1 else 's'}. "
        f"At each node the column with {choice} is chosen."
    )
    if not with_formulas:
        return
    yield from page.formulas.definitions()
    if page.formulas.is_altered:
        factor = page.settings.class_factor
        assert factor is not None
        each = [
            f"{name} {page.digits.weight(float(one))}"
            for name, one in zip(page.classes, factor, strict=True)
        ]
        yield Paragraph.of(f"In formulas a row counts by its class: {', '.join(each[:12])}.")
    yield Note("Numbers are rounded when they are printed, never before: last digits may differ.")


def closing(page: SheetPage) -> Iterator[Block]:
    """The tree, and its rules if they are few."""
    yield Heading(2, "The tree")
    yield Listing(_tree_text(page))
    if 1 < page.tree.n_leaves <= MOST_RULES:
        yield Heading(2, "As rules")
        yield Listing("\n".join(_rules(page)))


def _tree_text(page: SheetPage) -> str:
    """All of it, or as many levels as fit."""
    text = export_text(page.tree, max_depth=1)
    for depth in range(2, page.tree.n_nodes):
        deeper = export_text(page.tree, max_depth=depth)
        if deeper == text or deeper.count("\n") >= MOST_LINES:
            break
        text = deeper
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"... {len(lines) - MOST_LINES} more lines"]
    return "\n".join(shortened(line, LONGEST_LINE) for line in lines)


def _rules(page: SheetPage) -> Iterator[str]:
    rules = list(TreeRules.of(page.tree).rules())
    sheet = RuleSheet(rules, [], None, is_ordered=False, is_classifier=bool(page.classes))
    for rule in rules:
        yield f"{rule.name}: {shortened(sheet.sentence(rule), 200)}"
