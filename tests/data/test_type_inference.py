"""What text columns mean, as a whole: words for missing, cells that do not fit, what users say."""

import io
import warnings

import numpy as np
import pytest

import treewright as tw
from machine import imported
from treewright.data.schema import Schema
from treewright.data.sources.from_files import read_table
from treewright.errors import DataError, ModelTableError, ParameterError, UnknownColumnError

KG = [f"{number} kg" for number in range(1, 101)]


def csv(*cells, header="x"):
    return io.BytesIO("\n".join([header, *cells]).encode())


@pytest.fixture(autouse=True)
def _no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("token", ["N/A", "unknown", "-", "#N/A", "n.a.", "NULL", "?", "--", "TBD"])
def test_tokens_mean_missing_among_numbers_and_dates_only(token):
    table = read_table(
        {"n": ["5", token], "d": ["2021-01-31", token], "s": ["a", token], "y": ["yes", token]}
    )
    assert table["n"].values[0] == 5
    assert [table[name].n_missing for name in "ndsy"] == [1, 1, 0, 0]
    assert table["s"].levels == ("a", token)


def test_tokens_are_told_and_can_be_replaced():
    column = read_table({"x": ["5 kg", "-", "N/A", "-"]})["x"]
    assert column.origin.endswith("; missing: `-`, `N/A` (3)")
    assert read_table({"x": ["5 kg", "-"]}, na=[])["x"].levels == ("5 kg", "-")
    assert read_table({"x": ["5 kg", "none of it"]}, na=["none of it"])["x"].n_missing == 1


def test_a_few_cells_need_not_fit_and_are_told():
    with pytest.warns(UserWarning, match="2 cells do not fit and count as missing") as caught:
        column = read_table({"x": ["call us", *KG[:98], "sold"]})["x"]
    assert "first `call us` in row 0" in str(caught[0].message)
    assert column.n_missing == 2
    assert column.values[1:99].tolist() == list(range(1, 99))


def test_where_half_of_the_cells_fit_the_column_stays_text_and_says_so():
    words = [f"word {number}" for number in range(100)]
    column = read_table({"x": [*KG, *words]})["x"]
    assert column.kind == "nominal"
    assert "100 of 200 cells are numbers in `kg`" in column.caution
    assert "`word 0`: read as text" in column.caution
    with pytest.raises(DataError, match=r"row 100: `word 0` .* is not a number \(and 99 other"):
        read_table({"x": [*KG, *words]}, columns={"x": "number"})


def test_groups_of_numbers_and_words_stay_text_without_a_word():
    assert read_table({"doors": ["2", "3", "4", "5more"] * 20})["doors"].caution == ""


def test_what_users_say_counts():
    rows = {"a": ["1,234", "2,345"], "b": ["05/06/2021", "07/08/2021"], "c": ["5 kg", "6 kg"]}
    kinds = {"a": "decimal-comma", "b": "month-first", "c": "text"}
    table = read_table(rows, columns=kinds)
    assert table["a"].values.tolist() == [1.234, 2.345]
    assert str(table["b"].value(0)) == "2021-05-06"
    assert table["c"].levels == ("5 kg", "6 kg")
    assert read_table(csv("1", "2"), columns={"x": "category"})["x"].levels == (1, 2)
    assert read_table(csv("01", "2"), columns={"x": "text"})["x"].levels == ("01", "2")
    assert read_table(csv("20210131"), columns={"x": "date"})["x"].unit == "datetime64[D]"


def test_what_users_say_must_make_sense():
    with pytest.raises(ParameterError, match="cannot be read as 'dayfirst'") as error:
        read_table({"x": ["a"]}, columns={"x": "dayfirst"})
    assert error.value.hint == "did you mean `day-first`?"
    with pytest.raises(UnknownColumnError, match="did you mean `price`"):
        read_table({"price": ["a"]}, columns={"prise": "number"})
    with pytest.raises(DataError, match=r"line 3: `b` in column `x` is not a number"):
        read_table(csv("1", "b"), columns={"x": "number"})
    with pytest.raises(DataError, match=r"line 4: `31/12/2020` .* not a date with the month first"):
        read_table(csv("01/31/2020", "12/31/2020", "31/12/2020"), columns={"x": "month-first"})
    with pytest.raises(DataError, match="`maybe` in column `x` is not yes or no"):
        read_table({"x": ["yes", "no", "maybe"]}, columns={"x": "yes-no"})


def test_yes_and_no_in_several_spellings_are_two_categories():
    column = read_table({"x": ["Y", "yes", "yes", "N", "no", "No", "no"]})["x"]
    assert column.to_numpy().tolist() == ["yes", "yes", "yes", "no", "no", "no", "no"]
    assert "`Y`" in column.origin
    german = read_table({"x": ["ja", "nein", "Ja", "unknown"]})["x"]
    assert german.levels == ("ja", "nein", "unknown")
    for words in (["yes", "no"], ["Y", "N"], ["N", "S", "E"], ["no", "maybe", "No"]):
        assert read_table({"x": words})["x"].levels == tuple(words)


