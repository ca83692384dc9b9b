"""The column report says what was inferred, and what looks odd."""

import numpy as np
import pytest

from treewright.data.report import ColumnReport, column_report
from treewright.data.samples import load_sample
from treewright.data.sources import table_from

N = 40


def report_on(y=None, **columns) -> ColumnReport:
    return column_report(columns, y)


def test_each_column_has_a_kind_a_reason_and_counts():
    report = report_on(a=["x", "y", None], b=[1.0, 1.0, 2.0])
    line = report["a"]
    assert (line.kind, line.why, line.n_distinct, line.n_missing) == ("nominal", "strings", 2, 1)
    assert report["b"].kind == "numeric"
    assert report["b"].n_distinct == 2


@pytest.mark.parametrize(
    ("values", "warning"),
    [
        ([None] * N, "entirely missing"),
        ([7.0, 8.0] + [None] * (N - 2), "38 of 40 values missing"),
        ([7.0] * N, "constant"),
        (["x"] * N, "constant"),
        ([f"name {row}" for row in range(N)], "a different value in every row"),
        (
            [f"name {row // 4 * 4 if row < 20 else row}" for row in range(N)],
            "more categories than half",
        ),
        (list(range(N)), "numbers the rows"),
        ([str(row % 12) for row in range(N)], "every category is a number"),
        ([str(row % 12) for row in range(N - 1)] + ["unknown"], "text only because of `unknown`"),
        (["Yes", "yes "] * (N // 2), "differ only in case or spaces"),
        ([f"$ {1 + row % 4},000" for row in range(N)], "numbers with symbols (`$ 1,000`)"),
        ([f"{1 + row % 9} %" for row in range(N)], "numbers with symbols (`1 %`)"),
        (
            [f"{1 + row % 12}/28/2024" for row in range(N)],
            "dates in a format other than 2024-01-31",
        ),
        ([f"28.{1 + row % 12}.24" for row in range(N)], "dates in a format other than 2024-01-31"),
    ],
)
def test_odd_columns_are_worth_a_look(values, warning):
    (found,) = report_on(a=values)["a"].warnings
    assert warning in found


def test_ordinary_columns_are_left_in_peace():
    rng = np.random.default_rng(0)
    report = report_on(a=rng.random(N), b=["x", "y"] * (N // 2), c=[True, False] * (N // 2))
    assert report.warnings == ()


def test_numbers_that_differ_in_every_row_are_copies_only_in_one_order():
    rng = np.random.default_rng(0)
    y = rng.random(40)
    table = table_from({"other": rng.random(40), "scaled": 32 - 1.8 * y, "name": list(map(str, y))})
    report = column_report(table, y)
    assert "copy of the target" in report["scaled"].warnings[0]
    for name in ("other", "name"):
        assert not any("copy of the target" in text for text in report[name].warnings)


def test_a_copy_of_the_target_is_found():
    y = ["yes", "no"] * (N // 2)
    report = report_on(y, leak=[1, 0] * (N // 2), fair=[1, 1, 0, 0] * (N // 4))
    assert "copy of the target" in report["leak"].warnings[0]
    assert report["fair"].warnings == ()


def test_the_text_of_a_report_is_a_table():
    X, y = load_sample("iris")
    lines = str(column_report(X, y)).splitlines()
    assert lines[0] == "150 rows, 4 columns"
    assert lines[2].split() == ["sepal", "length", "numeric", "35", "0", "numbers"]


def test_a_report_is_plain_data_too():
    (entry,) = report_on(a=["x", "y"]).to_dict()["columns"]
    assert entry["kind"] == "nominal"
    assert entry["warnings"] == []


def test_numbers_with_signs_say_so_where_they_are_taken_for_ids():
    report = report_on(price=[f"€ {row},50" for row in range(N)])
    assert (
        report.id_like["price"] == "40 different values in 40 rows: numbers with symbols (`€ 0,50`)"
    )


def test_columns_that_name_rows_are_found_by_the_rows_that_have_a_value():
    cabins = [f"c{at}" if at < 12 else None for at in range(40)]
    table = table_from({"cabin": cabins, "letter": list("abcd" * 10), "few": ["x"] * 40})
    assert column_report(table).id_like == {"cabin": "12 different values in 12 rows"}


def test_columns_that_count_the_rows_are_ids_and_others_are_not():
    up = list(range(5, 25))
    steps = {"up": up, "down": up[::-1], "by two": [2 * at for at in up], "gap": [*up[:-1], 40]}
    reasons = column_report(steps).id_like
    assert reasons == dict.fromkeys(["up", "down"], "it numbers the rows")
