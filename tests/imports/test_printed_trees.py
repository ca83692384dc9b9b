"""Trees that R and Weka print predict as the programs themselves do."""

from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from imports.test_files import changed, n_changes
from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.import_model import content_source, made_of
from treewright.imports.weka_m5p import categories_in

FOLDER = Path(__file__).parents[1] / "files" / "imports" / "printed"
# M5P's models with equations, or with questions for categories; compared with a table.
WITH_TABLE = [
    f"weka_m5p_{name}"
    for name in (
        "categories",
        "equations",
        "leaf",
        "missing",
        "number_categories",
        "plain",
        "unpruned",
    )
]
NAMES = sorted({path.stem for path in FOLDER.glob("*.txt")} - {*WITH_TABLE})
# What the text does not say: of which classes the errors of leaves are.
UNKNOWN_ERRORS = ("weka_j48_binary", "weka_j48_numbers", "weka_reptree")


def rows_of(name):
    """The rows that the program predicted, with its predictions."""
    path = FOLDER / f"{name}.csv"
    return tw.read_table(path if path.exists() else path.with_suffix(".arff"))


def column_of(rows, *names):
    name = next(one for one in names if one in rows.names)
    return np.array([rows[name].value(row) for row in range(rows.n_rows)])


@pytest.mark.parametrize("name", NAMES)
def test_predictions_are_those_of_the_program(name):
    rows = rows_of(name)
    expected = column_of(rows, "prediction", "classification")
    needs_table = name == "weka_j48_binary"  # the text names one category of a column
    model = tw.import_model(FOLDER / f"{name}.txt", X=rows if needs_table else None)
    assert model.import_report_.status == "not verified"
    found = model.predict(rows)
    if not hasattr(model, "classes_"):
        np.testing.assert_allclose(found, expected, atol=0.005)
        return
    assert found.astype(str).tolist() == [str(one).removesuffix(".0") for one in expected]
    if name.startswith("partykit") or name in UNKNOWN_ERRORS:
        return
    shares = model.predict_proba(rows)
    for at, label in enumerate(model.classes_.tolist()):
        if str(label).startswith("class "):
            continue
        own = column_of(rows, str(label), f"distribution_{label}")
        # Fractions of rows are printed with two digits.
        np.testing.assert_allclose(shares[:, at], own, atol=3e-3 if "missing" in name else 1e-6)


@pytest.mark.parametrize("name", WITH_TABLE)
def test_equations_predict_as_the_program_up_to_their_rounding(name, tmp_path):
    rows = rows_of(name)
    expected = column_of(rows, "classification")
    model = tw.import_model(FOLDER / f"{name}.txt", X=rows, y=expected)
    report = model.import_report_
    assert report.status == "verified on a table"
    assert report.n_table_rows == rows.n_rows
    assert any("means and most frequent categories" in note for note in report.notes)
    found = model.predict(rows)
    assert report.largest_difference == np.abs(found - expected).max()
    assert report.largest_difference < 5e-3 * np.ptp(expected)
    model.save(tmp_path / "m.tw")
    assert np.array_equal(tw.load(tmp_path / "m.tw").predict(rows), found)
    assert tw.verify_export(model, tw.export(model, to="python"), to="python")
    expected[3] += 2.0
    with pytest.raises(UnsupportedError, match="row 3 of the table"):
        tw.import_model(FOLDER / f"{name}.txt", X=rows, y=expected)


