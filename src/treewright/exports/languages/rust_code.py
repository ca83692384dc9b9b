"""Rust: a module with `Row`, `predict` and `predict_proba` that needs no crate."""

import re
from collections.abc import Sequence
from typing import Any

from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.compiled import SECONDS_TO_RUN, kind_of, row_lines, run_program
from treewright.exports.languages import rust_texts as texts
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import RUST_WORDS, column_names
from treewright.exports.languages.language import (
    Language,
    comment_lines,
    indented,
    utf8,
    wrapped,
)
from treewright.exports.languages.nested import nested_lines
from treewright.exports.notes import column_note, header_lines
from treewright.exports.program import Exported, Predictions, Program
from treewright.exports.routes import Unseen

COMPILE = ("rustc", "--edition", "2021", "-C", "debuginfo=0", "-o", "tree", "main.rs")
FIELD_TYPES = {
    "number": "f64",
    "integer": "Option<i64>",
    "boolean": "Option<bool>",
    "string": "Option<&'a str>",
}


CLASS_TYPES = {str: "&'static str", bool: "bool", int: "i64", float: "f64"}


def write(program: Program, *, form: str = "auto") -> str:
    """The source of a module; `form` is as for Python."""
    source = RustSource(program, form)
    functions = [*source.public_functions(), *source.body()]
    if any(re.search(r"\badd\(", text) for text in functions):
        functions.insert(len(functions) - source.chooses_class, texts.ADD)  # before `decide`
    code = "\n\n".join(functions)
    missing = "NaN where a number is missing, None where anything else is"
    parts = [comment_lines(header_lines(program, missing)), source.row_struct()]
    if "N_VALUES" in code:
        parts.append(source.constants())
    return "\n\n".join([*parts, code]) + "\n"


