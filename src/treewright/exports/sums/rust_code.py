"""Rust: a module that adds up many trees and needs no crate."""

import re
from typing import Any

from treewright.data.table import Table
from treewright.exports.compiled import SECONDS_TO_RUN, row_lines, run_program
from treewright.exports.languages import rust_code
from treewright.exports.languages import rust_texts as texts
from treewright.exports.languages.language import comment_lines, indented
from treewright.exports.languages.rust_code import RustSource, array, level_table, main_module
from treewright.exports.notes import header_lines
from treewright.exports.program import Predictions
from treewright.exports.sums import exponential as exp
from treewright.exports.sums.program import (
    LARGEST_FLOAT32_SCORE,
    LARGEST_SCORE,
    SumProgram,
    sum_text,
)


def write(program: SumProgram) -> str:
    """The source of a module."""
    source = RustSumSource(program)
    missing = "NaN where a number is missing, None where anything else is"
    parts = [comment_lines(header_lines(program, missing)), source.row_struct(), source.constants()]
    code = "\n\n".join([*source.public_functions(), *source.functions()])
    decide = texts.DECIDE_BY_COSTS if program.costs is not None else DECIDE
    called: list[str] = []
    for name, text in ({"decide": decide} | HELPERS).items():
        if re.search(rf"\b{name}\(", "\n".join([code, *called])):
            called.append(text)
    return "\n\n".join([*parts, code, *called, source.tables_of_nodes()]) + "\n"


def run(
    code: str, program: SumProgram, rows: Table, *, timeout: float = SECONDS_TO_RUN
) -> Predictions:
    """Compile with rustc and predict every row."""
    printing = PRINT_ISOLATION if program.link == "isolation" else None
    files = {"tree.rs": code, "main.rs": main_module(program, printing)}
    commands = [rust_code.COMPILE, ("./tree",)]
    return run_program(program, files, commands, row_lines(program, rows), timeout)


