"""C99: one source file that allocates nothing."""

import re
from collections.abc import Iterable
from typing import Any

from treewright.data.table import Table
from treewright.errors import ExportError, ParameterError
from treewright.exports.compiled import SECONDS_TO_RUN, kind_of, row_lines, run_program
from treewright.exports.languages import c_texts as texts
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import C_WORDS, column_names, identifiers
from treewright.exports.languages.language import (
    Language,
    comment_lines,
    indented,
    utf8,
    wrapped,
)
from treewright.exports.languages.nested import nested_lines
from treewright.exports.notes import column_note, header_lines
from treewright.exports.program import Predictions, Program
from treewright.exports.routes import Unseen

LARGEST_EXACT = 2**53
COMPILE = ("gcc", "-std=c99", "-O1", "-o", "tree", "tree.c", "-lm")
FIELD_TYPES = {
    "number": "double ",
    "integer": "double ",
    "boolean": "int ",
    "string": "const char *",
}
CLASS_TYPES = {str: "char *const ", bool: "int ", int: "long long ", float: "double "}
MISSING_WORDS = "NAN where a number or integer is missing, -1 for a boolean, NULL for a text"


def write(program: Program, *, form: str = "auto", name: str = "tree") -> str:
    """The source. Names that it defines for others begin with `name`; `form` is as for Python."""
    source = CSource(program, form, checked_name(name))
    body = source.ifs() if source.by_ifs else source.tables()
    code = "\n\n".join([*body, *source.label_alone()])
    return "\n\n".join([*source.top(), *source.helpers_for(code), code]) + "\n"


def checked_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ParameterError(f"{name!r} is not a name in C", hint="use letters, digits and _")
    return name


