"""Small true things to test with: hand-made trees, and random ones of every node kind."""

from collections import deque
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.table import Table
from treewright.tree.layout import (
    BRANCHES,
    INTERVALS,
    LEAF,
    NODE_ARRAYS,
    OBLIQUE,
    SIDE_GROUPS,
    SPREAD,
    STOP,
    STOP_REASONS,
    SUBSET,
    THRESHOLD,
)
from treewright.tree.tree import Tree


@dataclass
class Sketch:
    """One node of a tree to be built, with the sketches of its children."""

    kind: int = LEAF
    feature: int = -1
    threshold: float = 0.0
    children: list["Sketch"] = field(default_factory=list)
    missing: int = STOP
    levels: dict[int, int] = field(default_factory=dict)  # code -> child
    cuts: list[float] = field(default_factory=list)
    terms: list[tuple[int, float]] = field(default_factory=list)  # feature, weight
    surrogates: list[dict[str, Any]] = field(default_factory=list)
    competitors: list[dict[str, Any]] = field(default_factory=list)
    value: list[float] | None = None  # of inner nodes: summed up from the children
    weight: float = 0.0


def leaf(*value: float, weight: float | None = None) -> Sketch:
    """A leaf with these class weights; or with this mean, then `weight` is needed."""
    return Sketch(value=list(value), weight=sum(value) if weight is None else weight)


def threshold(feature: int, at: float, *children: Sketch, missing: int = 0, **more: Any) -> Sketch:
    return Sketch(THRESHOLD, feature, at, list(children), missing, **more)


def branches(
    feature: int, levels: dict[int, int], *children: Sketch, missing: int = STOP, **more: Any
) -> Sketch:
    return Sketch(BRANCHES, feature, 0.0, list(children), missing, levels, **more)


def subset(
    feature: int, levels: dict[int, int], *children: Sketch, missing: int = 0, **more: Any
) -> Sketch:
    return Sketch(SUBSET, feature, 0.0, list(children), missing, levels, **more)


def intervals(feature: int, cuts: list[float], *children: Sketch, missing: int = 0) -> Sketch:
    return Sketch(INTERVALS, feature, 0.0, list(children), missing, cuts=cuts)


def oblique(
    terms: list[tuple[int, float]], at: float, *children: Sketch, missing: int = 0
) -> Sketch:
    return Sketch(OBLIQUE, -1, at, list(children), missing, terms=terms)


def numeric_schema(*names: str) -> Schema:
    return Schema(tuple(ColumnSpec(name, "numeric") for name in names))


def build(root: Sketch, schema: Schema, classes: tuple[Any, ...] | None, **more: Any) -> Tree:
    """The tree of a sketch. Works level by level, so a sketch may be a chain of any length."""
    nodes = [root]
    first_child: list[int] = []
    queue = deque(nodes)
    while queue:
        sketch = queue.popleft()
        first_child.append(len(nodes) if sketch.children else 0)
        nodes += sketch.children
        queue += sketch.children
    sum_up(nodes, is_classifier=classes is not None)
    arrays = node_arrays(nodes, first_child) | side_arrays(nodes)
    return Tree.from_arrays(arrays, schema=schema, classes=classes, **more)


def sum_up(nodes: list[Sketch], *, is_classifier: bool) -> None:
    """Give inner nodes the weight and the value of their children together."""
    for sketch in reversed(nodes):
        if sketch.value is None:
            sketch.weight = sum(child.weight for child in sketch.children)
            scale = 1.0 if is_classifier else 1 / max(sketch.weight, 1e-300)
            sketch.value = [0.0] * len(sketch.children[0].value)
            for child in sketch.children:
                share = float(child.weight > 0) if is_classifier else child.weight * scale
                for k, value in enumerate(child.value):
                    sketch.value[k] += share * value


