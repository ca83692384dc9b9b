"""An explanation in words."""

from collections.abc import Iterator
from typing import Any

from treewright.explanations.explanation import Explanation
from treewright.explanations.path import Evidence, Gap
from treewright.explanations.words import percent
from treewright.tree.conditions import number_text, plain, weight_text

MOST_NODES = 40  # a row with gaps may come to very many
MOST_CLASSES = 6


def explanation_text(explanation: Explanation) -> str:
    """All that an explanation knows, one thought a line."""
    return "\n".join(
        [
            *answer_lines(explanation),
            *_path_lines(explanation),
            *_gap_lines(explanation),
            *reason_lines(explanation),
            *change_lines(explanation),
            *_neighbour_lines(explanation),
        ]
    )


def label(answer: Any) -> str:
    """A class, or a number, on one line."""
    return number_text(answer) if isinstance(answer, float) else plain(str(answer))


def answer_lines(explanation: Explanation) -> Iterator[str]:
    """The answer, and the class that came second."""
    if not explanation.probabilities:
        yield f"answer: {label(explanation.answer)}"
        return
    probability = explanation.probabilities[explanation.answer]
    yield f"answer: {label(explanation.answer)} ({percent(probability)})"
    runner_up = explanation.runner_up
    if runner_up is not None:
        yield f"runner-up: {label(runner_up.answer)} ({percent(runner_up.probability)})"


def _path_lines(explanation: Explanation) -> Iterator[str]:
    yield "path:"
    for evidence in explanation.path[:MOST_NODES]:
        yield f"  {_evidence_text(evidence, explanation)}"
    if len(explanation.path) > MOST_NODES:
        yield f"  ... {len(explanation.path) - MOST_NODES} more nodes"


def _evidence_text(evidence: Evidence, explanation: Explanation) -> str:
    place = evidence.condition or "all rows"
    part = "" if evidence.share == 1 else f" ({percent(evidence.share)} of the row)"
    if not evidence.weight > 0:
        return f"{place}{part}: no training rows, answers as the node above"
    found = f"{place}{part}: {rows_text(evidence)}"
    if evidence.support is None:
        interval = ""
        if evidence.interval is not None:
            low, high = map(number_text, evidence.interval)
            interval = f" (95 % interval {low} to {high})"
        return f"{found}, mean {label(evidence.answer)}{interval}"
    assert evidence.interval is not None
    low, high = map(percent, evidence.interval)
    return (
        f"{found}: {counts_text(evidence)}; {label(explanation.answer)} "
        f"{percent(evidence.support)} (95 % interval {low} to {high})"
    )


def rows_text(evidence: Evidence) -> str:
    """How many training rows a node had, and their weight where that is another number."""
    rows = f"{evidence.n_rows} row{'' if evidence.n_rows == 1 else 's'}"
    if abs(evidence.weight - evidence.n_rows) <= 1e-9 * evidence.weight:
        return rows
    return f"{rows} of weight {weight_text(evidence.weight)}"


def counts_text(evidence: Evidence) -> str:
    """The training weight of each class, the largest first."""
    counts = sorted(
        ((weight, name) for name, weight in evidence.counts.items() if weight > 0),
        key=lambda one: -one[0],
    )
    shown = [f"{weight_text(weight)} {label(name)}" for weight, name in counts[:MOST_CLASSES]]
    more = len(counts) - MOST_CLASSES
    return ", ".join(shown) + (f", {more} more classes" if more > 0 else "")


def _gap_lines(explanation: Explanation) -> Iterator[str]:
    if not explanation.gaps:
        return
    yield "what was not known:"
    for gap in explanation.gaps:
        yield f"  {gap_text(gap)}"


def gap_text(gap: Gap) -> str:
    """What was not known, and what that did."""
    text = f"{plain(gap.column)} is {gap.why}: {gap.effect}"
    if len(gap.if_known) == 1:
        return f"{text}; known, the answer would be {label(gap.if_known[0])} whatever it is"
    if gap.if_known:
        return f"{text}; known, the answer would be {' or '.join(map(label, gap.if_known))}"
    return text


def reason_lines(explanation: Explanation) -> Iterator[str]:
    """Conditions that are reason enough."""
    reason = explanation.reason
    about = "" if explanation.tolerance is None else _tolerance_text(explanation.tolerance)
    if not reason.conditions:
        yield f"reason: none is needed, every row gets this answer{about}"
        return
    yield f"reason enough, whatever the other columns hold{about}: {reason}"
    if not reason.is_minimal:
        yield "  (too much to try: some of it may be needless)"


def change_lines(explanation: Explanation) -> Iterator[str]:
    """The smallest change, if there is one."""
    change = explanation.change
    if change is not None:
        yield f"smallest change: {change}: then {label(change.answer)}"
    elif explanation.change_is_known:
        yield "smallest change: none leads to another answer"
    else:
        yield "smallest change: too much to try"


def _tolerance_text(tolerance: float) -> str:
    return f" (give or take {number_text(tolerance)})" if tolerance else ""


def _neighbour_lines(explanation: Explanation) -> Iterator[str]:
    if not explanation.neighbours:
        return
    yield "nearest training rows:"
    for one in explanation.neighbours:
        shown = ", ".join(
            f"{plain(name)} {'missing' if value is None else label(value)}"
            for name, value in one.values.items()
        )
        distance = number_text(one.distance, 3)
        yield f"  row {one.row} (distance {distance}), {label(one.target)}: {shown}"