def test_equations_without_a_table_refuse_what_the_text_does_not_say():
    rows = rows_of("weka_m5p_equations")
    model = tw.import_model(FOLDER / "weka_m5p_equations.txt")
    with_table = tw.import_model(FOLDER / "weka_m5p_equations.txt", X=rows)
    np.testing.assert_allclose(model.predict(rows), with_table.predict(rows), rtol=1e-13)
    first = {name: [rows[name].value(0)] for name in model.schema_.names}
    with pytest.raises(tw.DataError, match="`CACH` has missing values"):
        model.predict(tw.table_from(first | {"CACH": [None]}))
    filled = first | {"CACH": [np.mean(column_of(rows, "CACH"))]}
    np.testing.assert_allclose(
        with_table.predict(tw.table_from(first | {"CACH": [np.nan]})),
        with_table.predict(tw.table_from(filled)),
    )
    with pytest.raises(tw.ExportError, match="missing values is not known"):
        tw.export(model, to="c")
    with pytest.raises(tw.ParameterError, match="node 0 has no equation"):
        model.equation(0)
    assert str(tw.rules(model)) == str(model.rules())
    with pytest.raises(UnsupportedError, match="all categories of `vendor`"):
        tw.import_model(FOLDER / "weka_m5p_categories.txt")
    with pytest.raises(tw.DataError, match="no column of numbers or categories for `vendor="):
        tw.import_model(FOLDER / "weka_m5p_categories.txt", X=rows)


def test_categories_with_commas_are_read_in_one_way_or_not_at_all():
    assert categories_in("a,b", ["a", "b", "c"]) == ("a", "b")
    assert categories_in("a,b", ["a,b", "c"]) == ("a,b",)
    assert categories_in("a,b", ["a", "b", "a,b"]) == ()
    assert categories_in("a,a", ["a", "b"]) == ()
    assert categories_in("a,d", ["a", "b"]) == ()
    assert categories_in(",".join("ab" * 2000), ["a", "b", "a,b"]) == ()


def test_a_table_restores_rounded_thresholds():
    rows = rows_of("rpart_rounded")
    printed = tw.import_model(FOLDER / "rpart_rounded.txt")
    model = tw.import_model(FOLDER / "rpart_rounded.txt", X=rows)
    assert "2 of 2 thresholds are restored" in model.import_report_.notes[-1]
    a = np.sort(column_of(rows, "a"))
    exact, rounded = model.tree_.threshold[0], printed.tree_.threshold[0]
    at = np.searchsorted(a, exact)
    assert np.nextafter(exact, np.inf) == a[at - 1] / 2 + a[at] / 2
    assert exact != rounded
    assert exact == pytest.approx(rounded, rel=1e-6)


def test_predictions_of_the_original_verify_a_text():
    rows = rows_of("rpart_class")
    y = column_of(rows, "prediction")
    model = tw.import_model(FOLDER / "rpart_class.txt", X=rows, y=y)
    assert model.import_report_.status == "verified on a table"
    y[3] = "present" if y[3] == "absent" else "absent"
    with pytest.raises(UnsupportedError, match="row 3 of the table"):
        tw.import_model(FOLDER / "rpart_class.txt", X=rows, y=y)


