"""Drop parts of rules, and rules without which a list makes fewer errors on training rows.

A rule that describes its class well may still be wrong about most rows that reach it, if its class
is rare among them. C4.5rules therefore checks the finished list once more.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.rulesets.row_masks import Part, RowMasks

Indices = NDArray[np.intp]

ROUNDING = 1e-9  # relative to the total weight


@dataclass(frozen=True, slots=True, eq=False)
class LabeledRows:
    """The class and the weight of each training row."""

    codes: NDArray[np.integer]
    weights: Floats
    n_classes: int


def helpful_rules(covers: Sequence[Indices], predictions: Indices, rows: LabeledRows) -> list[int]:
    """The positions of the rules that stay."""
    harmful = {rule for rule, _ in harmful_rules(covers, predictions, rows)}
    return [rule for rule in range(len(covers)) if rule not in harmful]


def harmful_rules(
    covers: Sequence[Indices], predictions: Indices, rows: LabeledRows
) -> list[tuple[int, float]]:
    """The positions of the rules that are dropped, in turn, and the error weight that this saves.

    `covers` are the rows that each rule covers. The rule whose removal lowers the error weight on
    the training rows most is dropped, the first of equals, until none lowers it. The default is
    always the heaviest class among the rows that no rule covers.
    """
    queues = RuleQueues(covers, len(rows.codes))
    least = ROUNDING * float(rows.weights.sum())
    kept = np.ones(len(covers), dtype=np.bool_)
    dropped: list[tuple[int, float]] = []
    while kept.any():
        saved = np.where(kept, saved_without(queues, predictions, rows), -np.inf)
        best = float(saved.max())
        if best <= least:
            break
        worst_rule = int(np.flatnonzero(saved >= best - least)[0])
        kept[worst_rule] = False
        queues.drop(worst_rule)
        dropped.append((worst_rule, float(saved[worst_rule])))
    return dropped


class RuleQueues:
    """For each row, the rules that cover it, in order; the default comes last."""

    def __init__(self, covers: Sequence[Indices], n_rows: int) -> None:
        self.default = len(covers)
        lengths = np.zeros(n_rows, dtype=np.intp)
        for rows in covers:
            lengths[rows] += 1
        self._last = np.cumsum(lengths + 1) - 1
        self._queued = np.full(int((lengths + 1).sum()), self.default, dtype=np.int32)
        self._is_dropped = np.zeros(len(covers) + 1, dtype=np.bool_)
        self._first = self._last - lengths
        free = self._first.copy()
        for rule, rows in enumerate(covers):
            self._queued[free[rows]] = rule
            free[rows] += 1
        self._second = np.minimum(self._first + 1, self._last)

    @property
    def first(self) -> NDArray[np.int32]:
        """(n_rows,): the rule that predicts."""
        rules: NDArray[np.int32] = self._queued[self._first]
        return rules

    @property
    def second(self) -> NDArray[np.int32]:
        """(n_rows,): the rule that would predict without that one."""
        rules: NDArray[np.int32] = self._queued[self._second]
        return rules

    def drop(self, rule: int) -> None:
        """Remove a rule from all queues; each entry of a queue is passed only once."""
        self._is_dropped[rule] = True
        touched = np.flatnonzero((self.first == rule) | (self.second == rule))
        first = self._passed_on(self._first[touched])
        after_first = np.minimum(first + 1, self._last[touched])
        self._first[touched] = first
        self._second[touched] = self._passed_on(np.maximum(self._second[touched], after_first))

    def _passed_on(self, places: Indices) -> Indices:
        """The places, moved on to the next rule that has not been dropped."""
        waiting = np.flatnonzero(self._is_dropped[self._queued[places]])
        while len(waiting):
            places[waiting] += 1
            waiting = waiting[self._is_dropped[self._queued[places[waiting]]]]
        return places


def saved_without(queues: RuleQueues, predictions: Indices, rows: LabeledRows) -> Floats:
    """(n_rules,): how much lower the error weight is without each of the rules."""
    first, second, default = queues.first, queues.second, queues.default
    predictions = np.append(predictions, -1)  # the class of the default depends on its rows
    by_rule, by_next = first < default, second < default
    wrong_now = by_rule & (predictions[first] != rows.codes)
    wrong_then = by_next & (predictions[second] != rows.codes)
    change = rows.weights * (wrong_now.astype(np.int8) - wrong_then)
    saved = np.bincount(first, change, minlength=default + 1)[:-1]
    freed = ~by_next
    lines = first[freed].astype(np.intp) * rows.n_classes + rows.codes[freed]
    size = (default + 1) * rows.n_classes
    to_default = np.bincount(lines, rows.weights[freed], size).reshape(-1, rows.n_classes)
    uncovered = to_default[-1]
    result: Floats = saved + missed(uncovered) - missed(uncovered + to_default[:-1])
    return result


def missed(in_class: Floats) -> Floats:
    """The weight outside the most frequent class, in each row."""
    rest: Floats = in_class.sum(axis=-1) - in_class.max(axis=-1)
    return rest


NO_GAIN = 1e-12

# The error of a rule, from the weight that it covers and the weight of errors; less is better.
ErrorMeasure = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Measured:
    """A rule on the training rows."""

    weight: float  # that it covers
    errors: float  # of these, of other classes
    error: float  # what the measure makes of both


@dataclass(frozen=True, slots=True)
class Shortening:
    """A rule on its way to fewer parts."""

    parts: tuple[Part, ...]
    measures: tuple[list[float], ...]  # the fields of Measured, without each part and with all
    dropped: int | None  # the part to drop; None: the rule stays as it is

    @property
    def now(self) -> Measured:
        """The rule with all its parts."""
        return Measured(*(numbers[-1] for numbers in self.measures))

    @property
    def without(self) -> tuple[Measured, ...]:
        """The rule without each part."""
        return tuple(map(Measured, *self.measures))[:-1]


class Shortener:
    """Drops the parts of rules that do not improve them.

    Paths often come to a rule that another path came to before, so what is left of rules is
    remembered: for `adult` that saves half of the time.
    """

    def __init__(self, rows: RowMasks, error_of: ErrorMeasure, *, until_worse: bool) -> None:
        self._rows, self._error_of, self._until_worse = rows, error_of, until_worse
        self._numbers: dict[Part, int] = {}  # short keys: sets of levels are slow to compare
        self._left: dict[tuple[int, ...], tuple[Part, ...]] = {}

    def shorten(self, parts: Sequence[Part], prediction: int) -> tuple[Part, ...]:
        """The parts that are left of a rule; `shortenings` says which."""
        left, key = tuple(parts), self._key(parts, prediction)
        steps = shortenings(
            left, prediction, self._rows, self._error_of, until_worse=self._until_worse
        )
        met = []
        while (found := self._left.get(key)) is None:
            met.append(key)
            step = next(steps, None)
            if step is None or step.dropped is None:
                found = left
                break
            at = step.dropped
            left, key = left[:at] + left[at + 1 :], key[: at + 1] + key[at + 2 :]
        self._left.update(dict.fromkeys(met, found))
        return found

    def _key(self, parts: Sequence[Part], prediction: int) -> tuple[int, ...]:
        """The class, then the number of each part."""
        numbers = self._numbers
        return (prediction, *(numbers.setdefault(part, len(numbers)) for part in parts))


def shortenings(
    parts: Sequence[Part],
    prediction: int,
    rows: RowMasks,
    error_of: ErrorMeasure,
    *,
    until_worse: bool,
) -> Iterator[Shortening]:
    """What is compared before each part is dropped, and before the rule stays as it is.

    The part whose removal leaves the best rule is dropped, the first of equals, as long as the rule
    does not get worse (`until_worse`), or as long as it gets better.
    """
    if not parts:
        return
    parts = list(parts)
    masks = np.stack([rows.of_part(part) for part in parts])
    while parts:
        weights, errors = rows.weight_without_each(masks, prediction)
        scores = [*map(error_of, weights, errors)]
        best = scores.index(min(scores[:-1]))
        gain = scores[-1] - scores[best]
        stops = gain < -NO_GAIN or (gain <= NO_GAIN and not until_worse)
        yield Shortening(tuple(parts), (weights, errors, scores), None if stops else best)
        if stops:
            return
        del parts[best]
        masks[best:-1] = masks[best + 1 :]
        masks = masks[:-1]
