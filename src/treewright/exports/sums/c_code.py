"""C99: one source file that adds up many trees and allocates nothing."""

from typing import Any

from treewright.data.table import Table
from treewright.exports.compiled import SECONDS_TO_RUN, kind_of, row_lines, run_program
from treewright.exports.languages import c_code, c_texts
from treewright.exports.languages.c_code import CSource, array, checked_name
from treewright.exports.languages.identifiers import C_WORDS, column_names
from treewright.exports.languages.language import comment_lines, indented
from treewright.exports.program import Predictions
from treewright.exports.sums import exponential as exp
from treewright.exports.sums.program import (
    LARGEST_FLOAT32_SCORE,
    LARGEST_SCORE,
    SumProgram,
    sum_text,
)


def write(program: SumProgram, *, name: str = "tree") -> str:
    """The source. Names that it defines for others begin with `name`."""
    source = CSumSource(program, checked_name(name))
    code = "\n\n".join([source.tables_of_nodes(), *source.level_tables(), *source.functions()])
    return "\n\n".join([*source.top(), *source.helpers_for(code), code]) + "\n"


def run(
    code: str,
    program: SumProgram,
    rows: Table,
    *,
    name: str = "tree",
    timeout: float = SECONDS_TO_RUN,
) -> Predictions:
    """Compile with gcc and predict every row, alone and together."""
    reads = [
        f"        row.{field} = read_{kind_of(program.columns[column])}(next_field(&rest));"
        for column, field in column_names(program, C_WORDS).items()
    ]
    call = PRINT_NUMBER if program.classes is None else PRINT_CLASS
    call = PRINT_ISOLATION if program.link == "isolation" else call
    readers = c_texts.MAIN[: c_texts.MAIN.index("int main")]
    main = (readers + MAIN).replace("PRINT_ROW", call).replace("NAME", name)
    files = {"tree.c": f"{code}\n" + main.replace("READ_ROW", "\n".join(reads))}
    commands = [c_code.COMPILE, ("./tree",)]
    return run_program(program, files, commands, row_lines(program, rows), timeout)


