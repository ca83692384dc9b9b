"""Workbooks: sheets by name or number, cells of every type, and files that would do harm."""

import datetime as dt
import io
import re
import struct
import time
import warnings
import zipfile
from contextlib import suppress

import numpy as np
import openpyxl
import pytest

import treewright as tw
from machine import imported
from treewright.cli.main import main
from treewright.data.sources import from_excel, packed
from treewright.data.sources.from_csv import ReadSettings
from treewright.errors import MissingExtraError
from watched import SLOWER

imported("fastexcel")


def workbook(sheets):
    """The bytes of a workbook: rows of cells by sheet."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def read(content, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tw.read_table(io.BytesIO(content), **settings)


def refusal(content, **settings):
    with pytest.raises(tw.DataError) as caught:
        read(content, **settings)
    return str(caught.value)


DAY, NOON = dt.date(2024, 1, 5), dt.datetime(2024, 1, 5, 12, 30)
CELLS = {
    "number": [1, 2.5, None],
    "text": ["a", None, "b"],
    "day": [DAY, None, dt.date(2024, 2, 1)],
    "moment": [NOON, dt.datetime(2024, 1, 6), None],
    "flag": [True, False, None],
    "clock": [dt.time(9, 15), dt.time(9, 30), None],
    "stored": ["1.5", " 2 ", "NA"],
    "zip": ["01234", "10115", "04356"],
    "mixed": [7, "high", 9],
    "empty": [None, None, None],
}
ROWS = [list(CELLS), *map(list, zip(*CELLS.values(), strict=True))]


def test_cells_are_what_the_sheet_says_they_are():
    table = read(workbook({"S": ROWS}))
    assert table.names == tuple(CELLS)
    np.testing.assert_array_equal(table["number"].values, [1, 2.5, np.nan])
    assert table["text"].levels == ("a", "b")
    assert table["day"].value(0) == np.datetime64(DAY)
    assert table["day"].unit == "datetime64[D]"
    assert table["moment"].value(0) == np.datetime64(NOON)
    assert table["flag"].levels == (False, True)
    assert table["clock"].value(0) == np.timedelta64(9 * 60 + 15, "m")
    np.testing.assert_array_equal(table["stored"].values, [1.5, 2, np.nan])
    assert table["zip"].levels == ("01234", "10115", "04356")
    assert table["mixed"].levels == ("7", "high", "9")
    assert table["empty"].n_missing == 3


def test_a_sheet_is_the_csv_file_of_it():
    rows = [["size", "color", "price"], [1, "red", 1.5], [2, "NA", None], [3, "blue", 2.25]]
    text = "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in rows)
    assert read(workbook({"S": rows})).same_as(read(text.encode()))


def test_words_that_mean_missing_stay_categories_as_in_a_csv_file():
    rows = [["country"], ["NA"], ["null"], ["DE"]]
    assert read(workbook({"S": rows}))["country"].levels == ("NA", "null", "DE")
    assert read(workbook({"S": rows}), na=["NA"])["country"].levels == ("null", "DE")


THREE = workbook(
    {"Notes": [["read me"], ["nothing"]], "Sales 2024": [["x"], [1]], "2": [["y"], [5], [6]]}
)


@pytest.mark.parametrize(
    ("sheet", "names"), [("Sales 2024", ("x",)), ("2", ("y",)), (2, ("x",)), ("3", ("y",))]
)
def test_a_sheet_by_name_or_number(sheet, names):
    assert read(THREE, sheet=sheet).names == names


def test_the_first_sheet_is_read_and_the_others_are_named():
    with pytest.warns(
        UserWarning, match="the stream has 3 sheets, and only `Notes` is read"
    ) as caught:
        assert tw.read_table(io.BytesIO(THREE)).names == ("read me",)
    assert 'Notes, Sales 2024, 2; choose one with sheet="NAME"' in str(caught[0].message)


@pytest.mark.parametrize(
    ("sheet", "message"),
    [
        ("sales 2023", "no sheet `sales 2023` in the stream\nhint: did you mean `Sales 2024`?"),
        ("zzz", "hint: sheets are: Notes, Sales 2024, 2"),
        (9, "the stream has no sheet 9: its 3 sheets are numbered from 1"),
        (0, "no sheet 0"),
        ("", "no sheet ``"),
    ],
)
def test_a_wrong_sheet_names_the_nearest(sheet, message):
    assert message in refusal(THREE, sheet=sheet)


def test_hidden_sheets_are_passed_over():
    book = openpyxl.Workbook()
    book.active.title = "Hidden"
    book.active.append(["a"])
    book.active.append([1])
    shown = book.create_sheet("Shown")
    shown.append(["b"])
    shown.append([2])
    book["Hidden"].sheet_state = "hidden"
    book.active = 1
    file = io.BytesIO()
    book.save(file)
    assert read(file.getvalue()).names == ("b",)


def test_an_empty_sheet_is_said_to_be_empty():
    assert refusal(workbook({"S": []})).startswith("sheet `S` of the stream is empty")
    assert "a header but no rows" in refusal(workbook({"S": [["a", "b"]]}))


def test_names_are_unique_and_unused_columns_go():
    rows = [["a", "a", "a_1", None, None], [1, 2, 3, 4, None]]
    with pytest.warns(UserWarning, match=r"more than once; the later ones are renamed `a\.1`"):
        table = tw.read_table(io.BytesIO(workbook({"S": rows})))
    assert table.names == ("a", "a.1", "a_1", "")
    assert [table[name].value(0) for name in table.names] == [1, 2, 3, 4]


def test_a_sheet_without_a_header():
    table = read(workbook({"S": [[1, "a"], [2, "b"]]}), header=False)
    assert table.names == ("x0", "x1")
    assert table.n_rows == 2
    assert not table.has_names


def test_the_table_may_begin_anywhere_on_the_sheet():
    table = read(workbook({"S": [[], [], [None, "a", "b"], [None, 1, "x"]]}))
    assert table.names == ("a", "b")


def test_a_workbook_under_another_name(tmp_path):
    (tmp_path / "t.csv").write_bytes(THREE)
    assert read((tmp_path / "t.csv").read_bytes(), sheet=3).n_rows == 2


def test_a_cell_that_is_no_number_is_named_with_its_row():
    rows = [["n", "s"], ["1", "two\nlines"], ["2", "x"], ["three", "y"]]
    said = refusal(workbook({"S": rows}), numeric=["n"])
    assert said.splitlines()[0] == "the stream, row 2: `three` in column `n` is not a number"


# Bad files.


def test_a_password_is_named():
    """A workbook with a password is an old container with the stream EncryptedPackage."""
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
    content += "EncryptionInfo".encode("utf-16-le") + "EncryptedPackage".encode("utf-16-le")
    said = refusal_of_file(content)
    assert said.startswith("t.xlsx is protected by a password\nhint: open it in the spreadsheet")


def test_an_old_workbook_is_named():
    said = refusal_of_file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))
    assert said.startswith("t.xlsx is an old Excel workbook (.xls)\nhint: open it")


def refusal_of_file(content, name="t.xlsx"):
    with pytest.raises(tw.DataError) as caught:
        from_excel.table_from_excel(content, ReadSettings(), source=name)
    return str(caught.value)


@pytest.mark.parametrize("cut", [0, 3, 100, 0.5, 0.99])
def test_a_cut_workbook_is_refused(cut):
    content = THREE[: int(len(THREE) * cut) if 0 < cut < 1 else cut]
    assert "t.xlsx is not an Excel workbook" in refusal_of_file(content)


def test_damaged_workbooks_are_refused_or_read():
    """One byte after another is changed; nothing but a DataError may come of it."""
    rng = np.random.default_rng(0)
    whole = workbook({"S": [["a", "b"], [1, "x"], [2, "y"]]})
    for _ in range(150):
        content = bytearray(whole)
        for at in rng.integers(0, len(content), 3):
            content[at] = rng.integers(0, 256)
        with suppress(tw.DataError):
            from_excel.table_from_excel(bytes(content), ReadSettings(), source="t.xlsx")


def changed_part(content, part, change):
    """The workbook with one part of its archive changed."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            text = before.read(name)
            after.writestr(name, change(text) if name == part else text)
    return file.getvalue()


