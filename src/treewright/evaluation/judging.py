"""One model on one split: fit, predict, score."""

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright._kernels.shared_work import elsewhere, shared_work
from treewright.arrays import Floats
from treewright.errors import DataError, ParameterError, listed
from treewright.estimators.base import Model
from treewright.estimators.threads import become_worker, n_threads
from treewright.evaluation.cv_and_scoring import Scorer, with_scores
from treewright.evaluation.rows import EvaluationRows, needs_all_classes, takes_tables
from treewright.evaluation.scores import (
    JudgedClasses,
    class_measures,
    measures_by_class,
    number_measures,
)
from treewright.evaluation.splits import Split, is_whole
from treewright.protocols import Estimator, Predictor, ProbabilityPredictor
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.rule_set import RuleSet
from treewright.verbs.predictions import classes_of, predictions_of, probabilities_of
from treewright.verbs.prune import later_pruning

Progress = Callable[[int, int], None]  # (done, all)
NO_SCORERS: Mapping[str, Scorer | None] = MappingProxyType({})
Thing = TypeVar("Thing")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Thing], Result],
    things: Sequence[Thing],
    n_jobs: int | None,
    progress: Progress | None = None,
) -> list[Result]:
    """The results of `work` for each item, computed in parallel threads, or by a cluster.

    >>> side_by_side(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ParameterError(
            f"n_jobs={n_jobs!r} is not allowed", hint="use 1 or more, or None for all cores"
        )
    if (others := elsewhere.get()) is not None:
        return others.spread(work, things, progress)
    n_workers = max(1, min(n_threads(n_jobs, worth_it=True), len(things)))
    if n_workers == 1:  # in this thread, where Ctrl-C works at once
        return collected(map(work, things), len(things), progress)
    with shared_work(work, things, n_workers, become_worker) as results:
        return collected(results, len(things), progress)


def collected(results: Iterable[Result], in_all: int, progress: Progress | None) -> list[Result]:
    """All results; progress is reported after each."""
    done: list[Result] = []
    for result in results:
        done.append(result)
        if progress is not None:
            progress(len(done), in_all)
    return done


def later(progress: Progress | None, before: int, in_all: int) -> Progress | None:
    """The progress of work that begins after `before` of `in_all` steps."""
    if progress is None:
        return None
    whole = progress
    return lambda done, _: whole(before + done, in_all)


@dataclass(frozen=True, slots=True, eq=False)
class Judgment:
    """Predictions and scores of one split."""

    split: Split
    measures: dict[str, float]
    by_class: dict[str, Floats]
    confusion: Floats | None
    predicted: NDArray[Any]  # class codes, or numbers
    shares: Floats | None
    fit_seconds: float
    n_leaves: float  # or rules, for rule models; NaN for other models
    by_rules: bool = False


def judged_splits(
    model: Estimator,
    rows: EvaluationRows,
    splits: Iterable[Split],
    *,
    costs: Floats | None = None,
    scorers: Mapping[str, Scorer | None] = NO_SCORERS,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Judgment]:
    """Evaluate the model on every split, in parallel; the order is kept."""
    return side_by_side(
        lambda split: judge(model, rows, split, costs, scorers), list(splits), n_jobs, progress
    )


def judge(
    model: Estimator,
    rows: EvaluationRows,
    split: Split,
    costs: Floats | None = None,
    scorers: Mapping[str, Scorer | None] = NO_SCORERS,
) -> Judgment:
    """Fit a copy of the model to the training rows, and score it on the test rows."""
    fitted, seconds = fitted_copy(model, rows, split.train)
    found = judge_fitted(fitted, rows, split, costs=costs, seconds=seconds)
    if not scorers:
        return found
    return replace(found, measures=with_scores(found.measures, scorers, fitted, rows, split))


def fitted_copy(
    model: Estimator, rows: EvaluationRows, train: NDArray[np.intp]
) -> tuple[Any, float]:
    """A copy of the model fitted to some rows, and the seconds that took.

    If `tw.prune` pruned the model, it prunes the copy too.
    """
    start = perf_counter()
    copy = clone(model)
    is_ours = takes_tables(copy)
    settings = getattr(copy, "model", copy).get_params() if is_ours else {}
    X, y, weights = rows.to_learn(train, all_classes=needs_all_classes(settings))
    copy.fit(X, y, **({} if weights is None else {"sample_weight": weights}))
    pruning = later_pruning(model)
    if pruning is not None and pruning.can_be_repeated:
        copy = pruning.of(copy, X, y, weights)
    if isinstance(copy, Model):
        copy.name_target(rows.target_name)
    return copy, perf_counter() - start


def judge_fitted(
    fitted: Predictor | ProbabilityPredictor,
    rows: EvaluationRows,
    split: Split,
    *,
    costs: Floats | None = None,
    seconds: float = np.nan,
) -> Judgment:
    """Score a fitted model on the test rows of a split."""
    test = split.test
    X, weights = rows.take(test), rows.weight_of_rows[test]
    if not weights.any():
        raise DataError("the test rows have no weight", hint="use fewer folds")
    n_leaves, by_rules = size_of(fitted)
    if rows.classes is None:
        numbers = predictions_of(fitted, X).astype(np.float64)
        measures = number_measures(rows.y[test], numbers, weights)
        return Judgment(split, measures, {}, None, numbers, None, seconds, n_leaves, by_rules)
    assert rows.codes is not None
    judged = JudgedClasses(
        rows.codes[test],
        codes_of(predictions_of(fitted, X), rows.classes, fitted),
        aligned_shares(fitted, X, rows.classes),
        weights,
        len(rows.classes),
    )
    table = judged.confusion()
    return Judgment(
        split,
        class_measures(judged, costs),
        measures_by_class(table),
        table,
        judged.predicted,
        judged.shares,
        seconds,
        n_leaves,
        by_rules,
    )


def size_of(fitted: object) -> tuple[float, bool]:
    """How many leaves or rules a model has, and whether it is rules; NaN for other models."""
    rules = fitted if isinstance(fitted, RuleSet) else getattr(fitted, "rules_", None)
    if rules is not None and isinstance(fitted, RuleSet | TreeEstimator):
        return float(len(rules)), True
    if takes_tables(fitted) and hasattr(fitted, "get_n_leaves"):
        return float(fitted.get_n_leaves()), False
    return np.nan, False


def aligned_shares(fitted: Any, X: Any, classes: NDArray[Any]) -> Floats | None:
    """Class shares in the order of `classes`; a class that the model never saw has share 0."""
    if not hasattr(fitted, "predict_proba"):
        return None
    known = probabilities_of(fitted, X)
    shares = np.zeros((len(known), len(classes)))
    shares[:, codes_of(classes_of(fitted, known.shape[1]), classes, fitted)] = known
    return shares


def codes_of(labels: Any, classes: NDArray[Any], fitted: object) -> NDArray[np.intp]:
    """The positions of a model's labels among the classes."""
    position = {label: code for code, label in enumerate(classes.tolist())}
    try:
        return np.array([position[label] for label in np.asarray(labels).tolist()], dtype=np.intp)
    except (KeyError, TypeError) as unknown:
        prediction = unknown.args[0] if isinstance(unknown, KeyError) else reprlib.repr(labels)
        raise DataError(
            f"{type(fitted).__name__} predicts {prediction!r}, which is not a class of y",
            hint=listed([repr(label) for label in position], "classes"),
        ) from None
