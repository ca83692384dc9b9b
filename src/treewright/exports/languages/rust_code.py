"""Rust: a module with `Row`, `predict` and `predict_proba` that needs no crate."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.compiled import (
    SECONDS_TO_ANSWER,
    kind_of,
    read_answers,
    row_lines,
    run_files,
)
from treewright.exports.languages import rust_texts as texts
from treewright.exports.languages.braces import BraceLanguage, comment_lines, wrapped
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import RUST_WORDS, identifiers
from treewright.exports.languages.nested import decides_late, nested_lines, written_as_ifs
from treewright.exports.notes import column_note, header_lines
from treewright.exports.program import Answers, Program
from treewright.exports.routes import Unseen

COMPILE = ("rustc", "--edition", "2021", "-C", "debuginfo=0", "-o", "tree", "main.rs")
FIELD_TYPES = {
    "number": "f64",
    "integer": "Option<i64>",
    "boolean": "Option<bool>",
    "string": "Option<&'a str>",
}


def write(program: Program, *, form: str = "auto") -> str:
    """The source of a module; `form` is as for Python."""
    writer = RustWriter(program)
    by_ifs = written_as_ifs(program, form)
    body = writer.by_ifs() if by_ifs else writer.by_tables()
    code = "\n\n".join([*writer.faces(), *body])
    if re.search(r"\badd\(", code):
        code += f"\n\n{texts.ADD}"
    decides = decides_late(program, by_ifs=by_ifs)
    if decides:
        code += "\n\n" + (texts.DECIDE if program.tree.costs is None else texts.DECIDE_BY_COSTS)
    missing = "NaN where a number is missing, None where anything else is"
    header = comment_lines([*header_lines(program, missing)])
    parts = [header, writer.row_struct()]
    if "N_VALUES" in code:
        parts.append(writer.constants(with_costs=decides))
    return "\n\n".join([*parts, code]) + "\n"


def run(
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    timeout: float = SECONDS_TO_ANSWER,
) -> Answers:
    """Compile with rustc and ask for every row; any `form` runs alike."""
    files = {"tree.rs": code, "main.rs": main_module(program)}
    given = row_lines(program, rows)
    commands = [COMPILE, ("./tree",)]
    output = run_files(files, commands, given, language="Rust", timeout=timeout)
    return read_answers(program, output)


def main_module(program: Program) -> str:
    """A program that reads rows and prints what the module `tree` answers."""
    refuses = program.unseen == "error"
    answer = texts.ANSWER_NUMBER if program.classes is None else texts.ANSWER_CLASS
    answer = answer.replace("UNWRAPPED", ".unwrap()" if refuses else "")
    answer = (texts.REFUSED if refuses else "") + answer
    return texts.MAIN.replace("READ_ROW", row_reading(program)).replace("ANSWER_ROW", answer)


def row_reading(program: Program) -> str:
    """Statements that make a row from the fields of a line."""
    lines, members = [], []
    for at, (column, field) in enumerate(fields_of(program).items()):
        kind = kind_of(program.columns[column])
        lines.append(f"        let field_{at} = read_{kind}(fields[{at}]);")
        members.append(f"{field}: field_{at}{'.as_deref()' if kind == 'string' else ''}")
    return "\n".join([*lines, f"        let row = tree::Row {{ {', '.join(members)} }};"])


def fields_of(program: Program) -> dict[int, str]:
    """Used column -> member of the struct."""
    used = program.used_columns
    names = identifiers([program.columns[column].name for column in used], RUST_WORDS)
    return dict(zip(used, names, strict=True))


class RustWriter:
    """The parts of a module."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.field_of = fields_of(program)
        members = {column: f"row.{field}" for column, field in self.field_of.items()}
        self.language = RustLanguage(program, members)
        self.refuses = program.unseen == "error"

    def columns(self) -> Iterable[tuple[ColumnSpec, str]]:
        return ((self.program.columns[column], field) for column, field in self.field_of.items())

    def row_struct(self) -> str:
        members = []
        for spec, field in self.columns():
            members.append(f"    /// {column_note(spec)}")
            members.append(f"    pub {field}: {FIELD_TYPES[kind_of(spec)]},")
        lifetime = "<'a>" if any("&'a" in member for member in members) else ""
        return "\n".join([f"pub struct Row{lifetime} {{", *members, "}"])

    def constants(self, *, with_costs: bool) -> str:
        classes, costs = self.program.classes, self.program.tree.costs
        lines = [f"const N_VALUES: usize = {self.program.tree.n_values};"]
        if classes is not None:
            lines.append(f"pub type Label = {class_type(classes)};")
            opening = "pub const CLASSES: [Label; N_VALUES] = ["
            lines += wrapped(opening, map(literal, classes), "];")
        if with_costs and costs is not None:
            lines.append("// COSTS[i][j]: the price of true class i predicted as j")
            prices = [f"[{', '.join(map(repr, row))}]" for row in costs.tolist()]
            lines += wrapped("const COSTS: [[f64; N_VALUES]; N_VALUES] = [", prices, "];")
        return "\n".join(lines)

    def faces(self) -> list[str]:
        """The functions that users call."""
        if self.program.classes is None:
            return [self.face("predict", "f64", "", "The number for a row")]
        return [
            self.face("predict", "Label", ".0", "The class of a row"),
            self.face(
                "predict_proba", "[f64; N_VALUES]", ".1", "The probability of each of CLASSES"
            ),
        ]

    def face(self, name: str, kind: str, part: str, about: str) -> str:
        result = f"answer(row){part}"
        if self.refuses and part:
            result = f"answer(row).map(|found| found{part})"
        about += "; an error if a level was not seen in training" if self.refuses else ""
        kind = self.returned(kind)
        return f"/// {about}.\npub fn {name}(row: &Row) -> {kind} {{\n    {result}\n}}"

    def returned(self, kind: str) -> str:
        return f"Result<{kind}, String>" if self.refuses else kind

    def opening(self) -> str:
        kind = "f64" if self.program.classes is None else "(Label, [f64; N_VALUES])"
        row = "row" if self.field_of else "_row"
        return f"fn answer({row}: &Row) -> {self.returned(kind)} {{"

    def result(self, total: str) -> str:
        answer = total if self.program.classes is None else "(decide(&total), total)"
        return f"    Ok({answer})" if self.refuses else f"    {answer}"

    def by_ifs(self) -> list[str]:
        lines = [self.opening(), *self.refusals()]
        if not self.program.splits_rows:
            return ["\n".join([*lines, *nested_lines(self.program, self.language), "}"])]
        start = "0.0" if self.program.classes is None else "[0.0; N_VALUES]"
        lines.append(f"    let mut total = {start};")
        lines += nested_lines(self.program, self.language)
        return ["\n".join([*lines, self.result("total"), "}"])]

    def refusals(self) -> list[str]:
        """Statements that turn away unseen levels, where such is the policy."""
        lines = []
        for column in self.field_of:
            spec = self.program.columns[column]
            if self.refuses and not spec.is_numeric:
                test = self.language.condition((Unseen(column, spec.levels),))
                lines += [f"    if {test} {{", f"    {self.refusal(column)}", "    }"]
        return lines

    def refusal(self, column: int) -> str:
        name = literal(self.program.columns[column].name)
        value = f"row.{self.field_of[column]}"
        text = 'format!("{}: {:?} was not seen in training"'
        return f"    return Err({text}, {name}, {value}));"

    def by_tables(self) -> list[str]:
        flat = flat_program(self.program)
        lines = [comment_lines(TABLES_NOTE)]
        for name in flat.LISTS:
            kind = "f64" if name in ("share", "number") else "i32"
            lines += array(kind, name.upper(), [repr(item) for item in getattr(flat, name)])
        answers = [repr(value) for row in flat.answers for value in row]
        lines += array("f64", "ANSWERS", answers)
        reads, checks = [], []
        for at, column in enumerate(self.field_of):
            spec, member = self.program.columns[column], f"row.{self.field_of[column]}"
            if spec.is_numeric:
                reads.append(f"        {member},")
                continue
            reads.append(f"        position({member}, &LEVELS_{at}),")
            checks += [f"    if values[{at}] < 0.0 {{", f"    {self.refusal(column)}", "    }"]
            lines += level_table(spec, at)
        body = [self.opening(), f"    let values: [f64; {len(reads)}] = [", *reads, "    ];"]
        body += checks if self.refuses else []
        body += ["    let total = walk(&values);", self.result("total[0]"), "}"]
        helpers = [texts.POSITION] if len(checks) > 0 else []
        return ["\n".join(lines), "\n".join(body), texts.WALK, texts.CHILD, *helpers]


