"""Python: a module that adds up many trees and needs nothing but Python itself."""

import re
from collections.abc import Callable

from treewright.data.table import Table
from treewright.exports.languages import python_texts as texts
from treewright.exports.languages.language import comment_lines, filled, indented
from treewright.exports.languages.python_code import (
    assigned,
    function,
    literal,
    run_module,
    tuple_of,
)
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
    code = "\n\n\n".join(
        [
            "\n".join(constants(program)),
            *functions_for_users(program),
            prediction(program),
            SCORES.replace("ADDED", added(program)).replace("DIVIDED", divided(program)),
            *read_values(program),
        ]
    )
    helpers = called_by(code)
    top = comment_lines(header_lines(program, "None or NaN where a value is missing"), "#")
    imports = "from ctypes import c_float\n" if program.in_float32 else ""
    imports += "from math import ldexp\n" if "ldexp(" in "".join(helpers) else ""
    imports += "\n" if imports else ""
    return f"{top}\n\n{imports}" + "\n\n\n".join([code, *helpers, tables(program)]) + "\n"


def constants(program: SumProgram) -> list[str]:
    lines = assigned("START", map(repr, program.start.tolist()))
    if program.classes is not None:
        lines += assigned("CLASSES", map(literal, program.classes))
    if program.costs is not None:
        lines.append("# COSTS[i][j]: the price of true class i predicted as j")
        lines += assigned("COSTS", [tuple_of(map(repr, row)) for row in program.costs.tolist()])
    return lines


def tables(program: SumProgram) -> str:
    lines = [comment_lines(program.tables.notes, "#")]
    for name, _, items in program.tables.lists('float("inf")'):
        lines += assigned(name.upper(), items)
    if program.tables.sides:
        lines += assigned("SIDES", map(literal, program.tables.sides))
    return "\n".join(lines)


def functions_for_users(program: SumProgram) -> list[str]:
    code = {"score": "_values_of(row)[0]", "predict_proba": "_values_of(row)"}
    if program.classes is None:
        code["predict"] = "_values_of(row)[0]"
    elif program.link == "isolation":
        code["predict"] = f"1 if score(row) - {program.offset!r} >= 0 else -1"
    else:
        code["predict"] = "_decide(_values_of(row))"
    words = public_functions(program, "a row, which maps column names to values")
    return [function(name, code[name], about) for name, about in words.items()]


def prediction(program: SumProgram) -> str:
    """`_values_of(row)`: what the scores stand for."""
    lines = ["scores = _scores(row)"]
    f = rounding(program)
    limit = LARGEST_FLOAT32_SCORE if program.in_float32 else LARGEST_SCORE
    odds = f(f"_exp(min(-SCORE, {limit!r}))")
    second = f(f"1.0 / ({f('1.0 + ' + odds)})")
    if program.link == "exponential":
        lines.append(f"return [{f(f'_exp(min(scores[0], {LARGEST_SCORE!r}))')}]")
    elif program.link == "signed_square":
        lines.append("return [scores[0] * abs(scores[0])]")
    elif program.link == "logistic":
        lines.append(f"second = {second.replace('SCORE', 'scores[0]')}")
        lines.append(f"return [{f('1.0 - second')}, second]")
    elif program.link == "logistic_each":
        lines.append(f"return [{second.replace('SCORE', 'score')} for score in scores]")
    elif program.link == "step":
        lines.append("return [0.0, 1.0] if scores[0] > 0 else [1.0, 0.0]")
    elif program.link == "softmax":
        powers = [f"powers[{at}]" for at in range(program.n_scores)]
        total = " + ".join(powers) if program.in_float32 else sum_text(powers)
        lines += [
            "largest = max(scores)",
            f"powers = [{f('_exp(' + f('score - largest') + ')')} for score in scores]",
            f"total = {f(total)}",
            f"return [{f('power / total')} for power in powers]",
        ]
    elif program.link == "linear":
        lines += ["values = _values(row)", "total = scores[0]"]
        for at, (place, term) in enumerate(program.placed_terms, start=1):
            known = f"_filled(values[{place}], {term.fill!r})"
            if term.sides:
                known = f"_is_among(values[{place}], {term.sides!r})"
            lines.append(f"total += scores[{at}] * {known}")
        lines.append("return [total]")
    elif program.link == "isolation":
        lines.append(f"return [-_exp2(-(scores[0] / {program.usual_depth!r}))]")
    else:
        lines.append("return scores")
    return "\n".join(["def _values_of(row):", *indented(lines)])


