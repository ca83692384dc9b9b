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
    """What tells a value from the others of its setting: 1, 1.0 and True are three."""
    try:
        hash(value)
    except TypeError:
        return id(value)
    return type(value), value
