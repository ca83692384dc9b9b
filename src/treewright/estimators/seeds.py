"""Seeds: what `random_state` stands for."""

import numpy as np

from treewright.errors import ParameterError

LARGEST_SEED = 2**31 - 1


def generator_from(random_state: object, name: str = "random_state") -> np.random.Generator:
    """A generator for a seed, None (a random one), a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    try:
        return np.random.default_rng(random_state)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{name} is {random_state!r}, which is no seed",
            hint="use a whole number from 0 on, None, or a NumPy RandomState or Generator",
        ) from error


def seed_of(random_state: object) -> int:
    """A whole number that everything else is drawn from."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        generator_from(random_state)  # refuses negative ones
        return int(random_state)
    return int(generator_from(random_state).integers(LARGEST_SEED))
