"""Java 8 and newer: one class with `Row`, `predict` and `predictProba`."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from treewright.data.table import Table
from treewright.errors import ExportError, ParameterError
from treewright.exports.compiled import (
    SECONDS_TO_ANSWER,
    kind_of,
    read_answers,
    row_lines,
    run_files,
)
from treewright.exports.languages import java_texts as texts
from treewright.exports.languages.braces import BraceLanguage, comment_lines, filled, wrapped
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import JAVA_WORDS, identifiers
from treewright.exports.languages.nested import decides_late, nested_lines, written_as_ifs
from treewright.exports.notes import column_note, header_lines
from treewright.exports.program import Answers, Program

FIELDS = {
    "number": "double {} = Double.NaN;",
    "integer": "Long {};",
    "boolean": "Boolean {};",
    "string": "String {};",
}
CHUNK = 2000  # entries of a table in one class: Java allows 64 kB of code and 65,535 constants
LONGEST_TEXT = 20_000  # letters of one constant, each of up to three bytes; 65,535 bytes fit


def write(program: Program, *, form: str = "auto", name: str = "Tree") -> str:
    """The source of the class `name`; `form` is as for Python."""
    taken = {*JAVA_WORDS, "Row", "Answer", "Main"}
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in taken:
        raise ParameterError(f"{name!r} is no name for a class", hint="use letters and digits")
    writer = JavaWriter(program)
    by_ifs = written_as_ifs(program, form)
    body = writer.by_ifs() if by_ifs else writer.by_tables()
    code = "\n\n".join([*writer.faces(), *body])
    decides = decides_late(program, by_ifs=by_ifs)
    if decides:
        code += "\n\n" + (texts.DECIDE if program.tree.costs is None else texts.DECIDE_BY_COSTS)
    called = [text for call, text in texts.HELPERS.items() if re.search(rf"\b{call}\(", code)]
    missing = "NaN where a number is missing, null where anything else is"
    header = comment_lines([*header_lines(program, missing)])
    members = [writer.row_class(), *writer.constants(with_costs=decides), code, *called]
    return f"{header}\n\npublic final class {name} {{\n" + "\n\n".join(members) + "\n}\n"


def run(  # noqa: PLR0913 -- the options of the format
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    name: str = "Tree",
    timeout: float = SECONDS_TO_ANSWER,
) -> Answers:
    """Compile with javac and ask for every row; any `form` runs alike."""
    files = {f"{name}.java": code, "Main.java": main_class(program, name)}
    commands = [("javac", "-encoding", "UTF-8", *files), ("java", "Main")]
    given = row_lines(program, rows, "utf-16-be")
    output = run_files(files, commands, given, language="Java", timeout=timeout)
    return read_answers(program, output)


def main_class(program: Program, name: str) -> str:
    """A class that reads rows and prints what the class `name` answers."""
    reads = [
        f"            row.{field} = read{kind_of(program.columns[column]).title()}(fields[{at}]);"
        for at, (column, field) in enumerate(fields_of(program).items())
    ]
    answer = texts.ANSWER_NUMBER if program.classes is None else texts.ANSWER_CLASS
    main = texts.MAIN.replace("ANSWER_ROW", answer).replace("NAME", name)
    return main.replace("READ_ROW", "\n".join(reads))


def fields_of(program: Program) -> dict[int, str]:
    """Used column -> field of the row."""
    used = program.used_columns
    columns = [program.columns[column].name for column in used]
    return dict(zip(used, identifiers(columns, JAVA_WORDS, style="camel"), strict=True))


class JavaWriter:
    """The members of the class."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.field_of = fields_of(program)
        members = {column: f"row.{field}" for column, field in self.field_of.items()}
        self.language = JavaLanguage(program, members)
        self.label = "double" if program.classes is None else class_type(program.classes)

    def row_class(self) -> str:
        lines = [
            "    /** One row; what is not set is missing. */",
            "    public static final class Row {",
        ]
        for column, field in self.field_of.items():
            spec = self.program.columns[column]
            lines.append(f"        /** {column_note(spec)} */")
            lines.append(f"        public {FIELDS[kind_of(spec)].format(field)}")
        return "\n".join([*lines, "    }"])

    def constants(self, *, with_costs: bool) -> list[str]:
        classes, costs = self.program.classes, self.program.tree.costs
        if classes is None:
            return []
        kind = f"java.util.List<{self.label}>"
        opening = f"public static final {kind} CLASSES = java.util.Arrays.asList("
        lines = wrapped(opening, map(literal, classes), ");", last_comma=False)
        if with_costs and costs is not None:
            lines.append("// COSTS[i][j]: the price of true class i predicted as j")
            prices = [f"{{{', '.join(map(repr, row))}}}" for row in costs.tolist()]
            lines += wrapped("private static final double[][] COSTS = {", prices, "};")
        answer = [
            "private static final class Answer {",
            f"    final {self.label} label;",
            "    final double[] probabilities;",
            "",
            f"    Answer({self.label} label, double... probabilities) {{",
            "        this.label = label;",
            "        this.probabilities = probabilities;",
            "    }",
            "}",
        ]
        return [indented(lines), indented(answer)]

    def faces(self) -> list[str]:
        """The methods that users call."""
        if self.program.classes is None:
            return [method("predict", "double", "answer(row)", "The number for a row.")]
        return [
            method("predict", self.label, "answer(row).label", "The class of a row."),
            method(
                "predictProba",
                "double[]",
                "answer(row).probabilities",
                "The probability of each of CLASSES, in their order.",
            ),
        ]

    def opening(self) -> str:
        kind = "double" if self.program.classes is None else "Answer"
        return f"    private static {kind} answer(Row row) {{"

    def by_ifs(self) -> list[str]:
        lines = [self.opening(), *self.refusals()]
        if not self.program.splits_rows:
            return ["\n".join([*lines, *nested_lines(self.program, self.language, 2), "    }"])]
        is_number = self.program.classes is None
        n_values = self.program.tree.n_values
        start = "double total = 0.0;" if is_number else f"double[] total = new double[{n_values}];"
        lines.append(f"        {start}")
        lines += nested_lines(self.program, self.language, 2)
        return ["\n".join([*lines, f"        return {decided(is_number, 'total')};", "    }"])]

    def refusals(self) -> list[str]:
        """Statements that turn away unseen levels, where such is the policy."""
        lines = []
        for column, field in self.field_of.items():
            spec = self.program.columns[column]
            if self.program.unseen == "error" and not spec.is_numeric:
                opening = f"refuseUnseen({literal(spec.name)}, row.{field}, "
                lines += wrapped(opening, map(literal, spec.levels), ");", last_comma=False)
        return [f"        {line}" for line in lines]

    def by_tables(self) -> list[str]:
        flat = flat_program(self.program)
        tables = Tables()
        for name in flat.LISTS:
            kind = "double" if name in ("share", "number") else "int"
            tables.add(kind, name.upper(), [repr(item) for item in getattr(flat, name)])
        answers = [repr(value) for row in flat.answers for value in row]
        tables.add("double", "ANSWERS", answers)
        tables.lines.append(f"private static final int N_VALUES = {self.program.tree.n_values};")
        tables.lines.append(f"private static final int N_WAITING = {flat.n_waiting};")
        reads = []
        for at, (column, field) in enumerate(self.field_of.items()):
            spec = self.program.columns[column]
            if spec.is_numeric:
                reads.append(f"            row.{field},")
                continue
            reads.append(f"            position(row.{field}, LEVELS_{at}),")
            tables.add_levels(f"LEVELS_{at}", [literal(level) for level in spec.levels])
        has_levels = any("position(" in line for line in reads)
        body = [self.opening(), "        double[] values = {", *reads, "        };"]
        body += self.refusals_of_positions()
        body.append("        double[] total = walk(values);")
        is_number = self.program.classes is None
        body += [f"        return {decided(is_number, 'total[0]')};", "    }"]
        helpers = [texts.POSITION] if has_levels else []
        about = [
            *TABLES_NOTE,
            "Tables stand in classes of their own, as Java bounds the size of one.",
        ]
        code = [indented([f"// {line}" for line in about]), indented(tables.lines), "\n".join(body)]
        return [*code, texts.WALK, texts.CHILD, *helpers]

    def refusals_of_positions(self) -> list[str]:
        lines = []
        for at, (column, field) in enumerate(self.field_of.items()):
            spec = self.program.columns[column]
            if self.program.unseen == "error" and not spec.is_numeric:
                said = f'{literal(spec.name)} + ": " + row.{field} + " was not seen in training"'
                lines.append(f"        if (values[{at}] < 0) {{")
                lines.append(f"            throw new IllegalArgumentException({said});")
                lines.append("        }")
        return lines


