"""A model of another library as one value: its trees, and how they add up.

Every reader of a format gives a `ForeignModel`; afterwards nobody asks where it came from. Trees
are binary, and all nodes of all trees stand in flat arrays, so that a model of a thousand trees
takes a second and not a minute.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import PackedTrees
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.schema import Schema
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import ModelFileError
from treewright.model_trees.coding import Coding
from treewright.model_trees.node_models import NodeModels
from treewright.tree.check import check_tree
from treewright.tree.layout import BRANCHES, INTERVALS, LEAF, STOP, SUBSET, THRESHOLD
from treewright.tree.predict import schema_levels
from treewright.tree.tree import Tree

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_NODES = 2**31 - 1
MOST_DEPTH = 10_000  # splits: far more than any library grows
MOST_CUTS = 254  # of a column of packed trees
MOST_NARROW = 255  # categories of a column whose sets are bits


class UnsupportedError(ModelFileError):
    """A model that is read, but that cannot be reproduced exactly."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Categories that nodes send left; all other known ones go right.

    Entries `start[i]` to `start[i + 1]` are the positions of the categories of set i among those
    of its column.
    """

    start: Ints
    code: Ints
    # Categories that the node knows, by set, where these are not all of the column: others go where
    # missing values go.
    known: tuple[Ints, ...] | None = None

    def left(self, at: int) -> Ints:
        return self.code[self.start[at] : self.start[at + 1]]


NO_SETS = Sets(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class TreeNodes:
    """The nodes of all trees: `start[t]` to `start[t + 1]` are those of tree t, its root first.

    `left` and `right` count the nodes of all trees and are -1 at leaves. Values, weights and
    numbers of rows are needed at leaves only, unless `has_inner_values`.
    """

    start: Ints  # (n_trees + 1,)
    left: Ints
    right: Ints
    feature: Ints
    threshold: Floats  # value <= threshold goes left
    missing_left: Flags
    value: Floats  # (n_nodes, n_values)
    weight: Floats
    n_rows: Ints
    gain: Floats  # what a split takes away, times weight
    set_of: Ints | None = None  # the set that a node asks for; -1 where it asks for a threshold
    sets: Sets = NO_SETS
    impurity: Floats | None = None
    has_inner_values: bool = False

    @property
    def n_nodes(self) -> int:
        return len(self.left)

    @property
    def n_trees(self) -> int:
        return len(self.start) - 1

    @cached_property
    def tree_of(self) -> Ints:
        """The tree of each node."""
        return np.repeat(np.arange(self.n_trees), np.diff(self.start))

    @cached_property
    def is_inner(self) -> Flags:
        return self.left >= 0

    @cached_property
    def asks_set(self) -> Flags:
        """Which nodes ask for a category."""
        if self.set_of is None:
            return np.zeros(self.n_nodes, dtype=np.bool_)
        return self.is_inner & (self.set_of >= 0)

    @cached_property
    def levels(self) -> list[Ints]:
        """The nodes by depth: roots, their children, and so on, left before right."""
        check_family(self)
        found = [self.start[:-1]]
        while True:
            inner = found[-1][self.is_inner[found[-1]]]
            if not len(inner):
                break
            if len(found) > MOST_DEPTH:
                raise ModelFileError(f"a tree is deeper than {MOST_DEPTH:,} splits")
            found.append(np.stack([self.left[inner], self.right[inner]], axis=1).ravel())
        if sum(map(len, found)) != self.n_nodes:
            raise ModelFileError("some nodes of a tree are not below its root")
        return found

    @cached_property
    def order(self) -> Ints:
        """All nodes, tree by tree and level by level: children are neighbors after their parent."""
        order = np.concatenate(self.levels)
        return order[np.argsort(self.tree_of[order], kind="stable")]

    def with_inner_values(self) -> "TreeNodes":
        """The same nodes, inner ones with the means of their leaves by weight."""
        if self.has_inner_values:
            return self
        value, weight, n_rows = self.value.copy(), self.weight.copy(), self.n_rows.copy()
        for level in reversed(self.levels):
            inner = level[self.is_inner[level]]
            left, right = self.left[inner], self.right[inner]
            n_rows[inner] = n_rows[left] + n_rows[right]
            weight[inner] = weight[left] + weight[right]
            is_known = weight[inner] > 0
            share = np.divide(weight[left], weight[inner], where=is_known, out=0.5 + 0.0 * left)
            share = share[:, None]
            value[inner] = value[left] * share + value[right] * (1.0 - share)
        own = {name: getattr(self, name) for name in self.__dataclass_fields__}
        own |= {"value": value, "weight": weight, "n_rows": n_rows, "has_inner_values": True}
        return TreeNodes(**own)


def check_family(nodes: TreeNodes) -> None:
    """Raise unless every node but the roots has one parent, in its own tree."""
    if not 0 < nodes.n_nodes <= MOST_NODES or (np.diff(nodes.start) < 1).any():
        raise ModelFileError("a tree without nodes")
    inner = np.flatnonzero(nodes.is_inner)
    for child in (nodes.left[inner], nodes.right[inner]):
        first, end = nodes.start[nodes.tree_of[inner]], nodes.start[nodes.tree_of[inner] + 1]
        wrong = (child <= first) | (child >= end)
        if wrong.any():
            raise ModelFileError(f"{place(nodes, int(inner[wrong.argmax()]))}: no such child")
    children = np.concatenate([nodes.left[inner], nodes.right[inner]])
    n_parents = np.bincount(children, minlength=nodes.n_nodes)
    expected = np.ones(nodes.n_nodes, dtype=np.int64)
    expected[nodes.start[:-1]] = 0
    if (n_parents != expected).any():
        node = int((n_parents != expected).argmax())
        raise ModelFileError(f"{place(nodes, node)}: it does not have exactly one parent")


def place(nodes: TreeNodes, node: int) -> str:
    """Where a node is, for messages."""
    tree = int(nodes.tree_of[node])
    return f"tree {tree}, node {node - int(nodes.start[tree])}"


def check_nodes(nodes: TreeNodes, schema: Schema) -> None:
    """Raise unless columns exist and numbers are finite."""
    inner = nodes.is_inner
    is_numeric = np.array([spec.is_numeric for spec in schema.columns], dtype=np.bool_)
    bad = inner & ((nodes.feature < 0) | (nodes.feature >= schema.n_columns))
    refuse(nodes, bad, "no such column")
    feature = np.where(inner, nodes.feature, 0)
    if schema.n_columns:
        refuse(nodes, inner & (is_numeric[feature] == nodes.asks_set), "a column of another kind")
    # Infinity: the node asks whether there is a value.
    is_number = np.isfinite(nodes.threshold) | (asks_if_missing(nodes) & ~nodes.missing_left)
    refuse(nodes, inner & ~is_number, "a threshold that is not finite")
    used = ~inner if not nodes.has_inner_values else np.ones(nodes.n_nodes, dtype=np.bool_)
    refuse(nodes, used & ~np.isfinite(nodes.value).all(axis=1), "a value that is not finite")
    bad = ~np.isfinite(nodes.weight) | (nodes.weight < 0) | (nodes.n_rows < 0)
    refuse(nodes, used & bad, "a weight or a number of rows that is negative or not finite")


def asks_if_missing(nodes: TreeNodes) -> Flags:
    """Which nodes send every value left: their threshold is infinite."""
    return np.asarray(nodes.is_inner & ~nodes.asks_set & (nodes.threshold == np.inf))


def refuse(nodes: TreeNodes, wrong: Flags, problem: str) -> None:
    if wrong.any():
        raise ModelFileError(f"{place(nodes, int(wrong.argmax()))}: {problem}")


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignModel:
    """All that predictions of a model of another library depend on.

    The values of tree i are added to output i modulo the number of outputs, to `start`, in the
    order of the trees; then they are divided by `divisor`, and `link` makes predictions of them.
    With `averages_shares`, nodes hold weights of classes, and their shares are averaged.
    """

    library: str
    version: str | None  # of the library, or of its file
    nodes: TreeNodes
    schema: Schema
    classes: NDArray[Any] | None = None
    averages_shares: bool = False
    start: Floats = field(default_factory=lambda: np.zeros(1))
    divisor: float = 1.0
    link: str = "same"
    link_scale: float = 1.0
    in_float32: bool = False  # sums are rounded to float32 after each tree
    unseen: str = "missing"  # what an unknown category is: missing, or an error
    is_single: bool = False  # one tree that predicts by itself
    criterion: str = ""  # of a single tree
    # The library's own number of each category, by column; without an entry, its position.
    category_numbers: Mapping[int, Ints] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise a `ModelFileError` unless the parts fit together."""
        check_nodes(self.nodes, self.schema)
        if self.nodes.n_trees % len(self.start):
            raise ModelFileError("the trees are not as many for each output")


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignTree:
    """A single tree that was put together as an ordinary one, since it is not binary."""

    library: str
    tree: Tree
    classes: NDArray[Any] | None
    criterion: str = ""
    notes: tuple[str, ...] = ()
    version: None = None

    @property
    def schema(self) -> Schema:
        return self.tree.schema

    def check(self) -> None:
        """Raise a `ModelFileError` unless the tree is sound."""
        check_tree(self.tree)