SMALL = workbook({"S": [["a", "b"], [1, "x"], [2, "y"]]})
SHEET = "xl/worksheets/sheet1.xml"


def test_a_zip_bomb_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(packed, "MOST_UNPACKED", 2**22)
    monkeypatch.setattr(packed, "MOST_TIMES", 50)
    bomb = changed_part(SMALL, SHEET, lambda text: text + b" " * 2**25)
    assert "t.xlsx holds more than 4,194,304 bytes, 50 times its own" in refusal_of_file(bomb)


def test_a_part_that_holds_more_than_it_says_is_refused():
    """The sizes in the archive's list are made small, as in a bomb that hides."""
    bomb = bytearray(changed_part(SMALL, SHEET, lambda text: text + b" " * 2**25))
    with zipfile.ZipFile(io.BytesIO(bytes(bomb))) as archive:
        info = archive.getinfo(SHEET)
    true = struct.pack("<I", info.file_size)
    for at in [found.start() for found in re.finditer(re.escape(true), bytes(bomb))]:
        bomb[at : at + 4] = struct.pack("<I", 1000)
    assert "t.xlsx is not an Excel workbook: Bad CRC-32" in refusal_of_file(bytes(bomb))


@pytest.mark.parametrize("form", [b'r="%s"', b"r='%s'", b'r = "%s"', b'r\n="%s"', b'r=\t"%s"'])
@pytest.mark.parametrize("place", [b"XFD1048576", b"xfd1048576", b"A9999999"])
def test_a_stray_cell_does_not_take_all_memory(place, form):
    far = changed_part(SMALL, SHEET, lambda text: text.replace(b'r="B3"', form % place))
    said = refusal_of_file(far)
    assert "sheet `S` of t.xlsx reaches to row" in said
    assert "delete the stray cells" in said


