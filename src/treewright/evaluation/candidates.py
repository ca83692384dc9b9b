"""Settings to try: every combination, or some drawn at random."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from treewright.errors import ParameterError

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
    """Combinations drawn at random, none twice where the grid is made of lists."""
    generator = np.random.default_rng(seed)
    if not any(hasattr(choices, "rvs") for choices in checked(grid).values()):
        size = prod(len(listed(name, choices)) for name, choices in grid.items())
        if size <= MOST_CANDIDATES:
            every = every_combination(grid)
            chosen = generator.permutation(size)[:n_candidates]
            return [every[at] for at in sorted(chosen)]
    return [
        {name: drawn(name, choices, generator) for name, choices in grid.items()}
        for _ in range(n_candidates)
    ]


def drawn(name: str, choices: Any, generator: np.random.Generator) -> Any:
    """One value: from a distribution, or from a list."""
    if hasattr(choices, "rvs"):
        value = choices.rvs(random_state=generator)
        return value.item() if isinstance(value, np.generic) else value
    values = listed(name, choices)
    return values[int(generator.integers(len(values)))]


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
    values = list(choices)
    if not values:
        raise ParameterError(f"{name} has no values to try")
    return values
