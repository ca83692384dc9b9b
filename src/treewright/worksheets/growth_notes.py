"""Rules of growth and pruning that the formulas do not show, if they apply on the page."""

from collections.abc import Iterator, Sequence

from treewright.documents.math import (
    Call,
    Fraction,
    Letter,
    Math,
    Name,
    Number,
    Product,
    Square,
    Sum,
)
from treewright.documents.page import Block, Formula, Paragraph
from treewright.intervals import upper_quantile
from treewright.plain_text import number_text
from treewright.worksheets.level_partitions import (
    MOST_LEVELS_BY_DISTANCE,
    MOST_LEVELS_TRIED,
    ORDERED_BY_MEAN,
)
from treewright.worksheets.place import CEILING
from treewright.worksheets.sheet_page import SheetPage
from treewright.worksheets.work import NodeWork, PruningWork

DATA_VALUES = (
    "A threshold is a value of the column: of all training rows, the largest value that is not "
    "above the middle between two neighboring values at the node."
)
KNOWN_SHARE = (
    "Where values of a column are missing, its gain is that of the rows whose value is known, "
    "multiplied by their share of the node."
)
MISSING_BRANCH = "In the split information the rows with a missing value count as one more branch."
ONE_VS_REST = "Each category is tried by itself against all others."


def growth_notes(page: SheetPage, works: Sequence[NodeWork]) -> list[str]:
    """One sentence or two for each rule that the nodes of a page follow."""
    found = [one for work in works for one in work.candidates if one.kind]
    kinds = {one.kind for one in found}
    notes = _least_rows(page, kinds)
    if "threshold" in kinds and page.settings.data_value_thresholds:
        notes.append(DATA_VALUES)
    if "subset" in kinds:
        notes.append(_sets_tried(page))
    if any(one.known_share < 1 for one in found):
        notes.append(KNOWN_SHARE)
        if page.settings.criterion == "gain_ratio":
            notes.append(MISSING_BRANCH)
    return notes


def _least_rows(page: SheetPage, kinds: set[str]) -> list[str]:
    """The minimum size of the branches."""
    settings = page.settings
    least = number_text(float(settings.min_samples_leaf))
    notes = []
    sides = "At least two branches" if "branches" in kinds else "Both sides"
    if settings.limits_by_weight and kinds & {"branches", "subset"}:
        notes.append(f"{sides} of a split by categories must have a weight of {least} or more.")
    if settings.limits_by_weight and "threshold" in kinds:
        notes.append(
            "Each side of a threshold must have a tenth of the known weight per class (known "
            f"weight / (10 × classes)), but at least {least}; more than {CEILING:g} is never asked."
        )
    if not settings.limits_by_weight and settings.min_samples_leaf > 1 and kinds:
        notes.append(f"{sides} of a split must have {least} rows or more.")
    if settings.min_weight_fraction_leaf > 0 and kinds:
        weight = settings.min_weight_fraction_leaf * float(page.tree.weight[0])
        notes.append(f"They must also have a weight of {number_text(weight)} or more.")
    return notes


def _sets_tried(page: SheetPage) -> str:
    """Which sets of categories are compared with the others."""
    settings = page.settings
    if settings.nominal == "one_vs_rest":
        return ONE_VS_REST
    if not page.classes and settings.criterion in ORDERED_BY_MEAN:
        return _cuts_of("the mean of the target")
    if len(page.classes) == 2 and isinstance(settings.criterion, str):
        return _cuts_of(f"the share of {page.classes[0]}")
    most = MOST_LEVELS_TRIED if page.classes else MOST_LEVELS_BY_DISTANCE
    by = "the share of each class in turn" if page.classes else "the median of the target"
    return (
        f"Of up to {most} categories all sets are tried; more categories are put in the order of "
        f"{by}, and the sets tried are the first ones of the order."
    )


def _cuts_of(by: str) -> str:
    return (
        f"A list of categories is a cut of an order: the categories of a node are put in the order "
        f"of {by}, and the sets tried are the first ones of it. No other set gains more."
    )


