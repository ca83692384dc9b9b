"""JavaScript: a module of ES 2015 that adds up many trees, for browsers and Node."""

import re
from collections.abc import Callable

from treewright.data.table import Table
from treewright.exports.compiled import SECONDS_TO_RUN
from treewright.exports.languages import javascript_texts as texts
from treewright.exports.languages.javascript_code import function, literal, member, run_module
from treewright.exports.languages.language import comment_lines, indented, wrapped
from treewright.exports.notes import header_lines
from treewright.exports.program import Predictions
from treewright.exports.sums import exponential as exp
from treewright.exports.sums.program import (
    LARGEST_FLOAT32_SCORE,
    LARGEST_SCORE,
    SumProgram,
    public_functions,
    sum_text,
)


def write(program: SumProgram) -> str:
    """The source of a module: tables of nodes, and a loop over the trees."""
    header = comment_lines(header_lines(program, "null, undefined or NaN where one is missing"))
    functions = [*functions_for_users(program), values_of(program), scores(program)]
    functions += read_values(program)
    called = called_by("\n".join(functions), by_costs=program.costs is not None)
    return "\n\n".join([header, *constants(program), *functions, *called, tables(program)]) + "\n"


def run(
    code: str, program: SumProgram, rows: Table, *, timeout: float = SECONDS_TO_RUN
) -> Predictions:
    """Let Node predict every row."""
    return run_module(code, program, rows, timeout)


def constants(program: SumProgram) -> list[str]:
    if program.classes is None:
        return []
    lines = wrapped("export const CLASSES = [", map(literal, program.classes), "];")
    if program.costs is not None:
        lines.append("// COSTS[i][j]: the price of true class i predicted as j")
        prices = [f"[{', '.join(map(repr, row))}]" for row in program.costs.tolist()]
        lines += wrapped("const COSTS = [", prices, "];")
    return ["\n".join(lines)]


def tables(program: SumProgram) -> str:
    lines = [comment_lines(program.tables.notes)]
    for name, _, items in program.tables.lists("Infinity"):
        lines += wrapped(f"const {name.upper()} = [", items, "];")
    if program.tables.sides:
        lines += wrapped("const SIDES = [", map(literal, program.tables.sides), "];")
    return "\n".join(lines)


def functions_for_users(program: SumProgram) -> list[str]:
    code = {"score": "valuesOf(row)[0]", "predict_proba": "valuesOf(row)"}
    if program.classes is None:
        code["predict"] = "valuesOf(row)[0]"
    elif program.link == "isolation":
        code["predict"] = f"score(row) - {program.offset!r} >= 0 ? 1 : -1"
    else:
        code["predict"] = "decide(valuesOf(row))"
    words = public_functions(program, "a row: an object whose keys are column names")
    names = {"predict_proba": "predictProba"}
    return [function(names.get(name, name), code[name], about) for name, about in words.items()]


def values_of(program: SumProgram) -> str:
    """`valuesOf(row)`: what the scores stand for."""
    lines = ["const scores = scoresOf(row);"]
    f = rounding(program)
    limit = LARGEST_FLOAT32_SCORE if program.in_float32 else LARGEST_SCORE
    odds = f(f"powerOfE(Math.min(-SCORE, {limit!r}))")
    second = f(f"1.0 / ({f('1.0 + ' + odds)})")
    if program.link == "exponential":
        lines.append(f"return [{f(f'powerOfE(Math.min(scores[0], {LARGEST_SCORE!r}))')}];")
    elif program.link == "signed_square":
        lines.append("return [scores[0] * Math.abs(scores[0])];")
    elif program.link == "logistic":
        lines.append(f"const second = {second.replace('SCORE', 'scores[0]')};")
        lines.append(f"return [{f('1.0 - second')}, second];")
    elif program.link == "logistic_each":
        lines.append(f"return scores.map((score) => {second.replace('SCORE', 'score')});")
    elif program.link == "step":
        lines.append("return scores[0] > 0 ? [0.0, 1.0] : [1.0, 0.0];")
    elif program.link == "softmax":
        powers = [f"powers[{at}]" for at in range(program.n_scores)]
        total = " + ".join(powers) if program.in_float32 else sum_text(powers)
        power = f(f"powerOfE({f('score - largest')})")
        lines += [
            "const largest = Math.max(...scores);",
            f"const powers = scores.map((score) => {power});",
            f"const total = {f(total)};",
            f"return powers.map((power) => {f('power / total')});",
        ]
    elif program.link == "linear":
        lines += ["const values = valuesIn(row);", "let total = scores[0];"]
        for at, (place, term) in enumerate(program.placed_terms, start=1):
            known = f"filled(values[{place}], {term.fill!r})"
            if term.sides:
                known = f'isAmong(values[{place}], "{term.sides}")'
            lines.append(f"total += scores[{at}] * {known};")
        lines.append("return [total];")
    elif program.link == "isolation":
        lines.append(f"return [-powerOf2(-(scores[0] / {program.usual_depth!r}))];")
    else:
        lines.append("return scores;")
    return "\n".join(["function valuesOf(row) {", *indented(lines), "}"])


def rounding(program: SumProgram) -> Callable[[str], str]:
    """Writes an expression that is rounded as the model rounds it."""
    return (lambda text: f"Math.fround({text})") if program.in_float32 else str