def run(
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """Compile with rustc and predict every row; `form` makes no difference."""
    files = {"tree.rs": code, "main.rs": main_module(program)}
    commands = [COMPILE, ("./tree",)]
    return run_program(program, files, commands, row_lines(program, rows), timeout)


def main_module(program: Exported, printing: str | None = None) -> str:
    """A program that reads rows and prints what the module `tree` predicts."""
    refuses = program.unseen == "error"
    if printing is None:
        printing = texts.PRINT_NUMBER if program.classes is None else texts.PRINT_CLASS
    printing = printing.replace("UNWRAPPED", ".unwrap()" if refuses else "")
    printing = (texts.REFUSED if refuses else "") + printing
    return texts.MAIN.replace("READ_ROW", row_reading(program)).replace("PRINT_ROW", printing)


def row_reading(program: Exported) -> str:
    """Statements that make a row from the fields of a line."""
    lines, members = [], []
    for at, (column, field) in enumerate(column_names(program, RUST_WORDS).items()):
        kind = kind_of(program.columns[column])
        lines.append(f"        let field_{at} = read_{kind}(fields[{at}]);")
        members.append(f"{field}: field_{at}{'.as_deref()' if kind == 'string' else ''}")
    return "\n".join([*lines, f"        let row = tree::Row {{ {', '.join(members)} }};"])


class RustSource(Language):
    """The parts of a module."""

    DECIDE = (texts.DECIDE, texts.DECIDE_BY_COSTS)
    ADD = ("add(&mut total, {}, [", "]);")

    def __init__(self, program: Program, form: str) -> None:
        self.field_of = column_names(program, RUST_WORDS)
        members = {column: f"row.{field}" for column, field in self.field_of.items()}
        super().__init__(program, members, form)

    def row_struct(self) -> str:
        members = []
        for column, field in self.field_of.items():
            spec = self.program.columns[column]
            members.append(f"    /// {column_note(spec)}")
            members.append(f"    pub {field}: {FIELD_TYPES[kind_of(spec)]},")
        lifetime = "<'a>" if any("&'a" in member for member in members) else ""
        return "\n".join([f"pub struct Row{lifetime} {{", *members, "}"])

    def constants(self) -> str:
        classes, costs = self.program.classes, self.program.costs
        lines = [f"const N_VALUES: usize = {self.program.n_values};"]
        if classes is not None:
            lines.append(f"pub type Label = {CLASS_TYPES[type(classes[0])]};")
            opening = "pub const CLASSES: [Label; N_VALUES] = ["
            lines += wrapped(opening, map(literal, classes), "];")
        if self.chooses_class and costs is not None:
            lines.append("// COSTS[i][j]: the price of true class i predicted as j")
            prices = [f"[{', '.join(map(repr, row))}]" for row in costs.tolist()]
            lines += wrapped("const COSTS: [[f64; N_VALUES]; N_VALUES] = [", prices, "];")
        return "\n".join(lines)

    def public_functions(self) -> list[str]:
        if self.is_number:
            return [self.function("predict", "f64", "", "The number for a row")]
        about = "The probability of each of CLASSES"
        return [
            self.function("predict", "Label", ".0", "The class of a row"),
            self.function("predict_proba", "[f64; N_VALUES]", ".1", about),
        ]

    def function(self, name: str, kind: str, part: str, about: str) -> str:
        result = f"prediction(row){part}"
        if self.refuses and part:
            result = f"prediction(row).map(|found| found{part})"
        about += "; an error if a level was not seen in training" if self.refuses else ""
        kind = self.returned(kind)
        return f"/// {about}.\npub fn {name}(row: &Row) -> {kind} {{\n    {result}\n}}"

    def returned(self, kind: str) -> str:
        return f"Result<{kind}, String>" if self.refuses else kind

    def opening(self) -> str:
        kind = "f64" if self.is_number else "(Label, [f64; N_VALUES])"
        row = "row" if self.field_of else "_row"
        return f"fn prediction({row}: &Row) -> {self.returned(kind)} {{"

    def result(self, number: str) -> str:
        value = number if self.is_number else "(decide(&total), total)"
        return f"Ok({value})" if self.refuses else value

    def ifs(self) -> list[str]:
        start = f"let mut total = {'0.0' if self.is_number else '[0.0; N_VALUES]'};"
        body = nested_lines(self, start=start, result=self.result("total"))
        return ["\n".join([self.opening(), *self.refusals(), *body, "}"])]

    def refusals(self) -> list[str]:
        """Statements that refuse unseen levels, if the model does."""
        lines = []
        for column in self.field_of:
            spec = self.program.columns[column]
            if self.refuses and not spec.is_numeric:
                test = self.condition((Unseen(column, spec.levels),))
                lines += self.refusal(column, test)
        return indented(lines)

    def refusal(self, column: int, test: str) -> list[str]:
        name = literal(self.program.columns[column].name)
        text = 'format!("{}: {:?} was not seen in training"'
        return [f"if {test} {{", f"    return Err({text}, {name}, {self.name_of[column]}));", "}"]

    def tables(self) -> list[str]:
        flat = flat_program(self.program)
        lines = [comment_lines(TABLES_NOTE)]
        for name, is_double, items in flat.tables():
            lines += array("f64" if is_double else "i32", name.upper(), items)
        reads, checks = [], []
        for at, (column, value) in enumerate(self.name_of.items()):
            spec = self.program.columns[column]
            if spec.is_numeric:
                reads.append(f"{value},")
                continue
            reads.append(f"position({value}, &LEVELS_{at}),")
            checks += self.refusal(column, f"values[{at}] < 0.0")
            lines += level_table(spec, at)
        body = [f"let values: [f64; {len(reads)}] = [", *indented(reads), "];"]
        body += checks if self.refuses else []
        body += ["let total = walk(&values);", self.result("total[0]")]
        function = "\n".join([self.opening(), *indented(body), "}"])
        helpers = [texts.POSITION] if checks else []
        return ["\n".join(lines), function, texts.WALK, texts.CHILD, *helpers]

    # How Rust writes the statements of a tree.

    def if_(self, condition: str, note: str = "") -> str:
        return f"if {condition} {{{self.beside(note)}"

    def level_test(self, column: int, level: Any) -> str:
        return f"{self.name_of[column]} == Some({literal(level)})"

    def is_missing(self, column: int) -> str:
        test = "is_nan" if self.program.columns[column].is_numeric else "is_none"
        return f"{self.name_of[column]}.{test}()"

    def declare_branch(self, name: str) -> str:
        return f"let {name};"

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"let mut {name} = 0.0;" for name in names]

    def return_values(self, node: int) -> list[str]:
        opening, closing = ("return Ok(", ");") if self.refuses else ("return ", ";")
        if self.is_number:
            return [f"{opening}{self.values(node)[0]}{closing}"]
        label = literal(self.program.label(node))
        return wrapped(f"{opening}({label}, [", self.values(node), f"]){closing}")


def array(kind: str, name: str, items: Sequence[str]) -> list[str]:
    return wrapped(f"static {name}: [{kind}; {len(items)}] = [", items, "];")


def level_table(spec: ColumnSpec, at: int) -> list[str]:
    """Levels and their positions, in the order in which Rust sorts them."""
    kind = {"string": "&str", "integer": "i64", "boolean": "bool"}[kind_of(spec)]
    keys: list[Any] = [utf8(level, "Rust") if kind == "&str" else level for level in spec.levels]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    items = [f"({literal(spec.levels[code])}, {float(code)!r})" for code in order]
    return array(f"({kind}, f64)", f"LEVELS_{at}", items)


def literal(value: Any) -> str:
    """A label, level or name in Rust syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        utf8(value, "Rust")
        return f'"{"".join(map(escaped, value))}"'
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ExportError(f"{value} does not fit an i64 of Rust", hint="use strings instead")
    return repr(value)


def escaped(letter: str) -> str:
    """A letter of a string; unprintable ones are escaped."""
    if letter in '"\\':
        return "\\" + letter
    return letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}"
