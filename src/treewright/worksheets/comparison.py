"""The columns of a node side by side."""

from collections.abc import Callable
from difflib import get_close_matches

from treewright import measures
from treewright.documents.page import SheetTable
from treewright.errors import ParameterError
from treewright.induction.settings import GrowthSettings
from treewright.tree.conditions import plain
from treewright.worksheets.work import CandidateWork, NodeWork

# Measures that can be asked for beside the model's own, of the rows that know the column.
MORE_MEASURES: dict[str, Callable[..., float]] = {
    "information_gain": measures.information_gain,
    "gain_ratio": measures.gain_ratio,
    "gini_gain": measures.gini_gain,
    "chi_square": measures.chi_square,
}


def check_measures(names: tuple[str, ...]) -> None:
    """Raise unless every measure is known."""
    for name in names:
        if name not in MORE_MEASURES:
            near = get_close_matches(name, MORE_MEASURES, n=1)
            raise ParameterError(
                f"no measure `{name}`",
                hint=f"did you mean `{near[0]}`?"
                if near
                else f"measures are: {', '.join(MORE_MEASURES)}",
            )


def comparison_table(
    work: NodeWork, settings: GrowthSettings, more: tuple[str, ...], decimals: int
) -> SheetTable:
    """Gain, score and further measures of every column, the chosen one marked."""
    by_ratio = settings.criterion == "gain_ratio"
    columns = ["column", "gain"]
    columns += ["split information", "gain ratio"] if by_ratio else []
    columns += ["chi-square"] if settings.criterion == "chi2" else []
    columns += [name.replace("_", " ") for name in more] + [""]
    rows = [_row(found, settings, more, decimals) for found in work.candidates]
    marked = frozenset(at for at, found in enumerate(work.candidates) if found is work.chosen)
    caption = "Columns compared"
    if work.average_gain is not None:
        caption += f"; average gain {work.average_gain:.{decimals}f}, less 0.001"
    align = "l" + "r" * (len(columns) - 2) + "l"
    return SheetTable(tuple(columns), tuple(rows), align, caption, marked)


def _row(
    found: CandidateWork, settings: GrowthSettings, more: tuple[str, ...], decimals: int
) -> tuple[str, ...]:
    numbers = [found.gain]
    if settings.criterion == "gain_ratio":
        numbers += [found.split_information, found.score]
    elif settings.criterion == "chi2":
        numbers.append(found.score)
    table = [branch.counts for branch in found.branches]
    if not table or not table[0]:
        cells = [""] * len(more)
    else:
        cells = [f"{MORE_MEASURES[name](table):.{decimals}f}" for name in more]
    shown = [f"{number:.{decimals}f}" if number == number else "" for number in numbers]
    return (plain(found.column), *shown, *cells, found.refused)