@pytest.mark.parametrize("name", ["rpart_rounded", "weka_j48_missing", "weka_reptree_number"])
def test_an_imported_text_can_be_saved_pruned_and_exported(name, tmp_path):
    rows = rows_of(name)
    model = tw.import_model(FOLDER / f"{name}.txt")
    model.save(tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw")
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert again.import_report_ == model.import_report_
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    tw.verify_export(model, tw.export(model, to="python"), to="python")
    assert tw.rules(model)


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("rpart_class", "Start>=14.5 29", "Start>=14.5 28", "do not add up"),
        ("rpart_class", "n= 81", "n= 82", "another number of rows"),
        ("rpart_class", "Age< 55", "Age< 56", "two sides"),
        ("rpart_class", "Age>=111 14  2 absent", "Age>=111 14  2 present", "largest share"),
        ("rpart_number", "Type=Compact,Small", "Type=Medium,Small", "exactly one branch"),
        ("partykit_class", "terminal nodes: 4", "terminal nodes: 5", "terminal nodes"),
        ("partykit_class", "> 1.9", "> 1.8", "two sides"),
        ("weka_j48", "|   windy = FALSE: yes (3.0)\n", "", "Size of the tree"),
        ("weka_j48", "humidity > 75", "humidity ~ 75", "no condition"),
        ("weka_j48", "(4.0)", "(4.0/5.0)", "more errors than rows"),
        ("weka_id3", ": hard", "", "without a class"),
        ("weka_id3", "age = young: soft", "age = presbyopic: soft", "exactly one branch"),
        ("weka_m5p_number", "LM2 (", "LM9 (", "other than the models"),
        ("weka_m5p_number", "Rules : 8", "Rules : 9", "Number of Rules"),
        ("weka_m5p_number", "+ 39.2596", "+ 39.2596 * CACH", "number at its end"),
        ("weka_m5p_number", "MMAX >  6100", "MMAX >  6200", "two sides"),
        ("weka_m5p_number", "MMAX", "vendor=ibm,dec", "categories"),
        ("weka_m5p_equations", "+ 0.0034", "* 0.0034", "not a term"),
        ("weka_m5p_equations", "+ 0.0034 * MMAX", "+ 0.0034 * MMIN", "not a term"),
        ("weka_m5p_equations", "\t0.0027 * MMIN \n", "", "not a term"),
        ("weka_m5p_equations", "\t- 28.4647\n", "", "number at its end"),
        ("weka_m5p_equations", "LM num: 2", "LM num: 1", "occurs twice"),
        ("weka_m5p_equations", "class = ", "clas = ", "different targets"),
        ("weka_m5p_equations", "LM2 (", "LM1 (", "other than the models"),
        ("weka_m5p_equations", "CHMIN >  7.5 : ", "", "has no condition"),
    ],
)
def test_texts_that_contradict_themselves_are_refused(name, old, new, words):
    text = (FOLDER / f"{name}.txt").read_text()
    assert old in text
    with pytest.raises(ModelFileError, match=words):
        tw.import_model(text.replace(old, new, 1).encode())


@pytest.mark.parametrize("name", ["rpart_class", "partykit_class", "weka_j48_missing"])
def test_a_single_leaf_or_a_cut_text_is_refused(name):
    content = (FOLDER / f"{name}.txt").read_bytes()
    end = max(content.find(b"\nNumber of"), content.rfind(b"*"))
    for cut in range(1, end, 37):
        with pytest.raises(ModelFileError):
            tw.import_model(content[:cut], format=name.partition("_")[0])


@pytest.mark.parametrize(
    "name",
    [
        "rpart_rounded",
        "partykit_number",
        "weka_j48_missing",
        "weka_reptree_categories",
        "weka_id3",
        "weka_m5p_number",
        "weka_m5p_equations",
        "weka_m5p_categories",
    ],
)
def test_changed_texts_never_crash(name):
    content, rng = (FOLDER / f"{name}.txt").read_bytes(), np.random.default_rng(0)
    rows = rows_of(name) if name in WITH_TABLE else None
    some = None if rows is None else rows[:5]
    for _ in range(n_changes(300)):
        try:
            text = changed(content, rng)
            found = content_source(text, name.partition("_")[0], rows, verify=False)
            model = made_of(found.model)
            if some is not None and {*model.schema_.names} <= {*some.names}:
                assert np.isfinite(model.predict(some)).all()
        except (ModelFileError, tw.DataError):  # a column that the table does not have
            continue


def test_a_category_without_a_prediction_of_id3():
    text = (FOLDER / "weka_id3.txt").read_text()
    text = text.replace("age = pre-presbyopic: soft", "age = pre-presbyopic: null", 1)
    model = tw.import_model(text.encode())
    assert any("null" in note for note in model.import_report_.notes)
    row = {"tear-prod-rate": ["normal"], "astigmatism": ["no"], "age": ["pre-presbyopic"]}
    row["spectacle-prescrip"] = ["myope"]
    assert model.predict(tw.table_from(row)).tolist() == ["soft"]  # as most leaves below
    with pytest.raises(tw.DataError, match="unheard"):
        model.predict(tw.table_from(row | {"age": ["unheard"]}))