def test_spaces_around_cells_are_gone():
    column = read_table(csv('" a"', '"a "', '"  "', "b\u00a0", header="x"))["x"]
    assert column.levels == ("a", "b")
    assert column.codes.tolist() == [0, 0, -1, 1]
    assert read_table({"x": [" 5 ", "6"]})["x"].values.tolist() == [5, 6]


def test_categories_that_differ_in_case_are_told_and_merged_on_request():
    towns = {"town": ["Ulm", "ulm", "Ulm", "New York", "new  york"]}
    plain = read_table(towns)["town"]
    assert len(plain.levels) == 4
    assert "differ only in case" in tw.column_report(read_table(towns))["town"].warnings[-1]
    merged = read_table(towns, merge_case=True)
    assert merged["town"].levels == ("Ulm", "New York")
    schema = Schema.from_json(Schema.of(merged).to_json())
    new = schema.encode(read_table({"town": ["ULM", "new york"]}))
    assert new["town"].codes.tolist() == [0, 1]


def test_a_schema_has_formats_only_where_there_are_some():
    table = read_table({"n": ["5", "6"], "p": ["5%", "6%"], "s": ["a", "b"]})
    plain, percent, text = Schema.of(table).to_json()["columns"]
    assert plain == {"name": "n", "kind": "numeric", "unit": ""}
    assert percent["format"] == {"after": "%"}
    assert text == {"name": "s", "kind": "nominal", "levels": ["a", "b"]}
    assert Schema.from_json(Schema.of(table).to_json()) == Schema.of(table)


def test_new_files_in_another_format_have_the_same_values():
    trained = read_table(
        {"price": ["$1,200", "$950.5"], "seen": ["31/01/2021", "01/02/2021"], "ok": ["yes", "no"]}
    )
    schema = Schema.of(trained)
    rows = ["price;seen;ok", "1.200,00 USD;2021-01-31;Y", "950,5 USD;2021-02-01;N"]
    with pytest.warns(UserWarning, match=r"is in `USD`.* numbers in `\$`"):
        new = schema.encode(read_table(io.BytesIO("\n".join(rows).encode()), schema=schema))
    assert new.same_as(trained)


def test_what_a_new_file_does_not_settle_is_read_as_in_training():
    schema = Schema.of(read_table({"seen": ["31/01/2021", "01/02/2021"]}))
    new = read_table(csv("05/06/2021", "07/08/2021", header="seen"), schema=schema)
    assert str(new["seen"].value(0)) == "2021-06-05"


def test_shares_for_a_model_of_percentages_raise_a_warning():
    schema = Schema.of(read_table({"rate": ["22.2%", "5%"]}))
    with pytest.warns(UserWarning, match="multiply fractions by 100"):
        schema.encode(read_table({"rate": [0.222, 0.05]}))


def test_a_cell_that_a_model_cannot_use_names_its_line():
    schema = Schema.of(read_table({"price": ["$1,200", "$950"]}))
    with pytest.raises(ModelTableError, match=r"line 3: `cheap` in column `price` is not a number"):
        read_table(csv("$5", "cheap", header="price"), schema=schema)


def test_a_frame_is_read_as_a_file_is():
    pandas, polars = imported("pandas"), imported("polars")
    rows = {"price": ["$1,200", "$950", None], "n": [1.5, 2.5, None], "kind": ["a", "b", "a"]}
    for frame in (pandas.DataFrame(rows), polars.DataFrame(rows)):
        table = read_table(frame)
        np.testing.assert_array_equal(table["price"].values, [1200, 950, np.nan])
        X, y = read_table(frame, "kind")
        assert X.names == ("price", "n")
        assert y.tolist() == ["a", "b", "a"]


def test_fit_changes_nothing_and_warns_of_text_that_looks_like_numbers():
    rows = [{"price": f"${number},000", "size": number % 3} for number in range(1, 31)]
    y = ["yes", "no"] * 15
    with pytest.warns(UserWarning, match=r"`price` holds text that looks like numbers") as caught:
        model = tw.C45Classifier().fit(rows, y)
    assert "tw.read_table(X)" in str(caught[0].message)
    assert not model.schema_.columns[0].is_numeric
    tw.C45Classifier().fit(read_table(rows), y)  # no warning


def test_thresholds_are_printed_in_the_format_of_the_table(tmp_path):
    rows = {
        "price": [f"${number},500" for number in range(1, 21)],
        "y": ["low"] * 10 + ["high"] * 10,
    }
    X, y = read_table(rows, "y")
    model = tw.C45Classifier().fit(X, y)
    assert "price <= $10,500" in str(model.tree_)
    assert "price <= $10,500" in str(tw.rules(model))
    assert "$10,500" in tw.export(model, to="python")
    model.save(tmp_path / "m.json")
    assert str(tw.load(tmp_path / "m.json").tree_) == str(model.tree_)


def test_text_that_a_user_asks_for_is_no_reason_to_warn():
    rows = {"size": [f"{number} kg" for number in range(30)], "y": ["a", "b"] * 15}
    for kind in ("text", "category"):
        X, y = read_table(rows, "y", columns={"size": kind})
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*different value in at least every other row")
            tw.C45Classifier().fit(X, y)
