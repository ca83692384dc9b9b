"""JavaScript: a module of ES 2015 with `predict` and `predictProba`, for browsers and Node."""

import json
import re
from typing import Any

from treewright.data.table import Table
from treewright.errors import ExportError
from treewright.exports.compiled import (
    SECONDS_TO_ANSWER,
    kind_of,
    read_answers,
    row_lines,
    run_files,
)
from treewright.exports.languages import javascript_texts as texts
from treewright.exports.languages.braces import BraceLanguage, comment_lines, wrapped
from treewright.exports.languages.flat import TABLES_NOTE, flat_program
from treewright.exports.languages.identifiers import JAVASCRIPT_WORDS, identifiers
from treewright.exports.languages.nested import decides_late, nested_lines, written_as_ifs
from treewright.exports.notes import header_lines
from treewright.exports.program import Answers, Program

LARGEST_EXACT = 2**53
POSITIONS = """\
const POSITIONS = new Map(
    LEVELS.map(([name, levels]) => [name, new Map(levels.map((level, at) => [level, at]))]),
);"""


def write(program: Program, *, form: str = "auto") -> str:
    """The source of a module; `form` is as for Python."""
    by_ifs = written_as_ifs(program, form)
    body = [answer_by_ifs(program)] if by_ifs else answer_by_tables(program)
    code = "\n\n".join([*faces(program), *body])
    decides = decides_late(program, by_ifs=by_ifs)
    if decides:
        code += "\n\n" + (texts.DECIDE if program.tree.costs is None else texts.DECIDE_BY_COSTS)
    called = [text for name, text in texts.HELPERS.items() if re.search(rf"\b{name}\(", code)]
    header = comment_lines([*header_lines(program, "null, undefined or NaN where one is missing")])
    parts = [header, *constants(program, with_costs=decides), code, *called]
    return "\n\n".join(parts) + "\n"


def run(
    code: str,
    program: Program,
    rows: Table,
    *,
    form: str = "auto",
    timeout: float = SECONDS_TO_ANSWER,
) -> Answers:
    """Ask Node for every row; any `form` runs alike."""
    specs = [program.columns[column] for column in program.used_columns]
    columns = ", ".join(f"[{literal(spec.name)}, {literal(kind_of(spec))}]" for spec in specs)
    files = {"tree.mjs": code, "main.mjs": texts.MAIN.replace("COLUMNS", f"[{columns}]")}
    given = row_lines(program, rows, "utf-16-be")
    commands = [("node", "main.mjs")]
    output = run_files(files, commands, given, language="JavaScript", timeout=timeout)
    return read_answers(program, output)


def constants(program: Program, *, with_costs: bool) -> list[str]:
    lines: list[str] = []
    if program.classes is not None:
        lines += wrapped("export const CLASSES = [", map(literal, program.classes), "];")
    if with_costs and program.tree.costs is not None:
        lines.append("// COSTS[i][j]: the price of true class i predicted as j")
        prices = [f"[{', '.join(map(repr, row))}]" for row in program.tree.costs.tolist()]
        lines += wrapped("const COSTS = [", prices, "];")
    return ["\n".join(lines)] if lines else []


def faces(program: Program) -> list[str]:
    """The functions that users call."""
    about = "a row: an object whose keys are column names"
    if program.classes is None:
        return [f"// The number for {about}.\n{face('predict', 'answer(row)')}"]
    return [
        f"// The class of {about}.\n{face('predict', 'answer(row).label')}",
        "// The probability of each of CLASSES, in their order.\n"
        + face("predictProba", "answer(row).probabilities"),
    ]


def face(name: str, result: str) -> str:
    return f"export function {name}(row) {{\n    return {result};\n}}"


def answer_by_ifs(program: Program) -> str:
    used = program.used_columns
    columns = [program.columns[column] for column in used]
    names = identifiers([spec.name for spec in columns], JAVASCRIPT_WORDS, style="camel")
    language = JavaScriptLanguage(program, dict(zip(used, names, strict=True)))
    lines = ["function answer(row) {"]
    for spec, name in zip(columns, names, strict=True):
        kind = "number" if spec.is_numeric else "level"
        lines.append(f"    const {name} = {kind}({member(spec.name)});")
        if program.unseen == "error" and not spec.is_numeric:
            opening = f"refuseUnseen({literal(spec.name)}, {name}, ["
            lines += [f"    {line}" for line in wrapped(opening, map(literal, spec.levels), "]);")]
    if not program.splits_rows:
        return "\n".join([*lines, *nested_lines(program, language), "}"])
    is_number = program.classes is None
    lines.append(
        f"    {'let total = 0.0' if is_number else 'const total = CLASSES.map(() => 0.0)'};"
    )
    lines += nested_lines(program, language)
    answer = "total" if is_number else "{ label: decide(total), probabilities: total }"
    return "\n".join([*lines, f"    return {answer};", "}"])


def answer_by_tables(program: Program) -> list[str]:
    flat = flat_program(program)
    lines = [comment_lines(TABLES_NOTE)]
    for name in flat.LISTS:
        lines += wrapped(f"const {name.upper()} = [", map(repr, getattr(flat, name)), "];")
    answers = [repr(value) for row in flat.answers for value in row]
    lines += wrapped("const ANSWERS = [", answers, "];")
    lines.append(f"const N_VALUES = {program.tree.n_values};")
    reads, levels = [], []
    for column in program.used_columns:
        spec = program.columns[column]
        if spec.is_numeric:
            reads.append(f"        number({member(spec.name)}),")
            continue
        reads.append(f"        position(level({member(spec.name)}), {literal(spec.name)}),")
        levels += wrapped(f"[{literal(spec.name)}, [", map(literal, spec.levels), "]],")
    if levels:
        lines += ["const LEVELS = [", *(f"    {line}" for line in levels), "];", POSITIONS]
    result = (
        "total[0]" if program.classes is None else "{ label: decide(total), probabilities: total }"
    )
    answer = ["function answer(row) {", "    const total = walk([", *reads, "    ]);"]
    answer += [f"    return {result};", "}"]
    position = texts.POSITION_OR_ERROR if program.unseen == "error" else texts.POSITION
    helpers = [position] if levels else []
    return ["\n".join(lines), "\n".join(answer), texts.WALK, texts.CHILD, *helpers]


class JavaScriptLanguage(BraceLanguage):
    """How JavaScript writes a tree."""

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

    def give(self, node: int) -> list[str]:
        if self.program.classes is None:
            return [f"return {self.answer(node)[0]};"]
        label = literal(self.program.label(node))
        return wrapped(f"return {{ label: {label}, probabilities: [", self.answer(node), "] };")

    def add(self, node: int, share: str) -> list[str]:
        share = share or "1.0"
        if self.program.classes is None:
            return [f"total += {share} * {self.answer(node)[0]};"]
        return wrapped(f"add(total, {share}, [", self.answer(node), "]);")


def literal(value: Any) -> str:
    """A string, number or boolean as JavaScript reads it."""
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
