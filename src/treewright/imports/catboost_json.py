"""CatBoost's JSON models: `model.save_model(path, format="json")`.

CatBoost rounds rows to float32 and asks whether they are above a border. Trees are mostly
oblivious: all nodes of a level ask the same, and the leaf is the number made of the replies.
"""

import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError, kind_of
from treewright.imports.foreign import ForeignModel, Source, TreeNodes, UnsupportedError
from treewright.imports.json_text import array_of, read_json, section, text_of, whole_of

LIBRARY = "CatBoost"
FLOAT32 = Comparison(float32=True)
MOST_COLUMNS = 200_000
DEEPEST = 16  # of an oblivious tree: CatBoost's own limit
NUMBERS = {
    **dict.fromkeys(
        ("RMSE", "MAE", "Quantile", "LogCosh", "MAPE", "Huber", "Expectile", "Lq"), "same"
    ),
    "Poisson": "exponential",
    "Tweedie": "exponential",
}
CLASSES = {
    "Logloss": "logistic",
    "CrossEntropy": "logistic",
    "MultiClass": "softmax",
    "MultiClassOneVsAll": "logistic_each",
}
MISSING_LEFT = {"AsIs": True, "AsFalse": True, "AsTrue": False}


def recognizes(content: bytes) -> bool:
    """Whether a file is JSON with the parts of CatBoost's."""
    return content[:1] == b"{" and b'"features_info"' in content and b'"scale_and_bias"' in content


def from_content(content: bytes, *, verify: bool = True) -> Source:
    """The model in a file, and CatBoost's own to compare it with if that is installed."""
    model = read_catboost(read_json(content))
    if not verify:
        return Source("JSON file", model, why_no_original="verify=False")
    try:
        catboost = import_module("catboost")
    except ImportError:
        return Source("JSON file", model, why_no_original="CatBoost is not installed")
    booster = catboost.CatBoost()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        path.write_bytes(content)
        try:
            booster.load_model(str(path), format="json")
        except Exception as error:
            message = str(error).splitlines()[0][:200]
            raise ModelFileError(f"CatBoost cannot load it: {message}") from None
    return source_of(booster, "JSON file", model)


