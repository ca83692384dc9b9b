"""tw.evaluate: judge a model by cross-validation, hold-out, groups or time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, ParameterError
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Progress, judged_splits
from treewright.evaluation.rows import EvaluationRows, rows_for
from treewright.evaluation.splits import (
    Plan,
    given_folds,
    grouped_folds,
    hold_out,
    k_folds,
    ordered_folds,
)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Protocol:
    """How rows are divided to judge a model."""

    folds: Any = 10  # a number, or fold numbers, one per row
    repeats: int = 1
    hold_out: float | None = None  # a share of the rows, in place of folds
    groups: Any = None  # rows of a group stay together
    times: Any = None  # later rows are foretold from earlier ones
    stratified: bool = True  # every fold has its share of each class
    random_state: int = 0

    def plan(self, rows: EvaluationRows) -> Plan:
        """The splits of these rows."""
        self._check()
        n_rows, seed = rows.n_rows, self.random_state
        strata = rows.codes if self.stratified else None
        if self.hold_out is not None:
            return hold_out(n_rows, self.hold_out, n_repeats=self.repeats, strata=strata, seed=seed)
        if not isinstance(self.folds, int | np.integer):
            return given_folds(self.folds, n_rows)
        n_folds = int(self.folds)
        if self.groups is not None:
            groups = one_per_row(self.groups, n_rows, "groups")
            return grouped_folds(groups, n_folds, n_repeats=self.repeats, seed=seed)
        if self.times is not None:
            return ordered_folds(one_per_row(self.times, n_rows, "times"), n_folds)
        return k_folds(n_rows, n_folds, n_repeats=self.repeats, strata=strata, seed=seed)

    def _check(self) -> None:
        ways = [self.hold_out is not None, self.groups is not None, self.times is not None]
        if sum(ways) > 1:
            raise ParameterError(
                "hold_out, groups and times exclude each other", hint="give one of them"
            )
        if self.times is not None and self.repeats != 1:
            raise ParameterError("time has one order: repeats must be 1", hint="leave it out")

    def in_words(self, plan: Plan) -> str:
        """The scheme as a report names it."""
        n_folds = len(plan) // plan.n_repeats
        times_over = f", repeated {plan.n_repeats} times" if plan.n_repeats > 1 else ""
        if self.hold_out is not None:
            return f"{self.hold_out:.0%} of the rows held out{times_over}"
        if not isinstance(self.folds, int | np.integer):
            return f"{n_folds} given folds{times_over}"
        if self.times is not None:
            return f"{n_folds} folds in the order of time"
        how = "by groups" if self.groups is not None else ""
        how = how or ("stratified" if self.stratified else "at random")
        return f"{n_folds}-fold cross-validation {how}{times_over}".replace("  ", " ")


def one_per_row(values: Any, n_rows: int, name: str) -> NDArray[Any]:
    """Values of any kind that can be compared, one per row."""
    array = np.asarray(values)
    if array.ndim != 1 or len(array) != n_rows:
        raise DataError(f"{name} has shape {array.shape}, the table {n_rows} rows")
    return array


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    folds: Any = 10,
    repeats: int = 1,
    hold_out: float | None = None,
    groups: Any = None,
    times: Any = None,
    stratified: bool = True,
    costs: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Judge a model on rows that it did not learn from.

    Each split fits a fresh copy; whatever the model does to the data in advance it does inside the
    split. The same arguments give the same splits and scores on any number of threads.

    Parameters
    ----------
    model
        A classifier or regressor, fitted or not: a tree, or any estimator of scikit-learn's kind.
    X, y, sample_weight
        The rows. Weights count in learning and in every score.
    folds
        A number of folds, or the fold of each row (one line for each repeat).
    repeats
        How often all rows are dealt out anew; 10 x 10 folds are `folds=10, repeats=10`.
    hold_out
        A share of the rows to hold out, in place of folds.
    groups
        One value per row: rows of a group are never divided.
    times
        One value per row: later rows are judged on, earlier ones learnt from.
    stratified
        Whether each fold gets its share of every class.
    costs
        costs[i][j]: the price of predicting class j for a row of class i (sorted classes); adds the
        measure "cost".
    random_state
        Seed of the splits.
    n_jobs
        Splits that run side by side; None takes all cores.
    progress
        Called with (splits done, splits in all).

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> result = tw.evaluate(tw.CARTClassifier(), X, y, folds=10, repeats=2)
    >>> print(result.scheme)
    10-fold cross-validation stratified, repeated 2 times
    >>> found = result.interval("accuracy")
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    (0.93, 0.877, 0.983)
    """
    rows = rows_for([model], X, y, sample_weight)
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    return evaluated(model, rows, protocol, costs=costs, n_jobs=n_jobs, progress=progress)


def evaluated(
    model: Any,
    rows: EvaluationRows,
    protocol: Protocol,
    *,
    name: str = "",
    costs: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """A model on rows that are read already."""
    plan = protocol.plan(rows)
    prices = checked_costs(costs, rows)
    judgements = judged_splits(model, rows, plan, costs=prices, n_jobs=n_jobs, progress=progress)
    classes = None if rows.classes is None else tuple(rows.classes.tolist())
    return Evaluation(
        name or type(model).__name__,
        protocol.in_words(plan),
        classes,
        tuple(judgements),
        plan,
        rows,
    )


def checked_costs(costs: Any, rows: EvaluationRows) -> FloatArray | None:
    """A price for each pair of classes."""
    if costs is None:
        return None
    if rows.classes is None:
        raise ParameterError("costs are for classes, and numbers are predicted here")
    prices = np.asarray(costs, dtype=np.float64)
    n_classes = len(rows.classes)
    if prices.shape != (n_classes, n_classes) or not np.isfinite(prices).all():
        raise ParameterError(
            f"costs has shape {prices.shape}", hint=f"give {n_classes} x {n_classes} numbers"
        )
    return prices
