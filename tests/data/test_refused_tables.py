"""What is no table, or holds what no tree can use, is refused by name."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from treewright.data.sources import table_from
from treewright.errors import DataError


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (np.zeros(3), r"1D array of shape \(3,\)[\s\S]*Reshape your data"),
        (np.zeros((2, 2, 2)), r"3D array of shape \(2, 2, 2\)"),
        ([1, 2, 3], r"1D array of shape \(3,\)"),
        ([[1, 2], [3]], "row 1 has 1 cells, row 0 has 2"),
        ([], "0 sample"),
        ([[]], "0 feature"),
        ({}, "0 sample"),
        ({"a": [1, 2], "b": [1]}, "column `b` has 1 rows, others have 2"),
        (pd.DataFrame(), "0 sample"),
        (pl.DataFrame(), "0 sample"),
        (pd.Series([1.0], name="a"), r'1D series of 1 rows[\s\S]*frame\[\["a"\]\]'),
        (pl.Series([1.0]), "1D series"),
    ],
    ids=str,
)
def test_shapes_that_are_no_table_are_refused_in_one_line(X, message):
    with pytest.raises(DataError, match=message):
        table_from(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1j]]), "Complex data not supported"),
        ({"a": [1j]}, "Complex data not supported: column `a`, row 0"),
        (np.array([[b"x"]]), "column `x0` holds values of type"),
        ({"a": ["x", b"x"]}, "column `a`, row 1 holds a bytes"),
        ({"a": [1, [2]]}, "column `a`, row 1 holds a list"),
        ({"a": [{"b": 1}]}, "column `a`, row 0 holds a dict: argument must be a string or a num"),
        ({"a": ["x", np.zeros(2)]}, "column `a`, row 1 holds a ndarray"),
        ({"a": ["x", 1]}, r"column `a` mixes a string \('x' in row 0\) with a number"),
        (pd.DataFrame({"a": [None, 1, "x"]}), "column `a` mixes a number"),
        (sparse.csr_matrix(np.eye(2)), "sparse"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])}), "column `a` is sparse"),
        (pl.DataFrame({"a": [[1]]}), "column `a` holds lists"),
        (pl.DataFrame({"a": [b"x"]}), "column `a` holds bytes"),
        (pa.table({"a": [[1]]}), "column `a` holds lists"),
        (pa.table({"a": [{"b": 1}]}), "column `a` holds records"),
        (pa.table({"a": [b"x"]}), "column `a` holds bytes"),
        ("table.csv", "X is a str"),
        (3, "X is a int"),
        (None, "X is a NoneType"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_no_tree_can_use_is_a_type_error_that_names_the_column(X, message):
    with pytest.raises(TypeError, match=message):
        table_from(X)


@pytest.mark.parametrize("n_digits", [401, 5000])
def test_a_number_beyond_floats_is_named(n_digits):
    huge = 10 ** (n_digits - 1)
    for X in ({"x0": [1, huge]}, [[1], [huge]], [[1.5], [-huge]], [{"x0": 1}, {"x0": huge}]):
        with pytest.raises(DataError, match=f"column `x0`, row 1: a number of {n_digits} digits"):
            table_from(X)


@pytest.mark.parametrize("index", [2, -1, 2**30])
def test_an_arrow_index_beyond_its_dictionary_is_refused(index):
    """Such an index once read memory that belongs to others, or ended the process."""
    indices = pa.array([0, index], type=pa.int32())
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["x", "y"]), safe=False)
    with pytest.raises(DataError, match=f"column `a`, row 1: .* asks for number {index}"):
        table_from(pa.table({"a": column}))


def test_arrow_categories_beyond_signed_integers_are_refused():
    """They once became negative levels without a word."""
    column = pa.array([2**63 + 5, 1], type=pa.uint64()).dictionary_encode()
    with pytest.raises(TypeError, match=r"column `a` holds categories of 2\^63 or more"):
        table_from(pa.table({"a": column}))