def node_arrays(nodes: list[Sketch], first_child: list[int]) -> dict[str, np.ndarray]:
    is_leaf = np.array([sketch.kind == LEAF for sketch in nodes])
    weight = np.array([sketch.weight for sketch in nodes])
    columns = {
        "kind": [sketch.kind for sketch in nodes],
        "feature": [sketch.feature for sketch in nodes],
        "threshold": [sketch.threshold for sketch in nodes],
        "first_child": first_child,
        "n_children": [len(sketch.children) for sketch in nodes],
        "missing_child": [sketch.missing for sketch in nodes],
        "value": [sketch.value for sketch in nodes],
        "weight": weight,
        "n_rows": np.ceil(weight),
        "impurity": np.where(is_leaf, 0.1, 0.5),
        "gain": np.where(is_leaf, 0.0, 0.25),
        "score": np.where(is_leaf, 0.0, 0.25),
        "stop_reason": np.where(is_leaf, STOP_REASONS.index("pure"), 0),
        "split_order": np.where(is_leaf, -1, np.cumsum(~is_leaf) - 1),
    }
    return {name: np.array(columns[name]).astype(dtype) for name, dtype in NODE_ARRAYS.items()}


def side_arrays(nodes: list[Sketch]) -> dict[str, np.ndarray]:
    surrogates = [surrogate for sketch in nodes for surrogate in sketch.surrogates]
    entries = {
        "level": [sorted(sketch.levels.items()) for sketch in nodes],
        "cut": [[(cut,) for cut in sketch.cuts] for sketch in nodes],
        "term": [sketch.terms for sketch in nodes],
        "surrogate": [
            [
                (s["kind"], s["feature"], s.get("threshold", 0.0), s.get("flip", 0), 0.9)
                for s in sketch.surrogates
            ]
            for sketch in nodes
        ],
        "surrogate_level": [sorted(s.get("levels", {}).items()) for s in surrogates],
        "competitor": [
            [
                (c["feature"], c["gain"], c["gain"], c.get("threshold", 0.0), 0)
                for c in s.competitors
            ]
            for s in nodes
        ],
    }
    arrays: dict[str, np.ndarray] = {}
    for group in SIDE_GROUPS:
        owners = entries[group.name]
        arrays[group.start] = np.cumsum([0, *map(len, owners)]).astype(np.int64)
        flat = [entry for owner in owners for entry in owner]
        for position, (name, dtype) in enumerate(group.arrays.items()):
            arrays[name] = np.array([entry[position] for entry in flat]).astype(dtype)
    return arrays


# ---------------------------------------------------------------------------- well-known trees


def tennis_schema() -> Schema:
    return Schema(
        (
            ColumnSpec("outlook", "nominal", ("Sunny", "Overcast", "Rain")),
            ColumnSpec("humidity", "nominal", ("High", "Normal")),
            ColumnSpec("wind", "nominal", ("Weak", "Strong")),
        )
    )


def a_tennis_tree(**more: Any) -> Tree:
    """The tree that every textbook grows from the 14 days of tennis."""
    humidity = branches(1, {0: 0, 1: 1}, leaf(3, 0), leaf(0, 2))
    wind = branches(2, {0: 0, 1: 1}, leaf(0, 3), leaf(2, 0))
    root = branches(0, {0: 0, 1: 1, 2: 2}, humidity, leaf(0, 4), wind)
    return build(root, tennis_schema(), ("No", "Yes"), **more)


def a_stump(at: float = 0.8, missing: int = 0) -> Tree:
    root = threshold(0, at, leaf(50, 0), leaf(1, 99), missing=missing)
    return build(root, numeric_schema("petal width"), ("setosa", "other"))


def a_number_tree() -> Tree:
    """Two splits, three means."""
    low = threshold(1, -1.0, leaf(1.5, weight=4), leaf(2.25, weight=2))
    return build(threshold(0, 2.5, low, leaf(7.0, weight=3)), numeric_schema("a", "b"), None)


@cache
def a_chain(n_splits: int) -> Tree:
    """Each split sends one row to a leaf and the rest further down."""
    below = leaf(0, 1)
    for split in range(n_splits, 0, -1):
        below = threshold(0, float(split), leaf(1, 0), below)
    return build(below, numeric_schema("x"), ("no", "yes"))


