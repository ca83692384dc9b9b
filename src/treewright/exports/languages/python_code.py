"""Python: a module with `predict` and `predict_proba` that needs nothing but Python itself."""

import keyword
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treewright.data.column import Level
from treewright.data.table import Table
from treewright.exports.languages import python_texts as texts
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import column_names
from treewright.exports.languages.language import (
    Language,
    comment_lines,
    filled,
    indented,
    wrapped,
)
from treewright.exports.languages.nested import nested_lines
from treewright.exports.notes import header_lines
from treewright.exports.program import (
    Exported,
    Predictions,
    Program,
    ProgramError,
    error_line,
    row_dicts,
)
from treewright.exports.routes import Among, Test, Unseen

OWN_NAMES = {"row", "total", "isnan", "CLASSES", "COSTS", "predict", "predict_proba"}
RESERVED = {*keyword.kwlist, *keyword.softkwlist, *OWN_NAMES}


def write(program: Program, *, form: str = "auto") -> str:
    """The source of a module. `form` is "ifs", "tables" (and a loop), or "auto": by size."""
    source = PythonSource(program, form)
    code = "\n\n\n".join([*source.constants(), *source.public_functions(), *source.body()])
    top = [comment_lines(header_lines(program, "None or NaN where a value is missing"), "#")]
    imports = [line for call, line in texts.IMPORTS.items() if call in code]
    top += ["\n".join(imports)] if imports else []
    called = [text for call, text in texts.HELPERS.items() if call in code]
    return "\n\n".join(top) + "\n\n" + "\n\n\n".join([code, *called]) + "\n"


def run(code: str | bytes, program: Program, rows: Table, *, form: str = "auto") -> Predictions:
    """Execute the module in this process and predict every row; `form` makes no difference."""
    return run_module(code, program, rows, "predict_proba")


def run_module(code: str | bytes, program: Exported, rows: Table, values_by: str) -> Predictions:
    """What `predict` of a module returns and, if there are classes, the function `values_by`."""
    names = names_in(code, ["predict"] if program.classes is None else ["predict", values_by])
    labels: list[Any] = [None] * len(rows)
    values = np.full((len(rows), program.n_values), np.nan)
    errors: dict[int, str] = {}
    for at, row in enumerate(row_dicts(rows)):
        try:
            label = names["predict"](row)
            values[at] = label if program.classes is None else names[values_by](row)
            labels[at] = plain(label)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit() is no reason to end the user's program
            if not (isinstance(error, ValueError) and "not seen in training" in str(error)):
                errors[at] = error_line(error)
    return Predictions(None if program.classes is None else labels, values, errors=errors)


def names_in(code: str | bytes, wanted: Sequence[str]) -> dict[str, Any]:
    """The names that a module defines; it must have the functions that are wanted."""
    names: dict[str, Any] = {}
    try:
        exec(compile(code, "<exported tree>", "exec"), names)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ProgramError(f"the module does not run: {error_line(error)}") from error
    for name in wanted:
        if not callable(names.get(name)):
            raise ProgramError(f"the module has no function `{name}`")
    return names


def plain(label: Any) -> Any:
    """The label, if it can be compared with classes."""
    if not isinstance(label, str | int | float):
        raise TypeError(f"a {type(label).__name__} is not a class")
    return label