def scores(program: SumProgram) -> str:
    one = f"scores[tree % {program.n_scores}]" if program.n_scores > 1 else "scores[0]"
    added = f"{one} += NUMBER[node];"
    if program.tables.leaves:
        added = "scores.forEach((_, at) => (scores[at] += LEAVES[CHILD[node] + at]));"
    elif program.in_float32:
        added = f"{one} = Math.fround({one} + NUMBER[node]);"
    each = "score" if program.divisor == 1 else f"score / {program.divisor!r}"
    each = each if program.scale == 1 else f"{each} * {program.scale!r}"
    result = "scores" if each == "score" else f"scores.map((score) => {each})"
    start = ", ".join(map(repr, program.start.tolist()))
    found = SCORES.replace("START", start).replace("ADDED", added)
    return found.replace("RESULT", result)


def read_values(program: SumProgram) -> list[str]:
    """`values(row)`: numbers, and positions of levels."""
    reads, levels = [], []
    for column in program.used_columns:
        spec = program.columns[column]
        name, value = literal(spec.name), member(spec.name)
        if spec.is_numeric:
            reads.append(f"number({value}),")
            continue
        reads.append(f"position(level({value}), {name}),")
        levels += wrapped(f"[{name}, [", map(literal, spec.levels), "]],")
    lines = ["function valuesIn(row) {", "    return [", *indented(reads, 2), "    ];", "}"]
    if not levels:
        return ["\n".join(lines)]
    position = texts.POSITION_OR_ERROR if program.unseen == "error" else texts.POSITION
    known = "\n".join(["const LEVELS = [", *indented(levels), "];", texts.POSITIONS])
    return ["\n".join(lines), known, position]


def called_by(code: str, *, by_costs: bool) -> list[str]:
    """The small functions that the code calls, and those that they call."""
    decide = texts.DECIDE_BY_COSTS if by_costs else DECIDE
    found: list[str] = []
    for name, text in ({"decide": decide} | HELPERS).items():
        if re.search(rf"\b{name}\(", "\n".join([code, *found])):
            found.append(text)
    return found


SCORES = """\
function scoresOf(row) {
    const values = valuesIn(row);
    const scores = [START];
    ROOT.forEach((root, tree) => {
        let node = root;
        while (QUESTION[node] >= 0) {
            const question = QUESTION[node];
            const value = values[question >> 2];
            let right = question & 1;
            if (!Number.isNaN(value)) {
                right = value > NUMBER[node] ? 1 : 0;
                if (question & 2) right = SIDES[NUMBER[node]][value + 1] === "1" ? 1 : 0;
            }
            node = CHILD[node] + right;
        }
        ADDED
    });
    return RESULT;
}"""

DECIDE = """\
function decide(probabilities) {
    return CLASSES[probabilities.indexOf(Math.max(...probabilities))];
}"""

POWER_OF_E = f"""\
// exp from plain arithmetic: Math.exp differs between engines.
function powerOfE(x) {{
    x = Math.min(Math.max(x, -746.0), 710.0);
    const n = x * {exp.PER_POWER!r} + {exp.ROUNDING!r} - {exp.ROUNDING!r};
    return scaled(expNearZero(x - n * {exp.LOG_2_HIGH!r} - n * {exp.LOG_2_LOW!r}), n);
}}"""

POWER_OF_2 = f"""\
function powerOf2(x) {{
    x = Math.min(Math.max(x, -1076.0), 1024.0);
    const n = x + {exp.ROUNDING!r} - {exp.ROUNDING!r};
    return scaled(expNearZero((x - n) * {exp.LOG_2!r}), n);
}}"""

EXP_NEAR_ZERO = f"""\
function expNearZero(r) {{
    const r2 = r * r;
    const even = {exp.horner(exp.EVEN, "r2")};
    const odd = {exp.horner(exp.ODD, "r2")};
    return 1.0 + (r + r2 * (even + r * odd));
}}"""

FILLED = """\
function filled(value, fill) {
    return Number.isNaN(value) ? fill : value;
}"""

IS_AMONG = """\
// sides: 0 or 1 for a level that is missing or was not seen, then for each other one.
function isAmong(position, sides) {
    return sides[Number.isNaN(position) ? 0 : position + 1] === "1" ? 1.0 : 0.0;
}"""

SCALED = """\
// x times 2 to the power of n, in two steps of which only the last may round.
function scaled(x, n) {
    const half = Math.floor(n / 2);
    return x * power(half) * power(n - half);
}

function power(n) {
    let found = 1.0;
    for (let left = Math.abs(n), factor = n < 0 ? 0.5 : 2.0; left > 0; factor *= factor) {
        if (left % 2 === 1) found *= factor;
        left = Math.floor(left / 2);
    }
    return found;
}"""

# By name; each may call those after it.
HELPERS = {
    "add": texts.ADD,
    "number": texts.NUMBER,
    "level": texts.LEVEL,
    "filled": FILLED,
    "isAmong": IS_AMONG,
    "powerOfE": POWER_OF_E,
    "powerOf2": POWER_OF_2,
    "expNearZero": EXP_NEAR_ZERO,
    "scaled": SCALED,
}
