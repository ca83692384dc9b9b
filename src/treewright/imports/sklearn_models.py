"""Fitted trees, forests and boosted trees of scikit-learn.

scikit-learn's trees round rows to float32 and compare them with double thresholds by `<=`;
histogram boosting compares doubles. Node statistics are known, so single trees keep their counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import ORDINARY, Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import kind_of
from treewright.imports.foreign import (
    ForeignModel,
    Ints,
    Sets,
    Source,
    TreeNodes,
    UnsupportedError,
)

LIBRARY = "scikit-learn"
FLOAT32 = Comparison(float32=True)
CRITERIA = {"gini": "gini", "entropy": "entropy", "log_loss": "entropy"}


def recognizes(content: bytes) -> bool:
    """scikit-learn has no file format but pickles, which are not read."""
    return False


def from_content(content: bytes, *, verify: bool = True) -> Source:
    raise UnsupportedError(
        "scikit-learn saves models as pickles only, which may hold code and are not read",
        hint="load the model in Python and give the object to tw.import_model",
    )


def from_object(model: Any) -> Source:
    """A fitted estimator of scikit-learn."""
    kinds = {one.__name__ for one in type(model).__mro__}
    for names, read in READERS.items():
        if kinds & set(names):
            if not hasattr(model, "n_features_in_"):
                raise UnsupportedError(f"the {type(model).__name__} is not fitted")
            return read(model)
    raise UnsupportedError(
        f"{kind_of(model)} is not imported",
        hint="trees, forests, extra trees, gradient boosting and AdaBoost classifiers are; "
        "functions that only use predictions, such as tw.distil, take any object",
    )


def version() -> str:
    from sklearn import __version__

    return str(__version__)


def internal(model: Any, name: str) -> Any:
    """What scikit-learn stores without promising to keep it."""
    try:
        return getattr(model, name)
    except AttributeError:
        raise UnsupportedError(
            f"this version of scikit-learn ({version()}) stores a {type(model).__name__} otherwise"
        ) from None


def names_of(model: Any) -> tuple[list[str], bool]:
    """The names of the columns, and whether the rows had any."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"x{at}" for at in range(model.n_features_in_)], False
    return [str(name) for name in names], True


def schema_of(model: Any, comparison: Comparison) -> Schema:
    names, has_names = names_of(model)
    specs = [ColumnSpec(name, "numeric", comparison=comparison) for name in names]
    return Schema(tuple(specs), has_names)


def one_target(model: Any) -> None:
    if getattr(model, "n_outputs_", 1) != 1:
        raise UnsupportedError(f"a {type(model).__name__} of several targets")


def labels_of(model: Any) -> NDArray[Any]:
    classes = np.asarray(model.classes_)
    if classes.dtype.kind == "O" and all(isinstance(one, str) for one in classes):
        return classes.astype(str)
    return classes


# ---------------------------------------------------------------------------- trees


def nodes_of(trees: list[Any], value: Callable[[Any], Floats]) -> TreeNodes:
    """The nodes of trees of scikit-learn (`estimator.tree_`); `value` says what they add."""
    sizes = np.array([tree.node_count for tree in trees])
    start = np.concatenate([[0], np.cumsum(sizes)])

    def joined(part: Callable[[Any], Any]) -> NDArray[Any]:
        return np.concatenate([np.asarray(part(tree)) for tree in trees])

    first = np.repeat(start[:-1], sizes)
    left, right = joined(lambda tree: tree.children_left), joined(lambda tree: tree.children_right)
    inner = left >= 0
    bound = joined(lambda tree: tree.threshold).astype(np.float64)
    threshold = np.zeros(len(bound))
    asks = np.flatnonzero(inner & np.isfinite(bound))
    bounds, place = np.unique(bound[asks], return_inverse=True)
    if len(asks):
        threshold[asks] = np.array([FLOAT32.threshold(one) for one in bounds.tolist()])[place]
    threshold[inner & (bound == np.inf)] = np.inf
    threshold[inner & (bound == -np.inf)] = -np.inf
    weight = joined(lambda tree: tree.weighted_n_node_samples)
    impurity = joined(lambda tree: tree.impurity)
    taken = weight * impurity
    gain = np.zeros(len(weight))
    at = np.flatnonzero(inner)
    left, right = np.where(inner, left + first, -1), np.where(inner, right + first, -1)
    gain[at] = np.maximum(taken[at] - taken[left[at]] - taken[right[at]], 0.0)
    return TreeNodes(
        start=start,
        left=left,
        right=right,
        feature=np.where(inner, joined(lambda tree: tree.feature), -1),
        threshold=threshold,
        missing_left=joined(lambda tree: missing_left(tree)),
        value=np.concatenate([value(tree) for tree in trees]),
        weight=weight,
        n_rows=joined(lambda tree: tree.n_node_samples).astype(np.int64),
        gain=gain,
        impurity=np.maximum(impurity, 0.0),
        has_inner_values=True,
    )


