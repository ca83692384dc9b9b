"""From training rows to a tree with models, by the compiled grower."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import (
    ModelTreeCriterion,
    ModelTreeSettings,
    TermRule,
    grow_model_tree,
)
from treewright.arrays import Floats
from treewright.data.target import NumericTarget
from treewright.errors import DataError
from treewright.estimators.training import TrainingRows
from treewright.model_trees.coding import Coding, Int64Array
from treewright.model_trees.node_models import NodeModels
from treewright.tree.layout import LEAF, STOP, SUBSET, THRESHOLD
from treewright.tree.short_thresholds import with_short_thresholds
from treewright.tree.tree import Tree

LARGEST_EXPONENT = 1000
FAR = 2.0**20  # a target this many times its own range from zero is measured from its first value
CRITERIA = {
    "fifth_root": ModelTreeCriterion.fifth_root,
    "standard_deviation": ModelTreeCriterion.standard_deviation,
}
TERM_RULES = {
    "akaike": TermRule.akaike,
    "adjusted_error": TermRule.adjusted_error,
    "all": TermRule.all,
}


@dataclass(frozen=True, slots=True, eq=False)
class GrownModels:
    """The result of growth."""

    tree: Tree
    coding: Coding
    models: NodeModels
    model_errors: Floats  # root mean squared error of the model of each node
    subtree_errors: Floats  # and of the leaves below it, before pruning
    subtree_parameters: Int64Array


def grow_models(
    rows: TrainingRows, settings: ModelTreeSettings, *, unseen: str, n_threads: int
) -> GrownModels:
    """The tree for these rows, and the models of its nodes."""
    assert isinstance(rows.target, NumericTarget)
    origin = origin_of(rows.target.values)
    y = rows.target.values - origin
    # Scaling by powers of two is exact, and keeps squares of the largest numbers finite. For a
    # multiple of 5, the fifth root of the square is a power of two as well.
    exponent = exponent_of(y, step=5)
    scaled = np.ldexp(y, -exponent)
    coding = Coding.of(rows, scaled)
    columns = np.empty((rows.table.n_columns, rows.n_rows))
    for at in range(len(columns)):
        columns[at] = coding.numbers(rows.table, at)
    units = [math.ldexp(1.0, -exponent_of(values)) for values in columns]
    is_ranked = [not spec.is_numeric for spec in coding.schema.columns]
    found = grow_model_tree(
        columns,
        np.array(is_ranked, dtype=np.uint8),
        np.array(units, dtype=np.float64),
        scaled,
        rows.weights,
        settings,
        n_threads,
    )
    in_units(found, exponent, settings.criterion)
    found["mean"] += origin
    found["intercept"] += origin
    check_equations(found, coding)
    tree = with_short_thresholds(tree_of(found, coding, unseen), rows.table)
    return GrownModels(
        tree,
        replace(coding, schema=tree.schema),
        NodeModels(
            found["intercept"],
            found["term_start"],
            found["term_column"].astype(np.int64),
            found["term_cut"].astype(np.int64),
            found["coefficient"],
        ),
        found["model_error"],
        found["subtree_error"],
        found["subtree_parameters"],
    )


def origin_of(values: NDArray[np.float64]) -> float:
    """What to subtract from the target: 0, unless squares would lose its range to rounding.

    Then differences from the minimum are exact, since all values are nearly the same.
    """
    low, high = float(values.min()), float(values.max())
    is_far = low < high and min(abs(low), abs(high)) > FAR * (high - low)
    return low if is_far else 0.0


def exponent_of(values: NDArray[np.float64], step: int = 1) -> int:
    """An exponent of two, a multiple of `step`, for the largest value."""
    _, exponent = math.frexp(float(np.abs(values).max(initial=0.0)))
    bounded = max(-LARGEST_EXPONENT, min(LARGEST_EXPONENT, exponent))
    return step * math.ceil(bounded / step)


def in_units(found: dict[str, NDArray[Any]], exponent: int, criterion: ModelTreeCriterion) -> None:
    """Convert results back to the units of the target."""
    of_target = ("mean", "deviation", "intercept", "coefficient", "model_error", "subtree_error")
    with np.errstate(over="ignore"):  # `check_equations` raises
        for name in of_target:
            found[name] = np.ldexp(found[name], exponent)
    of_gain = exponent if criterion == ModelTreeCriterion.standard_deviation else 2 * exponent // 5
    found["gain"] = np.ldexp(found["gain"], of_gain)


def check_equations(found: dict[str, NDArray[Any]], coding: Coding) -> None:
    """Raise if a column is so small that its coefficient overflows."""
    beyond = ~np.isfinite(found["coefficient"])
    if beyond.any():
        name = coding.schema.names[found["term_column"][int(beyond.argmax())]]
        raise DataError(
            f"column `{name}` has numbers so small that its coefficient would be infinite",
            hint="multiply the column, or divide the target",
        )


def tree_of(found: dict[str, NDArray[Any]], coding: Coding, unseen: str) -> Tree:
    """The result as an ordinary tree, which predicts means."""
    feature, cut, first_child = found["feature"], found["cut"], found["first_child"]
    columns = coding.schema.columns
    is_inner = feature >= 0
    is_nominal = np.array([spec.kind == "nominal" for spec in columns], dtype=bool)
    is_subset = is_inner & is_nominal[feature]  # -1 reads the last column, but is not an inner node
    kind = np.where(is_subset, SUBSET, np.where(is_inner, THRESHOLD, LEAF))
    fills = np.array([coding.fill_number(at) for at in range(len(columns))])
    missing = np.full(len(feature), STOP, dtype=np.int32)
    missing[is_inner] = fills[feature[is_inner]] > cut[is_inner]
    order = np.full(len(feature), -1, dtype=np.int32)
    order[is_inner] = np.arange(np.count_nonzero(is_inner))
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.minimum(found["deviation"] ** 2, np.finfo(np.float64).max)
    arrays = {
        "kind": kind.astype(np.uint8),
        "feature": feature,
        "threshold": np.where(is_subset, 0.0, cut),
        "first_child": first_child,
        "n_children": np.where(is_inner, 2, 0).astype(np.int32),
        "missing_child": missing,
        "value": found["mean"][:, None].copy(),
        "weight": found["weight"],
        "n_rows": found["n_rows"],
        "impurity": variance,
        "gain": variance_gains(variance, found["weight"], first_child),
        "score": found["gain"],
        "stop_reason": found["stop_reason"],
        "split_order": order,
    }
    arrays |= level_arrays(np.where(is_subset, feature, -1), cut, coding)
    return Tree.from_arrays(arrays, schema=coding.schema, unseen=unseen)


def variance_gains(variance: Floats, weight: Floats, first_child: NDArray[np.int32]) -> Floats:
    """The variance reduction of each split, per unit of weight; 0 at a leaf."""
    gains = np.zeros(len(variance))
    inner = np.flatnonzero(first_child)
    left = first_child[inner]
    below = sum(variance[child] * (weight[child] / weight[inner]) for child in (left, left + 1))
    gains[inner] = np.maximum(variance[inner] - below, 0.0)
    return gains


def level_arrays(
    nominal: NDArray[np.int32], cut: Floats, coding: Coding
) -> dict[str, NDArray[Any]]:
    """For each nominal split (`nominal` is not -1): all categories, and their sides."""
    asking = np.flatnonzero(nominal >= 0).tolist()
    sides = [(coding.ranks(nominal[node]) > cut[node]).astype(np.int32) for node in asking]
    counts = np.zeros(len(nominal), dtype=np.int64)
    counts[asking] = [len(side) for side in sides]
    codes = [np.arange(len(side), dtype=np.int32) for side in sides]
    none = np.zeros(0, dtype=np.int32)
    return {
        "level_start": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        "level_code": np.concatenate([none, *codes]),
        "level_child": np.concatenate([none, *sides]),
    }
