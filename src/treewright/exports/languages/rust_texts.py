"""Parts of exported Rust that are the same for every tree."""

ADD = """\
fn add(total: &mut [f64; N_VALUES], share: f64, values: [f64; N_VALUES]) {
    for at in 0..N_VALUES {
        total[at] += share * values[at];
    }
}"""

DECIDE = """\
// The most probable class, the first of those that differ by rounding only.
fn decide(probabilities: &[f64; N_VALUES]) -> Label {
    let most = probabilities.iter().copied().fold(0.0, f64::max);
    let enough = most * 0.999999999999;
    let place = probabilities.iter().position(|&probability| probability >= enough);
    CLASSES[place.unwrap_or(0)]
}"""

DECIDE_BY_COSTS = """\
// The class of least expected cost, the first of those that differ by rounding only.
fn decide(probabilities: &[f64; N_VALUES]) -> Label {
    let mut expected = [0.0; N_VALUES];
    for truth in 0..N_VALUES {
        for at in 0..N_VALUES {
            expected[at] += probabilities[truth] * COSTS[truth][at];
        }
    }
    let least = expected.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = expected.iter().copied().map(f64::abs).fold(0.0, f64::max);
    let enough = least + 1e-12 * largest;
    let place = expected.iter().position(|&cost| cost <= enough);
    CLASSES[place.unwrap_or(0)]
}"""

POSITION = """\
// NaN is a missing value, -1 a level that was not seen in training.
fn position<T: Ord + Copy>(value: Option<T>, levels: &[(T, f64)]) -> f64 {
    match value {
        None => f64::NAN,
        Some(level) => match levels.binary_search_by(|known| known.0.cmp(&level)) {
            Ok(place) => levels[place].1,
            Err(_) => -1.0,
        },
    }
}"""

CHILD = """\
// The first of the entries whose number is not below the value; the last if all are.
fn place_of(value: f64, mut first: usize, mut last: usize) -> usize {
    while first < last {
        let middle = first + (last - first) / 2;
        if value <= NUMBER[middle] {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    first
}

// Where a question sends the row; -1 if it does not know.
fn ask(question: usize, unseen_child: i32, values: &[f64]) -> i32 {
    let first = ENTRY_START[question] as usize;
    let last = ENTRY_START[question + 1] as usize - 1;
    if KIND[question] == 3 {
        let mut total = 0.0;
        for at in first..last {
            let value = values[TARGET[at] as usize];
            if value.is_nan() {
                return -1;
            }
            total += NUMBER[at] * value;
        }
        return if total <= NUMBER[last] { TARGET[last] } else { TARGET[last] + 1 };
    }
    let value = values[COLUMN[question] as usize];
    if value.is_nan() {
        return -1;
    }
    if KIND[question] != 0 && value < 0.0 {
        return unseen_child;
    }
    let place = place_of(value, first, last);
    if KIND[question] != 2 || NUMBER[place] == value {
        return TARGET[place];
    }
    OTHERWISE[question]
}

// The node that the row goes to as a whole; -1 if no question knows.
fn child_of(node: usize, values: &[f64]) -> i32 {
    let (first, end) = (QUESTION_START[node], QUESTION_START[node + 1]);
    for question in first..end {
        let unseen_child = if question == first { UNSEEN[node] } else { -1 };
        let child = ask(question as usize, unseen_child, values);
        if child >= 0 {
            return child;
        }
    }
    -1
}"""

WALK = """\
fn walk(values: &[f64]) -> [f64; N_VALUES] {
    let mut total = [0.0; N_VALUES];
    let mut waiting = vec![(0_usize, 1.0_f64)];
    while let Some((node, share)) = waiting.pop() {
        let child = child_of(node, values);
        if child >= 0 {
            waiting.push((child as usize, share));
        } else if PREDICTION[node] >= 0 {
            for at in 0..N_VALUES {
                total[at] += share * PREDICTIONS[PREDICTION[node] as usize * N_VALUES + at];
            }
        } else {
            for heir in (HEIR_START[node] as usize..HEIR_START[node + 1] as usize).rev() {
                waiting.push((HEIR[heir] as usize, share * SHARE[heir]));
            }
        }
    }
    total
}"""

# Reads rows as treewright.exports.compiled writes them, and prints the predictions.
MAIN = """\
mod tree;

use std::io::{self, BufRead};

#[allow(dead_code)]
fn read_number(field: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(field, 16).unwrap())
}

#[allow(dead_code)]
fn read_integer(field: &str) -> Option<i64> {
    field.parse().ok()
}

#[allow(dead_code)]
fn read_boolean(field: &str) -> Option<bool> {
    if field == "-" { None } else { Some(field == "1") }
}

#[allow(dead_code)]
fn read_string(field: &str) -> Option<String> {
    let digits = field.strip_prefix('=')?;
    let bytes = (0..digits.len()).step_by(2);
    let bytes = bytes.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
    Some(String::from_utf8(bytes.collect()).unwrap())
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let fields: Vec<&str> = line.split(' ').collect();
        let _ = &fields;
READ_ROW
PRINT_ROW
    }
}
"""

PRINT_NUMBER = """\
        let value = tree::predict(&row)UNWRAPPED;
        println!("0 {:016x}", value.to_bits());"""

PRINT_CLASS = """\
        let label = tree::predict(&row)UNWRAPPED;
        let values = tree::predict_proba(&row)UNWRAPPED;
        print!("{}", tree::CLASSES.iter().position(|&class| class == label).unwrap());
        for value in values {
            print!(" {:016x}", value.to_bits());
        }
        println!();"""

REFUSED = """\
        if tree::predict(&row).is_err() {
            println!("-1");
            continue;
        }
"""