def missing_left(tree: Any) -> NDArray[np.bool_]:
    """Where NaN goes: trees of scikit-learn before 1.3 know no missing values."""
    found = getattr(tree, "missing_go_to_left", None)
    if found is None:
        return np.zeros(tree.node_count, dtype=np.bool_)
    return np.asarray(found).astype(np.bool_)


def class_weights(tree: Any) -> Floats:
    """(n_nodes, n_classes): weights whose shares are the probabilities, whole where they can be."""
    shares = np.asarray(tree.value[:, 0, :], dtype=np.float64)
    total = np.asarray(tree.weighted_n_node_samples, dtype=np.float64)[:, None]
    if shares.sum() > 1.5 * len(shares):  # weights, not shares: before 1.3
        return shares
    counts = np.rint(shares * total)
    whole = counts.sum(axis=1, keepdims=True)
    is_exact = (whole > 0).all() and (counts / np.maximum(whole, 1.0) == shares).all()
    return counts if is_exact else shares * total


def numbers_of(tree: Any) -> Floats:
    return np.asarray(tree.value[:, 0, :1], dtype=np.float64)


def source(model: Any, found: ForeignModel, original: Callable[[Floats], Any]) -> Source:
    """The estimator as a source; it also predicts tables of the user."""
    try:
        original(np.full((1, found.schema.n_columns), np.nan))
        takes_missing = True
    except ValueError:
        takes_missing = False
        note = "the original refuses missing values; here they go to the right branch"
        found = replace(found, notes=(*found.notes, note))
    return Source(
        f"object {type(model).__name__}",
        found,
        original,
        is_exact=False,
        takes_missing=takes_missing,
        predictions=getattr(model, "predict_proba", model.predict),
    )


def single_tree(model: Any) -> Source:
    one_target(model)
    schema = schema_of(model, FLOAT32)
    if not hasattr(model, "classes_"):
        if model.criterion not in ("squared_error", "friedman_mse", "absolute_error", "poisson"):
            raise UnsupportedError(f"the criterion `{model.criterion}`")
        nodes = nodes_of([model.tree_], numbers_of)
        found = ForeignModel(
            library=LIBRARY, version=version(), nodes=nodes, schema=schema, is_single=True
        )
        return source(model, found, model.predict)
    nodes = nodes_of([model.tree_], class_weights)
    found = ForeignModel(
        library=LIBRARY,
        version=version(),
        nodes=nodes,
        schema=schema,
        classes=labels_of(model),
        averages_shares=True,
        start=np.zeros(1),
        is_single=True,
        criterion=CRITERIA.get(model.criterion, "gini"),
    )
    return source(model, found, model.predict_proba)


def forest(model: Any) -> Source:
    one_target(model)
    trees = [one.tree_ for one in model.estimators_]
    schema = schema_of(model, FLOAT32)
    if hasattr(model, "classes_"):
        found = ForeignModel(
            library=LIBRARY,
            version=version(),
            nodes=nodes_of(trees, class_weights),
            schema=schema,
            classes=labels_of(model),
            averages_shares=True,
        )
        return source(model, found, model.predict_proba)
    found = ForeignModel(
        library=LIBRARY,
        version=version(),
        nodes=nodes_of(trees, numbers_of),
        schema=schema,
        divisor=float(len(trees)),
    )
    return source(model, found, model.predict)


def gradient_boosting(model: Any) -> Source:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if not (isinstance(model.init_, DummyClassifier | DummyRegressor) or model.init_ == "zero"):
        raise UnsupportedError(f"init={model.init_!r}: another model predicts first")
    estimators = model.estimators_
    rate = float(model.learning_rate)
    start = np.asarray(
        internal(model, "_raw_predict_init")(np.zeros((1, model.n_features_in_), dtype=np.float32))
    ).reshape(-1)
    nodes = nodes_of(
        [one.tree_ for turn in estimators for one in turn], lambda tree: rate * numbers_of(tree)
    )
    link, classes = "same", None
    if hasattr(model, "classes_"):
        classes = labels_of(model)
        link = "logistic" if len(classes) == 2 else "softmax"
    found = ForeignModel(
        library=LIBRARY,
        version=version(),
        nodes=nodes,
        schema=schema_of(model, FLOAT32),
        classes=classes,
        start=start.astype(np.float64),
        link=link,
        link_scale=2.0 if getattr(model, "loss", "") == "exponential" else 1.0,
    )
    raw = model.predict if classes is None else model.decision_function
    return source(model, found, raw)