@dataclass(frozen=True, eq=False, kw_only=True)
class ForeignModelTree(ForeignTree):
    """A single tree with an equation in each leaf."""

    models: NodeModels
    coding: Coding
    target_name: str
    is_filled: bool  # whether it is known what replaces missing values


@dataclass(frozen=True, eq=False)
class Source:
    """A model as it was found, and the original to compare it with, if there is one."""

    words: str  # what it is: "text file", "object Booster"
    model: ForeignModel | ForeignTree = field(repr=False)
    # Takes rows as the library does; returns raw scores (n_rows, n_outputs), or probabilities where
    # the trees average these.
    original: Callable[[Floats], Floats] | None = None
    why_no_original: str = ""
    gives_predictions: bool = False  # the original returns numbers or probabilities instead
    is_exact: bool = True  # whether sums have to be equal to the last bit
    limit: float = 1e-12  # otherwise: the largest relative difference
    takes_unseen: bool = True  # whether the original predicts unknown categories
    takes_missing: bool = True  # whether it predicts missing values
    never_missing: tuple[int, ...] = ()  # columns of which it does not
    # The library's predictions for a table of the user: numbers or probabilities.
    predictions: Callable[[Any], Any] | None = None
    uses_table: bool = False  # a table of the user restores the thresholds of a printed text
    # How far predictions for a table may be off, since a text has rounded numbers.
    rounding: Callable[[Any], Floats] | None = None
    close: Callable[[], None] = lambda: None  # ends the process of a library


