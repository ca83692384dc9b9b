"""XGBoost's JSON and UBJSON models.

XGBoost computes in float32: rows are rounded to float32, compared by `<`, and the leaves are added
up in float32, in the order of the trees.
"""

import math
import platform
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ModelFileError, kind_of
from treewright.imports.foreign import (
    ForeignModel,
    Ints,
    Sets,
    Source,
    TreeNodes,
    UnsupportedError,
)
from treewright.imports.json_text import array_of, read_json, section, text_of, whole_of
from treewright.imports.library_process import Library, with_library
from treewright.imports.library_script import Predict, xgboost_predict
from treewright.imports.ubj import read_ubj

LIBRARY = "XGBoost"
NEWEST = 3  # version that is known
FLOAT32 = Comparison(strict=True, float32=True)
MOST_CLASSES = 100_000
# A small file can announce large numbers, so these are limited.
MOST_COLUMNS = 200_000
MOST_CATEGORIES = 100_000  # of a column
MOST_CELLS = 20_000_000  # categories of all splits

# How scores become predictions; the base score is on the scale of the predictions.
NUMBERS = {
    "reg:squarederror": "same",
    "reg:linear": "same",
    "reg:absoluteerror": "same",
    "reg:pseudohubererror": "same",
    "reg:squaredlogerror": "same",
    "reg:quantileerror": "same",
    "rank:pairwise": "same",
    "rank:ndcg": "same",
    "rank:map": "same",
    "binary:logitraw": "same",
    "reg:logistic": "logistic",
    "count:poisson": "exponential",
    "reg:gamma": "exponential",
    "reg:tweedie": "exponential",
    "survival:cox": "exponential",
    "survival:aft": "exponential",
}
TWO_CLASSES = {"binary:logistic": "logistic", "binary:hinge": "step"}
MANY_CLASSES = ("multi:softprob", "multi:softmax")
BASE_IS_PROBABILITY = ("reg:logistic", "binary:logistic", "binary:logitraw")
BASE_IS_EXPONENTIAL = ("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "survival:aft")


def recognizes(content: bytes) -> bool:
    """Whether a file is JSON or UBJSON with a learner."""
    return content[:1] == b"{" and b"gradient_booster" in content and b"learner" in content


def from_content(content: bytes, *, verify: bool = True) -> Source:
    """The model in a file, and XGBoost's own to compare it with if that is installed."""
    is_text = content[1:2].isspace() or content[1:2] == b'"'
    words = "JSON file" if is_text else "UBJSON file"

    def read() -> ForeignModel:
        return read_xgboost(read_json(content) if is_text else read_ubj(content))

    if verify:
        library = Library("xgboost", LIBRARY)
        found = with_library(library, words, content, read, source_of)
    else:
        found = Source(words, read())
    if found.original is None:
        check_version(found.model.version)
    return found


def check_version(version: str | None) -> None:
    """Raise for a file that a later XGBoost wrote, unless XGBoost itself is there to compare."""
    major = (version or "0").partition(".")[0]
    if int(major) > NEWEST:
        raise UnsupportedError(
            f"version {str(version)[:20]} of XGBoost is not known, which wrote the file",
            hint="install XGBoost, so that predictions are compared, or a newer treewright",
        )


def from_object(model: Any) -> Source:
    """A fitted `Booster`, or an estimator of XGBoost."""
    booster, classes = model, None
    if hasattr(model, "get_booster"):
        if not model.__sklearn_is_fitted__():
            raise UnsupportedError(f"the {type(model).__name__} is not fitted")
        booster, classes = model.get_booster(), getattr(model, "classes_", None)
        missing = getattr(model, "missing", math.nan)
        if missing is not None and not math.isnan(missing):
            raise UnsupportedError(f"missing={missing!r} instead of NaN")
        stop = (
            getattr(model, "best_iteration", None)
            if getattr(model, "early_stopping_rounds", None)
            else None
        )
        if stop is not None:
            booster = booster[: stop + 1]
    if not hasattr(booster, "save_raw"):
        raise UnsupportedError(f"{kind_of(model)} is not a model of XGBoost that can be imported")
    found = read_xgboost(read_ubj(bytes(booster.save_raw("ubj"))), classes)
    return source_of(xgboost_predict(booster), f"object {type(model).__name__}", found)


def source_of(predict: Predict, words: str, model: ForeignModel) -> Source:
    """A model, and how XGBoost itself predicts."""
    types = ["q" if spec.is_numeric else "c" for spec in model.schema.columns]

    def original(rows: Floats) -> Any:
        return predict(rows, types=types, output_margin=True)

    def predictions(X: Any) -> Any:
        return predict(X, types=types)

    return Source(words, model, original, takes_unseen=False, predictions=predictions)


# ---------------------------------------------------------------------------- reading


def read_xgboost(data: Any, classes: NDArray[Any] | None = None) -> ForeignModel:
    """The model in what a file holds."""
    learner = section(data, "learner", "model")
    version = data.get("version")
    numbers = (
        []
        if version is None
        else [int(one) for one in array_of(data, "version", "model", np.int64)]
    )
    params = section(learner, "learner_model_param", "learner")
    n_columns = whole_of(params, "num_feature", "learner_model_param", (0, MOST_COLUMNS))
    n_classes = whole_of(params, "num_class", "learner_model_param", (0, MOST_CLASSES))
    if whole_of(params, "num_target", "learner_model_param", (1, MOST_CLASSES), default=1) > 1:
        raise UnsupportedError("several targets")
    booster, dropped = gradient_booster(learner)
    objective = text_of(section(learner, "objective", "learner"), "name", "objective")
    n_outputs = max(n_classes, 1)
    link, labels = link_of(objective, n_classes, classes)
    trees = booster.get("trees")
    if type(trees) is not list or not trees:
        raise UnsupportedError("the model has no trees")
    info = array_of(booster, "tree_info", "gbtree", np.int64, len(trees))
    if ((info < 0) | (info >= n_outputs)).any():
        raise ModelFileError("tree_info: an output that is not there")
    start = base_scores(params, objective, n_outputs)
    read = [read_tree(tree, at, n_columns) for at, tree in enumerate(trees)]
    if dropped is not None:
        if len(dropped) != len(read) or not np.isfinite(dropped).all():
            raise ModelFileError("weight_drop: not one number for each tree")
        read = [weighted(tree, weight) for tree, weight in zip(read, dropped, strict=True)]
    schema, category_numbers = columns_of(learner, booster, n_columns, read)
    nodes = joined(in_turns(read, info, n_outputs), schema)
    return ForeignModel(
        library=LIBRARY,
        version=".".join(map(str, numbers)) or None,
        nodes=nodes,
        schema=schema,
        classes=labels,
        start=start.astype(np.float64),
        link=link,
        in_float32=True,
        unseen="error" if any(not spec.is_numeric for spec in schema.columns) else "missing",
        category_numbers=category_numbers,
    )


def gradient_booster(learner: Mapping[str, Any]) -> tuple[Mapping[str, Any], Floats | None]:
    """The trees' own part of the file, and DART's weights."""
    part = section(learner, "gradient_booster", "learner")
    name = text_of(part, "name", "gradient_booster")
    if name == "gbtree":
        return section(part, "model", "gradient_booster"), None
    if name == "dart":
        model = section(section(part, "gbtree", "gradient_booster"), "model", "gbtree")
        return model, array_of(part, "weight_drop", "gradient_booster", np.float64).astype(
            np.float32
        )
    raise UnsupportedError(f"the booster `{name[:50]}` has no trees")


def link_of(
    objective: str, n_classes: int, classes: NDArray[Any] | None
) -> tuple[str, NDArray[Any] | None]:
    """How scores become predictions, and the classes."""
    if objective in MANY_CLASSES:
        labels = np.arange(n_classes) if classes is None else classes
        if n_classes < 2 or len(labels) != n_classes:
            raise ModelFileError(f"num_class: {n_classes} classes for {len(labels)} labels")
        return "softmax", labels
    if n_classes > 1:
        raise UnsupportedError(f"{n_classes} outputs with the objective `{objective[:50]}`")
    if objective in TWO_CLASSES:
        labels = np.arange(2) if classes is None else classes
        if len(labels) != 2:
            raise ModelFileError(f"{len(labels)} class labels for 2 classes")
        return TWO_CLASSES[objective], labels
    if objective not in NUMBERS:
        raise UnsupportedError(f"the objective `{objective[:50]}` is not known")
    return NUMBERS[objective], None


def base_scores(params: Mapping[str, Any], objective: str, n_outputs: int) -> NDArray[np.float32]:
    """(n_outputs,): what the sums begin with."""
    text = text_of(params, "base_score", "learner_model_param").strip()
    parts = text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else [text]
    try:
        found = np.array([float(one) for one in parts], dtype=np.float64).astype(np.float32)
    except ValueError:
        raise ModelFileError(f"base_score: {text[:50]!r} is not a number") from None
    if len(found) not in (1, n_outputs) or not np.isfinite(found).all():
        raise ModelFileError(f"base_score: {text[:50]!r} does not fit the model")
    if objective in BASE_IS_PROBABILITY:
        if ((found <= 0) | (found >= 1)).any():
            raise ModelFileError("base_score: it is not between 0 and 1")
        one = np.float32(1.0)
        found = -portable.log((one / found - one).astype(np.float64)).astype(np.float32)
    elif objective in BASE_IS_EXPONENTIAL:
        if (found <= 0).any():
            raise ModelFileError("base_score: it is not above 0")
        found = portable.log(found.astype(np.float64)).astype(np.float32)
    return np.repeat(found, n_outputs) if len(found) == 1 else found


def read_tree(data: Any, at: int, n_columns: int) -> dict[str, Any]:
    """The arrays of one tree."""
    where = f"tree {at}"
    if type(data) is not dict:
        raise ModelFileError(f"{where}: not an object with keys")
    left = array_of(data, "left_children", where, np.int64)
    n = len(left)
    params = section(data, "tree_param", where)
    if whole_of(params, "size_leaf_vector", where, (0, MOST_CLASSES), default=1) > 1:
        raise UnsupportedError(f"{where}: leaves of several values (`multi_output_tree`)")
    tree: dict[str, Any] = {"left": left}
    tree["right"] = array_of(data, "right_children", where, np.int64, n)
    tree["feature"] = array_of(data, "split_indices", where, np.int64, n)
    with np.errstate(over="ignore"):
        condition = array_of(data, "split_conditions", where, np.float64, n)
        tree["condition"] = condition.astype(np.float32)
    default_left = array_of(data, "default_left", where, np.int64, n)
    if not np.isin(default_left, (0, 1)).all():
        raise ModelFileError(f"{where}: `default_left` holds something else than 0 and 1")
    tree["default_left"] = default_left == 1
    zeros = np.zeros(n)
    for key, name in (("loss_changes", "gain"), ("sum_hessian", "weight")):
        tree[name] = array_of(data, key, where, np.float64, n) if key in data else zeros
    kinds = array_of(data, "split_type", where, np.int64, n) if "split_type" in data else left * 0
    inner = left >= 0
    if (kinds[inner] > 1).any() or ((left >= 0) != (tree["right"] >= 0)).any():
        raise ModelFileError(f"{where}: a node of unknown kind")
    if ((tree["feature"] < 0) | (tree["feature"] >= n_columns))[inner].any():
        raise ModelFileError(f"{where}: `split_indices` names a column that is not there")
    tree["by_set"] = inner & (kinds == 1)
    # Infinity: the node asks whether there is a value.
    asks_if_missing = inner & ~tree["by_set"] & ~tree["default_left"]
    if not (np.isfinite(tree["condition"]) | (asks_if_missing & (condition > 0))).all():
        raise ModelFileError(f"{where}: `split_conditions` has a number that is not finite")
    tree["sets"] = read_sets(data, where, tree["by_set"])
    return tree


def read_sets(data: Mapping[str, Any], where: str, by_set: NDArray[np.bool_]) -> dict[int, Ints]:
    """The categories that go right, by node."""
    if not by_set.any():
        return {}
    nodes = array_of(data, "categories_nodes", where, np.int64)
    first = array_of(data, "categories_segments", where, np.int64, len(nodes))
    size = array_of(data, "categories_sizes", where, np.int64, len(nodes))
    codes = array_of(data, "categories", where, np.int64)
    if ((first < 0) | (size < 0) | (first + size > len(codes))).any():
        raise ModelFileError(f"{where}: `categories_segments` name categories that are not there")
    if ((codes < 0) | (codes >= MOST_CATEGORIES)).any():
        raise ModelFileError(f"{where}: `categories` names a category beyond {MOST_CATEGORIES:,}")
    if sorted(nodes.tolist()) != np.flatnonzero(by_set).tolist():
        raise ModelFileError(f"{where}: `categories_nodes` are not the nodes of categories")
    return {
        int(node): np.unique(codes[a : a + n])
        for node, a, n in zip(nodes.tolist(), first.tolist(), size.tolist(), strict=True)
    }


def weighted(tree: dict[str, Any], weight: float) -> dict[str, Any]:
    """A tree of DART: XGBoost adds leaf times weight to a float32.

    Compilers for ARM make one instruction of both, which rounds only the sum. Those for x86-64 may
    not, since older processors lack it, and the product is rounded too.
    """
    leaf = tree["left"] < 0
    condition = tree["condition"].astype(np.float64)
    product = condition * float(weight)
    if platform.machine().lower() in ("x86_64", "amd64"):
        with np.errstate(over="ignore"):  # a value that is not finite is refused
            product = product.astype(np.float32).astype(np.float64)
    return {**tree, "condition": np.where(leaf, product, condition)}


def in_turns(trees: list[dict[str, Any]], info: Ints, n_outputs: int) -> list[dict[str, Any]]:
    """The trees of all outputs in turn; each output adds its own in their order."""
    by_output = [
        [tree for tree, own in zip(trees, info.tolist(), strict=True) if own == output]
        for output in range(n_outputs)
    ]
    most = max(map(len, by_output))
    if any(len(own) != most for own in by_output):
        raise ModelFileError("tree_info: the outputs have different numbers of trees")
    return [tree for turn in zip(*by_output, strict=True) for tree in turn]


def columns_of(
    learner: Mapping[str, Any],
    booster: Mapping[str, Any],
    n_columns: int,
    trees: list[dict[str, Any]],
) -> tuple[Schema, dict[int, Ints]]:
    """The columns; categories are XGBoost's numbers."""
    names = learner.get("feature_names") or []
    has_names = len(names) > 0
    if has_names and (
        type(names) is not list
        or len(names) != n_columns
        or not all(type(one) is str for one in names)
    ):
        raise ModelFileError("feature_names: not one name for each column")
    if has_names and len(set(names)) != n_columns:
        raise ModelFileError("feature_names: a name occurs twice")
    types = learner.get("feature_types") or []
    listed = stored_categories(booster, n_columns)
    largest: dict[int, int] = {}
    for tree in trees:
        for node, codes in tree["sets"].items():
            at = int(tree["feature"][node])
            largest[at] = max(largest.get(at, -1), int(codes.max(initial=-1)))
    specs, numbers = [], {}
    for at in range(n_columns):
        name = names[at] if has_names else f"x{at}"
        if at in largest or (at < len(types) and types[at] == "c"):
            levels: tuple[Any, ...] = listed.get(at, ())
            n_levels = largest.get(at, 0) + 1
            if levels and len(levels) < n_levels:
                raise ModelFileError(f"column {at}: fewer categories than its splits name")
            # One number more than any split names: all larger ones go the same way.
            specs.append(ColumnSpec(name, "nominal", levels or tuple(range(n_levels + 1))))
            numbers[at] = np.arange(len(specs[-1].levels))
        else:
            specs.append(ColumnSpec(name, "numeric", comparison=FLOAT32))
    return Schema(tuple(specs), has_names), numbers


def stored_categories(booster: Mapping[str, Any], n_columns: int) -> dict[int, tuple[Any, ...]]:
    """The categories of each column, where the file has them (XGBoost 3.1 and later)."""
    cats = booster.get("cats")
    if type(cats) is not dict or not cats.get("enc"):
        return {}
    segments = array_of(cats, "feature_segments", "cats", np.int64)
    found: dict[int, tuple[Any, ...]] = {}
    encoded = cats["enc"]
    if type(encoded) is not list or len(encoded) != n_columns or len(segments) != n_columns + 1:
        raise ModelFileError("cats: not one entry for each column")
    for at, one in enumerate(encoded):
        if segments[at + 1] <= segments[at]:
            continue
        levels = levels_of(one, f"cats, column {at}")
        if levels is not None:
            found[at] = levels
    return found


def levels_of(data: Any, where: str) -> tuple[Any, ...] | None:
    """Texts or whole numbers of an entry of `cats`."""
    if type(data) is not dict:
        raise ModelFileError(f"{where}: not an object with keys")
    if "offsets" in data:
        offsets = array_of(data, "offsets", where, np.int64)
        content = array_of(data, "values", where, np.int64).astype(np.uint8).tobytes()
        if (
            len(offsets) < 1
            or (np.diff(offsets) < 0).any()
            or offsets[0] < 0
            or offsets[-1] > len(content)
        ):
            raise ModelFileError(f"{where}: `offsets` do not rise")
        try:
            levels = tuple(content[a:b].decode("utf-8") for a, b in pairwise(offsets))
        except UnicodeDecodeError:
            raise ModelFileError(f"{where}: a category is not UTF-8") from None
    else:
        values = array_of(data, "values", where, np.float64)
        if (values % 1 != 0).any() or (np.abs(values) > 2**53).any():
            raise UnsupportedError(f"{where}: categories that are neither texts nor whole numbers")
        levels = tuple(int(one) for one in values)
    if len(set(levels)) != len(levels):
        raise ModelFileError(f"{where}: a category occurs twice")
    return levels


def joined(trees: list[dict[str, Any]], schema: Schema) -> TreeNodes:
    """The nodes of all trees."""
    sizes = np.array([len(tree["left"]) for tree in trees])
    start = np.concatenate([[0], np.cumsum(sizes)])

    def nodes(key: str) -> NDArray[Any]:
        return np.concatenate([tree[key] for tree in trees])

    first = np.repeat(start[:-1], sizes)
    left, right = nodes("left"), nodes("right")
    inner, by_set = left >= 0, nodes("by_set")
    condition = nodes("condition").astype(np.float64)
    threshold = np.zeros(len(condition))
    asks = np.flatnonzero(inner & ~by_set)
    bounds, place = np.unique(condition[asks], return_inverse=True)
    cuts = [one if one == math.inf else FLOAT32.threshold(one) for one in bounds.tolist()]
    threshold[asks] = np.array(cuts)[place] if len(asks) else 0.0
    feature = np.where(inner, nodes("feature"), -1)
    set_of = np.full(len(left), -1)
    code: list[int] = []
    ends = [0]
    columns = feature[inner & by_set]
    n_cells = sum(len(schema.columns[at].levels) for at in columns.tolist())
    if n_cells > MOST_CELLS:
        raise UnsupportedError("splits of too many categories")
    for base, tree in zip(start.tolist(), trees, strict=False):
        for node, to_right in tree["sets"].items():
            n_levels = len(schema.columns[int(tree["feature"][node])].levels)
            code += np.setdiff1d(np.arange(n_levels), to_right).tolist()
            set_of[base + node] = len(ends) - 1
            ends.append(len(code))
    weight = np.where(inner, 0.0, nodes("weight"))
    return TreeNodes(
        start=start,
        left=np.where(inner, left + first, -1),
        right=np.where(inner, right + first, -1),
        feature=feature,
        threshold=threshold,
        missing_left=nodes("default_left"),
        value=np.where(inner, 0.0, condition)[:, None],
        weight=np.maximum(weight, 0.0),
        n_rows=np.zeros(len(left), dtype=np.int64),
        gain=np.where(inner, nodes("gain") * 1.0, 0.0),
        set_of=set_of if by_set.any() else None,
        sets=Sets(np.array(ends, dtype=np.int64), np.array(code, dtype=np.int64)),
    )