def a_perfect_tree(depth: int) -> Tree:
    """All leaves `depth` splits down: leaf k of them, from the left, holds k < x <= k + 1."""
    level = np.concatenate([np.full(2**d, d) for d in range(depth + 1)])
    n_nodes = len(level)
    place = np.arange(n_nodes) + 1 - 2**level  # from the left, in its own level
    is_leaf = level == depth
    width = 2.0 ** (depth - level)
    arrays = {
        "kind": np.where(is_leaf, LEAF, THRESHOLD),
        "feature": np.where(is_leaf, -1, 0),
        "threshold": np.where(is_leaf, 0.0, (place + 0.5) * width),
        "first_child": np.where(is_leaf, 0, 2 * np.arange(n_nodes) + 1),
        "n_children": np.where(is_leaf, 0, 2),
        "missing_child": np.where(is_leaf, STOP, 0),
        "value": place[:, np.newaxis],
        "weight": width,
        "n_rows": width,
        "stop_reason": is_leaf,
        "split_order": np.where(is_leaf, -1, np.arange(n_nodes)),
    }
    nothing = np.zeros(n_nodes)
    arrays = {name: arrays.get(name, nothing).astype(dtype) for name, dtype in NODE_ARRAYS.items()}
    return Tree.from_arrays(arrays, schema=numeric_schema("x"), classes=None)


# ---------------------------------------------------------------------------- random trees


def a_mixed_schema(rng: np.random.Generator) -> Schema:
    """Numeric, nominal and ordered columns; one nominal column with many levels."""
    columns = [ColumnSpec(f"number {i}", "numeric") for i in range(int(rng.integers(1, 4)))]
    for i, n_levels in enumerate((2, 5, 300)):
        columns.append(ColumnSpec(f"level {i}", "nominal", tuple(f"v{k}" for k in range(n_levels))))
    columns.append(ColumnSpec("order", "ordered", ("low", "middle", "high", "top")))
    rng.shuffle(columns)
    return Schema(tuple(columns))


def a_random_tree(
    rng: np.random.Generator,
    schema: Schema,
    *,
    n_splits: int = 12,
    is_classifier: bool = True,
    only_numbers: bool = False,
) -> Tree:
    """A tree of every node kind and missing policy that the schema allows.

    With `only_numbers`, nodes ask thresholds of numeric columns; surrogates are as ever.
    """
    n_values = int(rng.integers(2, 5)) if is_classifier else 1
    root = a_random_leaf(rng, n_values)
    open_leaves = [root]
    for _ in range(n_splits):
        sketch = open_leaves.pop(int(rng.integers(len(open_leaves))))
        open_leaves += split_at_random(rng, sketch, schema, n_values, only_numbers=only_numbers)
    classes = tuple(f"class {k}" for k in range(n_values)) if is_classifier else None
    factor = rng.uniform(0.5, 2, size=n_values) if is_classifier and rng.random() < 0.5 else None
    unseen = str(rng.choice(["missing", "majority", "error"]))
    return build(root, schema, classes, class_factor=factor, unseen=unseen)


def a_random_leaf(rng: np.random.Generator, n_values: int) -> Sketch:
    if n_values == 1:
        return leaf(float(rng.normal()), weight=float(rng.integers(0, 5)))
    if rng.random() < 0.15:
        return leaf(*rng.uniform(0, 3, size=n_values), weight=0.0)  # empty: the parent's weights
    return leaf(*rng.uniform(0, 3, size=n_values).round(2))


