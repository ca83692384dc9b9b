"""ONNX files with one `TreeEnsembleClassifier`, `TreeEnsembleRegressor` or `TreeEnsemble`.

Around the first two there may be `Cast`, `Identity` and `ZipMap`. Engines add leaves in float32 and
in an order of their own; the imported model adds them in doubles, so sums are equal up to rounding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources import table_from_any
from treewright.errors import ModelFileError
from treewright.imports.foreign import ForeignModel, Ints, Source, TreeNodes, UnsupportedError
from treewright.imports.library_process import Library, with_library
from treewright.imports.library_script import Predict
from treewright.imports.onnx_columns import MOST_COLUMNS, flags_in, wholes_in
from treewright.imports.onnx_graph import DOUBLE, FLOAT, Attribute, GraphNode, read_graph, tensor_in
from treewright.imports.onnx_sums import LIMIT
from treewright.imports.onnx_tree_ensemble import (
    LIBRARY,
    TREE_ENSEMBLE,
    OnnxModel,
    thresholds,
    tree_ensemble_model,
    trees_in_turns,
)

AROUND = ("Cast", "Identity", "ZipMap")
CLASSIFIER, REGRESSOR = "TreeEnsembleClassifier", "TreeEnsembleRegressor"
# By mode: whether the true branch is the lower one, and whether the bound belongs to the upper one.
MODES = {
    b"BRANCH_LEQ": (True, False),
    b"BRANCH_LT": (True, True),
    b"BRANCH_GT": (False, False),
    b"BRANCH_GTE": (False, True),
}


def recognizes(content: bytes) -> bool:
    """Whether a file begins as an ONNX model and has operations on trees or classes."""
    return content[:1] == b"\x08" and (b"ai.onnx.ml" in content or b"TreeEnsemble" in content)


def from_content(content: bytes, *, verify: bool = True) -> Source:
    """The model in a file, and onnxruntime to compare it with if that is installed."""
    words, found = "ONNX file", read_onnx(content)
    if not verify:
        return Source(words, found.model)

    def beside(predict: Predict, words: str, model: ForeignModel) -> Source:
        return source_of(predict, words, model, found)

    runtime = Library("onnxruntime", "onnxruntime")
    return with_library(runtime, words, content, lambda: found.model, beside)


def source_of(predict: Predict, words: str, model: ForeignModel, read: OnnxModel) -> Source:
    """A model, and how onnxruntime predicts."""
    labels = [] if model.classes is None else model.classes.tolist()

    def original(rows: Floats) -> Any:
        found = predict(read.feed(rows), labels=labels)
        return found if model.classes is not None else np.ravel(found)

    if model.classes is not None and not read.has_probabilities:
        why = "the file gives no probabilities"
        return Source(words, model, why_no_original=why)
    return Source(
        words,
        model,
        original,
        is_exact=False,
        gives_predictions=True,
        limit=read.limit,
        takes_unseen=model.unseen != "error",
        predictions=lambda X: original(positions_in(X, model)),
    )


def positions_in(X: Any, model: ForeignModel) -> Floats:
    """(n_rows, n_columns): the numbers of a table, and the positions of its categories."""
    table = model.schema.encode(
        table_from_any(X), "error" if model.unseen == "error" else "missing"
    )
    columns = [
        column.values
        if isinstance(column, NumericColumn)
        else np.where(column.codes < 0, np.nan, column.codes.astype(np.float64))
        for column in table.columns
    ]
    return np.stack(columns, axis=1)


# ---------------------------------------------------------------------------- the graph


def read_onnx(content: bytes) -> OnnxModel:
    """The model in a file."""
    graph = read_graph(content)
    kinds = [node.kind for node in graph.nodes]
    if kinds.count(TREE_ENSEMBLE) == 1 and not {CLASSIFIER, REGRESSOR} & {*kinds}:
        return tree_ensemble_model(graph)
    other = [kind for kind in kinds if kind not in (*AROUND, CLASSIFIER, REGRESSOR)]
    if not {TREE_ENSEMBLE, CLASSIFIER, REGRESSOR} & {*kinds}:
        way = "a loop" if "Loop" in kinds else "other operations"
        raise UnsupportedError(f"the graph has no ensemble of trees; it predicts by {way}")
    if other:
        raise UnsupportedError(f"the operation `{other[0][:50]}` of the graph is not reproduced")
    trees = [node for node in graph.nodes if node.kind not in AROUND]
    if len(trees) != 1 or len(graph.inputs) != 1:
        raise UnsupportedError(
            f"{len(trees)} ensembles of trees and {len(graph.inputs)} inputs, not one of each"
        )
    check_casts(trees[0], graph.nodes)
    given = graph.inputs[0]
    element = input_type(trees[0], graph.nodes, given.name, given.element)
    dtype = np.float64 if given.element == DOUBLE else np.float32
    return OnnxModel(
        model_of(trees[0], element, given.n_columns, graph.version),
        lambda rows: {given.name: rows.astype(dtype)},
        limit=LIMIT,
        has_probabilities=len(graph.outputs) > 1,
    )


def check_casts(trees: GraphNode, nodes: Sequence[GraphNode]) -> None:
    """Raise if probabilities or numbers are converted to another type than float or double."""
    scores = set(trees.outputs[-1:])
    for node in nodes:  # in the order of computation
        if scores & {*node.inputs}:
            scores |= {*node.outputs}
            to = node.attributes["to"].wholes.tolist() if "to" in node.attributes else [0]
            if node.kind == "Cast" and not {*to} <= {FLOAT, DOUBLE}:
                raise UnsupportedError("predictions that are cast to another type than float")


def input_type(trees: GraphNode, nodes: Sequence[GraphNode], name: str, element: int) -> int:
    """The type of numbers that the trees compare."""
    made_by = {output: node for node in nodes for output in node.outputs}
    asked = trees.inputs[0] if trees.inputs else ""
    casts: list[int] = []
    for _ in range(len(nodes)):
        if asked == name or asked not in made_by:
            break
        node = made_by[asked]
        if node.kind == "Cast" and "to" in node.attributes:
            casts += node.attributes["to"].wholes.tolist()[:1]
        asked = node.inputs[0] if node.inputs else ""
    if asked != name:
        raise UnsupportedError("the trees do not take the input of the graph")
    types = {element, *casts}
    if not types <= {FLOAT, DOUBLE}:
        raise UnsupportedError("only inputs of float or double are reproduced")
    return FLOAT if FLOAT in types else DOUBLE


# ---------------------------------------------------------------------------- the trees


def model_of(
    node: GraphNode, element: int, n_columns: int | None, version: str | None
) -> ForeignModel:
    """The model of an ensemble."""
    own, is_class = node.attributes, node.kind == CLASSIFIER
    nodes, key_of = nodes_of(own, Comparison(float32=element == FLOAT))
    n_needed = int(nodes.feature.max(initial=-1)) + 1
    n_columns = max(n_needed, 1) if n_columns is None else n_columns
    if not n_needed <= n_columns <= MOST_COLUMNS:
        raise ModelFileError(f"{n_columns} columns, of which the trees ask number {n_needed}")
    strict = is_strict(own)
    comparison = Comparison(float32=element == FLOAT, strict=strict)
    specs = tuple(ColumnSpec(f"x{at}", "numeric", comparison=comparison) for at in range(n_columns))
    schema = Schema(specs, has_names=False)
    prefix = "class" if is_class else "target"
    weights = weights_of(own, prefix, key_of)
    base = floats_in(own, "base_values", None) if has(own, "base_values") else np.zeros(0)
    link = word_in(own, "post_transform", b"NONE")
    build = class_model if is_class else number_model
    return build(own, nodes, weights, (base, link), library=LIBRARY, version=version, schema=schema)


Own = Mapping[str, Attribute]
Weights = tuple[Ints, Ints, Floats]  # node, output, weight


def has(own: Own, name: str) -> bool:
    return any(key in own and not is_empty(own[key]) for key in (name, f"{name}_as_tensor"))


def word_in(own: Own, name: str, default: bytes) -> bytes:
    """The one text of an attribute."""
    if not has(own, name):
        return default
    texts = own[name].texts if name in own else []
    if len(texts) != 1:
        raise ModelFileError(f"`{name}` is not one text")
    return texts[0]


def is_empty(attribute: Attribute) -> bool:
    return not (
        attribute.floats or attribute.wholes or attribute.texts or attribute.tensor is not None
    )


def floats_in(own: Own, name: str, n: int | None) -> Floats:
    tensor = own[f"{name}_as_tensor"].tensor if f"{name}_as_tensor" in own else None
    if tensor is not None:
        found = tensor_in(tensor)[1].ravel()
        if found.dtype.kind != "f":
            raise ModelFileError(f"`{name}` is a tensor of another type than float or double")
        found = found.astype(np.float64)
    else:
        found = np.array(own[name].floats if name in own else [], dtype=np.float64)
    if n is not None and len(found) != n:
        raise ModelFileError(f"`{name}` has {len(found)} numbers, not {n}")
    if not np.isfinite(found).all():
        raise ModelFileError(f"`{name}` has a number that is not finite")
    return found


def is_strict(own: Own) -> bool:
    """Whether all comparisons are `<` or `>=`."""
    asked = {mode for mode in own["nodes_modes"].texts if mode != b"LEAF"}
    return bool(asked) and all(MODES[mode][1] for mode in asked)


def nodes_of(own: Own, comparison: Comparison) -> tuple[TreeNodes, Callable[[Ints, Ints], Ints]]:
    """The nodes without values, and a function that finds nodes by their trees and numbers."""
    modes = own["nodes_modes"].texts if "nodes_modes" in own else []
    n = len(modes)
    unknown = {*modes} - {*MODES, b"LEAF"}
    if not n or unknown:
        words = ", ".join(sorted(str(one[:30])[2:-1] for one in unknown)) or "no nodes"
        raise UnsupportedError(f"nodes of this kind are not reproduced: {words}")
    tree, number = wholes_in(own, "nodes_treeids", n), wholes_in(own, "nodes_nodeids", n)
    if not ((tree >= 0) & (tree < n) & (number >= 0) & (number < 2**31)).all():
        raise ModelFileError("`nodes_treeids` or `nodes_nodeids` has a number out of range")
    # A tree begins at the node that comes first, and its nodes stand together.
    change = np.flatnonzero(np.diff(tree) != 0) + 1
    start = np.concatenate([[0], change, [n]])
    if len(np.unique(tree[start[:-1]])) != len(start) - 1:
        raise UnsupportedError("the nodes of a tree do not stand together")
    key = tree << 32 | number
    order = np.argsort(key, kind="stable")
    if (np.diff(key[order]) == 0).any():
        raise ModelFileError("a node occurs twice")

    def find(trees: Ints, numbers: Ints) -> Ints:
        wanted = trees << 32 | numbers
        at = np.minimum(np.searchsorted(key[order], wanted), n - 1)
        found = order[at]
        if (key[found] != wanted).any() or (numbers < 0).any() or (trees < 0).any():
            raise ModelFileError("no such node")
        return np.asarray(found)

    is_inner = np.array([mode != b"LEAF" for mode in modes])
    true, false = np.full(n, -1), np.full(n, -1)
    for name, child in (("nodes_truenodeids", true), ("nodes_falsenodeids", false)):
        child[is_inner] = find(tree[is_inner], wholes_in(own, name, n)[is_inner])
    sides = np.array([MODES.get(mode, (True, False)) for mode in modes])
    true_is_left, strict = sides[:, 0], sides[:, 1]
    tracks_true = np.zeros(n, dtype=np.bool_)
    if has(own, "nodes_missing_value_tracks_true"):
        tracks_true = flags_in(own, "nodes_missing_value_tracks_true", n)
    bounds = np.where(is_inner, floats_in(own, "nodes_values", n), 0.0)
    of_column = Comparison(float32=comparison.float32, strict=is_strict(own))
    nodes = TreeNodes(
        start=start,
        left=np.where(true_is_left, true, false),
        right=np.where(true_is_left, false, true),
        feature=np.where(is_inner, wholes_in(own, "nodes_featureids", n), -1),
        threshold=np.where(is_inner, thresholds(bounds, strict, of_column), 0.0),
        missing_left=is_inner & (tracks_true == true_is_left),
        value=np.zeros((n, 1)),
        weight=np.zeros(n),
        n_rows=np.zeros(n, dtype=np.int64),
        gain=np.zeros(n),
    )
    if (nodes.feature[is_inner] < 0).any():
        raise ModelFileError("no such column")
    return nodes, find


def weights_of(own: Own, prefix: str, find: Callable[[Ints, Ints], Ints]) -> Weights:
    """What leaves add to outputs."""
    weights = floats_in(own, f"{prefix}_weights", None)
    n = len(weights)
    output = wholes_in(own, f"{prefix}_ids", n)
    at = find(wholes_in(own, f"{prefix}_treeids", n), wholes_in(own, f"{prefix}_nodeids", n))
    if len(np.unique(at << 20 | output)) != n or (output < 0).any() or (output >= 2**20).any():
        raise ModelFileError(f"`{prefix}_ids`: an output occurs twice at a leaf, or is negative")
    return at, output, weights


def number_model(
    own: Own, nodes: TreeNodes, weights: Weights, end: tuple[Floats, bytes], **facts: Any
) -> ForeignModel:
    """A model of one number."""
    base, link = end
    n_targets = wholes_in(own, "n_targets", 1).tolist() if has(own, "n_targets") else [1]
    if n_targets != [1] or (weights[1] != 0).any() or len(base) > 1:
        raise UnsupportedError(f"{n_targets[0]} numbers for each row")
    how = word_in(own, "aggregate_function", b"SUM")
    links = {b"NONE": "same", b"LOGISTIC": "logistic"}
    if how not in (b"SUM", b"AVERAGE") or link not in links:
        raise UnsupportedError(
            f"`{str(how)[2:30]} {str(link)[2:30]}`: such sums are not reproduced"
        )
    value = np.zeros((nodes.n_nodes, 1))
    value[weights[0], 0] = weights[2]
    divisor = float(nodes.n_trees) if how == b"AVERAGE" else 1.0
    start = np.zeros(1) if not len(base) else base * divisor
    is_single = nodes.n_trees == 1 and link == b"NONE" and not start.any()
    return ForeignModel(
        nodes=replace(nodes, value=value),
        start=start,
        divisor=divisor,
        link=links[link],
        is_single=is_single,
        **facts,
    )


def class_model(
    own: Own, nodes: TreeNodes, weights: Weights, end: tuple[Floats, bytes], **facts: Any
) -> ForeignModel:
    """A model of classes: averaged shares, or scores with a link."""
    base, link = end
    classes = classes_in(own)
    at, output, weight = weights
    n_classes, n_trees = len(classes), nodes.n_trees
    if output.max(initial=0) >= n_classes:
        raise ModelFileError("`class_ids`: no such class")
    is_binary = n_classes == 2 and len(np.unique(output)) == 1
    if link == b"NONE" and not base.any():
        value = np.zeros((nodes.n_nodes, n_classes))
        if is_binary:  # the one weight is that of the second class
            value[at, 1] = weight
            value[~nodes.is_inner, 0] = 1.0 / n_trees - value[~nodes.is_inner, 1]
            value[np.abs(value) < 2.0**-20 / n_trees] = 0.0
        else:
            value[at, output] = weight
        total = value[~nodes.is_inner].sum(axis=1)
        if (value < 0).any() or (np.abs(total * n_trees - 1.0) > LIMIT).any():
            raise UnsupportedError("leaves whose weights are not shares of classes, without a link")
        is_single = n_trees == 1
        return ForeignModel(
            nodes=replace(nodes, value=value),
            classes=classes,
            averages_shares=True,
            is_single=is_single,
            **facts,
        )
    if is_binary and link == b"LOGISTIC" and len(base) <= 1:
        if (weight >= 0).all():
            raise UnsupportedError("no leaf is below 0: engines then compare scores with 0.5")
        value = np.zeros((nodes.n_nodes, 1))
        value[at, 0] = weight
        start = base if len(base) else np.zeros(1)
        return ForeignModel(
            nodes=replace(nodes, value=value),
            classes=classes,
            start=start,
            link="logistic",
            **facts,
        )
    links = {b"SOFTMAX": "softmax", b"LOGISTIC": "logistic_each"}
    if is_binary or link not in links or len(base) not in (0, n_classes):
        raise UnsupportedError(f"`{str(link)[2:30]}`: such scores of classes are not reproduced")
    value = np.zeros((nodes.n_nodes, n_classes))
    value[at, output] = weight
    start = base if len(base) else np.zeros(n_classes)
    in_turns = trees_in_turns(nodes, value)
    return ForeignModel(nodes=in_turns, classes=classes, start=start, link=links[link], **facts)


def classes_in(own: Own) -> NDArray[Any]:
    """The labels of the classes."""
    texts = own["classlabels_strings"].texts if has(own, "classlabels_strings") else []
    if texts:
        try:
            found: list[Any] = [one.decode() for one in texts]
        except UnicodeDecodeError:
            raise ModelFileError("`classlabels_strings` is not UTF-8") from None
    else:
        found = wholes_in(own, "classlabels_int64s", None).tolist()
    if len(found) < 2 or len(set(found)) != len(found):
        raise ModelFileError("the labels of classes are missing, or one occurs twice")
    return np.array(found)