def run(  # noqa: PLR0913 -- the options of the format
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    name: str = "tree",
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """Compile with gcc and predict every row; `form` makes no difference."""
    reads = [
        f"        row.{field} = read_{kind_of(program.columns[column])}(next_field(&rest));"
        for column, field in column_names(program, C_WORDS).items()
    ]
    printing = texts.PRINT_NUMBER if program.classes is None else texts.PRINT_CLASS
    main = texts.MAIN.replace("PRINT_ROW", printing).replace("NAME", name)
    files = {"tree.c": f"{code}\n" + main.replace("READ_ROW", "\n".join(reads))}
    commands = [COMPILE, ("./tree",)]
    return run_program(program, files, commands, row_lines(program, rows), timeout)


class CSource(Language):
    """The parts of a file."""

    DECIDE = (texts.DECIDE, texts.DECIDE_BY_COSTS)
    ADD = ("add(total, {}, (const double[]){{", "});")

    def __init__(self, program: Program, form: str, name: str) -> None:
        self.field_of = column_names(program, C_WORDS)
        members = {column: f"row->{field}" for column, field in self.field_of.items()}
        super().__init__(program, members, form)
        self.name = name
        classes = [str(label) for label in program.classes or ()]
        names = identifiers(classes, style="upper", noun="class")
        self.labels = [f"{name.upper()}_{label}" for label in names]
        self.refusal = "NAN" if self.is_number else "-1"

    def helpers_for(self, code: str) -> list[str]:
        """The small functions that the code calls, and those that they call."""
        called: list[str] = []
        for name, text in reversed(self.helpers().items()):
            if re.search(rf"\b{name}\(", "\n".join([code, *called])):
                called.insert(0, text)
        return called

    def helpers(self) -> dict[str, str]:
        """Small functions by name; each may call those before it."""
        return texts.HELPERS | {"decide": self.decide()}

    def top(self) -> list[str]:
        header = comment_lines(header_lines(self.program, MISSING_WORDS))
        includes = "#include <math.h>\n#include <stddef.h>\n#include <string.h>"
        return [header, includes, self.row_struct(), self.constants()]

    def row_struct(self) -> str:
        members = []
        for column, field in self.field_of.items():
            spec = self.program.columns[column]
            note = self.beside(column_note(spec))
            members.append(f"    {FIELD_TYPES[kind_of(spec)]}{field};{note}")
        members = members or ["    int no_column_is_asked;"]
        return "\n".join([f"struct {self.name}_row {{", *members, "};"])

    def constants(self) -> str:
        lines = [f"enum {{ N_VALUES = {self.program.n_values} }};"]
        return "\n".join(lines if self.is_number else [*lines, *self.class_lines()])

    def class_lines(self) -> list[str]:
        """The names of the classes, and their prices if there are any."""
        classes, costs = self.program.classes, self.program.costs
        assert classes is not None
        lines = wrapped(f"enum {self.name}_class {{", self.labels, "};")
        kind = f"const {CLASS_TYPES[type(classes[0])]}{self.name}_classes[{len(classes)}]"
        lines += wrapped(f"{kind} = {{", map(literal, classes), "};")
        if self.chooses_class and costs is not None:
            lines.append("// The price of each true class, predicted as each.")
            lines += array("double", "costs", map(repr, costs.ravel().tolist()))
        return lines

    def ifs(self) -> list[str]:
        start, result = "double total = 0.0;", "return total;"
        if not self.is_number:
            start = "double *const total = probabilities;\n"
            start += "for (int at = 0; at < N_VALUES; at++) total[at] = 0.0;"
            result = "return decide(total);"
        body = nested_lines(self, start=start, result=result)
        return ["\n".join([self.opening(), *self.refusals(), *body, "}"])]

    def opening(self) -> str:
        row = f"const struct {self.name}_row *row"
        if self.is_number:
            return (
                f"// The number for a row{self.or_refused()}.\ndouble {self.name}_predict({row}) {{"
            )
        return (
            f"// Fills probabilities[{self.program.n_values}]; returns the class as an index "
            f"into {self.name}_classes{self.or_refused()}.\n"
            f"int {self.name}_predict_proba({row}, double *probabilities) {{"
        )

    def or_refused(self) -> str:
        return f", {self.refusal} if a level was not seen in training" if self.refuses else ""

    def refusals(self) -> list[str]:
        """Statements that refuse unseen levels, if the model does."""
        lines: list[str] = []
        for column in self.field_of:
            spec = self.program.columns[column]
            if self.refuses and not spec.is_numeric:
                test = self.condition((Unseen(column, spec.levels),))
                lines += f"if ({test}) return {self.refusal};".split("\n")
        return indented(lines)

    def label_alone(self) -> list[str]:
        """The function that returns the class only."""
        if self.is_number:
            return []
        return [
            f"// The class of a row as an index into {self.name}_classes{self.or_refused()}.\n"
            f"int {self.name}_predict(const struct {self.name}_row *row) {{\n"
            "    double probabilities[N_VALUES];\n"
            f"    return {self.name}_predict_proba(row, probabilities);\n"
            "}"
        ]

    def tables(self) -> list[str]:
        flat = flat_program(self.program)
        lines = [comment_lines(TABLES_NOTE)]
        for table, is_double, items in flat.tables():
            lines += array("double" if is_double else "int", table, items)
        lines.append(
            f"enum {{ N_WAITING = {flat.n_waiting} }};  // parts of a row at once, at most"
        )
        body = [f"double values[{max(len(self.field_of), 1)}];"]
        for at, column in enumerate(self.field_of):
            body += self.read(at, column)
        if self.is_number:
            body += ["double total;", "walk(values, &total);", "return total;"]
        else:
            body += ["walk(values, probabilities);", "return decide(probabilities);"]
        function = "\n".join([self.opening(), *indented(body), "}"])
        return ["\n".join(lines), *self.level_tables(), texts.CHILD, texts.WALK, function]

    def read(self, at: int, column: int) -> list[str]:
        """Statements that store the value of a column as a number."""
        spec, member = self.program.columns[column], self.name_of[column]
        if spec.is_numeric:
            return [f"values[{at}] = {member};"]
        function = "position_of" if kind_of(spec) == "string" else "position_among"
        known = f"{member} < 0 ? NAN : {member}" if kind_of(spec) == "boolean" else member
        line = f"values[{at}] = {function}({known}, levels_{at}, {len(spec.levels)});"
        check = [f"if (values[{at}] < 0) return {self.refusal};"] if self.refuses else []
        return [line, *check]

    def level_tables(self) -> list[str]:
        tables = []
        for at, column in enumerate(self.field_of):
            spec = self.program.columns[column]
            if spec.is_numeric:
                continue
            if kind_of(spec) == "string":
                order = sorted(
                    range(len(spec.levels)), key=lambda code: utf8(spec.levels[code], "C")
                )
                items = [f"{{{literal(spec.levels[code])}, {code}}}" for code in order]
                tables += array("struct level", f"levels_{at}", items)
            else:
                tables += array("double", f"levels_{at}", map(level_number, spec.levels))
        return ["\n".join(tables)] if tables else []

    # How C writes the statements of a tree.

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

    def product(self, one: str, other: str) -> str:
        return f"times({one}, {other})"

    def declare_branch(self, name: str) -> str:
        return f"int {name};"

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"double {' = 0.0, '.join(names)} = 0.0;"]

    def return_values(self, node: int) -> list[str]:
        if self.is_number:
            return [f"return {self.values(node)[0]};"]
        label = self.labels[self.program.tree.node_class[node]]
        opening = f"return leaf(probabilities, {label}, (const double[]){{"
        return wrapped(opening, self.values(node), "});")


def array(kind: str, name: str, items: Iterable[str]) -> list[str]:
    items = list(items) or ["0"]  # C has no empty arrays
    return wrapped(f"static const {kind} {name}[{len(items)}] = {{", items, "};")


def literal(value: Any) -> str:
    """A label or level in C syntax."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str):
        if "\0" in value:
            raise ExportError(
                f"C ends a text at \\0, and {value!r} has one", hint="give it another name"
            )
        utf8(value, "C")
        return f'"{"".join(map(escaped, value))}"'
    if isinstance(value, int) and not -(2**63) < value < 2**63:
        raise ExportError(f"the class {value} does not fit a long long in C")
    return f"{value}LL" if isinstance(value, int) and abs(value) >= 2**31 else repr(value)


def level_number(level: Any) -> str:
    """An integer level as the double that C compares it with."""
    if abs(int(level)) > LARGEST_EXACT:
        raise ExportError(
            f"the level {level} is beyond what a double holds exactly",
            hint="use strings as levels",
        )
    return repr(float(level))


def escaped(letter: str) -> str:
    """A letter of a string; unprintable ones and `?`, because of trigraphs, are escaped."""
    if letter in '"\\?':
        return "\\" + letter
    if letter.isprintable():
        return letter
    return "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8"))
