"""Which columns matter: the impurity they took away, and what is lost without them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.ensembles.base import Ensemble
from treewright.errors import DataError, ParameterError, kind_of
from treewright.figures.chart import figure
from treewright.figures.marks import Bars, Rule, Whiskers
from treewright.figures.panel import Panel
from treewright.figures.scales import Bands, Linear, linear_over
from treewright.pictures.colors import PALETTE
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.single_trees.base import TreeEstimator
from treewright.verbs.importance import Importance, importance

BAND, LEAST_HEIGHT = 24.0, 72.0  # pixels for each column, and for few of them
LABEL_ROOM = 1.18  # of the longest bar: room for the number at its end


def feature_importance(  # noqa: PLR0913 -- settings by name
    model: TreeEstimator | Ensemble[Any],
    X: Any = None,
    y: Any = None,
    *,
    max_columns: int = 20,
    n_shuffles: int = 10,
    random_state: int | None = 0,
) -> Picture:
    """How much each column of a tree or an ensemble matters.

    The first panel has each column's share of the impurity that all splits take away from the
    training rows. It favors columns with many values, and does not measure new rows. Where rows
    are given, best ones that the model was not fitted to, a second panel shows what the model's
    score, accuracy or R squared, loses when the values of a column are shuffled among them: the
    mean, and whiskers for the 95 % interval of `treewright.importance`.

    Parameters
    ----------
    model
        A fitted tree or ensemble.
    X, y
        Rows for the second panel.
    max_columns
        Most columns shown; the shares of the others are added up in one bar.
    n_shuffles
        How often each column is shuffled.
    random_state
        Seed of the shuffles.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> picture = feature_importance(tw.CARTClassifier().fit(X, y))
    >>> dict(zip(picture.data["columns"], picture.data["importances"].round(3).tolist()))
    {'petal length': 0.551, 'petal width': 0.423, 'sepal length': 0.027, 'sepal width': 0.0}
    """
    check(model, max_columns, n_shuffles)
    shares = importance(model, method="gain")
    order = shares.order
    names = [shares.names[at] for at in order]
    data: dict[str, Any] = {"columns": names, "importances": shares.values[order]}
    panels = [share_panel(names, shares.values[order], max_columns)]
    if X is not None or y is not None:
        if X is None or y is None:
            raise DataError(
                "shuffling needs both X and y", hint="feature_importance(model, X_test, y_test)"
            )
        lost = importance(model, X, y, n_repeats=n_shuffles, random_state=random_state)
        data |= {"losses": lost.values[order], "low": lost.low[order], "high": lost.high[order]}
        panels.append(loss_panel(lost, order, max_columns))
    by_rules = getattr(model, "answers_by_rules", False)
    return figure(
        [panels],
        title="Which columns matter",
        note="Shares are those of the tree behind the rules." if by_rules else "",
        summary=f"importance of {counted(len(names), 'column')}",
        data=data,
    )


def check(model: Any, max_columns: int, n_shuffles: int) -> None:
    """Raise unless there is a fitted model and the settings make sense."""
    if not isinstance(model, TreeEstimator | Ensemble):
        raise ParameterError(
            f"{kind_of(model)} has no importances", hint="give a fitted tree or ensemble"
        )
    for name, value in (("max_columns", max_columns), ("n_shuffles", n_shuffles)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ParameterError(f"{name} is {value!r}", hint="use a whole number from 1 on")


def share_panel(names: Sequence[str], shares: Floats, most: int) -> Panel:
    """Bars of the shares, the largest on top, what is left out in one."""
    shown = [shown_name(name) for name in names[:most]]
    values = shares[:most].tolist()
    if left_out := len(names) - len(shown):
        shown.append(counted(left_out, "other column"))
        values.append(float(shares[most:].sum()))
    labels = [f"{100 * value:.1f} %" for value in values]
    bars = Bars(values[::-1], PALETTE[0], labels=labels[::-1], is_lying=True)
    return Panel(
        marks=[bars],
        x=Linear(0.0, LABEL_ROOM * (max(values) or 1.0)),
        y=Bands(tuple(shown[::-1])),
        title="Impurity taken away",
        x_title="share of all that the splits take away",
        width=360.0,
        height=height_of(shown),
        grid="",
    )


def loss_panel(lost: Importance, order: NDArray[np.intp], most: int) -> Panel:
    """Bars of the mean losses, in the order of the first panel."""
    drawn = order[:most][::-1]
    means, lows, highs = lost.values[drawn], lost.low[drawn], lost.high[drawn]
    positions: Sequence[float] = range(len(means))
    if left_out := len(order) > most:  # an empty band keeps both panels in line
        positions = range(1, len(means) + 1)
        means = np.concatenate([[0.0], means])
    shown = [shown_name(lost.names[at]) for at in order[:most]] + ["others not shown"] * left_out
    return Panel(
        marks=[
            Bars(means.tolist(), PALETTE[1], is_lying=True),
            Whiskers(positions, lows.tolist(), highs.tolist(), is_lying=True),
            Rule(x=0.0, dashes=()),
        ],
        x=linear_over([*lows, *highs], also=[0.0]),
        y=Bands(tuple(shown[::-1])),
        title="Lost when shuffled",
        x_title=lost.unit,
        width=300.0,
        height=height_of(shown),
        grid="x",
    )


def height_of(names: Sequence[str]) -> float:
    return max(BAND * len(names), LEAST_HEIGHT)
