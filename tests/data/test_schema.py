"""Schema: a new table is made to fit the one seen in training, by value."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.column import MISSING, UNSEEN
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.errors import DataError, ModelFileError


def trained_on(data, **settings) -> Schema:
    return Schema.of(table_from(data, **settings))


COLORS = trained_on({"color": ["red", "green", "blue"], "age": [1.0, 2.0, 3.0]})


def test_levels_are_matched_by_value_and_not_by_code():
    encoded = COLORS.encode(table_from({"color": ["blue", None, "red"], "age": [1, 2, 3]}))
    assert encoded["color"].codes.tolist() == [2, MISSING, 0]
    assert encoded["color"].levels == ("red", "green", "blue")


@given(st.permutations(["red", "green", "blue"]), st.sets(st.sampled_from(["red", "green"])))
def test_the_order_of_pandas_categories_does_not_matter(order, subset):
    rows = ["green", "red", "green"]
    frame = pd.DataFrame({"color": pd.Categorical(rows, categories=order), "age": [1.0, 2.0, 3.0]})
    frame = frame[[color not in subset for color in rows]]
    if len(frame):
        codes = COLORS.encode(table_from(frame))["color"].codes
        strings = table_from({"color": frame["color"].tolist(), "age": frame["age"].tolist()})
        assert codes.tolist() == COLORS.encode(strings)["color"].codes.tolist()


def test_an_unseen_level_counts_as_missing_with_one_warning():
    table = table_from({"color": ["red", "pink", "mauve"], "age": [1, 2, 3]})
    with pytest.warns(UserWarning, match="'pink' in column `color`, row 1") as caught:
        assert COLORS.encode(table)["color"].codes.tolist() == [0, MISSING, MISSING]
    assert len(caught) == 1


def test_an_unseen_level_can_be_marked_or_refused():
    table = table_from({"color": ["red", "pink"], "age": [1, 2]})
    assert COLORS.encode(table, "majority")["color"].codes.tolist() == [0, UNSEEN]
    with pytest.raises(DataError, match="'pink' in column `color`, row 1"):
        COLORS.encode(table, "error")


def test_a_level_that_no_row_has_is_not_unseen():
    table = table_from({"color": ["red", "pink"], "age": [1, 2]})[[0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert COLORS.encode(table, "error")["color"].codes.tolist() == [0]


def test_a_float_array_passes_through_untouched():
    schema = trained_on(np.eye(3))
    table = table_from(np.ones((2, 3)))
    assert schema.encode(table) is table


def test_columns_missing_extra_or_moved_are_listed():
    table = table_from({"age": [1.0], "color": ["red"]})
    with pytest.raises(DataError, match=r"same order as they were in fit[\s\S]*- age\n- color"):
        COLORS.encode(table)
    with pytest.raises(DataError, match=r"unseen at fit time:\n- hue[\s\S]*missing:\n- color"):
        COLORS.encode(table_from({"hue": ["red"], "age": [1.0]}))


def test_an_array_of_the_wrong_width_is_told_both_widths():
    with pytest.raises(DataError, match="X has 2 features, but CART is expecting 3 features"):
        trained_on(np.eye(3)).encode(table_from(np.eye(2)), model="CART")


def test_names_are_not_asked_for_where_one_side_has_none():
    schema = trained_on(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    assert schema.encode(table_from(np.ones((1, 2)))).n_columns == 2


def test_text_in_a_numeric_column_is_shown_with_its_row():
    with pytest.raises(DataError, match="'12a' in column `age`, row 1"):
        COLORS.encode(table_from({"color": ["red", "red"], "age": [None, "12a"]}))
    with pytest.raises(DataError, match="'12' in column `age`, row 0"):
        COLORS.encode(table_from({"color": ["red"], "age": ["12"]}))


def test_numbers_in_a_column_of_text_are_shown_with_their_row():
    with pytest.raises(DataError, match=r"7.0 in column `color`, row 0: .* string categories"):
        COLORS.encode(table_from({"color": [7], "age": [1]}))


def test_the_type_of_levels_must_be_that_of_training():
    integers = trained_on({"code": [3, 5]}, categorical_features=["code"])
    with pytest.raises(DataError, match=r"'3' in column `code`, row 0: .* integer categories"):
        integers.encode(table_from({"code": ["3"]}))
    truth = trained_on({"old": [True, False]})
    with pytest.raises(DataError, match="boolean categories such as"):
        truth.encode(table_from({"old": [1, 0]}))


def test_integers_match_integer_levels_without_being_declared_again():
    schema = trained_on({"code": [3, 5]}, categorical_features=["code"])
    assert schema.encode(table_from({"code": [5, 3]}))["code"].codes.tolist() == [1, 0]


def test_a_column_of_holes_fits_every_kind():
    encoded = COLORS.encode(table_from({"color": [None], "age": [None]}))
    assert encoded["color"].codes.tolist() == [MISSING]
    assert np.isnan(encoded["age"].values).all()


def test_values_may_appear_where_training_had_only_holes():
    schema = trained_on({"a": [None, None], "b": [1.0, 2.0]})
    for values in (["x", "y"], [1, 2], [True, False]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            encoded = schema.encode(table_from({"a": values, "b": [1, 2]}))
        assert encoded["a"].codes.tolist() == [MISSING, MISSING]


def test_dates_of_another_unit_are_converted():
    schema = trained_on({"day": np.array(["2020-01-01"], dtype="datetime64[D]")})
    moments = table_from({"day": np.array(["2020-01-02T12"], dtype="datetime64[ns]")})
    assert schema.encode(moments)["day"].values.tolist() == [18263.5]
    with pytest.raises(DataError, match="knows this column as dates, here it holds plain numbers"):
        schema.encode(table_from({"day": [1.0]}))


def test_an_ordered_column_stays_ordered():
    sizes = pd.Categorical(["S", "L"], categories=["S", "M", "L"], ordered=True)
    schema = trained_on(pd.DataFrame({"size": sizes}))
    assert schema.columns[0].kind == "ordered"
    encoded = schema.encode(table_from({"size": ["L", "S"]}))
    assert encoded["size"].codes.tolist() == [1, 0]
    assert encoded["size"].ordered


MIXED = table_from(
    {
        "größe": [1.0, 2.0],
        "": ["a", "b"],
        "flag": [True, False],
        "day": np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    }
)


def test_a_schema_survives_json():
    for schema in (Schema.of(MIXED), COLORS, trained_on(np.eye(2))):
        assert Schema.from_json(json.loads(json.dumps(schema.to_json()))) == schema


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(extra=1), "extra"),
        (lambda data: data.pop("has_names"), "has_names"),
        (lambda data: data.update(has_names=1), "has_names"),
        (lambda data: data.update(columns=[]), "columns"),
        (lambda data: data["columns"][0].update(kind="text"), "column 0: `kind`"),
        (lambda data: data["columns"][0].update(unit="years"), "`unit`"),
        (lambda data: data["columns"][0].update(name=3), "`name`"),
        (lambda data: data["columns"][1].update(levels=["a", "a"]), "twice"),
        (lambda data: data["columns"][1].update(levels=["a", 1]), "levels"),
        (lambda data: data["columns"][2].update(levels=[True, 1]), "levels"),
        (lambda data: data["columns"][1].update(levels=[0.5]), "levels"),
        (lambda data: data["columns"][1].update(name="größe"), "name occurs twice"),
    ],
)
def test_a_damaged_schema_is_refused(change, message):
    data = Schema.of(MIXED).to_json()
    change(data)
    with pytest.raises(ModelFileError, match=message):
        Schema.from_json(data)


def test_what_is_printed_for_thresholds_survives_json():
    table = table_from({"x": [0.12345641, 0.12345649, 7.0]})
    schema = Schema.of(table).with_cuts({"x": [0.12345645, 0.123456451, 1 / 3]}, table)
    again = Schema.from_json(json.loads(json.dumps(schema.to_json())))
    assert again.to_json() == schema.to_json()
    assert again.columns[0].printed.text(1 / 3) == "0.333333"


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        ([], "`printed`"),
        ({"threshold": [0.3]}, "printed"),
        ({"threshold": [0.3], "printed": []}, "equal length"),
        ({"threshold": 0.3, "printed": 0.3}, "equal length"),
        ({"threshold": [0.3], "printed": ["0.3"]}, "not a finite number"),
        ({"threshold": [0.3], "printed": [True]}, "not a finite number"),
        ({"threshold": [float("inf")], "printed": [0.3]}, "not a finite number"),
        ({"threshold": [0.4, 0.3], "printed": [0.4, 0.3]}, "do not rise"),
        ({"threshold": [1.0000001, 1.0000002], "printed": [1.0, 1.0]}, "do not rise"),
        ({"threshold": [7.0], "printed": [5.0]}, "too far"),
    ],
)
def test_what_is_printed_must_be_close_to_the_threshold(printed, message):
    data = Schema.of(MIXED).to_json()
    data["columns"][0]["printed"] = printed
    with pytest.raises(ModelFileError, match=message):
        Schema.from_json(data)


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=3), st.lists, max_leaves=5))
def test_anything_else_is_no_schema(data):
    with pytest.raises(ModelFileError):
        Schema.from_json(data)