class RustLanguage(BraceLanguage):
    """How Rust writes a tree."""

    def if_(self, condition: str, note: str = "") -> str:
        return f"if {condition} {{{f'  // {note}' if note else ''}"

    def level_test(self, column: int, level: Any) -> str:
        return f"{self.name_of[column]} == Some({literal(level)})"

    def is_missing(self, column: int) -> str:
        test = "is_nan" if self.program.columns[column].is_numeric else "is_none"
        return f"{self.name_of[column]}.{test}()"

    def declare_branch(self, name: str) -> str:
        return f"let {name};"

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"let mut {name} = 0.0;" for name in names]

    def give(self, node: int) -> list[str]:
        opening, closing = (
            ("return Ok(", ");") if self.program.unseen == "error" else ("return ", ";")
        )
        if self.program.classes is None:
            return [f"{opening}{self.answer(node)[0]}{closing}"]
        label = literal(self.program.label(node))
        return wrapped(f"{opening}({label}, [", self.answer(node), f"]){closing}")

    def add(self, node: int, share: str) -> list[str]:
        share = share or "1.0"
        if self.program.classes is None:
            return [f"total += {share} * {self.answer(node)[0]};"]
        return wrapped(f"add(&mut total, {share}, [", self.answer(node), "]);")


# ---------------------------------------------------------------------------- words of Rust


