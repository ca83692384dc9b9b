"""Tables become frames of other packages, and come back as they were."""

import numpy as np
import pytest

import treewright as tw
from machine import imported
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table

WAYS = {"pandas": "to_pandas", "polars": "to_polars", "pyarrow": "to_arrow"}


def a_table():
    days = np.array([0.0, np.nan, 19_000.0])
    return Table(
        [
            NumericColumn("size", np.array([1.5, np.nan, -0.0])),
            NumericColumn("day", days, unit="datetime64[us]"),
            NominalColumn("color", np.array([1, 0, -1], np.int32), ("red", "blue")),
            NominalColumn("wins", np.array([0, -1, 1], np.int32), (3, 10)),
            NominalColumn("paid", np.array([-1, 1, 0], np.int32), (False, True)),
        ]
    )


def cells(table):
    return {column.name: [column.value(row) for row in range(3)] for column in table.columns}


@pytest.mark.parametrize("package", WAYS)
def test_a_table_comes_back_with_its_values(package):
    imported(package)
    table = a_table()
    frame = getattr(table, WAYS[package])()
    assert frame.shape == (3, 5)
    back = cells(table_from(frame))
    for name in ("size", "day", "color"):
        assert back[name] == cells(table)[name], name
    for name in ("wins", "paid"):  # numbers without a schema are numbers
        assert [None if one is None else int(one) for one in back[name]] == [
            None if one is None else int(one) for one in cells(table)[name]
        ]


@pytest.mark.parametrize("package", WAYS)
def test_the_order_of_levels_stays(package):
    imported(package)
    sizes = NominalColumn("size", np.array([2, 0, 1], np.int32), ("s", "m", "l"), ordered=True)
    column = table_from(getattr(Table([sizes]), WAYS[package])())["size"]
    assert column.levels == ("s", "m", "l")


@pytest.mark.parametrize("package", WAYS)
def test_a_model_reads_what_a_table_became(package):
    imported(package)
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(max_depth=2).fit(X, y)
    frame = getattr(X, WAYS[package])()
    assert model.predict(frame).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "ns"])
def test_dates_of_every_unit_are_dates(unit):
    polars, pyarrow = imported("polars"), imported("pyarrow")
    days = Table([NumericColumn("day", np.array([10.0, np.nan]), unit=f"datetime64[{unit}]")])
    assert isinstance(days.to_polars()["day"].dtype, polars.Datetime | polars.Date)
    assert pyarrow.types.is_timestamp(days.to_arrow()["day"].type)
    assert days.to_polars()["day"].null_count() == days.to_arrow()["day"].null_count == 1
    expected = days["day"].to_numpy()[0].astype("datetime64[us]")
    assert days.to_polars()["day"].to_numpy()[0].astype("datetime64[us]") == expected
