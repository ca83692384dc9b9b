"""tw.figures.regression_fit: a tree and a straight line, within and beyond the training rows."""

import os
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.sources import table_from
from treewright.data.sources.from_files import read_table
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError, kind_of
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import DASHED, Band, Line, Mark, Points, Rule, Steps
from treewright.figures.plane import cuts_of
from treewright.figures.scales import (
    Linear,
    Logarithmic,
    Scale,
    Times,
    linear_over,
    logarithmic_over,
    short_number,
)
from treewright.pictures.colors import FAINT_INK, LINE, PALETTE, REST
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.single_trees.as_tree import tree_of
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.cart import CARTRegressor
from treewright.tree.conditions import bound_text
from treewright.tree.predict import predict_values

LARGEST = 1e150  # the squares of larger numbers are infinite
TRAINING_SHARE = 2 / 3  # of the rows, by default


@dataclass(frozen=True, slots=True)
class Series:
    """A numeric target over time, sorted."""

    column: NumericColumn  # the x values, with their unit
    y: Floats
    is_training: NDArray[np.bool_]
    until: float
    n_left_out: int

    @property
    def x(self) -> Floats:
        return self.column.values.astype(np.float64, copy=False)

    def learned(self, *, log: bool) -> Floats:
        """The target of the models."""
        return np.log(self.y) if log else self.y


def series_of(table: Any, x: str, y: str, until: Any) -> Series:
    """The two columns sorted by x, without rows with missing values."""
    rows = rows_of(table)
    time, target = number_column(rows, x), number_column(rows, y)
    if target.unit:
        raise DataError(f"`{y}` holds times", hint="the target must be plain numbers")
    known = (np.abs(time.values) < LARGEST) & (np.abs(target.values) < LARGEST)  # no NaN either
    order = np.flatnonzero(known)[np.argsort(time.values[known], kind="stable")]
    time = time.take(order)
    end = end_of_training(time, until)
    is_training = time.values < end
    if is_training.sum() < 2:
        raise DataError(
            f"fewer than two training rows of `{x}` and `{y}`", hint="choose a later `until`"
        )
    values = target.values[order].astype(np.float64)
    return Series(time, values, is_training, end, int((~known).sum()))


def rows_of(table: Any) -> Table:
    """A table of any kind, or read from a file."""
    if not isinstance(table, str | os.PathLike):
        return table_from(table)
    try:
        return read_table(table)
    except OSError as error:
        raise DataError(
            f"`{table}` cannot be read: {error.strerror}",
            hint="give a table, or the path of a file that read_table reads",
        ) from None


def number_column(rows: Table, name: str) -> NumericColumn:
    if name not in rows.names:
        raise UnknownColumnError.among(name, rows.names, source="the table")
    column = rows[name]
    if not isinstance(column, NumericColumn):
        raise DataError(f"`{name}` is a nominal column", hint="name a column of numbers or dates")
    return NumericColumn(name, column.values.astype(np.float64), column.unit)


def end_of_training(time: NumericColumn, until: Any) -> float:
    """Where the training rows end, as a count of the column's unit."""
    if until is None:
        return float(time.values[int(len(time) * TRAINING_SHARE)]) if len(time) else 0.0
    try:
        if time.unit:
            return float(np.array(until, dtype=time.unit).astype(np.int64))
        return float(until)
    except (TypeError, ValueError):
        kind = "a date" if time.unit else "a number"
        raise ParameterError(f"until is {until!r}", hint=f"use {kind}, as in the column") from None


MOST_DOTS = 400
SIZE = (620.0, 340.0)


@dataclass(frozen=True, slots=True)
class Fit:
    """A tree and a straight line, fitted to the training rows."""

    edges: list[float]  # of the tree's steps
    heights: list[float]
    slope: float
    intercept: float
    tree_predictions: Floats  # for all rows
    line_predictions: Floats


def regression_fit(  # noqa: PLR0913 -- keywords: what is fitted
    table: Any,
    x: str,
    y: str,
    *,
    until: Any = None,
    log: bool = False,
    model: TreeEstimator | None = None,
    title: str = "",
) -> Picture:
    """A regression tree and a straight line over one column, also beyond the training rows.

    A tree cannot extrapolate: beyond its last threshold it predicts the mean of one leaf.

    Parameters
    ----------
    table
        A table of any kind, or the path of a file that `read_table` reads.
    x, y
        Names of two numeric columns; x may hold dates.
    until
        Rows whose x is below this are the training rows; None takes the first two thirds.
    log
        Both models learn the logarithm of y, and the y axis is logarithmic.
    model
        A tree regressor, which is refitted; None for `CARTRegressor(prune=None)`.
    title
        A line above the figure.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> year = np.arange(1960, 2020)
    >>> prices = {"year": year, "price": 1e9 * 0.7 ** (year - 1960)}
    >>> picture = tw.figures.regression_fit(prices, "year", "price", until=2000, log=True)
    >>> errors = picture.data["errors"]
    >>> round(errors["tree"]["beyond"], 1), round(errors["line"]["beyond"], 1)
    (4.3, 0.0)
    """
    series = series_of(table, x, y, until)
    if log and (series.y <= 0).any():
        raise DataError(f"`{y}` has values that are not positive", hint="use log=False")
    fit = fit_of(series, series.learned(log=log), model or CARTRegressor(prune=None))
    errors = errors_of(series, fit, log=log)
    panel = fit_panel(series, fit, (x, y), log=log)
    return figure(
        [[panel]],
        title=title,
        note=note_on(series, errors, log=log),
        summary=f"tree and line for {shown_name(y)} by {shown_name(x)}",
        data={
            "x": series.x.tolist(),
            "y": series.y.tolist(),
            "is_training": series.is_training.tolist(),
            "tree": as_shown(fit.tree_predictions, log=log).tolist(),
            "line": as_shown(fit.line_predictions, log=log).tolist(),
            "errors": errors,
        },
    )


