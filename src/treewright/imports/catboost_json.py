"""CatBoost's JSON models: `model.save_model(path, format="json")`.

CatBoost rounds rows to float32 and asks whether they are above a border. Trees are mostly
oblivious: all nodes of a level ask the same, and the leaf is the number made of the replies.

A category is a hash of its text. Splits of few categories (`one_hot_max_size`) ask for one of them;
a table says which texts they are. Splits by statistics of the target (CTR) are not reproduced.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NominalColumn
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources import table_from_any
from treewright.data.table import Table
from treewright.errors import DataError, ModelFileError, kind_of
from treewright.imports.city_hash import category_hash
from treewright.imports.foreign import (
    Flags,
    ForeignModel,
    Ints,
    Sets,
    Source,
    TreeNodes,
    UnsupportedError,
)
from treewright.imports.json_text import array_of, read_json, section, text_of, whole_of
from treewright.imports.library_process import Library, with_library
from treewright.imports.library_script import Predict

LIBRARY = "CatBoost"
NEEDS_TABLE = True  # for the categories of a model
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
CTR = "statistics of the target by category (CTR) are not reproduced"
NO_CTR = "train CatBoost with a larger one_hot_max_size, or on numbers"
UNSEEN = "#never seen by training"
MISSING_LEFT = {"AsIs": True, "AsFalse": True, "AsTrue": False}


def recognizes(content: bytes) -> bool:
    """Whether a file is JSON with the parts of CatBoost's."""
    return content[:1] == b"{" and b'"features_info"' in content and b'"float_features"' in content


def from_content(content: bytes, *, verify: bool = True, X: Any = None) -> Source:
    """The model in a file, and CatBoost's own to compare it with if that is installed."""
    words = "JSON file"

    def read() -> ForeignModel:
        return read_catboost(read_json(content), X)

    if not verify:
        return Source(words, read())
    return with_library(Library("catboost", LIBRARY), words, content, read, source_of)


def from_object(model: Any, *, X: Any = None) -> Source:
    """A fitted model of CatBoost."""
    if not hasattr(model, "save_model") or not model.is_fitted():
        raise UnsupportedError(f"{kind_of(model)} is not a fitted model of CatBoost")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        found = read_catboost(read_json(path.read_bytes()), X)
    return source_of(model.predict, f"object {type(model).__name__}", found)


def source_of(predict: Predict, words: str, model: ForeignModel) -> Source:
    """A model, and how CatBoost itself predicts."""

    columns = model.schema.columns
    nominal = [at for at, spec in enumerate(columns) if not spec.is_numeric]

    def original(rows: Floats) -> Any:
        given: Any = rows
        if nominal:
            given = rows.astype(object)
            for at in nominal:
                words = np.array([*map(str, columns[at].levels), UNSEEN], dtype=object)
                given[:, at] = words[rows[:, at].astype(np.intp)]
        return predict(given, prediction_type="RawFormulaVal", thread_count=1)

    def predictions(X: Any) -> Any:
        kind = "Probability" if model.classes is not None else None
        if kind is None and model.link == "exponential":
            kind = "Exponent"
        return predict(X, prediction_type=kind or "RawFormulaVal", thread_count=1)

    # CatBoost adds leaves in blocks of trees, and the bias last.
    return Source(
        words,
        model,
        original,
        is_exact=False,
        predictions=predictions,
        never_missing=tuple(nominal),  # CatBoost refuses missing categories
    )


# ---------------------------------------------------------------------------- reading


