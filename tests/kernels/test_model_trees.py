"""The grower of model trees takes nothing that does not fit."""

import numpy as np
import pytest

from treewright._kernels.learners import ModelTreeSettings, grow_model_tree

COLUMNS, TARGET = np.arange(6.0).reshape(2, 3), np.arange(3.0)


def grow(columns=COLUMNS, is_ranked=(0, 0), unit=(1.0, 1.0), target=TARGET, weight=None):
    return grow_model_tree(
        columns,
        np.array(is_ranked, dtype=np.uint8),
        np.array(unit),
        target,
        weight,
        ModelTreeSettings(),
        1,
    )


def test_what_fits_is_taken():
    assert len(grow(weight=np.ones(3))["mean"]) >= 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"columns": COLUMNS.T.copy()}, "columns"),
        ({"columns": COLUMNS.ravel()}, "columns"),
        ({"columns": np.where(COLUMNS == 4, np.nan, COLUMNS)}, "columns"),
        ({"unit": (1.0,)}, "unit"),
        ({"target": TARGET[:0]}, "target"),
        ({"target": np.array([0.0, np.nan, 1.0])}, "target"),
        ({"target": np.array([0.0, np.inf, 1.0])}, "target"),
        ({"weight": np.ones(2)}, "weight"),
        ({"weight": np.array([1.0, 0.0, 1.0])}, "weight"),
        ({"weight": np.array([1.0, np.nan, 1.0])}, "weight"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        grow(**wrong)
