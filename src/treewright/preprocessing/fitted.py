"""The fitted states of transformers, and how a model file holds them."""

from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, ClassVar, NoReturn

import numpy as np

from treewright.arrays import Floats, distinct
from treewright.data.column import Column, NumericColumn
from treewright.data.fill_statistics import Fill, filled
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.errors import ModelFileError, ParameterError
from treewright.estimators.fitted import Fitted, frozen, learned
from treewright.param import Param
from treewright.persistence.params import value_from_json, value_to_json
from treewright.persistence.values import WORDS, Kind

MARK = " is missing"  # suffix of the name of an indicator


def pairs_of(values: Any) -> list[list[Any]]:
    """A dict as a list of pairs, which keeps keys of every type."""
    return [[key, pairs_of(one) if type(one) is dict else one] for key, one in values.items()]


def cuts_to_json(cuts: dict[str, Floats]) -> list[list[Any]]:
    return pairs_of({name: own.tolist() for name, own in cuts.items()})


def cuts_from_json(data: Any) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    for name, cuts in read_pairs(data, "cut_points_"):
        if type(cuts) is not list or not all(type(cut) is float and isfinite(cut) for cut in cuts):
            raise ModelFileError(f"learned: the cuts of `{name}` are not finite numbers")
        if not all(low < high for low, high in pairwise(cuts)):
            raise ModelFileError(f"learned: the cuts of `{name}` are not increasing")
        found[name] = frozen(np.array(cuts, dtype=np.float64))
    return found


def read_pairs(data: Any, where: str) -> list[tuple[Any, Any]]:
    """The pairs of a list, whose first parts are different names."""
    if type(data) is not list or not all(type(one) is list and len(one) == 2 for one in data):
        raise ModelFileError(f"learned: `{where}` is not a list of pairs")
    names = [name for name, _ in data]
    if not all(type(name) is str for name in names) or len(set(names)) != len(names):
        raise ModelFileError(f"learned: `{where}` does not name each column once")
    return [(name, value) for name, value in data]


def fills_to_json(fills: dict[str, Fill]) -> list[list[Any]]:
    return [[name, value_to_json(fill)] for name, fill in fills.items()]


def fills_from_json(data: Any) -> dict[str, Fill]:
    return {name: checked_fill(fill) for name, fill in read_pairs(data, "fill_values_")}


def class_fills_to_json(fills: dict[str, dict[Any, Fill]]) -> list[list[Any]]:
    return [
        [name, [[value_to_json(label), value_to_json(fill)] for label, fill in own.items()]]
        for name, own in fills.items()
    ]


def class_fills_from_json(data: Any) -> dict[str, dict[Any, Fill]]:
    found: dict[str, dict[Any, Fill]] = {}
    for name, own in read_pairs(data, "class_fill_values_"):
        is_pairs = type(own) is list and all(type(one) is list and len(one) == 2 for one in own)
        if not is_pairs or not all(type(one[0]) in (str, int, float, bool) for one in own):
            raise ModelFileError(f"learned: the fills of `{name}` are not pairs of class and value")
        found[name] = {label: checked_fill(fill) for label, fill in own}
    return found


def checked_fill(value: Any) -> Fill:
    fill = value_from_json(value, "learned: a fill")
    if type(fill) not in (str, int, float, bool) or fill != fill:
        raise ModelFileError(f"learned: {str(fill)[:50]!r} cannot fill a missing value")
    known: Fill = fill
    return known


def is_by_name(value: Any) -> bool:
    return type(value) is dict and all(type(name) is str for name in value)


CUTS = Kind("cuts by column", is_by_name, to_json=cuts_to_json, from_json=cuts_from_json)
FILLS = Kind("fills by column", is_by_name, to_json=fills_to_json, from_json=fills_from_json)
CLASS_FILLS = Kind(
    "fills by column and class",
    is_by_name,
    to_json=class_fills_to_json,
    from_json=class_fills_from_json,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedTransformer(Fitted):
    """What a transformer learned; its file is text."""

    in_text_file: ClassVar[bool] = True
    prediction_params: ClassVar[dict[str, Param]] = {}

    def predict(self, X: Any, settings: Any) -> NoReturn:
        raise ParameterError(
            f"{settings.model_name} transforms tables and does not predict",
            hint="tw.load(path).transform(X) transforms a table",
        )

    def check_names(self, names: Any, what: str) -> None:
        """Raise unless all of these are columns."""
        for name in names:
            if name not in self.schema.names:
                raise ModelFileError(f"learned: `{what}` names `{name}`, which is no column")


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedCuts(FittedTransformer):
    """Where numeric columns are cut."""

    cut_points: dict[str, Floats] = learned(CUTS)  # by column

    def check(self) -> None:
        self.check_names(self.cut_points, "cut_points_")
        for name in self.cut_points:
            if not self.schema.columns[self.schema.position(name)].is_numeric:
                raise ModelFileError(f"learned: `{name}` is cut, but not numeric")


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedImputer(FittedTransformer):
    """What missing values are filled with, by column."""

    fill_values: dict[str, Fill] = learned(FILLS)
    class_fill_values: dict[str, dict[Any, Fill]] = learned(CLASS_FILLS)
    indicators: tuple[str, ...] = learned(WORDS)

    def check(self) -> None:
        for what in ("fill_values", "class_fill_values", "indicators"):
            self.check_names(getattr(self, what), f"{what}_")
        own = [*self.fill_values.items()]
        own += [(name, one) for name, by in self.class_fill_values.items() for one in by.values()]
        for name, fill in own:
            spec = self.schema.columns[self.schema.position(name)]
            if spec.is_numeric != (type(fill) is float):
                raise ModelFileError(f"learned: {fill!r} cannot fill `{name}`")

    def filled(self, column: Column) -> Column:
        fill = self.fill_values.get(column.name)
        return column if fill is None else filled(column, fill)

    def filled_by_class(self, column: Column, target: ClassTarget) -> Column:
        done = column
        labels = target.classes.tolist()
        for code in distinct(target.codes[np.asarray(column.is_missing)]).tolist():
            fill = self.class_fill_values[column.name].get(labels[code])
            if fill is not None:
                done = filled(done, fill, target.codes == code)
        return self.filled(done)

    def with_marks(self, table: Table, columns: list[Column]) -> Table:
        """The filled columns, followed by the indicators."""
        marks = [
            NumericColumn(name + MARK, np.asarray(table[name].is_missing, dtype=np.float64))
            for name in self.indicators
        ]
        return Table([*columns, *marks], table.n_rows, has_names=table.has_names)
