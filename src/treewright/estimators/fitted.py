"""What a fit learns, as one frozen value.

An estimator is a thin shell over its state: `fit` replaces the state by one assignment, a
prediction reads it once, and a model file holds it beside the parameters. No module that defines
a state imports scikit-learn, so a file can be read and used without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Final, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.data.schema import Schema, with_keys
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import ModelFileError, warn_user
from treewright.estimators.class_costs import MOST_COST
from treewright.estimators.params import CATEGORICAL_FEATURES, HANDLE_UNKNOWN, N_JOBS
from treewright.estimators.threads import n_threads
from treewright.param import Param
from treewright.persistence.values import (
    Arrays,
    Kind,
    class_type,
    classes_of,
    notes_from_json,
    target_from_json,
)
from treewright.tree.as_json import classes_from, rows_from
from treewright.tree.predictions import cheapest_classes

Rows = NDArray[Any] | Table

ABSENT: Final[Any] = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()
DERIVED = frozenset({"n_features_in_", "feature_names_in_", "n_classes_"})
LEARNED = "learned"
COSTS = "costs"
COMMON_KEYS = frozenset({"class_type", "classes", "schema", "notes", "target"})
ROWS_WORTH_THREADS = 10_000  # below this a prediction takes less time than threads need to wake


class Settings(Protocol):
    """The parameters that a prediction reads: those of an estimator or of a `SavedModel`."""

    @property
    def model_name(self) -> str:
        """The estimator's class, for messages."""

    @property
    def handle_unknown(self) -> str: ...

    @property
    def categorical_features(self) -> Any: ...

    @property
    def n_jobs(self) -> int | None: ...


def learned(kind: Kind) -> Any:
    """A field of a state that a model file holds."""
    return field(metadata={"kind": kind})


def sometimes(kind: Kind) -> Any:
    """A field that only some fits set; otherwise it is ABSENT, also in the file."""
    return field(default=ABSENT, metadata={"kind": kind})


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """All that `fit` learns. A field `x` is the attribute `x_` of the fitted estimator."""

    in_text_file: ClassVar[bool] = False  # whether its file is JSON text, not a container
    reading: ClassVar[str] = ""  # the class that reads it without scikit-learn
    prediction_params: ClassVar[dict[str, Param]] = {  # what is read of the settings
        "handle_unknown": HANDLE_UNKNOWN,
        "categorical_features": CATEGORICAL_FEATURES,
        "n_jobs": N_JOBS,
    }

    schema: Schema  # of the table that `fit` was given
    classes: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()  # on preprocessing, for the user
    target_name: str | None = None  # of the column that is predicted, where it has a name
    costs: Floats | None = None  # true class by predicted class; a single tree has its own

    @property
    def unseen(self) -> str | None:
        """How to handle an unknown category; None: as set in the estimator."""
        return None

    @property
    def n_features_in(self) -> int:
        return self.schema.n_columns

    @property
    def feature_names_in(self) -> Any:
        return np.array(self.schema.names, dtype=object) if self.schema.has_names else ABSENT

    @property
    def n_classes(self) -> Any:
        return ABSENT if self.classes is None else len(self.classes)

    def attribute(self, name: str) -> Any:
        """The attribute `name` of the fitted estimator, which ends in "_"; or ABSENT."""
        if name in DERIVED or name[:-1] in self.__dataclass_fields__:
            value = getattr(self, name[:-1])
            return ABSENT if name in ("classes_", "costs_") and value is None else value
        return ABSENT

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        """The prediction for each row of X."""
        raise NotImplementedError

    def predict_proba(self, X: Any, settings: Settings) -> Floats:
        """The probability of each class, for each row of X."""
        raise NotImplementedError

    def class_labels(self, shares: Floats) -> NDArray[Any]:
        """The class of each row of shares: the most probable one, or with costs the cheapest.

        Ties go to the first class. Expected costs that differ by rounding only are equal.
        """
        assert self.classes is not None
        is_plain = self.costs is None
        codes = shares.argmax(axis=1) if is_plain else cheapest_classes(shares, self.costs)
        found: NDArray[Any] = self.classes[codes]
        return found

    def with_costs(self, costs: Floats | None) -> Self:
        """The same state, predicting by these costs; probabilities stay."""
        return replace(self, costs=None if costs is None else frozen(costs))

    def threads_for(self, n_rows: int, settings: Settings) -> int:
        """The number of threads that predict so many rows."""
        return n_threads(settings.n_jobs, worth_it=True) if n_rows >= ROWS_WORTH_THREADS else 1

    def encode(self, X: Any, settings: Settings) -> Rows:
        """The rows of X as the model knows its columns; a fitting float array as it is."""
        schema = self.schema
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.kind == "f"
            and X.itemsize in (4, 8)
            and X.dtype.isnative
            and X.shape[1] == len(schema.columns)
            and len(X)
            and schema.is_plain
        ):
            if schema.has_names:
                warn_of_names(settings.model_name, has_names=False)
            return X
        table, model = table_from(X), settings.model_name
        if table.has_names != schema.has_names:
            warn_of_names(model, has_names=table.has_names)
        table = schema.with_date_parts(table)
        schema.check_columns(table, model=model)
        nominal = settings.categorical_features
        if not isinstance(nominal, str | None):  # by the user's word
            table = table_from(table, categorical_features=nominal)
        policy: Any = self.unseen or settings.handle_unknown
        return schema.encode(table, policy, model=model)

    def check(self) -> None:
        """Raise a `ModelFileError` unless the parts of a file are consistent."""

    def check_settings(self, settings: Settings) -> None:
        """Raise a `ModelFileError` unless a model with these parameters can learn this."""

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        """The state as the JSON values and arrays of a model file."""
        values: dict[str, Any] = {}
        arrays: Arrays = {}
        for name, kind in kinds_of(type(self)).items():
            value = getattr(self, name)
            check_kind(f"{name}_", kind, value)
            if not kind.is_array:
                values[f"{name}_"] = kind.to_json(value)
            elif value is not None:
                arrays[f"{name}_"] = value
        return {**self.common_parts(), LEARNED: values}, arrays

    def common_parts(self) -> dict[str, Any]:
        """The parts of every model: columns, classes, notes, the name of the target."""
        parts = {
            "class_type": None if self.classes is None else class_type(self.classes),
            "classes": None if self.classes is None else self.classes.tolist(),
            "schema": self.schema.to_json(),
            "notes": list(self.notes),
            "target": self.target_name,
        }
        return parts if self.costs is None else {**parts, COSTS: self.costs.tolist()}

    @classmethod
    def from_parts(cls, data: object, arrays: Arrays) -> Self:
        """The state from the result of `to_parts`; anything wrong is a `ModelFileError`."""
        entry = with_keys(data, {LEARNED, *common_keys(data)}, "model")
        state = cls(
            **common_from_parts(entry), **values_from_parts(entry[LEARNED], arrays, kinds_of(cls))
        )
        state.check()
        return state


