"""Parts of exported JavaScript that are the same for every tree."""

NUMBER = """\
function number(value) {
    return value === null || value === undefined ? NaN : Number(value);
}"""

LEVEL = """\
function level(value) {
    return value === undefined || Number.isNaN(value) ? null : value;
}"""

REFUSE_UNSEEN = """\
function refuseUnseen(name, value, levels) {
    if (value !== null && !levels.includes(value)) {
        throw new RangeError(`${name}: ${value} was not seen in training`);
    }
}"""

ADD = """\
function add(total, share, probabilities) {
    probabilities.forEach((probability, at) => {
        total[at] += share * probability;
    });
}"""

DECIDE = """\
// The most probable class, the first of those that differ by rounding only.
function decide(probabilities) {
    const enough = Math.max(...probabilities) * 0.999999999999;
    return CLASSES[probabilities.findIndex((probability) => probability >= enough)];
}"""

DECIDE_BY_COSTS = """\
// The class of least expected cost, the first of those that differ by rounding only.
function decide(probabilities) {
    const expected = CLASSES.map(() => 0.0);
    probabilities.forEach((probability, truth) => add(expected, probability, COSTS[truth]));
    const enough = Math.min(...expected) + 1e-12 * Math.max(...expected.map(Math.abs));
    return CLASSES[expected.findIndex((cost) => cost <= enough)];
}"""

POSITIONS = """\
const POSITIONS = new Map(
    LEVELS.map(([name, levels]) => [name, new Map(levels.map((level, at) => [level, at]))]),
);"""

POSITION = """\
// NaN is a missing value, -1 a level that was not seen in training.
function position(value, name) {
    if (value === null) return NaN;
    const found = POSITIONS.get(name).get(value);
    return found === undefined ? -1 : found;
}"""

POSITION_OR_ERROR = """\
function position(value, name) {
    if (value === null) return NaN;
    const found = POSITIONS.get(name).get(value);
    if (found === undefined) {
        throw new RangeError(`${name}: ${value} was not seen in training`);
    }
    return found;
}"""

CHILD = """\
// The first of the entries whose number is not below the value; the last if all are.
function placeOf(value, first, last) {
    while (first < last) {
        const middle = (first + last) >> 1;
        if (value <= NUMBER[middle]) last = middle;
        else first = middle + 1;
    }
    return first;
}

// Where a question sends the row; -1 if it does not know.
function ask(question, unseenChild, values) {
    const first = ENTRY_START[question];
    const last = ENTRY_START[question + 1] - 1;
    if (KIND[question] === 3) {
        let total = 0.0;
        for (let at = first; at < last; at++) {
            if (Number.isNaN(values[TARGET[at]])) return -1;
            total += NUMBER[at] * values[TARGET[at]];
        }
        return total <= NUMBER[last] ? TARGET[last] : TARGET[last] + 1;
    }
    const value = values[COLUMN[question]];
    if (Number.isNaN(value)) return -1;
    if (KIND[question] !== 0 && value < 0) return unseenChild;
    const place = placeOf(value, first, last);
    if (KIND[question] !== 2 || NUMBER[place] === value) return TARGET[place];
    return OTHERWISE[question];
}

// The node that the row goes to as a whole; -1 if no question knows.
function childOf(node, values) {
    let child = -1;
    for (let at = QUESTION_START[node]; child < 0 && at < QUESTION_START[node + 1]; at++) {
        child = ask(at, at === QUESTION_START[node] ? UNSEEN[node] : -1, values);
    }
    return child;
}"""

WALK = """\
function walk(values) {
    const total = new Array(N_VALUES).fill(0.0);
    const waiting = [[0, 1.0]];
    while (waiting.length > 0) {
        const [node, share] = waiting.pop();
        const child = childOf(node, values);
        if (child >= 0) {
            waiting.push([child, share]);
        } else if (PREDICTION[node] >= 0) {
            for (let at = 0; at < N_VALUES; at++) {
                total[at] += share * PREDICTIONS[PREDICTION[node] * N_VALUES + at];
            }
        } else {
            for (let at = HEIR_START[node + 1] - 1; at >= HEIR_START[node]; at--) {
                waiting.push([HEIR[at], share * SHARE[at]]);
            }
        }
    }
    return total;
}"""

# By name; each may call those before it.
HELPERS = {
    "number": NUMBER,
    "level": LEVEL,
    "refuseUnseen": REFUSE_UNSEEN,
    "add": ADD,
}

# Reads rows as treewright.exports.compiled writes them, and prints the predictions.
MAIN = """\
import { readFileSync } from "node:fs";
import * as tree from "./tree.mjs";

const bytes = new DataView(new ArrayBuffer(8));

function readNumber(field) {
    bytes.setBigUint64(0, BigInt("0x" + field));
    return bytes.getFloat64(0);
}

function printed(number) {
    bytes.setFloat64(0, number);
    return bytes.getBigUint64(0).toString(16).padStart(16, "0");
}

function readString(digits) {
    const units = digits.match(/.{4}/g) ?? [];
    return units.map((unit) => String.fromCharCode(parseInt(unit, 16))).join("");
}

const read = {
    number: readNumber,
    integer: (field) => (field === "-" ? null : Number(field)),
    boolean: (field) => (field === "-" ? null : field === "1"),
    string: (field) => (field === "-" ? null : readString(field.slice(1))),
};

const columns = COLUMNS;
const lines = readFileSync(0, "utf-8").split("\\n").slice(0, -1);
const out = [];
for (const line of lines) {
    const fields = line.split(" ");
    const row = {};
    columns.forEach(([name, kind], at) => {
        row[name] = read[kind](fields[at]);
    });
    try {
        const label = tree.predict(row);
        const number = tree.score ? tree.score(row) : label;
        const values = tree.predictProba ? tree.predictProba(row) : [number];
        const place = tree.CLASSES ? tree.CLASSES.indexOf(label) : 0;
        out.push([place, ...values.map(printed)].join(" "));
    } catch (refused) {
        if (!(refused instanceof RangeError)) throw refused;
        out.push("-1");
    }
}
console.log(out.join("\\n"));
"""