class CSumSource(CSource):
    """The parts of a file."""

    DECIDE = ("", c_texts.DECIDE_BY_COSTS)

    def __init__(self, program: SumProgram, name: str) -> None:
        given: Any = program  # all that its base reads is in one tree and in many
        super().__init__(given, "tables", name)
        self.many = program
        self.refusal = "0"
        if program.link == "isolation":  # labels are numbers, not names
            self.is_number = True

    def decide(self) -> str:
        return DECIDE if self.many.costs is None else c_texts.DECIDE_BY_COSTS

    def helpers(self) -> dict[str, str]:
        return super().helpers() | HELPERS

    def constants(self) -> str:
        many = self.many
        lines = [
            f"enum {{ N_VALUES = {many.n_values}, N_SCORES = {many.n_scores}, "
            f"N_COLUMNS = {max(len(many.used_columns), 1)}, N_TREES = {len(many.trees)} }};"
        ]
        if not self.is_number:
            lines += self.class_lines()
        return "\n".join(lines)

    def tables_of_nodes(self) -> str:
        tables = self.many.tables
        lists = {name: items for name, _, items in tables.lists("INFINITY")}
        nodes, added = [], []
        for at, question in enumerate(tables.question):
            is_leaf = question < 0
            number, child = lists["number"][at], lists["child"][at]
            added.append((child if tables.leaves else number) if is_leaf else "0")
            # A leaf leads to itself, so that a walk of several trees need not ask which has ended.
            node = ("INFINITY", "0", str(at)) if is_leaf else (number, str(question), child)
            nodes.append(f"{{{', '.join(node)}}}")
        notes = [*TABLES_NOTE, LEAF_NOTE]
        if tables.leaves:
            notes[-1] = LEAVES_NOTE
        lines = [comment_lines(notes), NODE, *array("struct node", "nodes", nodes)]
        lines += array("int" if tables.leaves else "double", "added", added)
        lines += array("int", "root", lists["root"])
        if tables.leaves:
            lines += array("double", "leaves", lists["leaves"])
        if tables.sides:
            lines += array("char *const", "sides", [f'"{side}"' for side in tables.sides])
        return "\n".join(lines)

    def functions(self) -> list[str]:
        many, name = self.many, self.name
        body = ["(void)row;"] if not many.used_columns else []
        for at, column in enumerate(self.field_of):
            body += self.read(at, column)
        reading = [
            "/* Numbers and positions of levels; 0 if a level is refused. */",
            f"static int read_row(const struct {name}_row *row, double *values) {{",
            *indented([*body, "return 1;"]),
            "}",
        ]
        right = RIGHT_OF_LEVELS if many.tables.sides else RIGHT_OF_NUMBERS
        parts = ["\n".join(reading), right, self.added(), self.predicted()]
        public = NUMBER if many.classes is None else CLASSES
        public = ISOLATION if many.link == "isolation" else public
        parts += [public, ROWS]
        refused = " or -1 if a level was not seen in training" if self.refuses else ""
        if many.terms:  # equations need the row as well
            parts = [
                part.replace("from_scores(scores[0]", "from_scores(values[0], scores[0]").replace(
                    "from_scores(scores[row]", "from_scores(values[row], scores[row]"
                )
                for part in parts
            ]
        return [part.replace("NAME", name).replace("OR_REFUSED", refused) for part in parts]

    def added(self) -> str:
        """`add_trees`: the scores of a block of rows."""
        if self.many.tables.leaves:
            leaf = "for (int k = 0; k < N_SCORES; k++) own[k] += leaves[added[node[at]] + k];"
        else:
            one = "own[0]" if self.many.n_scores == 1 else "own[(tree + at) % N_SCORES]"
            leaf = f"{one} += added[node[at]];"
            if self.many.in_float32:
                leaf = f"{one} = (float)({one} + added[node[at]]);"
        start = ", ".join(map(repr, self.many.start.tolist()))
        return ADD_TREES.replace("START", start).replace("ADD_LEAF", leaf)

    def predicted(self) -> str:
        """`from_scores`: what scores stand for."""
        many = self.many
        each = "for (int at = 0; at < N_SCORES; at++)"
        lines = []
        if many.divisor != 1:
            lines.append(f"{each} scores[at] /= {many.divisor!r};")
        if many.scale != 1:
            lines.append(f"{each} scores[at] *= {many.scale!r};")
        lines += self.equation() if many.terms else self.link()
        row = "const double *row, " if many.terms else ""
        head = f"static void from_scores({row}double *scores, double *values) {{"
        text = "\n".join([head, *indented(lines), "}"])
        if many.link == "isolation":
            usual = f"return score - {many.offset!r} >= 0 ? 1 : -1;"
            text += "\n\n" + "\n".join(["static int kind_of(double score) {", f"    {usual}", "}"])
        return text

    def equation(self) -> list[str]:
        """The statements that add up the terms of a leaf's equation."""
        lines = ["double total = scores[0];"]
        for at, (place, term) in enumerate(self.many.placed_terms, start=1):
            known = f"filled(row[{place}], {term.fill!r})"
            if term.sides:
                known = f'is_among(row[{place}], "{term.sides}")'
            lines.append(f"total = total + times(scores[{at}], {known});")
        return [*lines, "values[0] = total;"]

    def link(self) -> list[str]:
        """The statements that make predictions of scores."""
        many = self.many
        each = "for (int at = 0; at < N_SCORES; at++)"
        f = (lambda text: f"(float)({text})") if many.in_float32 else str
        limit, small = repr(LARGEST_SCORE), LARGEST_FLOAT32_SCORE
        lowest = repr(small) if many.in_float32 else limit
        minus = f"-scores[at] < {lowest} ? -scores[at] : {lowest}"
        odds = f(f"1.0 + {f(f'power_of_e({minus})')}")
        second = f(f"1.0 / ({odds})")
        power = f(f"power_of_e({f('scores[at] - largest')})")
        power_of_first = f(f"power_of_e(scores[0] < {limit} ? scores[0] : {limit})")
        powers = [f"values[{at}]" for at in range(many.n_scores)]
        total = " + ".join(powers) if many.in_float32 else sum_text(powers)
        by_link = {
            "exponential": [f"values[0] = {power_of_first};"],
            "signed_square": ["values[0] = scores[0] * fabs(scores[0]);"],
            "step": ["values[1] = scores[0] > 0;", "values[0] = 1 - values[1];"],
            "logistic": [
                f"values[1] = {second.replace('[at]', '[0]')};",
                f"values[0] = {f('1.0 - values[1]')};",
            ],
            "logistic_each": [f"{each} values[at] = {second};"],
            "softmax": [
                "double largest = scores[0];",
                f"{each} if (scores[at] > largest) largest = scores[at];",
                f"{each} values[at] = {power};",
                f"const double total = {f(total)};",
                f"{each} values[at] = {f('values[at] / total')};",
            ],
            "isolation": [f"values[0] = -power_of_2(-(scores[0] / {many.usual_depth!r}));"],
            "same": ["for (int at = 0; at < N_VALUES; at++) values[at] = scores[at];"],
        }
        return by_link[many.link]


