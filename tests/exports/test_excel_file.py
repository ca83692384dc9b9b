"""Workbooks predict as the model, computed by LibreOffice."""

import io
import re
import shutil
import zipfile

import numpy as np
import pytest

from builders import a_random_tree, branches, build, leaf, numeric_schema, subset, threshold
from exports.export_models import EXPORT_MODELS, fitted
from machine import imported, needs
from treewright.data.column import NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.errors import ExportError, ParameterError
from treewright.exports.files import excel_runner
from treewright.exports.files import walk as walk_module
from treewright.exports.files.excel_runner import copies_for, predictions_in, recalculated, storable
from treewright.exports.files.xlsx import column_name
from treewright.exports.witnesses import witnesses
from treewright.verbs.export import compare, expected_predictions, export, program_of, verify_export

REFUSED = {
    "odd levels and classes": "an empty text as a level, which looks like a blank cell",
    "a chain of 1,200 splits": "the longest path takes 1,200 steps",
    "oblique": "which spreadsheets round differently",
    "everything, classes": "which spreadsheets round differently",
    "everything, numbers": "which spreadsheets round differently",
    "everything, other classes": "which spreadsheets round differently",
}
CARRIED = [name for name in EXPORT_MODELS if name not in REFUSED]

needs_libreoffice = needs("soffice")


def differences(models):
    """Of each model, what a workbook predicts in its own way; LibreOffice is started once."""
    cases = []
    for model in models:
        program = program_of(model)
        rows = storable(witnesses(program.tree))
        code = export(model, to="excel", n_rows=len(rows))
        cases.append((model, program, rows, code, copies_for(code, rows)))
    worked_out = iter(recalculated([copy for *_, copies in cases for copy in copies]))
    found = []
    for model, program, rows, code, copies in cases:
        predictions = predictions_in([next(worked_out) for _ in copies], code, program, len(rows))
        found.append(
            compare("excel", rows, expected_predictions(model, program, rows), predictions)
        )
    return found


@needs_libreoffice
@pytest.mark.parametrize(
    "first", [0, *(pytest.param(at, marks=pytest.mark.large) for at in (1, 2))]
)
def test_P16_excel_predicts_as_the_model(first):
    """Of each three models one in every run: LibreOffice takes its time."""
    names = CARRIED[first::3]
    for name, found in zip(names, differences([fitted(name) for name in names]), strict=True):
        assert found, f"{name}: {found}"


def a_schema_without_sums(rng):
    levels = [("red", "Red", "RED"), ("1", "01", "1.0", "true"), tuple(f"v{k}" for k in range(30))]
    columns = [ColumnSpec("it", "numeric")]
    columns += [ColumnSpec(f"level {at}", "nominal", own) for at, own in enumerate(levels)]
    return Schema((*columns, ColumnSpec("order", "ordered", ("low", "middle", "high"))))


def without_sums(tree):
    return len(tree.term_feature) == 0


@needs_libreoffice
def test_excel_carries_trees_of_any_kind():
    rngs = map(np.random.default_rng, range(40))
    trees = [a_random_tree(rng, a_schema_without_sums(rng), n_splits=6) for rng in rngs]
    found = differences([tree for tree in trees if without_sums(tree)][:8])
    assert len(found) == 8
    for one in found:
        assert one, str(one)


ODD_TEXTS = (
    "a", "A", "*", "?", "~*", ".*", "=1+1", "+1", "-1", "@SUM(1)", "\t=1", " a", "a ", "1", "01",
    "1e3", "TRUE", "#N/A", "line\nbreak", "_x0041_", "ß", "ss", "é", "e", "🌳", '"', "'a", "<b>&",
)  # fmt: skip


@needs_libreoffice
def test_levels_match_letter_by_letter():
    children = [leaf(*row) for row in np.eye(len(ODD_TEXTS)).tolist()]
    codes = {code: code for code in range(len(ODD_TEXTS))}
    schema = Schema((ColumnSpec("=it", "nominal", ODD_TEXTS),))
    tree = build(branches(0, codes, *children), schema, ODD_TEXTS)
    found = verify_export(tree, export(tree, to="excel"), to="excel")
    assert found, str(found)


def worked_out(tree, cells):
    """What LibreOffice shows as the prediction for these cells of the first column."""
    code = export(tree, to="excel", n_rows=len(cells))
    filled = excel_runner.filled_in(code, [{"it": value} for value in cells])
    (copy,) = recalculated([filled])
    return [row.get("B") for row in excel_runner.sheet_rows(copy)]