def array(kind: str, name: str, items: Sequence[str]) -> list[str]:
    return wrapped(f"static {name}: [{kind}; {len(items)}] = [", items, "];")


def level_table(spec: ColumnSpec, at: int) -> list[str]:
    """Levels and their positions, sorted as Rust sorts them."""
    kind = {"string": "&str", "integer": "i64", "boolean": "bool"}[kind_of(spec)]
    order = sorted(range(len(spec.levels)), key=lambda code: sort_key(spec.levels[code]))
    items = [f"({literal(spec.levels[code])}, {float(code)!r})" for code in order]
    return array(f"({kind}, f64)", f"LEVELS_{at}", items)


def sort_key(level: Any) -> Any:
    return encoded(level) if isinstance(level, str) else level


def class_type(classes: tuple[Any, ...]) -> str:
    match classes[0]:
        case str():
            return "&'static str"
        case bool():
            return "bool"
        case int():
            return "i64"
        case _:
            return "f64"


def literal(value: Any) -> str:
    """A label, level or name as Rust reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        encoded(value)
        return f'"{"".join(map(letter, value))}"'
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ExportError(f"{value} does not fit an i64 of Rust", hint="use strings instead")
    return repr(value)


def encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ExportError(f"{text!r} is no valid Unicode, which a text in Rust must be") from None


def letter(one: str) -> str:
    """A letter of a text; what cannot be printed is escaped."""
    if one in '"\\':
        return "\\" + one
    return one if one.isprintable() else f"\\u{{{ord(one):x}}}"
