"""The tables of a node: the columns compared, the splits tried, the branches of the best."""

from collections.abc import Callable

from treewright import measures
from treewright.data.printed_thresholds import exact_text
from treewright.documents.page import SheetTable
from treewright.errors import ParameterError, nearest
from treewright.plain_text import plain, shortened, whole_percent
from treewright.tree.conditions import bound_text
from treewright.worksheets.impurity_formulas import NumberMeasure
from treewright.worksheets.sheet_page import (
    LONGEST_CHOSEN,
    LONGEST_NAME,
    LONGEST_WORDS,
    SheetPage,
    condition_of,
)
from treewright.worksheets.stored import MOST_COMPARED
from treewright.worksheets.work import CandidateWork, Group, NodeWork

MOST_TRIED = 12  # thresholds or sets shown of one column
MOST_BRANCHES = 30
LONGEST_SPLIT = 40  # characters of a condition

# Additional measures that can be requested, over the rows whose value is known.
MORE_MEASURES: dict[str, Callable[..., float]] = {
    "information_gain": measures.information_gain,
    "split_information": measures.split_information,
    "gain_ratio": measures.gain_ratio,
    "gini_gain": measures.gini_gain,
    "chi_square": measures.chi_square,
}
MEASURE_NAMES = {name: name.replace("_", " ") for name in MORE_MEASURES} | {
    "gini_gain": "Gini gain",
    "chi_square": "chi-square",
}
OWN = {  # what a criterion always shows
    "information_gain": ("information_gain",),
    "entropy": ("information_gain",),
    "gain_ratio": ("information_gain", "split_information", "gain_ratio"),
    "gini": ("gini_gain",),
    "chi2": ("chi_square",),
}


def tried_table(page: SheetPage, work: NodeWork, found: CandidateWork) -> SheetTable:
    """The thresholds or sets that were tried, the best one marked; of many, the best ones."""
    order = range(len(found.tried))
    best = max(order, key=lambda at: _rank(found, at))
    by_gain = sorted(order, key=lambda at: -found.tried[at].gain)[:MOST_TRIED]
    kept = sorted({*by_gain, best})
    caption = "Thresholds tried" if found.kind == "threshold" else "Sets tried"
    if len(kept) < found.n_tried:
        caption += f", the best {len(kept)} of {found.n_tried}"
    if found.correction:  # the price counts these
        caption += f"; {found.n_allowed} of {found.n_tried} leave enough rows on both sides"
    first = "first categories of this order" if _shows_order(found) else "first side"
    gain = "gain before the penalty" if found.correction else "gain"
    columns, align = [first, gain, ""], "lrl"
    shows_rest = found.known_share > 0 and found.before == found.before
    if page.formulas.is_chi_square:
        columns, shows_rest = [first, "chi-square", ""], False
    elif shows_rest:
        columns, align = [first, "remainder", gain, ""], "lrrl"
    unit = page.formulas.measure.weight(work.group) if page.formulas.is_chi_square else 1.0
    rows = [_tried_row(page, found, at, unit, shows_rest=shows_rest) for at in kept]
    if all(found.tried[at].is_allowed for at in kept):  # then there are no remarks
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
    if _shows_order(found):
        last = short_name(found.levels[tried.n_first - 1].condition)
        label = f"{tried.n_first}, to {last}"
    return (label, *numbers, remark)


def levels_in_order(page: SheetPage, work: NodeWork, found: CandidateWork) -> str:
    """The categories in order, if the sets are too long to list; otherwise "".

    For squared error and for two classes, the best of all sets is a cut of this order (Breiman).
    """
    if not _shows_order(found):
        return ""
    if page.classes:
        first = next(at for at, count in enumerate(work.group.counts) if count > 0)
        by = f"the share of {shortened(page.classes[first], LONGEST_NAME)}"
        keys = [level.counts[first] / level.weight for level in found.levels]
    else:
        by = "the mean" if work.group.median != work.group.median else "the median"
        keys = [page.middle(level) for level in found.levels]
    listed = ", ".join(
        f"{short_name(level.condition)} ({page.digits.text(key)})"
        for level, key in zip(found.levels, keys, strict=True)
    )
    return (
        f"Categories in the order of {by}: {listed}. "
        "The sets tried are the first categories of this order."
    )


