"""Many trees of one table as a few long arrays, and back.

Entries of all trees stand one after the other: `n_nodes` says how many nodes each tree has, and
`level_count` and the like how many side entries each node owns. Groups that no tree uses are left
out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.schema import Schema
from treewright.errors import ModelFileError
from treewright.tree.check import check_tree
from treewright.tree.layout import NODE_ARRAYS, SIDE_GROUPS, UNSEEN_POLICIES, SideGroup
from treewright.tree.tree import Tree

Arrays = dict[str, NDArray[Any]]

N_NODES = "n_nodes"  # of each tree
UNSEEN = "unseen"  # of each tree: index into UNSEEN_POLICIES
CLASS_FACTOR = "class_factor"  # (n_trees, n_classes)
HAS_COSTS = "has_costs"  # 1 for each tree that has prices
COSTS = "costs"  # (n_trees with prices, n_classes, n_classes)


def arrays_of(trees: Sequence[Tree]) -> Arrays:
    """The trees, which share schema and classes, as arrays by name."""
    first = trees[0]
    arrays: Arrays = {N_NODES: np.array([tree.n_nodes for tree in trees], dtype=np.int64)}
    codes = [UNSEEN_POLICIES.index(tree.unseen) for tree in trees]
    arrays[UNSEEN] = np.array(codes, dtype=np.uint8)
    for name in NODE_ARRAYS:
        arrays[name] = np.concatenate([getattr(tree, name) for tree in trees])
    for group in SIDE_GROUPS:
        counts = np.concatenate([np.diff(getattr(tree, group.start)) for tree in trees])
        if not counts.any():
            continue
        arrays[count_name(group)] = counts.astype(np.int64)
        for name in group.arrays:
            arrays[name] = np.concatenate([getattr(tree, name) for tree in trees])
    if first.classes is not None:
        arrays[CLASS_FACTOR] = np.stack([tree.class_factor for tree in trees])
        priced = [tree.costs for tree in trees if tree.costs is not None]
        if priced:
            has_costs = [tree.costs is not None for tree in trees]
            arrays[HAS_COSTS] = np.array(has_costs, dtype=np.uint8)
            arrays[COSTS] = np.stack(priced)
    return arrays


def trees_from(arrays: Arrays, schema: Schema, classes: tuple[Any, ...] | None) -> list[Tree]:
    """The trees that `arrays_of` wrote; anything else is a `ModelFileError`."""
    check_names(arrays, has_classes=classes is not None)
    n_nodes = counts_in(arrays, N_NODES)
    n_trees, n_classes = len(n_nodes), 0 if classes is None else len(classes)
    if not n_trees:
        raise ModelFileError("trees: there is none")
    unseen = typed(arrays, UNSEEN, np.uint8, n_trees)
    if (unseen >= len(UNSEEN_POLICIES)).any():
        raise ModelFileError("trees: `unseen` is not known")
    parts = node_parts(arrays, n_nodes, max(n_classes, 1))
    for group in SIDE_GROUPS:
        if count_name(group) in arrays:
            add_group(arrays, group, parts)
    factors = typed(arrays, CLASS_FACTOR, np.float64, n_trees, n_classes) if n_classes else None
    costs = costs_in(arrays, n_trees, n_classes)
    trees = []
    for at, part in enumerate(parts):
        tree = Tree.from_arrays(
            part,
            schema=schema,
            classes=classes,
            class_factor=None if factors is None else factors[at],
            costs=costs[at],
            unseen=UNSEEN_POLICIES[unseen[at]],
        )
        try:
            check_tree(tree)
        except ModelFileError as error:
            raise ModelFileError(f"tree {at}: {error.args[0]}") from None
        trees.append(tree)
    return trees


def count_name(group: SideGroup) -> str:
    """The array that says how many entries of a group each owner has."""
    return f"{group.name}_count"


def check_names(arrays: Mapping[str, Any], *, has_classes: bool) -> None:
    """Raise unless the arrays are those of whole groups."""
    needed = {N_NODES, UNSEEN, *NODE_ARRAYS}
    for group in SIDE_GROUPS:
        if count_name(group) in arrays:
            needed |= {count_name(group), *group.arrays}
    if has_classes:
        needed.add(CLASS_FACTOR)
        if HAS_COSTS in arrays:
            needed |= {HAS_COSTS, COSTS}
    if "surrogate_level_count" in arrays and "surrogate_count" not in arrays:
        raise ModelFileError("trees: levels of surrogates without surrogates")
    different = sorted(needed ^ set(arrays))
    if different:
        raise ModelFileError(f"trees: array `{different[0][:50]}` is missing or not known")


def typed(arrays: Arrays, name: str, dtype: type[np.generic], *shape: int) -> NDArray[Any]:
    """An array that must have this type and shape."""
    array = arrays[name]
    if array.dtype != dtype or array.shape != shape:
        raise ModelFileError(f"trees: `{name}` is {array.dtype} of shape {array.shape}")
    return array


def counts_in(arrays: Arrays, name: str, *shape: int) -> NDArray[np.int64]:
    """Numbers of entries; their sum is no more than what the file can hold."""
    counts = typed(arrays, name, np.int64, *(shape or (arrays[name].size,)))
    if (counts < 0).any() or (counts > 2**40).any() or len(counts) > 2**31:
        raise ModelFileError(f"trees: `{name}` cannot be right")
    return counts


def node_parts(arrays: Arrays, n_nodes: NDArray[np.int64], n_values: int) -> list[Arrays]:
    """What each tree has of the arrays with an entry for each node."""
    ends = np.cumsum(n_nodes)
    total = int(ends[-1])
    parts: list[Arrays] = [{} for _ in n_nodes]
    for name, dtype in NODE_ARRAYS.items():
        shape = (total, n_values) if name == "value" else (total,)
        share_out(parts, name, typed(arrays, name, dtype, *shape), ends)
    return parts


def add_group(arrays: Arrays, group: SideGroup, parts: list[Arrays]) -> None:
    """Give each tree its entries of a side group."""
    of_owners = "kind" if group.owner == "node" else f"{group.owner}_kind"
    n_owners = np.array([len(part.get(of_owners, ())) for part in parts])
    counts = counts_in(arrays, count_name(group), int(n_owners.sum()))
    owner_ends = np.cumsum(n_owners)
    totals = np.concatenate([[0], np.cumsum(counts)])
    ends = totals[owner_ends]
    for part, end, n in zip(parts, owner_ends, n_owners, strict=True):
        here = totals[end - n : end + 1]
        part[group.start] = here - here[0]
    for name, dtype in group.arrays.items():
        share_out(parts, name, typed(arrays, name, dtype, int(totals[-1])), ends)


def share_out(parts: list[Arrays], name: str, array: NDArray[Any], ends: NDArray[Any]) -> None:
    """Give each tree the entries of an array up to its end."""
    for part, piece in zip(parts, np.split(array, ends[:-1]), strict=True):
        part[name] = piece


def costs_in(arrays: Arrays, n_trees: int, n_classes: int) -> list[NDArray[np.float64] | None]:
    """The prices of each tree that has some."""
    if HAS_COSTS not in arrays:
        return [None] * n_trees
    has_costs = typed(arrays, HAS_COSTS, np.uint8, n_trees)
    if (has_costs > 1).any():
        raise ModelFileError(f"trees: `{HAS_COSTS}` is neither 0 nor 1")
    costs = iter(typed(arrays, COSTS, np.float64, int(has_costs.sum()), n_classes, n_classes))
    return [next(costs) if one else None for one in has_costs]
