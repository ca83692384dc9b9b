"""tw.choose_threshold: from which probability on a class is predicted, chosen on held-out rows.

Of two classes, predicting one if its probability is above t is the same as predicting by least
expected cost, where a false positive costs t and a false negative costs 1 - t. So a threshold is
applied as costs, and whatever knows costs knows thresholds: files, exports, explanations.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import DataError, ParameterError, nearest
from treewright.estimators.base import Model
from treewright.estimators.class_costs import cost_matrix
from treewright.evaluation.evaluate import evaluated, prices_of
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Judgment, Progress
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.rows import EvaluationRows, rows_for
from treewright.plain_text import aligned, plain, score_text
from treewright.protocols import Estimator
from treewright.result import Record, Result, records_of

HALF = 0.5
DECIMALS = 9  # of shares: closer ones count as equal, which keeps thresholds away from them
MOST_POINTS = 200  # of the curve
MOST_LINES = 8  # of the curve as text


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Weights of rows by truth and prediction, one entry per threshold."""

    true_positives: Floats
    false_positives: Floats
    false_negatives: Floats
    true_negatives: Floats  # rows of the other class that are not predicted as this one
    false_positive_cost: float = np.nan
    false_negative_cost: float = np.nan

    @property
    def recall(self) -> Floats:
        return self.true_positives / (self.true_positives + self.false_negatives)

    @property
    def precision(self) -> Floats:
        """NaN if no row is predicted as the class."""
        return ratio(self.true_positives, self.true_positives + self.false_positives)

    @property
    def specificity(self) -> Floats:
        return self.true_negatives / (self.true_negatives + self.false_positives)

    @property
    def f1(self) -> Floats:
        found = 2 * self.true_positives
        return found / (found + self.false_positives + self.false_negatives)

    @property
    def balanced_accuracy(self) -> Floats:
        return (self.recall + self.specificity) / 2

    @property
    def youden(self) -> Floats:
        return self.recall + self.specificity - 1

    @property
    def total(self) -> Floats:
        of_class = self.true_positives + self.false_negatives
        return of_class + self.false_positives + self.true_negatives

    @property
    def accuracy(self) -> Floats:
        return (self.true_positives + self.true_negatives) / self.total

    @property
    def cost(self) -> Floats:
        """Mean cost of a row."""
        by_positives = self.false_positives * self.false_positive_cost
        by_negatives = self.false_negatives * self.false_negative_cost
        return (by_positives + by_negatives) / self.total


def ratio(above: Floats, below: Floats) -> Floats:
    """Quotients; NaN where the divisor is 0."""
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


GOALS: Mapping[str, Callable[[Counts], Floats]] = {
    "cost": lambda counts: counts.cost,
    "f1": lambda counts: counts.f1,
    "balanced_accuracy": lambda counts: counts.balanced_accuracy,
    "youden": lambda counts: counts.youden,
    "accuracy": lambda counts: counts.accuracy,
    "recall": lambda counts: counts.recall,
    "precision": lambda counts: counts.precision,
}
TITLES = {
    "cost": "cost",
    "f1": "F1",
    "balanced_accuracy": "balanced accuracy",
    "youden": "Youden's J",
    "accuracy": "accuracy",
    "recall": "recall",
    "precision": "precision",
}


