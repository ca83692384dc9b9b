"""Workbooks: the parts of the .xlsx format that tables with formulas need.

The same sheets always give the same bytes.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from treewright.exports.files.xml_text import NOT_IN_XML, element, escaped, opening

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # that an archive can hold

MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_TEXT = 32_767

# Text that looks like an escape must itself be escaped.
LIKE_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")

# Cell styles, by their place in styles.xml.
PLAIN, HEADING, TEXT, HELPER = range(4)


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula, without the equals sign; the program that opens the file computes it."""

    text: str
    gives_text: bool = False


@dataclass(frozen=True, slots=True)
class Styled:
    """A value, or an empty cell, with a style."""

    value: "str | float | bool | Formula | None"
    style: int


Value = str | float | bool | Formula | Styled | None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A named sheet of rows; the `hidden` columns are folded away."""

    name: str
    rows: Iterable[Sequence[Value]]
    widths: Sequence[int] = ()  # in letters, of the first columns
    hidden: range = field(default_factory=lambda: range(0))


def column_name(at: int) -> str:
    """A, B ... Z, AA ...: columns are counted from 0."""
    name = ""
    at += 1
    while at:
        at, letter = divmod(at - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """The bytes of an .xlsx file with these sheets."""
    numbers = range(1, len(sheets) + 1)
    parts = {
        "[Content_Types].xml": content_types(numbers),
        "_rels/.rels": relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": list_of_sheets(sheets),
        "xl/_rels/workbook.xml.rels": relations(
            [
                *(("worksheet", f"worksheets/sheet{at}.xml") for at in numbers),
                ("styles", "styles.xml"),
            ]
        ),
        "xl/styles.xml": styles(),
    }
    for at, sheet in zip(numbers, sheets, strict=True):
        parts[f"xl/worksheets/sheet{at}.xml"] = sheet_xml(sheet)
    return packed({name: (DECLARATION + text).encode("utf-8") for name, text in parts.items()})


def packed(parts: dict[str, bytes]) -> bytes:
    """A zip archive of the parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, FIRST_DATE), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


# ---------------------------------------------------------------------------- cells


def sheet_xml(sheet: Sheet) -> str:
    lines = [
        element("row", {"r": str(number)}, "".join(cells_of(row, number)))
        for number, row in enumerate(sheet.rows, start=1)
    ]
    frozen = element("pane", {"ySplit": "1", "topLeftCell": "A2", "state": "frozen"})
    view = element("sheetView", {"workbookViewId": "0"}, frozen)
    content = [
        element("sheetViews", {}, view),
        columns_of(sheet),
        element("sheetData", {}, "\n".join(lines)),
    ]
    return element("worksheet", {"xmlns": MAIN}, "\n".join(content))


def columns_of(sheet: Sheet) -> str:
    given = [
        {"min": str(at), "max": str(at), "width": str(width), "customWidth": "1"}
        for at, width in enumerate(sheet.widths, start=1)
    ]
    if sheet.hidden:
        first, last = sheet.hidden[0] + 1, sheet.hidden[-1] + 1
        folded = {"hidden": "1", "outlineLevel": "1"}
        given.append({"min": str(first), "max": str(last), "width": "10", **folded})
    columns = "".join(element("col", dict(one)) for one in given)
    return element("cols", {}, columns) if columns else ""


def cells_of(row: Sequence[Value], number: int) -> Iterable[str]:
    for at, value in enumerate(row):
        if value is not None:
            yield cell(f"{column_name(at)}{number}", value)


