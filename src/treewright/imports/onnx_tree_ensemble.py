"""ONNX graphs around one `TreeEnsemble`, as `tw.export(model, to="onnx")` writes them.

Before the trees, categories become numbers; all categories are tried. After the trees, their values
are added, or looked up in a table, and become predictions; what this computes is compared with the
sums and links that an imported model has. Nothing else is accepted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import Schema
from treewright.errors import ModelFileError
from treewright.imports.foreign import (
    MOST_DEPTH,
    NO_SETS,
    ForeignModel,
    Ints,
    Sets,
    TreeNodes,
    UnsupportedError,
)
from treewright.imports.onnx_columns import (
    Feature,
    Features,
    InputColumn,
    Own,
    columns_of,
    feed_of,
    flags_in,
    numbers_in,
    spec_of,
    whole,
    wholes_in,
)
from treewright.imports.onnx_graph import (
    DOUBLE,
    FLOAT,
    Graph,
    Tensor,
)
from treewright.imports.onnx_sums import LIMIT, LIMIT_OF_DOUBLES, After, End, Leaves, end_of

LIBRARY = "ONNX"
TREE_ENSEMBLE = "TreeEnsemble"
AVERAGE, SUM = 0, 1
LEQ, LT, GTE, GT = range(4)  # how a node compares
COMPARED: dict[int, Callable[..., Any]] = {
    LEQ: np.less_equal,
    LT: np.less,
    GTE: np.greater_equal,
    GT: np.greater,
    4: np.equal,
    5: np.not_equal,
}
TRANSFORMS = {0: "same", 1: "softmax", 2: "logistic_each"}


@dataclass(frozen=True, eq=False)
class OnnxModel:
    """A model, and how its file takes rows."""

    model: ForeignModel
    feed: Callable[[Floats], dict[str, Tensor]]  # numbers and positions of categories
    limit: float  # relative difference of predictions by onnxruntime
    has_probabilities: bool = True


def tree_ensemble_model(graph: Graph) -> OnnxModel:
    """The model of a graph with one `TreeEnsemble`."""
    at = [node.kind for node in graph.nodes].index(TREE_ENSEMBLE)
    trees = graph.nodes[at]
    if len(trees.inputs) != 1 or len(trees.outputs) != 1:
        raise ModelFileError(f"`{TREE_ENSEMBLE}` has not one input and one output")
    columns = columns_of(graph, at)
    features = Features(graph, at, columns).of(trees.inputs[0])
    leaves, nodes = nodes_of(trees.attributes, features, columns)
    end = end_of(After(graph, at, len(features)), leaves)
    return put_together(graph, columns, nodes, leaves, end)


# ---------------------------------------------------------------------------- trees


def nodes_of(
    own: Own, features: Sequence[Feature], columns: Sequence[InputColumn]
) -> tuple[Leaves, TreeNodes]:
    """The nodes without values, and the leaves."""
    split, mode = numbers_in(own, "nodes_splits", "f"), numbers_in(own, "nodes_modes", "u")
    weight = numbers_in(own, "leaf_weights", "f").astype(np.float64)
    n, n_leaves = len(split), len(weight)
    target = wholes_in(own, "leaf_targetids", n_leaves)
    n_targets = whole(own, "n_targets", 1)
    aggregate, transform = whole(own, "aggregate_function", SUM), whole(own, "post_transform", 0)
    if len(mode) != n or not {*mode.tolist()} <= {*COMPARED}:
        raise UnsupportedError("`nodes_modes` has a comparison that is not reproduced")
    if aggregate not in (AVERAGE, SUM) or transform not in TRANSFORMS:
        raise UnsupportedError(
            f"`aggregate_function` {aggregate} with `post_transform` {transform}: such sums are "
            "not reproduced"
        )
    if not 1 <= n_targets <= 2**20 or (target < 0).any() or (target >= n_targets).any():
        raise ModelFileError("`leaf_targetids`: no such target")
    ways = []
    for side in ("true", "false"):
        child = wholes_in(own, f"nodes_{side}nodeids", n)
        is_leaf = flags_in(own, f"nodes_{side}leafs", n)
        most = np.where(is_leaf, n_leaves, n)
        if ((child < 0) | (child >= most)).any():
            raise ModelFileError(f"`nodes_{side}nodeids`: no such node or leaf")
        ways.append(np.where(is_leaf, child + n, child))
    roots = wholes_in(own, "tree_roots")
    if not len(roots) or (roots < 0).any() or (roots >= n).any():
        raise ModelFileError("`tree_roots`: no such node")
    asked = wholes_in(own, "nodes_featureids", n)
    if ((asked < 0) | (asked >= len(features))).any():
        raise ModelFileError("`nodes_featureids`: no such column")
    true, false = ways
    # A tree of one leaf has a node with the same leaf, or two equal ones, on both sides.
    both = (true >= n) & (false >= n)
    first, second = np.where(both, true - n, 0), np.where(both, false - n, 0)
    alike = both & (weight[first] == weight[second]) & (target[first] == target[second])
    is_stump = np.zeros(n, dtype=np.bool_)
    is_stump[roots] = alike[roots]
    old, tree_of = in_order_of_trees(roots, true, false, is_stump)
    new = np.full(n + n_leaves, -1)
    new[old] = np.arange(len(old))
    inner = (old < n) & ~is_stump[np.minimum(old, n - 1)]
    place = np.where(inner, old, 0)
    tracks = np.zeros(n, dtype=np.bool_)
    if "nodes_missing_value_tracks_true" in own:
        tracks = flags_in(own, "nodes_missing_value_tracks_true", n)
    questions = Questions(features, columns, asked, split.astype(np.float64), mode)
    true_is_left = questions.true_is_left[place]
    nodes = TreeNodes(
        start=np.searchsorted(tree_of, np.arange(len(roots) + 1)),
        left=np.where(inner, new[np.where(true_is_left, true[place], false[place])], -1),
        right=np.where(inner, new[np.where(true_is_left, false[place], true[place])], -1),
        feature=np.where(inner, questions.column[place], -1),
        threshold=np.where(inner, questions.threshold[place], 0.0),
        missing_left=inner & (tracks[place] == true_is_left),
        value=np.zeros((len(old), 1)),
        weight=np.zeros(len(old)),
        n_rows=np.zeros(len(old), dtype=np.int64),
        gain=np.zeros(len(old)),
        set_of=np.where(inner, questions.set_of[place], -1),
        sets=questions.sets,
    )
    ends = np.flatnonzero(~inner)
    leaf = np.where(old[ends] >= n, old[ends] - n, first[np.minimum(old[ends], n - 1)])
    divisor = float(len(roots)) if aggregate == AVERAGE else 1.0
    leaves = Leaves(
        ends,
        target[leaf],
        weight[leaf],
        n_targets,
        divisor,
        TRANSFORMS[transform],
        questions.comparison,
    )
    return leaves, nodes


def in_order_of_trees(
    roots: Ints, true: Ints, false: Ints, is_stump: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """The nodes and leaves tree by tree, the root first, and the tree of each."""
    n = len(true)
    level, tree = roots, np.arange(len(roots))
    levels, trees, n_found = [level], [tree], len(roots)
    while True:
        asks = (level < n) & ~is_stump[np.minimum(level, n - 1)]
        level, tree = level[asks], tree[asks]
        if not len(level):
            break
        level = np.stack([true[level], false[level]], axis=1).ravel()
        tree = np.repeat(tree, 2)
        n_found += len(level)
        if n_found > 3 * n + 3 or len(levels) > MOST_DEPTH:
            raise UnsupportedError("paths that meet again, or a tree that is too deep")
        levels.append(level)
        trees.append(tree)
    old, tree_of = np.concatenate(levels), np.concatenate(trees)
    if len(np.unique(old)) != len(old):
        raise UnsupportedError("paths that meet again: a node has two parents")
    order = np.argsort(tree_of, kind="stable")
    return old[order], tree_of[order]


class Questions:
    """What the nodes ask of the columns."""

    def __init__(
        self,
        features: Sequence[Feature],
        columns: Sequence[InputColumn],
        asked: Ints,
        split: Floats,
        mode: Tensor,
    ) -> None:
        of_feature = np.array([one.column for one in features], dtype=np.int64)
        by_level = np.array([one.by_level is not None for one in features], dtype=np.bool_)
        self.column = of_feature[asked]
        self.set_of = np.full(len(asked), -1)
        is_number = ~by_level[asked]
        bad = is_number & (mode > GT) | np.isnan(split) | (split == -np.inf)
        if bad.any():
            raise UnsupportedError("a number that is compared for equality, or with no number")
        self.true_is_left = ~is_number | (mode <= LT)
        self.threshold = np.zeros(len(asked))
        is_strict = np.isin(mode, (LT, GTE))
        finite = is_number & np.isfinite(split)
        if (is_number & ~finite & (mode != LEQ)).any():
            raise UnsupportedError("a comparison with infinity")
        self.threshold[is_number & ~finite] = np.inf
        numbers = {columns[at].given.element for at in {*self.column[is_number].tolist()}}
        if not numbers <= {FLOAT, DOUBLE} or len(numbers) > 1:
            raise UnsupportedError("only columns of float or of double are reproduced")
        self.comparison = Comparison(
            float32=numbers == {FLOAT}, strict=bool(finite.any() and is_strict[finite].all())
        )
        self.threshold[finite] = thresholds(split[finite], is_strict[finite], self.comparison)
        self.sets = NO_SETS
        codes: list[Ints] = []
        known: list[Ints] = []
        set_of: dict[tuple[int, float, int], int] = {}
        for at in np.flatnonzero(~is_number).tolist():
            key = (int(asked[at]), float(split[at]), int(mode[at]))
            if key not in set_of:
                set_of[key] = len(codes)
                numbers_of = features[key[0]].by_level
                assert numbers_of is not None
                is_known = ~np.isnan(numbers_of)
                codes.append(np.flatnonzero(is_known & COMPARED[key[2]](numbers_of, key[1])))
                known.append(np.flatnonzero(is_known))
            self.set_of[at] = set_of[key]
        if codes:
            start = np.concatenate([[0], np.cumsum(list(map(len, codes)))])
            self.sets = Sets(start, np.concatenate(codes), tuple(known))


def thresholds(bounds: Floats, strict: NDArray[np.bool_], comparison: Comparison) -> Floats:
    """What `<=` of doubles compares with."""
    if not comparison.strict:  # a few `<` among `<=`: the number before the bound
        dtype = np.float32 if comparison.float32 else np.float64
        below = np.nextafter(bounds.astype(dtype), dtype(-np.inf)).astype(np.float64)
        bounds = np.where(strict, below, bounds)
    different, place = np.unique(bounds, return_inverse=True)
    found = np.array([comparison.threshold(one) for one in different.tolist()])
    return np.asarray(found[place])


def trees_in_turns(nodes: TreeNodes, value: Floats) -> TreeNodes:
    """Trees that add to one class each, in turns."""
    n_classes = value.shape[1]
    used = np.add.reduceat(value != 0, nodes.start[:-1], axis=0) > 0
    turn = np.arange(nodes.n_trees) % n_classes
    others = used.copy()
    others[np.arange(nodes.n_trees), turn] = False
    if not others.any() and nodes.n_trees % n_classes == 0:
        return replace(nodes, value=value[np.arange(nodes.n_nodes), turn[nodes.tree_of]][:, None])
    # Each tree once for every class.
    sizes = np.diff(nodes.start)
    pieces = np.split(np.arange(nodes.n_nodes), nodes.start[1:-1])
    old = np.concatenate([piece for piece in pieces for _ in range(n_classes)])
    start = np.concatenate([[0], np.cumsum(np.repeat(sizes, n_classes))])
    shift = np.repeat(start[:-1] - np.repeat(nodes.start[:-1], n_classes), np.diff(start))
    label = np.repeat(np.tile(np.arange(n_classes), nodes.n_trees), np.diff(start))
    return TreeNodes(
        start=start,
        left=np.where(nodes.is_inner[old], nodes.left[old] + shift, -1),
        right=np.where(nodes.is_inner[old], nodes.right[old] + shift, -1),
        feature=nodes.feature[old],
        threshold=nodes.threshold[old],
        missing_left=nodes.missing_left[old],
        value=value[old, label][:, None],
        weight=nodes.weight[old],
        n_rows=nodes.n_rows[old],
        gain=nodes.gain[old],
        set_of=None if nodes.set_of is None else nodes.set_of[old],
        sets=nodes.sets,
    )


def put_together(
    graph: Graph,
    columns: Sequence[InputColumn],
    nodes: TreeNodes,
    leaves: Leaves,
    end: End,
) -> OnnxModel:
    """The model."""
    n_scores = len(end.start)
    value = np.zeros((nodes.n_nodes, n_scores))
    if end.table is None:
        value[leaves.at, leaves.target % n_scores] = leaves.weight
    else:
        place = leaves.weight
        if (place % 1 != 0).any() or (place < 0).any() or (place >= len(end.table)).any():
            raise ModelFileError("`leaf_weights`: no such place in the table")
        value[leaves.at] = end.table[place.astype(np.int64)]
    if not np.isfinite(value).all():
        raise ModelFileError("a leaf with a number that is not finite")
    kept = np.unique(nodes.feature[nodes.is_inner])
    is_array = columns[0].is_array
    kept = np.arange(len(columns)) if is_array else kept
    if not len(kept):
        raise UnsupportedError("the trees use no column")
    specs = [spec_of(columns[at], leaves.comparison) for at in kept.tolist()]
    schema = Schema(tuple(specs), has_names=not is_array, by_name=not is_array)
    new = np.full(len(columns), -1)
    new[kept] = np.arange(len(kept))
    nodes = replace(nodes, feature=np.where(nodes.is_inner, new[nodes.feature], -1))
    unseen = {columns[at].unseen for at in kept} - {""}
    if len(unseen) > 1:
        raise UnsupportedError("unknown categories are an error in some columns only")
    facts: dict[str, Any] = {
        "library": LIBRARY,
        "version": graph.version,
        "schema": schema,
        "classes": end.classes,
        "unseen": unseen.pop() if unseen else "missing",
    }
    if end.classes is not None and end.link == "same":
        total = value[leaves.at].sum(axis=1)
        divisor = 1.0 if end.is_single else float(nodes.n_trees)
        if (
            (value < 0).any()
            or (np.abs(total - 1.0) > LIMIT_OF_DOUBLES).any()
            or end.divisor != divisor
        ):
            raise UnsupportedError("leaves whose numbers are not shares of classes, without a link")
        if end.start.any():
            raise UnsupportedError("shares of classes that do not start at 0")
        facts |= {"averages_shares": True, "is_single": end.is_single}
    else:
        in_turns = value.shape[1] > 1
        nodes, value = (trees_in_turns(nodes, value), value[:, :1]) if in_turns else (nodes, value)
        value = nodes.value if in_turns else value
        is_single = nodes.n_trees == 1 and end.link == "same" and end.divisor == 1
        facts |= {"start": end.start, "divisor": end.divisor, "link": end.link}
        facts["is_single"] = is_single and not end.start.any() and end.classes is None
    model = ForeignModel(nodes=replace(nodes, value=value), **facts)
    limit = LIMIT_OF_DOUBLES if not leaves.comparison.float32 else LIMIT
    return OnnxModel(model, lambda rows: feed_of(columns, kept.tolist(), rows), limit)
