"""Evaluations as tables for a terminal."""

import math
from typing import TYPE_CHECKING

from treewright.evaluation.confusion_text import confusion_lines
from treewright.evaluation.lines import between, lined_up
from treewright.evaluation.lines import shown as shown
from treewright.evaluation.lines import with_spread as with_spread
from treewright.evaluation.measure import TITLES as TITLES
from treewright.tree.conditions import plain

if TYPE_CHECKING:
    from treewright.evaluation.evaluation import Evaluation


def evaluation_text(evaluation: "Evaluation") -> str:
    """Measures with intervals, then classes and the confusion matrix."""
    parts = [f"{evaluation.model}: {evaluation.scheme}, {evaluation.rows.n_rows} rows", ""]
    head = ["", "mean", "deviation"] if evaluation.n_splits > 1 else ["", "value"]
    parts += lined_up(
        [*head, "95 % interval"], [measure_line(evaluation, name) for name in evaluation.scores]
    )
    if evaluation.classes is not None:
        parts += ["", *class_lines(evaluation)]
        parts += ["", *confusion_lines(evaluation.classes, evaluation.confusion)]
    if not math.isnan(evaluation.mean_leaves):
        parts += ["", leaves_in_words(evaluation)]
    return "\n".join(parts)


def measure_line(evaluation: "Evaluation", name: str) -> list[str]:
    found = evaluation.interval(name)
    values = [found.mean] if evaluation.n_splits == 1 else [found.mean, evaluation.deviation(name)]
    return [TITLES[name], *map(shown, values), between(found.low, found.high)]


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