TABLES_NOTE = (
    "The trees as tables. The question of a node is 4 * column + 2 if the column has levels + 1 if",
    "a missing value goes right. Numbers up to `number` go left; of levels, `number` says which of",
    "`sides`, with 0 or 1 for a level not seen in training and for each other one. `child`",
    "is the left child, and the right one follows; a leaf leads to itself.",
)
LEAF_NOTE = "A leaf adds what stands in `added` to one score."
LEAVES_NOTE = "A leaf adds the numbers of `leaves` from its `added` on, one to each score."

NODE = """\
struct node {
    double number;
    int question, child;
};"""

RIGHT_OF_NUMBERS = """\
/* Whether a row goes right at a node. */
static int goes_right(const struct node *node, const double *values) {
    const double value = values[node->question >> 2];
    const int above = !(value <= node->number), known = value == value;
    return above & (known | node->question);
}"""

RIGHT_OF_LEVELS = """\
/* Whether a row goes right at a node. */
static int goes_right(const struct node *node, const double *values) {
    const double value = values[node->question >> 2];
    if (node->question & 2) {
        if (isnan(value)) return node->question & 1;
        return sides[(int)node->number][(int)value + 1] == '1';
    }
    const int above = !(value <= node->number), known = value == value;
    return above & (known | node->question);
}"""

# Rows are walked in blocks, so that trees stay in the cache, and down several trees at once, whose
# steps do not wait for each other: half the time of one after the other (benchmarks/exported_c.py).
# Scores are added in the order of the trees all the same.
ADD_TREES = """\
enum { BLOCK = 64, AT_ONCE = 8 };

static void add_trees(double values[][N_COLUMNS], int n_rows, double scores[][N_SCORES]) {
    static const double start[N_SCORES] = {START};
    for (int row = 0; row < n_rows; row++) memcpy(scores[row], start, sizeof start);
    for (int tree = 0; tree < N_TREES; tree += AT_ONCE) {
        const int n_trees = N_TREES - tree < AT_ONCE ? N_TREES - tree : AT_ONCE;
        for (int row = 0; row < n_rows; row++) {
            double *own = scores[row];
            int node[AT_ONCE], moved = 1;
            for (int at = 0; at < AT_ONCE; at++) node[at] = root[tree + (at < n_trees ? at : 0)];
            while (moved) {
                moved = 0;
                for (int at = 0; at < AT_ONCE; at++) {
                    const struct node *here = nodes + node[at];
                    const int next = here->child + goes_right(here, values[row]);
                    moved |= next ^ node[at];
                    node[at] = next;
                }
            }
            for (int at = 0; at < n_trees; at++) ADD_LEAF
        }
    }
}"""

DECIDE = """\
/* The most probable class, the first of equals. */
static int decide(const double *probabilities) {
    int label = 0;
    for (int at = 1; at < N_VALUES; at++) {
        if (probabilities[at] > probabilities[label]) label = at;
    }
    return label;
}"""

EXP_NEAR_ZERO = f"""\
static double exp_near_zero(double r) {{
    const double r2 = times(r, r);
    const double even = {exp.horner(exp.EVEN, "r2", "times({}, {})")};
    const double odd = {exp.horner(exp.ODD, "r2", "times({}, {})")};
    return 1.0 + (r + times(r2, even + times(r, odd)));
}}"""

POWER_OF_E = f"""\
/* exp from plain arithmetic: that of the C library differs between machines. */
static double power_of_e(double x) {{
    x = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;
    const volatile double shifted = times(x, {exp.PER_POWER!r}) + {exp.ROUNDING!r};
    const double n = shifted - {exp.ROUNDING!r};
    const double rest = (x - times(n, {exp.LOG_2_HIGH!r})) - times(n, {exp.LOG_2_LOW!r});
    return ldexp(exp_near_zero(rest), (int)n);
}}"""

POWER_OF_2 = f"""\
static double power_of_2(double x) {{
    x = x < -1076.0 ? -1076.0 : x > 1024.0 ? 1024.0 : x;
    const volatile double shifted = x + {exp.ROUNDING!r};
    const double n = shifted - {exp.ROUNDING!r};
    return ldexp(exp_near_zero(times(x - n, {exp.LOG_2!r})), (int)n);
}}"""

FILLED = """\
static double filled(double value, double fill) {
    return isnan(value) ? fill : value;
}"""

IS_AMONG = """\
/* sides: 0 or 1 for a level that is missing or was not seen, then for each other one. */
static double is_among(double position, const char *sides) {
    return sides[isnan(position) ? 0 : (int)position + 1] - '0';
}"""

