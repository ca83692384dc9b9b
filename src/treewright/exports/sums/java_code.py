"""Java 8 and newer: one class that adds up many trees."""

import re
from typing import Any

from treewright.data.table import Table
from treewright.exports.compiled import SECONDS_TO_RUN, row_lines, run_program
from treewright.exports.languages import java_texts as texts
from treewright.exports.languages.java_code import (
    JavaSource,
    Tables,
    block,
    checked_name,
    literal,
    main_class,
    method,
)
from treewright.exports.languages.language import comment_lines, indented
from treewright.exports.notes import header_lines
from treewright.exports.program import Predictions
from treewright.exports.sums import exponential as exp
from treewright.exports.sums.program import (
    LARGEST_FLOAT32_SCORE,
    LARGEST_SCORE,
    SumProgram,
    sum_text,
)


def write(program: SumProgram, *, name: str = "Tree") -> str:
    """The source of the class `name`."""
    source = JavaSumSource(program)
    missing = "NaN where a number is missing, null where anything else is"
    header = comment_lines(header_lines(program, missing))
    code = "\n\n".join([*source.public_methods(), *source.functions()])
    decide = texts.DECIDE_BY_COSTS if program.costs is not None else DECIDE
    called: list[str] = []
    for call, text in ({"decide": decide} | HELPERS).items():
        if re.search(rf"\b{call}\(", "\n".join([code, *called])):
            called.append(text)
    members = [source.row_class(), *source.constants(), code, *called, source.tables_of_nodes()]
    return (
        f"{header}\n\npublic final class {checked_name(name)} {{\n" + "\n\n".join(members) + "\n}\n"
    )


