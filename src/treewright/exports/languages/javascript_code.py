"""JavaScript: a module of ES 2015 with `predict` and `predictProba`, for browsers and Node."""

import json
import re
from typing import Any

from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.compiled import SECONDS_TO_RUN, kind_of, row_lines, run_program
from treewright.exports.languages import javascript_texts as texts
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import JAVASCRIPT_WORDS, column_names
from treewright.exports.languages.language import Language, comment_lines, indented, wrapped
from treewright.exports.languages.nested import nested_lines
from treewright.exports.notes import header_lines
from treewright.exports.program import Exported, Predictions, Program

LARGEST_EXACT = 2**53


def write(program: Program, *, form: str = "auto") -> str:
    """The source of a module; `form` is as for Python."""
    source = JavaScriptSource(program, form)
    code = "\n\n".join([*source.public_functions(), *source.body()])
    called = [text for name, text in texts.HELPERS.items() if re.search(rf"\b{name}\(", code)]
    header = comment_lines(header_lines(program, "null, undefined or NaN where one is missing"))
    parts = [header, *source.constants(), code, *called]
    return "\n\n".join(parts) + "\n"


def run(
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """Let Node predict every row; `form` makes no difference."""
    return run_module(code, program, rows, timeout)


def run_module(code: str, program: Exported, rows: Table, timeout: float) -> Predictions:
    """What the functions of a module return in Node."""
    specs = [program.columns[column] for column in program.used_columns]
    columns = ", ".join(f"[{literal(spec.name)}, {literal(kind_of(spec))}]" for spec in specs)
    files = {"tree.mjs": code, "main.mjs": texts.MAIN.replace("COLUMNS", f"[{columns}]")}
    lines = row_lines(program, rows, "utf-16-be")
    commands = [("node", "main.mjs")]
    return run_program(program, files, commands, lines, timeout)


class JavaScriptSource(Language):
    """The parts of a module."""

    DECIDE = (texts.DECIDE, texts.DECIDE_BY_COSTS)

    def __init__(self, program: Program, form: str) -> None:
        super().__init__(program, column_names(program, JAVASCRIPT_WORDS, style="camel"), form)

    def constants(self) -> list[str]:
        classes, costs = self.program.classes, self.program.costs
        if classes is None:
            return []
        lines = wrapped("export const CLASSES = [", map(literal, classes), "];")
        if self.chooses_class and costs is not None:
            lines.append("// COSTS[i][j]: the price of true class i predicted as j")
            prices = [f"[{', '.join(map(repr, row))}]" for row in costs.tolist()]
            lines += wrapped("const COSTS = [", prices, "];")
        return ["\n".join(lines)]

    def public_functions(self) -> list[str]:
        about = "a row: an object whose keys are column names"
        if self.is_number:
            return [function("predict", "prediction(row)", f"The number for {about}.")]
        order = "The probability of each of CLASSES, in their order."
        return [
            function("predict", "prediction(row).label", f"The class of {about}."),
            function("predictProba", "prediction(row).probabilities", order),
        ]

    def result(self, number: str) -> str:
        value = number if self.is_number else "{ label: decide(total), probabilities: total }"
        return f"return {value};"

    def ifs(self) -> list[str]:
        reads = []
        for column, name in self.name_of.items():
            spec = self.program.columns[column]
            kind = "number" if spec.is_numeric else "level"
            reads.append(f"const {name} = {kind}({member(spec.name)});")
            if self.refuses and not spec.is_numeric:
                opening = f"refuseUnseen({literal(spec.name)}, {name}, ["
                reads += wrapped(opening, map(literal, spec.levels), "]);")
        start = (
            f"{'let total = 0.0' if self.is_number else 'const total = CLASSES.map(() => 0.0)'};"
        )
        body = nested_lines(self, start=start, result=self.result("total"))
        return ["\n".join(["function prediction(row) {", *indented(reads), *body, "}"])]

    def tables(self) -> list[str]:
        lines = [comment_lines(TABLES_NOTE)]
        for name, _, items in flat_program(self.program).tables():
            lines += wrapped(f"const {name.upper()} = [", items, "];")
        lines.append(f"const N_VALUES = {self.program.n_values};")
        reads, levels = [], []
        for column in self.program.used_columns:
            spec = self.program.columns[column]
            name, value = literal(spec.name), member(spec.name)
            if spec.is_numeric:
                reads.append(f"number({value}),")
                continue
            reads.append(f"position(level({value}), {name}),")
            levels += wrapped(f"[{name}, [", map(literal, spec.levels), "]],")
        helpers = []
        if levels:
            lines += ["const LEVELS = [", *indented(levels), "];", texts.POSITIONS]
            helpers.append(texts.POSITION_OR_ERROR if self.refuses else texts.POSITION)
        body = ["const total = walk([", *indented(reads), "]);", self.result("total[0]")]
        walk = "\n".join(["function prediction(row) {", *indented(body), "}"])
        return ["\n".join(lines), walk, texts.WALK, texts.CHILD, *helpers]

    # How JavaScript writes the statements of a tree.

    def level_test(self, column: int, level: Any) -> str:
        return f"{self.name_of[column]} === {literal(level)}"

    def is_missing(self, column: int) -> str:
        name = self.name_of[column]
        is_number = self.program.columns[column].is_numeric
        return f"Number.isNaN({name})" if is_number else f"{name} === null"

    def is_branch(self, name: str, number: int) -> str:
        return f"{name} === {number}"

    def declare_branch(self, name: str) -> str:
        return f"let {name};"

    def declare_shares(self, names: list[str]) -> list[str]:
        return [f"let {' = 0.0, '.join(names)} = 0.0;"]

    def return_values(self, node: int) -> list[str]:
        if self.is_number:
            return [f"return {self.values(node)[0]};"]
        label = literal(self.program.label(node))
        return wrapped(f"return {{ label: {label}, probabilities: [", self.values(node), "] };")


def function(name: str, result: str, about: str) -> str:
    return f"// {about}\nexport function {name}(row) {{\n    return {result};\n}}"


def literal(value: Any) -> str:
    """A string, number or boolean in JavaScript syntax."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=not value.isprintable())
    if isinstance(value, int) and abs(value) > LARGEST_EXACT:
        raise ExportError(
            f"{value} is beyond the whole numbers that JavaScript holds exactly",
            hint="use strings as classes and levels",
        )
    return json.dumps(value)


def member(name: str) -> str:
    """The value of a column: `row.outlook`, `row["petal width"]`."""
    if name == "__proto__":
        raise ExportError(
            "a column of JavaScript cannot be called `__proto__`", hint="rename the column"
        )
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)
    return f"row.{name}" if plain else f"row[{literal(name)}]"
