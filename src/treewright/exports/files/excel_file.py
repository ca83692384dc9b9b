"""Excel: a workbook that predicts, for Excel and LibreOffice.

The first sheet has rows of input cells with a prediction next to them. Each input becomes a whole
number: its position among the cuts or the levels of the column; 0 if the cell is blank. A walk of
three-way steps (`walk.py`), one helper column for each step, looks up the path in a table. So
formulas stay short for large trees and compare whole numbers only.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.cached import cached_property
from treewright.data.column import Level
from treewright.errors import ExportError, ParameterError
from treewright.exports.files.excel_runner import run, storable
from treewright.exports.files.walk import Walk, walk_of
from treewright.exports.files.xlsx import (
    HEADING,
    HELPER,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_TEXT,
    PLAIN,
    TEXT,
    Formula,
    Sheet,
    Styled,
    Value,
    column_name,
    workbook,
)
from treewright.exports.files.xml_text import class_type
from treewright.exports.notes import header_lines, unit_note
from treewright.exports.program import Program
from treewright.plain_text import beginning

__all__ = ["run", "storable", "write"]

MAX_STEPS = 1_000  # LibreOffice before 7.4 has 1,024 columns
LARGEST_WHOLE = 10**14  # of a level; spreadsheets cannot tell larger neighbors apart


@dataclass(frozen=True)
class Layout:
    """The columns of the first sheet, and the tables of the other sheets."""

    program: Program
    walk: Walk

    def check(self, n_rows: int) -> None:
        """Raise if the tree is too large for a workbook."""
        if self.walk.sums:
            raise ExportError("the tree uses sums of columns, which spreadsheets round differently")
        if self.walk.depth > MAX_STEPS:
            raise ExportError(
                f"the longest path takes {self.walk.depth:,} steps, and a workbook has columns for "
                f"{MAX_STEPS:,}",
                hint="`to_depth` limits the depth of a tree",
            )
        n_columns = self.last_step + 2
        n_most = max(n_rows, self.walk.n_steps, len(self.walk.values)) + 1
        if n_columns > MAX_COLUMNS or n_most > MAX_ROWS:
            raise ExportError(
                f"{n_most:,} rows and {n_columns:,} columns are needed, and a sheet has "
                f"{MAX_ROWS:,} and {MAX_COLUMNS:,}"
            )

    @property
    def n_results(self) -> int:
        """Columns of the prediction: a label and probabilities, or a number."""
        return 1 if self.program.classes is None else 1 + len(self.program.classes)

    @property
    def first_code(self) -> int:
        """The first helper column; these have the position of each value that the tree uses."""
        return len(self.program.columns) + self.n_results

    @property
    def first_step(self) -> int:
        return self.first_code + len(self.program.used_columns)

    @property
    def last_step(self) -> int:
        return self.first_step + self.walk.depth

    @property
    def hidden(self) -> range:
        return range(self.first_code, self.last_step + 2)

    @cached_property
    def cuts(self) -> dict[int, list[float]]:
        """The bounds of each numeric column, ascending; 0 if the walk has none."""
        asks = self.walk.prediction < 0
        found = {
            column: np.unique(self.walk.bound[asks & (self.walk.column == column)])
            for column in self.program.used_columns
            if self.program.columns[column].is_numeric
        }
        return {column: bounds.tolist() or [0.0] for column, bounds in found.items()}

    @cached_property
    def levels(self) -> dict[int, tuple[Level, ...]]:
        used = [(column, self.program.columns[column]) for column in self.program.used_columns]
        return {column: spec.levels for column, spec in used if not spec.is_numeric}

    # ------------------------------------------------------------------------ first sheet

    def widths(self) -> list[int]:
        return [14] * min(self.first_code, 200)

    def rows(self, n_rows: int) -> Iterator[Sequence[Value]]:
        yield [Styled(title, HEADING) for title in self.titles()]
        for number in range(2, n_rows + 2):
            yield self.row(number)

    def titles(self) -> Iterator[str]:
        for spec in self.program.columns:
            note = unit_note(spec)
            yield shown(f"{spec.name} ({note})" if note else spec.name)
        yield "prediction"
        yield from (shown(f"probability of {label}") for label in self.program.classes or ())
        for column in self.program.used_columns:
            yield shown(f"place of {self.program.columns[column].name}")
        yield from (f"step {at}" for at in range(self.walk.depth + 1))
        yield "prediction number"

    def row(self, number: int) -> list[Value]:
        """The cells of one row."""
        text = [
            not spec.is_numeric and spec.level_type == "string" for spec in self.program.columns
        ]
        cells: list[Value] = [Styled(None, TEXT if is_text else PLAIN) for is_text in text]
        number_cell = f"${column_name(self.last_step + 1)}{number}"
        cells += [Formula(*self.result_formula(at, number_cell)) for at in range(self.n_results)]
        helpers = [self.code_formula(column, number) for column in self.program.used_columns]
        helpers += self.step_formulas(number)
        return cells + [Styled(Formula(formula), HELPER) for formula in helpers]

    def result_formula(self, at: int, number_cell: str) -> tuple[str, bool]:
        """A formula that looks up one column of the prediction, and whether it gives text."""
        column = column_name(at)
        found = f"INDEX({area('Predictions', column, len(self.walk.values))},{number_cell})"
        is_text = at == 0 and class_type(self.program) is str
        return (f'{found}&""' if is_text else found), is_text

    def code_formula(self, column: int, number: int) -> str:
        """The position of a value, counted from 1; 0 if it is missing."""
        value = f"${column_name(column)}{number}"
        if column in self.cuts:
            at = column_name(list(self.cuts).index(column))
            cuts = area("Cuts", at, len(self.cuts[column]))
            place = f"IF(ISNUMBER({value}),MATCH(1,FREQUENCY({value},{cuts}),0),NA())"
        else:
            at = column_name(list(self.levels).index(column))
            levels = area("Levels", at, len(self.levels[column]))
            place = f"MATCH({value},{levels},0)"
            if isinstance(self.levels[column][0], str):  # MATCH ignores case and has wildcards
                place = f"MATCH(TRUE,INDEX(EXACT({levels},{value}),0),0)"
            beyond = {"missing": 0, "majority": len(self.levels[column]) + 1}
            if self.program.unseen in beyond:
                place = f"IFERROR({place},{beyond[self.program.unseen]})"
        return f'IF({value}="",0,{place})'

    def step_formulas(self, number: int) -> Iterator[str]:
        """Where the row is after each step, then the number of its prediction."""
        n_steps = self.walk.n_steps
        codes = (
            f"${column_name(self.first_code)}{number}:${column_name(self.first_step - 1)}{number}"
        )
        asked, bound, at_most, above, missing, prediction = (
            area("Tree", column, n_steps) for column in "BCDEFG"
        )
        yield "1"
        for at in range(self.walk.depth):
            here = f"{column_name(self.first_step + at)}{number}"
            code = f"INDEX({codes},INDEX({asked},{here}))"
            known = (
                f"IF({code}<=INDEX({bound},{here}),INDEX({at_most},{here}),INDEX({above},{here}))"
            )
            yield f"IF({code}=0,INDEX({missing},{here}),{known})"
        found = f"INDEX({prediction},{column_name(self.last_step)}{number})"
        # An error in any position makes the prediction an error, even if the walk does not use it.
        yield f"{found}+0*SUM({codes})" if self.program.used_columns else found

    # ------------------------------------------------------------------------ tables

    def tree_rows(self) -> Iterator[Sequence[Value]]:
        """One row for each step, counted from 1."""
        titles = ("step", "column", "bound", "at most", "above", "missing", "prediction")
        yield [Styled(title, HEADING) for title in titles]
        walk = self.walk
        place = {column: at for at, column in enumerate(self.program.used_columns, start=1)}
        for step in range(walk.n_steps):
            column = int(walk.column[step])
            ways = [int(way[step]) + 1 for way in (walk.at_most, walk.above, walk.missing)]
            bound = self.bound_place(step) if walk.prediction[step] < 0 else 0
            prediction = max(int(walk.prediction[step]) + 1, 1)
            yield [step + 1, place.get(column, 1), bound, *ways, prediction]

    def bound_place(self, step: int) -> int:
        """The position of the largest value that is at most the bound of a step."""
        column, bound = int(self.walk.column[step]), float(self.walk.bound[step])
        if column in self.cuts:
            return bisect_left(self.cuts[column], bound) + 1
        return int(bound) + 1

    def prediction_rows(self) -> Iterator[Sequence[Value]]:
        """One row for each prediction, counted from 1."""
        classes = self.program.classes
        titles = ["prediction", *(shown(f"probability of {label}") for label in classes or ())]
        yield [Styled(title, HEADING) for title in titles]
        for at, values in enumerate(self.walk.values.tolist()):
            yield values if classes is None else [classes[int(self.walk.label[at])], *values]


def area(sheet: str, column: str, n_rows: int) -> str:
    """The cells below the heading of one column."""
    return f"{sheet}!${column}$2:${column}${n_rows + 1}"


def in_columns(
    program: Program, values: Mapping[int, Sequence[Value]]
) -> Iterator[Sequence[Value]]:
    """Columns of different lengths side by side, each with a title."""
    yield [Styled(shown(program.columns[column].name), HEADING) for column in values]
    for row in range(max(map(len, values.values()), default=0)):
        yield [own[row] if row < len(own) else None for own in values.values()]


def shown(text: str) -> str:
    """A title that fits in a cell."""
    return beginning(text, 250)


def write(program: Program, *, n_rows: int = 100) -> bytes:
    """The model as the bytes of an .xlsx file, with formulas for `n_rows` rows.

    A blank cell is a missing value. A level is text that must match exactly, including case; a
    number typed for it counts by its digits. Anything but a number in a numeric column gives #N/A,
    and so does an unseen level if the model refuses these.
    """
    if n_rows < 1:
        raise ParameterError(f"`n_rows` is {n_rows}", hint="at least 1")
    check_program(program)
    layout = Layout(program, walk_of(program))
    layout.check(n_rows)
    sheets = [
        Sheet("Predict", layout.rows(n_rows), layout.widths(), layout.hidden),
        Sheet("Tree", layout.tree_rows()),
        Sheet("Cuts", in_columns(program, layout.cuts)),
        Sheet("Levels", in_columns(program, layout.levels)),
        Sheet("Predictions", layout.prediction_rows()),
        Sheet("About", about_rows(program), [100]),
    ]
    return workbook(sheets)


def check_program(program: Program) -> None:
    """Raise if a spreadsheet cannot hold a level or a class."""
    for column in program.used_columns:
        spec = program.columns[column]
        for level in spec.levels:
            check_text(level, f"column `{spec.name}`: the level")
        if "" in spec.levels:
            raise ExportError(
                f"column `{spec.name}` has an empty text as a level, which looks like a blank cell",
                hint="rename the level",
            )
    class_type(program)
    for label in program.classes or ():
        check_text(label, "the class")


def check_text(value: str | float, what: str) -> None:
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise ExportError(
                f"{what} {value[:20]!r}... has over {MAX_TEXT:,} letters, too many for a cell"
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
