"""Rules of growth that the formulas of a worksheet leave unsaid, where they apply on the page."""

from collections.abc import Sequence

from treewright.tree.conditions import number_text
from treewright.worksheets.level_partitions import (
    MOST_LEVELS_BY_DISTANCE,
    MOST_LEVELS_TRIED,
    ORDERED_BY_MEAN,
)
from treewright.worksheets.place import CEILING
from treewright.worksheets.sheet_page import SheetPage
from treewright.worksheets.work import CandidateWork, NodeWork

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
    notes = [*_least_rows(page, kinds)]
    if "threshold" in kinds and page.settings.data_value_thresholds:
        notes.append(DATA_VALUES)
    if "subset" in kinds:
        notes.append(_sets_tried(page))
    return [*notes, *_missing_rows(page, found)]


def _least_rows(page: SheetPage, kinds: set[str]) -> list[str]:
    """What the branches of a split must hold."""
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


def _missing_rows(page: SheetPage, found: Sequence[CandidateWork]) -> list[str]:
    if not any(one.known_share < 1 for one in found):
        return []
    return [KNOWN_SHARE, *([MISSING_BRANCH] if page.settings.criterion == "gain_ratio" else [])]