def adaboost(model: Any) -> Source:
    """SAMME: each tree votes for its class with its weight."""
    if not hasattr(model, "classes_"):
        raise UnsupportedError(
            "AdaBoostRegressor predicts a weighted median, which is no sum of trees"
        )
    if getattr(model, "algorithm", "deprecated") == "SAMME.R":
        raise UnsupportedError('AdaBoostClassifier with algorithm="SAMME.R"')
    classes = labels_of(model)
    n_classes, weights = (
        len(classes),
        np.asarray(model.estimator_weights_)[: len(model.estimators_)],
    )
    if not all(hasattr(one, "tree_") for one in model.estimators_):
        raise UnsupportedError("AdaBoost of other models than trees")
    for one in model.estimators_:
        if len(one.classes_) != n_classes:
            raise UnsupportedError("a tree of AdaBoost that does not know every class")
    total = float(weights.sum())

    def votes(tree: Any, weight: float, output: int) -> Floats:
        own = np.asarray(tree.value[:, 0, :]).argmax(axis=1) == output
        if n_classes == 2:
            return np.where(own, 2.0 * weight, -2.0 * weight)[:, None]
        return np.where(own, weight, -weight / (n_classes - 1))[:, None]

    outputs = [1] if n_classes == 2 else list(range(n_classes))
    pairs = [
        (one.tree_, float(weight), output)
        for one, weight in zip(model.estimators_, weights, strict=True)
        for output in outputs
    ]
    values = iter([votes(*pair) for pair in pairs])
    found = ForeignModel(
        library=LIBRARY,
        version=version(),
        nodes=nodes_of([pair[0] for pair in pairs], lambda tree: next(values)),
        schema=schema_of(model, FLOAT32),
        classes=classes,
        start=np.zeros(len(outputs)),
        divisor=total,
        link="logistic" if n_classes == 2 else "softmax",
        link_scale=1.0 if n_classes == 2 else 1.0 / (n_classes - 1),
    )
    return source(model, found, model.decision_function)


# ---------------------------------------------------------------------------- histogram boosting


def histogram_boosting(model: Any) -> Source:
    levels, place = categories_of(model)
    schema = with_categories(schema_of(model, ORDINARY), levels, place)
    predictors = [one for turn in internal(model, "_predictors") for one in turn]
    sizes = np.array([len(one.nodes) for one in predictors])
    start = np.concatenate([[0], np.cumsum(sizes)])
    nodes = np.concatenate([one.nodes for one in predictors])
    first = np.repeat(start[:-1], sizes)
    inner = nodes["is_leaf"] == 0
    count = nodes["count"].astype(np.int64)
    set_of, sets = sets_of(predictors, nodes, sizes, [len(one) for one in levels])
    found_nodes = TreeNodes(
        start=start,
        left=np.where(inner, nodes["left"].astype(np.int64) + first, -1),
        right=np.where(inner, nodes["right"].astype(np.int64) + first, -1),
        feature=np.where(inner, place[nodes["feature_idx"].astype(np.int64)], -1),
        threshold=np.where(inner & (set_of < 0), nodes["num_threshold"], 0.0),
        missing_left=nodes["missing_go_to_left"].astype(np.bool_),
        value=nodes["value"].astype(np.float64)[:, None],
        weight=count.astype(np.float64),
        n_rows=count,
        gain=np.where(inner, np.maximum(nodes["gain"], 0.0), 0.0),
        set_of=set_of,
        sets=sets,
    )
    link, classes = "same", None
    if hasattr(model, "classes_"):
        classes = labels_of(model)
        link = "logistic" if len(classes) == 2 else "softmax"
    elif model.loss in ("poisson", "gamma"):
        link = "exponential"
    found = ForeignModel(
        library=LIBRARY,
        version=version(),
        nodes=found_nodes,
        schema=schema,
        classes=classes,
        start=np.asarray(internal(model, "_baseline_prediction"), dtype=np.float64).reshape(-1),
        link=link,
    )

    raw = internal(model, "_raw_predict")
    return source(model, found, lambda rows: raw(with_labels(schema, rows)))