class Tables:
    """Long arrays, each in pieces that a class can hold."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.n_pieces = 0

    def add(self, kind: str, name: str, items: list[str]) -> None:
        pieces = ", ".join(self.piece(kind, piece) for piece in pieces_of(items))
        self.lines.append(f"private static final {kind}[] {name} = join({pieces});")

    def add_levels(self, name: str, items: list[str]) -> None:
        pieces = ", ".join(self.piece("Object", piece) for piece in pieces_of(items))
        kind = "java.util.Map<Object, Integer>"
        self.lines.append(f"private static final {kind} {name} = positions({pieces});")

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


def pieces_of(items: list[str]) -> Iterable[list[str]]:
    return (items[at : at + CHUNK] for at in range(0, max(len(items), 1), CHUNK))


class JavaLanguage(BraceLanguage):
    """How Java writes a tree."""

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

    def give(self, node: int) -> list[str]:
        if self.program.classes is None:
            return [f"return {self.answer(node)[0]};"]
        opening = f"return new Answer({literal(self.program.label(node))}, "
        return wrapped(opening, self.answer(node), ");", last_comma=False)

    def add(self, node: int, share: str) -> list[str]:
        share = share or "1.0"
        if self.program.classes is None:
            return [f"total += {share} * {self.answer(node)[0]};"]
        return wrapped(f"add(total, {share}, ", self.answer(node), ");", last_comma=False)


# ---------------------------------------------------------------------------- words of Java


def indented(lines: Sequence[str]) -> str:
    return "\n".join(f"    {line}" if line else "" for line in lines)


def method(name: str, kind: str, result: str, about: str) -> str:
    return (
        f"    /** {about} */\n    public static {kind} {name}(Row row) {{\n"
        f"        return {result};\n    }}"
    )


def decided(is_number: bool, total: str) -> str:  # noqa: FBT001 -- reads as a word
    return total if is_number else "new Answer(CLASSES.get(decide(total)), total)"


def class_type(classes: tuple[Any, ...]) -> str:
    match classes[0]:
        case str():
            return "String"
        case bool():
            return "Boolean"
        case int():
            return "Long"
        case _:
            return "Double"


def literal(value: Any) -> str:
    """A label, level or name as Java reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            raise ExportError(
                f"a text of {len(value)} letters is too long for Java: {value[:40]!r}...",
                hint=f"keep levels and classes below {LONGEST_TEXT} letters",
            )
        return f'"{"".join(map(letter, value))}"'
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ExportError(f"{value} does not fit a long of Java", hint="use strings instead")
        return f"{value}L"
    return repr(value)


def letter(one: str) -> str:
    """A letter of a text; what cannot be printed becomes its units of UTF-16."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if one in escapes or one.isprintable():
        return escapes.get(one, one)
    units = one.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
