"""Where the centres of a clustering start."""

import math

import numpy as np
from numpy.typing import NDArray

from treewright.clustering.space import Space

Float64Array = NDArray[np.float64]


def drawn_start(
    space: Space, n_clusters: int, generator: np.random.Generator, *, spread: bool
) -> Float64Array:
    """Rows drawn one after the other, none twice while there are others.

    Spread (k-means++, Arthur and Vassilvitskii 2007) a row is drawn by its squared distance from
    the centres that there are, times its weight; of a few rows drawn so, the one that leaves the
    least to cover is taken. Otherwise rows are drawn by their weight alone. What is drawn does not
    depend on whether a row has weight 2 or stands there twice.
    """
    weights = np.ones(space.n_rows) if space.weights is None else space.weights
    n_trials = 2 + int(math.log(n_clusters)) if spread else 1
    centres = [space.point(drawn(weights, 1, generator)[0])]
    so_far = np.full(space.n_rows, np.inf)
    while True:
        space.come_near(centres[-1], so_far)
        if len(centres) == n_clusters:
            return np.concatenate(centres)
        chances = weights * (so_far if spread else so_far > 0)
        if not chances.any():  # every row is a centre already
            chances = weights
        centres.append(best_of(space, drawn(chances, n_trials, generator), so_far))


def drawn(chances: Float64Array, n: int, generator: np.random.Generator) -> list[int]:
    """Rows, by chances that need not add up to one."""
    running = np.cumsum(chances)
    rows = np.searchsorted(running, generator.random(n) * running[-1], side="right")
    if rows.max() == len(chances):  # rounding led beyond the last
        rows = np.minimum(rows, np.flatnonzero(chances)[-1])
    return [int(row) for row in rows]


def best_of(space: Space, rows: list[int], so_far: Float64Array) -> Float64Array:
    """Of some rows the one that leaves the least squared distances, the first of equals."""
    points = [space.point(row) for row in rows]
    if len(points) == 1:
        return points[0]
    return points[int(np.argmin(space.left_over(np.concatenate(points), so_far)))]
