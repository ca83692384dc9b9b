"""Excel: a workbook that predicts, for Excel and LibreOffice.

The first sheet has a row of input cells and a prediction beside it. Each input becomes a whole
number first: its place among the cuts of the column, or among its levels; 0 where the cell is
blank. A walk of three-way steps (`walk.py`), one helper column a step, then looks up the way in a
table; formulas stay short however large the tree is, and compare nothing but whole numbers.
"""

from collections.abc import Iterator, Sequence

from treewright.data.schema import ColumnSpec
from treewright.errors import ExportError, ParameterError
from treewright.exports.files.excel_layout import Layout
from treewright.exports.files.excel_trial import run, storable
from treewright.exports.files.field_names import class_type
from treewright.exports.files.walk import walk_of
from treewright.exports.files.xlsx import HEADING, LONGEST_TEXT, Sheet, Styled, Value, workbook
from treewright.exports.notes import header_lines
from treewright.exports.program import Program

__all__ = ["run", "storable", "write"]

LARGEST_WHOLE = 10**14  # of a level: beyond, spreadsheets take neighbours for the same


def write(program: Program, *, n_rows: int = 100) -> bytes:
    """The model as the bytes of an .xlsx file, with formulas for so many rows.

    A blank cell is a missing value. A level is text that must match letter by letter, capitals
    too; a number that was typed for it counts by its digits. What is no number in a numeric column
    gives #N/A, and so does an unseen level if the model refuses such.
    """
    return workbook(sheets_of(program, n_rows))


def sheets_of(program: Program, n_rows: int) -> list[Sheet]:
    if n_rows < 1:
        raise ParameterError(f"`n_rows` is {n_rows}", hint="at least 1")
    check_program(program)
    layout = Layout(program, walk_of(program))
    layout.check(n_rows)
    return [
        Sheet("Predict", layout.rows(n_rows), layout.widths(), layout.hidden),
        Sheet("Tree", layout.tree_rows()),
        Sheet("Cuts", layout.cut_rows()),
        Sheet("Levels", layout.level_rows()),
        Sheet("Answers", layout.answer_rows()),
        Sheet("About", about_rows(program), [100]),
    ]


def check_program(program: Program) -> None:
    """Raise if a spreadsheet cannot carry a level or a class."""
    for column in program.used_columns:
        check_levels(program.columns[column])
    class_type(program)
    for label in program.classes or ():
        check_text(label, "the class")


def check_levels(spec: ColumnSpec) -> None:
    for level in spec.levels:
        check_text(level, f"column `{spec.name}`: the level")
        if level == "":
            raise ExportError(
                f"column `{spec.name}` has an empty text as a level, which looks like a blank cell",
                hint="rename the level",
            )


def check_text(value: str | float, what: str) -> None:
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise ExportError(
                f"{what} {value[:20]!r}... has over {LONGEST_TEXT:,} letters, too many for a cell"
            )
    elif isinstance(value, int) and abs(value) >= LARGEST_WHOLE:
        raise ExportError(f"{what} {value} is too large: spreadsheets round it")


def about_rows(program: Program) -> Iterator[Sequence[Value]]:
    yield [Styled(f"{program.title}, written by Treewright", HEADING)]
    for line in (
        "Fill in the white columns of the sheet Predict; a blank cell is a missing value.",
        "For more rows, copy a whole row down, the folded columns included.",
        *header_lines(program, "blank where missing"),
    ):
        yield [line]
