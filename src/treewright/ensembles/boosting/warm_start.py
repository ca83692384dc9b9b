"""Growing on: the rounds of the last fit stay, and more follow."""

from typing import Any

import numpy as np

from treewright._kernels.histogram import PackedTrees
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.errors import DataError, ParameterError
from treewright.estimators.cautions import warn_user
from treewright.estimators.training import TrainingRows


def rounds_to_keep(model: Any, rows: TrainingRows) -> PackedTrees | None:
    """The trees that the model has, if these rows may give it more; None to begin anew."""
    if not (model.warm_start and model.__sklearn_is_fitted__()):
        return None
    n_rounds = model.n_estimators_
    if model.n_estimators < n_rounds:
        raise ParameterError(
            f"n_estimators={model.n_estimators} is less than the {n_rounds} rounds of the model",
            hint="with warm_start=True a model only grows; use warm_start=False for a new one",
        )
    if model.n_estimators == n_rounds:
        warn_user(
            "warm_start=True without a higher n_estimators: the model keeps the rounds it has"
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
    check_scores_mean_the_same(model, rows)
    trees: PackedTrees = model.trees_.packed
    return trees


def check_scores_mean_the_same(model: Any, rows: TrainingRows) -> None:
    """Raise if the trees add up to something that the loss of now does not ask for."""
    link = model._link_of(model._loss_for(rows))
    if link != model.link_:
        raise ParameterError(
            f"warm_start=True, but the trees add up to scores by the link `{model.link_}`, and the "
            f"loss asks for the link `{link}`",
            hint="grow on with the loss that the model began with, or use warm_start=False",
        )
