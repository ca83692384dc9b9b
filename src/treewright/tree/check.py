"""Whether the arrays describe one tree: asked of every file before a row is predicted.

A tree that passes can be predicted, printed and saved without a read outside its arrays, whatever
the file held. The checks look at whole arrays at once and name the first node that is wrong.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import distinct
from treewright.data.comparison import ORDINARY
from treewright.errors import ModelFileError
from treewright.tree.conditions import column_thresholds
from treewright.tree.layout import (
    BRANCHES,
    INTERVALS,
    KIND_NAMES,
    LEAF,
    NODE_ARRAYS,
    OBLIQUE,
    SIDE_GROUPS,
    SPREAD,
    STOP,
    STOP_REASONS,
    SUBSET,
    THRESHOLD,
    UNSEEN_POLICIES,
    owners_of,
)
from treewright.tree.tree import Tree

Mask = NDArray[np.bool_]
Namer = Callable[[int], str]

MOST_NODES = 2**31 - 1


def check_tree(tree: Tree) -> None:
    """Raise `ModelFileError` unless the arrays describe one sound tree."""
    check_shapes(tree)
    check_numbers(tree)
    check_predictions(tree)
    check_kinds(tree)
    check_family(tree)
    check_columns(tree)
    check_levels(tree)
    check_children(tree)
    check_surrogates(tree)
    check_competitors(tree)


def at_node(index: int) -> str:
    return f"node {index}"


def owner_namer(start: NDArray[np.int64]) -> Namer:
    """Names the node that owns an entry of a side array."""
    return lambda entry: at_node(int(np.searchsorted(start, entry, side="right")) - 1)


def refuse(wrong: Mask, problem: str, name: Namer = at_node) -> None:
    """Raise for the first place where `wrong` holds."""
    if wrong.any():
        raise ModelFileError(f"{name(int(wrong.argmax()))}: {problem}")


def require(holds: bool, problem: str) -> None:  # noqa: FBT001 -- reads as a sentence
    if not holds:
        raise ModelFileError(f"tree: {problem}")


def is_among(values: NDArray[Any], wanted: tuple[int, ...]) -> Mask:
    found = np.zeros(len(values), dtype=np.bool_)
    for value in wanted:
        found |= values == value
    return found


# ---------------------------------------------------------------------------- lengths and numbers


def check_shapes(tree: Tree) -> None:
    """Every array has the type and the length it must have; offsets never go back."""
    n_nodes = len(tree.kind)
    require(0 < n_nodes <= MOST_NODES, f"{n_nodes} nodes")
    for name, dtype in NODE_ARRAYS.items():
        array = getattr(tree, name)
        n_axes = 2 if name == "value" else 1
        require(array.ndim == n_axes and array.dtype == dtype, f"`{name}` is of another type")
        require(len(array) == n_nodes, f"`{name}` has {len(array)} entries for {n_nodes} nodes")
    lengths = {"node": n_nodes}
    for group in SIDE_GROUPS:
        start, n_owners = getattr(tree, group.start), lengths[group.owner]
        entries = [getattr(tree, name) for name in group.arrays]
        lengths[group.name] = length = len(entries[0])
        for array, (name, dtype) in zip(entries, group.arrays.items(), strict=True):
            require(array.ndim == 1 and array.dtype == dtype, f"`{name}` is of another type")
            require(len(array) == length, f"`{name}` has {len(array)} entries, not {length}")
        sound = start.ndim == 1 and start.dtype == np.int64 and len(start) == n_owners + 1
        require(bool(sound), f"`{group.start}` has not one entry per {group.owner}, and one")
        require(int(start[0]) == 0 and int(start[-1]) == length, f"`{group.start}` ends elsewhere")
        goes_back = start[1:] < start[:-1]
        require(not goes_back.any(), f"`{group.start}` goes back")


def check_numbers(tree: Tree) -> None:
    """Numbers are finite; counts and weights are not negative."""
    for name, dtype in NODE_ARRAYS.items():
        if dtype is np.float64 and name != "value":
            refuse(~np.isfinite(getattr(tree, name)), f"`{name}` is not a finite number")
    refuse(~np.all(np.isfinite(tree.value), axis=1, keepdims=True)[:, 0], "`value` is not finite")
    refuse(tree.weight < 0, "`weight` is negative")
    refuse(tree.n_rows < 0, "`n_rows` is negative")
    refuse(tree.split_order < -1, "`split_order` is below -1")
    for group in SIDE_GROUPS:
        for name, dtype in group.arrays.items():
            if dtype is np.float64:
                bad = ~np.isfinite(getattr(tree, name))
                owner = owner_namer(getattr(tree, group.start))
                refuse(bad, f"`{name}` is not a finite number", owner)


def check_predictions(tree: Tree) -> None:
    """Classes, factors and costs fit the values."""
    require(tree.unseen in UNSEEN_POLICIES, f"`unseen` is {tree.unseen!r}")
    require(tree.class_factor.ndim == 1, "`class_factor` is not a list")
    if tree.classes is None:
        require(tree.n_values == 1, f"{tree.n_values} values for one mean")
        require(len(tree.class_factor) == 0 and tree.costs is None, "classes are needed for costs")
        return
    n_classes = len(tree.classes)
    require(n_classes > 0 and tree.n_values == n_classes, "not one value per class")
    require(len(set(tree.classes)) == n_classes, "a class occurs twice")
    refuse(np.any(tree.value < 0, axis=1, keepdims=True)[:, 0], "a class has negative weight")
    factor = tree.class_factor
    sound = len(factor) == n_classes and bool((np.isfinite(factor) & (factor >= 0)).all())
    require(sound, "`class_factor` is not one factor per class")
    if tree.costs is not None:
        sound = tree.costs.shape == (n_classes, n_classes)
        sound = sound and bool((np.isfinite(tree.costs) & (tree.costs >= 0)).all())
        require(sound, "`costs` is not one price per pair of classes")


# ---------------------------------------------------------------------------- the shape of the tree


def check_kinds(tree: Tree) -> None:
    """Kinds and reasons are known, and a leaf has nothing that only splits have."""
    refuse(tree.kind >= len(KIND_NAMES), "`kind` is unknown")
    refuse(tree.stop_reason >= len(STOP_REASONS), "`stop_reason` is unknown")
    leaf = tree.kind == LEAF
    refuse(leaf & ((tree.n_children != 0) | (tree.first_child != 0)), "a leaf has children")
    refuse(leaf & (tree.feature != -1), "a leaf asks a column")
    refuse(leaf & (tree.missing_child != STOP), "a leaf sends missing values on")
    refuse(leaf & (tree.split_order != -1), "a leaf has a place in the order of splits")
    refuse(~leaf & (tree.stop_reason != 0), "an inner node has a reason to stop")
    owners = {"level": (BRANCHES, SUBSET), "cut": (INTERVALS,), "term": (OBLIQUE,)}
    owners["surrogate"] = (THRESHOLD, BRANCHES, INTERVALS, SUBSET, OBLIQUE)  # all have two children
    for name, kinds in owners.items():
        owns = np.diff(getattr(tree, f"{name}_start")) > 0
        refuse(owns & ~is_among(tree.kind, kinds), f"a node of this kind has no {name}s")


def check_family(tree: Tree) -> None:
    """Children are contiguous, come after their parent, and every node has one parent."""
    inner = np.flatnonzero(tree.kind != LEAF)
    n_children = tree.n_children.astype(np.int64)
    refuse((tree.kind != LEAF) & (n_children < 2), "an inner node needs at least two children")
    first = tree.first_child[inner].astype(np.int64)
    end = first + n_children[inner]

    def name(i: int) -> str:
        return at_node(int(inner[i]))

    refuse(first <= inner, "its children do not come after it", name)
    refuse(end > tree.n_nodes, f"its children end beyond the {tree.n_nodes} nodes", name)
    order = np.argsort(first, kind="stable")
    expected = np.concatenate([[1], end[order]])  # where the next family has to begin
    ends_right = len(order) == 0 or expected[-1] == tree.n_nodes
    refuse(
        first[order] != expected[:-1],
        "its children have another parent too, or nodes before them have none",
        lambda i: at_node(int(inner[order[i]])),
    )
    require(bool(ends_right) and (len(order) > 0 or tree.n_nodes == 1), "some nodes have no parent")


def check_columns(tree: Tree) -> None:
    """Every column asked exists and is of a kind that can be asked so."""
    n_columns = len(tree.schema.columns)
    kinds = np.array([column.kind for column in tree.schema.columns], dtype=object)
    asks = ~is_among(tree.kind, (LEAF, OBLIQUE))
    refuse(asks & ((tree.feature < 0) | (tree.feature >= n_columns)), "no such column")
    refuse((tree.kind == OBLIQUE) & (tree.feature != -1), "an oblique node has no single column")
    asked = np.where(asks, kinds[np.maximum(tree.feature, 0)] if n_columns else "", "")
    by_number = is_among(tree.kind, (THRESHOLD, INTERVALS))
    refuse(by_number & (asked == "nominal"), "a nominal column has no threshold")
    for at, spec in enumerate(tree.schema.columns):
        if spec.comparison != ORDINARY:
            fitting = map(spec.comparison.fits, column_thresholds(tree, at))
            require(all(fitting), f"a threshold of column {at} does not fit its comparison")
    by_level = is_among(tree.kind, (BRANCHES, SUBSET))
    refuse(by_level & (asked == "numeric"), "a numeric column has no levels")
    bad = (tree.term_feature < 0) | (tree.term_feature >= n_columns)
    refuse(bad, "no such column", owner_namer(tree.term_start))
    bad = kinds[tree.term_feature] != "numeric"
    refuse(bad, "only numeric columns can be summed up", owner_namer(tree.term_start))


# ---------------------------------------------------------------------------- questions


def n_levels_of(tree: Tree) -> NDArray[np.int64]:
    return np.array([len(column.levels) for column in tree.schema.columns], dtype=np.int64)


def ascending(values: NDArray[Any], owner: NDArray[np.intp]) -> Mask:
    """Where an entry is not above the one before it of the same owner."""
    wrong = np.zeros(len(values), dtype=np.bool_)
    wrong[1:] = (values[1:] <= values[:-1]) & (owner[1:] == owner[:-1])
    return wrong


def check_levels(tree: Tree) -> None:
    """Levels and cuts are in order and exist; each goes to a child."""
    owner, name = owners_of(tree.level_start), owner_namer(tree.level_start)
    n_levels = n_levels_of(tree)
    bad = (tree.level_code < 0) | (tree.level_code >= n_levels[tree.feature[owner]])
    refuse(bad, "no such level", name)
    refuse(ascending(tree.level_code, owner), "levels are not in ascending order", name)
    bad = (tree.level_child < 0) | (tree.level_child >= tree.n_children[owner])
    refuse(bad, "no such child", name)
    refuse((tree.kind[owner] == SUBSET) & (tree.level_child > 1), "no such side", name)
    owner, name = owners_of(tree.cut_start), owner_namer(tree.cut_start)
    refuse(ascending(tree.cut, owner), "cuts are not in ascending order", name)


def own_children(tree: Tree) -> NDArray[np.int64]:
    """How many children of each inner node a known value can lead to by what the node lists."""
    own = np.where(tree.kind == LEAF, 0, 2).astype(np.int64)
    intervals = tree.kind == INTERVALS
    own[intervals] = (np.diff(tree.cut_start) + 1)[intervals]
    by_level = is_among(tree.kind, (BRANCHES, SUBSET))
    listed = np.zeros(tree.n_nodes, dtype=np.int64)
    owner = owners_of(tree.level_start)
    np.maximum.at(listed, owner, tree.level_child.astype(np.int64) + 1)
    own[by_level] = listed[by_level]
    # A level or more for each of them: count the different (node, child) pairs.
    pairs = distinct(owner * (int(tree.n_children.max()) + 1) + tree.level_child)
    n_different = np.bincount(pairs // (int(tree.n_children.max()) + 1), minlength=tree.n_nodes)
    refuse(by_level & (n_different != listed), "a child has no level that leads to it")
    return own


def check_children(tree: Tree) -> None:
    """There is a child for every outcome, and missing values go to one of them."""
    inner = tree.kind != LEAF
    missing = tree.missing_child.astype(np.int64)
    refuse(inner & ((missing < SPREAD) | (missing >= tree.n_children)), "no such child for missing")
    own = own_children(tree)
    refuse(inner & (own < 1), "a node lists no level")
    refuse((tree.kind == SUBSET) & (own != 2), "a subset needs levels on both sides")
    refuse((tree.kind == OBLIQUE) & (np.diff(tree.term_start) < 1), "a sum needs a term")
    # Beside its own children a node may have one for further levels and one for missing values.
    missing_apart = missing >= own
    no_cut = (tree.kind == INTERVALS) & (own < 2)
    refuse(no_cut & ~missing_apart, "a node of intervals needs a cut or a branch for missing")
    refuse(
        inner & missing_apart & (missing != tree.n_children - 1), "missing is not the last child"
    )
    n_other = tree.n_children - own - missing_apart
    refuse(inner & ((n_other < 0) | (n_other > 1)), "children and branches differ in number")
    refuse(inner & (n_other == 1) & (tree.kind != BRANCHES), "a child that no value leads to")


def check_surrogates(tree: Tree) -> None:
    """Surrogates ask columns that exist, in a way these can be asked."""
    name = owner_namer(tree.surrogate_start)
    n_columns = len(tree.schema.columns)
    feature, kind = tree.surrogate_feature, tree.surrogate_kind
    refuse(~is_among(kind, (THRESHOLD, SUBSET)), "a surrogate of unknown kind", name)
    refuse((feature < 0) | (feature >= n_columns), "a surrogate asks no column", name)
    kinds = np.array([column.kind for column in tree.schema.columns], dtype=object)[feature]
    refuse((kind == THRESHOLD) & (kinds == "nominal"), "a nominal column has no threshold", name)
    refuse((kind == SUBSET) & (kinds == "numeric"), "a numeric column has no levels", name)
    refuse(tree.surrogate_flip > 1, "`surrogate_flip` is neither 0 nor 1", name)
    agreement = tree.surrogate_agreement
    refuse((agreement < 0) | (agreement > 1), "`surrogate_agreement` is no share", name)
    listed = np.diff(tree.surrogate_level_start) > 0
    refuse(listed != (kind == SUBSET), "a surrogate's levels do not fit its kind", name)
    owner = owners_of(tree.surrogate_level_start)

    def name_level(entry: int) -> str:
        return name(int(owner[entry]))

    code, child = tree.surrogate_level_code, tree.surrogate_level_child
    bad = (code < 0) | (code >= n_levels_of(tree)[feature[owner]])
    refuse(bad, "no such level in a surrogate", name_level)
    refuse(ascending(code, owner), "a surrogate's levels are not in ascending order", name_level)
    refuse((child < 0) | (child > 1), "no such side in a surrogate", name_level)


def check_competitors(tree: Tree) -> None:
    """Competitors name columns that exist."""
    name = owner_namer(tree.competitor_start)
    feature = tree.competitor_feature
    bad = (feature < 0) | (feature >= len(tree.schema.columns))
    refuse(bad, "a competitor asks no column", name)
    refuse(tree.competitor_tied > 1, "`competitor_tied` is neither 0 nor 1", name)