def added(program: SumProgram) -> str:
    """The statements that add a leaf to the scores."""
    one = f"scores[tree % {program.n_scores}]" if program.n_scores > 1 else "scores[0]"
    if program.tables.leaves:
        body = ["for at in range(len(scores)):", "    scores[at] += LEAVES[CHILD[node] + at]"]
    elif program.in_float32:
        body = [f"{one} = _float32({one} + NUMBER[node])"]
    else:
        body = [f"{one} += NUMBER[node]"]
    return "\n".join(indented(body, 2)).lstrip()


def divided(program: SumProgram) -> str:
    each = "score" if program.divisor == 1 else f"score / {program.divisor!r}"
    each = each if program.scale == 1 else f"{each} * {program.scale!r}"
    return "scores" if each == "score" else f"[{each} for score in scores]"


def rounding(program: SumProgram) -> Callable[[str], str]:
    """Writes an expression that is rounded as the model rounds it."""
    return (lambda text: f"_float32({text})") if program.in_float32 else str


def read_values(program: SumProgram) -> list[str]:
    """`_values(row)`: numbers, and positions of levels."""
    reads, levels = [], []
    for column in program.used_columns:
        spec = program.columns[column]
        name = literal(spec.name)
        if spec.is_numeric:
            reads.append(f"_number(row[{name}]),")
            continue
        reads.append(f"_position({name}, row[{name}]),")
        levels += [f"{name}: (", *indented(filled(map(literal, spec.levels))), "),"]
    values = "\n".join(["def _values(row):", "    return (", *indented(reads, 2), "    )"])
    if not levels:
        return [values]
    position = texts.POSITION_OR_ERROR if program.unseen == "error" else texts.POSITION
    return [values, position, "\n".join(["LEVELS = {", *indented(levels), "}", texts.CODES])]


def called_by(code: str) -> list[str]:
    """The small functions that the code calls, and those that they call."""
    found: list[str] = []
    for name, text in HELPERS.items():
        if re.search(rf"\b{name}\(", "\n".join([code, *found])):
            found.append(
                text if name != "_decide" or "COSTS" not in code else texts.DECIDE_BY_COSTS
            )
    return found


SCORES = """\
def _scores(row):
    values = _values(row)
    scores = list(START)
    for tree, node in enumerate(ROOT):
        while QUESTION[node] >= 0:
            question = QUESTION[node]
            value = values[question >> 2]
            if value != value:  # missing
                right = question & 1
            elif question & 2:
                right = SIDES[int(NUMBER[node])][value + 1] == "1"
            else:
                right = value > NUMBER[node]
            node = CHILD[node] + right
        ADDED
    return DIVIDED"""

DECIDE = """\
def _decide(probabilities):
    return CLASSES[probabilities.index(max(probabilities))]"""

FILLED = """\
def _filled(value, fill):
    return value if value == value else fill"""

IS_AMONG = """\
def _is_among(position, sides):
    # sides: 0 or 1 for a level that is missing or was not seen, then for each other one
    return 1.0 if sides[position + 1 if position == position else 0] == "1" else 0.0"""

FLOAT32 = """\
def _float32(x):
    return c_float(x).value"""

EXP = f"""\
def _exp(x):
    # From plain arithmetic: the C library's exp differs between machines.
    x = min(max(x, -746.0), 710.0)
    n = x * {exp.PER_POWER!r} + {exp.ROUNDING!r} - {exp.ROUNDING!r}
    return ldexp(_exp_near_zero(x - n * {exp.LOG_2_HIGH!r} - n * {exp.LOG_2_LOW!r}), int(n))"""

EXP2 = f"""\
def _exp2(x):
    x = min(max(x, -1076.0), 1024.0)
    n = x + {exp.ROUNDING!r} - {exp.ROUNDING!r}
    return ldexp(_exp_near_zero((x - n) * {exp.LOG_2!r}), int(n))"""

EXP_NEAR_ZERO = f"""\
def _exp_near_zero(r):
    r2 = r * r
    even = {exp.horner(exp.EVEN, "r2")}
    odd = {exp.horner(exp.ODD, "r2")}
    return 1.0 + (r + r2 * (even + r * odd))"""

# By name; each may call those after it.
HELPERS = {
    "_decide": DECIDE,
    "_number": texts.NUMBER,
    "_float32": FLOAT32,
    "_filled": FILLED,
    "_is_among": IS_AMONG,
    "_exp": EXP,
    "_exp2": EXP2,
    "_exp_near_zero": EXP_NEAR_ZERO,
}


def run(code: str | bytes, program: SumProgram, rows: Table) -> Predictions:
    """Execute the module in this process and predict every row."""
    is_isolation = program.link == "isolation"
    return run_module(code, program, rows, "score" if is_isolation else "predict_proba")