def split_at_random(
    rng: np.random.Generator,
    sketch: Sketch,
    schema: Schema,
    n_values: int,
    *,
    only_numbers: bool,
) -> list[Sketch]:
    """Turn a leaf into an inner node; the new leaves."""
    sketch.value = None
    numbers = [i for i, column in enumerate(schema.columns) if column.kind == "numeric"]
    sketch.feature = int(rng.choice(numbers if only_numbers else len(schema.columns)))
    spec = schema.columns[sketch.feature]
    if only_numbers:
        sketch.kind = THRESHOLD
    elif spec.kind == "numeric":
        sketch.kind = int(rng.choice([THRESHOLD, THRESHOLD, INTERVALS, OBLIQUE]))
    elif spec.kind == "ordered":
        sketch.kind = int(rng.choice([THRESHOLD, BRANCHES, SUBSET, INTERVALS]))
    else:
        sketch.kind = int(rng.choice([BRANCHES, SUBSET]))
    n_children = 2
    n_levels = len(spec.levels)
    if sketch.kind == THRESHOLD:
        sketch.threshold = a_random_cut(rng, n_levels)
    elif sketch.kind == INTERVALS:
        sketch.cuts = sorted({a_random_cut(rng, n_levels) for _ in range(int(rng.integers(1, 4)))})
        n_children = len(sketch.cuts) + 1
    elif sketch.kind == OBLIQUE:
        sketch.feature = -1
        sketch.threshold = float(rng.normal())
        used = rng.permutation(numbers)[: int(rng.integers(1, 3))]
        sketch.terms = [(int(i), float(rng.normal())) for i in sorted(used)]
    elif sketch.kind == SUBSET:
        sketch.levels = random_sides(rng, n_levels)
    else:
        codes = sorted(random_codes(rng, n_levels))
        children = rng.permutation(len(codes)).tolist()
        sketch.levels = dict(zip(codes, children, strict=True))
        n_children = len(codes) + (len(codes) < n_levels)  # one more for all other levels
    is_binary = n_children == 2
    sketch.missing = int(rng.choice([STOP, SPREAD, *range(n_children)]))
    if rng.random() < 0.2:  # a branch of its own
        sketch.missing = n_children
        n_children += 1
    elif sketch.kind == BRANCHES and sketch.missing > max(sketch.levels.values()):
        sketch.missing = 0
    if is_binary and rng.random() < 0.5:
        sketch.surrogates = [a_random_surrogate(rng, schema) for _ in range(rng.integers(1, 3))]
    if rng.random() < 0.3:
        sketch.competitors = [{"feature": 0, "gain": 0.125}]
    sketch.children = [a_random_leaf(rng, n_values) for _ in range(n_children)]
    return sketch.children


def a_random_cut(rng: np.random.Generator, n_levels: int) -> float:
    return float(rng.integers(0, n_levels - 1)) + 0.5 if n_levels else round(float(rng.normal()), 1)


def random_codes(rng: np.random.Generator, n_levels: int) -> list[int]:
    n_listed = int(rng.integers(2, min(n_levels, 6) + 1))
    return rng.choice(n_levels, size=n_listed, replace=False).tolist()


def random_sides(rng: np.random.Generator, n_levels: int) -> dict[int, int]:
    codes = random_codes(rng, n_levels)
    return {code: i if i < 2 else int(rng.integers(2)) for i, code in enumerate(codes)}


def a_random_surrogate(rng: np.random.Generator, schema: Schema) -> dict[str, Any]:
    feature = int(rng.integers(len(schema.columns)))
    spec = schema.columns[feature]
    if spec.kind == "nominal":
        return {"kind": SUBSET, "feature": feature, "levels": random_sides(rng, len(spec.levels))}
    at = a_random_cut(rng, len(spec.levels))
    return {"kind": THRESHOLD, "feature": feature, "threshold": at, "flip": int(rng.integers(2))}


def a_random_table(rng: np.random.Generator, schema: Schema, n_rows: int) -> Table:
    """Rows that fit the schema, with holes, infinities, cut points hit exactly, unseen levels."""
    columns: list[NumericColumn | NominalColumn] = []
    for spec in schema.columns:
        if spec.kind == "numeric":
            values = rng.normal(size=n_rows).round(1)
            values[rng.random(n_rows) < 0.2] = np.nan
            values[rng.random(n_rows) < 0.05] = np.inf
            values[rng.random(n_rows) < 0.05] = -np.inf
            dtype = rng.choice([np.float32, np.float64])
            columns.append(NumericColumn(spec.name, with_random_stride(rng, values.astype(dtype))))
        else:
            codes = rng.integers(-3, len(spec.levels) + 2, size=n_rows).astype(np.int32)
            codes = with_random_stride(rng, codes)
            columns.append(NominalColumn(spec.name, codes, spec.levels, spec.kind == "ordered"))
    return Table(columns, n_rows)


def with_random_stride(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """The same values, in memory backwards, spread out, or as they were."""
    match int(rng.integers(3)):
        case 0:
            return values[::-1].copy()[::-1]
        case 1:
            spread = np.repeat(values, 3)
            return spread[::3]
    return values
