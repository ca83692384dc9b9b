"""tw.tune: choose settings by cross-validation, and fit to all rows."""

from dataclasses import replace
from time import perf_counter
from typing import Any

from treewright.errors import ParameterError
from treewright.evaluation.evaluate import checked_costs, prices_of
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Judgment, Progress, judge_fitted, later, side_by_side
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.rows import EvaluationRows, rows_for
from treewright.evaluation.search import Grid, Search, SearchMethod, searched
from treewright.evaluation.splits import Plan, Split, is_whole
from treewright.evaluation.tuning import Tuning
from treewright.evaluation.usual_grids import usual_grid
from treewright.protocols import Estimator


def tune(
    model: Estimator,
    X: Any,
    y: Any = None,
    grid: Grid | None = None,
    sample_weight: Any = None,
    *,
    method: SearchMethod = "grid",
    n_candidates: int = 30,
    measure: str | None = None,
    one_standard_error: bool = True,
    nested: int | None = None,
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
) -> Tuning:
    """Choose settings of a model by cross-validation, and fit it to all rows.

    Candidates that differ only in depth or pruning share one grown tree per split; all others
    share the sorted columns. The scores are the same as if each candidate were fitted alone.

    Parameters
    ----------
    grid
        Setting -> values to try; for random search also distributions with `rvs`. None tries the
        settings that matter most for the algorithm, as `treewright tune` does; settings
        that you have set yourself stay as they are.
    method
        "grid" tries all combinations, "random" `n_candidates` of them; "halving" trains
        these on few rows first (500 or more), then the best third on three times as many, and so
        on up to all rows.
    measure
        The measure to optimize; default accuracy, or root mean squared error for numbers.
    one_standard_error
        Whether the smallest tree within one standard error of the best is chosen.
    nested
        Number of outer folds to evaluate the whole search on held-out rows; None for none. The
        inner search splits its rows in the same way: by groups or in the order of time.
    X, y, sample_weight, folds, repeats, hold_out, groups, times, stratified, costs
        As for `treewright.evaluate`.
    random_state, n_jobs, progress
        As for `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> found = tw.tune(tw.CARTClassifier(prune=None), X, y, {"max_depth": [1, 2, 3, 5]})
    >>> found.settings
    {'max_depth': 2}
    >>> found.model.get_n_leaves()
    3
    """
    rows = rows_for([model], X, y, sample_weight)
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    prices = prices_of([model], costs, rows)
    search = Search(
        usual_grid(model) if grid is None else grid,
        method,
        n_candidates,
        measure,
        one_standard_error,
        protocol,
        prices,
        n_jobs,
    )
    if nested is None:
        return searched(model, rows, search, progress)
    if not is_whole(nested) or nested < 2:
        raise ParameterError(f"nested={nested!r} is not allowed", hint="use a number from 2 on")
    outer = replace(protocol, folds=nested, repeats=1, hold_out=None)
    plan = outer.plan(rows)
    before = search.n_steps(list(protocol.plan(rows)))
    n_steps = before + len(plan)
    found = searched(model, rows, search, progress, n_steps)
    words = outer.in_words(plan, of_classes=rows.classes is not None)
    shifted = later(progress, before, n_steps)
    return replace(found, nested=search_judged(model, rows, search, plan, words, shifted))


def search_judged(
    model: Estimator,
    rows: EvaluationRows,
    search: Search,
    plan: Plan,
    scheme: str,
    progress: Progress | None,
) -> Evaluation:
    """The whole search on outer splits: settings are chosen anew in each."""
    prices = checked_costs(search.costs, rows)

    def judged(split: Split) -> Judgment:
        inside = replace(search, protocol=search.protocol.within(split.train), n_jobs=1)
        start = perf_counter()
        found = searched(model, rows.subset(split.train), inside)
        seconds = perf_counter() - start
        return judge_fitted(found.model, rows, split, costs=prices, seconds=seconds)

    judgments = side_by_side(judged, list(plan), search.n_jobs, progress)
    classes = None if rows.classes is None else tuple(rows.classes.tolist())
    return Evaluation("search", scheme, classes, tuple(judgments), plan, rows, prices)
