"""Parts of exported Java that are the same for every tree, indented as members of its class."""

PREDICTION = """\
    private static final class Predicted {
        final LABEL label;
        final double[] probabilities;

        Predicted(LABEL label, double... probabilities) {
            this.label = label;
            this.probabilities = probabilities;
        }
    }"""

IS_LEVEL = """\
    private static boolean is(Object value, Object level) {
        return level.equals(value);
    }"""

ADD = """\
    private static void add(double[] total, double share, double... values) {
        for (int at = 0; at < values.length; at++) {
            total[at] += share * values[at];
        }
    }"""

REFUSE_UNSEEN = """\
    private static void refuseUnseen(String name, Object value, Object... levels) {
        if (value != null && !java.util.Arrays.asList(levels).contains(value)) {
            throw new IllegalArgumentException(name + ": " + value + " was not seen in training");
        }
    }"""

DECIDE = """\
    // The most probable class, the first of those that differ by rounding only.
    private static int decide(double[] probabilities) {
        double most = 0.0;
        for (double probability : probabilities) {
            most = Math.max(most, probability);
        }
        int label = 0;
        while (probabilities[label] < most * 0.999999999999) {
            label++;
        }
        return label;
    }"""

DECIDE_BY_COSTS = """\
    // The class of least expected cost, the first of those that differ by rounding only.
    private static int decide(double[] probabilities) {
        double[] expected = new double[probabilities.length];
        for (int truth = 0; truth < expected.length; truth++) {
            for (int at = 0; at < expected.length; at++) {
                expected[at] += probabilities[truth] * COSTS[truth][at];
            }
        }
        double least = expected[0];
        double largest = 0.0;
        for (double cost : expected) {
            least = Math.min(least, cost);
            largest = Math.max(largest, Math.abs(cost));
        }
        double enough = least + 1e-12 * largest;
        int label = 0;
        while (expected[label] > enough) {
            label++;
        }
        return label;
    }"""

JOIN = """\
    private static int[] join(int[]... parts) {
        return java.util.Arrays.stream(parts).flatMapToInt(java.util.Arrays::stream).toArray();
    }

    private static double[] join(double[]... parts) {
        return java.util.Arrays.stream(parts).flatMapToDouble(java.util.Arrays::stream).toArray();
    }"""

POSITION = """\
    // NaN is a missing value, -1 a level that was not seen in training.
    private static double position(Object value, java.util.Map<Object, Integer> positions) {
        return value == null ? Double.NaN : positions.getOrDefault(value, -1);
    }

    private static java.util.Map<Object, Integer> positions(Object[]... parts) {
        java.util.Map<Object, Integer> positions = new java.util.HashMap<>();
        for (Object[] part : parts) {
            for (Object level : part) {
                positions.put(level, positions.size());
            }
        }
        return positions;
    }"""

CHILD = """\
    // The first of the entries whose number is not below the value; the last if all are.
    private static int placeOf(double value, int first, int last) {
        while (first < last) {
            int middle = (first + last) >>> 1;
            if (value <= NUMBER[middle]) {
                last = middle;
            } else {
                first = middle + 1;
            }
        }
        return first;
    }

    // Where a question sends the row; -1 if it does not know.
    private static int ask(int question, int unseenChild, double[] values) {
        int first = ENTRY_START[question];
        int last = ENTRY_START[question + 1] - 1;
        if (KIND[question] == 3) {
            double total = 0.0;
            for (int at = first; at < last; at++) {
                if (Double.isNaN(values[TARGET[at]])) {
                    return -1;
                }
                total += NUMBER[at] * values[TARGET[at]];
            }
            return total <= NUMBER[last] ? TARGET[last] : TARGET[last] + 1;
        }
        double value = values[COLUMN[question]];
        if (Double.isNaN(value)) {
            return -1;
        }
        if (KIND[question] != 0 && value < 0) {
            return unseenChild;
        }
        int place = placeOf(value, first, last);
        if (KIND[question] != 2 || NUMBER[place] == value) {
            return TARGET[place];
        }
        return OTHERWISE[question];
    }

    // The node that the row goes to as a whole; -1 if no question knows.
    private static int childOf(int node, double[] values) {
        int child = -1;
        for (int at = QUESTION_START[node]; child < 0 && at < QUESTION_START[node + 1]; at++) {
            child = ask(at, at == QUESTION_START[node] ? UNSEEN[node] : -1, values);
        }
        return child;
    }"""

WALK = """\
    private static double[] walk(double[] values) {
        double[] total = new double[N_VALUES];
        int[] node = new int[N_WAITING];
        double[] shareOf = new double[N_WAITING];
        int waiting = 1;
        shareOf[0] = 1.0;
        while (waiting > 0) {
            int here = node[--waiting];
            double part = shareOf[waiting];
            int child = childOf(here, values);
            if (child >= 0) {
                node[waiting] = child;
                shareOf[waiting++] = part;
            } else if (PREDICTION[here] >= 0) {
                for (int at = 0; at < N_VALUES; at++) {
                    total[at] += part * PREDICTIONS[PREDICTION[here] * N_VALUES + at];
                }
            } else {
                for (int at = HEIR_START[here + 1] - 1; at >= HEIR_START[here]; at--) {
                    node[waiting] = HEIR[at];
                    shareOf[waiting++] = part * SHARE[at];
                }
            }
        }
        return total;
    }"""

HELPERS = {"is": IS_LEVEL, "add": ADD, "refuseUnseen": REFUSE_UNSEEN, "join": JOIN}

# Reads rows as treewright.exports.compiled writes them, and prints the predictions.
MAIN = """\
import java.io.BufferedReader;
import java.io.InputStreamReader;

public final class Main {
    static double readNumber(String field) {
        return Double.longBitsToDouble(Long.parseUnsignedLong(field, 16));
    }

    static Long readInteger(String field) {
        return field.equals("-") ? null : Long.valueOf(field);
    }

    static Boolean readBoolean(String field) {
        return field.equals("-") ? null : Boolean.valueOf(field.equals("1"));
    }

    static String readString(String field) {
        if (field.equals("-")) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        for (int at = 1; at < field.length(); at += 4) {
            text.append((char) Integer.parseInt(field.substring(at, at + 4), 16));
        }
        return text.toString();
    }

    static void append(StringBuilder out, double number) {
        out.append(String.format(" %016x", Double.doubleToRawLongBits(number)));
    }

    public static void main(String[] arguments) throws java.io.IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder out = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] fields = line.split(" ");
            NAME.Row row = new NAME.Row();
READ_ROW
            try {
PRINT_ROW
            } catch (IllegalArgumentException refused) {
                out.append("-1");
            }
            out.append("\\n");
        }
        System.out.print(out);
    }
}
"""

PRINT_NUMBER = """\
                double value = NAME.predict(row);
                out.append("0");
                append(out, value);"""

PRINT_CLASS = """\
                out.append(NAME.CLASSES.indexOf(NAME.predict(row)));
                for (double value : NAME.predictProba(row)) {
                    append(out, value);
                }"""
