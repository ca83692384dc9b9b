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


def captions(found: Evaluation) -> list[str]:
    return [block.caption for block in class_blocks(found) if isinstance(block, SheetTable)]


@pytest.mark.parametrize(
    ("n_classes", "n_pictures", "with_table"), [(2, 1, True), (13, 2, False), (70, 1, False)]
)
def test_a_confusion_matrix_is_shown_by_its_size(n_classes, n_pictures, with_table):
    found = an_evaluation(n_classes)
    pictures = [block for block in class_blocks(found) if isinstance(block, Figure)]
    assert len(pictures) == n_pictures  # calibration is one of them
    assert ("Confusion matrix" in captions(found)) == with_table
    assert ("Most frequent confusions" in captions(found)) != with_table


def test_the_table_has_every_row_once():
    found = an_evaluation(3)
    table = next(
        block
        for block in class_blocks(found)
        if isinstance(block, SheetTable) and block.caption == "Confusion matrix"
    )
    cells = np.array([[float(cell) for cell in row[1:]] for row in table.rows])
    assert cells.sum() == found.rows.n_rows
    assert np.trace(cells) / cells.sum() == pytest.approx(found.mean("accuracy"))
    assert table.shades[0][1] == pytest.approx(cells[0, 0] / cells[0].sum())


def test_of_very_many_classes_the_commonest_are_listed():
    assert any(
        "the 40 commonest of 70 classes" in caption for caption in captions(an_evaluation(70))
    )


def test_confusions_are_listed_from_the_most_frequent_on():
    found = an_evaluation(13)
    table = list(class_blocks(found))[2]
    counts = [float(row[2]) for row in table.rows]
    assert counts == sorted(counts, reverse=True)
    assert all(row[0] != row[1] for row in table.rows)
