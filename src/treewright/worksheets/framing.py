"""The beginning and end of a worksheet: what is measured; the final tree and its rules."""

from collections.abc import Iterator

from treewright.documents.math import Letter
from treewright.documents.page import Block, Heading, Listing, Note, Paragraph, Run, SheetTable
from treewright.plain_text import shortened
from treewright.rulesets.sheet import RuleSheet
from treewright.rulesets.tree_rules import TreeRules
from treewright.tree.as_text import top_text
from treewright.tree.layout import OBLIQUE
from treewright.worksheets.rule_work import RULES
from treewright.worksheets.sheet_page import SheetPage
from treewright.worksheets.words import WHY_LEAF, prediction_text, rows_in_words
from treewright.worksheets.work import NodeWork

MOST_RULES = 12
MOST_LINES = 40  # of the tree
LONGEST_LINE = 110

CHOICE = {
    "information_gain": "with the largest information gain",
    "entropy": "with the largest information gain",
    "gain_ratio": "with the largest gain ratio",
    "gini": "with the largest Gini gain",
    "cost_gini": "with the largest gain, by Gini with costs",
    "chi2": "with the largest chi-square",
    "squared_error": "that reduces the variance most",
    "absolute_error": "that reduces the absolute error most",
    "poisson": "that reduces the deviance most",
}
SHARES = (
    *("Here ", Letter("p", "i"), " is the share of class ", Letter("i"), " in a group of rows, "),
    *(Letter("w", "b"), " the weight of branch ", Letter("b"), " and "),
    *(Letter("w"), " that of the node."),
)
WEIGHT = ("Here ", Letter("w"), " is the weight of the node.")
PRICE_OF_A_THRESHOLD = (
    "The gain of a threshold is reduced by a penalty: log2 of the number of possible thresholds, "
    "divided by the weight of the node."
)
COUNTS = (
    *("Here ", Letter("n", "ib"), " is the weight of class ", Letter("i"), " in branch "),
    *(Letter("b"), ", and ", Letter("e", "ib"), " what it would be if each branch had the "),
    "classes in the shares of the node.",
)
PRICES = (
    *(" The cost of taking class ", Letter("i"), " for class ", Letter("j"), " is "),
    *(Letter("c", "ij"), "."),
)


AS_A_WHOLE = (
    "The splits were chosen together, for the fewest errors of the whole tree. The gains are "
    "shown for comparison: if the margin is negative, growth would have chosen another split."
)


def opening(page: SheetPage) -> Iterator[Block]:
    """The size of the tree and how splits are chosen."""
    tree = page.tree
    criterion = page.settings.criterion
    choice = CHOICE[criterion] if isinstance(criterion, str) else "with the largest gain"
    has_sums = bool((tree.kind == OBLIQUE).any())
    or_sum = ", or a sum of columns that gains enough more" if has_sums else ""
    n_columns = len(tree.schema.columns)
    most = page.settings.max_features
    of_drawn = ", of those drawn there," if most is not None and most < n_columns else ""
    way = f"At each node the column {choice}{of_drawn} is chosen{or_sum}."
    yield Paragraph.of(
        f"A tree of {tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'} from "
        f"{n_columns} column{'' if n_columns == 1 else 's'}. "
        f"{AS_A_WHOLE if page.settings.chosen_as_a_whole else way}"
    )
    if page.rule_work is not None:
        yield Paragraph.of(
            f"The tree does not predict: its paths become {len(page.rule_work.rules)} ",
            Run("rules", link=RULES),
            ", shown below the nodes.",
        )


def measured_by(page: SheetPage, notes: list[str]) -> Iterator[Block]:
    """The formulas used, and the rules that they do not show."""
    definitions = list(page.formulas.definitions())
    yield from definitions
    if definitions:
        yield Paragraph.of(*_letters(page))
    if page.settings.mdl_correction:
        yield Paragraph.of(PRICE_OF_A_THRESHOLD)
    if notes:
        yield Paragraph.of(" ".join(notes))
    if page.formulas.is_altered:
        factor = page.settings.class_factor
        assert factor is not None
        each = [
            f"{name} {page.digits.weight(float(one))}"
            for name, one in zip(page.classes, factor, strict=True)
        ]
        yield Paragraph.of(f"In formulas a row counts by its class: {', '.join(each[:12])}.")
    yield Note("Numbers are rounded when they are printed, never before: last digits may differ.")


def _letters(page: SheetPage) -> tuple[str | Letter, ...]:
    if not page.classes:
        return WEIGHT
    if page.formulas.is_chi_square:
        return COUNTS
    with_costs = page.settings.criterion == "cost_gini" and page.settings.costs is not None
    return (*SHARES, *PRICES) if with_costs else SHARES


def closing(page: SheetPage, *, full: bool) -> Iterator[Block]:
    """The tree, and its rules if they are few; or the rules that were made from it."""
    if page.tree.n_nodes > 1:
        yield from tree_listing(page)
    if page.rule_work is not None:
        yield from page.rule_work.blocks(page.digits, full=full)


def tree_listing(page: SheetPage) -> Iterator[Block]:
    yield Heading(2, "The tree", "tree-text")
    lines = top_text(page.tree, MOST_LINES).split("\n")
    yield Listing("\n".join(shortened(line, LONGEST_LINE) for line in lines))
    if page.tree.n_leaves <= MOST_RULES and page.rule_work is None:
        yield Heading(2, "As rules", "tree-rules")
        yield Listing("\n".join(_rules(page)))


def _rules(page: SheetPage) -> Iterator[str]:
    rules = list(TreeRules.of(page.tree).rules())
    sheet = RuleSheet(rules, [], None, is_ordered=False, is_classifier=bool(page.classes))
    for rule in rules:
        yield f"{rule.name}: {shortened(sheet.sentence(rule), 200)}"


def leaves_table(page: SheetPage, leaves: list[NodeWork]) -> Iterator[Block]:
    """Each leaf: its rows, its prediction, and why it is a leaf."""
    yield Heading(2, "Leaves", "leaves")
    rows = []
    for work in leaves:
        here = "".join(map(str, rows_in_words(page, work.group))).removesuffix(".")
        why = WHY_LEAF.get(work.stop_reason, work.stop_reason)
        where = shortened(" and ".join(work.path))
        rows.append((str(work.node), where, here, prediction_text(page, work.prediction), why))
    yield SheetTable(
        ("node", "where", "training rows", "prediction", "because"), tuple(rows), "rllll"
    )
