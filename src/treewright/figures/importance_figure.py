"""Which columns matter: the impurity they took away, and what is lost without them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError
from treewright.figures.chart import figure
from treewright.figures.marks import Bars, Rule
from treewright.figures.panel import Panel
from treewright.figures.scales import Bands, Linear, linear_over
from treewright.figures.whiskers import Whiskers
from treewright.models.base import TreeEstimator
from treewright.pictures.colours import PALETTE
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.tree.tree import Tree

Floats = NDArray[np.float64]
BAND, LEAST_HEIGHT = 24.0, 72.0  # pixels for each column, and for few of them
LABEL_ROOM = 1.18  # of the longest bar: room for the number at its end


def feature_importance(  # noqa: PLR0913 -- settings by name
    model: TreeEstimator,
    X: Any = None,
    y: Any = None,
    *,
    max_columns: int = 20,
    n_shuffles: int = 10,
    random_state: int | None = 0,
) -> Picture:
    """How much each column of a tree matters.

    The first panel has each column's share of the impurity that all splits take away from the
    training rows. It flatters columns with many values, and tells nothing of new rows. Where rows
    are given, best ones that the model was not fitted to, a second panel shows what the model's
    score, accuracy or R squared, loses when the values of a column are shuffled among them: the
    mean, and whiskers of one standard deviation of the shuffles.

    Parameters
    ----------
    model
        A fitted tree estimator.
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
    importances = model.feature_importances_
    order = np.argsort(-importances, kind="stable")
    names = [str(model.schema_.columns[at].name) for at in order]
    data: dict[str, Any] = {"columns": names, "importances": importances[order]}
    panels = [share_panel(names, importances[order], max_columns)]
    if X is not None or y is not None:
        table = rows_of(X, y)
        losses = shuffled_losses(model, table, y, Shuffles(n_shuffles, random_state))[order]
        data |= {"losses": losses.mean(axis=1), "spreads": losses.std(axis=1)}
        panels.append(loss_panel(model, names, data, max_columns))
    return figure(
        [panels],
        title="Which columns matter",
        note="Shares are those of the tree behind the rules." if model.answers_by_rules else "",
        summary=f"importance of {counted(len(names), 'column')}",
        data=data,
    )


def check(model: TreeEstimator, max_columns: int, n_shuffles: int) -> None:
    """Raise unless there is a fitted tree and the settings make sense."""
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"a {type(model).__name__} has no importances", hint="give a fitted tree estimator"
        )
    model._fitted_tree()
    for name, value in (("max_columns", max_columns), ("n_shuffles", n_shuffles)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ParameterError(f"{name} is {value!r}", hint="use a whole number from 1 on")


def rows_of(X: Any, y: Any) -> Table:
    """The rows to shuffle."""
    if X is None or y is None:
        raise DataError(
            "shuffling needs both X and y", hint="feature_importance(model, X_test, y_test)"
        )
    return table_from(X)


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


def loss_panel(
    model: TreeEstimator, names: Sequence[str], data: Mapping[str, Any], most: int
) -> Panel:
    """Bars of the mean losses, in the order of the first panel."""
    means, spreads = data["losses"][:most][::-1], data["spreads"][:most][::-1]
    positions: Sequence[float] = range(len(means))
    lows, highs = means - spreads, means + spreads
    if left_out := len(names) > most:  # an empty band keeps both panels in line
        positions = range(1, len(means) + 1)
        means = np.concatenate([[0.0], means])
    shown = [shown_name(name) for name in names[:most]] + ["others not shown"] * left_out
    score = "accuracy" if model.tree_.classes is not None else "R squared"
    return Panel(
        marks=[
            Bars(means.tolist(), PALETTE[1], is_lying=True),
            Whiskers(positions, lows.tolist(), highs.tolist(), is_lying=True),
            Rule(x=0.0, dashes=()),
        ],
        x=linear_over([*lows, *highs], also=[0.0]),
        y=Bands(tuple(shown[::-1])),
        title="Lost when shuffled",
        x_title=f"{score} lost",
        width=300.0,
        height=height_of(shown),
        grid="x",
    )


def height_of(names: Sequence[str]) -> float:
    return max(BAND * len(names), LEAST_HEIGHT)


@dataclass(frozen=True, slots=True)
class Shuffles:
    """How often each column is shuffled, and from which seed."""

    n: int
    seed: int | None


def shuffled_losses(model: TreeEstimator, table: Table, y: Any, shuffles: Shuffles) -> Floats:
    """(n_columns, n_shuffles): what the score loses; 0 for columns that no node asks for."""
    rng = np.random.default_rng(shuffles.seed)
    whole = model.score(table, y)
    losses = np.zeros((table.n_columns, shuffles.n))
    for feature in sorted(asked_columns(model.tree_)):
        for at in range(shuffles.n):
            columns = list(table.columns)
            columns[feature] = columns[feature].take(rng.permutation(table.n_rows))
            losses[feature, at] = whole - model.score(
                Table(columns, table.n_rows, has_names=table.has_names), y
            )
    return losses


def asked_columns(tree: Tree) -> set[int]:
    """Columns that some node, weighted sum or surrogate asks for."""
    asked = {*tree.feature.tolist(), *tree.surrogate_feature.tolist(), *tree.term_feature.tolist()}
    return {feature for feature in asked if feature >= 0}
