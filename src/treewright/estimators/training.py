"""The training rows, from the arguments of `fit`."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.data.column import NominalColumn
from treewright.data.leaks import raw_date_warning
from treewright.data.report import misread_text
from treewright.data.scan import Scan
from treewright.data.scanned_table import ScannedTable
from treewright.data.sources import table_from
from treewright.data.sources.type_inference import DECLARED_TEXT, Wanted, reader_for
from treewright.data.survey import survey
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget, joined_targets
from treewright.data.weights import are_counts, check_weights
from treewright.errors import DataError, ParameterError
from treewright.errors import warn_user as warn_user
from treewright.estimators.class_costs import cost_matrix, row_factors
from treewright.estimators.rows import has_missing
from treewright.estimators.threads import is_worker
from treewright.tree.layout import read_only

Target = ClassTarget | NumericTarget


class UnreadTable(Protocol):
    """A table without values, which others can read too."""

    def read(self) -> Table:
        """The table with its values."""

    def take(self, rows: NDArray[np.intp]) -> "UnreadTable":
        """Some of the rows; nothing is read yet."""


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """Rows of positive weight; classes without rows may remain, for costs and priors."""

    table: Table
    target: Target
    weights: Floats | None  # None: every row has weight 1
    # Weight of each class in the table that priors refer to; None: these rows.
    class_totals: Floats | None = None
    # The positions of these rows among those given to `fit`, and their number; None: all.
    positions: NDArray[np.intp] | None = None
    n_given: int | None = None
    keeps_levels: bool = False  # whether categories and classes without rows stay
    costs: Floats | None = None  # (n_classes, n_classes), true class by predicted class
    target_name: str | None = None  # of the column of a scan
    unread: "UnreadTable | None" = None  # what `table` was read from

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def total_weight(self) -> float:
        return float(self.n_rows if self.weights is None else self.weights.sum())

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return has_missing(self.table)

    @property
    def target_values(self) -> NDArray[Any]:
        """The codes of classes, or the numbers."""
        return self.target.codes if isinstance(self.target, ClassTarget) else self.target.values

    @property
    def strata(self) -> list[NDArray[np.intp]]:
        """The rows of each class that occurs; all rows together for a numeric target."""
        if not isinstance(self.target, ClassTarget):
            return [np.arange(self.n_rows)]
        codes = self.target.codes
        return [np.flatnonzero(codes == code) for code in distinct(codes)]

    def take(self, rows: NDArray[np.intp]) -> "TrainingRows":
        """Some of the rows."""
        return replace(
            self,
            table=self.table[rows],
            target=self.target.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            unread=None if self.unread is None else self.unread.take(rows),
            class_totals=None,
            positions=rows if self.positions is None else self.positions[rows],
            n_given=self.n_rows if self.n_given is None else self.n_given,
        )

    @property
    def weights_are_counts(self) -> bool:
        """Whether weights are counts of equal rows; False if all of them are 1."""
        weights = self.weights
        return weights is not None and are_counts(weights) and bool((weights != 1).any())

    @property
    def n_counted(self) -> int:
        """The number of rows, where a row of weight k counts as k rows if weights are counts."""
        return int(self.total_weight) if self.weights_are_counts else self.n_rows

    def times(self, factors: Floats) -> "TrainingRows":
        """The rows with their weights multiplied."""
        weights = factors if self.weights is None else self.weights * factors
        return replace(self, weights=weights).without_zero_weights()

    def without_zero_weights(self) -> "TrainingRows":
        """The rows of positive weight and their categories; `classes` stays."""
        if self.weights is None or self.weights.all():
            return self
        kept = self.take(np.flatnonzero(self.weights))
        if kept.n_rows == 0:
            raise DataError(
                "every row has weight 0, so there are no training rows",
                hint="give at least one row a weight above 0",
            )
        if self.keeps_levels:
            return kept
        return replace(kept, table=kept.table.compact_levels(), unread=None)

    def without_empty_classes(self) -> "TrainingRows":
        """The same rows without classes that have no rows."""
        if not isinstance(self.target, ClassTarget) or self.positions is None or self.keeps_levels:
            return self
        target, costs = self.target.without_empty_classes(), self.costs
        if costs is not None and target.n_classes < self.target.n_classes:
            kept = distinct(self.target.codes)
            costs = read_only(costs[np.ix_(kept, kept)])
        return replace(self, target=target, costs=costs)

    def for_given_rows(self, values: Floats) -> Floats:
        """Values of these rows, in the order of all rows given to `fit`; NaN for others."""
        if self.positions is None or self.n_given is None:
            return values
        every = np.full((self.n_given, *values.shape[1:]), np.nan)
        every[self.positions] = values
        return every

    def split_off(
        self,
        fraction: float,
        generator: "np.random.Generator",  # in quotes: its module is slow to load
        *,
        setting: str = "validation_fraction",
    ) -> tuple["TrainingRows", "TrainingRows"]:
        """Split into training and validation rows; stratified for a class target."""
        taken: list[NDArray[np.intp]] = []
        carried = 0.0
        for stratum in self.strata:  # the next one makes up for rounding
            carried += fraction * len(stratum)
            n_taken = min(math.floor(carried + 0.5), len(stratum))
            carried -= n_taken
            taken.append(generator.permutation(stratum)[:n_taken])
        held = np.sort(np.concatenate(taken))
        kept = np.setdiff1d(np.arange(self.n_rows), held)
        if len(kept) == 0 or len(held) == 0:
            raise DataError(
                f"{setting}={fraction:g} of {self.n_rows} rows leaves "
                f"{len(kept)} rows to grow on and {len(held)} to validate with",
                hint="use another share or more rows",
            )
        return self.take(kept), self.take(held)


def class_totals(rows: TrainingRows) -> Floats | None:
    """The weight of each class in the table that priors refer to; None for numbers."""
    if rows.class_totals is not None or not isinstance(rows.target, ClassTarget):
        return rows.class_totals
    return np.bincount(rows.target.codes, rows.weights, rows.target.n_classes).astype(np.float64)


def class_factors_of_rows(rows: TrainingRows, class_weight: Any) -> Floats | None:
    """The factor that `class_weight` puts on the weight of each row; None for no such thing."""
    if class_weight is None:
        return None
    target = class_target(rows)
    return row_factors(class_weight, target.codes, target.classes, rows.weights)


def weighted_by_class(rows: TrainingRows, class_weight: Any) -> TrainingRows:
    """The rows with the weights that `class_weight` gives them."""
    factors = class_factors_of_rows(rows, class_weight)
    return rows if factors is None else rows.times(factors)


def with_costs(rows: TrainingRows, costs: Any) -> TrainingRows:
    """The rows with what the parameter `costs` says about their classes."""
    if costs is None:
        return rows
    return replace(rows, costs=cost_matrix(costs, class_target(rows).classes))


def class_target(rows: TrainingRows) -> ClassTarget:
    """The target of rows that are to be classified."""
    assert isinstance(rows.target, ClassTarget)
    return rows.target


def read_training_rows(
    X: object,
    y: object,
    sample_weight: object,
    *,
    encode: Callable[..., Target],
    categorical_features: object,
) -> TrainingRows:
    """Table, target and weights, checked against each other."""
    if isinstance(X, Scan):
        return read_scanned_rows(X, y, sample_weight, encode, categorical_features)
    table = table_from(X, categorical_features=categorical_features)
    if isinstance(y, str):
        raise DataError(
            f"y is the string {y!r}, not the values of the target",
            hint=f"for a frame: fit(frame.drop(columns={y!r}), frame[{y!r}]); for a Table: "
            f"fit(*table.split_target({y!r}))",
        )
    target = encode(y, n_rows=table.n_rows)
    weights = check_weights(sample_weight, table.n_rows)
    return TrainingRows(table, target, weights).without_zero_weights()


def read_scanned_rows(
    scan: Scan,
    y: object,
    sample_weight: object,
    encode: Callable[..., Target],
    categorical_features: object,
) -> TrainingRows:
    """The rows of a scan: in memory if they are few, otherwise block by block."""
    check_scan_alone(y, sample_weight)
    check_has_target(scan)
    found = survey(
        scan, lambda y, name, n_rows: encode(y, name, n_rows=n_rows).copy(), categorical_features
    )
    name, target = found.target_name, joined_targets(found.targets)
    target = replace(target, name=name or target.name)
    weights = check_weights(found.weights, found.n_rows, "weights")
    table = ScannedTable(replace(found, targets=[], weights=None))  # both are held once
    rows = TrainingRows(table, target, weights, target_name=name)
    return in_memory_if_small(rows.without_zero_weights())


def in_memory_if_small(rows: TrainingRows) -> TrainingRows:
    """The rows of a small scan with their values in memory."""
    table = rows.table
    if isinstance(table, ScannedTable) and table.is_small:
        return replace(rows, table=table.read())
    return rows


def with_values(rows: TrainingRows) -> TrainingRows:
    """The rows of a scan with their values: in memory, or in the files of the scan."""
    table = rows.table
    if not isinstance(table, ScannedTable):
        return rows
    return replace(rows, table=table.read(), unread=table)


def given_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """X, y and weights as they are given; those of a scan are read."""
    if not isinstance(X, Scan):
        return X, y, sample_weight
    check_scan_alone(y, sample_weight)
    check_has_target(X)
    return X.read()


def check_has_target(scan: Scan) -> None:
    """Raise unless a scan names its target, or its blocks have one."""
    if scan.target is None:
        first = next(scan.blocks(), None)
        if first is not None and first.y is None:
            raise DataError(
                "the scan has no target", hint='name it: tw.scan(source, target="the column")'
            )


def check_scan_alone(y: object, sample_weight: object) -> None:
    """Raise if a target or weights are given besides a scan, which has its own."""
    if y is not None or sample_weight is not None:
        raise ParameterError(
            f"{'y' if y is not None else 'sample_weight'} cannot be given with a scan",
            hint="name the columns in the scan: tw.scan(source, target=..., weights=...)",
        )


MOST_SHOWN = 5
MANY_CLASSES = 100
FEW_LEVELS = 10  # with so many categories, there is no warning


def warn_of_useless_columns(table: Table) -> None:
    """Warn of columns without values, and of columns that look like ids."""
    empty = columns_without_a_value(table)
    if empty:
        warn_user(f"{listed_columns(empty)} without any value cannot be used")
    misread = {} if table.matrix is not None else columns_misread(table)
    for name, text in list(misread.items())[:MOST_SHOWN]:
        warn_user(
            f"column `{name}` holds text that looks like numbers or dates ({text}), so each text "
            "is a separate category; tw.read_table(X) converts such columns to numbers or dates"
        )
    ids = [] if table.matrix is not None else columns_like_ids(table)
    ids = [name for name in ids if name not in misread]
    if ids:
        warn_user(
            f"{listed_columns(ids)} with a different value in at least every other row: leave out "
            "names and ids, which cannot help with new rows"
        )


def warn_of_many_classes(target: ClassTarget) -> None:
    """Warn if the classes look like numbers to be predicted."""
    n_classes = target.n_classes
    if n_classes > max(MANY_CLASSES, target.n_rows / 10) and target.classes.dtype.kind in "iuf":
        warn_user(
            f"the target has {n_classes} classes in {target.n_rows} rows; if it is a "
            "number to be predicted, use CARTRegressor or TreeRegressor"
        )


def columns_without_a_value(table: Table) -> list[str]:
    """Columns that are missing in every row."""
    if isinstance(table, ScannedTable):
        return table.names_without_values
    if table.matrix is not None:
        suspects = np.flatnonzero(np.isnan(table.matrix[0]))  # usually none
        return [table.names[at] for at in suspects if np.isnan(table.matrix[:, at]).all()]
    return [
        column.name
        for column in table.columns
        if column.value(0) is None and column.n_missing == table.n_rows
    ]


def columns_misread(table: Table) -> dict[str, str]:
    """Text columns whose cells look like numbers or dates, and which of them."""
    found = {
        column.name: misread_text([str(level) for level in column.levels])
        for column in table.headers
        if isinstance(column, NominalColumn)
        and column.by_appearance
        and not column.caution
        and column.origin != DECLARED_TEXT
        and reader_for(column.levels, Wanted()) is not None  # by a few, however many there are
    }
    return {name: text for name, text in found.items() if text}


def columns_like_ids(table: Table) -> list[str]:
    """Nominal columns with more categories than half the rows."""
    return [
        column.name
        for column in table.headers
        if isinstance(column, NominalColumn)
        and len(column.levels) > max(table.n_rows / 2, FEW_LEVELS)
    ]


def listed_columns(names: list[str]) -> str:
    """The names of columns, for messages."""
    shown = ", ".join(f"`{name}`" for name in names[:MOST_SHOWN])
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return f"column{'s' if len(names) > 1 else ''} {shown}{more}"


def raw_dates_of(model: Any) -> list[str]:
    """The columns whose dates a fitted model uses as numbers."""
    columns = model.schema_.columns
    dated = [at for at, spec in enumerate(columns) if spec.unit.startswith("datetime64")]
    if not dated:
        return []
    shares = getattr(model, "feature_importances_", None)
    is_used = np.ones(len(columns), dtype=bool)
    if shares is not None and len(shares) == len(columns):
        is_used = ~(np.asarray(shares) == 0)
    return [columns[at].name for at in dated if is_used[at]]


def warn_of_raw_dates(model: Any) -> None:
    """Warn at the user's line; copies that are fitted to folds are silent."""
    if not is_worker():
        for name in raw_dates_of(model):
            warn_user(str(raw_date_warning(name)))
