"""Growing on: the trees of the last fit stay, and more join them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.histogram import RowDrawing
from treewright.data.schema import Schema
from treewright.errors import DataError, ParameterError
from treewright.estimators.cautions import warn_user
from treewright.tree.tree import Tree


def trees_to_keep(
    model: Any, schema: Schema, classes: NDArray[Any] | None, n_rows: int
) -> Sequence[Tree]:
    """The trees that the model has, if rows of this kind may give it more."""
    if not (model.warm_start and model.__sklearn_is_fitted__()):
        return ()
    trees: Sequence[Tree] = model.trees_
    if model.n_estimators < len(trees):
        raise ParameterError(
            f"n_estimators={model.n_estimators} is less than the {len(trees)} trees of the model",
            hint="with warm_start=True a forest only grows; use warm_start=False for a new one",
        )
    if model.n_estimators == len(trees):
        warn_user(
            "warm_start=True without a higher n_estimators: the forest keeps the trees it has"
        )
    if schema != model.schema_ or not (classes is None or np.array_equal(classes, model.classes_)):
        raise DataError(
            "warm_start=True, but these rows have other columns, levels or classes than those "
            "that the trees were grown on",
            hint="give the same table, or use warm_start=False",
        )
    if n_rows != model.n_rows_:
        raise DataError(
            f"warm_start=True, but the table has {n_rows} rows and not the {model.n_rows_} that "
            "the trees were grown on",
            hint="give the same table, or use warm_start=False",
        )
    return trees


def check_draws_alike(model: Any, settings: RowDrawing) -> None:
    """Raise where new trees would get their rows otherwise than those that the model has.

    Out-of-bag answers draw the rows of every tree again, and depths of isolation trees are
    compared with what is usual for their number of rows.
    """
    if (settings.drawing.name, settings.n_drawn) != (model.drawing_, model.n_drawn_):
        raise ParameterError(
            "warm_start=True, but `max_samples` or `bootstrap` has changed since the trees were "
            f"grown: {drawing_text(model.drawing_, model.n_drawn_)} then, "
            f"{drawing_text(settings.drawing.name, settings.n_drawn)} now",
            hint="set them back, or use warm_start=False for a new forest",
        )


def drawing_text(drawing: str, n_drawn: int) -> str:
    """How many rows are drawn and how: `40 rows without replacement`."""
    return f"{n_drawn:,} rows {drawing.replace('_', ' ')}" if drawing != "all_rows" else "all rows"