def from_object(model: Any) -> Source:
    """A fitted model of CatBoost."""
    if not hasattr(model, "save_model") or not model.is_fitted():
        raise UnsupportedError(f"{kind_of(model)} is not a fitted model of CatBoost")
    if model.get_cat_feature_indices():
        raise UnsupportedError(
            "categorical features (CTR): their statistics of the target are not reproduced",
            hint="train CatBoost on numbers, or on categories coded as numbers",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        found = read_catboost(read_json(path.read_bytes()))
    return source_of(model, f"object {type(model).__name__}", found)


def source_of(booster: Any, words: str, model: ForeignModel) -> Source:
    """A model, and how CatBoost itself predicts."""

    def original(rows: Floats) -> Any:
        return booster.predict(rows, prediction_type="RawFormulaVal", thread_count=1)

    def predictions(X: Any) -> Any:
        kind = "Probability" if model.classes is not None else None
        if kind is None and model.link == "exponential":
            kind = "Exponent"
        return booster.predict(X, prediction_type=kind or "RawFormulaVal", thread_count=1)

    # CatBoost adds leaves in blocks of trees, and the bias last.
    return Source(words, model, original, is_exact=False, predictions=predictions)


# ---------------------------------------------------------------------------- reading


def read_catboost(data: Mapping[str, Any]) -> ForeignModel:
    """The model in what a file holds."""
    info = section(data, "model_info", "model")
    schema, missing_left, columns = columns_of(section(data, "features_info", "model"))
    scale, bias = scale_and_bias(data)
    n_outputs = len(bias)
    link, classes = link_of(info, n_outputs)
    listed = data.get("oblivious_trees", data.get("trees"))
    if type(listed) is not list or not listed:
        raise UnsupportedError("the model has no trees")
    read = oblivious_tree if "oblivious_trees" in data else free_tree
    trees = [
        tree
        for at, one in enumerate(listed)
        for tree in in_turns(read(one, f"tree {at}", columns, n_outputs), n_outputs)
    ]
    version = info.get("catboost_version_info")
    words = version.split() if type(version) is str else []
    found = next((word.rstrip(".") for word in words if word[:1].isdigit()), None)
    return ForeignModel(
        library=LIBRARY,
        version=found,
        nodes=joined(trees, missing_left, scale),
        schema=schema,
        classes=classes,
        start=bias,
        link=link,
        notes=("the file has no gains of splits, so all importances by gain are 0",),
    )


def columns_of(info: Mapping[str, Any]) -> tuple[Schema, NDArray[np.bool_], NDArray[np.int64]]:
    """The columns, where their missing values go, and the column of each numeric feature."""
    for key in ("categorical_features", "text_features", "embedding_features", "ctrs"):
        if info.get(key):
            raise UnsupportedError(
                f"`{key}`: statistics of the target by category (CTR) are not reproduced",
                hint="train CatBoost on numbers, or on categories coded as numbers",
            )
    features = info.get("float_features")
    if type(features) is not list or not all(type(one) is dict for one in features):
        raise ModelFileError("features_info: `float_features` is not a list of objects")
    where = "float_features"
    flat = [whole_of(one, "flat_feature_index", where, (0, MOST_COLUMNS)) for one in features]
    if sorted(flat) != list(range(len(flat))):
        raise ModelFileError("float_features: the columns are not numbered from 0")
    columns = np.zeros(len(flat), dtype=np.int64)
    names, left = [""] * len(flat), np.zeros(len(flat), dtype=np.bool_)
    for one, at in zip(features, flat, strict=True):
        index = whole_of(one, "feature_index", where, (0, len(flat) - 1))
        columns[index] = at
        treatment = one.get("nan_value_treatment", "AsIs")
        if type(treatment) is not str or treatment not in MISSING_LEFT:
            raise ModelFileError("float_features: `nan_value_treatment` is not known")
        left[at] = MISSING_LEFT[treatment]
        names[at] = text_of(one, "feature_id", where) if "feature_id" in one else ""
    has_names = any(name and name != str(at) for at, name in enumerate(names))
    if not has_names:
        names = [f"x{at}" for at in range(len(flat))]
    if len(set(names)) != len(names):
        raise ModelFileError("float_features: a name occurs twice")
    specs = [ColumnSpec(name, "numeric", comparison=FLOAT32) for name in names]
    return Schema(tuple(specs), has_names), left, columns


def scale_and_bias(data: Mapping[str, Any]) -> tuple[float, Floats]:
    """A factor of the leaves, and what is added to their sum, for each output."""
    pair = data.get("scale_and_bias")
    if type(pair) is not list or len(pair) != 2:
        raise ModelFileError("scale_and_bias: not a pair")
    bias = pair[1] if type(pair[1]) is list else [pair[1]]
    scale: Floats = array_of({"scale": [pair[0]]}, "scale", "scale_and_bias", np.float64)
    added: Floats = array_of({"bias": bias}, "bias", "scale_and_bias", np.float64)
    if not len(added) or not np.isfinite(scale).all() or not np.isfinite(added).all():
        raise ModelFileError("scale_and_bias: a number that is not finite")
    return float(scale[0]), added


def link_of(info: Mapping[str, Any], n_outputs: int) -> tuple[str, NDArray[Any] | None]:
    """How scores become predictions, and the classes."""
    params = section(info, "params", "model_info")
    loss = text_of(section(params, "loss_function", "params"), "type", "loss_function")
    if loss in CLASSES:
        labels = section(info, "class_params", "model_info").get("class_to_label")
        named = section(info, "class_params", "model_info").get("class_names", labels)
        n_classes = max(n_outputs, 2)
        kinds = {type(one) for one in named} if type(named) is list else set()
        if len(kinds) != 1 or not kinds <= {int, str, float} or len(set(named)) != n_classes:
            raise ModelFileError(f"class_params: not {n_classes} different class names")
        if (n_outputs == 1) != (CLASSES[loss] == "logistic"):
            raise ModelFileError(f"loss_function: {n_outputs} outputs with `{loss}`")
        return CLASSES[loss], np.array(named)
    if loss not in NUMBERS:
        raise UnsupportedError(f"the loss function `{loss[:50]}` is not known")
    if n_outputs > 1:
        raise UnsupportedError(f"{n_outputs} numbers for each row (`{loss}`)")
    return NUMBERS[loss], None


Parts = dict[str, NDArray[Any]]


def split_of(data: Any, where: str, columns: NDArray[np.int64]) -> tuple[int, float]:
    """The column and the border of a split."""
    if type(data) is not dict:
        raise ModelFileError(f"{where}: a split is not an object with keys")
    kind = data.get("split_type", "FloatFeature")
    if kind != "FloatFeature":
        raise UnsupportedError(f"{where}: splits of type `{str(kind)[:50]}` are not reproduced")
    at = whole_of(data, "float_feature_index", where, (0, len(columns) - 1))
    border: Any = data.get("border")
    if type(border) not in (int, float) or not np.isfinite(border):
        raise ModelFileError(f"{where}: `border` is not a finite number")
    return int(columns[at]), float(border)


def oblivious_tree(data: Any, where: str, columns: NDArray[np.int64], n_outputs: int) -> Parts:
    """A tree whose levels ask one split each; the first split is the lowest bit of the leaf."""
    splits = data.get("splits") if type(data) is dict else None
    splits = [] if splits is None and type(data) is dict else splits
    if type(splits) is not list or len(splits) > DEEPEST:
        raise ModelFileError(f"{where}: `splits` is not a list of at most {DEEPEST}")
    asked = [split_of(one, where, columns) for one in splits]
    depth, n_leaves = len(asked), 1 << len(asked)
    values = array_of(data, "leaf_values", where, np.float64, n_leaves * n_outputs)
    weights = np.zeros(n_leaves)
    if data.get("leaf_weights"):
        weights = array_of(data, "leaf_weights", where, np.float64, n_leaves)
    level = np.repeat(np.arange(depth + 1), 1 << np.arange(depth + 1))
    inner = level < depth
    number = np.arange(len(level))
    # A leaf stands where its replies lead, the first one highest; its number has it lowest.
    place = np.arange(n_leaves)
    leaf = sum(((place >> (depth - 1 - bit)) & 1) << bit for bit in range(depth)) + 0 * place
    feature = np.array([one for one, _ in asked] + [-1])
    border = np.array([one for _, one in asked] + [0.0])
    value = np.zeros((len(level), n_outputs))
    value[~inner] = values.reshape(n_leaves, n_outputs)[leaf]
    weight = np.zeros(len(level))
    weight[~inner] = weights[leaf]
    return {
        "left": np.where(inner, 2 * number + 1, -1),
        "right": np.where(inner, 2 * number + 2, -1),
        "feature": feature[level],
        "border": border[level],
        "value": value,
        "weight": weight,
    }


def free_tree(data: Any, where: str, columns: NDArray[np.int64], n_outputs: int) -> Parts:
    """A tree of nested objects."""
    nodes: list[tuple[int, int, int, float, list[float], float]] = []
    waiting: list[Any] = [data]
    while len(nodes) < len(waiting):
        node = waiting[len(nodes)]
        if type(node) is not dict:
            raise ModelFileError(f"{where}: a node is not an object with keys")
        if "split" in node:
            at, border = split_of(node["split"], where, columns)
            nodes.append((len(waiting), len(waiting) + 1, at, border, [0.0] * n_outputs, 0.0))
            waiting += [node.get("left"), node.get("right")]
            continue
        own = node.get("value")
        own = own if type(own) is list else [own]
        value = array_of({"value": own}, "value", where, np.float64, n_outputs)
        weight = array_of({"weight": [node.get("weight", 0.0)]}, "weight", where, np.float64, 1)
        nodes.append((-1, -1, -1, 0.0, value.tolist(), float(weight[0])))
    left, right, feature, border_of, values, weights = zip(*nodes, strict=True)
    return {
        "left": np.array(left),
        "right": np.array(right),
        "feature": np.array(feature),
        "border": np.array(border_of, dtype=np.float64),
        "value": np.array(values, dtype=np.float64).reshape(len(nodes), n_outputs),
        "weight": np.array(weights, dtype=np.float64),
    }


def in_turns(tree: Parts, n_outputs: int) -> list[Parts]:
    """A tree for each output."""
    return [{**tree, "value": tree["value"][:, [output]]} for output in range(n_outputs)]


def joined(trees: list[Parts], missing_left: NDArray[np.bool_], scale: float) -> TreeNodes:
    """The nodes of all trees."""
    sizes = np.array([len(tree["left"]) for tree in trees])
    start = np.concatenate([[0], np.cumsum(sizes)])
    first = np.repeat(start[:-1], sizes)

    def nodes(key: str) -> NDArray[Any]:
        return np.concatenate([tree[key] for tree in trees])

    left, feature = nodes("left"), nodes("feature")
    inner = left >= 0
    borders, place = np.unique(nodes("border"), return_inverse=True)
    threshold = np.array([FLOAT32.threshold(one) for one in borders.tolist()])[place]
    goes_left = np.append(missing_left, False)  # of leaves, whose column is -1
    return TreeNodes(
        start=start,
        left=np.where(inner, left + first, -1),
        right=np.where(inner, nodes("right") + first, -1),
        feature=feature,
        threshold=np.where(inner, threshold, 0.0),
        missing_left=goes_left[feature],
        value=nodes("value") * scale,
        weight=np.maximum(nodes("weight"), 0.0),
        n_rows=np.zeros(len(left), dtype=np.int64),
        gain=np.zeros(len(left)),
    )