def cell(place: str, value: Value) -> str:
    style = TEXT if isinstance(value, str) else None
    if isinstance(value, Styled):
        style = value.style
        value = value.value
    attributes = {"r": place, "s": None if style is None else str(style)}
    if value is None:
        return element("c", attributes)
    if isinstance(value, Formula):
        kind = "str" if value.gives_text else None
        return element("c", {**attributes, "t": kind}, element("f", {}, escaped(value.text)))
    if isinstance(value, str):
        text = opening("t", {"xml:space": "preserve"}) + cell_text(value) + "</t>"
        return element("c", {**attributes, "t": "inlineStr"}, element("is", {}, text))
    if isinstance(value, bool):
        return element("c", {**attributes, "t": "b"}, element("v", {}, str(int(value))))
    return element("c", attributes, element("v", {}, repr(value)))


def cell_text(text: str) -> str:
    """Text between tags; characters that XML cannot contain get the format's own escapes."""
    text = LIKE_ESCAPE.sub("_x005F_", text)
    text = NOT_IN_XML.sub(lambda found: f"_x{ord(found.group()):04X}_", text)
    return escaped(text.replace("\r", "_x000D_"))


# ---------------------------------------------------------------------------- other parts


def content_types(numbers: Iterable[int]) -> str:
    stem = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    kinds = {"/xl/workbook.xml": "sheet.main", "/xl/styles.xml": "styles"}
    kinds |= {f"/xl/worksheets/sheet{at}.xml": "worksheet" for at in numbers}
    entries = [
        element(
            "Default",
            {
                "Extension": "rels",
                "ContentType": "application/vnd.openxmlformats-package.relationships+xml",
            },
        ),
        element("Default", {"Extension": "xml", "ContentType": "application/xml"}),
    ]
    entries += [
        element("Override", {"PartName": part, "ContentType": f"{stem}.{kind}+xml"})
        for part, kind in kinds.items()
    ]
    return element("Types", {"xmlns": f"{PACKAGE}/content-types"}, "".join(entries))


def relations(targets: Sequence[tuple[str, str]]) -> str:
    entries = [
        element("Relationship", {"Id": f"r{at}", "Type": f"{OFFICE}/{kind}", "Target": target})
        for at, (kind, target) in enumerate(targets, start=1)
    ]
    return element("Relationships", {"xmlns": f"{PACKAGE}/relationships"}, "".join(entries))


def list_of_sheets(sheets: Sequence[Sheet]) -> str:
    entries = [
        element("sheet", {"name": sheet.name, "sheetId": str(at), "r:id": f"r{at}"})
        for at, sheet in enumerate(sheets, start=1)
    ]
    content = element("sheets", {}, "".join(entries))
    content += element("calcPr", {"fullCalcOnLoad": "1"})
    return element("workbook", {"xmlns": MAIN, "xmlns:r": OFFICE}, content)


def styles() -> str:
    """Plain cells, bold headings, text cells, gray helpers."""
    font = '<sz val="11"/><name val="Calibri"/>'
    fonts = [f"<font>{look}{font}</font>" for look in ("", "<b/>")]
    fonts.append('<font><sz val="11"/><color rgb="FF808080"/><name val="Calibri"/></font>')
    kinds = ("none", "gray125")  # Excel wants both
    fills = "".join(f'<fill><patternFill patternType="{kind}"/></fill>' for kind in kinds)
    border = "<border><left/><right/><top/><bottom/><diagonal/></border>"
    base = {"numFmtId": "0", "fontId": "0", "fillId": "0", "borderId": "0"}
    text = {"numFmtId": "49", "applyNumberFormat": "1", "quotePrefix": "1"}
    looks = [{}, {"fontId": "1", "applyFont": "1", **text}, text, {"fontId": "2", "applyFont": "1"}]
    formats = "".join(element("xf", {**base, "xfId": "0", **look}) for look in looks)
    return element(
        "styleSheet",
        {"xmlns": MAIN},
        f'<fonts count="3">{"".join(fonts)}</fonts><fills count="2">{fills}</fills>'
        f'<borders count="1">{border}</borders>'
        f'<cellStyleXfs count="1">{element("xf", dict(base))}</cellStyleXfs>'
        f'<cellXfs count="{len(looks)}">{formats}</cellXfs>'
        '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
    )