def run(
    code: str,
    program: SumProgram,
    rows: Table,
    *,
    name: str = "Tree",
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """Compile with javac and predict every row."""
    printing = PRINT_ISOLATION if program.link == "isolation" else None
    files = {f"{name}.java": code, "Main.java": main_class(program, name, printing)}
    commands = [("javac", "-encoding", "UTF-8", *files), ("java", "Main")]
    lines = row_lines(program, rows, "utf-16-be")
    return run_program(program, files, commands, lines, timeout)


class JavaSumSource(JavaSource):
    """The members of the class."""

    def __init__(self, program: SumProgram) -> None:
        given: Any = program  # all that its base reads is in one tree and in many
        super().__init__(given, "tables")
        self.many = program
        self.level_at = [
            at
            for at, column in enumerate(program.used_columns)
            if not program.columns[column].is_numeric
        ]

    def constants(self) -> list[str]:
        return [] if self.many.link == "isolation" else super().constants()[:1]

    def public_methods(self) -> list[str]:
        if self.is_number:
            return [method("predict", "double", "valuesOf(row)[0]", "The number for a row.")]
        if self.many.link == "isolation":
            about = "From -1 for the most unusual rows to 0 for the most common ones."
            usual = f"score(row) - {self.many.offset!r} >= 0 ? 1 : -1"
            return [
                method("predict", "int", usual, "-1 for an outlier, otherwise 1."),
                method("score", "double", "valuesOf(row)[0]", about),
            ]
        about = "The probability of each of CLASSES, in their order."
        label = "CLASSES.get(decide(valuesOf(row)))"
        return [
            method("predict", self.label, label, "The class of a row."),
            method("predictProba", "double[]", "valuesOf(row)", about),
        ]

    def functions(self) -> list[str]:
        many = self.many
        reads = [
            f"{value},"
            if self.program.columns[column].is_numeric
            else f"position({value}, LEVELS_{at}),"
            for at, (column, value) in enumerate(self.name_of.items())
        ]
        body = ["double[] values = {", *indented(reads), "};", *self.refusals_of_positions()]
        start = ", ".join(map(repr, many.start.tolist()))
        body += [f"double[] scores = {{{start}}};", "addTrees(values, scores);"]
        if many.divisor != 1:
            each = "for (int at = 0; at < scores.length; at++)"
            body += [f"{each} {{", f"    scores[at] /= {many.divisor!r};", "}"]
        if many.scale != 1:
            each = "for (int at = 0; at < scores.length; at++)"
            body += [f"{each} {{", f"    scores[at] *= {many.scale!r};", "}"]
        body += self.from_scores()
        values = block(["private static double[] valuesOf(Row row) {", *indented(body), "}"])
        one = f"scores[tree % {many.n_scores}]"
        leaf = f"{one} += NUMBER[node];"
        if many.in_float32:
            leaf = f"{one} = (float) ({one} + NUMBER[node]);"
        if many.tables.leaves:
            leaf = "for (int at = 0; at < scores.length; at++) {\n"
            leaf += "                scores[at] += LEAVES[CHILD[node] + at];\n            }"
        right = RIGHT_OF_LEVELS if many.tables.sides else ""
        walk = ADD_TREES.replace("LEAF", leaf).replace("OF_LEVELS\n", right)
        return [values, walk, *([texts.POSITION] if self.level_at else [])]

    def from_scores(self) -> list[str]:
        many = self.many
        f = (lambda text: f"(float) ({text})") if many.in_float32 else str
        limit = LARGEST_FLOAT32_SCORE if many.in_float32 else LARGEST_SCORE
        odds = f(f"powerOfE(Math.min(-SCORE, {limit!r}))")
        second = f(f"1.0 / ({f('1.0 + ' + odds)})")
        each = "for (int at = 0; at < scores.length; at++)"
        if many.link == "exponential":
            power = f(f"powerOfE(Math.min(scores[0], {LARGEST_SCORE!r}))")
            return [f"return new double[] {{{power}}};"]
        if many.link == "signed_square":
            return ["return new double[] {scores[0] * Math.abs(scores[0])};"]
        if many.link == "logistic":
            return [
                f"double second = {second.replace('SCORE', 'scores[0]')};",
                f"return new double[] {{{f('1.0 - second')}, second}};",
            ]
        if many.link == "step":
            return ["return scores[0] > 0 ? new double[] {0.0, 1.0} : new double[] {1.0, 0.0};"]
        if many.link == "logistic_each":
            return [
                f"{each} {{",
                f"    scores[at] = {second.replace('SCORE', 'scores[at]')};",
                "}",
                "return scores;",
            ]
        if many.link == "softmax":
            powers = [f"powers[{at}]" for at in range(many.n_scores)]
            total = " + ".join(powers) if many.in_float32 else sum_text(powers)
            power = f(f"powerOfE({f('scores[at] - largest')})")
            return [
                "double largest = scores[0];",
                f"{each} {{",
                "    largest = Math.max(largest, scores[at]);",
                "}",
                "double[] powers = new double[scores.length];",
                f"{each} {{",
                f"    powers[at] = {power};",
                "}",
                f"double total = {f(total)};",
                f"{each} {{",
                f"    powers[at] = {f('powers[at] / total')};",
                "}",
                "return powers;",
            ]
        if many.link == "linear":
            lines = ["double total = scores[0];"]
            for at, (place, term) in enumerate(many.placed_terms, start=1):
                known = f"filled(values[{place}], {term.fill!r})"
                if term.sides:
                    known = f'isAmong(values[{place}], "{term.sides}")'
                lines.append(f"total += scores[{at}] * {known};")
            return [*lines, "return new double[] {total};"]
        if many.link == "isolation":
            return [f"return new double[] {{-powerOf2(-(scores[0] / {many.usual_depth!r}))}};"]
        return ["return scores;"]

    def tables_of_nodes(self) -> str:
        tables = Tables()
        for name, is_double, items in self.many.tables.lists("Double.POSITIVE_INFINITY"):
            tables.add("double" if is_double else "int", name.upper(), items)
        if self.many.tables.sides:
            tables.add("String", "SIDES", list(map(literal, self.many.tables.sides)))
        for at in self.level_at:
            spec = self.program.columns[self.many.used_columns[at]]
            tables.add_levels(f"LEVELS_{at}", [literal(level) for level in spec.levels])
        about = [
            *self.many.tables.notes,
            "Tables stand in classes of their own, as Java bounds the size of one.",
        ]
        joins = [texts.JOIN, JOIN_TEXTS] if self.many.tables.sides else [texts.JOIN]
        return "\n\n".join([comment_lines(about, "    //"), block(tables.lines), *joins])


ADD_TREES = """\
    private static void addTrees(double[] values, double[] scores) {
        for (int tree = 0; tree < ROOT.length; tree++) {
            int node = ROOT[tree];
            while (QUESTION[node] >= 0) {
                int question = QUESTION[node];
                double value = values[question >> 2];
                int right = question & 1;
                if (value <= NUMBER[node]) {
                    right = 0;
                } else if (value > NUMBER[node]) {
                    right = 1;
                }
OF_LEVELS
                node = CHILD[node] + right;
            }
            LEAF
        }
    }"""

RIGHT_OF_LEVELS = """\
                if ((question & 2) != 0) {
                    right = question & 1;
                    if (!Double.isNaN(value)) {
                        right = SIDES[(int) NUMBER[node]].charAt((int) value + 1) - '0';
                    }
                }
"""

DECIDE = """\
    // The most probable class, the first of equals.
    private static int decide(double[] probabilities) {
        int label = 0;
        for (int at = 1; at < probabilities.length; at++) {
            if (probabilities[at] > probabilities[label]) {
                label = at;
            }
        }
        return label;
    }"""

POWER_OF_E = f"""\
    // exp from plain arithmetic: Math.exp differs between machines.
    private static double powerOfE(double x) {{
        x = Math.min(Math.max(x, -746.0), 710.0);
        double n = x * {exp.PER_POWER!r} + {exp.ROUNDING!r} - {exp.ROUNDING!r};
        double rest = x - n * {exp.LOG_2_HIGH!r} - n * {exp.LOG_2_LOW!r};
        return Math.scalb(expNearZero(rest), (int) n);
    }}"""

POWER_OF_2 = f"""\
    private static double powerOf2(double x) {{
        x = Math.min(Math.max(x, -1076.0), 1024.0);
        double n = x + {exp.ROUNDING!r} - {exp.ROUNDING!r};
        return Math.scalb(expNearZero((x - n) * {exp.LOG_2!r}), (int) n);
    }}"""

EXP_NEAR_ZERO = f"""\
    private static double expNearZero(double r) {{
        double r2 = r * r;
        double even = {exp.horner(exp.EVEN, "r2")};
        double odd = {exp.horner(exp.ODD, "r2")};
        return 1.0 + (r + r2 * (even + r * odd));
    }}"""

FILLED = """\
    private static double filled(double value, double fill) {
        return Double.isNaN(value) ? fill : value;
    }"""

IS_AMONG = """\
    // sides: 0 or 1 for a level that is missing or was not seen, then for each other one.
    private static double isAmong(double position, String sides) {
        return sides.charAt(Double.isNaN(position) ? 0 : (int) position + 1) - '0';
    }"""

# By name; each may call those after it.
HELPERS = {
    "filled": FILLED,
    "isAmong": IS_AMONG,
    "powerOfE": POWER_OF_E,
    "powerOf2": POWER_OF_2,
    "expNearZero": EXP_NEAR_ZERO,
}

JOIN_TEXTS = """\
    private static String[] join(String[]... parts) {
        return java.util.Arrays.stream(parts)
            .flatMap(java.util.Arrays::stream)
            .toArray(String[]::new);
    }"""

PRINT_ISOLATION = """\
                out.append(NAME.predict(row) > 0 ? 1 : 0);
                append(out, NAME.score(row));"""
