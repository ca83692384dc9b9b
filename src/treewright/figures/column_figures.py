"""Figures by column: importances, Shapley values, and the share of missing values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.ensembles.base import Ensemble
from treewright.errors import DataError, ParameterError, check_type, check_whole, kind_of
from treewright.evaluation.missing_study import MissingMap
from treewright.explanations.shap_values import ShapValues
from treewright.figures.axes import Frame
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import Bars, Mark, Rule, Whiskers
from treewright.figures.row_points import Dotted
from treewright.figures.scales import Bands, Linear, linear_over
from treewright.pictures.colors import INK, PALETTE, PAPER, REST, mixed
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Rectangle, Shape, Text
from treewright.plain_text import tiny_percent
from treewright.protocols import Predictor, ProbabilityPredictor
from treewright.single_trees.base import TreeEstimator
from treewright.verbs.importance import Importance, importance

LEAST_HEIGHT = 72.0  # pixels, for few columns
BAND = 24.0  # pixels for each column
LABEL_ROOM = 1.18  # of the longest bar: room for the number at its end


def feature_importance(  # noqa: PLR0913 -- settings by name
    model: Predictor | ProbabilityPredictor,
    X: Any = None,
    y: Any = None,
    *,
    max_columns: int = 20,
    n_shuffles: int = 10,
    random_state: int | None = 0,
) -> Picture:
    """How much each column matters for a model.

    The first panel has each column's share of the total impurity decrease on the training rows.
    It favors columns with many values. If rows are given, best held-out ones, a second panel
    shows the permutation importance: how much accuracy or R squared the model loses when the
    values of a column are shuffled, with the 95 % interval of `treewright.importance`.

    Parameters
    ----------
    model
        A fitted tree or ensemble; with rows, any object with `predict` or `predict_proba`, which
        has only the second panel.
    X, y
        Rows for the second panel.
    max_columns
        Maximum number of columns shown; one bar sums up the others.
    n_shuffles
        How often each column is shuffled.
    random_state
        Seed of the shuffles.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> picture = feature_importance(tw.CARTClassifier(prune=None).fit(X, y))
    >>> dict(zip(picture.data["columns"], picture.data["importances"].round(3).tolist()))
    {'petal length': 0.551, 'petal width': 0.423, 'sepal length': 0.027, 'sepal width': 0.0}
    """
    has_gains = isinstance(model, TreeEstimator | Ensemble)
    if not has_gains and X is None and y is None:
        raise ParameterError(
            f"{kind_of(model)} has no importances without rows",
            hint="give a fitted tree or ensemble, or rows: feature_importance(model, X, y)",
        )
    check_whole("max_columns", max_columns)
    check_whole("n_shuffles", n_shuffles)
    panels: list[Panel] = []
    lost = None
    if X is not None or y is not None:
        if X is None or y is None:
            raise DataError(
                "shuffling needs both X and y", hint="feature_importance(model, X_test, y_test)"
            )
        lost = importance(model, X, y, n_repeats=n_shuffles, random_state=random_state)
    shares = lost if lost is not None and not has_gains else importance(model, method="gain")
    order = shares.order
    names = [shares.names[at] for at in order]
    data: dict[str, Any] = {"columns": names}
    if has_gains:
        data["importances"] = shares.values[order]
        panels.append(share_panel(names, shares.values[order], max_columns))
    if lost is not None:
        data |= {"losses": lost.values[order], "low": lost.low[order], "high": lost.high[order]}
        panels.append(loss_panel(lost, order, max_columns))
    by_rules = getattr(model, "predicts_by_rules", False)
    return figure(
        [panels],
        title="Which columns matter",
        note="The first panel is that of the tree behind the rules." if by_rules else "",
        summary=f"importance of {counted(len(names), 'column')}",
        data=data,
    )


def share_panel(names: Sequence[str], shares: Floats, most: int) -> Panel:
    """Bars of the shares, the largest on top; the last one sums up the columns left out."""
    shown = [shown_name(name) for name in names[:most]]
    values = shares[:most].tolist()
    if left_out := len(names) - len(shown):
        shown.append(counted(left_out, "other column"))
        values.append(float(shares[most:].sum()))
    labels = [f"{100 * value:.1f} %" for value in values]
    bars = Bars(values[::-1], PALETTE[0], labels=labels[::-1], is_horizontal=True)
    return Panel(
        marks=[bars],
        x=Linear(0.0, LABEL_ROOM * (max(values) or 1.0)),
        y=Bands(tuple(shown[::-1])),
        title="Impurity decrease",
        x_title="share of the total decrease",
        width=360.0,
        height=max(BAND * len(shown), LEAST_HEIGHT),
        grid="",
    )


def loss_panel(lost: Importance, order: NDArray[np.intp], most: int) -> Panel:
    """Bars of the mean losses, in the order of the first panel."""
    drawn = order[:most][::-1]
    means, lows, highs = lost.values[drawn], lost.low[drawn], lost.high[drawn]
    positions: Sequence[float] = range(len(means))
    if left_out := len(order) > most:  # an empty band aligns both panels
        positions = range(1, len(means) + 1)
        means = np.concatenate([[0.0], means])
    shown = [shown_name(lost.names[at]) for at in order[:most]] + ["others not shown"] * left_out
    return Panel(
        marks=[
            Bars(means.tolist(), PALETTE[1], is_horizontal=True),
            Whiskers(positions, lows.tolist(), highs.tolist()),
            Rule(x=0.0, dashes=()),
        ],
        x=linear_over([*lows, *highs], also=[0.0]),
        y=Bands(tuple(shown[::-1])),
        title="Permutation importance",
        x_title=lost.unit,
        width=300.0,
        height=max(BAND * len(shown), LEAST_HEIGHT),
        grid="x",
    )


LOW, HIGH = PALETTE[0], PALETTE[1]
SWARM_BAND, SWARM_WIDTH = 34.0, 460.0
N_CELLS = 90  # along the axis: dots in one cell are stacked
STEP, REACH = 0.09, 0.42  # between stacked dots, and from the middle of a band, in bands


def shap_summary(values: ShapValues, *, max_columns: int = 15, max_rows: int = 400) -> Picture:
    """What each column adds to the predictions of many rows.

    Each dot is a row, at the Shapley value of the column. Its color is the column's own value in
    that row: from low (blue) to high (red), categories by their order, missing values gray. The
    column with the largest mean absolute value is on top.

    Parameters
    ----------
    values
        Of one output: `treewright.shap_values(model, X)`, of a classifier `.of(label)`.
    max_columns
        Maximum number of columns shown.
    max_rows
        Maximum number of rows shown, spread evenly over the table.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> values = tw.shap_values(tw.CARTClassifier(prune=None, max_depth=2).fit(X, y), X)
    >>> picture = shap_summary(values.of("virginica"))
    >>> picture.data["columns"]
    ['petal width', 'petal length', 'sepal length', 'sepal width']
    """
    check_type(values, ShapValues, "a set of Shapley values", "treewright.shap_values(model, X)")
    if values.values.ndim == 3:
        raise ParameterError(
            f"the values are of {len(values.output_names)} outputs",
            hint=f"take one of them: values.of({values.output_names[-1]!r})",
        )
    if len(values) == 0:
        raise ParameterError("there are no rows to show")
    check_whole("max_columns", max_columns)
    check_whole("max_rows", max_rows)
    order = np.argsort(-values.mean_sizes, kind="stable")
    rows = np.unique(np.linspace(0, max(len(values) - 1, 0), max_rows).round().astype(np.intp))
    rows = rows[: len(values)]
    shown = order[:max_columns]
    notes = ["Color: the column's own value. Blue is low, red is high, gray is missing."]
    if len(rows) < len(values):
        notes.append(f"{len(rows):,} of {len(values):,} rows.")
    if len(shown) < len(order):
        notes.append(f"{counted(len(order) - len(shown), 'other column')} not shown.")
    name = "" if values.output_names[0] == values.scale else f" of {values.output_names[0]}"
    return figure(
        [[swarm_panel(values, shown, rows)]],
        title=f"What each column adds to the {values.scale}{name}",
        note=" ".join(notes),
        summary=f"Shapley values of {counted(len(values), 'row')}",
        data={
            "columns": [values.feature_names[at] for at in order],
            "mean_sizes": values.mean_sizes[order],
            "rows": rows,
        },
    )


def swarm_panel(values: ShapValues, columns: NDArray[np.intp], rows: NDArray[np.intp]) -> Panel:
    """One band for each column, the first on top."""
    found = values.values[np.ix_(rows, columns)]
    axis = linear_over(found.ravel(), also=[0.0])
    marks: list[Mark] = [Rule(x=0.0, dashes=())]
    for at, column in enumerate(columns.tolist()):
        heights = len(columns) - 1 - at + swarm(found[:, at], axis.high - axis.low)
        places = list(zip(found[:, at].tolist(), heights.tolist(), strict=True))
        marks.append(Dotted(places, colors_of(values.codes[rows, column]), [PAPER] * len(rows)))
    names = [shown_name(values.feature_names[column]) for column in columns]
    return Panel(
        marks=marks,
        x=axis,
        y=Bands(tuple(names[::-1])),
        x_title="Shapley value",
        width=SWARM_WIDTH,
        height=max(SWARM_BAND * len(names), LEAST_HEIGHT),
        grid="x",
    )


def swarm(values: Floats, width: float) -> Floats:
    """The distance of each dot from the middle of its band, so that dots do not hide others."""
    cells = np.floor(values / max(width, 1e-300) * N_CELLS).astype(np.int64)
    offsets = np.zeros(len(values))
    for cell in np.unique(cells):
        members = np.flatnonzero(cells == cell)
        place = np.arange(len(members))
        side = np.where(place % 2 == 0, 1, -1) * ((place + 1) // 2)  # 0, -1, 1, -2, 2 ...
        farthest = max(int(np.abs(side).max()), 1)
        offsets[members] = side * min(STEP, REACH / farthest)
    return offsets


def colors_of(own: Floats) -> list[str]:
    """Colors from low to high by rank, so that an outlier does not make all others look alike."""
    known = ~np.isnan(own)
    distinct, rank = np.unique(own[known], return_inverse=True)
    shares = np.zeros(len(own))
    shares[known] = rank / max(len(distinct) - 1, 1)
    return [
        mixed(HIGH, float(share), LOW) if is_known else REST
        for share, is_known in zip(shares, known, strict=True)
    ]


DARK = 0.6  # of the color: from here on text is white
LINE_HEIGHT, NARROWEST, WIDEST = 24.0, 24.0, 96.0  # of a cell
ROOM = 700.0  # pixels for all cells of a line, as long as they are not too narrow
LETTERS, NARROW_FOR_LETTERS = 11.0, 38.0


@dataclass(frozen=True, slots=True)
class Cells(Mark):
    """A share in each cell of a grid: the larger, the darker; lines from bottom to top."""

    shares: Floats  # (n_lines, n_columns)

    def shapes(self, frame: Frame) -> Iterator[Shape]:
        for line, column in np.ndindex(*self.shares.shape):
            share = float(self.shares[line, column])
            left, right = frame.x(column - 0.5), frame.x(column + 0.5)
            top, bottom = frame.y(line + 0.5), frame.y(line - 0.5)
            size = (right - left, bottom - top)
            yield Rectangle(left, top, *size, fill=mixed(PALETTE[0], share), stroke=PAPER)
            if share > 0 and size[0] >= NARROW_FOR_LETTERS:
                ink = PAPER if share >= DARK else INK
                middle = ((left + right) / 2, (top + bottom) / 2 + LETTERS / 3)
                yield Text(*middle, tiny_percent(share), size=LETTERS, fill=ink)


def missing_map(result: MissingMap, *, max_columns: int = 30) -> Picture:
    """The share of missing values of each column, in all rows and in each class.

    Only columns with missing values are shown, those with the most on top. If a line is darker
    in one class than in others, values are not missing at random: a model that uses the fact
    that a value is missing can learn from it, while imputation hides it.

    Parameters
    ----------
    result
        The result of `tw.missing_map`, or the `missing` of `tw.missing_study`.
    max_columns
        Maximum number of columns shown.

    Examples
    --------
    >>> import treewright as tw
    >>> found = tw.missing_map({"a": [1.0, None, 3.0, 4.0]}, ["x", "x", "y", "y"])
    >>> tw.figures.missing_map(found).data["shares"].tolist()
    [[0.25, 0.5, 0.0]]
    """
    check_type(result, MissingMap, "a map of missing values", "tw.missing_map(X, y)")
    check_whole("max_columns", max_columns)
    order = np.argsort(-result.overall, kind="stable")
    order = order[result.overall[order] > 0]
    shown = order[:max_columns]
    shares = np.column_stack([result.overall[shown], result.shares[shown]])
    columns = [result.columns[at] for at in shown]
    note = "Share of all rows, and of the rows of each class."
    if n_more := len(order) - len(shown):
        note += f" {counted(n_more, 'column')} with fewer missing values not shown."
    heads = ("all rows", *(shown_name(str(label)) for label in result.classes))
    names = tuple(shown_name(name) for name in columns) or ("",)
    panel = Panel(
        marks=[Cells(shares[::-1])],
        x=Bands(heads),
        y=Bands(names[::-1]),
        width=min(max(ROOM / len(heads), NARROWEST), WIDEST) * len(heads),
        height=LINE_HEIGHT * len(names),
        grid="",
        is_boxed=True,
    )
    return figure(
        [[panel]],
        title="Missing values by class",
        note=note if len(order) else "No value is missing.",
        summary=f"missing values of {counted(len(order), 'column')}",
        data={"columns": columns, "classes": ["all rows", *result.classes], "shares": shares},
    )