def read_catboost(data: Mapping[str, Any], X: Any = None) -> ForeignModel:
    """The model in what a file holds; a table names the categories."""
    info = section(data, "model_info", "model")
    columns = columns_of(section(data, "features_info", "model"), X)
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
        nodes=joined(trees, columns, scale),
        schema=columns.schema,
        classes=classes,
        start=bias,
        link=link,
        notes=("the file has no gains of splits, so all importances by gain are 0",),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns, and how splits name them."""

    schema: Schema
    missing_left: Flags
    of_number: Ints  # the column of each numeric feature
    of_category: Ints  # and of each categorical one
    sets: Mapping[tuple[int, int], tuple[int, Ints]]  # by column and hash: categories without it
    splits: list[tuple[int, float]]  # the column and the border or hash of all, by `split_index`


Listed = list[tuple[Mapping[str, Any], str]]  # the features by column, each with its kind
KINDS = ("float_features", "categorical_features")


def columns_of(info: Mapping[str, Any], X: Any) -> Columns:
    """The columns of a model; the table, if there is one, names their categories."""
    for key in ("text_features", "embedding_features", "ctrs"):
        if info.get(key):
            what = CTR if key == "ctrs" else "texts and embeddings are not reproduced"
            raise UnsupportedError(f"`{key}`: {what}", hint=NO_CTR)
    listed, places = features_in(info)
    names, has_names = names_of(listed)
    left = np.ones(len(listed), dtype=np.bool_)
    specs: list[ColumnSpec] = []
    sets: dict[tuple[int, int], tuple[int, Ints]] = {}
    table = None if X is None else table_from_any(X)
    for at, (one, key) in enumerate(listed):
        if key == "float_features":
            treatment = one.get("nan_value_treatment", "AsIs")
            if type(treatment) is not str or treatment not in MISSING_LEFT:
                raise ModelFileError("float_features: `nan_value_treatment` is not known")
            left[at] = MISSING_LEFT[treatment]
            specs.append(ColumnSpec(names[at], "numeric", comparison=FLOAT32))
            continue
        hashes = array_of({"values": one.get("values") or []}, "values", key, np.int64)
        levels = levels_of(names[at] if has_names else at, hashes, table)
        own = np.array([category_hash(str(level)) for level in levels], dtype=np.int64)
        if not np.isin(hashes, own).all():
            raise UnsupportedError(
                f"the table lacks a category of column `{names[at]}` that splits ask for",
                hint="give the training rows: `import_model(..., X=rows)`, or --table",
            )
        for value in np.unique(hashes).tolist():
            sets[at, value] = (len(sets), np.flatnonzero(own != value))
        specs.append(ColumnSpec(names[at], "nominal", levels))
    of_number, of_category = (places[key] for key in KINDS)
    splits = [*splits_of(info, KINDS[0], "borders"), *splits_of(info, KINDS[1], "values")]
    return Columns(Schema(tuple(specs), has_names), left, of_number, of_category, sets, splits)


def splits_of(info: Mapping[str, Any], kind: str, key: str) -> list[tuple[int, float]]:
    """The column of each feature with each of its borders, or hashes of categories."""
    found: list[tuple[int, float]] = []
    for one in sorted(info.get(kind) or [], key=lambda one: int(one["feature_index"])):
        listed = array_of({key: one.get(key) or []}, key, kind, np.float64).tolist()
        if len(set(listed)) < len(listed) or (key == "borders" and sorted(listed) != listed):
            raise ModelFileError(f"{kind}: `{key}` are not different ones in their order")
        column = whole_of(one, "flat_feature_index", kind, (0, MOST_COLUMNS))
        found += [(column, value) for value in listed]
    return found


def features_in(info: Mapping[str, Any]) -> tuple[Listed, dict[str, Ints]]:
    """All features by column, and the column of each feature of a kind."""
    places: dict[str, Ints] = {}
    by_column: dict[int, tuple[Mapping[str, Any], str]] = {}
    for key in KINDS:
        features = info.get(key) or []
        if type(features) is not list or not all(type(one) is dict for one in features):
            raise ModelFileError(f"features_info: `{key}` is not a list of objects")
        places[key] = np.full(len(features), -1, dtype=np.int64)
        for one in features:
            at = whole_of(one, "flat_feature_index", key, (0, MOST_COLUMNS))
            places[key][whole_of(one, "feature_index", key, (0, len(features) - 1))] = at
            by_column[at] = (one, key)
    used = np.sort(np.concatenate([places[key] for key in KINDS]))
    # Every column has one feature, and every feature one column.
    if sorted(by_column) != list(range(len(used))) or used.tolist() != sorted(by_column):
        raise ModelFileError("features_info: the columns are not numbered from 0")
    return [by_column[at] for at in range(len(used))], places


def names_of(listed: Listed) -> tuple[list[str], bool]:
    """The names of the columns, and whether they had names."""
    names = [text_of(one, "feature_id", key) if "feature_id" in one else "" for one, key in listed]
    has_names = any(name and name != str(at) for at, name in enumerate(names))
    if not has_names:
        names = [f"x{at}" for at in range(len(listed))]
    if len(set(names)) != len(names):
        raise ModelFileError("features_info: a name occurs twice")
    return names, has_names


def levels_of(column: str | int, hashes: Ints, table: Table | None) -> tuple[Any, ...]:
    """The categories of a column of the table."""
    if not len(hashes):
        return ()  # no split asks for it
    if table is None:
        raise UnsupportedError(
            f"the file has hashes of the categories of column `{column}`, not their texts",
            hint="give a table with all categories: `import_model(..., X=rows)`, or --table",
        )
    at = table.names.index(column) if column in table.names else column
    if type(at) is not int or at >= table.n_columns:
        raise DataError(f"the table has no column `{column}`")
    own = table.columns[at]
    levels = own.levels if isinstance(own, NominalColumn) else numbers_in(own)
    if not all(type(level) in (str, int) for level in levels):
        raise UnsupportedError(f"column `{column}`: categories are not texts or whole numbers")
    return tuple(levels)


def numbers_in(column: Any) -> tuple[Any, ...]:
    """The different whole numbers of a column; others as they are."""
    found = np.unique(column.values[~np.isnan(column.values)]).tolist()
    return tuple(int(one) if one == int(one) else one for one in found)


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


Split = tuple[int, float, int]  # a column, a border, a set; the set is -1 for numbers


def split_of(data: Any, where: str, columns: Columns) -> Split:
    """What a split asks; the child for no is the left one."""
    if type(data) is not dict:
        raise ModelFileError(f"{where}: a split is not an object with keys")
    kind = data.get("split_type", "FloatFeature")
    if kind == "OneHotFeature":
        last = len(columns.of_category) - 1
        if last < 0:
            raise ModelFileError(f"{where}: a category without a categorical column")
        at = int(columns.of_category[whole_of(data, "cat_feature_index", where, (0, last))])
        value = data.get("value")
        if type(value) is not int:
            raise ModelFileError(f"{where}: `value` is not a whole number")
        check_listed(data, where, columns, (at, value))
        return at, 0.0, columns.sets[at, value][0]
    if kind == "OnlineCtr":
        raise UnsupportedError(f"{where}: {CTR}", hint=NO_CTR)
    if kind != "FloatFeature":
        raise UnsupportedError(f"{where}: splits of type `{str(kind)[:50]}` are not reproduced")
    at = whole_of(data, "float_feature_index", where, (0, len(columns.of_number) - 1))
    border: Any = data.get("border")
    if type(border) not in (int, float) or not np.isfinite(border):
        raise ModelFileError(f"{where}: `border` is not a finite number")
    check_listed(data, where, columns, (int(columns.of_number[at]), border))
    return int(columns.of_number[at]), float(border), -1


def check_listed(
    data: Mapping[str, Any], where: str, columns: Columns, asked: tuple[int, float]
) -> None:
    """Raise unless the feature lists what a split asks: CatBoost itself reads the list."""
    at = whole_of(data, "split_index", where, (0, len(columns.splits) - 1))
    if columns.splits[at] != asked:
        raise ModelFileError(f"{where}: a split is another one than `split_index` says")


def oblivious_tree(data: Any, where: str, columns: Columns, n_outputs: int) -> Parts:
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
    feature = np.array([one for one, _, _ in asked] + [-1])
    border = np.array([one for _, one, _ in asked] + [0.0])
    which = np.array([one for _, _, one in asked] + [-1])
    value = np.zeros((len(level), n_outputs))
    value[~inner] = values.reshape(n_leaves, n_outputs)[leaf]
    weight = np.zeros(len(level))
    weight[~inner] = weights[leaf]
    return {
        "left": np.where(inner, 2 * number + 1, -1),
        "right": np.where(inner, 2 * number + 2, -1),
        "feature": feature[level],
        "border": border[level],
        "set_of": which[level],
        "value": value,
        "weight": weight,
    }


def free_tree(data: Any, where: str, columns: Columns, n_outputs: int) -> Parts:
    """A tree of nested objects."""
    nodes: list[tuple[int, int, int, float, int, list[float], float]] = []
    waiting: list[Any] = [data]
    while len(nodes) < len(waiting):
        node = waiting[len(nodes)]
        if type(node) is not dict:
            raise ModelFileError(f"{where}: a node is not an object with keys")
        if "split" in node:
            asked = split_of(node["split"], where, columns)
            nodes.append((len(waiting), len(waiting) + 1, *asked, [0.0] * n_outputs, 0.0))
            waiting += [node.get("left"), node.get("right")]
            continue
        own = node.get("value")
        own = own if type(own) is list else [own]
        value = array_of({"value": own}, "value", where, np.float64, n_outputs)
        weight = array_of({"weight": [node.get("weight", 0.0)]}, "weight", where, np.float64, 1)
        nodes.append((-1, -1, -1, 0.0, -1, value.tolist(), float(weight[0])))
    left, right, feature, border_of, which, values, weights = zip(*nodes, strict=True)
    return {
        "left": np.array(left),
        "right": np.array(right),
        "feature": np.array(feature),
        "border": np.array(border_of, dtype=np.float64),
        "set_of": np.array(which),
        "value": np.array(values, dtype=np.float64).reshape(len(nodes), n_outputs),
        "weight": np.array(weights, dtype=np.float64),
    }


def in_turns(tree: Parts, n_outputs: int) -> list[Parts]:
    """A tree for each output."""
    return [{**tree, "value": tree["value"][:, [output]]} for output in range(n_outputs)]


def joined(trees: list[Parts], columns: Columns, scale: float) -> TreeNodes:
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
    goes_left = np.append(columns.missing_left, False)  # of leaves, whose column is -1
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
        set_of=nodes("set_of").astype(np.int64),
        sets=Sets(
            np.cumsum([0, *(len(one) for _, one in columns.sets.values())], dtype=np.int64),
            np.concatenate(
                [np.zeros(0, dtype=np.int64), *(one for _, one in columns.sets.values())]
            ),
        ),
    )
