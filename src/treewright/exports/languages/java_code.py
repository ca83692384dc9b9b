"""Java 8 and newer: one class with `Row`, `predict` and `predictProba`."""

import re
from collections.abc import Sequence
from typing import Any

from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import ExportError, ParameterError
from treewright.exports.compiled import SECONDS_TO_RUN, kind_of, row_lines, run_program
from treewright.exports.languages import java_texts as texts
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import JAVA_WORDS, column_names
from treewright.exports.languages.language import (
    Language,
    comment_lines,
    filled,
    indented,
    wrapped,
)
from treewright.exports.languages.nested import nested_lines
from treewright.exports.notes import column_note, header_lines
from treewright.exports.program import Exported, Predictions, Program

FIELDS = {
    "number": "double {} = Double.NaN;",
    "integer": "Long {};",
    "boolean": "Boolean {};",
    "string": "String {};",
}
CLASS_TYPES = {str: "String", bool: "Boolean", int: "Long", float: "Double"}
CHUNK = 2000  # entries of a table in one class: Java allows 64 kB of code and 65,535 constants
MAX_TEXT = 20_000  # letters of one constant, each of up to three bytes; 65,535 bytes fit


def write(program: Program, *, form: str = "auto", name: str = "Tree") -> str:
    """The source of the class `name`; `form` is as for Python."""
    checked_name(name)
    source = JavaSource(program, form)
    code = "\n\n".join([*source.public_methods(), *source.body()])
    called = [text for call, text in texts.HELPERS.items() if re.search(rf"\b{call}\(", code)]
    missing = "NaN where a number is missing, null where anything else is"
    header = comment_lines(header_lines(program, missing))
    members = [source.row_class(), *source.constants(), code, *called]
    return f"{header}\n\npublic final class {name} {{\n" + "\n\n".join(members) + "\n}\n"


def checked_name(name: str) -> str:
    reserved = {*JAVA_WORDS, "Row", "Predicted", "Main"}
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in reserved:
        raise ParameterError(f"{name!r} is not a name for a class", hint="use letters and digits")
    return name


def run(  # noqa: PLR0913 -- the options of the format
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    name: str = "Tree",
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """Compile with javac and predict every row; `form` makes no difference."""
    files = {f"{name}.java": code, "Main.java": main_class(program, name)}
    commands = [("javac", "-encoding", "UTF-8", *files), ("java", "Main")]
    lines = row_lines(program, rows, "utf-16-be")
    return run_program(program, files, commands, lines, timeout)


def main_class(program: Exported, name: str, printing: str | None = None) -> str:
    """A class that reads rows and prints what the class `name` predicts."""
    reads = [
        f"            row.{field} = read{kind_of(program.columns[column]).title()}(fields[{at}]);"
        for at, (column, field) in enumerate(fields_of(program).items())
    ]
    if printing is None:
        printing = texts.PRINT_NUMBER if program.classes is None else texts.PRINT_CLASS
    main = texts.MAIN.replace("PRINT_ROW", printing).replace("NAME", name)
    return main.replace("READ_ROW", "\n".join(reads))


def fields_of(program: Exported) -> dict[int, str]:
    """Used column -> field of the row."""
    return column_names(program, JAVA_WORDS, style="camel")


class JavaSource(Language):
    """The members of the class."""

    DECIDE = (texts.DECIDE, texts.DECIDE_BY_COSTS)
    ADD = ("add(total, {}, ", ");")
    LAST_COMMA = False

    def __init__(self, program: Program, form: str) -> None:
        self.field_of = fields_of(program)
        members = {column: f"row.{field}" for column, field in self.field_of.items()}
        super().__init__(program, members, form)
        classes = program.classes
        self.label = "double" if classes is None else CLASS_TYPES[type(classes[0])]

    def row_class(self) -> str:
        lines = ["/** One row; what is not set is missing. */", "public static final class Row {"]
        for column, field in self.field_of.items():
            spec = self.program.columns[column]
            lines.append(f"    /** {column_note(spec)} */")
            lines.append(f"    public {FIELDS[kind_of(spec)].format(field)}")
        return block([*lines, "}"])

    def constants(self) -> list[str]:
        classes, costs = self.program.classes, self.program.costs
        if classes is None:
            return []
        kind = f"java.util.List<{self.label}>"
        opening = f"public static final {kind} CLASSES = java.util.Arrays.asList("
        lines = wrapped(opening, map(literal, classes), ");", last_comma=False)
        if self.chooses_class and costs is not None:
            lines.append("// COSTS[i][j]: the price of true class i predicted as j")
            prices = [f"{{{', '.join(map(repr, row))}}}" for row in costs.tolist()]
            lines += wrapped("private static final double[][] COSTS = {", prices, "};")
        return [block(lines), texts.PREDICTION.replace("LABEL", self.label)]

    def public_methods(self) -> list[str]:
        if self.is_number:
            return [method("predict", "double", "prediction(row)", "The number for a row.")]
        about = "The probability of each of CLASSES, in their order."
        return [
            method("predict", self.label, "prediction(row).label", "The class of a row."),
            method("predictProba", "double[]", "prediction(row).probabilities", about),
        ]

    def opening(self) -> str:
        returned = "double" if self.is_number else "Predicted"
        return f"private static {returned} prediction(Row row) {{"

    def result(self, number: str) -> str:
        value = number if self.is_number else "new Predicted(CLASSES.get(decide(total)), total)"
        return f"return {value};"

    def ifs(self) -> list[str]:
        n_values = self.program.n_values
        start = f"double[] total = new double[{n_values}];"
        if self.is_number:
            start = "double total = 0.0;"
        body = nested_lines(self, start=start, result=self.result("total"))
        return [block([self.opening(), *self.refusals(), *body, "}"])]

    def refusals(self) -> list[str]:
        """Statements that refuse unseen levels, if the model does."""
        lines = []
        for column, spec in self.refusing_columns():
            opening = f"refuseUnseen({literal(spec.name)}, {self.name_of[column]}, "
            lines += wrapped(opening, map(literal, spec.levels), ");", last_comma=False)
        return indented(lines)

    def refusing_columns(self) -> list[tuple[int, ColumnSpec]]:
        """Columns whose unseen levels are refused."""
        if not self.refuses:
            return []
        columns = [(column, self.program.columns[column]) for column in self.field_of]
        return [(column, spec) for column, spec in columns if not spec.is_numeric]

    def tables(self) -> list[str]:
        flat = flat_program(self.program)
        tables = Tables()
        for name, is_double, items in flat.tables():
            tables.add("double" if is_double else "int", name.upper(), items)
        tables.lines.append(f"private static final int N_VALUES = {self.program.n_values};")
        tables.lines.append(f"private static final int N_WAITING = {flat.n_waiting};")
        reads = []
        for at, (column, value) in enumerate(self.name_of.items()):
            spec = self.program.columns[column]
            reads.append(f"{value}," if spec.is_numeric else f"position({value}, LEVELS_{at}),")
            if not spec.is_numeric:
                tables.add_levels(f"LEVELS_{at}", [literal(level) for level in spec.levels])
        has_levels = any("position(" in line for line in reads)
        body = ["double[] values = {", *indented(reads), "};", *self.refusals_of_positions()]
        body += ["double[] total = walk(values);", self.result("total[0]")]
        about = [
            *TABLES_NOTE,
            "Tables stand in classes of their own, as Java bounds the size of one.",
        ]
        code = [comment_lines(about, "    //"), block(tables.lines)]
        code.append(block([self.opening(), *indented(body), "}"]))
        return [*code, texts.WALK, texts.CHILD, *([texts.POSITION] if has_levels else [])]

    def refusals_of_positions(self) -> list[str]:
        lines = []
        for column, spec in self.refusing_columns():
            at, value = list(self.field_of).index(column), self.name_of[column]
            message = f'{literal(spec.name)} + ": " + {value} + " was not seen in training"'
            lines.append(f"if (values[{at}] < 0) {{")
            lines.append(f"    throw new IllegalArgumentException({message});")
            lines.append("}")
        return lines

    # How Java writes the statements of a tree.

    def level_test(self, column: int, level: Any) -> str:
        return f"is({self.name_of[column]}, {literal(level)})"

    def is_missing(self, column: int) -> str:
        name = self.name_of[column]
        is_number = self.program.columns[column].is_numeric
        return f"Double.isNaN({name})" if is_number else f"{name} == null"

    def declare_branch(self, name: str) -> str:
        return f"int {name};"

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"double {' = 0.0, '.join(names)} = 0.0;"]

    def return_values(self, node: int) -> list[str]:
        if self.is_number:
            return [f"return {self.values(node)[0]};"]
        opening = f"return new Predicted({literal(self.program.label(node))}, "
        return wrapped(opening, self.values(node), ");", last_comma=False)


