"""The verdict: is a model better than guessing, and by how much?

Guessing is always predicting the most frequent class of the training rows (with costs the cheapest
class), or their mean. It is scored on the same test rows as the model. Over several splits the
differences get the corrected resampled t-test of Nadeau and Bengio (2003) and its interval; on a
single set of test rows they are compared row by row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.formats import PLAIN, Format
from treewright.distributions import normal_below
from treewright.evaluation.judging import Judgment
from treewright.evaluation.resampled import compared, interval, row_values
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.scores import (
    ERRORS,
    TITLES,
    JudgedClasses,
    class_measures,
    number_measures,
)
from treewright.intervals import Interval, mean_interval
from treewright.plain_text import number_text, percent, plain, score_text, truncated
from treewright.result import Record, Result

FEWEST_ROWS = 20  # of fewer, the scores of both are luck, and no test is made
CLEAR = 0.05  # p-values below it are called a difference
IN_POINTS = ("accuracy", "balanced_accuracy")  # shown as percentages
IN_UNITS = ("rmse", "mae")  # errors in the unit of the target
IN_PERCENT = IN_UNITS  # differences are shown as a share of the error of guessing
LARGE = 0.05  # a gain from here on is not called nothing, however few the rows are
WIDE = 4.0  # points: a wider interval is shown without decimals
LONGEST_CLASS = 30  # characters
MUCH_SMALLER = 0.7  # a tree with this share of the leaves is worth a word
NEGLIGIBLE = 0.01  # differences up to this make no difference in practice


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Result):
    """A model compared with guessing; `str()` is one sentence.

    `gain` is how much better the model is, in units of the measure: positive is better, also for
    errors. `p_value` is two-sided; it is NaN where there are too few rows for a test.
    """

    measure: str
    score: float
    guess: str  # what guessing predicts
    guess_score: float
    gain: Interval
    p_value: float
    scheme: str  # how the scores were made, in words
    auc: float = math.nan  # if the probabilities beat the class shares though the classes do not
    mean_error: float = math.nan  # mean absolute error, if numbers are predicted
    target_format: Format = PLAIN  # how the table writes these numbers

    @property
    def is_better(self) -> bool:
        """Whether the model is better than guessing, beyond chance."""
        return self.p_value < CLEAR and self.gain.mean > 0

    @property
    def words(self) -> str:
        """The verdict alone, without the scores."""
        if math.isnan(self.p_value):
            return "not compared with guessing (too few rows)"
        low, high = self.gain.low, self.gain.high
        if self.p_value >= CLEAR:
            gain, ends = self._amounts(self.gain.mean, low, high)
            word = "not clearly" if self.gain.mean > self._large else "no"
            return f"{word} better than guessing (difference {gain}, 95 % CI: {ends})"
        if self.gain.mean < 0:
            low, high = -high, -low
        gain, ends = self._amounts(abs(self.gain.mean), low, high)
        word = "better" if self.gain.mean > 0 else "worse"
        return f"{word} than guessing by {gain} (95 % CI: {ends})"

    def to_text(self) -> str:
        """The verdict, then the scores that it is based on."""
        ours, theirs = self._score_text(self.score), self._score_text(self.guess_score)
        text = f"{self.words}: {self._title} {ours} vs. {theirs} for always predicting {self.guess}"
        if self.measure == "rmse" and not math.isnan(self.mean_error):
            off_by = amount_text("mae", self.mean_error, self.target_format)
            return f"{text}; off by {off_by} on average"
        if math.isnan(self.auc):
            return text
        return f"{text}; its probabilities still separate the classes (AUC {self.auc:.2f})"

    def __repr__(self) -> str:
        return f"<Verdict: {self.words}>"

    @property
    def _large(self) -> float:
        """A gain that would matter if more rows confirmed it."""
        return LARGE * (self.guess_score if self.measure in ERRORS else 1.0)

    @property
    def _title(self) -> str:
        return "RMSE" if self.measure == "rmse" else TITLES[self.measure]

    def _score_text(self, score: float) -> str:
        if self.measure in IN_POINTS:
            return percent(score)
        return amount_text(self.measure, score, self.target_format)

    def _amounts(self, gain: float, low: float, high: float) -> tuple[str, str]:
        """The difference and the ends of its interval, in a unit that people know."""
        if self.measure in IN_POINTS or (self.measure in IN_PERCENT and self.guess_score > 0):
            by = 1.0 if self.measure in IN_POINTS else self.guess_score
            unit = "points" if self.measure in IN_POINTS else "%"
            gain, low, high = (100 * value / by for value in (gain, low, high))
            decimals = 1 if high - low < WIDE else 0
            texts = [number_text(value, decimals) for value in (gain, low, high)]
            unit = "point" if unit == "points" and texts[0] == "1" else unit
            return f"{texts[0]} {unit}", f"{texts[1]} to {texts[2]}"
        return score_text(gain), f"{score_text(low)} to {score_text(high)}"

    def _facts(self) -> Record:
        return {
            "text": self.to_text(),
            "is_better": self.is_better,
            "measure": self.measure,
            "score": self.score,
            "guess": self.guess,
            "guess_score": self.guess_score,
            "gain": self.gain.mean,
            "low": self.gain.low,
            "high": self.gain.high,
            "p_value": self.p_value,
            "scheme": self.scheme,
        }


def amount_text(measure: str, score: float, form: Format) -> str:
    """A score; an error in the unit of the target as the table writes it.

    >>> amount_text("mae", 4200.4, Format(before="$", thousands=",")), amount_text("r2", 0.5, PLAIN)
    ('$4,200', '0.5000')
    """
    if measure not in IN_UNITS or form == PLAIN or math.isnan(score):
        return score_text(score)
    return form.value_text(score)


def verdict_on(
    judgments: Sequence[Judgment],
    rows: EvaluationRows,
    costs: Floats | None,
    *,
    measure: str,
    test_share: float,
    scheme: str,
) -> Verdict:
    """Compare the scores of a model with those of guessing on the same splits."""
    guesses = [guessed(rows, one, costs) for one in judgments]
    found = Verdict(
        measure,
        mean_of(judgments, measure),
        guess_in_words(rows, costs),
        mean_of(guesses, measure),
        *gain_and_p(judgments, guesses, rows, costs, measure=measure, test_share=test_share),
        scheme,
    )
    if rows.classes is None:
        found = replace(
            found, mean_error=mean_of(judgments, "mae"), target_format=rows.target_format
        )
    if rows.n_rows < FEWEST_ROWS:
        gain = Interval(found.gain.mean, math.nan, math.nan)
        return replace(found, gain=gain, p_value=math.nan)
    if found.is_better or measure != "accuracy" or "auc" not in judgments[0].measures:
        return found
    # Where one class is rare, a useful model may never predict it.
    gain, p = gain_and_p(judgments, guesses, rows, costs, measure="brier", test_share=test_share)
    separates = p < CLEAR and gain.mean > 0
    return replace(found, auc=mean_of(judgments, "auc")) if separates else found


def mean_of(judgments: Sequence[Judgment], measure: str) -> float:
    """Mean over the splits that define the measure."""
    scores = np.array([one.measures[measure] for one in judgments])
    defined = scores[~np.isnan(scores)]
    return float(defined.mean()) if len(defined) else math.nan


def guessed(rows: EvaluationRows, judged: Judgment, costs: Floats | None) -> Judgment:
    """The scores of guessing on the test rows of a split.

    The guess is learned from the training rows. A model that was tested as it is has none here;
    then the test rows themselves are used, which is the best that guessing could be.
    """
    split = judged.split
    test, learned = split.test, split.train if len(split.train) else split.test
    weights, held = rows.weight_of_rows[learned], rows.weight_of_rows[test]
    if rows.classes is None:
        mean = float(np.average(rows.y[learned], weights=weights))
        numbers = np.full(len(test), mean)
        measures = number_measures(rows.y[test], numbers, held)
        return replace(judged, measures=measures, predicted=numbers)
    assert rows.codes is not None
    totals = np.bincount(rows.codes[learned], weights, len(rows.classes)).astype(np.float64)
    codes = np.full(len(test), most_frequent(totals, costs), dtype=np.intp)
    shares = np.broadcast_to(totals / totals.sum(), (len(test), len(totals)))
    every = JudgedClasses(rows.codes[test], codes, shares, held, len(totals))
    return replace(judged, measures=class_measures(every, costs), predicted=codes, shares=shares)


def most_frequent(totals: NDArray[Any], costs: Floats | None) -> int:
    """The class that guessing predicts: of equals the first; with costs the cheapest."""
    return int(totals.argmax()) if costs is None else int((totals @ costs).argmin())


def guess_in_words(rows: EvaluationRows, costs: Floats | None) -> str:
    """What guessing predicts from all rows."""
    if rows.classes is None:
        return "the mean"
    totals = np.bincount(rows.codes, rows.weight_of_rows, len(rows.classes))  # type: ignore[arg-type]
    label = rows.classes[most_frequent(totals, costs)]
    return f"`{truncated(plain(str(label)), LONGEST_CLASS)}`"


def gain_and_p(
    judgments: Sequence[Judgment],
    guesses: Sequence[Judgment],
    rows: EvaluationRows,
    costs: Floats | None,
    *,
    measure: str,
    test_share: float,
) -> tuple[Interval, float]:
    """How much better the judgments are, with an interval and a p-value."""
    sign = -1.0 if measure in ERRORS else 1.0
    if len(judgments) == 1:
        return gain_over_rows(judgments[0], guesses[0], rows, costs, measure=measure)
    ours, theirs = (
        np.array([one.measures[measure] for one in each]) for each in (judgments, guesses)
    )
    difference = sign * (ours - theirs)
    return interval(difference, test_share), compared(measure, difference, test_share).p_value


def gain_over_rows(
    judged: Judgment,
    guess: Judgment,
    rows: EvaluationRows,
    costs: Floats | None,
    *,
    measure: str,
) -> tuple[Interval, float]:
    """The same on one set of test rows: the mean of the differences of its rows.

    There is no interval where the measure is no mean over rows. Squared errors are compared for the
    RMSE, and the ends of their interval become ends of its own.
    """
    sign = -1.0 if measure in ERRORS else 1.0
    gain = sign * (judged.measures[measure] - guess.measures[measure])
    ours, theirs = (values_of(one, rows, measure, costs) for one in (judged, guess))
    if ours is None or theirs is None or len(ours) < 2:
        return Interval(gain, math.nan, math.nan), math.nan
    weights = rows.weight_of_rows[judged.split.test]
    difference = sign * (ours - theirs)
    mean = float(np.average(difference, weights=weights))
    error = float(np.sqrt(((weights * (difference - mean)) ** 2).sum()) / weights.sum())
    if error == 0:
        return Interval(gain, gain, gain), 0.0 if mean else 1.0
    low, high = mean_interval(mean, error)
    if measure == "rmse":
        of_guess = guess.measures["rmse"]
        low, high = (of_guess - math.sqrt(max(of_guess**2 - end, 0.0)) for end in (low, high))
    return Interval(gain, float(low), float(high)), 2 * normal_below(-abs(mean / error))


def values_of(
    judged: Judgment, rows: EvaluationRows, measure: str, costs: Floats | None
) -> Floats | None:
    """What the measure is the mean of, row by row; None if it is no mean over rows."""
    if measure == "accuracy":
        assert rows.codes is not None
        return np.asarray(judged.predicted == rows.codes[judged.split.test], dtype=np.float64)
    return row_values(judged, rows, measure, costs)


@dataclass(frozen=True, slots=True)
class SizedScores:
    """The scores of a tree on each split, and how large it is."""

    name: str
    n_leaves: float
    scores: Floats
    noun: str = "tree"

    @property
    def words(self) -> str:
        return f"the {round(self.n_leaves):,}-leaf {self.noun} ({plain(self.name)})"


def smaller_and_as_good(
    best: SizedScores, others: Sequence[SizedScores], measure: str, test_share: float
) -> str:
    """A sentence about the smallest tree that is as good as the best one; "" if there is none.

    As good means: not clearly worse by the corrected resampled t-test, and on average worse by at
    most 0.01 (for errors 1 %).

    >>> small = SizedScores("c45", 12, np.array([0.90, 0.92, 0.91]))
    >>> large = SizedScores("cart", 697, np.array([0.91, 0.91, 0.92]))
    >>> smaller_and_as_good(large, [small], "accuracy", 0.5)
    'the 12-leaf tree (c45) is as good as the 697-leaf tree (cart)'
    """
    limit = NEGLIGIBLE * (abs(float(np.nanmean(best.scores))) if measure in ERRORS else 1.0)
    sign = -1.0 if measure in ERRORS else 1.0
    for other in sorted(others, key=lambda one: one.n_leaves):
        if not 0.5 <= other.n_leaves <= MUCH_SMALLER * best.n_leaves:
            continue
        found = compared(measure, sign * (best.scores - other.scores), test_share)
        is_clear = found.p_value < CLEAR and found.difference > 0
        if found.difference <= limit and not is_clear:
            return f"{other.words} is as good as {best.words}"
    return ""
