"""Parts of exported C code that are the same for every tree."""

IS_LEVEL = """\
static int is(const char *value, const char *level) {
    return value != NULL && strcmp(value, level) == 0;
}"""

TIMES = """\
/* A product rounded by itself: fused with a sum, as compilers may, it would be another number. */
static double times(double a, double b) {
    volatile double product = a * b;
    return product;
}"""

LEAF = """\
static int leaf(double *probabilities, int label, const double *values) {
    memcpy(probabilities, values, N_VALUES * sizeof *values);
    return label;
}"""

ADD = """\
static void add(double *total, double share, const double *values) {
    for (int at = 0; at < N_VALUES; at++) total[at] += times(share, values[at]);
}"""

DECIDE = """\
/* The most probable class, the first of those that differ by rounding only. */
static int decide(const double *probabilities) {
    double most = probabilities[0];
    for (int at = 1; at < N_VALUES; at++) {
        if (probabilities[at] > most) most = probabilities[at];
    }
    int label = 0;
    while (probabilities[label] < most * 0.999999999999) label++;
    return label;
}"""

DECIDE_BY_COSTS = """\
/* The class of least expected cost, the first of those that differ by rounding only. */
static int decide(const double *probabilities) {
    double expected[N_VALUES] = {0.0};
    for (int at = 0; at < N_VALUES * N_VALUES; at++) {
        expected[at % N_VALUES] += times(probabilities[at / N_VALUES], costs[at]);
    }
    double least = expected[0], largest = 0.0;
    for (int at = 0; at < N_VALUES; at++) {
        if (expected[at] < least) least = expected[at];
        if (fabs(expected[at]) > largest) largest = fabs(expected[at]);
    }
    const double enough = least + times(1e-12, largest);
    int label = 0;
    while (expected[label] > enough) label++;
    return label;
}"""

POSITION_OF_TEXT = """\
struct level {
    const char *name;
    double position;
};

/* NaN is a missing value, -1 a level that was not seen in training. */
static double position_of(const char *value, const struct level *levels, int n_levels) {
    if (value == NULL) return NAN;
    int low = 0, high = n_levels;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const int order = strcmp(value, levels[middle].name);
        if (order == 0) return levels[middle].position;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return -1.0;
}"""

POSITION_OF_NUMBER = """\
static double position_among(double value, const double *levels, int n_levels) {
    if (isnan(value)) return NAN;
    for (int at = 0; at < n_levels; at++) {
        if (levels[at] == value) return at;
    }
    return -1.0;
}"""

CHILD = """\
/* The first of the entries whose number is not below the value; the last if all are. */
static int place_of(double value, int first, int last) {
    while (first < last) {
        const int middle = first + (last - first) / 2;
        if (value <= number[middle]) last = middle;
        else first = middle + 1;
    }
    return first;
}

/* Where a question sends the row; -1 if it does not know. */
static int ask(int question, int unseen_child, const double *values) {
    const int first = entry_start[question], last = entry_start[question + 1] - 1;
    if (kind[question] == 3) {
        double total = 0.0;
        for (int at = first; at < last; at++) {
            if (isnan(values[target[at]])) return -1;
            total += times(number[at], values[target[at]]);
        }
        return total <= number[last] ? target[last] : target[last] + 1;
    }
    const double value = values[column[question]];
    if (isnan(value)) return -1;
    if (kind[question] != 0 && value < 0) return unseen_child;
    const int place = place_of(value, first, last);
    if (kind[question] != 2 || number[place] == value) return target[place];
    return otherwise[question];
}

/* The node that the row goes to as a whole; -1 if no question knows. */
static int child_of(int node, const double *values) {
    int child = -1;
    for (int at = question_start[node]; child < 0 && at < question_start[node + 1]; at++) {
        child = ask(at, at == question_start[node] ? unseen[node] : -1, values);
    }
    return child;
}"""

WALK = """\
static void walk(const double *values, double *total) {
    int node[N_WAITING], n_waiting = 1;
    double share_of[N_WAITING];
    node[0] = 0;
    share_of[0] = 1.0;
    for (int at = 0; at < N_VALUES; at++) total[at] = 0.0;
    while (n_waiting > 0) {
        const int here = node[--n_waiting];
        const double part = share_of[n_waiting];
        const int child = child_of(here, values);
        if (child >= 0) {
            node[n_waiting] = child;
            share_of[n_waiting++] = part;
        } else if (prediction[here] >= 0) {
            const double *given = predictions + (size_t)prediction[here] * N_VALUES;
            for (int at = 0; at < N_VALUES; at++) total[at] += times(part, given[at]);
        } else {
            for (int at = heir_start[here + 1]; at-- > heir_start[here];) {
                node[n_waiting] = heir[at];
                share_of[n_waiting++] = part * share[at];
            }
        }
    }
}"""

# By name; each may call those before it.
HELPERS = {
    "is": IS_LEVEL,
    "times": TIMES,
    "leaf": LEAF,
    "add": ADD,
    "position_of": POSITION_OF_TEXT,
    "position_among": POSITION_OF_NUMBER,
}

# Reads rows as treewright.exports.compiled writes them, and prints the predictions.
MAIN = """\
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static char *next_field(char **rest) {
    char *field = *rest;
    *rest = field + strcspn(field, " \\n");
    if (**rest) *(*rest)++ = '\\0';
    return field;
}

static double read_number(char *field) {
    const uint64_t bits = strtoull(field, NULL, 16);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double read_integer(char *field) { return *field == '-' && !field[1] ? NAN : atof(field); }

static int read_boolean(char *field) { return *field == '-' ? -1 : *field == '1'; }

static const char *read_string(char *field) {
    if (*field == '-') return NULL;
    char *to = field;
    for (char *from = field + 1; *from; from += 2, to++) {
        const char digits[3] = {from[0], from[1], '\\0'};
        *to = (char)strtol(digits, NULL, 16);
    }
    *to = '\\0';
    return field;
}

static void print_number(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    printf(" %016" PRIx64, bits);
}

int main(void) {
    size_t size = (size_t)1 << 24;
    char *line = malloc(size);
    while (fgets(line, (int)size, stdin)) {
        char *rest = line;
        struct NAME_row row;
        (void)rest;
READ_ROW
PRINT_ROW
        printf("\\n");
    }
    free(line);
    return 0;
}
"""

PRINT_NUMBER = """\
        const double value = NAME_predict(&row);
        printf(isnan(value) ? "-1" : "0");
        print_number(value);"""

PRINT_CLASS = """\
        double values[N_VALUES];
        const int label = NAME_predict_proba(&row, values);
        if (NAME_predict(&row) != label) return 1;
        printf("%d", label);
        for (int at = 0; label >= 0 && at < N_VALUES; at++) print_number(values[at]);"""
