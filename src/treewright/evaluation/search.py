"""The search for good settings: candidates, rounds, and every candidate on every split."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any, Literal, get_args

import numpy as np
from sklearn.base import clone

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.evaluation.evaluate import checked_costs
from treewright.evaluation.judging import (
    Judgment,
    Progress,
    fitted_copy,
    judge_fitted,
    later,
    side_by_side,
    size_of,
)
from treewright.evaluation.protocol import Protocol
from treewright.evaluation.rows import EvaluationRows, needs_all_classes
from treewright.evaluation.scores import ERRORS, checked_measure
from treewright.evaluation.splits import Split, beginning, is_whole
from treewright.evaluation.tuning import Tuning, mean_of_defined
from treewright.protocols import Estimator
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.shared_growth import fit_many

Grid = Mapping[str, Any]  # setting -> values, or for random search something with `rvs`
MOST_CANDIDATES = 100_000


def every_combination(grid: Grid) -> list[dict[str, Any]]:
    """All combinations, the last setting changing fastest.

    >>> every_combination({"max_depth": [1, 2], "criterion": ["gini"]})
    [{'max_depth': 1, 'criterion': 'gini'}, {'max_depth': 2, 'criterion': 'gini'}]
    """
    values = {name: listed(name, choices) for name, choices in checked(grid).items()}
    size = prod(map(len, values.values()))
    if size > MOST_CANDIDATES:
        raise ParameterError(
            f"the grid has {size:,} combinations", hint='try method="random" with n_candidates='
        )
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def random_combinations(grid: Grid, n_candidates: int, seed: int) -> list[dict[str, Any]]:
    """Combinations drawn at random; of a grid of lists none twice, while there are others."""
    generator = np.random.default_rng(seed)
    choices = read_grid(grid)
    if any(hasattr(values, "rvs") for values in choices.values()):
        return [
            {name: drawn(values, generator) for name, values in choices.items()}
            for _ in range(n_candidates)
        ]
    sizes = [len(values) for values in choices.values()]
    if prod(sizes) <= MOST_CANDIDATES:
        every = every_combination(choices)
        chosen = generator.permutation(len(every))[:n_candidates]
        return [every[at] for at in sorted(chosen)]
    places: set[tuple[int, ...]] = set()
    while len(places) < min(n_candidates, MOST_CANDIDATES):
        places.add(tuple(generator.integers(sizes).tolist()))
    return [
        {name: values[at] for (name, values), at in zip(choices.items(), place, strict=True)}
        for place in sorted(places)
    ]


def drawn(choices: Any, generator: np.random.Generator) -> Any:
    """One value: from a distribution, or from a list."""
    if hasattr(choices, "rvs"):
        value = choices.rvs(random_state=generator)
        return value.item() if isinstance(value, np.generic) else value
    return choices[int(generator.integers(len(choices)))]


def read_grid(grid: Grid) -> dict[str, Any]:
    """Setting -> list of values, none twice, or a distribution."""
    return {
        name: choices if hasattr(choices, "rvs") else listed(name, choices)
        for name, choices in checked(grid).items()
    }


def checked(grid: Grid) -> Grid:
    if not isinstance(grid, Mapping) or not grid:
        raise ParameterError(
            "there is no setting to tune", hint='give a grid such as {"max_depth": [2, 4, 8]}'
        )
    return grid


def listed(name: str, choices: Any) -> Sequence[Any]:
    if hasattr(choices, "rvs"):
        raise ParameterError(
            f"{name} is a distribution, a grid needs values", hint='use method="random"'
        )
    if isinstance(choices, str) or not np.iterable(choices):
        raise ParameterError(
            f"{name}={choices!r} is not a list of values", hint=f'use {{"{name}": [...]}}'
        )
    values = list({key_of(value): value for value in choices}.values())
    if not values:
        raise ParameterError(f"{name} has no values to try")
    return values


def key_of(value: Any) -> Any:
    """A key that tells values apart: 1, 1.0 and True are three."""
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value


SearchMethod = Literal["grid", "random", "halving"]
METHODS: tuple[SearchMethod, ...] = get_args(SearchMethod)
KEPT = 3  # halving: one of so many candidates goes on, with so many times as many rows
FEWEST_ROWS = 500  # least training rows of halving: fewer favor stumps


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """How settings are searched."""

    grid: Grid
    method: str = "grid"
    n_candidates: int = 30
    measure: str | None = None
    one_standard_error: bool = True
    protocol: Protocol = field(default_factory=Protocol)
    costs: Any = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ParameterError(
                f"method={self.method!r} is not known", hint=f"use one of {', '.join(METHODS)}"
            )
        number = self.n_candidates
        if not is_whole(number) or number < 1:
            raise ParameterError(f"n_candidates={number!r} is not allowed", hint="use 1 or more")
        # Read once: values may come from a generator, and every nested search asks again.
        object.__setattr__(self, "grid", read_grid(self.grid))

    def candidates(self) -> list[dict[str, Any]]:
        """The settings to try."""
        if self.method == "grid":
            return every_combination(self.grid)
        return random_combinations(self.grid, self.n_candidates, self.protocol.random_state)

    def shares(self, n_candidates: int, n_rows: int) -> list[float]:
        """The shares of `n_rows` training rows that candidates learn from, round by round."""
        shares = [1.0]
        if self.method != "halving":
            return shares
        while (times := KEPT ** len(shares)) < n_candidates and n_rows >= times * FEWEST_ROWS:
            shares.insert(0, 1 / times)
        return shares

    def shares_in(self, splits: Sequence[Split]) -> list[float]:
        """The shares of the training rows of these splits, round by round."""
        fewest = min(len(split.train) for split in splits)
        return self.shares(len(self.candidates()), fewest)

    def n_steps(self, splits: Sequence[Split]) -> int:
        """What progress counts up to."""
        return len(splits) * len(self.shares_in(splits))


def searched(
    model: Estimator,
    rows: EvaluationRows,
    search: Search,
    progress: Progress | None = None,
    n_steps: int | None = None,  # if there is more to do afterwards
) -> Tuning:
    """Evaluate all candidates, choose one, and fit it to all rows."""
    candidates, splits = search.candidates(), list(search.protocol.plan(rows))
    prices = checked_costs(search.costs, rows)
    measure = checked_measure(
        search.measure, of_classes=rows.classes is not None, with_costs=prices is not None
    )
    scores = np.full((len(candidates), len(splits)), np.nan)
    leaves = np.full(len(candidates), np.nan)
    alive = list(range(len(candidates)))
    shares, rounds = search.shares_in(splits), []
    n_steps = n_steps or len(splits) * len(shares)
    seed = search.protocol.random_state
    for number, share in enumerate(shares):
        some = [beginning(split, share, rows.codes, seed) for split in splits]
        tried = [candidates[at] for at in alive]
        shifted = later(progress, number * len(splits), n_steps)
        judged = judged_candidates(model, tried, rows, some, prices, search.n_jobs, shifted)
        found = np.array([[measured(one, measure) for one in line] for line in judged])
        sizes = np.array([[one.n_leaves for one in line] for line in judged])
        rounds.append((len(alive), round(np.mean([len(split.train) for split in some]))))
        if share < 1:
            alive = survivors(alive, found, sizes, measure)
            continue
        scores[alive] = found
        leaves[alive] = sizes.mean(axis=1)
    unfitted = Tuning(
        measure,
        tuple(candidates),
        scores,
        leaves,
        search.one_standard_error,
        model=None,
        rounds=tuple(rounds),
    )
    chosen = clone(model).set_params(**unfitted.settings)
    fitted, _ = fitted_copy(chosen, rows, np.arange(rows.n_rows))
    return replace(unfitted, model=fitted, by_rules=size_of(fitted)[1])


def survivors(alive: Sequence[int], scores: Floats, sizes: Floats, measure: str) -> list[int]:
    """The best third goes on; where means are equal, the earlier candidates.

    Candidates that gave the same everywhere count as one, and go on together: with more rows they
    may differ.
    """
    kinds: dict[bytes, list[int]] = {}
    for at, (line, leaves) in enumerate(zip(scores, sizes, strict=True)):
        kinds.setdefault(line.tobytes() + leaves.tobytes(), []).append(at)
    alike = list(kinds.values())
    means = mean_of_defined(scores[[group[0] for group in alike]])
    order = np.argsort(means if measure in ERRORS else -means, kind="stable")
    n_kept = -(-len(alike) // KEPT)
    return sorted(alive[at] for number in order[:n_kept] for at in alike[number])


def measured(judgment: Judgment, measure: str) -> float:
    if measure not in judgment.measures:
        known = ", ".join(judgment.measures)
        raise ParameterError(
            f"the model has no measure `{measure}`", hint=f"it has {known}: use one of them"
        )
    return judgment.measures[measure]


def judged_candidates(
    model: Estimator,
    candidates: Sequence[Mapping[str, Any]],
    rows: EvaluationRows,
    splits: Sequence[Split],
    costs: Floats | None,
    n_jobs: int | None,
    progress: Progress | None,
) -> list[list[Judgment]]:
    """[candidate][split]: every candidate on every split, splits side by side."""
    by_split = side_by_side(
        lambda split: candidates_on(model, candidates, rows, split, costs), splits, n_jobs, progress
    )
    return [list(line) for line in zip(*by_split, strict=True)]


def candidates_on(
    model: Estimator,
    candidates: Sequence[Mapping[str, Any]],
    rows: EvaluationRows,
    split: Split,
    costs: Floats | None = None,
) -> list[Judgment]:
    """Every candidate on one split; of each, only the measures are kept."""
    if isinstance(model, TreeEstimator):
        asked = [model.get_params(), *candidates]
        X, y, weights = rows.to_learn(split.train, all_classes=any(map(needs_all_classes, asked)))
        fitted = fit_many(model, candidates, X, y, weights)
    else:
        copies = (clone(model).set_params(**given) for given in candidates)
        fitted = (fitted_copy(copy, rows, split.train)[0] for copy in copies)
    judged = (judge_fitted(one, rows, split, costs=costs) for one in fitted)
    return [replace(one, predicted=one.predicted[:0], shares=None) for one in judged]
