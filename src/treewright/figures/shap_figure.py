"""What columns add to answers: a dot for each row and column."""

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ParameterError
from treewright.explanations.shap_values import ShapValues
from treewright.figures.chart import figure
from treewright.figures.marks import Rule
from treewright.figures.panel import Panel
from treewright.figures.row_points import Dotted
from treewright.figures.scales import Bands, linear_over
from treewright.pictures.colors import PALETTE, PAPER, REST, mixed
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture

LOW, HIGH = PALETTE[0], PALETTE[1]
BAND, LEAST_HEIGHT, WIDTH = 34.0, 72.0, 460.0
N_CELLS = 90  # along the axis: dots in one cell stand above each other
STEP, REACH = 0.09, 0.42  # between these dots, and from the middle of a band, in bands


def shap_summary(values: ShapValues, *, max_columns: int = 15, max_rows: int = 400) -> Picture:
    """What each column adds to the answers of many rows.

    A dot is a row. It stands where the column's Shapley value lies, and its color tells the
    column's own value: from low (blue) to high (red), levels by their place, gray if unknown. The
    column whose values are largest in the mean is on top.

    Parameters
    ----------
    values
        Of one output: `treewright.shap_values(model, X)`, of a classifier `.of(label)`.
    max_columns
        Most columns shown.
    max_rows
        Most rows shown, evenly taken from all.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> values = tw.shap_values(tw.CARTClassifier(max_depth=2).fit(X, y), X)
    >>> picture = shap_summary(values.of("virginica"))
    >>> picture.data["columns"]
    ['petal width', 'petal length', 'sepal length', 'sepal width']
    """
    check(values, max_columns, max_rows)
    order = np.argsort(-values.mean_sizes, kind="stable")
    rows = np.unique(np.linspace(0, max(len(values) - 1, 0), max_rows).round().astype(np.intp))
    rows = rows[: len(values)]
    shown = order[:max_columns]
    notes = ["Color: the column's own value, blue low, red high, gray unknown."]
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


def check(values: ShapValues, max_columns: int, max_rows: int) -> None:
    """Raise unless there is one output to show and room to show it."""
    if not isinstance(values, ShapValues):
        raise ParameterError(
            f"a {type(values).__name__} is no set of Shapley values",
            hint="shap_summary(treewright.shap_values(model, X))",
        )
    if values.values.ndim == 3:
        raise ParameterError(
            f"the values are of {len(values.output_names)} outputs",
            hint=f"take one of them: values.of({values.output_names[-1]!r})",
        )
    if len(values) == 0:
        raise ParameterError("there are no rows to show")
    for name, value in (("max_columns", max_columns), ("max_rows", max_rows)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ParameterError(f"{name} is {value!r}", hint="use a whole number from 1 on")


def swarm_panel(values: ShapValues, columns: NDArray[np.intp], rows: NDArray[np.intp]) -> Panel:
    """One band for each column, the first on top."""
    found = values.values[np.ix_(rows, columns)]
    axis = linear_over(found.ravel(), also=[0.0])
    marks = [
        dots_of(
            found[:, at], values.codes[rows, column], len(columns) - 1 - at, axis.high - axis.low
        )
        for at, column in enumerate(columns.tolist())
    ]
    names = [shown_name(values.feature_names[column]) for column in columns]
    return Panel(
        marks=[Rule(x=0.0, dashes=()), *marks],
        x=axis,
        y=Bands(tuple(names[::-1])),
        x_title="Shapley value",
        width=WIDTH,
        height=max(BAND * len(names), LEAST_HEIGHT),
        grid="x",
    )


def dots_of(values: Floats, own: Floats, band: int, width: float) -> Dotted:
    """The dots of one column."""
    offsets = swarm(values, width)
    places = [(float(x), band + float(offset)) for x, offset in zip(values, offsets, strict=True)]
    fills = colors_of(own)
    return Dotted(places, fills, [PAPER] * len(fills))


def swarm(values: Floats, width: float) -> Floats:
    """How far from the middle of its band each dot stands, so that close ones do not hide."""
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
    """From low to high by rank, so that one far value does not make all others alike."""
    known = ~np.isnan(own)
    distinct, rank = np.unique(own[known], return_inverse=True)
    shares = np.zeros(len(own))
    shares[known] = rank / max(len(distinct) - 1, 1)
    return [
        mixed(HIGH, float(share), LOW) if is_known else REST
        for share, is_known in zip(shares, known, strict=True)
    ]
