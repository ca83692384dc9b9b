"""Learning curve: the score by the number of training rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.evaluation.evaluate import judged_by
from treewright.evaluation.judging import (
    Judgment,
    Progress,
    fitted_copy,
    judge_fitted,
    later,
    side_by_side,
)
from treewright.evaluation.protocol import Protocol, several
from treewright.evaluation.resampled import score_interval
from treewright.evaluation.rows import rows_for
from treewright.evaluation.scores import TITLES
from treewright.evaluation.splits import Split, beginning
from treewright.intervals import Interval
from treewright.plain_text import aligned, interval_text, score_text
from treewright.protocols import Estimator
from treewright.result import Record, Result, records_of

SHARES = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurve(Result):
    """A measure on held-out rows and on the training rows, by the number of training rows."""

    measure: str
    scheme: str  # in words
    n_train: tuple[int, ...]
    held_out: tuple[Interval, ...]
    learned: tuple[Interval, ...]
    mean_leaves: tuple[float, ...]

    def _facts(self) -> Record:
        columns = {
            "n_train": self.n_train,
            "held_out": self.held_out,
            "learned": self.learned,
            "mean_leaves": self.mean_leaves,
        }
        return {"measure": self.measure, "scheme": self.scheme, "points": records_of(columns)}

    def to_text(self) -> str:
        """The points of the curve as a table."""
        lines = [["rows", "held out", "95 % interval", "training", "leaves"]]
        for n, out, own, leaves in zip(
            self.n_train, self.held_out, self.learned, self.mean_leaves, strict=True
        ):
            between = interval_text(out.low, out.high)
            size = "" if leaves != leaves else f"{leaves:.1f}"
            lines.append([str(n), score_text(out.mean), between, score_text(own.mean), size])
        return "\n".join([f"{TITLES[self.measure]}, {self.scheme}", "", *aligned(lines)])


def learning_curve(
    model: Estimator,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    shares: Sequence[float] = SHARES,
    measure: str | None = None,
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
) -> LearningCurve:
    """Evaluate a model on growing shares of the training rows of each split.

    The shares are drawn at random, class by class; a larger one contains the smaller ones. The
    held-out rows are the same for all.

    Parameters
    ----------
    shares
        Shares of the training rows.
    measure
        The measure to show; default accuracy, or root mean squared error for numbers.
    X, y, sample_weight, folds, repeats, hold_out, groups, times, stratified, costs
        As for `treewright.evaluate`.
    random_state, n_jobs, progress
        As for `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> curve = tw.learning_curve(tw.C45Classifier(), X, y, shares=(0.2, 1.0))
    >>> curve.n_train
    (27, 135)
    """
    shares = checked_shares(shares)
    rows = rows_for([model], X, y, sample_weight)
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    plan = protocol.plan(rows)
    measure, prices = judged_by(measure, [model], costs, rows)

    def judged(split: Split) -> tuple[Judgment, Judgment]:
        fitted, _ = fitted_copy(model, rows, split.train)
        own = Split(split.repeat, split.fold, split.train, split.train)
        out = judge_fitted(fitted, rows, split, costs=prices)
        return out, judge_fitted(fitted, rows, own, costs=prices)

    # For whole splits: small shares have fewer rows in common, so this is conservative.
    test_share = float(np.mean([len(split.test) / len(split.train) for split in plan]))

    def seen(judgments: Sequence[Judgment]) -> Interval:
        if measure not in judgments[0].measures:
            raise ParameterError(
                f"the model has no measure `{measure}`",
                hint=f"it has {', '.join(judgments[0].measures)}",
            )
        return score_interval(judgments, rows, prices, measure, test_share)

    found: dict[str, list[Any]] = {"n": [], "out": [], "own": [], "leaves": []}
    for number, share in enumerate(shares):
        splits = [beginning(split, share, rows.codes, protocol.random_state) for split in plan]
        shifted = later(progress, number * len(plan), len(shares) * len(plan))
        out, own = zip(*side_by_side(judged, splits, n_jobs, shifted), strict=True)
        found["n"].append(round(np.mean([len(split.train) for split in splits])))
        found["out"].append(seen(out))
        found["own"].append(seen(own))
        found["leaves"].append(float(np.mean([one.n_leaves for one in out])))
    words = protocol.in_words(plan, of_classes=rows.classes is not None)
    return LearningCurve(measure, words, *(tuple(values) for values in found.values()))


def checked_shares(shares: Any) -> tuple[float, ...]:
    """Shares of the rows, if they are."""
    found = several(shares, "shares", "(0.25, 0.5, 1.0)")
    if not all(isinstance(share, Real) and 0 < float(share) <= 1 for share in found):
        raise ParameterError(f"shares={found!r} is not allowed", hint="use numbers in (0, 1]")
    return found
