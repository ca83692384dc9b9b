"""The columns of a node side by side."""

from collections.abc import Callable

from treewright import measures
from treewright.data.printed_thresholds import exact_text
from treewright.documents.page import SheetTable
from treewright.errors import ParameterError, nearest
from treewright.plain_text import plain, shortened, whole_percent
from treewright.tree.conditions import bound_text
from treewright.worksheets.sheet_page import LONGEST_NAME, SheetPage, condition_of
from treewright.worksheets.stored import MOST_COMPARED
from treewright.worksheets.work import CandidateWork, NodeWork

LONGEST_SPLIT = 40  # letters of a condition

# Measures that can be asked for beside the model's own, of the rows that know the column.
MORE_MEASURES: dict[str, Callable[..., float]] = {
    "information_gain": measures.information_gain,
    "split_information": measures.split_information,
    "gain_ratio": measures.gain_ratio,
    "gini_gain": measures.gini_gain,
    "chi_square": measures.chi_square,
}
MEASURE_NAMES = {
    "information_gain": "information gain",
    "split_information": "split information",
    "gain_ratio": "gain ratio",
    "gini_gain": "Gini gain",
    "chi_square": "chi-square",
}
OWN = {  # what a criterion shows in any case
    "information_gain": ("information_gain",),
    "entropy": ("information_gain",),
    "gain_ratio": ("information_gain", "split_information", "gain_ratio"),
    "gini": ("gini_gain",),
    "chi2": ("chi_square",),
}


def check_measures(names: tuple[str, ...]) -> None:
    """Raise unless every measure is known."""
    for name in names:
        if name not in MORE_MEASURES:
            hint = nearest(name, MORE_MEASURES, "measures")
            raise ParameterError(f"no measure `{name}`", hint=hint)


def further_measures(page: SheetPage) -> list[str]:
    """Those asked for that the model's own criterion does not show; none for numbers."""
    criterion = page.settings.criterion
    own = OWN.get(criterion, ()) if isinstance(criterion, str) else ()
    return [name for name in dict.fromkeys(page.measures) if name not in own and page.classes]


def compared(work: NodeWork, most: int = MOST_COMPARED) -> list[CandidateWork]:
    """The columns that are shown, in their order: all, or of very many the best."""
    kept = set(work.ranked[:most])
    return [found for found in work.candidates if found.feature in kept]


def comparison_table(page: SheetPage, work: NodeWork) -> SheetTable:
    """Gain, score and further measures of every column, the chosen one marked."""
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
    rows = [_row(page, work, found, more, with_split=any(splits)) for found in shown]
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


def _row(
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
