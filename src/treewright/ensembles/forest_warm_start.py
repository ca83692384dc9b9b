"""Growing on: the trees of the last fit stay, and more join them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.errors import DataError, ParameterError
from treewright.models.cautions import warn_user
from treewright.models.training import TrainingRows
from treewright.tree.tree import Tree


def trees_to_keep(model: Any, rows: TrainingRows) -> Sequence[Tree]:
    """The trees that the model has, if these rows may give it more."""
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
    classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
    if Schema.of(rows.table) != model.schema_ or not (
        classes is None or np.array_equal(classes, model.classes_)
    ):
        raise DataError(
            "warm_start=True, but these rows have other columns, levels or classes than those "
            "that the trees were grown on",
            hint="give the same table, or use warm_start=False",
        )
    return trees
