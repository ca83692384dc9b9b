"""Names of columns, kept as they are or refused by name."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.data.sources import table_from
from treewright.errors import DataError, DataTypeError

NAMES = [
    "",
    " ",
    "größe",
    "体重",
    "🌳",
    "[a]<b>",
    '"',
    "\\",
    "a\nb",
    "\t",
    "a,b",
    "n" * 10_000,
    "nan",
    "1",
]


def test_names_of_every_kind_are_kept():
    data = {name: [1.0, 2.0] for name in NAMES}
    for source in (data, pd.DataFrame(data), pl.DataFrame(data), pa.table(data)):
        assert table_from(source).names == tuple(NAMES)


def test_names_that_are_no_strings_are_named():
    for frame in (
        pd.DataFrame([[1, 2]], columns=["a", 1]),
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])),
        pd.DataFrame([[1, 2]], columns=["a", None]),
        {1: [1]},
    ):
        with pytest.raises(TypeError, match="column names are strings"):
            table_from(frame)


def test_a_frame_of_numbered_columns_has_no_names():
    table = table_from(pd.DataFrame([[1.0, 2.0]]))
    assert table.names == ("x0", "x1")
    assert not table.has_names


def test_names_that_occur_twice_are_listed_with_their_positions():
    for frame in (
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([[1], [2], [3]], names=["a", "b", "a"]),
    ):
        with pytest.raises(DataError, match="`a` at positions 0, 2"):
            table_from(frame)
    with pytest.raises(DataError, match="positions 0, 1"):
        table_from(np.eye(2), feature_names=["a", "a"])


def test_feature_names_must_fit():
    assert table_from(np.eye(2), feature_names=["a", "b"]).has_names
    with pytest.raises(DataError, match="feature_names has 1 names, X has 2 columns"):
        table_from(np.eye(2), feature_names=["a"])
    with pytest.raises(DataTypeError, match=r"feature_names\[1\] is 2"):
        table_from(np.eye(2), feature_names=["a", 2])
