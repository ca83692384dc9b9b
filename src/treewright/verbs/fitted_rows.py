"""The rows that a tree was grown on, from the training rows of its model."""

from numbers import Integral
from typing import Any

import numpy as np

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec
from treewright.data.table import Table
from treewright.data.target import ClassTarget, NumericTarget
from treewright.errors import DataError
from treewright.estimators.threads import generator_from
from treewright.estimators.training import Target, TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.growing import FRACTION, pruning_plan
from treewright.verbs.prune import encoded_rows
from treewright.worksheets.place import Place
from treewright.worksheets.training import Training, check_agreement


def training_of(model: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> Training:
    """The training rows, encoded for the tree, and the growth settings."""
    if X is None or y is None:
        raise DataError("the training rows are X and y, both", hint="give X and y, or neither")
    given = encoded_rows(model, X, y, sample_weight)
    rows = rows_grown_on(model, given)
    target = rows.target
    training = Training(
        table=rows.table,
        codes=target.codes if isinstance(target, ClassTarget) else None,
        values=None if isinstance(target, ClassTarget) else target.values,
        n_classes=target.n_classes if isinstance(target, ClassTarget) else 0,
        weights=np.ones(rows.n_rows) if rows.weights is None else rows.weights,
        settings=model.algorithm.settings(model, rows),
        notes=notes_on(given, rows),
        schema=model.tree_.schema,
    )
    check_agreement(model.tree_, 0, Place(training, training.all_rows).group(""))
    return training


def settings_of(model: TreeEstimator) -> GrowthSettings:
    """The growth settings that do not depend on the rows."""
    tree = model.tree_
    no_rows = tuple(_empty(spec) for spec in tree.schema.columns)
    target: Target = NumericTarget(np.zeros(0))
    totals = None
    if tree.classes is not None:
        classes = model.state_.classes
        assert classes is not None
        target, totals = ClassTarget(np.zeros(0, dtype=np.int32), classes), tree.value[0]
    rows = TrainingRows(Table(no_rows, 0, has_names=tree.schema.has_names), target, None, totals)
    return model.algorithm.settings(model, rows)


def _empty(spec: ColumnSpec) -> Column:
    """A column of this kind without rows."""
    if spec.is_numeric:
        return NumericColumn(spec.name, np.zeros(0), spec.unit)
    codes = np.zeros(0, dtype=np.int32)
    return NominalColumn(spec.name, codes, spec.levels, ordered=spec.kind == "ordered")


def rows_grown_on(model: TreeEstimator, rows: TrainingRows) -> TrainingRows:
    """The rows without those that `fit` held out, chosen again by the seed of the model."""
    if rows.n_rows == model.tree_.n_rows[0]:
        return rows
    for setting, fraction in held_back(model):
        seed = getattr(model, "random_state", 0)
        if not isinstance(seed, Integral):
            raise DataError(
                f"the tree was grown on {model.tree_.n_rows[0]} of the {rows.n_rows} rows, and "
                f"with random_state={seed!r} these cannot be chosen again",
                hint="fit with an integer random_state, or give the rows that growth used",
            )
        rows, _ = rows.split_off(fraction, generator_from(seed), setting=setting)
    return rows


def held_back(model: TreeEstimator) -> list[tuple[str, float]]:
    """The shares of the rows that `fit` holds out, in order, and the settings for them."""
    shares = []
    plan = pruning_plan(model)
    if plan is not None and plan.fraction is not None:
        shares.append((FRACTION.name, plan.fraction))
    validation_fraction = getattr(model, "validation_fraction", None)
    if validation_fraction is not None:
        shares.append(("validation_fraction", float(validation_fraction)))
    return shares


def notes_on(given: TrainingRows, rows: TrainingRows) -> tuple[str, ...]:
    """A note if some rows were held out."""
    n_held = given.n_rows - rows.n_rows
    if n_held == 0:
        return ()
    return (
        f"Fitting held out {n_held} of {given.n_rows} rows. The tree was grown on the other "
        f"{rows.n_rows}, and all numbers are about these.",
    )