class Tables:
    """Long arrays, each in pieces that a class can hold."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.n_pieces = 0

    def add(self, kind: str, name: str, items: list[str]) -> None:
        self.lines.append(
            f"private static final {kind}[] {name} = join({self.pieces(kind, items)});"
        )

    def add_levels(self, name: str, items: list[str]) -> None:
        kind, pieces = "java.util.Map<Object, Integer>", self.pieces("Object", items)
        self.lines.append(f"private static final {kind} {name} = positions({pieces});")

    def pieces(self, kind: str, items: list[str]) -> str:
        starts = range(0, max(len(items), 1), CHUNK)
        return ", ".join(self.piece(kind, items[at : at + CHUNK]) for at in starts)

    def piece(self, kind: str, items: Sequence[str]) -> str:
        """Write a class that holds the items; the call that gets them."""
        name = f"Piece{self.n_pieces}"
        self.n_pieces += 1
        self.lines += [
            f"private static final class {name} {{",
            f"    static final {kind}[] ITEMS = {{",
            *(f"        {line}" for line in filled(items)),
            "    };",
            "}",
        ]
        return f"{name}.ITEMS"


def block(lines: Sequence[str]) -> str:
    """Lines as a member of the class."""
    return "\n".join(indented(lines))


def method(name: str, kind: str, result: str, about: str) -> str:
    return (
        f"    /** {about} */\n    public static {kind} {name}(Row row) {{\n"
        f"        return {result};\n    }}"
    )


def literal(value: Any) -> str:
    """A label, level or name in Java syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise ExportError(
                f"a text of {len(value)} letters is too long for Java: {value[:40]!r}...",
                hint=f"keep levels and classes below {MAX_TEXT} letters",
            )
        return f'"{"".join(map(escaped, value))}"'
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ExportError(f"{value} does not fit a long of Java", hint="use strings instead")
        return f"{value}L"
    return repr(value)


def escaped(letter: str) -> str:
    """A letter of a string; unprintable ones become their UTF-16 units."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if letter in escapes or letter.isprintable():
        return escapes.get(letter, letter)
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
