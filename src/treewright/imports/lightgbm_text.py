"""LightGBM's text format: what `booster.save_model` and `model_to_string` write.

Leaf values contain the learning rate, the initial score and DART's weights, so the trees only have
to be added up.
"""

import json
import warnings
from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.data.comparison import NEAR_ZERO, Comparison
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
from treewright.imports.library_process import Library, with_library
from treewright.imports.library_script import Predict

LIBRARY = "LightGBM"
FIRST_LINE = "tree"
FLAGS = ("average_output",)  # lines without a value
VERSIONS = ("v3", "v4")
MOST_COLUMNS = 2**23 - 1
MOST_CLASSES = 100_000
MISSING_NONE, MISSING_ZERO, MISSING_NAN = 0, 1, 2

# What scores stand for, by the first word of the objective.
NUMBERS = {
    "regression": "same",
    "regression_l1": "same",
    "huber": "same",
    "fair": "same",
    "quantile": "same",
    "mape": "same",
    "lambdarank": "same",
    "rank_xendcg": "same",
    "custom": "same",
    "none": "same",
    "poisson": "exponential",
    "gamma": "exponential",
    "tweedie": "exponential",
    "cross_entropy": "logistic",
    "cross_entropy_lambda": "log_one_plus_exp",
}
CLASSES = {"binary": "logistic", "multiclass": "softmax", "multiclassova": "logistic_each"}
NODE_KEYS = ("split_feature", "threshold", "decision_type", "left_child", "right_child")
Section = Mapping[str, str]


def recognizes(content: bytes) -> bool:
    """Whether a file begins as LightGBM's do."""
    return content.startswith((b"tree\n", b"tree\r\n"))


