"""Evaluations as tables for a terminal."""

import math
from typing import TYPE_CHECKING

import numpy as np

from treewright.evaluation.confusion_text import confusion_lines
from treewright.evaluation.lines import between, lined_up
from treewright.evaluation.lines import shown as shown
from treewright.evaluation.lines import with_spread as with_spread
from treewright.evaluation.measure import TITLES as TITLES
from treewright.plain_text import plain

if TYPE_CHECKING:
    from treewright.evaluation.evaluation import Evaluation

MOST_CLASSES = 40  # that have a line of their own


def evaluation_text(evaluation: "Evaluation") -> str:
    """Measures with intervals, then classes and the confusion matrix."""
    pruned = f", pruned by {evaluation.pruned}" if evaluation.pruned else ""
    parts = [f"{evaluation.model}{pruned}: {evaluation.scheme}, {evaluation.rows.n_rows} rows", ""]
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
    """Measures of each class; of very many, those of the classes with most rows."""
    names = list(evaluation.by_class)
    found = list(evaluation.class_table().items())
    largest = np.argsort(-evaluation.confusion.sum(axis=1), kind="stable")[:MOST_CLASSES]
    rows = [
        [plain(str(found[at][0])), *(with_spread(*found[at][1][name]) for name in names)]
        for at in sorted(largest.tolist())
    ]
    lines = lined_up(["class", *names], rows)
    n_left_out = len(found) - len(rows)
    return [*lines, f"... {n_left_out} classes with fewer rows"] if n_left_out else lines