HELPERS = {
    "filled": FILLED,
    "is_among": IS_AMONG,
    "exp_near_zero": EXP_NEAR_ZERO,
    "power_of_e": POWER_OF_E,
    "power_of_2": POWER_OF_2,
}

NUMBER = """\
/* The number for a row; NAN if a level is refused. */
double NAME_predict(const struct NAME_row *row) {
    double values[1][N_COLUMNS], scores[1][N_SCORES], value;
    if (!read_row(row, values[0])) return NAN;
    add_trees(values, 1, scores);
    from_scores(scores[0], &value);
    return value;
}"""

CLASSES = """\
/* Fills probabilities[N_VALUES]; returns the class as an index into NAME_classesOR_REFUSED. */
int NAME_predict_proba(const struct NAME_row *row, double *probabilities) {
    double values[1][N_COLUMNS], scores[1][N_SCORES];
    if (!read_row(row, values[0])) return -1;
    add_trees(values, 1, scores);
    from_scores(scores[0], probabilities);
    return decide(probabilities);
}

/* The class of a row as an index into NAME_classesOR_REFUSED. */
int NAME_predict(const struct NAME_row *row) {
    double probabilities[N_VALUES];
    return NAME_predict_proba(row, probabilities);
}"""

ISOLATION = """\
/* From -1 for the most unusual rows to 0 for the most common ones; NAN if a level is refused. */
double NAME_score(const struct NAME_row *row) {
    double values[1][N_COLUMNS], scores[1][N_SCORES], value;
    if (!read_row(row, values[0])) return NAN;
    add_trees(values, 1, scores);
    from_scores(scores[0], &value);
    return value;
}

/* -1 for an outlier, otherwise 1; 0 if a level is refused. */
int NAME_predict(const struct NAME_row *row) {
    const double score = NAME_score(row);
    return isnan(score) ? 0 : kind_of(score);
}"""

ROWS = """\
/* Many rows at once, which is faster: fills predictions[n_rows * N_VALUES] with probabilities,
   numbers or scores; NAN if a level is refused. */
void NAME_predict_rows(const struct NAME_row *rows, size_t n_rows, double *predictions) {
    double values[BLOCK][N_COLUMNS], scores[BLOCK][N_SCORES];
    for (size_t first = 0; first < n_rows; first += BLOCK) {
        const int n = n_rows - first < BLOCK ? (int)(n_rows - first) : BLOCK;
        char refused[BLOCK];
        memset(values, 0, sizeof values);
        for (int row = 0; row < n; row++) refused[row] = !read_row(rows + first + row, values[row]);
        add_trees(values, n, scores);
        for (int row = 0; row < n; row++) {
            double *own = predictions + (first + (size_t)row) * N_VALUES;
            from_scores(scores[row], own);
            for (int at = 0; refused[row] && at < N_VALUES; at++) own[at] = NAN;
        }
    }
}"""

# Reads all rows, predicts them together and one by one, and prints the predictions.
MAIN = """\
int main(void) {
    const size_t size = (size_t)1 << 24;
    size_t n_rows = 0, room = 0;
    char *line = malloc(size);
    struct NAME_row *rows = NULL;
    while (fgets(line, (int)size, stdin)) {
        char *rest = malloc(strlen(line) + 1);
        struct NAME_row row;
        strcpy(rest, line);
READ_ROW
        if (n_rows == room) {
            room = 2 * room + 1;
            rows = realloc(rows, room * sizeof *rows);
        }
        rows[n_rows++] = row;
    }
    double *together = malloc((n_rows + 1) * N_VALUES * sizeof *together);
    NAME_predict_rows(rows, n_rows, together);
    for (size_t row = 0; row < n_rows; row++) {
        const double *own = together + row * N_VALUES;
PRINT_ROW
        printf("\\n");
    }
    return 0;
}
"""

PRINT_NUMBER = """\
        const double value = NAME_predict(rows + row);
        printf(isnan(value) ? "-1" : "0");
        if (!isnan(value)) print_number(value == own[0] ? value : NAN);"""

PRINT_CLASS = """\
        double values[N_VALUES];
        const int label = NAME_predict_proba(rows + row, values);
        if (NAME_predict(rows + row) != label) return 1;
        printf("%d", label);
        for (int at = 0; label >= 0 && at < N_VALUES; at++) {
            print_number(values[at] == own[at] ? values[at] : NAN);
        }"""

PRINT_ISOLATION = """\
        const double score = NAME_score(rows + row);
        const int label = NAME_predict(rows + row);
        printf("%d", label == 0 ? -1 : label > 0);
        if (label) print_number(score == own[0] ? score : NAN);"""