# ---------------------------------------------------------------------------- ordinary trees


def trees_of(model: ForeignModel) -> list[Tree]:
    """The trees as ordinary ones."""
    nodes, order = model.nodes.with_inner_values(), model.nodes.order
    rank = np.empty(nodes.n_nodes, dtype=np.int64)
    rank[order] = np.arange(nodes.n_nodes)
    first_child = np.where(nodes.is_inner, rank[nodes.left] - nodes.start[nodes.tree_of], 0)
    labels = model.classes if model.averages_shares else None
    return [
        one_tree(model, nodes, order[nodes.start[at] : nodes.start[at + 1]], first_child, labels)
        for at in range(nodes.n_trees)
    ]


def one_tree(
    model: ForeignModel, nodes: TreeNodes, own: Ints, first_child: Ints, labels: Any
) -> Tree:
    """The tree of some nodes, which stand in the order of a `Tree`."""
    inner, n = nodes.is_inner[own], len(own)
    weight = nodes.weight[own].astype(np.float64)
    total_gain = np.where(inner, nodes.gain[own], 0.0)
    gain = np.divide(total_gain, weight, out=np.zeros(n), where=weight > 0)
    if_missing = asks_if_missing(nodes)[own]
    kind = np.where(if_missing, INTERVALS, np.where(inner, THRESHOLD, LEAF))
    is_cut = inner & ~nodes.asks_set[own] & ~if_missing
    arrays: dict[str, NDArray[Any]] = {
        "kind": kind.astype(np.uint8),
        "feature": np.where(inner, nodes.feature[own], -1).astype(np.int32),
        "threshold": np.where(is_cut, nodes.threshold[own], 0.0),
        "first_child": first_child[own].astype(np.int32),
        "n_children": np.where(inner, 2, 0).astype(np.int32),
        "missing_child": np.where(inner, ~nodes.missing_left[own], STOP).astype(np.int32),
        "value": np.ascontiguousarray(nodes.value[own], dtype=np.float64),
        "weight": weight,
        "n_rows": nodes.n_rows[own].astype(np.int64),
        "impurity": np.zeros(n) if nodes.impurity is None else nodes.impurity[own].copy(),
        "gain": gain,
        "score": gain.copy(),
        "stop_reason": np.zeros(n, dtype=np.uint8),
        "split_order": np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32),
    }
    if nodes.asks_set[own].any():
        add_levels(arrays, model, nodes, own)
    tree = Tree.from_arrays(arrays, schema=model.schema, classes=labels, unseen=model.unseen)
    check_tree(tree)
    return tree