def categories_of(model: Any) -> tuple[list[list[Any]], Ints]:
    """The categories of each categorical column, and the columns in the order of the nodes.

    The nodes see the categorical columns first, with positions instead of categories.
    """
    n_columns = model.n_features_in_
    is_categorical = getattr(model, "is_categorical_", None)
    if is_categorical is None or not np.any(is_categorical):
        return [], np.arange(n_columns)
    encoder = internal(internal(model, "_preprocessor"), "named_transformers_")["encoder"]
    levels = [[one for one in own if not is_nan(one)] for own in encoder.categories_]
    own = np.flatnonzero(is_categorical)
    return levels, np.concatenate([own, np.flatnonzero(~np.asarray(is_categorical))])


def is_nan(one: Any) -> bool:
    return one is None or one != one


def with_categories(schema: Schema, levels: Sequence[Sequence[Any]], place: Ints) -> Schema:
    """The columns, some of them with categories."""
    columns = list(schema.columns)
    for at, own in zip(place.tolist(), levels, strict=False):
        found = [one.item() if isinstance(one, np.generic) else one for one in own]
        if all(isinstance(one, float) and one % 1 == 0 for one in found):
            found = [int(one) for one in found]
        kinds = {type(one) for one in found}
        if len(kinds) != 1 or not kinds <= {int, str, bool}:
            raise UnsupportedError(
                f"the categories of `{columns[at].name}` are not texts or whole numbers"
            )
        columns[at] = ColumnSpec(columns[at].name, "nominal", tuple(found))
    return Schema(tuple(columns), schema.has_names)


def sets_of(
    predictors: Sequence[Any], nodes: NDArray[Any], sizes: Ints, n_levels: Sequence[int]
) -> tuple[Ints, Sets]:
    """The set of each node that asks for categories, and the sets: bits of positions."""
    asks = (nodes["is_leaf"] == 0) & (nodes["is_categorical"] != 0)
    bits = [np.asarray(one.raw_left_cat_bitsets, dtype="<u4").reshape(-1, 8) for one in predictors]
    first = np.concatenate([[0], np.cumsum([len(one) for one in bits])])[:-1]
    set_of = np.where(asks, nodes["bitset_idx"].astype(np.int64) + np.repeat(first, sizes), -1)
    flags = np.unpackbits(np.concatenate(bits).view(np.uint8), axis=1, bitorder="little")
    codes = [np.flatnonzero(one) for one in flags]
    for at, column in zip(set_of[asks].tolist(), nodes["feature_idx"][asks].tolist(), strict=True):
        codes[at] = codes[at][codes[at] < n_levels[column]]  # the others are missing values
    start = np.concatenate([[0], np.cumsum([len(one) for one in codes])]).astype(np.int64)
    return set_of, Sets(start, np.concatenate([np.zeros(0, np.int64), *codes]).astype(np.int64))


def with_labels(schema: Schema, rows: Floats) -> Any:
    """Rows with positions of categories as scikit-learn takes them."""
    columns: list[Any] = list(rows.T)
    for at, spec in enumerate(schema.columns):
        if not spec.is_numeric:
            is_text = spec.level_type == "string"
            unknown: Any = max(map(str, spec.levels), key=len) + "?"
            unknown = unknown if is_text else max(map(int, spec.levels)) + 1
            labels = np.array([*spec.levels, unknown, np.nan], dtype=object)
            codes = np.where(np.isnan(rows[:, at]), len(labels) - 1, rows[:, at])
            columns[at] = labels[codes.astype(np.int64)]
            columns[at] = columns[at] if is_text else columns[at].astype(np.float64)
    if all(column.dtype.kind == "f" for column in columns):
        return np.stack(columns, axis=1)
    frame = import_module("pandas").DataFrame
    return frame(dict(zip(schema.names, columns, strict=True)))


READERS: dict[tuple[str, ...], Callable[[Any], Source]] = {
    ("DecisionTreeClassifier", "DecisionTreeRegressor"): single_tree,
    ("ForestClassifier", "ForestRegressor"): forest,
    ("GradientBoostingClassifier", "GradientBoostingRegressor"): gradient_boosting,
    ("BaseHistGradientBoosting",): histogram_boosting,
    ("BaseWeightBoosting",): adaboost,
}