@dataclass(frozen=True, slots=True)
class Goal:
    """What a threshold is chosen by: a measure, and limits on two others."""

    measure: str
    min_recall: float | None = None
    min_precision: float | None = None

    def scores(self, counts: Counts) -> Floats:
        """The measure at each threshold."""
        return GOALS[self.measure](counts)

    def best(self, counts: Counts, thresholds: Floats) -> int | None:
        """The place of the best threshold within the limits; of equals that nearest to 0.5."""
        scores = self.scores(counts)
        worth = -scores if self.measure == "cost" else np.nan_to_num(scores, nan=-1.0)
        allowed = np.ones(len(scores), dtype=bool)
        if self.min_recall is not None:
            allowed &= counts.recall >= self.min_recall
        if self.min_precision is not None:
            allowed &= counts.precision >= self.min_precision
        if not allowed.any():
            return None
        best = worth[allowed].max()
        # Sums of the same weights in another order may differ in the last digits.
        ties = allowed & (worth >= best - 1e-12 * max(1.0, abs(best)))
        places = np.flatnonzero(ties)
        return int(places[np.abs(thresholds[places] - HALF).argmin()])

    def in_words(self) -> str:
        """The goal for a sentence."""
        named = "least cost" if self.measure == "cost" else f"highest {TITLES[self.measure]}"
        limits = [
            f"{name} of at least {limit:g}"
            for name, limit in (("recall", self.min_recall), ("precision", self.min_precision))
            if limit is not None
        ]
        return f"{named} with a {' and a '.join(limits)}" if limits else named


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThresholdChoice(Result):
    """A threshold for one of two classes, and how the measures depend on it.

    `curve` has a point for each threshold: `threshold`, `score` (the goal), `recall`, `precision`,
    `predicted` (the share of rows that are predicted as the class) and `cost`.
    """

    label: Any  # the class that is predicted above the threshold
    other: Any
    threshold: float
    goal: Goal
    scheme: str  # of the held-out rows, in words
    score: float  # of the goal at the threshold, which is optimistic: it was chosen by it
    score_at_half: float  # at 0.5
    held_out_score: float  # with each fold's threshold chosen on the other folds; NaN for one split
    at: Mapping[str, float]  # the measures at the threshold
    at_half: Mapping[str, float]
    curve: Mapping[str, Floats]
    costs_given: tuple[float, float] | None = None  # of a false positive and of a false negative

    @property
    def costs(self) -> dict[Any, dict[Any, float]]:
        """What makes a model predict by this threshold: a false positive costs t, a false negative
        1 - t.
        """
        t = self.threshold
        return {self.other: {self.label: t}, self.label: {self.other: round(1 - t, 12)}}

    @property
    def threshold_by_costs(self) -> float | None:
        """The threshold that the given costs ask for if the probabilities are calibrated."""
        if self.costs_given is None:
            return None
        false_positive, false_negative = self.costs_given
        return false_positive / (false_positive + false_negative)

    def apply(self, model: Any) -> Any:
        """A copy of a fitted model that predicts by this threshold; nothing is trained again."""
        if not isinstance(model, Model):
            raise ParameterError(
                f"{type(model).__name__} has no costs to hold a threshold",
                hint="compare its probabilities with the threshold, or use "
                "`sklearn.model_selection.FixedThresholdClassifier`",
            )
        known = getattr(model.state_, "classes", None)
        if known is None or sorted(known.tolist()) != sorted([self.label, self.other]):
            raise DataError(
                f"the threshold is for the classes {self.label!r} and {self.other!r}, which are "
                "not those of the model",
                hint="choose a threshold with this model and its training rows",
            )
        return model.with_costs(self.costs)

    def _facts(self) -> Record:
        costs = self.costs_given
        return {
            "class": self.label,
            "threshold": self.threshold,
            "goal": self.goal.measure,
            "min_recall": self.goal.min_recall,
            "min_precision": self.goal.min_precision,
            "scheme": self.scheme,
            "false_positive_cost": None if costs is None else costs[0],
            "false_negative_cost": None if costs is None else costs[1],
            "threshold_by_costs": self.threshold_by_costs,
            "score": self.score,
            "score_at_half": self.score_at_half,
            "held_out_score": self.held_out_score,
            "at": dict(self.at),
            "at_half": dict(self.at_half),
            "curve": self._records(),
        }

    def _records(self) -> list[dict[str, Any]]:
        return records_of(self.curve)

    def to_text(self) -> str:
        """The threshold, the measures at 0.5 and at the threshold, and the curve."""
        t = f"{self.threshold:g}"
        lines = [
            f"predict {plain(str(self.label))} above a probability of {t}: "
            f"{self.goal.in_words()}, {self.scheme}",
            "",
            *aligned([["", "at 0.5", f"at {t}"], *self.compared()]),
        ]
        if not np.isnan(self.held_out_score):
            lines += [
                "",
                f"{TITLES[self.goal.measure]} of folds whose threshold the other folds chose: "
                f"{score_text(self.held_out_score)}",
            ]
        if self.threshold_by_costs is not None:
            lines += [
                "",
                "with calibrated probabilities, these costs would ask for a threshold of "
                f"{self.threshold_by_costs:.4g}",
            ]
        return "\n".join([*lines, "", *aligned(self.shown_curve())])

    def compared(self) -> list[list[str]]:
        """Each measure at 0.5 and at the threshold."""
        return [
            [TITLES.get(name, name), score_text(self.at_half[name]), score_text(value)]
            for name, value in self.at.items()
        ]

    def shown_curve(self) -> list[list[str]]:
        """Some points of the curve as a table with titles; the chosen one is among them."""
        curve = self.curve
        n_points = len(curve["threshold"])
        shown = spread(n_points, MOST_LINES, np.flatnonzero(curve["threshold"] == self.threshold))
        names = [name for name in curve if name != "score"]
        head = [TITLES.get(name, name) for name in names]
        return [head, *([score_text(float(curve[name][at])) for name in names] for at in shown)]


