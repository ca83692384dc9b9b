"""Infinite numbers are refused by column, row and value."""

import numpy as np
import pytest

import treewright as tw
from treewright.estimators.rows import check_finite


@pytest.mark.parametrize(
    ("rows", "names", "message"),
    [
        (np.array([[1.0, 2.0], [3.0, -np.inf]]), (), "column `x1`, row 1: -inf"),
        (np.array([[np.inf]], dtype=np.float32), ["size"], "column `size`, row 0: inf"),
        (tw.table_from({"a": ["x", "y"], "b": [1.0, np.inf]}), (), "column `b`, row 1: inf"),
    ],
)
def test_an_infinite_number_is_named(rows, names, message):
    with pytest.raises(tw.DataError, match=message):
        check_finite(rows, "KMeans", names)


def test_holes_words_and_large_numbers_pass():
    check_finite(tw.table_from({"a": ["x", None], "b": [np.nan, 1e308]}), "KMeans")
    check_finite(np.array([[np.nan, -1e308]]), "KMeans")
