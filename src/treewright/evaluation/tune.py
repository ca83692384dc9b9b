"""tw.tune: try settings on the same splits, choose one, fit it to all rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from treewright.errors import ParameterError
from treewright.evaluation.candidates import Grid, every_combination, random_combinations
from treewright.evaluation.evaluate import Protocol, evaluated
from treewright.evaluation.evaluation import ERRORS
from treewright.evaluation.judging import Judgement, Progress, fitted_copy, judge_fitted
from treewright.evaluation.learning_curve import beginning
from treewright.evaluation.rows import EvaluationRows, rows_for
from treewright.evaluation.splits import Split
from treewright.evaluation.tuning import Tuning
from treewright.models.base import TreeEstimator
from treewright.models.shared_growth import fit_many
from treewright.models.threads import n_threads

FloatArray = NDArray[np.float64]
METHODS = ("grid", "random", "halving")
KEPT = 3  # halving: one of so many candidates goes on, with so many times as many rows


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """How settings are looked for."""

    grid: Grid
    method: str = "grid"
    n_candidates: int = 30
    measure: str | None = None
    one_standard_error: bool = True
    protocol: Protocol = field(default_factory=Protocol)
    n_jobs: int | None = None

    def candidates(self) -> list[dict[str, Any]]:
        """The settings to try."""
        if self.method not in METHODS:
            raise ParameterError(
                f"method={self.method!r} is not known", hint=f"use one of {', '.join(METHODS)}"
            )
        if self.method == "grid":
            return every_combination(self.grid)
        return random_combinations(self.grid, self.n_candidates, self.protocol.random_state)


def tune(
    model: Any,
    X: Any,
    y: Any,
    grid: Grid,
    sample_weight: Any = None,
    *,
    method: str = "grid",
    n_candidates: int = 30,
    measure: str | None = None,
    one_standard_error: bool = True,
    nested: int | None = None,
    folds: Any = 10,
    repeats: int = 1,
    groups: Any = None,
    times: Any = None,
    stratified: bool = True,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Try settings of a model on the same splits, choose one, fit it to all rows.

    Candidates that differ in depth or pruning only share one growth in each split.

    Parameters
    ----------
    grid
        Setting -> values to try; for random search also distributions with `rvs`.
    method
        "grid" tries all combinations, "random" `n_candidates` of them; "halving" lets these learn
        from few rows first, and gives the best third of them three times as many, until all.
    measure
        What decides; None takes accuracy, or for numbers the root mean squared error.
    one_standard_error
        Whether the smallest tree within one standard error of the best is chosen.
    nested
        Number of outer folds that judge the whole search on rows it did not see; None for none.
    X, y, sample_weight, folds, repeats, groups, times, stratified, random_state, n_jobs, progress
        As for `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> found = tw.tune(tw.CARTClassifier(), X, y, {"max_depth": [1, 2, 3, 5]})
    >>> found.settings
    {'max_depth': 2}
    >>> found.model.get_n_leaves()
    3
    """
    rows = rows_for([model], X, y, sample_weight)
    protocol = Protocol(folds, repeats, None, groups, times, stratified, random_state)
    search = Search(grid, method, n_candidates, measure, one_standard_error, protocol, n_jobs)
    found = searched(model, rows, search, progress)
    if nested is None:
        return found
    outer = replace(protocol, folds=nested, repeats=1)
    inside = replace(search, protocol=replace(protocol, groups=None, times=None), n_jobs=1)
    tuner = TunedModel(model, inside)
    return replace(found, nested=evaluated(tuner, rows, outer, name="search", n_jobs=n_jobs))


