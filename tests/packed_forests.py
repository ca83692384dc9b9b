"""Tables of columns of every kind, and packed forests grown on them."""

import numpy as np
from hypothesis import strategies as st

from treewright._kernels.learners import ForestSettings, grow_forest
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.ensembles.packed import PackedTreeSequence, binned

N_LEVELS = {"few": 3, "many": 200, "wide": 400}


def a_column(kind, rng, n_rows):
    """A column of the given kind, with holes."""
    holes = rng.random(n_rows) < rng.choice([0, 0.2])
    if kind in N_LEVELS or kind == "ordered":
        n_levels = N_LEVELS.get(kind, 5)
        codes = rng.integers(0, n_levels, n_rows).astype(np.int32)
        codes[holes] = -1
        levels = tuple(f"level {i}" for i in range(n_levels))
        return NominalColumn(kind, codes, levels, ordered=kind == "ordered")
    values = {
        "numbers": lambda: rng.normal(size=n_rows),
        "counts": lambda: rng.integers(-2, 4, n_rows).astype(float),
        "tails": lambda: np.tan(rng.uniform(-1.57, 1.57, n_rows)) ** 3,
        "infinite": lambda: rng.choice([-np.inf, -1.0, 1e-300, 1e308, np.inf], n_rows),
        "float32": lambda: rng.normal(size=n_rows).astype(np.float32),
        "constant": lambda: np.ones(n_rows),
    }[kind]()
    values[holes] = np.nan
    return NumericColumn(kind, values)


NUMERIC = ["numbers", "counts", "tails", "infinite", "float32", "constant"]
NOMINAL = [*N_LEVELS, "ordered"]
kinds = st.lists(st.sampled_from(NUMERIC + NOMINAL), min_size=1, max_size=5, unique=True)


def a_table(kinds, seed, n_rows):
    rng = np.random.default_rng(seed)
    return Table([a_column(kind, rng, n_rows) for kind in kinds])


def a_forest(table, seed, *, n_classes=3, n_trees=5, **limits):
    """Trees of every shape: grown on noise, so they are deep and ask all columns."""
    rng = np.random.default_rng(seed)
    settings = ForestSettings()
    settings.n_trees, settings.n_drawn, settings.seed = n_trees, table.n_rows, seed
    settings.max_features = len(table.columns)
    for name, value in limits.items():
        setattr(settings, name, value)
    y = rng.integers(0, n_classes, table.n_rows).astype(np.int32)
    target = y if n_classes > 1 else y + rng.normal(size=table.n_rows)
    n_values = n_classes if n_classes > 1 else 0
    bins = binned(table, None, max_bins=255, n_threads=1)
    packed = grow_forest(bins, target, None, n_values, settings, 1)
    classes = np.arange(n_classes) if n_values else None
    return PackedTreeSequence(packed, Schema.of(table), classes, "missing"), bins