def add_levels(
    arrays: dict[str, NDArray[Any]], model: ForeignModel, nodes: TreeNodes, own: Ints
) -> None:
    """The categories of nodes that ask for them: which go left, and which right."""
    codes: list[Ints] = []
    children: list[NDArray[np.int32]] = []
    assert nodes.set_of is not None
    for at, node in enumerate(own.tolist()):
        if not nodes.asks_set[node]:
            codes.append(np.zeros(0, dtype=np.int64))
            continue
        which = int(nodes.set_of[node])
        n_levels = len(model.schema.columns[int(nodes.feature[node])].levels)
        left = nodes.sets.left(which)
        known = np.arange(n_levels) if nodes.sets.known is None else nodes.sets.known[which]
        known = np.union1d(known, left)
        side = (~np.isin(known, left)).astype(np.int32)
        takes_missing = int(arrays["missing_child"][at])
        arrays["kind"][at] = SUBSET
        if len(np.unique(side)) < 2:  # all of one side: the other takes what is missing or unseen
            if not len(side) or side[0] == takes_missing or side[0] == 1:
                raise UnsupportedError(f"{place(nodes, node)}: all categories go the same way")
            arrays["kind"][at] = BRANCHES
        codes.append(known)
        children.append(side)
    arrays["level_start"] = np.concatenate([[0], np.cumsum(list(map(len, codes)))]).astype(np.int64)
    arrays["level_code"] = np.concatenate(codes).astype(np.int32)
    arrays["level_child"] = np.concatenate(children).astype(np.int32)


# ---------------------------------------------------------------------------- packed trees


def column_cuts(nodes: TreeNodes, n_columns: int) -> tuple[list[Floats], Ints]:
    """The thresholds of each column, ascending, and the place of each node's own among them."""
    at = np.flatnonzero(nodes.is_inner & ~nodes.asks_set & np.isfinite(nodes.threshold))
    order = at[np.lexsort((nodes.threshold[at], nodes.feature[at]))]
    feature, threshold = nodes.feature[order], nodes.threshold[order]
    is_new = np.ones(len(order), dtype=np.bool_)
    is_new[1:] = (feature[1:] != feature[:-1]) | (threshold[1:] != threshold[:-1])
    counts = np.bincount(feature[is_new], minlength=n_columns)
    ends = np.cumsum(counts)
    places = np.zeros(nodes.n_nodes, dtype=np.int64)
    places[order] = np.cumsum(is_new) - 1 - (ends - counts)[feature]
    if_missing = asks_if_missing(nodes)
    places[if_missing] = counts[nodes.feature[if_missing]]
    return np.split(threshold[is_new], ends[:-1]) if n_columns else [], places