def choose_threshold(
    model: Estimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    goal: str | None = None,
    label: Any = None,
    min_recall: float | None = None,
    min_precision: float | None = None,
    folds: Any = 10,
    repeats: int = 1,
    hold_out: float | None = None,
    groups: Any = None,
    times: Any = None,
    stratified: bool = True,
    costs: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ThresholdChoice:
    """Choose from which probability on a model of two classes predicts one of them.

    Copies of the model predict rows that they were not trained on, as in `treewright.evaluate`.
    All thresholds between the predicted probabilities are compared on these rows. `apply` puts the
    chosen threshold into a fitted model.

    Parameters
    ----------
    model
        A classifier with `predict_proba`, fitted or not.
    goal
        What to optimize: "cost", "f1", "balanced_accuracy", "youden" (recall + specificity - 1),
        "accuracy", "precision" (with `min_recall`) or "recall" (with `min_precision`). None means
        "cost" if there are costs, "precision" with `min_recall`, "recall" with `min_precision`, and
        otherwise "balanced_accuracy".
    label
        The class to predict above the threshold; None takes the last of `classes_`.
    min_recall, min_precision
        Only thresholds with at least this recall or precision of the class are allowed.
    costs
        What errors cost, as in the classifiers; None uses the costs of the model.
    X, y, sample_weight, folds, repeats, hold_out, groups, times, stratified
        As for `treewright.evaluate`.
    random_state, n_jobs, progress
        As for `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("loans")
    >>> X = X.drop("loan")  # an id
    >>> model = tw.RandomForestClassifier(n_estimators=30)
    >>> choice = tw.choose_threshold(model, X, y, costs={"yes": 5, "no": 1}, folds=5)
    >>> choice.goal.measure, choice.score < choice.score_at_half
    ('cost', True)
    >>> fitted = choice.apply(model.fit(X, y))
    >>> bool(sum(fitted.predict(X) == "yes") > sum(model.predict(X) == "yes"))
    True
    """
    rows = rows_for([model], X, y, sample_weight)
    check_two_classes(rows)
    if costs is not None:
        assert rows.classes is not None
        costs = cost_matrix(costs, rows.classes)
    prices = prices_of([model], costs, rows)
    wish = checked_goal(goal, min_recall, min_precision, has_costs=prices is not None)
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    found = evaluated(model, rows, protocol, costs=prices, n_jobs=n_jobs, progress=progress)
    return threshold_of(found, wish, label)


def check_two_classes(rows: EvaluationRows) -> None:
    """Raise unless the rows have two classes."""
    n_classes = 0 if rows.classes is None else len(rows.classes)
    if rows.classes is None:
        raise ParameterError("a threshold is for classes, and numbers are predicted here")
    if n_classes != 2:
        found = "one class" if n_classes == 1 else f"{n_classes} classes"
        hint = "give rows of two classes" if n_classes == 1 else "use `costs` of the classifier"
        raise DataError(f"a threshold is for two classes, and y has {found}", hint=hint)


def checked_goal(goal: str | None, min_recall: Any, min_precision: Any, *, has_costs: bool) -> Goal:
    """The goal that the arguments ask for."""
    for name, limit in (("min_recall", min_recall), ("min_precision", min_precision)):
        is_number = isinstance(limit, Real) and not isinstance(limit, bool)
        is_share = is_number and 0 < float(limit) <= 1
        if limit is not None and not is_share:
            raise ParameterError(
                f"{name}={limit!r} is not allowed", hint="use a share above 0, at most 1"
            )
    if goal is None:
        if min_recall is not None and min_precision is None:
            goal = "precision"
        elif min_precision is not None and min_recall is None:
            goal = "recall"
        else:
            goal = "cost" if has_costs else "balanced_accuracy"
    if goal not in GOALS:
        raise ParameterError(
            f"goal={goal!r} is not known", hint=nearest(str(goal), list(GOALS), "goals")
        )
    if goal == "cost" and not has_costs:
        raise ParameterError(
            "the goal `cost` needs costs", hint='give costs={"yes": 5, "no": 1}, or another goal'
        )
    needed = {"recall": "min_precision", "precision": "min_recall"}.get(goal)
    if needed and (min_precision if goal == "recall" else min_recall) is None:
        extreme = "all rows" if goal == "recall" else "almost no rows"
        raise ParameterError(
            f"the highest {goal} alone predicts the class for {extreme}",
            hint=f"give {needed}, such as {needed}=0.8",
        )
    return Goal(goal, min_recall, min_precision)


def threshold_of(found: Evaluation, goal: Goal, label: Any = None) -> ThresholdChoice:
    """The threshold that the held-out probabilities of an evaluation of two classes ask for."""
    check_two_classes(found.rows)
    assert found.classes is not None
    if label is not None and label not in found.classes:
        raise ParameterError(
            f"no class {label!r} here",
            hint=nearest(str(label), [str(one) for one in found.classes], "classes"),
        )
    code = 1 if label is None else found.classes.index(label)
    if found.judgments[0].shares is None:
        raise ParameterError(
            f"{found.model} predicts no class probabilities", hint="use a model that does"
        )
    prices = error_costs(found.costs, code)
    thresholds, counts = counted(found.judgments, found.rows, code, prices)
    best = goal.best(counts, thresholds)
    if best is None:
        raise DataError(no_threshold(goal, counts), hint="ask for less, or use a better model")
    half = counts_above(found.judgments, found.rows, code, [HALF] * found.n_splits, prices)
    scores = goal.scores(counts)
    points = spread(len(thresholds), MOST_POINTS, np.array([best]))
    curve = {"threshold": thresholds[points], "score": scores[points]}
    curve |= {name: values[points] for name, values in measures(counts).items()}
    return ThresholdChoice(
        label=found.classes[code],
        other=found.classes[1 - code],
        threshold=float(thresholds[best]),
        goal=goal,
        scheme=found.scheme,
        score=float(scores[best]),
        score_at_half=float(goal.scores(half)[0]),
        held_out_score=held_out_score(found, goal, code, prices, float(thresholds[best])),
        at={name: float(values[best]) for name, values in measures(counts).items()},
        at_half={name: float(values[0]) for name, values in measures(half).items()},
        curve=curve,
        costs_given=prices,
    )


def error_costs(costs: Floats | None, code: int) -> tuple[float, float] | None:
    """What a false positive and a false negative cost beyond a correct prediction.

    None if one of them costs nothing.
    """
    if costs is None:
        return None
    false_positive, false_negative = (
        float(costs[i, 1 - i] - costs[i, i]) for i in (1 - code, code)
    )
    return (false_positive, false_negative) if min(false_positive, false_negative) > 0 else None


def measures(counts: Counts) -> dict[str, Floats]:
    """The measures that people ask for, in the order in which they are shown."""
    predicted = (counts.true_positives + counts.false_positives) / counts.total
    found = {
        "recall": counts.recall,
        "precision": counts.precision,
        "predicted": predicted,
        "f1": counts.f1,
        "balanced_accuracy": counts.balanced_accuracy,
    }
    return found if np.isnan(counts.false_negative_cost) else {**found, "cost": counts.cost}


def held_out(
    judgments: Sequence[Judgment], rows: EvaluationRows, code: int
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """The share of the class, whether a row is of it, and the weight, for all held-out rows."""
    assert rows.codes is not None
    tests = [one.split.test for one in judgments]
    shares = [one.shares[:, code] for one in judgments if one.shares is not None]
    test = np.concatenate(tests)
    return np.concatenate(shares), rows.codes[test] == code, rows.weight_of_rows[test]


def counted(
    judgments: Sequence[Judgment],
    rows: EvaluationRows,
    code: int,
    prices: tuple[float, float] | None,
) -> tuple[Floats, Counts]:
    """Every threshold that divides the held-out rows in another way, and what it leads to.

    A row of share 0 is never predicted as the class, and one of share 1 always.
    """
    shares, is_class, weights = held_out(judgments, rows, code)
    ends = np.array([0.0, 1.0])
    values, place = np.unique(np.concatenate([ends, shares.round(DECIMALS)]), return_inverse=True)
    place = place[len(ends) :]

    def above(chosen: NDArray[np.bool_]) -> Floats:
        """The weight of rows beyond each threshold."""
        by_value = np.bincount(place[chosen], weights[chosen], len(values))
        sums: Floats = by_value[::-1].cumsum()[::-1][1:]
        return sums

    true_positives, false_positives = above(is_class), above(~is_class)
    in_class, in_other = float(weights[is_class].sum()), float(weights[~is_class].sum())
    if in_class == 0 or in_other == 0:
        raise DataError("the held-out rows of one class have no weight", hint="use other folds")
    counts = Counts(
        true_positives,
        false_positives,
        np.maximum(in_class - true_positives, 0.0),
        np.maximum(in_other - false_positives, 0.0),
        *(prices or ()),
    )
    return thresholds_between(values[:-1], values[1:]), counts


def thresholds_between(low: Floats, high: Floats) -> Floats:
    """A number between each pair: the shortest decimal near the middle.

    >>> thresholds_between(np.array([0.0, 0.25]), np.array([0.25, 0.251])).tolist()
    [0.1, 0.2505]
    """
    middle = (low + high) / 2
    found, is_open = middle.copy(), np.ones(len(middle), dtype=bool)
    for decimals in range(1, DECIMALS):
        rounded = middle.round(decimals)
        fits = is_open & (low < rounded) & (rounded < high)
        found[fits] = rounded[fits]
        is_open &= ~fits
    return found


def counts_above(
    judgments: Sequence[Judgment],
    rows: EvaluationRows,
    code: int,
    thresholds: Sequence[float],
    prices: tuple[float, float] | None,
) -> Counts:
    """The counts over all held-out rows, with a threshold for each split."""
    sums = np.zeros(4)
    for judgment, threshold in zip(judgments, thresholds, strict=True):
        shares, is_class, weights = held_out([judgment], rows, code)
        shares = shares.round(DECIMALS)
        is_above = shares > threshold if code else shares >= threshold  # ties: the first class
        kinds = np.where(is_class, np.where(is_above, 0, 2), np.where(is_above, 1, 3))
        sums += np.bincount(kinds, weights, 4)
    true_positives, false_positives, false_negatives, true_negatives = sums[:, np.newaxis]
    return Counts(true_positives, false_positives, false_negatives, true_negatives, *(prices or ()))


def held_out_score(
    found: Evaluation,
    goal: Goal,
    code: int,
    prices: tuple[float, float] | None,
    usual: float,
) -> float:
    """The goal where the threshold of each fold is chosen on the other folds of its repeat.

    Where no threshold of the others keeps within the limits, the `usual` one is used.
    """
    judgments = found.judgments
    chosen = []
    for judgment in judgments:
        split = judgment.split
        others = [
            one
            for one in judgments
            if one.split.repeat == split.repeat and one.split.fold != split.fold
        ]
        if not others:
            return float("nan")
        try:
            thresholds, counts = counted(others, found.rows, code, prices)
        except DataError:  # one class is in this fold only
            return float("nan")
        best = goal.best(counts, thresholds)
        chosen.append(usual if best is None else float(thresholds[best]))
    counts = counts_above(judgments, found.rows, code, chosen, prices)
    return float(goal.scores(counts)[0])


def no_threshold(goal: Goal, counts: Counts) -> str:
    """Why no threshold is allowed."""
    if goal.min_recall is not None and goal.min_precision is not None:
        return (
            f"no threshold has a recall of at least {goal.min_recall:g} and a precision of at "
            f"least {goal.min_precision:g}"
        )
    name = "recall" if goal.min_precision is None else "precision"
    limit = goal.min_recall if goal.min_precision is None else goal.min_precision
    most = float(np.nanmax(GOALS[name](counts), initial=0.0))
    return f"no threshold has a {name} of at least {limit:g}; the highest is {score_text(most)}"


def spread(n_points: int, most: int, always: NDArray[np.intp]) -> NDArray[np.intp]:
    """At most about so many positions, evenly spread, and some that must be among them.

    >>> spread(10, 4, np.array([5])).tolist()
    [0, 3, 5, 6, 9]
    """
    if n_points <= most:
        return np.arange(n_points)
    evenly = np.linspace(0, n_points - 1, most).round().astype(np.intp)
    return np.union1d(evenly, always)
