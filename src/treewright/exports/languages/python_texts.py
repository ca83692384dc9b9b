"""Functions of exported Python code that are the same for every tree."""

# What the code calls -> the line or the function that it needs for that.
IMPORTS = {"bisect_left(": "from bisect import bisect_left", "isnan(": "from math import isnan"}

NUMBER = """\
def _number(value):
    return float("nan") if value is None else float(value)"""

LEVEL = """\
def _level(value):
    return value if value == value else None  # NaN is a missing value"""

REFUSE_UNSEEN = """\
def _refuse_unseen(name, value, levels):
    if value is not None and value not in levels:
        raise ValueError(f"{name}: {value!r} was not seen in training")"""

ADD = """\
def _add(total, share, probabilities):
    for at, probability in enumerate(probabilities):
        total[at] += share * probability"""

DECIDE = """\
def _decide(probabilities):
    # The most probable class, the first of those that differ by rounding only.
    enough = max(probabilities) * 0.999999999999
    for label, probability in zip(CLASSES, probabilities):
        if probability >= enough:
            return label"""

DECIDE_BY_COSTS = """\
def _decide(probabilities):
    # The class of least expected cost, the first of those that differ by rounding only.
    expected = [0.0] * len(CLASSES)
    for probability, prices in zip(probabilities, COSTS):
        for at, price in enumerate(prices):
            expected[at] += probability * price
    enough = min(expected) + 1e-12 * max(map(abs, expected))
    for label, cost in zip(CLASSES, expected):
        if cost <= enough:
            return label"""

WALK_CLASSES = """\
def _prediction(row):
    values = _values(row)
    total = [0.0] * len(CLASSES)
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        child = _child(node, values)
        if child >= 0:
            waiting.append((child, share))
        elif PREDICTION[node] >= 0:
            for at, probability in enumerate(PREDICTIONS[PREDICTION[node]]):
                total[at] += share * probability
        else:
            for heir in reversed(range(HEIR_START[node], HEIR_START[node + 1])):
                waiting.append((HEIR[heir], share * SHARE[heir]))
    return _decide(total), total"""

WALK_NUMBERS = """\
def _prediction(row):
    values = _values(row)
    total = 0.0
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        child = _child(node, values)
        if child >= 0:
            waiting.append((child, share))
        elif PREDICTION[node] >= 0:
            total += share * PREDICTIONS[PREDICTION[node]][0]
        else:
            for heir in reversed(range(HEIR_START[node], HEIR_START[node + 1])):
                waiting.append((HEIR[heir], share * SHARE[heir]))
    return total"""

CHILD = """\
def _child(node, values):
    # The node that the row goes to as a whole; -1 if no question knows.
    for question in range(QUESTION_START[node], QUESTION_START[node + 1]):
        first, last = ENTRY_START[question], ENTRY_START[question + 1] - 1
        if KIND[question] == 3:
            columns = TARGET[first:last]
            if not any(isnan(values[column]) for column in columns):
                total = 0.0
                for weight, column in zip(NUMBER[first:last], columns):
                    total += weight * values[column]
                return TARGET[last] if total <= NUMBER[last] else TARGET[last] + 1
            continue
        value = values[COLUMN[question]]
        if isnan(value):
            continue
        if KIND[question] == 0:
            return TARGET[bisect_left(NUMBER, value, first, last)]
        if value < 0:  # an unseen level
            if question == QUESTION_START[node] and UNSEEN[node] >= 0:
                return UNSEEN[node]
        elif KIND[question] == 1:
            return TARGET[bisect_left(NUMBER, value, first, last)]
        else:
            at = bisect_left(NUMBER, value, first, last)
            child = TARGET[at] if NUMBER[at] == value else OTHERWISE[question]
            if child >= 0:
                return child
    return -1"""

POSITION = """\
def _position(name, value):
    # NaN is a missing value, -1 a level that was not seen in training.
    if value is None or value != value:
        return float("nan")
    return CODES[name].get(value, -1)"""

POSITION_OR_ERROR = """\
def _position(name, value):
    if value is None or value != value:
        return float("nan")
    if value not in CODES[name]:
        raise ValueError(f"{name}: {value!r} was not seen in training")
    return CODES[name][value]"""

CODES = """\
CODES = {name: {level: at for at, level in enumerate(LEVELS[name])} for name in LEVELS}"""

HELPERS = {
    "_number(": NUMBER,
    "_level(": LEVEL,
    "_refuse_unseen(": REFUSE_UNSEEN,
    "_add(": ADD,
}