def from_content(content: bytes, *, verify: bool = True) -> Source:
    """The model in a file, and LightGBM's own to compare it with if that is installed."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"byte {error.start}: this is not UTF-8 text") from None
    words, read = "text file", partial(read_lightgbm, text)
    if not verify:
        return Source(words, read())
    return with_library(Library("lightgbm", LIBRARY), words, content, read, source_of)


def from_object(model: Any) -> Source:
    """A fitted `Booster`, or an estimator of LightGBM."""
    booster, classes = model, None
    if hasattr(model, "booster_"):
        booster, classes = model.booster_, getattr(model, "classes_", None)
    if not hasattr(booster, "model_to_string"):
        if hasattr(model, "fit") and type(model).__module__.startswith("lightgbm"):
            raise UnsupportedError(f"the {type(model).__name__} is not fitted")
        raise UnsupportedError(f"{kind_of(model)} is not a model of LightGBM that can be imported")
    found = read_lightgbm(booster.model_to_string(), classes)
    return source_of(booster.predict, f"object {type(model).__name__}", found)


def source_of(predict: Predict, words: str, model: ForeignModel) -> Source:
    """A model, and how LightGBM itself predicts."""

    def original(rows: Floats) -> Any:
        raw = predict(rows, raw_score=True)
        return raw / model.divisor  # LightGBM divides probabilities only

    return Source(words, model, original, predictions=predict)


def read_lightgbm(text: str, classes: NDArray[Any] | None = None) -> ForeignModel:
    """The model in a text; `classes` are the labels where the source knows them."""
    lines = text.split("\n")
    if lines[0].strip() != FIRST_LINE:
        raise ModelFileError("line 1: this is not a LightGBM model")
    try:
        end = lines.index("end of trees")
    except ValueError:
        if "end of trees\r" in lines:
            return read_lightgbm(text.replace("\r\n", "\n"), classes)
        raise ModelFileError("`end of trees` is missing: the file was cut") from None
    starts = [at for at in range(end) if lines[at].startswith("Tree=")]
    head = section(lines, 1, starts[0] if starts else end)
    version = head.get("version", "")
    if version not in VERSIONS:
        raise UnsupportedError(
            f"version `{version[:50]}` of LightGBM's format is not known",
            hint="this version reads v3 and v4; save the model again with LightGBM 4",
        )
    n_columns = whole(head, "max_feature_idx", 0, MOST_COLUMNS - 1) + 1
    n_outputs = whole(head, "num_tree_per_iteration", 1, MOST_CLASSES)
    ends = [*starts[1:], end]
    trees = [
        read_tree(section(lines, start, stop), f"tree {at}", n_columns)
        for at, (start, stop) in enumerate(zip(starts, ends, strict=True))
    ]
    if not trees:
        raise UnsupportedError("the model has no trees")
    if len(trees) % n_outputs:
        raise ModelFileError(f"{len(trees)} trees for {n_outputs} outputs: the file was cut")
    schema, codes = columns_of(head, n_columns, trees, pandas_categories(lines[end:]))
    if version != "v4" and any(not spec.is_numeric for spec in schema.columns):
        raise UnsupportedError(
            "category splits of LightGBM before 4.0",
            hint="load the model with LightGBM 4 and save it again",
        )
    link, scale, has_classes = objective_of(head, n_outputs)
    if has_classes and classes is None:
        classes = np.arange(max(n_outputs, 2))
    if has_classes and classes is not None and len(classes) != max(n_outputs, 2):
        raise ModelFileError(f"{len(classes)} class labels for {max(n_outputs, 2)} classes")
    is_mean = "average_output" in head
    return ForeignModel(
        library=LIBRARY,
        version=version,
        nodes=joined(trees, codes),
        schema=schema,
        classes=classes if has_classes else None,
        start=np.zeros(n_outputs),
        divisor=len(trees) / n_outputs if is_mean else 1.0,
        link=link,
        link_scale=scale,
        category_numbers={at: np.array(list(own), dtype=np.int64) for at, own in codes.items()},
    )


def section(lines: list[str], first: int, end: int) -> dict[str, str]:
    """The lines `key=value` of a part of the file."""
    found: dict[str, str] = {}
    for line in lines[first:end]:
        key, equals, value = line.strip().partition("=")
        if key:
            if not equals and key not in FLAGS:  # LightGBM would skip what follows
                raise ModelFileError(f"`{key[:50]}` is not followed by `=`")
            if key in found:
                raise ModelFileError(f"`{key[:50]}` occurs twice")
            found[key] = value
    return found


def whole(part: Section, key: str, low: int, high: int) -> int:
    """A whole number of a section."""
    text = part.get(key, "")
    if not (text.isascii() and text.isdigit() and len(text) < 19) or not low <= int(text) <= high:
        raise ModelFileError(f"`{key}` is {text[:50]!r}, not a whole number from {low} to {high}")
    return int(text)


def numbers(part: Section, key: str, n: int, where: str, dtype: type = np.float64) -> Any:
    """`n` numbers of a line."""
    text = part.get(key, "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found: NDArray[Any] = (
                np.fromstring(text, dtype=dtype, sep=" ") if text else np.zeros(0, dtype)
            )
        except (DeprecationWarning, ValueError, OverflowError):
            raise ModelFileError(f"{where}: `{key}` holds something else than numbers") from None
    if len(found) != n:
        raise ModelFileError(f"{where}: `{key}` has {len(found)} numbers, not {n}")
    return found


def objective_of(head: Section, n_outputs: int) -> tuple[str, float, bool]:
    """How scores become predictions, a factor of the scores, and whether these are classes."""
    words = head.get("objective", "custom").split()
    name = words[0] if words else "custom"
    options = dict(word.partition(":")[::2] for word in words[1:])
    scale = 1.0
    if "sigmoid" in options:
        scale = float(numbers(options, "sigmoid", 1, "objective")[0])
        if not 0 < scale < 1e100:
            raise ModelFileError("objective: `sigmoid` is not above 0")
    if name in CLASSES:
        if (name == "binary") != (n_outputs == 1):
            raise ModelFileError(f"objective `{name}` with {n_outputs} outputs")
        return CLASSES[name], scale, True
    if name not in NUMBERS:
        raise UnsupportedError(f"the objective `{name[:50]}` is not known")
    if n_outputs > 1:
        raise UnsupportedError(f"{n_outputs} numbers for each row (objective `{name}`)")
    if name == "regression" and "sqrt" in options:
        return "signed_square", 1.0, False
    return NUMBERS[name], 1.0, False


def read_tree(part: Section, where: str, n_columns: int) -> dict[str, Any]:
    """The arrays of one tree: inner nodes first, then leaves; children count these."""
    if part.get("is_linear", "0") not in ("0", ""):
        raise UnsupportedError(f"{where}: linear leaves (`linear_tree`) are not supported")
    n_leaves = whole(part, "num_leaves", 1, 2**30)
    n_inner = n_leaves - 1
    tree: dict[str, Any] = {
        "leaf_value": numbers(part, "leaf_value", n_leaves, where),
        "leaf_count": numbers(part, "leaf_count", n_leaves, where, np.int64)
        if part.get("leaf_count")
        else np.zeros(n_leaves, dtype=np.int64),
    }
    for key in NODE_KEYS:
        dtype = np.float64 if key == "threshold" else np.int64
        tree[key] = numbers(part, key, n_inner, where, dtype)
    tree["gain"] = (
        numbers(part, "split_gain", n_inner, where) if part.get("split_gain") else np.zeros(n_inner)
    )
    for key in ("left_child", "right_child"):
        child = tree[key]
        if ((child >= n_inner) | (child < -n_leaves)).any():
            raise ModelFileError(f"{where}: `{key}` names a node that is not there")
        tree[key] = np.where(child >= 0, child, n_inner + ~child)
    kind = tree["decision_type"]
    if ((kind < 0) | (kind > 15) | (kind >> 2 == 3)).any():
        raise ModelFileError(f"{where}: `decision_type` is not known")
    feature = tree["split_feature"]
    if ((feature < 0) | (feature >= n_columns)).any():
        raise ModelFileError(f"{where}: `split_feature` names a column that is not there")
    n_sets = whole(part, "num_cat", 0, n_leaves)
    tree["sets"] = []
    if n_sets:
        bounds = numbers(part, "cat_boundaries", n_sets + 1, where, np.int64)
        if (
            bounds[0] != 0
            or (np.diff(bounds) < 0).any()
            or bounds[-1] > len(part["cat_boundaries"]) + len(part.get("cat_threshold", ""))
        ):
            raise ModelFileError(f"{where}: `cat_boundaries` do not rise from 0")
        words = numbers(part, "cat_threshold", int(bounds[-1]), where, np.int64)
        if ((words < 0) | (words >= 2**32)).any():
            raise ModelFileError(f"{where}: `cat_threshold` is not made of 32 bits")
        tree["sets"] = [categories_in(words[a:b]) for a, b in pairwise(bounds)]
    is_set = kind & 1 == 1
    which = tree["threshold"][is_set]
    if ((which < 0) | (which >= max(n_sets, 1)) | (which % 1 != 0)).any() or (
        is_set.any() and not n_sets
    ):
        raise ModelFileError(f"{where}: `threshold` names a set that is not there")
    return tree


def categories_in(words: Ints) -> Ints:
    """The numbers whose bits are set."""
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    return np.flatnonzero(bits)


def pandas_categories(lines: list[str]) -> list[list[Any]]:
    """The categories of pandas columns, in the order of these columns."""
    for line in reversed(lines):
        if line.startswith("pandas_categorical:"):
            try:
                found = json.loads(line.partition(":")[2])
            except (ValueError, RecursionError):
                raise ModelFileError("`pandas_categorical` is not JSON") from None
            if found is None:
                return []
            if type(found) is not list or not all(type(one) is list for one in found):
                raise ModelFileError("`pandas_categorical` is not a list of lists")
            return found
    return []


def columns_of(
    head: Section, n_columns: int, trees: list[dict[str, Any]], pandas: list[list[Any]]
) -> tuple[Schema, dict[int, dict[int, int]]]:
    """The columns, and for those of categories the position of each of LightGBM's numbers."""
    names = head.get("feature_names", "").split()
    infos = head.get("feature_infos", "").split()
    for key, found in (("feature_names", names), ("feature_infos", infos)):
        if len(found) != n_columns:
            raise ModelFileError(f"`{key}` has {len(found)} entries for {n_columns} columns")
    if len(set(names)) != n_columns:
        raise ModelFileError("`feature_names` has a name twice")
    used = used_categories(trees)
    nominal = {at for at, info in enumerate(infos) if info[0] not in "[n"} | set(used)
    if pandas and len(pandas) != len(nominal):
        raise UnsupportedError(
            f"the file lists categories of {len(pandas)} columns, but {len(nominal)} columns are "
            "categorical, so they cannot be matched",
            hint="ordered pandas columns are the usual reason: turn them into numbers",
        )
    lists = dict(zip(sorted(nominal), pandas, strict=True)) if pandas else {}
    comparison = zero_columns(trees)
    specs, codes = [], {}
    for at, name in enumerate(names):
        if at not in nominal:
            zero = Comparison(zero_is_missing=True) if at in comparison else Comparison()
            specs.append(ColumnSpec(name, "numeric", comparison=zero))
            continue
        levels, codes[at] = levels_of(name, lists.get(at), infos[at], used.get(at))
        specs.append(ColumnSpec(name, "nominal", levels))
    has_names = names != [f"Column_{at}" for at in range(n_columns)]
    return Schema(tuple(specs), has_names), codes


