"""Each class, what it is confused with, and whether shares mean what they say."""

from collections.abc import Iterator

import numpy as np

from treewright.documents.page import Block, Figure, Note, SheetTable
from treewright.evaluation.calibration import Calibration, calibration, calibration_of_answers
from treewright.evaluation.evaluation import Evaluation, FloatArray
from treewright.figures import calibration as calibration_figure
from treewright.reports.confusion_figure import confusion_figure
from treewright.reports.words import short_name, with_deviation
from treewright.tree.conditions import weight_text

MOST_IN_TABLE = 12  # classes of a confusion matrix in words and numbers
MOST_IN_PICTURE = 60  # and of one that is drawn
MOST_CLASSES = 40  # of the table by class
MOST_CONFUSIONS = 15
LONGEST_CLASS = 24  # letters


def class_blocks(found: Evaluation) -> Iterator[Block]:
    """By class, the confusion matrix, calibration."""
    assert found.classes is not None
    yield class_table(found)
    n_classes = len(found.classes)
    if n_classes <= MOST_IN_TABLE:
        yield confusion_table(found)
    elif n_classes <= MOST_IN_PICTURE:
        yield figure_of_confusion(found)
    if n_classes > MOST_IN_TABLE:
        yield from frequent_confusions(found)
    if found.judgements[0].shares is not None:
        yield from calibration_blocks(found)


def class_table(found: Evaluation) -> SheetTable:
    """Sensitivity and the like of the classes, in their order; of very many the commonest."""
    names = list(found.by_class)
    weights = found.confusion.sum(axis=1)
    commonest = np.argsort(-weights, kind="stable")[:MOST_CLASSES]
    table = list(found.class_table().items())
    rows = []
    for code in sorted(commonest.tolist()):
        label, measures = table[code]
        cells = (with_deviation(*measures[name]) for name in names)
        rows.append((short_name(label), weight_text(round(weights[code], 1)), *cells))
    caption = "By class" + (
        ", mean and standard deviation over the splits" if found.n_splits > 1 else ""
    )
    if len(rows) < len(table):
        caption += f"; the {len(rows)} commonest of {len(table)} classes"
    titles = ("class", "rows" if found.rows.weights is None else "weight", *names)
    return SheetTable(titles, tuple(rows), "l" + "r" * (len(names) + 1), caption)


def confusion_table(found: Evaluation) -> SheetTable:
    """True classes down, predicted ones across; dark where many rows of a class are."""
    assert found.classes is not None
    labels = [short_name(label, LONGEST_CLASS) for label in found.classes]
    shares = shares_of_classes(found)
    return SheetTable(
        ("true \\ predicted", *labels),
        tuple(
            (label, *(weight_text(round(cell, 1)) for cell in line))
            for label, line in zip(labels, found.confusion.tolist(), strict=True)
        ),
        "l" + "r" * len(labels),
        "Confusion matrix" + whose(found),
        shades=tuple((0.0, *line) for line in shares.tolist()),
    )


def shares_of_classes(found: Evaluation) -> FloatArray:
    """The confusion matrix as shares of the true classes."""
    totals = found.confusion.sum(axis=1, keepdims=True)
    return found.confusion / np.where(totals > 0, totals, 1.0)


def whose(found: Evaluation) -> str:
    return ", mean of the repeats" if found.plan.n_repeats > 1 else ""


def figure_of_confusion(found: Evaluation) -> Figure:
    assert found.classes is not None
    picture = confusion_figure(found.classes, found.confusion, shares_of_classes(found))
    return Figure(picture.to_svg(), picture.drawing.description)


def frequent_confusions(found: Evaluation) -> Iterator[Block]:
    """Which classes were taken for which others most often."""
    assert found.classes is not None
    wrong = found.confusion - np.diag(np.diag(found.confusion))
    shares = shares_of_classes(found)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS]
    rows = []
    for true, taken in zip(*np.unravel_index(order, wrong.shape), strict=True):
        if wrong[true, taken] > 0:
            cells = (short_name(found.classes[true]), short_name(found.classes[taken]))
            weight = weight_text(round(float(wrong[true, taken]), 1))
            rows.append((*cells, weight, f"{100 * shares[true, taken]:.0f} %"))
    if rows:
        titles = ("true class", "taken for", "rows", "of the class")
        yield SheetTable(titles, tuple(rows), "llrr", "Most frequent confusions" + whose(found))


def calibration_blocks(found: Evaluation) -> Iterator[Block]:
    """Predicted and observed shares: of two classes the second, of more the answers."""
    assert found.classes is not None
    curve = calibration(found) if len(found.classes) == 2 else calibration_of_answers(found)
    picture = calibration_figure(curve)
    yield Figure(picture.to_svg(), picture.drawing.description)
    yield Note(calibration_words(curve))


def calibration_words(curve: Calibration) -> str:
    return (
        "On the dashed line shares mean what they say: of rows that were given a share of 0.8, "
        f"80 % are of the class. On average they are {curve.error:.3f} off."
    )
