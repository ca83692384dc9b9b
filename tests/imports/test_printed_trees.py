"""Trees that R and Weka print predict as the programs themselves do."""

from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from imports.test_files import changed, n_changes
from treewright.errors import ModelFileError
from treewright.imports.foreign import UnsupportedError
from treewright.imports.import_model import content_source, made_of

FOLDER = Path(__file__).parents[1] / "files" / "imports" / "printed"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt") if "equations" not in path.stem)
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
        ("weka_m5p_number", "+ 39.2596", "+ 39.2596 * CACH", "equation"),
        ("weka_m5p_number", "MMAX >  6100", "MMAX >  6200", "two sides"),
        ("weka_m5p_number", "MMAX", "vendor=ibm,dec", "categories"),
        ("weka_m5p_equations", "M5", "M5", "LM1 is an equation"),
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
    ["rpart_rounded", "partykit_number", "weka_reptree_categories", "weka_id3", "weka_m5p_number"],
)
def test_changed_texts_never_crash(name):
    content, rng = (FOLDER / f"{name}.txt").read_bytes(), np.random.default_rng(0)
    for _ in range(n_changes(300)):
        try:
            found = content_source(changed(content, rng), name.partition("_")[0], verify=False)
            made_of(found.model)
        except ModelFileError:
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
