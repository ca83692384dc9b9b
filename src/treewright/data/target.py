"""The target: class codes or numbers."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.readers import group_cells
from treewright.data.column import (
    NominalColumn,
    NumericColumn,
    is_masked,
    is_missing_value,
    joined_format,
    level_type_of,
    objects_without_mask,
)
from treewright.data.formats import PLAIN, Format, format_of
from treewright.data.sources.from_arrow import is_pyarrow, values_from_arrow
from treewright.data.sources.objects import codes_by_appearance, is_too_large
from treewright.data.sources.rounding import any_beyond, warn_of_rounded_target
from treewright.data.table import Table, target_values
from treewright.errors import DataError, DataTypeError
from treewright.plain_text import counted

MAX_SPAN = 1 << 12  # integer classes this close together are counted instead of sorted
LARGEST_ADDABLE = 1e300  # a hundred million of these add up to a finite number


@dataclass(frozen=True, slots=True, eq=False)
class ClassTarget:
    """One class code per row."""

    format: ClassVar[Format] = PLAIN  # classes are written as they are

    codes: NDArray[np.int32]
    classes: NDArray[Any]  # sorted, in the dtype of the labels
    name: str = "y"

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def take(self, rows: NDArray[np.intp]) -> "ClassTarget":
        """The classes of some rows; `classes` stays as it is."""
        return replace(self, codes=self.codes[rows])

    def copy(self) -> "ClassTarget":
        """The same, with an array of its own."""
        return replace(self, codes=self.codes.copy())

    def without_empty_classes(self) -> "ClassTarget":
        """The same rows, and only the classes that these have."""
        present, codes = np.unique(self.codes, return_inverse=True)
        if len(present) == self.n_classes:
            return self
        return replace(self, codes=codes.astype(np.int32), classes=self.classes[present])


@dataclass(frozen=True, slots=True, eq=False)
class NumericTarget:
    """One number per row."""

    values: NDArray[np.float64]
    name: str = "y"
    format: Format = PLAIN  # how the table writes them

    @property
    def n_rows(self) -> int:
        return len(self.values)

    def take(self, rows: NDArray[np.intp]) -> "NumericTarget":
        """The numbers of some rows."""
        return replace(self, values=self.values[rows])

    def copy(self) -> "NumericTarget":
        """The same, with an array of its own."""
        return replace(self, values=self.values.copy())


def encode_classes(y: Any, name: str = "y", *, n_rows: int | None = None) -> ClassTarget:
    """Labels as codes into their sorted distinct values.

    Examples
    --------
    >>> target = encode_classes(["No", "Yes", "No"])
    >>> target.codes.tolist(), target.classes.tolist()
    ([0, 1, 0], ['No', 'Yes'])
    """
    if type(getattr(y, "dtype", None)).__name__ in ("StringDtype", "CategoricalDtype"):
        codes, levels = y.factorize()
        if (codes >= 0).all() and set(map(type, values := levels.tolist())) == {str}:
            check_length(len(codes), n_rows, name)
            rank, in_order = ranked(values)
            return ClassTarget(rank[codes], np.array(in_order, dtype=object), series_name(y, name))
    labels, name = labels_of(y, name, n_rows)
    if labels.dtype.kind == "O":
        codes, classes = encode_objects(labels, name)
    elif labels.dtype.kind in "iub":
        codes, classes = encode_integers(labels)
    elif labels.dtype.kind == "f":
        check_whole(labels, name)
        classes, codes = np.unique(labels, return_inverse=True)
    elif labels.dtype.kind == "U":
        codes, first_rows = group_cells(labels)
        rank, sorted_labels = ranked(labels[first_rows].tolist())
        codes, classes = rank[codes], np.array(sorted_labels, dtype=labels.dtype)
    elif labels.dtype.kind == "T":
        codes, found = encode_objects(labels.astype(object), name)
        classes = found.astype(labels.dtype)
    else:
        raise DataTypeError(
            f"Unknown label type: target `{name}` holds values of dtype {labels.dtype}",
            hint="classes are strings, integers or booleans",
        )
    return ClassTarget(codes.astype(np.int32, copy=False), classes, name)


def joined_targets(targets: Sequence[ClassTarget | NumericTarget]) -> ClassTarget | NumericTarget:
    """The targets of tables one below the other, as if they had been encoded together.

    >>> joined = joined_targets([encode_classes(["b", "c"]), encode_classes(["a", "c"])])
    >>> joined.codes.tolist(), joined.classes.tolist()
    ([1, 2, 0, 2], ['a', 'b', 'c'])
    """
    first = targets[0]
    if isinstance(first, NumericTarget):
        numbers = [one for one in targets if isinstance(one, NumericTarget)]
        form = joined_format([one.format for one in numbers], first.name)
        return replace(first, values=np.concatenate([one.values for one in numbers]), format=form)
    parts = [one for one in targets if isinstance(one, ClassTarget)]
    for one in parts:
        if class_type(one) != class_type(first):
            raise DataTypeError(
                f"target `{first.name}` holds {first.classes[0]!r} and {one.classes[0]!r}",
                hint="give every class the same type, for instance all strings",
            )
    classes, code_of = np.unique(
        np.concatenate([one.classes for one in parts]), return_inverse=True
    )
    ends = np.cumsum([one.n_classes for one in parts])
    codes = [
        code_of[end - one.n_classes : end].astype(np.int32)[one.codes]
        for one, end in zip(parts, ends.tolist(), strict=True)
    ]
    return replace(first, codes=np.concatenate(codes), classes=classes)


def class_type(target: ClassTarget) -> str:
    """What the classes are: "string", "integer" or "boolean"."""
    return level_type_of(tuple(target.classes[:1].tolist()))


def encode_numbers(y: Any, name: str = "y", *, n_rows: int | None = None) -> NumericTarget:
    """A numeric target as float64."""
    form = format_of(y)
    values, name = labels_of(y, name, n_rows)
    if values.dtype.kind == "O":
        refuse_missing(np.array([is_missing_value(value) for value in values.tolist()]), name)
    if values.dtype.kind not in "iubfO":
        raise DataTypeError(
            f"target `{name}` holds values of dtype {values.dtype}: regression needs numbers",
            hint="use a classifier for classes",
        )
    try:
        numbers = np.ascontiguousarray(values, dtype=np.float64)
    except OverflowError:
        row = next(row for row, value in enumerate(values.tolist()) if is_too_large(value))
        raise DataError(
            f"target `{name}`, row {row}: the number is out of range for a 64-bit float"
        ) from None
    except (TypeError, ValueError):
        row = next(row for row, value in enumerate(values.tolist()) if not is_number(value))
        raise DataTypeError(
            f"target `{name}`, row {row}: {values[row]!r} is not a number",
            hint="use a classifier for classes",
        ) from None
    warn_of_rounded_target(numbers, values, name, remedy="subtract one number from all")
    if not np.isfinite(numbers).all():
        refuse_missing(np.isnan(numbers), name)
        refuse_infinite(numbers, name)
    return NumericTarget(numbers, name, form)


def encode_addable_numbers(y: Any, name: str = "y", *, n_rows: int | None = None) -> NumericTarget:
    """A numeric target for models that predict sums: no sum may overflow."""
    target = encode_numbers(y, name, n_rows=n_rows)
    check_addable(target.values, target.name)
    return target


def check_addable(values: NDArray[np.float64], name: str) -> None:
    """Raise for numbers so large that sums of many may be infinite."""
    if max(values.max(), -values.min()) > LARGEST_ADDABLE:
        row = int((np.abs(values) > LARGEST_ADDABLE).argmax())
        raise DataError(
            f"target `{name}`, row {row}: {values[row]:g} is beyond {LARGEST_ADDABLE:g}, "
            "and sums of such numbers overflow",
            hint="divide the target by a power of ten; a single tree takes any finite number",
        )


def labels_of(y: Any, name: str, n_rows: int | None) -> tuple[NDArray[Any], str]:
    """`y` as a 1-D array and its name."""
    if y is None:
        raise DataError(
            "the model requires y to be passed, but the target y is None",
            hint="fit(X, y) needs one target value per row of X",
        )
    if type(y) is not np.ndarray:
        name = series_name(y, name)
        y = array_of(y, name)
    if y.ndim == 2 and y.shape[1] == 1:
        warn_of_column_vector()
        y = y[:, 0]
    if y.ndim != 1:
        raise DataError(
            f"y should be a 1d array, got an array of shape {y.shape}",
            hint="one target at a time: y[:, 0]",
        )
    check_length(len(y), n_rows, name)
    if y.dtype.kind == "c":
        raise DataTypeError(f"Complex data not supported: target `{name}` has dtype {y.dtype}")
    return y, name


def check_length(length: int, n_rows: int | None, name: str) -> None:
    if n_rows is not None and length != n_rows:
        raise DataError(f"X has {n_rows} rows, target `{name}` has {length}")
    if length == 0:
        raise DataError(f"target `{name}` has 0 rows")


def array_of(y: Any, name: str) -> NDArray[Any]:
    """A target of any kind as an array; lists of mixed types as objects."""
    if isinstance(y, (NumericColumn, NominalColumn)):
        return target_values(y)
    if isinstance(y, Table):
        columns = [target_values(column) for column in y.columns]
        return np.column_stack(columns) if columns else np.empty((y.n_rows, 0))
    if hasattr(y, "toarray") and hasattr(y, "nnz"):
        raise DataTypeError(f"target `{name}` is a sparse matrix", hint="use y.toarray().ravel()")
    if is_masked(y):
        return objects_without_mask(y) if np.ma.getmaskarray(y).any() else np.asarray(y.data)
    if is_pyarrow(y):
        return values_from_arrow(y, name)
    if hasattr(y, "to_numpy"):
        return np.asarray(y.to_numpy())
    if isinstance(y, (list, tuple)):
        return array_of_list(y)
    if not hasattr(y, "__array__"):
        raise DataError(
            f"Expected array-like (array or non-string sequence), got {type(y).__name__}"
        )
    return np.asarray(y)


def array_of_list(y: Sequence[Any]) -> NDArray[Any]:
    """NumPy would turn `["a", 1]` into two strings; only lists of one type are left to it."""
    types = set(map(type, y))
    if len(types) == 1 and types & {str, bool, float}:
        return np.asarray(y)
    if types and types <= {int, float, bool, np.float64, np.int64, np.float32, np.int32}:
        numbers = np.asarray(y)
        if numbers.dtype.kind != "f" or not any_beyond(numbers):
            return numbers
    if types and all(issubclass(kind, (list, tuple, np.ndarray)) for kind in types):
        try:
            return np.asarray(y)
        except ValueError:
            raise DataError("y should be a 1d array, got rows of different lengths") from None
    objects = np.empty(len(y), dtype=object)
    objects[:] = y
    return objects


def series_name(y: Any, name: str) -> str:
    """The name that `y` has itself, or the given one."""
    own = own_name(y)
    return own if own and name == "y" else name


def own_name(y: Any) -> str | None:
    """The name of a series; None for values without one."""
    own = getattr(y, "name", None)
    return own if isinstance(own, str) else None


def encode_integers(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Codes and classes of integers or booleans, counted where they lie close together."""
    if labels.dtype.kind == "b":
        offsets, low, span = labels.astype(np.intp), 0, 2
    else:
        low, high = int(np.minimum.reduce(labels)), int(np.maximum.reduce(labels))
        span = high - low + 1
        if span > MAX_SPAN:
            classes, codes = np.unique(labels, return_inverse=True)
            return codes, classes
        wide = labels if labels.dtype.itemsize == 8 else labels.astype(np.intp)
        offsets = (wide - low if low else wide).astype(np.intp, copy=False)
    counts = np.bincount(offsets, minlength=span)
    if counts.all():
        return offsets.astype(np.int32), np.arange(low, low + span).astype(labels.dtype)
    seen = counts > 0
    code_of = np.cumsum(seen, dtype=np.int32) - 1
    classes = (np.flatnonzero(seen) + low).astype(labels.dtype)
    return code_of[offsets], classes