def levels_of(
    name: str, listed: list[Any] | None, info: str, used: Ints | None
) -> tuple[tuple[Any, ...], dict[int, int]]:
    """The categories of a column, and the position of each of LightGBM's numbers among them."""
    if listed is not None:
        kinds = set(map(type, listed))
        if len(kinds) > 1 or not kinds <= {str, int, bool} or len(set(listed)) != len(listed):
            raise UnsupportedError(
                f"the categories of column `{name}` are not all texts, all whole numbers or all "
                "booleans"
            )
        if used is not None and len(used) and used[-1] >= len(listed):
            raise ModelFileError(f"column `{name}` has fewer categories than its splits name")
        return tuple(listed), {at: at for at in range(len(listed))}
    seen = [
        int(one) for one in info.split(":") if one.isascii() and one.isdigit() and len(one) < 10
    ]
    numbers_used = distinct(
        np.concatenate(
            [np.array(seen, dtype=np.int64), used if used is not None else np.zeros(0, np.int64)]
        )
    )
    return tuple(numbers_used.tolist()), {code: at for at, code in enumerate(numbers_used.tolist())}


def used_categories(trees: list[dict[str, Any]]) -> dict[int, Ints]:
    """The categories that splits of each column name."""
    found: dict[int, set[int]] = {}
    for tree in trees:
        for node in np.flatnonzero(tree["decision_type"] & 1).tolist():
            own = tree["sets"][int(tree["threshold"][node])]
            found.setdefault(int(tree["split_feature"][node]), set()).update(own.tolist())
    return {at: np.array(sorted(own), dtype=np.int64) for at, own in found.items()}