class RustSumSource(RustSource):
    """The parts of a module."""

    def __init__(self, program: SumProgram) -> None:
        given: Any = program  # all that its base reads is in one tree and in many
        super().__init__(given, "tables")
        self.many = program

    def constants(self) -> str:
        if self.many.link == "isolation":
            return "const N_VALUES: usize = 1;"
        return super().constants()

    def public_functions(self) -> list[str]:
        if self.is_number:
            return [self.wrapping("predict", "f64", "found[0]", "The number for a row")]
        if self.many.link == "isolation":
            about = "From -1 for the most unusual rows to 0 for the most common ones"
            usual = f"if found[0] - {self.many.offset!r} >= 0.0 {{ 1 }} else {{ -1 }}"
            return [
                self.wrapping("predict", "i64", usual, "-1 for an outlier, otherwise 1"),
                self.wrapping("score", "f64", "found[0]", about),
            ]
        about = "The probability of each of CLASSES"
        return [
            self.wrapping("predict", "Label", "decide(&found)", "The class of a row"),
            self.wrapping("predict_proba", "[f64; N_VALUES]", "found", about),
        ]

    def wrapping(self, name: str, kind: str, result: str, about: str) -> str:
        """A public function of what `values_of(row)` has found."""
        about += "; an error if a level was not seen in training" if self.refuses else ""
        mark, result = ("?", f"Ok({result})") if self.refuses else ("", result)
        lines = [
            f"/// {about}.",
            f"pub fn {name}(row: &Row) -> {self.returned(kind)} {{",
            f"    let found = values_of(row){mark};",
            f"    {result}",
            "}",
        ]
        return "\n".join(lines)

    def functions(self) -> list[str]:
        many = self.many
        reads, checks = [], []
        for at, (column, value) in enumerate(self.name_of.items()):
            if self.program.columns[column].is_numeric:
                reads.append(f"{value},")
            else:
                reads.append(f"position({value}, &LEVELS_{at}),")
                checks += self.refusal(column, f"values[{at}] < 0.0")
        body = [f"let values: [f64; {len(reads)}] = [", *indented(reads), "];"]
        body += checks if self.refuses else []
        start = ", ".join(map(repr, many.start.tolist()))
        body.append(f"let mut scores: [f64; {many.n_scores}] = [{start}];")
        body.append("add_trees(&values, &mut scores);")
        if many.divisor != 1:
            body += ["for score in scores.iter_mut() {", f"    *score /= {many.divisor!r};", "}"]
        if many.scale != 1:
            body += ["for score in scores.iter_mut() {", f"    *score *= {many.scale!r};", "}"]
        *before, result = self.from_scores()
        body += [*before, f"Ok({result})" if self.refuses else result]
        row = "row" if reads else "_row"
        head = f"fn values_of({row}: &Row) -> {self.returned('[f64; N_VALUES]')} {{"
        values = "\n".join([head, *indented(body), "}"])
        one = f"scores[tree % {many.n_scores}]"
        leaf = f"{one} += NUMBER[node];"
        if many.in_float32:
            leaf = f"{one} = ({one} + NUMBER[node]) as f32 as f64;"
        if many.tables.leaves:
            leaf = "for at in 0..scores.len() {\n"
            leaf += "            scores[at] += LEAVES[CHILD[node] as usize + at];\n        }"
        walk = ADD_TREES.replace("LEAF", leaf)
        walk = walk.replace("OF_LEVELS\n", RIGHT_OF_LEVELS if many.tables.sides else "")
        return [values, walk, *([texts.POSITION] if checks else [])]

    def from_scores(self) -> list[str]:
        many = self.many
        f = (lambda text: f"(({text}) as f32 as f64)") if many.in_float32 else str
        limit = LARGEST_FLOAT32_SCORE if many.in_float32 else LARGEST_SCORE
        odds = f(f"power_of_e((-SCORE).min({limit!r}))")
        second = f(f"1.0 / ({f('1.0 + ' + odds)})")
        if many.link == "exponential":
            return [f"[{f(f'power_of_e(scores[0].min({LARGEST_SCORE!r}))')}]"]
        if many.link == "signed_square":
            return ["[scores[0] * scores[0].abs()]"]
        if many.link == "logistic":
            one = f"let second = {second.replace('SCORE', 'scores[0]')};"
            return [one, f"[{f('1.0 - second')}, second]"]
        if many.link == "step":
            return ["if scores[0] > 0.0 { [0.0, 1.0] } else { [1.0, 0.0] }"]
        if many.link == "logistic_each":
            return [f"scores.map(|score| {second.replace('SCORE', 'score')})"]
        if many.link == "softmax":
            powers = [f"powers[{at}]" for at in range(many.n_scores)]
            total = " + ".join(powers) if many.in_float32 else sum_text(powers)
            power = f(f"power_of_e({f('score - largest')})")
            return [
                "let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);",
                f"let powers = scores.map(|score| {power});",
                f"let total = {f(total)};",
                f"powers.map(|power| {f('power / total')})",
            ]
        if many.link == "linear":
            lines = ["let mut total = scores[0];"]
            for at, (place, term) in enumerate(many.placed_terms, start=1):
                known = f"filled(values[{place}], {term.fill!r})"
                if term.sides:
                    known = f'is_among(values[{place}], b"{term.sides}")'
                lines.append(f"total += scores[{at}] * {known};")
            return [*lines, "[total]"]
        if many.link == "isolation":
            return [f"[-power_of_2(-(scores[0] / {many.usual_depth!r}))]"]
        return ["scores"]

    def tables_of_nodes(self) -> str:
        tables = self.many.tables
        lines = [comment_lines(tables.notes)]
        for name, is_double, items in tables.lists("f64::INFINITY"):
            lines += array("f64" if is_double else "i32", name.upper(), items)
        if tables.sides:
            lines += array("&[u8]", "SIDES", [f'b"{side}"' for side in tables.sides])
        for at, column in enumerate(self.many.used_columns):
            spec = self.program.columns[column]
            if not spec.is_numeric:
                lines += level_table(spec, at)
        return "\n".join(lines)