class PythonSource(Language):
    """The parts of a module."""

    DECIDE = (texts.DECIDE, texts.DECIDE_BY_COSTS)
    COMMENT = "#"
    OR = " or "
    NOT = "not "
    END = ""
    SEMICOLON = ""

    def __init__(self, program: Program, form: str) -> None:
        super().__init__(program, column_names(program, RESERVED), form)
        one_class = self.program.n_values == 1
        self.ADD = ("_add(total, {}, (", ",))" if one_class else "))")

    def constants(self) -> list[str]:
        classes, costs = self.program.classes, self.program.costs
        if classes is None:
            return []
        lines = assigned("CLASSES", map(literal, classes))
        if self.chooses_class and costs is not None:
            lines.append("# COSTS[i][j]: the price of true class i predicted as j")
            lines += assigned("COSTS", [tuple_of(map(repr, row)) for row in costs.tolist()])
        return ["\n".join(lines)]

    def public_functions(self) -> list[str]:
        about = "a row, which maps column names to values"
        if self.is_number:
            return [function("predict", "_prediction(row)", f"The number for {about}.")]
        order = "The probability of each of CLASSES, in their order."
        return [
            function("predict", "_prediction(row)[0]", f"The class of {about}."),
            function("predict_proba", "list(_prediction(row)[1])", order),
        ]

    def ifs(self) -> list[str]:
        classes = self.program.classes
        start = "total = 0.0" if classes is None else f"total = [0.0] * {len(classes)}"
        result = f"return {'total' if self.is_number else '_decide(total), total'}"
        body = nested_lines(self, start=start, result=result)
        return ["\n".join(["def _prediction(row):", *indented(self.reads()), *body])]

    def reads(self) -> list[str]:
        """Lines that take the values out of a row, with a check if unseen levels are refused."""
        lines = []
        for column, name in self.name_of.items():
            spec = self.program.columns[column]
            key = literal(spec.name)
            lines.append(f"{name} = {'_number' if spec.is_numeric else '_level'}(row[{key}])")
            if self.refuses and not spec.is_numeric:
                levels = [literal(level) for level in spec.levels]
                opening = f"_refuse_unseen({key}, {name}, ("
                lines += wrapped(opening, levels, f"{closing(levels)})")
        return lines

    def tables(self) -> list[str]:
        flat = flat_program(self.program)
        lines = [comment_lines(TABLES_NOTE, "#")]
        for name, _, items in flat.tables():
            rows = [tuple_of(map(repr, row)) for row in flat.predictions]
            lines += assigned(name.upper(), rows if name == "predictions" else items)
        walk = texts.WALK_NUMBERS if self.is_number else texts.WALK_CLASSES
        return ["\n".join(lines), walk, *self.read_values(), texts.CHILD]

    def read_values(self) -> list[str]:
        """`_values(row)`: numbers, and positions of levels, in the order that COLUMN counts."""
        reads, tables = [], []
        for column in self.program.used_columns:
            spec = self.program.columns[column]
            name = literal(spec.name)
            if spec.is_numeric:
                reads.append(f"_number(row[{name}]),")
                continue
            reads.append(f"_position({name}, row[{name}]),")
            tables += [f"{name}: (", *indented(filled(map(literal, spec.levels))), "),"]
        values = "\n".join(["def _values(row):", "    return (", *indented(reads, 2), "    )"])
        if not tables:
            return [values]
        position = texts.POSITION_OR_ERROR if self.refuses else texts.POSITION
        return [values, position, "\n".join(["LEVELS = {", *indented(tables), "}", texts.CODES])]

    # How Python writes the statements of a tree.

    def if_(self, condition: str, note: str = "") -> str:
        return f"if {condition}:{self.beside(note)}"

    def elif_(self, condition: str, note: str = "") -> str:
        return f"elif {condition}:{self.beside(note)}"

    def else_(self, note: str = "") -> str:
        return f"else:{self.beside(note)}"

    def condition(self, tests: tuple[Test, ...]) -> str:
        return " or ".join(part for test in tests for part in self.alternatives(test))

    def alternatives(self, test: Test) -> list[str]:
        match test:
            case Among(column, (level,)):
                return [f"{self.name_of[column]} == {literal(level)}"]
            case Among(column, levels):
                return [among(f"{self.name_of[column]} in (", levels)]
            case Unseen(column, levels):
                name = self.name_of[column]
                return [among(f"{name} is not None and {name} not in (", levels)]
        return super().alternatives(test)

    def is_missing(self, column: int) -> str:
        name = self.name_of[column]
        return f"isnan({name})" if self.program.columns[column].is_numeric else f"{name} is None"

    def declare_branch(self, name: str) -> str:
        return ""

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"{' = '.join(names)} = 0.0"]

    def return_values(self, node: int) -> list[str]:
        values = self.values(node)
        if self.is_number:
            return [f"return {values[0]}"]
        return wrapped(f"return {literal(self.program.label(node))}, (", values, closing(values))


def function(name: str, result: str, about: str) -> str:
    return f'def {name}(row):\n    """{about}"""\n    return {result}'


def literal(value: Level | float) -> str:
    """A string, number or boolean in Python syntax, in double quotes where possible."""
    text = repr(value)
    if isinstance(value, str) and text[0] == "'" and '"' not in text:
        return f'"{text[1:-1]}"'
    return text


def tuple_of(items: Iterable[str]) -> str:
    items = list(items)
    return f"({', '.join(items)}{closing(items)}"


def among(opening: str, levels: Sequence[Level]) -> str:
    """The levels in parentheses, on several lines if they are many."""
    items = [literal(level) for level in levels]
    return "\n".join(wrapped(opening, items, closing(items)))


def closing(items: Sequence[str]) -> str:
    return ",)" if len(items) == 1 else ")"


def assigned(name: str, items: Iterable[str]) -> list[str]:
    items = list(items)
    return wrapped(f"{name} = (", items, closing(items))