def zero_columns(trees: list[dict[str, Any]]) -> set[int]:
    """The columns where zero is missing; an error where splits of a column disagree."""
    by_type: dict[int, set[int]] = {MISSING_NONE: set(), MISSING_ZERO: set(), MISSING_NAN: set()}
    near_zero: set[int] = set()
    for tree in trees:
        is_number = tree["decision_type"] & 1 == 0
        kinds, feature = tree["decision_type"] >> 2, tree["split_feature"]
        for kind, columns in by_type.items():
            columns.update(distinct(feature[is_number & (kinds == kind)]).tolist())
        close = is_number & (kinds == MISSING_NONE) & (np.abs(tree["threshold"]) <= NEAR_ZERO)
        near_zero.update(feature[close].tolist())
    zero = by_type[MISSING_ZERO]
    if zero & by_type[MISSING_NAN] or zero & near_zero:
        raise UnsupportedError("splits of one column treat zero as missing and as a number")
    return zero


def joined(trees: list[dict[str, Any]], codes: Mapping[int, Mapping[int, int]]) -> TreeNodes:
    """The nodes of all trees."""
    n_leaves = np.array([len(tree["leaf_value"]) for tree in trees])
    start = np.concatenate([[0], np.cumsum(2 * n_leaves - 1)])

    def nodes(inner: list[Any], leaves: list[Any]) -> NDArray[Any]:
        return np.concatenate([part for pair in zip(inner, leaves, strict=True) for part in pair])

    of_leaves = [np.full(n, -1) for n in n_leaves.tolist()]
    zeros = [np.zeros(n) for n in n_leaves.tolist()]
    inner_zeros = [np.zeros(n - 1) for n in n_leaves.tolist()]
    kind = nodes([tree["decision_type"] for tree in trees], [one * 0 for one in of_leaves])
    threshold: Floats = nodes([tree["threshold"] for tree in trees], zeros)
    feature = nodes([tree["split_feature"] for tree in trees], of_leaves)
    children = [
        nodes([tree[key] + first for tree, first in zip(trees, start, strict=False)], of_leaves)
        for key in ("left_child", "right_child")
    ]
    missing_type, is_set = kind >> 2, kind & 1 == 1
    # LightGBM reads numbers up to this size as 0, so they are all on the side of 0.
    is_near = ~is_set & (np.abs(threshold) <= NEAR_ZERO)
    edge = np.where(threshold >= 0.0, NEAR_ZERO, np.nextafter(-NEAR_ZERO, -np.inf))
    threshold = np.where(is_near, edge, threshold)
    # Without a type for missing values, NaN is read as 0.
    missing_left = np.where(missing_type == MISSING_NONE, threshold >= 0.0, kind & 2 == 2)
    missing_left &= ~is_set  # in a split by categories, NaN goes right
    set_of, code, set_start = None, [], [0]
    if is_set.any():
        set_of = np.full(len(kind), -1)
        sets = [own for tree in trees for own in tree["sets"]]
        first_set = np.cumsum([0] + [len(tree["sets"]) for tree in trees])
        at = np.flatnonzero(is_set)
        tree_of = np.searchsorted(start, at, side="right") - 1
        for place, (node, which) in enumerate(
            zip(
                at.tolist(),
                (first_set[tree_of] + threshold[at].astype(np.int64)).tolist(),
                strict=True,
            )
        ):
            position = codes[int(feature[node])]
            code += sorted(position[one] for one in sets[which].tolist())
            set_start.append(len(code))
            set_of[node] = place
        threshold = np.where(is_set, 0.0, threshold)
    counts = nodes(
        [np.zeros(n - 1, np.int64) for n in n_leaves.tolist()],
        [tree["leaf_count"] for tree in trees],
    )
    return TreeNodes(
        start=start,
        left=children[0],
        right=children[1],
        feature=feature,
        threshold=threshold,
        missing_left=missing_left.astype(np.bool_),
        value=nodes(inner_zeros, [tree["leaf_value"] for tree in trees])[:, None],
        weight=counts.astype(np.float64),
        n_rows=counts,
        gain=nodes([tree["gain"] for tree in trees], zeros),
        set_of=set_of,
        sets=Sets(np.array(set_start, dtype=np.int64), np.array(code, dtype=np.int64)),
    )
