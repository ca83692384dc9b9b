"""The fitted tree: flat, frozen, the one currency between layers."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import Predictor
from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.schema import Schema
from treewright.tree.as_text import abridged_text, notebook_html
from treewright.tree.binary import to_binary
from treewright.tree.counts import leaves_text, textbook_leaves
from treewright.tree.layout import (
    BRANCHES,
    EMPTY_SIDE_ARRAYS,
    LEAF,
    NODE_STARTS,
    SPREAD,
    owners_of,
    read_only,
)
from treewright.tree.node import Node
from treewright.tree.predict import build_predictor, predict_leaves, spreads_levels
from treewright.tree.predictions import cheapest_classes, class_shares
from treewright.tree.rebuild import simplify, to_depth, to_leaves

if TYPE_CHECKING:
    from treewright.data.table import Table

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]
ByteArray = NDArray[np.uint8]

NO_FACTORS: Floats = read_only(np.zeros(0))


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A tree as parallel arrays, one entry per node.

    Node 0 is the root. The children of a node are contiguous and come after it, so one pass
    forward meets parents first, one pass backward children first, and nothing needs recursion.
    Groups of side arrays hold what only some nodes have: entries `start[i]` to `start[i + 1]`
    belong to node i.

    Grown trees come from `Tree.from_arrays`, which checks nothing; a tree read from a file goes
    through `check_tree` first.
    """

    schema: Schema  # the columns that `feature` counts
    classes: tuple[Any, ...] | None  # None: the tree predicts a number
    class_factor: Floats  # (n_classes,): what class weights are multiplied by; empty for numbers
    costs: Floats | None  # (n_classes, n_classes): price of true class i predicted as j
    unseen: str  # a level not seen in training: as "missing", to the "majority", or an "error"

    kind: ByteArray  # what the node asks: LEAF, THRESHOLD, BRANCHES ... of treewright.tree.layout
    feature: Int32Array  # the column asked; -1 at leaves and oblique nodes
    threshold: Floats  # value <= threshold goes to child 0, others to child 1; 0 if unused
    first_child: Int32Array  # 0 at a leaf
    n_children: Int32Array  # 0 at a leaf
    missing_child: Int32Array  # which child takes missing values, or STOP or SPREAD; STOP at a leaf
    value: Floats  # (n_nodes, n_values): training weight of each class, or the mean
    weight: Floats  # weight of the training rows that reached the node
    n_rows: Int64Array  # and their number
    impurity: Floats  # per unit of weight
    gain: Floats  # impurity that the split takes away, per unit of weight; 0 at a leaf
    score: Floats  # what the split was chosen by; 0 at a leaf
    stop_reason: ByteArray  # index into STOP_REASONS
    split_order: Int32Array  # 0, 1, 2 ... in the order of growth; -1 at a leaf

    # Branches and subset: the levels with training rows here, ascending, and the child of each.
    # Where the column has further levels, a branches node has one more child, empty, for them all;
    # if missing has a branch of its own, that is the last child. A subset node takes a level that
    # it does not list as missing.
    level_start: Int64Array
    level_code: Int32Array
    level_child: Int32Array

    # Intervals: ascending cuts; a value goes to the first child whose cut is not below it. Without
    # cuts the node asks whether there is a value: child 0 takes all, child 1 what is missing.
    cut_start: Int64Array
    cut: Floats

    # Oblique: sum of weight * value <= threshold goes to child 0.
    term_start: Int64Array
    term_feature: Int32Array
    term_weight: Floats

    # Stand-ins for a missing value, best first: the first whose own value is known decides.
    surrogate_start: Int64Array
    surrogate_kind: ByteArray  # THRESHOLD or SUBSET
    surrogate_feature: Int32Array
    surrogate_threshold: Floats
    surrogate_flip: ByteArray  # 1: value <= threshold goes to child 1
    surrogate_agreement: Floats  # share of rows sent where the node itself sends them
    surrogate_level_start: Int64Array  # one entry per surrogate, and one
    surrogate_level_code: Int32Array
    surrogate_level_child: Int32Array

    # Runner-up splits, best first.
    competitor_start: Int64Array
    competitor_feature: Int32Array
    competitor_gain: Floats
    competitor_score: Floats
    competitor_threshold: Floats  # 0 where the column is nominal
    competitor_tied: ByteArray  # 1: as good as the split that was chosen

    @classmethod
    def from_arrays(  # noqa: PLR0913 -- keywords: what a tree has beside its arrays
        cls,
        arrays: Mapping[str, NDArray[Any]],
        *,
        schema: Schema,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        class_factor: Floats | None = None,
        costs: Floats | None = None,
        unseen: str = "missing",
    ) -> "Tree":
        """A tree that owns `arrays` from now on, unchecked; side arrays may be left out.

        Written for speed: a tree on a few rows is grown in well under a millisecond.
        """
        if classes is not None:
            classes = tuple(classes.tolist() if isinstance(classes, np.ndarray) else classes)
            if class_factor is None:
                class_factor = np.ones(len(classes))
        owns_nothing = read_only(np.zeros(len(arrays["kind"]) + 1, dtype=np.int64))
        members: dict[str, Any] = dict.fromkeys(NODE_STARTS, owns_nothing)
        members |= EMPTY_SIDE_ARRAYS
        members |= arrays
        for array in arrays.values():
            array.setflags(write=False)
        members["class_factor"] = NO_FACTORS if class_factor is None else read_only(class_factor)
        members["costs"] = None if costs is None else read_only(costs)
        members["schema"] = schema
        members["classes"] = classes
        members["unseen"] = unseen
        tree = cls.__new__(cls)
        tree.__dict__.update(members)
        return tree

    def with_arrays(self, arrays: Mapping[str, NDArray[Any]], **members: Any) -> "Tree":
        """A tree of these arrays; schema, classes and costs are as here unless given."""
        names = ("schema", "classes", "class_factor", "costs", "unseen")
        return self.from_arrays(arrays, **({name: getattr(self, name) for name in names} | members))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for member in state.values():
            if isinstance(member, np.ndarray):
                read_only(member)
        self.__dict__.update(state)

    @property
    def n_nodes(self) -> int:
        """Nodes as stored; the levels that share an empty branch share its node."""
        return len(self.kind)

    @property
    def n_values(self) -> int:
        """Numbers each node holds: one per class, or one."""
        return int(self.value.shape[1])

    @property
    def is_classifier(self) -> bool:
        """Whether the tree predicts classes, not numbers."""
        return self.classes is not None

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return np.equal(self.kind, LEAF)

    @cached_property
    def n_leaves(self) -> int:
        """Leaves as the textbook draws them: one for every level, also for empty ones."""
        return int(textbook_leaves(self).sum())

    @cached_property
    def depth(self) -> int:
        """Splits on the longest path from the root."""
        return int(self.node_depth.max())

    @cached_property
    def parent(self) -> Int32Array:
        """The parent of each node; -1 for the root."""
        inner = np.flatnonzero(self.kind != LEAF).astype(np.int32)
        inner = inner[np.argsort(self.first_child[inner])]  # children then run 1, 2, 3 ...
        parent = np.full(self.n_nodes, -1, dtype=np.int32)
        parent[1:] = np.repeat(inner, self.n_children[inner])
        return read_only(parent)

    @cached_property
    def node_depth(self) -> Int32Array:
        """Splits between the root and each node."""
        # Each round doubles the distance looked back, so a chain needs few rounds too.
        depth = (self.parent >= 0).astype(np.int32)
        ancestor = np.maximum(self.parent, 0)
        while (step := depth[ancestor]).any():
            depth += step
            ancestor = ancestor[ancestor]
        return read_only(depth)

    @cached_property
    def other_child(self) -> Int32Array:
        """The node shared by the levels that a branches node does not list; -1 if there is none."""
        other = np.full(self.n_nodes, -1, dtype=np.int32)
        nodes = np.flatnonzero(self.kind == BRANCHES)
        if len(nodes) == 0:
            return read_only(other)
        own = np.zeros(self.n_nodes, dtype=np.int32)  # children that have a level
        np.maximum.at(own, owners_of(self.level_start), self.level_child + 1)
        n_further = self.n_children - own - (self.missing_child >= own)
        nodes = nodes[n_further[nodes] > 0]
        other[nodes] = self.first_child[nodes] + own[nodes]
        return read_only(other)

    @cached_property
    def heaviest_child(self) -> Int32Array:
        """The child with most training weight, the first on ties; -1 at a leaf."""
        heaviest = np.full(self.n_nodes, -1, dtype=np.int32)
        if self.n_nodes > 1:
            # Children sorted by parent, then weight downwards; stable, so the first wins ties.
            order = np.lexsort((-self.weight[1:], self.parent[1:])) + 1
            parents, first = np.unique(self.parent[order], return_index=True)
            heaviest[parents] = order[first]
        return read_only(heaviest)

    @cached_property
    def probabilities(self) -> Floats:
        """(n_nodes, n_classes): the class shares that each node predicts."""
        return read_only(class_shares(self.value, self.class_factor))

    @cached_property
    def node_class(self) -> NDArray[np.intp]:
        """Index into `classes` of each node's prediction."""
        return read_only(cheapest_classes(self.probabilities, self.costs))

    @cached_property
    def predictor(self) -> Predictor:
        """The compiled form of the tree, made on first use and never saved."""
        return build_predictor(self)

    @cached_property
    def spreads(self) -> tuple[bool, bool]:
        """Whether several leaves may predict one row: any row, and a row without missing values."""
        spreads = bool((self.missing_child == SPREAD).any())
        return spreads, spreads and spreads_levels(self)

    @cached_property
    def decimals_of_columns(self) -> dict[tuple[int, int], int | None]:
        """The decimals that thresholds of a column are printed with, once they are known."""
        return {}

    def node(self, index: int) -> Node:
        """One node, with its split, its neighbors and its prediction."""
        if not -self.n_nodes <= index < self.n_nodes:
            raise IndexError(f"node {index} of a tree with {self.n_nodes} nodes")
        return Node(self, int(index) % self.n_nodes)

    def nodes(self) -> Iterator[Node]:
        """All nodes, parents before their children."""
        return (self.node(index) for index in range(self.n_nodes))

    def path_to(self, node: int) -> tuple[int, ...]:
        """The nodes from the root to `node`, both included."""
        path = [int(node)]
        while (above := int(self.parent[path[-1]])) >= 0:
            path.append(above)
        return tuple(reversed(path))

    def leaf_of(self, table: "Table | NDArray[Any]", row: int) -> int:
        """The node that predicts `row`; of several, the one with the largest share."""
        row = range(len(table))[row]
        rows = table[row : row + 1]
        if not isinstance(rows, np.ndarray) and rows.matrix is None:
            levels = (getattr(column, "levels", ()) for column in rows.columns)
            known = (spec.levels for spec in self.schema.columns)
            if any(map(operator.ne, levels, known)):  # trees of ensembles sort their categories
                rows = self.schema.encode(rows, self.unseen)  # type: ignore[arg-type]
        return int(predict_leaves(self, rows)[0])

    def path_of(self, table: "Table | NDArray[Any]", row: int) -> tuple[int, ...]:
        """The nodes that `row` passes, from the root to the one that predicts it."""
        return self.path_to(self.leaf_of(table, row))

    def to_binary(self) -> "Tree":
        """The tree with two children at every inner node, and the same prediction for every row."""
        return to_binary(self)

    def to_depth(self, depth: int) -> "Tree":
        """The tree without what lies more than `depth` splits below the root."""
        return to_depth(self, depth)

    def to_leaves(self, n_leaves: int) -> "Tree":
        """The tree as growth that takes the best split first would leave it at `n_leaves`."""
        return to_leaves(self, n_leaves)

    def simplify(self) -> "Tree":
        """The tree without splits that change no prediction."""
        return simplify(self)

    def same_as(self, other: "Tree") -> bool:
        """Whether the two trees agree in every number."""
        return all(
            _same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
        )

    def __str__(self) -> str:
        return abridged_text(self)

    def _repr_html_(self) -> str:
        return notebook_html(self)

    def __repr__(self) -> str:
        return f"<Tree: {leaves_text(self)}, depth {self.depth}, {self.n_nodes:,} nodes>"


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return type(left) is type(right) and bool(left == right)
