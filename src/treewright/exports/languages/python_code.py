"""Python: a module with `predict` and `predict_proba` that needs nothing but Python itself."""

import keyword
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from treewright.data.column import Level
from treewright.data.table import Table
from treewright.exports.languages.braces import filled, wrapped
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import identifiers
from treewright.exports.languages.nested import WHOLE, decides_late, nested_lines, written_as_ifs
from treewright.exports.languages.python_texts import (
    CHILD,
    CODES,
    DECIDE,
    DECIDE_BY_COSTS,
    HELPERS,
    IMPORTS,
    POSITION,
    POSITION_OR_ERROR,
    WALK_CLASSES,
    WALK_NUMBERS,
)
from treewright.exports.notes import header_lines
from treewright.exports.program import Answers, Program, ProgramError, in_rows, words_of
from treewright.exports.routes import (
    Above,
    Among,
    AtMost,
    Missing,
    SumAtMost,
    SumKnown,
    Test,
    Unseen,
)

OWN_NAMES = {"row", "total", "isnan", "CLASSES", "COSTS", "predict", "predict_proba"}
RESERVED = {*keyword.kwlist, *keyword.softkwlist, *OWN_NAMES}


def write(program: Program, *, form: str = "auto") -> str:
    """The source of a module. `form` is "ifs", "tables" (and a loop), or "auto": by size."""
    by_ifs = written_as_ifs(program, form)
    decides = decides_late(program, by_ifs=by_ifs)
    parts = [*constants(program, with_costs=decides), *faces(program)]
    parts += [answer_by_ifs(program)] if by_ifs else answer_by_tables(program)
    if decides:
        parts.append(DECIDE if program.tree.costs is None else DECIDE_BY_COSTS)
    code = "\n\n\n".join(parts)
    header = header_lines(program, "None or NaN where a value is missing")
    top = ["\n".join(f"# {line}".rstrip() for line in header)]
    imports = [line for call, line in IMPORTS.items() if call in code]
    top += ["\n".join(imports)] if imports else []
    called = [text for call, text in HELPERS.items() if call in code]
    return "\n\n".join(top) + "\n\n" + "\n\n\n".join([code, *called]) + "\n"


def run(code: str | bytes, program: Program, rows: Table, *, form: str = "auto") -> Answers:
    """Execute the module, in this process, and ask it for every row; any `form` runs alike."""
    names = names_in(code, ["predict"] if program.classes is None else ["predict", "predict_proba"])
    labels: list[Any] = [None] * len(rows)
    values = np.full((len(rows), program.tree.n_values), np.nan)
    errors: dict[int, str] = {}
    for at, row in enumerate(in_rows(rows)):
        try:
            label = names["predict"](row)
            values[at] = label if program.classes is None else names["predict_proba"](row)
            labels[at] = plain(label)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit() is no reason to end the user's program
            if not (isinstance(error, ValueError) and "not seen in training" in str(error)):
                errors[at] = words_of(error)
    return Answers(None if program.classes is None else labels, values, errors=errors)


def names_in(code: str | bytes, wanted: Sequence[str]) -> dict[str, Any]:
    """What a module defines once it is executed, these functions among it."""
    names: dict[str, Any] = {}
    try:
        exec(compile(code, "<exported tree>", "exec"), names)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ProgramError(f"the module does not run: {words_of(error)}") from error
    for name in wanted:
        if not callable(names.get(name)):
            raise ProgramError(f"the module has no function `{name}`")
    return names


def plain(label: Any) -> Any:
    """The label, which can be compared with others."""
    if not isinstance(label, str | int | float):
        raise TypeError(f"a {type(label).__name__} is no class")
    return label


# ---------------------------------------------------------------------------- parts of a module


def constants(program: Program, *, with_costs: bool) -> list[str]:
    lines: list[str] = []
    if program.classes is not None:
        lines += assigned("CLASSES", map(literal, program.classes))
    if with_costs and program.tree.costs is not None:
        prices = [tuple_of(map(repr, row)) for row in program.tree.costs.tolist()]
        lines.append("# COSTS[i][j]: the price of true class i predicted as j")
        lines += assigned("COSTS", prices)
    return ["\n".join(lines)] if lines else []


def faces(program: Program) -> list[str]:
    """The functions that users call."""
    about = "a row, which maps column names to values"
    if program.classes is None:
        return [f'def predict(row):\n    """The number for {about}."""\n    return _answer(row)']
    return [
        f'def predict(row):\n    """The class of {about}."""\n    return _answer(row)[0]',
        "def predict_proba(row):\n"
        '    """The probability of each of CLASSES, in their order."""\n'
        "    return list(_answer(row)[1])",
    ]


def answer_by_ifs(program: Program) -> str:
    language = PythonLanguage(program)
    lines = ["def _answer(row):"]
    lines += [f"    {line}" for line in reads(program, language.name_of)]
    if not program.splits_rows:
        return "\n".join(lines + nested_lines(program, language))
    is_number = program.classes is None
    lines.append(
        "    total = 0.0" if is_number else f"    total = [0.0] * {len(program.classes or ())}"
    )
    lines += nested_lines(program, language)
    lines.append(f"    return {'total' if is_number else '_decide(total), total'}")
    return "\n".join(lines)