def test_ten_thousand_sheets(tmp_path, monkeypatch, capsys):
    """The error stays short, and one sheet takes no longer than its own cells."""
    one = SMALL
    names = [f"S{at}" for at in range(10_000)]
    content = many_sheets(one, names)
    began = time.process_time()
    assert read(content, sheet="S9999").shape == (2, 2)
    said = refusal(content, sheet="nothing like it")
    assert len(said) < 500
    assert "and 9980 others" in said
    with pytest.warns(
        UserWarning, match="the stream has 10,000 sheets, and only `S0` is read"
    ) as caught:
        tw.read_table(io.BytesIO(content))
    assert len(str(caught[0].message)) < 500
    assert time.process_time() - began < 20 * SLOWER


def many_sheets(content, names):
    """A workbook with the first sheet of another one under many names."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(file, "w") as after:
        sheet = before.read(SHEET)
        for name in before.namelist():
            if name not in (SHEET, from_excel.WORKBOOK, from_excel.RELATIONS):
                after.writestr(name, before.read(name))
        space = "http://schemas.openxmlformats.org"
        kind = f"{space}/officeDocument/2006/relationships"
        links, sheets = [], []
        for at, name in enumerate(names, start=1):
            after.writestr(f"xl/worksheets/s{at}.xml", sheet)
            links.append(
                f'<Relationship Id="r{at}" Type="{kind}/worksheet" Target="worksheets/s{at}.xml"/>'
            )
            sheets.append(f'<sheet name="{name}" sheetId="{at}" r:id="r{at}"/>')
        links.append(
            f'<Relationship Id="t" Type="{kind}/sharedStrings" Target="sharedStrings.xml"/>'
        )
        after.writestr(
            from_excel.RELATIONS,
            f'<Relationships xmlns="{space}/package/2006/relationships">{"".join(links)}'
            "</Relationships>",
        )
        after.writestr(
            from_excel.WORKBOOK,
            f'<workbook xmlns="{space}/spreadsheetml/2006/main" xmlns:r="{kind}">'
            f"<sheets>{''.join(sheets)}</sheets></workbook>",
        )
    return file.getvalue()


def test_commands_read_a_sheet(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [["x", "y"], *([at % 7, "ab"[at % 7 > 3]] for at in range(30))]
    (tmp_path / "t.xlsx").write_bytes(workbook({"Notes": [["hello"]], "Data": rows}))
    assert main(["train", "t.xlsx", "--sheet", "Data", "-t", "y", "--out", "m.json", "-q"]) == 0
    assert main(["predict", "m.json", "t.xlsx", "--sheet", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[-30:] == [row[1] for row in rows[1:]]
    assert main(["columns", "t.xlsx", "--sheet", "Dada"]) != 0
    said = capsys.readouterr().err
    assert said == "error: there is no sheet `Dada` in t.xlsx\nhint: did you mean `Data`?\n"
    assert main(["columns", "t.xlsx"]) != 0
    said = capsys.readouterr().err
    assert "choose one with --sheet NAME" in said


def test_the_extra_is_named_without_fastexcel(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    with pytest.raises(MissingExtraError, match="Excel workbooks") as caught:
        read(SMALL)
    assert caught.value.hint == "pip install 'treewright[files]'"
