"""ONNX graphs around one `TreeEnsemble`, as `tw.export(model, to="onnx")` writes them.

Before the trees, categories become numbers; all categories are tried. After the trees, their values
are added, or looked up in a table, and become predictions; what this computes is compared with the
sums and links that an imported model has. Nothing else is accepted.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError
from treewright.imports.fitted import CLASS_LINKS, LINKS
from treewright.imports.foreign import (
    MOST_DEPTH,
    NO_SETS,
    ForeignModel,
    Ints,
    Sets,
    TreeNodes,
    UnsupportedError,
)
from treewright.imports.onnx_graph import (
    DOUBLE,
    FLOAT,
    OPERATIONS,
    STRING,
    Attribute,
    Graph,
    GraphError,
    GraphInput,
    GraphNode,
    Tensor,
    compute,
    keys_of,
    tensor_in,
)
from treewright.tree.predictions import cheapest_classes

LIBRARY = "ONNX"
TREE_ENSEMBLE = "TreeEnsemble"
MOST_COLUMNS = 200_000
MOST_NOTES = 10_000_000  # characters
LIMIT = 2.0**-17  # relative difference of sums in float32
LIMIT_OF_DOUBLES = 1e-12
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
SAME_VALUES = ("Identity", "Reshape", "Cast", "Squeeze", "Unsqueeze", "Flatten")
# Operations on sums before they become predictions.
ADDING = (*SAME_VALUES, "Gather", "Concat", "CumSum", "Add", "ReduceSum")
ASKING = {"LabelEncoder", "IsNaN", "Shape"}  # what a column of categories may go through
N_PROBES = 16
MOST_SCORES = 2**16
MOST_TERMS = 2**20  # of a row: trees times classes


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


# ---------------------------------------------------------------------------- columns


@dataclass(slots=True, eq=False)
class InputColumn:
    """A column of the rows that a graph takes."""

    name: str
    given: GraphInput
    levels: tuple[Any, ...] = ()  # categories; numbers if there are none
    missing_text: str = ""  # stands for a missing category
    unseen: str = ""  # what an unknown category is
    is_array: bool = False  # its input has all columns, which have no names


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """What the trees compare: a number, or a number for each category of a column."""

    column: int
    by_level: Floats | None = None


def columns_of(graph: Graph, n_before: int) -> list[InputColumn]:
    """The columns; one input of several columns is an array."""
    names = listed(graph, "columns")
    if len(graph.inputs) == 1 and is_array(graph, names):
        given = graph.inputs[0]
        n_columns = given.n_columns
        if n_columns is None:
            ids = wholes_in(graph.nodes[n_before].attributes, "nodes_featureids")
            n_columns = int(ids.max(initial=0)) + 1
        if not 0 < n_columns <= MOST_COLUMNS:
            raise ModelFileError(f"{n_columns} columns")
        return [InputColumn(f"x{at}", given, is_array=True) for at in range(n_columns)]
    if not 0 < len(graph.inputs) <= MOST_COLUMNS:
        raise ModelFileError(f"{len(graph.inputs)} inputs")
    if len(names) != len(graph.inputs):
        names = [one.name for one in graph.inputs]
    if len(set(names)) != len(names):
        raise ModelFileError("the names of the columns are not different texts")
    for one in graph.inputs:
        if one.n_columns != 1:
            raise UnsupportedError(f"the input `{one.name[:50]}` of several has not one column")
    return [InputColumn(name, given) for name, given in zip(names, graph.inputs, strict=True)]


def listed(graph: Graph, name: str) -> list[str]:
    """Names of columns that the file notes; [] without such a note."""
    try:
        found = json.loads(graph.properties.get(name, "")[:MOST_NOTES])
    except (ValueError, RecursionError):
        return []
    is_list = type(found) is list and all(type(one) is str for one in found)
    return found if is_list else []


def is_array(graph: Graph, names: Sequence[str]) -> bool:
    """Whether the only input is an array, not a table of one column."""
    given = graph.inputs[0]
    return given.element != STRING and (given.n_columns != 1 or names != [given.name])


class Features:
    """What the trees compare, followed from the columns through the graph."""

    def __init__(self, graph: Graph, n_before: int, columns: list[InputColumn]) -> None:
        self.graph, self.before, self.columns = graph, graph.nodes[:n_before], columns
        self.known: dict[str, list[Feature]] = {}
        # The input that a tensor depends on; "" where these are several.
        self.depends: dict[str, str | None] = dict.fromkeys(graph.constants)
        self.place = {one.given.name: at for at, one in enumerate(columns)}
        self.tries: dict[str, Tries] = {}
        for at, one in enumerate(columns):
            self.known.setdefault(one.given.name, []).append(Feature(at))
            self.depends[one.given.name] = one.given.name
        for node in self.before:
            if node.outputs and all(name in self.depends for name in node.inputs):
                on = {self.depends[name] for name in node.inputs} - {None}
                self.depends[node.outputs[0]] = "" if len(on) > 1 else on.pop() if on else None
                self.follow(node)

    def follow(self, node: GraphNode) -> None:
        """Find the features that an operation chooses or puts together."""
        axis, found = whole(node.attributes, "axis", 0), None
        own = self.known.get(node.inputs[0]) if node.inputs else None
        if node.kind == "Concat" and axis == 1:
            found = [one for name in node.inputs for one in self.parts(name)]
            if len(found) > MOST_COLUMNS:
                raise UnsupportedError(f"the trees compare more than {MOST_COLUMNS:,} columns")
        elif own is not None and node.kind == "Gather" and axis == 1:
            places = self.graph.constants.get(node.inputs[-1])
            wanted = [-1] if places is None else places.ravel().tolist()
            if not all(type(one) is int and 0 <= one < len(own) for one in wanted):
                raise ModelFileError("no such column")
            found = [own[one] for one in wanted]
        elif own is not None:
            types = {self.columns[one.column].given.element for one in own}
            is_same = node.kind == "Cast" and types == {whole(node.attributes, "to", 0)}
            found = own if is_same or node.kind == "Identity" else None
        if found is not None:
            self.known[node.outputs[0]] = found

    def parts(self, name: str) -> list[Feature]:
        """The features that a tensor has, one in each column."""
        if name in self.known:
            return self.known[name]
        of = self.depends.get(name)
        if not of:
            raise UnsupportedError(
                "the trees compare something else than columns, such as weighted sums of them"
            )
        if of not in self.tries:
            self.tries[of] = Tries(self.graph, self.before, self.columns[self.place[of]])
        return [Feature(self.place[of], one) for one in self.tries[of].numbers(name)]

    def of(self, name: str) -> list[Feature]:
        """The features that the trees see; texts for missing values are no categories."""
        found = self.parts(name)
        kept = {self.place[of]: own.kept() for of, own in self.tries.items()}
        return [
            one if one.by_level is None else Feature(one.column, one.by_level[kept[one.column]])
            for one in found
        ]


class Tries:
    """All categories of a column, tried in the graph."""

    def __init__(self, graph: Graph, before: Sequence[GraphNode], column: InputColumn) -> None:
        self.graph, self.before, self.column = graph, before, column
        self.is_text = column.given.element == STRING
        self.names: list[str] = []  # the tensors that the trees see
        self.keys: list[Any] = []
        name = column.given.name
        readers = [node for node in before if name in node.inputs]
        if column.given.n_columns != 1 or not {node.kind for node in readers} <= ASKING:
            raise self.error("is computed in an unknown way")
        for node in readers:
            if node.kind == "LabelEncoder":
                self.keys += keys_of(node.attributes).tolist()
        kind = str if self.is_text else float
        if not all(type(one) is kind for one in self.keys) or len({*self.keys}) != len(self.keys):
            raise self.error("has categories of another type")
        nothing = [] if self.is_text else [np.nan]
        self.found = self.tried([*self.keys, *nothing] or [""])

    def error(self, problem: str) -> UnsupportedError:
        return UnsupportedError(f"the column `{self.column.name[:50]}` {problem}")

    def tried(self, given: Sequence[Any]) -> dict[str, Tensor]:
        """What becomes of some values."""
        rows = np.array([[one] for one in given], dtype=object if self.is_text else np.float64)
        values = {**self.graph.constants, self.column.given.name: rows}
        compute(self.before, values)
        return values

    def numbers(self, name: str) -> Floats:
        """(n_numbers, n_keys): what the trees see of each category."""
        found = self.found.get(name)
        n_rows = len(self.found[self.column.given.name])
        if found is None or found.ndim != 2 or len(found) != n_rows or found.dtype.kind != "f":
            raise self.error("is computed in an unknown way")
        self.names.append(name)
        return found[: len(self.keys)].T.astype(np.float64)

    def kept(self) -> Ints:
        """The keys that are categories; also finds what is missing, and what is unknown."""
        column, keys = self.column, self.keys
        if not keys:
            return np.zeros(0, dtype=np.int64)
        seen = np.concatenate([self.found[name] for name in self.names], axis=1)
        is_missing = np.isnan(seen).all(axis=1)
        unknown: Any = unknown_key(keys)
        if self.is_text:
            kept = np.flatnonzero(~is_missing)
            if len(kept) < len(keys) - 1:
                raise self.error("has several texts for missing values")
            column.missing_text = unknown if len(kept) == len(keys) else keys[is_missing.argmax()]
        else:
            kept, unknown = np.arange(len(keys)), float(max(keys)) + 1.0
            if not is_missing[-1] or not all(float(one).is_integer() for one in keys):
                raise self.error("has categories that are not whole numbers, or missing ones")
        levels = [keys[at] for at in kept.tolist()]
        column.levels = tuple(levels if self.is_text else map(int, levels))
        if {*column.levels} <= {0, 1} and column.name in listed(self.graph, "booleans"):
            column.levels = tuple(map(bool, column.levels))
        try:
            after = self.tried([unknown])
        except GraphError:
            column.unseen = "error"
            return kept
        column.unseen = "missing"
        if not all(np.isnan(after[name]).all() for name in self.names):
            raise self.error("sends unknown categories to a branch of their own")
        return kept


# ---------------------------------------------------------------------------- trees


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """What the leaves of the nodes add, and to which target."""

    at: Ints  # the node of each
    target: Ints
    weight: Floats
    n_targets: int
    divisor: float
    transform: str
    comparison: Comparison  # of numbers


Own = Mapping[str, Attribute]


def whole(own: Own, name: str, default: int) -> int:
    """A whole number among the attributes."""
    found = wholes_in(own, name).tolist() if name in own else [default]
    if len(found) != 1:
        raise ModelFileError(f"`{name}` is not one number")
    return int(found[0])


def wholes_in(own: Own, name: str, n: int | None = None) -> Ints:
    """Whole numbers among the attributes."""
    found = np.array(own[name].wholes if name in own else [], dtype=np.int64)
    if n is not None and len(found) != n:
        raise ModelFileError(f"`{name}` has {len(found)} numbers, not {n}")
    return found


def flags_in(own: Own, name: str, n: int) -> NDArray[np.bool_]:
    """Flags, 0 or 1."""
    found = wholes_in(own, name, n)
    if not np.isin(found, (0, 1)).all():
        raise ModelFileError(f"`{name}` has a number other than 0 and 1")
    return np.asarray(found == 1)


def numbers_in(own: Own, name: str, kinds: str) -> Tensor:
    tensor = own[name].tensor if name in own else None
    if tensor is None:
        raise ModelFileError(f"`{name}` is missing")
    found = tensor_in(tensor)[1].ravel()
    if found.dtype.kind not in kinds:
        raise ModelFileError(f"`{name}` is a tensor of another type")
    return found


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


# ---------------------------------------------------------------------------- predictions


@dataclass(slots=True, eq=False)
class End:
    """What becomes of the leaves: sums for each score, and then predictions."""

    start: Floats
    table: Tensor | None = None  # of numbers, where leaves are places in it
    divisor: float = 1.0
    link: str = "same"
    classes: NDArray[Any] | None = None
    is_single: bool = False


class After:
    """The operations after the trees, tried with numbers of ours."""

    def __init__(self, graph: Graph, n_before: int, n_features: int) -> None:
        self.graph, self.nodes = graph, graph.nodes
        self.trees = graph.nodes[n_before]
        self.n_features = n_features
        self.output = self.trees.outputs[0]

    def run(self, name: str = "", given: Tensor | None = None) -> dict[str, Tensor]:
        """All that follows from one tensor."""
        n_rows = N_PROBES if given is None else len(given)
        values = dict(self.graph.constants)
        values[self.trees.inputs[0]] = np.zeros((n_rows, self.n_features))
        if given is not None:
            values[name] = given
        compute(self.nodes, values)
        return values

    def outputs(self, name: str, given: Tensor) -> tuple[Tensor, Tensor | None]:
        """Predictions and labels that follow from a tensor."""
        values = self.run(name, given)
        for one in self.graph.outputs:
            if one not in values:
                wrong = [node.kind for node in self.nodes if node.outputs[:1] == [one]]
                unknown = [node.kind for node in self.nodes if node.kind not in OPERATIONS]
                kind = (unknown or wrong or ["nothing"])[0]
                raise UnsupportedError(f"the operation `{kind[:50]}` is not reproduced")
        labels = values[self.graph.outputs[0]] if len(self.graph.outputs) == 2 else None
        found = values[self.graph.outputs[-1]]
        if found.ndim == 0 or len(found) != len(given) or found.dtype.kind != "f":
            raise ModelFileError("predictions of another shape or type")
        return found.reshape(len(given), -1), None if labels is None else labels.ravel()


def end_of(after: After, leaves: Leaves) -> End:
    """What the operations after the trees compute."""
    end = End(np.zeros(1), classes=classes_of(after))
    lookup = table_after(after)
    if lookup is not None:
        place, scores, end.table = lookup
        probe = after.run(after.output, np.zeros((2, leaves.n_targets))).get(place)
        if leaves.n_targets == 1 and probe is not None and probe.ndim == 1:
            return single_end(after, end, place)
        divisor = add_up(after, scores, (leaves.n_targets, end.table.shape[1]), end)
    elif leaves.transform == "same":
        divisor = add_up(after, after.output, (leaves.n_targets,), end)
    else:
        end.start, divisor = np.zeros(leaves.n_targets), 1.0
        link = LINKS["logistic"] if leaves.transform == "logistic_each" else CLASS_LINKS["softmax"]
        set_link(after, end, lambda given: after.outputs(after.output, link(given)), 1.0)
    end.divisor = divisor * leaves.divisor
    end.start = end.start * leaves.divisor
    return end


def classes_of(after: After) -> NDArray[Any] | None:
    """The classes, among which the first of two outputs is looked up."""
    if len(after.graph.outputs) == 1:
        return None
    if len(after.graph.outputs) != 2:
        raise UnsupportedError(f"{len(after.graph.outputs)} outputs")
    made_by = {name: node for node in after.nodes for name in node.outputs}
    node = made_by.get(after.graph.outputs[0])
    for _ in range(len(after.nodes)):
        if node is None or node.kind not in SAME_VALUES:
            break
        node = made_by.get(node.inputs[0] if node.inputs else "")
    table = after.graph.constants.get(node.inputs[0]) if node and node.kind == "Gather" else None
    if table is None or table.ndim != 1 or not 2 <= len(table) == len({*table.tolist()}):
        raise UnsupportedError("labels that are not looked up in a list of classes")
    found = np.array(table.tolist())
    if found.dtype.kind not in "Uibf" or (found.dtype.kind == "f" and np.isnan(found).any()):
        raise UnsupportedError("classes that are not texts or numbers")
    return found


def table_after(after: After) -> tuple[str, str, Tensor] | None:
    """The places that are looked up, what is found, and the table: leaves may be places in it."""
    same = {after.output}
    for node in after.nodes:
        if node.kind in SAME_VALUES and node.inputs and node.inputs[0] in same:
            same |= {*node.outputs}
        elif node.kind == "Gather" and len(node.inputs) == 2 and node.inputs[1] in same:
            table = after.graph.constants.get(node.inputs[0])
            is_table = table is not None and table.ndim == 2 and table.dtype.kind == "f"
            if (
                is_table
                and table is not None
                and table.size
                and not whole(node.attributes, "axis", 0)
            ):
                return node.inputs[1], node.outputs[0], table.astype(np.float64)
    return None


def single_end(after: After, end: End, place: str) -> End:
    """One tree whose leaves are places in a table of predictions."""
    assert end.table is not None
    values, labels = after.outputs(place, np.arange(len(end.table)))
    if not np.array_equal(values, end.table):
        raise UnsupportedError("the numbers of the table are changed")
    if end.classes is None and values.shape[1] != 1:
        raise UnsupportedError(f"{values.shape[1]} numbers for each row")
    if end.classes is not None:
        check_classes(end, values, labels, cheapest_classes(values))
    end.start = np.zeros(values.shape[1])
    end.is_single = True
    return end


def check_classes(end: End, values: Tensor, labels: Tensor | None, expected: Ints) -> None:
    """Raise unless the most probable classes are predicted."""
    assert end.classes is not None
    if values.shape[1] != len(end.classes):
        raise ModelFileError("not one probability for each class")
    if labels is None or labels.tolist() != end.classes[expected].tolist():
        raise UnsupportedError("the most probable class is not predicted; the model may have costs")


def last_sum(after: After, name: str, values: Mapping[str, Tensor]) -> str:
    """The last tensor that follows from the values of trees by adding and choosing alone."""
    fixed, sums, found = after.run(), {name}, name
    for node in after.nodes:
        others = [one for one in node.inputs if one not in sums]
        is_sum = node.kind in ADDING and len(others) < len(node.inputs)
        if node.kind == "Cast":
            is_sum &= whole(node.attributes, "to", 0) in (FLOAT, DOUBLE)
        if node.kind == "Gather":
            is_sum &= node.inputs[0] in sums
        if is_sum and all(one in fixed for one in others):
            sums |= {*node.outputs}
            own = values.get(node.outputs[0])
            if own is not None and own.ndim == 2 and node.outputs[0] not in after.graph.outputs:
                found = node.outputs[0]
    return found


def add_up(after: After, name: str, shape: tuple[int, ...], end: End) -> float:
    """Find the sums of the trees, where they start, and their link; what they are divided by."""
    if np.prod(shape) > MOST_TERMS:
        raise UnsupportedError("more trees and classes than are read")
    rng = np.random.default_rng(0)
    terms = rng.integers(-1000, 1000, (N_PROBES, *shape)).astype(np.float64)
    terms[0] = 0.0
    values = after.run(name, terms)
    scores = last_sum(after, name, values)
    total = values[scores]
    if total.ndim != 2 or len(total) != N_PROBES or not 0 < total.shape[1] <= MOST_SCORES:
        raise UnsupportedError("the trees are not added up to scores")
    n_scores = total.shape[1]
    if len(shape) == 1 and shape[0] % n_scores == 0:
        own = np.stack([terms[:, at::n_scores].sum(axis=1) for at in range(n_scores)], axis=1)
    elif len(shape) == 2 and shape[1] == n_scores:
        own = terms.sum(axis=1)
    else:
        raise UnsupportedError("the trees are not as many for each score")
    start = total[0].astype(np.float64)
    if not np.isfinite(start).all():
        raise ModelFileError("a sum does not start at a finite number")
    size = np.abs(start) + np.abs(own).max() + 1.0
    if not (np.abs(total - start - own) <= 1e-9 * size).all():
        raise UnsupportedError("the values of the trees are not simply added up")
    end.start, divisor = start, 1.0
    for node in after.nodes:
        by = after.graph.constants.get(node.inputs[1]) if len(node.inputs) == 2 else None
        if node.kind == "Div" and node.inputs[0] == scores and by is not None and by.size == 1:
            divisor = float(by.ravel()[0])
    if not 0 < divisor < np.inf:
        raise ModelFileError("sums are divided by a number that is not above 0")
    set_link(after, end, lambda given: after.outputs(scores, given), divisor)
    return divisor


def set_link(
    after: After,
    end: End,
    outputs: Callable[[Floats], tuple[Tensor, Tensor | None]],
    divisor: float,
) -> None:
    """Find what scores become, by trying many."""
    rng, n_scores = np.random.default_rng(1), len(end.start)
    sizes = np.repeat([0.1, 1.0, 5.0, 30.0], N_PROBES // 4)[:, None]
    given = np.clip(rng.normal(size=(N_PROBES, n_scores)) * sizes, -80.0, 80.0)
    values, labels = outputs(given * divisor)
    scores = given * divisor / divisor
    n_classes = 0 if end.classes is None else len(end.classes)
    tries: dict[str, Floats] = {}
    if n_classes == 0 and n_scores == 1:
        tries = {name: link(scores) for name, link in LINKS.items()}
    elif n_classes == 2 and n_scores == 1:
        for name in ("logistic", "step"):
            second = LINKS[name](scores)
            tries[name] = np.concatenate([1.0 - second, second], axis=1)
    elif n_classes == n_scores:
        tries = {"same": scores, **{name: link(scores) for name, link in CLASS_LINKS.items()}}
    limit = LIMIT if values.dtype == np.float32 else LIMIT_OF_DOUBLES
    fits = [
        name
        for name, expected in tries.items()
        if expected.shape == values.shape
        and (np.abs(values - expected) <= limit * (np.abs(expected) + 1e-3)).all()
    ]
    if not fits:
        raise UnsupportedError("what the graph makes of the scores is not reproduced")
    end.link = fits[0]
    if end.classes is not None:
        check_classes(end, values, labels, values.argmax(axis=1))


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


def spec_of(column: InputColumn, comparison: Comparison) -> ColumnSpec:
    if column.levels:
        return ColumnSpec(column.name, "nominal", column.levels)
    return ColumnSpec(column.name, "numeric", comparison=comparison)


def feed_of(columns: Sequence[InputColumn], kept: Sequence[int], rows: Floats) -> dict[str, Tensor]:
    """The rows as the inputs of the graph."""
    dtype = {FLOAT: np.float32, DOUBLE: np.float64}
    if columns[0].is_array:
        first = columns[0].given
        return {first.name: rows.astype(dtype.get(first.element, np.float64))}
    found: dict[str, Tensor] = {}
    for one in columns:
        nothing = one.missing_text if one.given.element == STRING else np.nan
        own_type = object if one.given.element == STRING else dtype[one.given.element]
        found[one.given.name] = np.full((len(rows), 1), nothing, dtype=own_type)
    for place, at in enumerate(kept):
        one, own = columns[at], rows[:, place]
        if not one.levels:
            found[one.given.name] = own[:, None].astype(dtype[one.given.element])
            continue
        is_text = one.given.element == STRING
        unknown = unknown_key(one.levels) if is_text else float(max(one.levels)) + 1.0
        keys = np.array(
            [*one.levels, unknown, one.missing_text if is_text else np.nan],
            dtype=object if is_text else np.float64,
        )
        codes = np.where(np.isnan(own), len(keys) - 1, own).astype(np.int64)
        found[one.given.name] = keys[codes][:, None]
    return found


def unknown_key(keys: Sequence[Any]) -> str:
    """A text that is not among some."""
    return max(map(str, keys), key=len) + "?"