ADD_TREES = """\
fn add_trees(values: &[f64], scores: &mut [f64]) {
    for (tree, &root) in ROOT.iter().enumerate() {
        let _ = tree;
        let mut node = root as usize;
        while QUESTION[node] >= 0 {
            let question = QUESTION[node];
            let value = values[(question >> 2) as usize];
            let mut right = (question & 1) as usize;
            if value <= NUMBER[node] {
                right = 0;
            } else if value > NUMBER[node] {
                right = 1;
            }
OF_LEVELS
            node = CHILD[node] as usize + right;
        }
        LEAF
    }
}"""

RIGHT_OF_LEVELS = """\
            if question & 2 != 0 {
                right = (question & 1) as usize;
                if !value.is_nan() {
                    right = (SIDES[NUMBER[node] as usize][(value + 1.0) as usize] - b'0') as usize;
                }
            }
"""

DECIDE = """\
// The most probable class, the first of equals.
fn decide(probabilities: &[f64; N_VALUES]) -> Label {
    let mut label = 0;
    for at in 1..N_VALUES {
        if probabilities[at] > probabilities[label] {
            label = at;
        }
    }
    CLASSES[label]
}"""

POWER_OF_E = f"""\
// exp from plain arithmetic: that of the standard library differs between machines.
fn power_of_e(x: f64) -> f64 {{
    let x = x.max(-746.0).min(710.0);
    let n = x * {exp.PER_POWER!r} + {exp.ROUNDING!r} - {exp.ROUNDING!r};
    scaled(exp_near_zero(x - n * {exp.LOG_2_HIGH!r} - n * {exp.LOG_2_LOW!r}), n as i64)
}}"""

POWER_OF_2 = f"""\
fn power_of_2(x: f64) -> f64 {{
    let x = x.max(-1076.0).min(1024.0);
    let n = x + {exp.ROUNDING!r} - {exp.ROUNDING!r};
    scaled(exp_near_zero((x - n) * {exp.LOG_2!r}), n as i64)
}}"""

EXP_NEAR_ZERO = f"""\
fn exp_near_zero(r: f64) -> f64 {{
    let r2 = r * r;
    let even = {exp.horner(exp.EVEN, "r2")};
    let odd = {exp.horner(exp.ODD, "r2")};
    1.0 + (r + r2 * (even + r * odd))
}}"""

FILLED = """\
fn filled(value: f64, fill: f64) -> f64 {
    if value.is_nan() { fill } else { value }
}"""

IS_AMONG = """\
// sides: 0 or 1 for a level that is missing or was not seen, then for each other one.
fn is_among(position: f64, sides: &[u8]) -> f64 {
    let at = if position.is_nan() { 0 } else { (position + 1.0) as usize };
    if sides[at] == b'1' { 1.0 } else { 0.0 }
}"""

SCALED = """\
// x times 2 to the power of n, in two steps of which only the last may round.
fn scaled(x: f64, n: i64) -> f64 {
    let power = |n: i64| f64::from_bits(((n + 1023) as u64) << 52);
    x * power(n >> 1) * power(n - (n >> 1))
}"""

# By name; each may call those after it.
HELPERS = {
    "filled": FILLED,
    "is_among": IS_AMONG,
    "power_of_e": POWER_OF_E,
    "power_of_2": POWER_OF_2,
    "exp_near_zero": EXP_NEAR_ZERO,
    "scaled": SCALED,
}

PRINT_ISOLATION = """\
        let label = tree::predict(&row)UNWRAPPED;
        let score = tree::score(&row)UNWRAPPED;
        println!("{} {:016x}", (label > 0) as i64, score.to_bits());"""