NAMES = {
    "error_based": "error-based pruning",
    "pessimistic": "pessimistic pruning",
    "minimum_error": "minimum-error pruning",
    "mdl": "minimum description length",
    "cost_complexity": "cost complexity",
    "reduced_error": "reduced-error pruning",
    "critical_value": "a critical value",
}
RULES = {
    "error_based": "A leaf with E errors among its N training rows is expected to make "
    "N × U(E, N) errors. U(E, N) is the upper limit of its error rate, which is exceeded with a "
    "probability of {confidence}. A leaf that is no more than 0.1 above its subtree wins.",
    "pessimistic": "Each leaf counts its training errors plus half an error. A leaf wins if that "
    "is no more than the subtree plus {standard_errors} times its standard error.",
    "minimum_error": "Each leaf has an estimate of its errors on new rows. A leaf wins if its "
    "estimate is no higher than that of its subtree.",
    "mdl": "The bits that encode the tree and its exceptions are counted. A leaf wins if it does "
    "not make the code longer.",
    "reduced_error": "The errors on held-out rows are counted. A leaf that makes no more errors "
    "than its subtree wins.",
    "critical_value": "A split stays if its value, or that of a split below it, reaches {value}.",
}
RAISING = (
    " Otherwise the largest branch takes the place of the split if its estimate, with all rows of "
    "the node, is no more than 0.1 above that of the subtree. The rows of the other branches then "
    "go down the raised branch by their own values, and all its counts are updated."
)
N, E, F, Z = Letter("N"), Letter("E"), Letter("f"), Letter("z")


def pruning_rule(pruning: PruningWork, *, full: bool) -> Iterator[Block]:
    """What a pruning method compares; in full also its formula."""
    name = NAMES.get(pruning.method, pruning.method)
    yield Paragraph.of(f"Pruned by {name}. {_rule(pruning)}")
    if full and pruning.method == "error_based":
        yield from upper_limit(float(pruning.options["confidence"]))


def _rule(pruning: PruningWork) -> str:
    if pruning.method == "cost_complexity":
        return _cost_complexity(pruning)
    rule = RULES.get(pruning.method, f"What is compared: {pruning.measure}.")
    if pruning.options.get("subtree_raising"):
        rule += RAISING
    options = {
        name: number_text(value) if isinstance(value, float) else str(value)
        for name, value in pruning.options.items()
    }
    return rule.format_map(options)


def _cost_complexity(pruning: PruningWork) -> str:
    """What is compared, and where alpha comes from."""
    options = pruning.options
    alpha = number_text(float(options["alpha"]))
    rule = (
        f"The risk plus a penalty for each leaf is compared: risk + alpha × leaves, where the risk "
        f"is the {options['risk']} of the leaves per unit of training weight and alpha is {alpha}. "
        "A leaf that costs no more than the best pruned form of its subtree wins. "
    )
    if "folds" in options:
        errors = number_text(float(options["standard_errors"]))
        within = "one standard error" if errors == "1" else f"{errors} standard errors"
        return (
            f"{rule}alpha was chosen by cross-validation with {options['folds']} folds: it belongs "
            f"to the smallest tree within {within} of the best one."
        )
    return f"{rule}alpha was set beforehand, not chosen by cross-validation."


def upper_limit(confidence: float) -> Iterator[Block]:
    """The formula of U, and the cases that it does not cover."""
    square_of_z = Square(Z)
    spread = Sum(
        (
            *Sum.less(Fraction(F, N), Fraction(Square(F), N)).terms,
            *Sum.of(Fraction(square_of_z, Product((Number("4"), Square(N))))).terms,
        )
    )
    above = Sum.of(
        F,
        Fraction(square_of_z, Product((Number("2"), N))),
        Product((Z, Call(Name("sqrt"), (spread,)))),
    )
    limit: Math = Fraction(above, Sum.of(Number("1"), Fraction(square_of_z, N)))
    yield Formula(Call(Name("U"), (E, N)), (limit,))
    yield Paragraph.of(
        *("Here ", F, " = (E + 0.5)/N and ", Z, f" = {upper_quantile(confidence):.8g}, which a "),
        f"standard normal value exceeds with a probability of {number_text(confidence)}. "
        "Three cases differ: "
        f"U(0, N) = 1 - {number_text(confidence)}^(1/N); between 0 and 1 errors, U is on the "
        "straight line from U(0, N) to U(1, N); and U is 1 if E is at least N - 0.5.",
    )
