"""Models of YDF (Yggdrasil Decision Forests), read from the object.

YDF rounds numbers to float32. A condition sends rows to its positive child; it also says whether it
holds for a missing value. A category that training did not see is a category of its own, number 0.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import kind_of
from treewright.imports.foreign import (
    MOST_DEPTH,
    ForeignModel,
    Ints,
    Sets,
    Source,
    TreeNodes,
    UnsupportedError,
)

LIBRARY = "YDF"
STRICT = Comparison(strict=True, float32=True)  # below the threshold: the negative child
NUMERIC = ("NUMERICAL", "DISCRETIZED_NUMERICAL")
LINKS = {  # by loss
    "SQUARED_ERROR": "same",
    "MEAN_AVERAGE_ERROR": "same",
    "POISSON": "exponential",
    "BINOMIAL_LOG_LIKELIHOOD": "logistic",
    "BINARY_FOCAL_LOSS": "logistic",
    "MULTINOMIAL_LOG_LIKELIHOOD": "softmax",
}
LIMIT = 1e-6  # YDF adds up float32 numbers
UNSEEN = "#never seen by training"


def recognizes(content: bytes) -> bool:
    """False: a saved model of YDF is a folder, which is not read."""
    return False


def from_content(content: bytes, *, verify: bool = True) -> Source:
    """Raises: files of YDF are not read."""
    raise UnsupportedError(
        "files of YDF are not read", hint="import the object: `ydf.load_model(folder)`"
    )


def from_object(model: Any) -> Source:
    """A fitted model of YDF."""
    kind = type(model).__name__
    if kind not in ("GradientBoostedTreesModel", "RandomForestModel"):
        raise UnsupportedError(
            f"{kind_of(model)} of YDF is not imported",
            hint="gradient boosted trees, random forests and CART are",
        )
    columns = columns_of(model)
    classes = classes_of(model)
    reader = TreesReader(columns)
    is_boosted = kind.startswith("Gradient")
    has_shares = classes is not None and not is_boosted
    takes_all = has_shares and bool(model.winner_takes_all())
    for tree in model.iter_trees():
        reader.add_tree(
            tree.root, value_reader(classes if has_shares else None, takes_all=takes_all)
        )
    n_trees = len(reader.starts) - 1
    if not n_trees:
        raise UnsupportedError("the model has no trees")
    start, link = start_and_link(model, classes) if is_boosted else (np.zeros(1), "same")
    is_single = n_trees == 1 and not is_boosted
    unseen = "missing" if reader.unseen_is_missing else "error"
    notes = ("categories that training did not see are refused",) if unseen == "error" else ()
    found = ForeignModel(
        library=LIBRARY,
        version=None,
        nodes=reader.nodes(),
        schema=Schema(tuple(one.spec for one in columns), has_names=True, by_name=True),
        classes=classes,
        averages_shares=has_shares,
        start=start,
        divisor=float(n_trees) if not is_boosted and not has_shares and n_trees > 1 else 1.0,
        link=link,
        in_float32=is_boosted,
        unseen=unseen,
        is_single=is_single,
        notes=notes,
    )
    never_missing = [at for at, one in enumerate(columns) if one.semantic == "BOOLEAN"]

    def original(rows: Floats) -> Floats:
        return predictions_of(
            model,
            {one.spec.name: one.given(own) for one, own in zip(columns, rows.T, strict=True)},
            classes,
        )

    def predictions(X: Any) -> Any:
        if isinstance(X, np.ndarray):
            X = {one.spec.name: own for one, own in zip(columns, X.T, strict=True)}
        return model.predict(X)

    return Source(
        f"object {kind}",
        found,
        original,
        gives_predictions=True,
        is_exact=False,
        limit=LIMIT,
        takes_unseen=unseen == "missing",
        never_missing=tuple(never_missing),
        predictions=predictions,
        rounding=lambda X: np.full(len(X), LIMIT),
    )


def predictions_of(model: Any, columns: dict[str, NDArray[Any]], classes: Any) -> Floats:
    """Probabilities of all classes, or numbers, as one column each."""
    found: Floats = np.asarray(model.predict(columns), dtype=np.float64)
    if found.ndim > 1:
        return found
    return found[:, None] if classes is None else np.stack([1.0 - found, found], axis=1)


# ---------------------------------------------------------------------------- columns and classes


@dataclass(frozen=True, slots=True)
class YdfColumn:
    """A column as YDF knows it."""

    spec: ColumnSpec
    number: int  # of the column in conditions
    semantic: str
    words: tuple[str, ...] = ()  # of categories, from number 1 on
    boundaries: tuple[float, ...] = ()  # of discretized numbers

    def given(self, values: Floats) -> NDArray[Any]:
        """Numbers or positions of categories as YDF takes them."""
        if self.spec.is_numeric:
            return values
        if self.semantic == "BOOLEAN":
            return np.asarray(values == 1.0)
        words: NDArray[Any] = np.array([*self.words, UNSEEN, ""])
        at = np.where(np.isnan(values), len(words) - 1, values).astype(np.int64)
        given: NDArray[Any] = words[at]
        return given


def columns_of(model: Any) -> list[YdfColumn]:
    """The columns that the model takes."""
    data = model.data_spec()
    if len(data.unstackeds):
        raise UnsupportedError("columns of several numbers are not imported")
    return [
        column_of(feature.name, feature.semantic.name, feature.column_idx, data)
        for feature in model.input_features()
    ]


def column_of(name: str, semantic: str, number: int, data: Any) -> YdfColumn:
    own = data.columns[number]
    if semantic in NUMERIC:
        boundaries = tuple(own.discretized_numerical.boundaries)
        spec = ColumnSpec(name, "numeric", comparison=STRICT)
        return YdfColumn(spec, number, semantic, boundaries=boundaries)
    if semantic == "BOOLEAN":
        return YdfColumn(ColumnSpec(name, "nominal", (False, True)), number, semantic)
    if semantic != "CATEGORICAL" or own.categorical.is_already_integerized:
        raise UnsupportedError(f"column `{name[:50]}`: {semantic.lower()} is not imported")
    words = words_of(own)
    levels = numbers_of(words) if has_integers(own) else words
    return YdfColumn(ColumnSpec(name, "nominal", levels), number, semantic, words)


def words_of(column: Any) -> tuple[str, ...]:
    """The categories of a column, from number 1 on; 0 stands for those that were not seen."""
    by_number = {item.index: word for word, item in column.categorical.items.items()}
    if {*by_number} != {*range(len(by_number))}:
        raise UnsupportedError(f"the categories of column `{column.name[:50]}` are not listed")
    return tuple(by_number[at] for at in range(1, len(by_number)))


def has_integers(column: Any) -> bool:
    """Whether the column was one of whole numbers."""
    names = column.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number
    return "INT" in str(names[column.dtype].name)


def numbers_of(words: Sequence[str]) -> tuple[Any, ...]:
    try:
        return tuple(int(word) for word in words)
    except ValueError:
        return tuple(words)


def classes_of(model: Any) -> NDArray[Any] | None:
    """The class labels in the order of their probabilities; None if numbers are predicted."""
    task = model.task().name
    if task == "REGRESSION":
        return None
    if task != "CLASSIFICATION":
        raise UnsupportedError(f"models of YDF for {task.lower()} are not imported")
    labels = model.label_classes()
    column = model.data_spec().columns[model.label_col_idx()]
    return np.array(numbers_of(labels) if has_integers(column) else labels)


def start_and_link(model: Any, classes: NDArray[Any] | None) -> tuple[Floats, str]:
    """What sums start with, and what they stand for."""
    start = np.asarray(model.initial_predictions(), dtype=np.float64)
    if classes is not None and model.output_logits():
        raise UnsupportedError(
            "the model is set to predict logits", hint="`model.set_output_logits(False)` changes it"
        )
    named = re.search(r"^Loss: (\w+)$", model.describe("text"), re.M)
    loss = "of the user" if named is None else named[1]
    link = LINKS.get(loss)
    if link is None:
        raise UnsupportedError(f"the loss {loss.lower()} is not known")
    if (len(start) > 1) != (link == "softmax") or model.num_trees_per_iteration() != len(start):
        raise UnsupportedError(f"{len(start)} scores for the loss {loss.lower()}")
    return start, link


# ---------------------------------------------------------------------------- trees


def value_reader(classes: NDArray[Any] | None, *, takes_all: bool) -> Any:
    """How the value of a leaf is read: shares of classes, or one number."""

    def shares(value: Any) -> list[float]:
        found = list(map(float, value.probability))
        if takes_all:  # the tree votes for one class
            best = int(np.argmax(found))
            found = [float(at == best) for at in range(len(found))]
        return found

    return shares if classes is not None else lambda value: [float(value.value)]


class TreesReader:
    """Collects the nodes of all trees."""

    def __init__(self, columns: Sequence[YdfColumn]) -> None:
        self.columns = columns
        self.place = {one.number: at for at, one in enumerate(columns)}
        self.starts = [0]
        self.rows: list[tuple[int, int, int, float, bool, int, float, float]] = []
        self.values: list[list[float]] = []
        self.sets: list[Ints] = []
        self.unseen_is_missing = True

    def add_tree(self, root: Any, value_of: Any) -> None:
        """The nodes of one tree, parents before children."""
        waiting = [(root, 0)]
        first = len(self.rows)
        for node, depth in waiting:
            if depth > MOST_DEPTH:
                raise UnsupportedError(f"a tree is deeper than {MOST_DEPTH:,} splits")
            node, asked = self.asked(node)
            own = getattr(node, "value", None)
            weight = float(getattr(own, "num_examples", 0.0) or 0.0)
            if asked is None:
                self.rows.append((-1, -1, -1, 0.0, False, -1, weight, 0.0))
                self.values.append(value_of(own))
                continue
            column, threshold, missing_left, which, positive_left = asked
            children = [node.pos_child, node.neg_child]
            children = children if positive_left else children[::-1]
            left = first + len(waiting)
            waiting += [(child, depth + 1) for child in children]
            gain = max(float(node.condition.score), 0.0) * weight
            self.rows.append((left, left + 1, column, threshold, missing_left, which, weight, gain))
            self.values.append([])
        self.starts.append(len(self.rows))

    def asked(self, node: Any) -> tuple[Any, tuple[int, float, bool, int, bool] | None]:
        """A node and its question: column, threshold, where missing values go, set, and whether
        the positive child is the left one. A node that all rows leave the same way is skipped."""
        while hasattr(node, "condition"):
            condition = node.condition
            kind = type(condition).__name__
            at = self.place.get(getattr(condition, "attribute", -1))
            if at is None:
                raise UnsupportedError(f"conditions of YDF such as `{kind}` are not imported")
            column, missing = self.columns[at], bool(condition.missing)
            if column.spec.is_numeric:
                return node, (at, *numeric_question(condition, kind, column), -1, False)
            n = len(column.spec.levels)
            own, holds_unseen = members(condition, kind, n)
            # What was not seen goes where missing values go, or is refused.
            self.unseen_is_missing &= holds_unseen == missing or kind == "IsTrueCondition"
            positive_left = 0 < len(own) < n or (len(own) == n and not missing)
            if len(own) in (0, n) and missing == (len(own) == n):
                node = node.pos_child if missing else node.neg_child
                continue
            self.sets.append(own if positive_left else np.arange(n))
            return node, (at, 0.0, missing == positive_left, len(self.sets) - 1, positive_left)
        return node, None

    def nodes(self) -> TreeNodes:
        left, right, feature, threshold, missing_left, which, weight, gain = map(
            np.array, zip(*self.rows, strict=True)
        )
        n_values = max(map(len, self.values))
        values = [value or [0.0] * n_values for value in self.values]
        none = np.zeros(0, dtype=np.int64)
        return TreeNodes(
            start=np.array(self.starts, dtype=np.int64),
            left=left.astype(np.int64),
            right=right.astype(np.int64),
            feature=feature.astype(np.int64),
            threshold=threshold.astype(np.float64),
            missing_left=missing_left.astype(np.bool_),
            value=np.array(values, dtype=np.float64),
            weight=weight.astype(np.float64),
            n_rows=np.rint(weight).astype(np.int64),
            gain=gain.astype(np.float64),
            set_of=which.astype(np.int64),
            sets=Sets(
                np.cumsum([0, *map(len, self.sets)], dtype=np.int64),
                np.concatenate([none, *self.sets]),
            ),
        )


def numeric_question(condition: Any, kind: str, column: YdfColumn) -> tuple[float, bool]:
    """The threshold, up to which a value goes left, and whether missing values do."""
    missing = bool(condition.missing)
    if kind == "NumericalHigherThanCondition":
        return STRICT.threshold(float(condition.threshold)), not missing
    if kind == "DiscretizedNumericalHigherThanCondition":
        bound = column.boundaries[condition.threshold_idx - 1]
        return STRICT.threshold(float(bound)), not missing
    if kind == "IsMissingInCondition":
        return np.inf, False
    raise UnsupportedError(f"conditions of YDF such as `{kind}` are not imported")


def members(condition: Any, kind: str, n_levels: int) -> tuple[Ints, bool]:
    """The categories for which a condition holds, and whether it holds for one not seen."""
    if kind == "IsTrueCondition":
        return np.array([1]), False
    if kind == "CategoricalIsInCondition":
        numbers = np.unique(np.asarray(condition.mask, dtype=np.int64))
        return numbers[(numbers > 0) & (numbers <= n_levels)] - 1, 0 in numbers
    if kind == "IsMissingInCondition":
        return np.zeros(0, dtype=np.int64), False
    raise UnsupportedError(f"conditions of YDF such as `{kind}` are not imported")