def searched(
    model: Any, rows: EvaluationRows, search: Search, progress: Progress | None = None
) -> Tuning:
    """The search on rows that are read already."""
    candidates = search.candidates()
    splits = list(search.protocol.plan(rows))
    measure = search.measure or ("rmse" if rows.classes is None else "accuracy")
    scores = np.full((len(candidates), len(splits)), np.nan)
    leaves = np.full(len(candidates), np.nan)
    alive = list(range(len(candidates)))
    for share in shares_of(search.method, len(candidates)):
        some = [beginning(split, share, 0) if share < 1 else split for split in splits]
        tried = [candidates[at] for at in alive]
        judged = judged_candidates(model, tried, rows, some, search.n_jobs, progress)
        found = np.array([[measured(one, measure) for one in line] for line in judged])
        if share < 1:
            alive = survivors(alive, found.mean(axis=1), measure)
            continue
        scores[alive] = found
        leaves[alive] = [np.mean([one.n_leaves for one in line]) for line in judged]
    unfitted = Tuning(
        measure, tuple(candidates), scores, leaves, search.one_standard_error, model=None
    )
    fitted, _ = fitted_copy(
        clone(model).set_params(**unfitted.settings), rows, np.arange(rows.n_rows)
    )
    return replace(unfitted, model=fitted)


def shares_of(method: str, n_candidates: int) -> list[float]:
    """The shares of the training rows that candidates learn from, round by round."""
    n_rounds = max(1, ceil(log(n_candidates, KEPT))) if n_candidates > 1 else 1
    if method != "halving":
        return [1.0]
    return [KEPT ** -(n_rounds - 1 - number) * 1.0 for number in range(n_rounds)]


def survivors(alive: Sequence[int], means: FloatArray, measure: str) -> list[int]:
    """The best third goes on; where means are equal, the earlier candidates."""
    n_kept = max(1, ceil(len(alive) / KEPT))
    order = np.argsort(means if measure in ERRORS else -means, kind="stable")
    return sorted(alive[at] for at in order[:n_kept])


def measured(judgement: Judgement, measure: str) -> float:
    if measure not in judgement.measures:
        known = ", ".join(judgement.measures)
        raise ParameterError(f"no measure `{measure}` here", hint=f"use one of {known}")
    return judgement.measures[measure]


def judged_candidates(
    model: Any,
    candidates: Sequence[Mapping[str, Any]],
    rows: EvaluationRows,
    splits: Sequence[Split],
    n_jobs: int | None,
    progress: Progress | None,
) -> list[list[Judgement]]:
    """[candidate][split]: every candidate on every split, splits side by side."""
    n_workers = min(n_threads(n_jobs, worth_it=True), len(splits))
    work = (joblib.delayed(candidates_on)(model, candidates, rows, split) for split in splits)
    parallel = joblib.Parallel(n_workers, backend="threading", return_as="generator")
    by_split = []
    for line in parallel(work):
        by_split.append(line)
        if progress is not None:
            progress(len(by_split), len(splits))
    return [list(line) for line in zip(*by_split, strict=True)]


def candidates_on(
    model: Any, candidates: Sequence[Mapping[str, Any]], rows: EvaluationRows, split: Split
) -> list[Judgement]:
    """Every candidate on one split; of each, only the measures are kept."""
    if isinstance(model, TreeEstimator):
        weights = None if rows.weights is None else rows.weights[split.train]
        X, y = rows.take(split.train), rows.y[split.train]
        fitted = fit_many(model, candidates, X, y, weights)
    else:
        copies = (clone(model).set_params(**given) for given in candidates)
        fitted = (fitted_copy(copy, rows, split.train)[0] for copy in copies)
    judged = (judge_fitted(one, rows, split) for one in fitted)
    return [replace(one, predicted=one.predicted[:0], shares=None) for one in judged]


class TunedModel(BaseEstimator):  # type: ignore[misc]
    """A search as a model: `fit` searches, the settings found answer."""

    def __init__(self, model: Any, search: Search) -> None:
        self.model = model
        self.search = search

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TunedModel":
        rows = rows_for([self.model], X, y, sample_weight)
        self.tuning_ = searched(self.model, rows, self.search)
        self.fitted_ = self.tuning_.model
        if hasattr(self.fitted_, "classes_"):
            self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self.fitted_.predict(X))

    def predict_proba(self, X: Any) -> FloatArray:
        return np.asarray(self.fitted_.predict_proba(X))

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()