def encode_objects(labels: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Codes and classes of Python objects that are all of one type."""
    values = labels.tolist()
    types = set(map(type, values))
    if types == {str}:
        return encode_strings(values)
    refuse_missing(np.array([is_missing_value(value) for value in values]), name)
    kinds = {kind_of_label(value, name, row) for row, value in enumerate(values)}
    if len(kinds) > 1:
        raise_mixed_labels(values, name)
    if kinds == {"number"}:
        numbers = np.array(values)
        if numbers.dtype.kind == "f":
            check_whole(numbers, name)
            warn_of_rounded_target(numbers, labels, name, remedy="make classes strings")
        classes_array, codes = np.unique(numbers, return_inverse=True)
        return codes, classes_array
    if kinds == {"boolean"}:
        return encode_integers(np.array(values, dtype=bool))
    return encode_strings([str(value) for value in values])


def encode_strings(values: list[str]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Codes and sorted distinct strings."""
    codes, distinct = codes_by_appearance(values)
    rank, in_order = ranked(distinct)
    return rank[codes], np.array(in_order, dtype=object)


def ranked(labels: list[str]) -> tuple[NDArray[np.int32], list[str]]:
    """The place of each label among the sorted ones, and these."""
    order = sorted(range(len(labels)), key=labels.__getitem__)
    rank = np.empty(len(labels), dtype=np.int32)
    rank[order] = np.arange(len(labels), dtype=np.int32)
    return rank, [labels[at] for at in order]


def kind_of_label(value: object, name: str, row: int) -> str:
    if isinstance(value, str):
        return "string"
    if isinstance(value, (bool, np.bool_)):
        return "boolean"
    if is_number(value):
        return "number"
    raise DataTypeError(
        f"Unknown label type: target `{name}`, row {row} holds a {type(value).__name__}",
        hint="classes are strings, integers or booleans",
    )


def raise_mixed_labels(values: list[Any], name: str) -> None:
    first = type(values[0])
    row = next(row for row, value in enumerate(values) if type(value) is not first)
    raise DataTypeError(
        f"Unknown label type: target `{name}` mixes types: {first.__name__} in row 0 "
        f"({values[0]!r}), {type(values[row]).__name__} in row {row} ({values[row]!r})",
        hint="give every class the same type, for instance all strings",
    )


def is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number))


def check_whole(labels: NDArray[Any], name: str) -> None:
    """Floats are classes only if they are whole numbers."""
    refuse_missing(np.isnan(labels), name)
    refuse_infinite(labels, name)
    fraction = labels != np.floor(labels)
    if fraction.any():
        row = int(fraction.argmax())
        raise DataError(
            f"Unknown label type: continuous. Target `{name}`, row {row} is {labels[row]:g}, "
            "which is not a class",
            hint="this looks like a regression target: use a regressor, or cut it into classes",
        )


def refuse_missing(missing: NDArray[np.bool_], name: str) -> None:
    if missing.any():
        rows = np.flatnonzero(missing)
        raise DataError(
            f"target `{name}` contains NaN or None: {counted(len(rows), 'missing value')}, "
            f"the first in row {rows[0]}",
            hint="leave these rows out",
        )


def refuse_infinite(values: NDArray[Any], name: str) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        row = int(infinite.argmax())
        raise DataError(f"target `{name}` contains infinity: {values[row]:g} in row {row}")


def warn_of_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected; it is read as y[:, 0]",
        DataConversionWarning,
        stacklevel=5,
    )