def _shows_order(found: CandidateWork) -> bool:
    """Whether sets are described by their position in the order, because they are too long."""
    is_long = any(len(tried.condition) > LONGEST_WORDS for tried in found.tried)
    return is_long and bool(found.levels)


def short_name(name: str) -> str:
    """The name of a category, truncated."""
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
    measure = page.formulas.measure
    if not isinstance(measure, NumberMeasure):
        return [measure.name]
    middle = "median" if measure.name == "absolute error" else "mean"
    return [middle, measure.total, measure.name]


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


def check_measures(names: tuple[str, ...]) -> None:
    """Raise unless every measure is known."""
    for name in names:
        if name not in MORE_MEASURES:
            hint = nearest(name, MORE_MEASURES, "measures")
            raise ParameterError(f"no measure `{name}`", hint=hint)


def further_measures(page: SheetPage) -> list[str]:
    """The requested measures that the criterion does not show already; none for regression."""
    criterion = page.settings.criterion
    own = OWN.get(criterion, ()) if isinstance(criterion, str) else ()
    return [name for name in dict.fromkeys(page.measures) if name not in own and page.classes]


def compared(work: NodeWork, most: int = MOST_COMPARED) -> list[CandidateWork]:
    """The columns that are shown, in table order: all, or the best of very many."""
    kept = set(work.ranked[:most])
    return [found for found in work.candidates if found.feature in kept]


def comparison_table(page: SheetPage, work: NodeWork) -> SheetTable:
    """Gain, score and additional measures of every column; the chosen one is marked."""
    more = further_measures(page)
    by_ratio = page.settings.criterion == "gain_ratio"
    columns = ["column"]
    shown = compared(work)
    splits = [_split(page, found) for found in shown]
    if any(splits):
        columns.append("best split")
    columns += ["chi-square"] if page.formulas.is_chi_square else ["gain"]
    columns += ["split information", "gain ratio"] if by_ratio else []
    columns += [MEASURE_NAMES[name] for name in more]
    columns += ["chosen again"] * (work.stability is not None) + [""]
    rows = [_compared_row(page, work, found, more, with_split=any(splits)) for found in shown]
    marked = frozenset(at for at, found in enumerate(shown) if found is work.chosen)
    caption = "Columns compared"
    if len(shown) < len(work.candidates):
        caption += f", the best {len(shown)} of {len(work.candidates)}"
    align = "l" + "l" * any(splits) + "r" * (len(columns) - 2 - any(splits)) + "l"
    return SheetTable(tuple(columns), tuple(rows), align, caption, marked)


def _split(page: SheetPage, found: CandidateWork) -> str:
    """The first side of a split in two."""
    if found.kind == "oblique" and found.threshold is not None:
        return f"<= {exact_text(found.threshold)}"
    if found.kind in ("threshold", "subset") and found.branches:
        return condition_of(found.column, found.branches[0].condition, LONGEST_SPLIT)
    if found.threshold is None:
        return ""
    spec = page.tree.schema.columns[found.feature]
    condition = f"{plain(spec.name)} <= {bound_text(spec, found.threshold)}"
    return condition_of(spec.name, condition, LONGEST_SPLIT)


def _compared_row(
    page: SheetPage, work: NodeWork, found: CandidateWork, more: list[str], *, with_split: bool
) -> tuple[str, ...]:
    text = page.digits.text
    cells = [shortened(plain(found.column), LONGEST_NAME)]
    if with_split:
        cells.append(_split(page, found))
    score = found.score if page.formulas.is_chi_square else found.gain
    cells.append(text(score) if found.kind or not found.refused else "")
    if page.settings.criterion == "gain_ratio":
        cells += [text(found.split_information), text(found.score)]
    table = [branch.counts for branch in found.branches]
    cells += [text(MORE_MEASURES[name](table)) if table else "" for name in more]
    if work.stability is not None:
        cells.append(whole_percent(work.stability.share_of(found.column)))
    return (*cells, _remark(work, found))


def _remark(work: NodeWork, found: CandidateWork) -> str:
    if found is work.chosen:
        return "chosen"
    if found.refused:
        return found.refused
    if found.column in work.ties:
        return "tie"
    return "runner-up" if found is work.runner_up else ""
