"""C99: one source file that allocates nothing."""

import re
from collections.abc import Iterable
from typing import Any

from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.errors import ExportError, ParameterError
from treewright.exports.compiled import (
    SECONDS_TO_ANSWER,
    kind_of,
    read_answers,
    row_lines,
    run_files,
)
from treewright.exports.languages import c_texts as texts
from treewright.exports.languages.braces import BraceLanguage, beside, comment_lines, wrapped
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import C_WORDS, identifiers
from treewright.exports.languages.nested import decides_late, nested_lines, written_as_ifs
from treewright.exports.notes import column_note, header_lines
from treewright.exports.program import Answers, Program
from treewright.exports.routes import Unseen

LARGEST_EXACT = 2**53
COMPILE = ("gcc", "-std=c99", "-O1", "-o", "tree", "tree.c", "-lm")
FIELD_TYPES = {
    "number": "double ",
    "integer": "double ",
    "boolean": "int ",
    "string": "const char *",
}
MISSING_WORDS = "NAN where a number or integer is missing, -1 for a boolean, NULL for a text"


def write(program: Program, *, form: str = "auto", name: str = "tree") -> str:
    """The source. What it defines for others begins with `name`; `form` is as for Python."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ParameterError(f"{name!r} is no name for C", hint="use letters, digits and _")
    writer = CWriter(program, name)
    by_ifs = written_as_ifs(program, form)
    body = writer.by_ifs() if by_ifs else writer.by_tables()
    code = "\n\n".join([*body, *writer.label_alone()])
    decides = decides_late(program, by_ifs=by_ifs)
    parts = [*writer.top(with_costs=decides), *helpers_for(code, program), code]
    return "\n\n".join(parts) + "\n"


def helpers_for(code: str, program: Program) -> list[str]:
    """The small functions that the code calls, and those that they call."""
    decide = texts.DECIDE if program.tree.costs is None else texts.DECIDE_BY_COSTS
    called: list[str] = []
    for name, text in reversed((texts.HELPERS | {"decide": decide}).items()):
        if re.search(rf"\b{name}\(", "\n".join([code, *called])):
            called.insert(0, text)
    return called


def run(  # noqa: PLR0913 -- the options of the format
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    name: str = "tree",
    timeout: float = SECONDS_TO_ANSWER,
) -> Answers:
    """Compile with gcc and ask for every row; any `form` runs alike."""
    reads = [
        f"        row.{field} = read_{kind_of(program.columns[column])}(next_field(&rest));"
        for column, field in fields_of(program).items()
    ]
    answer = texts.ANSWER_NUMBER if program.classes is None else texts.ANSWER_CLASS
    main = texts.MAIN.replace("ANSWER_ROW", answer).replace("NAME", name)
    files = {"tree.c": f"{code}\n" + main.replace("READ_ROW", "\n".join(reads))}
    given = row_lines(program, rows)
    commands = [COMPILE, ("./tree",)]
    output = run_files(files, commands, given, language="C", timeout=timeout)
    return read_answers(program, output)


def fields_of(program: Program) -> dict[int, str]:
    """Used column -> member of the struct."""
    used = program.used_columns
    names = identifiers([program.columns[column].name for column in used], C_WORDS)
    return dict(zip(used, names, strict=True))


class CWriter:
    """The parts of a file."""

    def __init__(self, program: Program, name: str) -> None:
        self.program = program
        self.name = name
        self.field_of = fields_of(program)
        members = {column: f"row->{field}" for column, field in self.field_of.items()}
        texts_of = [str(label) for label in program.classes or ()]
        names = identifiers(texts_of, style="upper", noun="class")
        self.labels = [f"{name.upper()}_{label}" for label in names]
        self.language = CLanguage(program, members, self.labels)
        self.refusal = "NAN" if program.classes is None else "-1"

    def top(self, *, with_costs: bool) -> list[str]:
        header = comment_lines([*header_lines(self.program, MISSING_WORDS)])
        includes = "#include <math.h>\n#include <stddef.h>\n#include <string.h>"
        return [header, includes, self.row_struct(), self.constants(with_costs=with_costs)]

    def row_struct(self) -> str:
        members = [
            f"    {FIELD_TYPES[kind_of(spec)]}{field};{beside(column_note(spec))}"
            for spec, field in self.columns()
        ]
        members = members or ["    int no_column_is_asked;"]
        return "\n".join([f"struct {self.name}_row {{", *members, "};"])

    def columns(self) -> Iterable[tuple[ColumnSpec, str]]:
        return ((self.program.columns[column], field) for column, field in self.field_of.items())

    def constants(self, *, with_costs: bool) -> str:
        classes = self.program.classes
        lines = [f"enum {{ N_VALUES = {self.program.tree.n_values} }};"]
        if classes is not None:
            lines += wrapped(f"enum {self.name}_class {{", self.labels, "};")
            kind = f"const {class_type(classes)}{self.name}_classes[{len(classes)}]"
            lines += wrapped(f"{kind} = {{", map(literal, classes), "};")
        costs = self.program.tree.costs
        if with_costs and costs is not None:
            prices = [repr(price) for price in costs.ravel().tolist()]
            lines.append("// The price of each true class, predicted as each.")
            lines += array("double", "costs", prices)
        return "\n".join(lines)

    def by_ifs(self) -> list[str]:
        lines = [self.opening()]
        lines += [f"    {line}" for line in self.refusals()]
        if not self.program.splits_rows:
            lines += nested_lines(self.program, self.language)
            return ["\n".join([*lines, "}"])]
        if self.program.classes is None:
            lines.append("    double total = 0.0;")
        else:
            lines.append("    double *const total = probabilities;")
            lines.append("    for (int at = 0; at < N_VALUES; at++) total[at] = 0.0;")
        lines += nested_lines(self.program, self.language)
        lines.append(f"    return {'total' if self.program.classes is None else 'decide(total)'};")
        return ["\n".join([*lines, "}"])]

    def opening(self) -> str:
        row = f"const struct {self.name}_row *row"
        if self.program.classes is None:
            return (
                f"// The number for a row{self.or_refused()}.\ndouble {self.name}_predict({row}) {{"
            )
        return (
            f"// Fills probabilities[{self.program.tree.n_values}]; returns the class as an index "
            f"into {self.name}_classes{self.or_refused()}.\n"
            f"int {self.name}_predict_proba({row}, double *probabilities) {{"
        )

    def or_refused(self) -> str:
        refuses = self.program.unseen == "error"
        return f", {self.refusal} if a level was not seen in training" if refuses else ""

    def refusals(self) -> list[str]:
        """Statements that turn away unseen levels, where such is the policy."""
        if self.program.unseen != "error":
            return []
        tests = [
            Unseen(column, self.program.columns[column].levels)
            for column in self.field_of
            if not self.program.columns[column].is_numeric
        ]
        return [
            line
            for test in tests
            for line in f"if ({self.language.condition((test,))}) return {self.refusal};".split(
                "\n"
            )
        ]

    def label_alone(self) -> list[str]:
        if self.program.classes is None:
            return []
        return [
            f"// The class of a row as an index into {self.name}_classes{self.or_refused()}.\n"
            f"int {self.name}_predict(const struct {self.name}_row *row) {{\n"
            "    double probabilities[N_VALUES];\n"
            f"    return {self.name}_predict_proba(row, probabilities);\n"
            "}"
        ]

    def by_tables(self) -> list[str]:
        flat = flat_program(self.program)
        lines = [comment_lines(TABLES_NOTE)]
        for table in flat.LISTS:
            kind = "double" if table in ("share", "number") else "int"
            lines += array(kind, table, map(repr, getattr(flat, table)))
        lines += array("double", "answers", [repr(value) for row in flat.answers for value in row])
        lines.append(
            f"enum {{ N_WAITING = {flat.n_waiting} }};  // parts of a row at once, at most"
        )
        reads = [line for at, column in enumerate(self.field_of) for line in self.read(at, column)]
        body = [self.opening(), f"    double values[{max(len(self.field_of), 1)}];"]
        body += [f"    {line}" for line in reads]
        if self.program.classes is None:
            body += ["    double total;", "    walk(values, &total);", "    return total;", "}"]
        else:
            body += ["    walk(values, probabilities);", "    return decide(probabilities);", "}"]
        return ["\n".join(lines), *self.level_tables(), texts.CHILD, texts.WALK, "\n".join(body)]

    def read(self, at: int, column: int) -> list[str]:
        """Statements that put the number of a column in its place."""
        spec, member = self.program.columns[column], f"row->{self.field_of[column]}"
        if spec.is_numeric:
            return [f"values[{at}] = {member};"]
        levels = f"levels_{at}, {len(spec.levels)}"
        match kind_of(spec):
            case "string":
                line = f"values[{at}] = position_of({member}, {levels});"
            case "integer":
                line = f"values[{at}] = position_among({member}, {levels});"
            case _:
                known = f"{member} < 0 ? NAN : {member}"
                line = f"values[{at}] = position_among({known}, {levels});"
        refuses = self.program.unseen == "error"
        return [line, f"if (values[{at}] < 0) return {self.refusal};"] if refuses else [line]

    def level_tables(self) -> list[str]:
        tables = []
        for at, column in enumerate(self.field_of):
            spec = self.program.columns[column]
            if spec.is_numeric:
                continue
            if kind_of(spec) == "string":
                order = sorted(range(len(spec.levels)), key=lambda code: encoded(spec.levels[code]))
                items = [f"{{{literal(spec.levels[code])}, {code}}}" for code in order]
                tables += array("struct level", f"levels_{at}", items)
            else:
                tables += array("double", f"levels_{at}", map(level_number, spec.levels))
        return ["\n".join(tables)] if tables else []


class CLanguage(BraceLanguage):
    """How C writes a tree."""

    def __init__(self, program: Program, name_of: dict[int, str], labels: list[str]) -> None:
        super().__init__(program, name_of)
        self.labels = labels

    def level_test(self, column: int, level: Any) -> str:
        name = self.name_of[column]
        match kind_of(self.program.columns[column]):
            case "string":
                return f"is({name}, {literal(level)})"
            case "integer":
                return f"{name} == {level_number(level)}"
            case _:
                return f"{name} == {int(level)}"

    def is_missing(self, column: int) -> str:
        name = self.name_of[column]
        match kind_of(self.program.columns[column]):
            case "string":
                return f"{name} == NULL"
            case "boolean":
                return f"{name} < 0"
            case _:
                return f"isnan({name})"

    def sum_of(self, terms: Any) -> str:
        return " + ".join(f"times({weight!r}, {self.name_of[column]})" for column, weight in terms)

    def declare_branch(self, name: str) -> str:
        return f"int {name};"

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"double {' = 0.0, '.join(names)} = 0.0;"]

    def give(self, node: int) -> list[str]:
        if self.program.classes is None:
            return [f"return {self.answer(node)[0]};"]
        label = self.labels[self.program.tree.node_class[node]]
        opening = f"return leaf(probabilities, {label}, (const double[]){{"
        return wrapped(opening, self.answer(node), "});")

    def add(self, node: int, share: str) -> list[str]:
        share = share or "1.0"
        if self.program.classes is None:
            return [f"total += times({share}, {self.answer(node)[0]});"]
        return wrapped(f"add(total, {share}, (const double[]){{", self.answer(node), "});")


# ---------------------------------------------------------------------------- words of C


def array(kind: str, name: str, items: Iterable[str]) -> list[str]:
    items = list(items) or ["0"]  # C has no empty arrays
    return wrapped(f"static const {kind} {name}[{len(items)}] = {{", items, "};")


def class_type(classes: tuple[Any, ...]) -> str:
    match classes[0]:
        case str():
            return "char *const "
        case bool():
            return "int "
        case int():
            return "long long "
        case _:
            return "double "


def literal(value: Any) -> str:
    """A label or level as C reads it."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        return f'"{"".join(map(letter, carried(value)))}"'
    if isinstance(value, int) and not -(2**63) < value < 2**63:
        raise ExportError(f"the class {value} does not fit a long long of C")
    return f"{value}LL" if isinstance(value, int) and abs(value) >= 2**31 else repr(value)


def level_number(level: Any) -> str:
    """An integer level as the double that C is given for it."""
    if abs(int(level)) > LARGEST_EXACT:
        raise ExportError(
            f"the level {level} is beyond what a double holds exactly",
            hint="use strings as levels",
        )
    return repr(float(level))


def carried(text: str) -> str:
    """The text, if C can hold it."""
    if "\0" in text:
        raise ExportError(
            f"C ends a text at \\0, and {text!r} has one", hint="give it another name"
        )
    encoded(text)
    return text


def encoded(text: Any) -> bytes:
    try:
        return str(text).encode("utf-8")
    except UnicodeEncodeError:
        raise ExportError(f"{text!r} is no valid Unicode, which a text in C must be") from None


def letter(one: str) -> str:
    """A letter of a text; what cannot be printed, and `?` for the sake of trigraphs, escaped."""
    if one in '"\\?':
        return "\\" + one
    if one.isprintable():
        return one
    return "".join(f"\\{byte:03o}" for byte in one.encode("utf-8"))