def a_level_tree(*levels, **more):
    root = subset(0, {0: 0, 1: 1}, leaf(1, 0), leaf(0, 1), missing=-1)
    return build(root, Schema((ColumnSpec("it", "nominal", levels),)), ("no", "yes"), **more)


@needs_libreoffice
def test_a_number_typed_for_a_level_of_text_counts_by_its_digits():
    assert worked_out(a_level_tree("x", "7"), [7, "7", "x", "X"]) == ["yes", "yes", "no", "no"]


@needs_libreoffice
def test_text_in_a_numeric_column_is_an_error():
    tree = build(threshold(0, 0.5, leaf(1, 0), leaf(0, 1)), numeric_schema("it"), ("no", "yes"))
    assert worked_out(tree, [1, None, "1", "?", 0]) == ["yes", "no", None, None, "no"]


# ---------------------------------------------------------------------------- the file


def sheets_in(code):
    with zipfile.ZipFile(io.BytesIO(code)) as archive:
        names = [name for name in archive.namelist() if "worksheets" in name]
        return {name: archive.read(name).decode("utf-8") for name in names}


@pytest.mark.parametrize("name", ["twelve classes", "300 levels", "names of 10,000 letters"])
def test_formulas_stay_short_and_flat(name):
    formulas = re.findall(
        "<f>(.*?)</f>", sheets_in(export(fitted(name), to="excel"))["xl/worksheets/sheet1.xml"]
    )
    assert max(map(len, formulas)) < 500
    assert max(formula.count("(") for formula in formulas) < 20


def test_no_text_of_the_model_becomes_a_formula():
    schema = Schema((ColumnSpec("=cmd|' /C calc'!A0", "nominal", ("=1+1", "@SUM(A1)")),))
    root = subset(0, {0: 0, 1: 1}, leaf(1, 0), leaf(0, 1))
    code = export(build(root, schema, ("=A1", "+2")), to="excel")
    for name, sheet in sheets_in(code).items():
        for formula in re.findall("<f>(.*?)</f>", sheet):
            assert name.endswith("sheet1.xml")
            assert not re.search(r"cmd|1\+1|@SUM|=A1", formula)


def test_another_reader_opens_the_workbook():
    openpyxl = imported("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(export(fitted("odd names"), to="excel", n_rows=3)))
    assert book.sheetnames == ["Predict", "Tree", "Cuts", "Levels", "Predictions", "About"]
    names = [spec.name for spec in fitted("odd names").schema_.columns]
    titles = [cell.value or "" for cell in book["Predict"][1][: len(names)]]
    assert titles == names
    assert book["Predict"].max_row == 4


def test_the_same_model_gives_the_same_bytes():
    model = fitted("missing by surrogates")
    assert export(model, to="excel") == export(model, to="excel")


def test_columns_have_letters():
    assert [column_name(at) for at in (0, 25, 26, 701, 702, 16383)] == [
        "A", "Z", "AA", "ZZ", "AAA", "XFD",
    ]  # fmt: skip


def test_infinities_become_the_largest_doubles():
    table = Table([NumericColumn("x", np.array([np.inf, -np.inf, np.nan, 1.0]))])
    largest = np.finfo(np.float64).max
    held = storable(table).columns[0].values
    assert held[:2].tolist() == [largest, -largest]
    assert np.isnan(held[2])


# ---------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_spreadsheet_cannot_carry_is_refused(name):
    with pytest.raises(ExportError, match=REFUSED[name]):
        export(fitted(name), to="excel")


def test_levels_that_spreadsheets_round_are_refused():
    with pytest.raises(ExportError, match="100000000000001 is too large"):
        export(a_level_tree(1, 10**14 + 1), to="excel")


def test_levels_too_long_for_a_cell_are_refused():
    with pytest.raises(ExportError, match="over 32,767 letters"):
        export(a_level_tree("a", "b" * 32_768), to="excel")


def test_a_workbook_needs_a_row():
    with pytest.raises(ParameterError, match="`n_rows` is 0"):
        export(fitted("tennis by ID3"), to="excel", n_rows=0)


def test_too_many_cases_of_spread_rows_are_refused(monkeypatch):
    monkeypatch.setattr(walk_module, "MAX_SPREAD_STEPS", 10)
    with pytest.raises(ExportError, match="spread over several branches"):
        export(fitted("missing fractional"), to="excel")


def test_without_libreoffice_a_workbook_cannot_be_run(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    model = fitted("tennis by ID3")
    with pytest.raises(ExportError, match="needs LibreOffice"):
        verify_export(model, export(model, to="excel"), to="excel")
