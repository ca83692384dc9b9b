"""Pruning as the last step of `fit`: the parameters `prune` and `prune_options`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import MISSING, NominalColumn
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.models.early_stop import generator_from
from treewright.models.training import TrainingRows, class_totals
from treewright.param import Param
from treewright.pruning.method import Method
from treewright.pruning.methods import method_named, prune_tree
from treewright.pruning.rows import PruningRows
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.models.base import TreeEstimator
    from treewright.pruning.report import PruningReport

# Beside the options of the method itself, where it needs rows that growth has not seen.
FRACTION = Param(
    "fraction", float, 1 / 3, "share of the rows held back to prune by", above=0, below=1
)


@dataclass(frozen=True, slots=True)
class PruningPlan:
    """What `fit` is to do after growth."""

    method: Method
    options: Mapping[str, Any]
    fraction: float | None  # of the rows to hold back; None: none


def pruning_plan(model: "TreeEstimator") -> PruningPlan | None:
    """What the parameters of the model ask for, checked."""
    asked = model._pruning()
    if asked is None:
        return None
    method, given = method_named(asked[0]), asked[1]
    own = {name: value for name, value in given.items() if name != FRACTION.name}
    values = method.checked(own)
    method.refuse_idle(getattr(model, "prune_options", None) or (), values)
    if method.needs(values) != "validation rows":
        return PruningPlan(method, method.checked(given), None)
    fraction = given.get(FRACTION.name, FRACTION.default)
    FRACTION.check(fraction)
    return PruningPlan(method, values, float(fraction))


def grown_and_pruned(
    model: "TreeEstimator", rows: TrainingRows
) -> "tuple[Tree, PruningReport | None]":
    """The tree for these rows: grown, and pruned if the model's parameters say so."""
    plan = pruning_plan(model)
    if plan is None:
        return model._tree_for(rows), None
    needs = plan.method.needs(plan.options)
    pruning_by: PruningRows | None = None
    if plan.fraction is not None:
        generator = generator_from(getattr(model, "random_state", 0))
        rows, held_back = rows.split_off(plan.fraction, generator, setting="fraction")
        tree = model._tree_for(rows)
        pruning_by = as_pruning_rows(held_back)
    else:
        tree = model._tree_for(rows)
        if needs == "training rows":
            pruning_by = rows_to_regrow(model, rows)
    pruned = prune_tree(tree, plan.method, pruning_by, plan.options)
    return pruned.tree, pruned.report


def as_pruning_rows(rows: TrainingRows) -> PruningRows:
    """Rows whose table has the columns and the levels of the tree."""
    return PruningRows(
        table=rows.table,
        codes=rows.target.codes if isinstance(rows.target, ClassTarget) else None,
        values=None if isinstance(rows.target, ClassTarget) else rows.target.values,
        weights=np.ones(rows.n_rows) if rows.weights is None else rows.weights,
    )


def rows_to_regrow(model: "TreeEstimator", rows: TrainingRows) -> PruningRows:
    """The rows that a model was fitted to, with the way it grows its tree."""
    criterion = getattr(model, "criterion", None)
    return replace(as_pruning_rows(rows), criterion=criterion, regrow=regrow_from(model, rows))


def regrow_from(model: "TreeEstimator", rows: TrainingRows) -> Callable[[NDArray[np.intp]], Tree]:
    """The function that grows the model's tree, unpruned, on some of the rows.

    Priors are set against the classes of all rows, so that a row weighs the same in every tree.
    """
    totals = class_totals(rows)

    def regrow(positions: NDArray[np.intp]) -> Tree:
        some = rows.take(positions)
        table = without_strangers(some.table)
        return model._tree_for(replace(some, table=table, class_totals=totals))

    return regrow


def without_strangers(table: Table) -> Table:
    """The table with levels that the schema does not know as missing values."""
    if table.matrix is not None:
        return table
    columns = [
        replace(column, codes=np.maximum(column.codes, MISSING))
        if isinstance(column, NominalColumn)
        else column
        for column in table.columns
    ]
    return Table(columns, table.n_rows, has_names=table.has_names)
