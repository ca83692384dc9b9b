"""Evaluations as tables for a terminal."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from treewright.evaluation.measure import TITLES as TITLES
from treewright.tree.conditions import plain, weight_text

if TYPE_CHECKING:
    from treewright.evaluation.evaluation import Evaluation

MOST_CLASSES = 20  # of a confusion matrix; more do not fit a screen


def evaluation_text(evaluation: "Evaluation") -> str:
    """Measures with intervals, then classes and the confusion matrix."""
    parts = [f"{evaluation.model}: {evaluation.scheme}, {evaluation.rows.n_rows} rows", ""]
    head = ["", "mean", "deviation"] if evaluation.n_splits > 1 else ["", "value"]
    parts += lined_up(
        [*head, "95 % interval"], [measure_line(evaluation, name) for name in evaluation.scores]
    )
    if evaluation.classes is not None:
        parts += ["", *class_lines(evaluation)]
        if len(evaluation.classes) <= MOST_CLASSES:
            parts += ["", *confusion_lines(evaluation)]
    if not math.isnan(evaluation.mean_leaves):
        parts += ["", leaves_in_words(evaluation)]
    return "\n".join(parts)


def measure_line(evaluation: "Evaluation", name: str) -> list[str]:
    found = evaluation.interval(name)
    between = "" if math.isnan(found.low) else f"{found.low:.4f} to {found.high:.4f}"
    values = [found.mean] if evaluation.n_splits == 1 else [found.mean, evaluation.deviation(name)]
    return [TITLES[name], *map(shown, values), between]


def leaves_in_words(evaluation: "Evaluation") -> str:
    one, many = ("rule", "rules") if evaluation.by_rules else ("leaf", "leaves")
    number = evaluation.mean_leaves
    if evaluation.n_splits > 1:
        return f"{number:.1f} {many} on average"
    return f"{number:.0f} {one if number == 1 else many}"


def class_lines(evaluation: "Evaluation") -> list[str]:
    names = list(evaluation.by_class)
    rows = [
        [plain(str(label)), *(with_spread(*found[name]) for name in names)]
        for label, found in evaluation.class_table().items()
    ]
    return lined_up(["class", *names], rows)


def confusion_lines(evaluation: "Evaluation") -> list[str]:
    labels = [plain(str(label)) for label in evaluation.classes or ()]
    rows = [
        [label, *(weight_text(cell) for cell in line)]
        for label, line in zip(labels, evaluation.confusion.tolist(), strict=True)
    ]
    return lined_up(["true \\ predicted", *labels], rows)


def with_spread(mean: float, spread: float) -> str:
    return shown(mean) if math.isnan(spread) else f"{shown(mean)} ± {spread:.4f}"


def shown(number: float) -> str:
    return "not defined" if math.isnan(number) else f"{number:.4f}"


def lined_up(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns: the first to the left, the others to the right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