def reads(program: Program, name_of: dict[int, str]) -> list[str]:
    """Lines that take the values out of a row, checked where unseen levels are refused."""
    lines = []
    for column, name in name_of.items():
        spec = program.columns[column]
        kind = "number" if spec.is_numeric else "level"
        lines.append(f"{name} = _{kind}(row[{literal(spec.name)}])")
        if program.unseen == "error" and not spec.is_numeric:
            opening = f"_refuse_unseen({literal(spec.name)}, {name}, ("
            levels = [literal(level) for level in spec.levels]
            lines += wrapped(opening, levels, f"{closing(levels)})")
    return lines


class PythonLanguage:
    """How Python writes a tree; see `nested.Language`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        used = program.used_columns
        names = identifiers([program.columns[column].name for column in used], RESERVED)
        self.name_of = dict(zip(used, names, strict=True))

    def comment(self, text: str) -> str:
        return f"# {text}"

    def if_(self, condition: str, note: str = "") -> str:
        return f"if {condition}:{beside(note)}"

    def elif_(self, condition: str, note: str = "") -> str:
        return f"elif {condition}:{beside(note)}"

    def else_(self, note: str = "") -> str:
        return f"else:{beside(note)}"

    def end(self) -> str:
        return ""

    def condition(self, tests: tuple[Test, ...]) -> str:
        return " or ".join(map(self.test, tests))

    def test(self, test: Test) -> str:
        match test:
            case AtMost(column, bound):
                return f"{self.name_of[column]} <= {bound!r}"
            case Above(column, bound):
                return f"{self.name_of[column]} > {bound!r}"
            case Among(column, (level,)):
                return f"{self.name_of[column]} == {literal(level)}"
            case Among(column, levels):
                return among(f"{self.name_of[column]} in (", levels)
            case Unseen(column, levels):
                name = self.name_of[column]
                return among(f"{name} is not None and {name} not in (", levels)
            case Missing(columns):
                return " or ".join(map(self.is_missing, columns))
            case SumAtMost(terms, bound):
                return f"{self.sum_of(terms)} <= {bound!r}"
            case SumKnown(columns):
                return f"not ({' or '.join(map(self.is_missing, columns))})"

    def is_missing(self, column: int) -> str:
        name = self.name_of[column]
        return f"isnan({name})" if self.program.columns[column].is_numeric else f"{name} is None"

    def sum_of(self, terms: Sequence[tuple[int, float]]) -> str:
        return " + ".join(f"{weight!r} * {self.name_of[column]}" for column, weight in terms)

    def is_branch(self, name: str, number: int) -> str:
        return f"{name} == {number}"

    def is_positive(self, name: str) -> str:
        return f"{name} > 0.0"

    def declare_branch(self, name: str) -> str:
        return ""

    def set_branch(self, name: str, number: int) -> str:
        return f"{name} = {number}"

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"{' = '.join(names)} = 0.0"]

    def set_share(self, name: str, value: str) -> str:
        return f"{name} = {value}"

    def part_of(self, share: str, part: float) -> str:
        if share == WHOLE:
            return repr(part)
        return share if part == 1.0 else f"{share} * {part!r}"

    def give(self, node: int) -> list[str]:
        if self.program.classes is None:
            return [f"return {self.answer(node)[0]}"]
        label = literal(self.program.label(node))
        return wrapped(f"return {label}, (", self.answer(node), closing(self.answer(node)))

    def add(self, node: int, share: str) -> list[str]:
        share = share or "1.0"
        answer = self.answer(node)
        if self.program.classes is None:
            return [f"total += {share} * {answer[0]}"]
        return wrapped(f"_add(total, {share}, (", answer, f"{closing(answer)})")

    def answer(self, node: int) -> list[str]:
        return [repr(number) for number in self.program.answers[node].tolist()]


# ---------------------------------------------------------------------------- tables and a loop


def answer_by_tables(program: Program) -> list[str]:
    flat = flat_program(program)
    lines = [f"# {line}" for line in TABLES_NOTE]
    for name in flat.LISTS:
        lines += assigned(name.upper(), map(repr, getattr(flat, name)))
    lines += assigned("ANSWERS", [tuple_of(map(repr, row)) for row in flat.answers])
    walk = WALK_NUMBERS if program.classes is None else WALK_CLASSES
    return ["\n".join(lines), walk, *read_values(program), CHILD]


def read_values(program: Program) -> list[str]:
    """`_values(row)`: numbers, and positions of levels, in the order that COLUMN counts."""
    lines, tables = [], []
    for column in program.used_columns:
        spec = program.columns[column]
        name = literal(spec.name)
        if spec.is_numeric:
            lines.append(f"        _number(row[{name}]),")
            continue
        lines.append(f"        _position({name}, row[{name}]),")
        tables += [
            f"    {name}: (",
            *(f"        {line}" for line in filled(map(literal, spec.levels))),
        ]
        tables.append("    ),")
    values = "\n".join(["def _values(row):", "    return (", *lines, "    )"])
    if not tables:
        return [values]
    levels = "\n".join(["LEVELS = {", *tables, "}"])
    return [
        values,
        POSITION_OR_ERROR if program.unseen == "error" else POSITION,
        f"{levels}\n{CODES}",
    ]


# ---------------------------------------------------------------------------- words of Python


def literal(value: Level | float) -> str:
    """A string, number or boolean as Python reads it; strings in double quotes if these do."""
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


def beside(note: str) -> str:
    return f"  # {note}" if note else ""