def fit_of(series: Series, learned: Floats, model: TreeEstimator) -> Fit:
    """Fit the tree and the line."""
    rows = Table([series.column], len(series.x))
    training = series.is_training
    tree = tree_of(clone(model).fit(rows.take(training), learned[training]))
    if tree.classes is not None:
        raise ParameterError(f"{kind_of(model)} predicts classes", hint="use a regressor")
    cuts = sorted({*cuts_of(tree, 0)})
    ends = NumericColumn(series.column.name, np.array([*cuts, np.inf]), series.column.unit)
    heights = predict_values(tree, Table([ends], len(ends)))[:, 0]
    x, y = series.x[training], learned[training]
    off = x - x.mean()
    slope = float(off @ y / (off @ off)) if off.any() else 0.0
    intercept = float(y.mean() - slope * x.mean())
    return Fit(
        cuts,
        heights.tolist(),
        slope,
        intercept,
        predict_values(tree, rows)[:, 0],
        slope * series.x + intercept,
    )


def errors_of(series: Series, fit: Fit, *, log: bool) -> dict[str, dict[str, float]]:
    """Root mean squared errors of tree and line, on the training rows and beyond them."""
    learned = series.learned(log=log)
    parts = {"training": series.is_training, "beyond": ~series.is_training}
    return {
        name: {
            part: sqrt(float(np.mean((predicted - learned)[rows] ** 2)))
            for part, rows in parts.items()
            if rows.any()
        }
        for name, predicted in (("tree", fit.tree_predictions), ("line", fit.line_predictions))
    }


def as_shown(values: Floats, *, log: bool) -> Floats:
    return np.exp(values) if log else values


def fit_panel(series: Series, fit: Fit, names: tuple[str, str], *, log: bool) -> Panel:
    """Rows, steps and line; the part beyond the training rows is shaded."""
    spread = linear_over(series.x)
    ends = [spread.low, spread.high]
    line = as_shown(fit.slope * np.array(ends) + fit.intercept, log=log)
    shown = np.concatenate([series.y, line])
    y_scale: Linear | Logarithmic = logarithmic_over(shown) if log else linear_over(shown)
    unit = series.column.unit
    x_scale: Scale = Times(spread.low, spread.high, unit) if unit else spread
    steps = [spread.low, *(min(max(edge, ends[0]), ends[1]) for edge in fit.edges), spread.high]
    marks: list[Mark] = []
    if not series.is_training.all():
        low, high = [y_scale.low] * 2, [y_scale.high] * 2
        beyond = [series.until, spread.high]
        marks = [Band(beyond, low, high, LINE, "beyond the training rows"), Rule(x=series.until)]
    heights = as_shown(np.array(fit.heights), log=log).tolist()
    marks += [
        dots(series, ~series.is_training, REST, "later rows", log=log),
        dots(series, series.is_training, FAINT_INK, "training rows", log=log),
        Line(ends, line.tolist(), PALETTE[0], "straight line", dashes=DASHED),
        Steps(steps, heights, PALETTE[1], "tree"),
    ]
    x_title, y_title = (shown_name(name) for name in names)
    return Panel(
        marks=marks,
        x=x_scale,
        y=y_scale,
        x_title=x_title,
        y_title=y_title,
        width=SIZE[0],
        height=SIZE[1],
        grid="xy",
    )


def dots(series: Series, rows: NDArray[np.bool_], color: str, name: str, *, log: bool) -> Points:
    """The rows as dots; of very many, neighbors share one at their mean."""
    parts = np.array_split(np.flatnonzero(rows), min(int(rows.sum()), MOST_DOTS) or 1)
    x = [float(series.x[part].mean()) for part in parts if len(part)]
    learned = series.learned(log=log)
    means = np.array([learned[part].mean() for part in parts if len(part)])
    shown = as_shown(means, log=log).tolist()
    return Points(x, shown, color, name if x else "", radius=2.6)


def note_on(series: Series, errors: dict[str, dict[str, float]], *, log: bool) -> str:
    parts = []
    if "beyond" in errors["tree"]:
        of_what = "of the logarithm " if log else ""
        beyond = [errors[name]["beyond"] for name in ("tree", "line")]
        tree, line = (short_number(error, error / 100) if error else "0" for error in beyond)
        at = bound_text(ColumnSpec.of(series.column), series.until)
        parts.append(
            f"From {at} on, the root mean squared error {of_what}is {tree} for the tree and {line} "
            "for the line."
        )
    if series.n_left_out:
        parts.append(f"{counted(series.n_left_out, 'row')} with missing values left out.")
    return " ".join(parts)
