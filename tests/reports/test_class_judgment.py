"""Classes of a report: few in a table, many in a picture, the commonest mistakes in words."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.documents.page import Figure, SheetTable
from treewright.evaluation.evaluation import Evaluation
from treewright.reports.scores_section import class_blocks


def an_evaluation(n_classes: int) -> Evaluation:
    """A number tells the class, with mistakes between neighbors."""
    rng = np.random.default_rng(n_classes)
    true = np.repeat(np.arange(n_classes), 12)
    table = pd.DataFrame({"a": true + rng.normal(scale=0.6, size=len(true))})
    model = tw.CARTClassifier(prune=None, min_samples_leaf=3)
    return tw.evaluate(model, table, [f"class {at:03d}" for at in true], folds=3)


def is_confusion(caption: str) -> bool:
    return caption.startswith("Confusion matrix")


def captions(found: Evaluation) -> list[str]:
    return [block.caption for block in class_blocks(found) if isinstance(block, SheetTable)]


@pytest.mark.parametrize(
    ("n_classes", "n_pictures", "with_table"), [(2, 1, True), (13, 2, False), (70, 1, False)]
)
def test_a_confusion_matrix_is_shown_by_its_size(n_classes, n_pictures, with_table):
    found = an_evaluation(n_classes)
    pictures = [block for block in class_blocks(found) if isinstance(block, Figure)]
    assert len(pictures) == n_pictures  # calibration is one of them
    assert any(map(is_confusion, captions(found))) == with_table
    assert ("Most frequent confusions" in captions(found)) != with_table


def test_the_table_has_every_row_once():
    found = an_evaluation(3)
    table = next(
        block
        for block in class_blocks(found)
        if isinstance(block, SheetTable) and is_confusion(block.caption)
    )
    with_totals = np.array([[float(cell) for cell in row[1:]] for row in table.rows])
    cells = with_totals[:-1, :-1]
    assert with_totals[-1, :-1].tolist() == cells.sum(axis=0).tolist()
    assert with_totals[:, -1].tolist() == [*cells.sum(axis=1), cells.sum()]
    assert cells.sum() == found.rows.n_rows
    assert np.trace(cells) / cells.sum() == pytest.approx(found.mean("accuracy"))
    shades = np.array(table.shades)[:-1, 1:-1]
    assert np.array_equal(np.sign(shades), np.sign(cells) * (2 * np.eye(3) - 1))  # two hues
    assert (np.argsort(shades[0])[-1] == np.argmax(cells[0])).all()


def test_of_very_many_classes_the_commonest_are_listed():
    assert any(
        "the 40 commonest of 70 classes" in caption for caption in captions(an_evaluation(70))
    )


def test_confusions_are_listed_from_the_most_frequent_on():
    found = an_evaluation(13)
    table = next(
        block
        for block in class_blocks(found)
        if isinstance(block, SheetTable) and block.caption == "Most frequent confusions"
    )
    counts = [float(row[2]) for row in table.rows]
    assert counts == sorted(counts, reverse=True)
    assert all(row[0] != row[1] for row in table.rows)
