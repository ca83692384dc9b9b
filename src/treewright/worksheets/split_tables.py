"""The tables of one column: the ways tried to split by it, and the branches of the best."""

from treewright.documents.page import SheetTable
from treewright.plain_text import shortened
from treewright.worksheets.sheet_page import (
    LONGEST_CHOSEN,
    LONGEST_NAME,
    LONGEST_WORDS,
    SheetPage,
    condition_of,
)
from treewright.worksheets.work import CandidateWork, Group, NodeWork

MOST_TRIED = 12  # thresholds or level sets shown of one column
MOST_BRANCHES = 30


def tried_table(page: SheetPage, work: NodeWork, found: CandidateWork) -> SheetTable:
    """The thresholds or level sets in their order, the best marked; of many, the best ones."""
    order = range(len(found.tried))
    best = max(order, key=lambda at: _rank(found, at))
    by_gain = sorted(order, key=lambda at: -found.tried[at].gain)[:MOST_TRIED]
    kept = sorted({*by_gain, best})
    caption = "Thresholds tried" if found.kind == "threshold" else "Level sets tried"
    if len(kept) < found.n_tried:
        caption += f", the best {len(kept)} of {found.n_tried}"
    if found.correction:  # the price counts these
        caption += f"; {found.n_allowed} of {found.n_tried} leave enough rows on both sides"
    first = "first levels of this order" if _are_levels_told(found) else "first side"
    gain = "gain before the price" if found.correction else "gain"
    columns, align = [first, gain, ""], "lrl"
    shows_rest = found.known_share > 0 and found.before == found.before
    if page.formulas.is_chi_square:
        columns, shows_rest = [first, "chi-square", ""], False
    elif shows_rest:
        columns, align = [first, "remainder", gain, ""], "lrrl"
    unit = page.formulas.measure.weight(work.group) if page.formulas.is_chi_square else 1.0
    rows = [_tried_row(page, found, at, unit, shows_rest=shows_rest) for at in kept]
    if all(found.tried[at].is_allowed for at in kept):  # then there is nothing to remark
        columns, align = columns[:-1], align[:-1]
        rows = [row[:-1] for row in rows]
    marked = frozenset(number for number, at in enumerate(kept) if at == best)
    return SheetTable(tuple(columns), tuple(rows), align, caption, marked)


def _tried_row(
    page: SheetPage, found: CandidateWork, at: int, unit: float, *, shows_rest: bool
) -> tuple[str, ...]:
    tried = found.tried[at]
    numbers = [page.digits.text(tried.gain * unit)]
    if shows_rest:
        numbers.insert(0, page.digits.text(found.before - tried.gain / found.known_share))
    remark = "" if tried.is_allowed else "too few rows on a side"
    label = condition_of(found.column, tried.condition)
    if _are_levels_told(found):
        last = plain_level(found.levels[tried.n_first - 1].condition)
        label = f"{tried.n_first}, to {last}"
    return (label, *numbers, remark)


def levels_in_order(page: SheetPage, work: NodeWork, found: CandidateWork) -> str:
    """The levels by what they are ordered by, where sets of them are too long to be listed; or "".

    By squares and for two classes the best of all sets is a cut of this order (Breiman).
    """
    if not _are_levels_told(found):
        return ""
    if page.classes:
        first = next(at for at, count in enumerate(work.group.counts) if count > 0)
        by = f"the share of {shortened(page.classes[first], LONGEST_NAME)}"
        keys = [level.counts[first] / level.weight for level in found.levels]
    else:
        by = page.middle_name(work.group)
        keys = [page.middle(level) for level in found.levels]
    listed = ", ".join(
        f"{plain_level(level.condition)} ({page.digits.text(key)})"
        for level, key in zip(found.levels, keys, strict=True)
    )
    return f"Levels in the order of {by}: {listed}. The sets tried are the first levels of it."


def _are_levels_told(found: CandidateWork) -> bool:
    """Whether sets are told by their place in the order of levels, as they are too long."""
    is_long = any(len(tried.condition) > LONGEST_WORDS for tried in found.tried)
    return is_long and bool(found.levels)


def plain_level(name: str) -> str:
    """The name of a level, of bearable length."""
    return shortened(name, LONGEST_NAME)


def _rank(found: CandidateWork, at: int) -> tuple[bool, bool, float]:
    tried = found.tried[at]
    is_it = bool(found.branches) and tried.condition == found.branches[0].condition
    return is_it, tried.is_allowed, tried.gain


def branch_table(page: SheetPage, work: NodeWork, found: CandidateWork) -> SheetTable:
    """Rows, classes and impurity of each branch, and of all together."""
    shown = page.classes_of(work.group) if page.classes else []
    head = ["branch", *(shortened(page.classes[at], LONGEST_NAME) for at in shown)]
    if len(shown) < len(page.classes):
        head.append(f"{len(page.classes) - len(shown)} other classes")
    head += ["weight", "counted"] if page.formulas.is_altered else ["weight"]
    head += _numbers_head(page)
    longest = LONGEST_CHOSEN if found is work.chosen else LONGEST_WORDS
    rows = [
        (condition_of(found.column, branch.condition, longest), *_branch_row(page, branch, shown))
        for branch in found.branches[:MOST_BRANCHES]
    ]
    caption = ""
    if len(found.branches) > MOST_BRANCHES:
        caption = f"{MOST_BRANCHES} of {len(found.branches)} branches"
    return SheetTable(tuple(head), tuple(rows), "l" + "r" * (len(head) - 1), caption)


def _numbers_head(page: SheetPage) -> list[str]:
    if page.formulas.is_chi_square:
        return []
    name = page.formulas.measure.name
    if page.classes:
        return [name]
    middle = "median" if name == "absolute error" else "mean"
    return [middle, page.formulas.total_name, name]


def _branch_row(page: SheetPage, branch: Group, shown: list[int]) -> tuple[str, ...]:
    digits = page.digits
    counts = [branch.counts[at] for at in shown]
    if len(shown) < len(page.classes):
        counts.append(sum(branch.counts) - sum(counts))
    cells = [*map(digits.weight, counts), digits.weight(branch.weight)]
    if page.formulas.is_altered:
        cells.append(digits.weight(page.formulas.measure.weight(branch)))
    if page.formulas.is_chi_square:
        return tuple(cells)
    if not page.classes:
        cells += [digits.text(page.middle(branch)), digits.text(branch.impurity * branch.weight)]
    return (*cells, digits.text(branch.impurity))