def packed_of(model: ForeignModel) -> PackedTreeSequence | None:
    """The trees in the form that predicts fastest; None if a column has too many thresholds."""
    nodes, schema = model.nodes, model.schema
    cuts, bins = column_cuts(nodes, schema.n_columns)
    if any(len(own) > MOST_CUTS for own in cuts):
        return None
    order = nodes.order
    inner, asks_set = nodes.is_inner[order], nodes.asks_set[order]
    tree_of, start = nodes.tree_of[order], nodes.start
    # A set has a slot right before the children of its node.
    has_slot_before = np.zeros(nodes.n_nodes, dtype=np.int64)
    has_slot_before[nodes.left[nodes.asks_set]] = 1
    slot = np.arange(nodes.n_nodes) + np.cumsum(has_slot_before[order])
    slot_start = np.concatenate([[0], slot[start[1:] - 1] + 1])
    local = slot - slot_start[tree_of]
    slot_of = np.empty(nodes.n_nodes, dtype=np.int64)
    slot_of[order] = local
    n_leaves = np.bincount(tree_of[~inner], minlength=nodes.n_trees)
    leaf_start = np.concatenate([[0], np.cumsum(n_leaves)])
    leaf_number = np.cumsum(~inner) - 1 - leaf_start[tree_of]

    n_slots = int(slot_start[-1])
    question, child = np.zeros(n_slots, np.uint32), np.zeros(n_slots, np.uint32)
    gain = np.zeros(n_slots, np.float32)
    asked = nodes.feature[order] << 9 | nodes.missing_left[order].astype(np.int64) << 8
    asked |= np.where(asks_set, 0, bins[order])
    question[slot] = np.where(inner, asked, 2**32 - 1).astype(np.uint32)
    child[slot] = np.where(inner, slot_of[nodes.left[order]], leaf_number).astype(np.uint32)
    most = float(np.finfo(np.float32).max)
    gain[slot] = np.where(inner, np.clip(np.nan_to_num(nodes.gain[order]), 0.0, most), 0.0)

    set_nodes = order[asks_set]
    offsets, words = packed_sets(model, set_nodes)
    set_tree = nodes.tree_of[set_nodes]
    n_words = np.bincount(set_tree, weights=np.diff(offsets), minlength=nodes.n_trees)
    set_start = np.concatenate([[0], np.cumsum(n_words)]).astype(np.int64)
    at_set = slot_start[set_tree] + slot_of[nodes.left[set_nodes]] - 1
    question[at_set] = (offsets[:-1] - set_start[set_tree]).astype(np.uint32)

    leaves = order[~inner]
    levels = [np.arange(len(spec.levels), dtype=np.int32) for spec in schema.columns]
    kinds = [{"numeric": 0, "nominal": 1, "ordered": 2}[spec.kind] for spec in schema.columns]
    arrays: dict[str, NDArray[Any]] = {
        "slot_start": slot_start.astype(np.int64),
        "question": question,
        "child": child,
        "gain": gain,
        "leaf_start": leaf_start.astype(np.int64),
        "value": nodes.value[leaves].astype(np.float64).ravel(),
        "weight": nodes.weight[leaves].astype(np.float64),
        "n_rows": np.minimum(nodes.n_rows[leaves], 2**32 - 1).astype(np.uint32),
        "set_start": set_start,
        "set_words": words,
        "column_kind": np.array(kinds, dtype=np.uint8),
        "has_missing": np.ones(schema.n_columns, dtype=np.uint8),
        "cut_start": np.concatenate([[0], np.cumsum(list(map(len, cuts)))]).astype(np.int64),
        "cuts": np.concatenate([np.zeros(0), *cuts]),
        "level_start": np.concatenate([[0], np.cumsum(list(map(len, levels)))]).astype(np.int64),
        "levels": np.concatenate([np.zeros(0, np.int32), *levels]),
    }
    classes = model.classes if model.averages_shares else None
    n_values = 1 if classes is None else len(classes)
    try:
        packed = PackedTrees.from_arrays(
            arrays, n_values, classes is not None, schema_levels(schema)
        )
    except ValueError as error:
        raise ModelFileError(str(error)) from None
    return PackedTreeSequence(packed, schema, classes, model.unseen)


def packed_sets(model: ForeignModel, set_nodes: Ints) -> tuple[Ints, NDArray[np.uint64]]:
    """The sets of nodes as words of bits, and where each begins; see `PackedTree` in the core."""
    nodes, pieces = model.nodes, []
    for node in set_nodes.tolist():
        assert nodes.set_of is not None
        which = int(nodes.set_of[node])
        n_levels = len(model.schema.columns[int(nodes.feature[node])].levels)
        left = nodes.sets.left(which)
        known = np.arange(n_levels) if nodes.sets.known is None else nodes.sets.known[which]
        if n_levels > MOST_NARROW:
            known = np.union1d(known, left)
            entries = (known << 1 | np.isin(known, left)).astype(np.uint64)
            entries = np.append(entries, np.zeros(len(entries) % 2, np.uint64))
            pairs = entries[::2] | entries[1::2] << np.uint64(32)
            pieces.append(np.append(np.uint64(len(known)), pairs))
            continue
        n_bytes = (n_levels + 63) // 64 * 8
        bits = np.zeros((2, n_bytes * 8), dtype=np.uint8)
        bits[0, left] = bits[1, left] = bits[1, known] = 1
        pieces.append(np.packbits(bits, axis=1, bitorder="little").view("<u8").ravel())
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in pieces])]).astype(np.int64)
    none = np.zeros(0, dtype=np.uint64)
    return offsets, np.concatenate([none, *pieces]).astype(np.uint64)