def common_keys(data: object) -> frozenset[str]:
    """The keys of the parts of every model; only those with costs have a key for them."""
    return COMMON_KEYS | {COSTS} if type(data) is dict and COSTS in data else COMMON_KEYS


def common_from_parts(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that `Fitted.common_parts` wrote."""
    notes = notes_from_json(entry["notes"])
    target = target_from_json(entry["target"])
    schema = Schema.from_json(entry["schema"])
    classes = classes_of(classes_from(entry["classes"]), entry["class_type"])
    if classes is not None and len(distinct(classes)) != len(classes):
        raise ModelFileError("model: a class occurs twice")
    costs = costs_from_json(entry[COSTS], classes) if COSTS in entry else None
    return {
        "schema": schema,
        "classes": classes,
        "notes": notes,
        "target_name": target,
        COSTS: costs,
    }


def costs_from_json(data: object, classes: NDArray[Any] | None) -> Floats:
    """The costs of the classes of a model."""
    if classes is None:
        raise ModelFileError("model: `costs` without classes")
    costs = rows_from(data, len(classes), "model: `costs`", "class")
    if len(costs) != len(classes):
        raise ModelFileError("model: `costs` are not a matrix by class")
    if not ((costs >= 0) & (costs <= MOST_COST)).all() or np.diag(costs).any():
        raise ModelFileError("model: `costs` out of range, or of a correct prediction")
    return frozen(costs)


def kinds_of(state_type: type[Fitted]) -> dict[str, Kind]:
    """The kind of each learned field, by name."""
    return {one.name: one.metadata["kind"] for one in fields(state_type) if "kind" in one.metadata}


def values_from_parts(data: object, arrays: Arrays, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """The learned fields, complete and of the right kinds."""
    plain = {f"{name}_" for name, kind in kinds.items() if not kind.is_array}
    entry = with_keys(data, plain, LEARNED)
    unknown = [name for name in arrays if name[:-1] not in kinds or name in plain]
    if unknown:
        raise ModelFileError(f"{LEARNED}: array `{unknown[0][:50]}` is not known")
    values: dict[str, Any] = {}
    for name, kind in kinds.items():
        key = f"{name}_"
        value = arrays.get(key) if kind.is_array else kind.from_json(entry[key])
        check_kind(key, kind, value)
        values[name] = value
    return values


def check_kind(name: str, kind: Kind, value: Any) -> None:
    """Raise unless a value is of its kind."""
    if not kind.is_one(value):
        raise ModelFileError(f"{LEARNED}: `{name}` is not {kind.words}")


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, made read-only."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def warn_of_names(model: str, *, has_names: bool) -> None:
    here, there = ("has", "without") if has_names else ("does not have valid", "with")
    warn_user(f"X {here} feature names, but {model} was fitted {there} feature names")
