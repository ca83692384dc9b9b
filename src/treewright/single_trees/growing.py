"""How the estimators of single trees learn: settings, growth, pruning.

An estimator supplies an `Algorithm`: the settings of its growth, and how a grown tree is finished.
`grown_and_pruned` is the rest, for all of them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from threading import Lock
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import SortedColumns
from treewright.arrays import Floats
from treewright.data.column import MISSING, NominalColumn, NumericColumn
from treewright.data.stored_table import table_like
from treewright.data.table import Table
from treewright.data.target import ClassTarget
from treewright.data.weights import are_counts
from treewright.errors import DataError, warn_user
from treewright.estimators.class_costs import class_factors
from treewright.estimators.threads import generator_from, n_threads
from treewright.estimators.training import TrainingRows, class_target, class_totals
from treewright.induction.growth import grow_tree, sorted_columns
from treewright.induction.settings import GrowthSettings
from treewright.param import Param, Parameterized
from treewright.pruning.cross_validation import CrossValidation
from treewright.pruning.method import Method
from treewright.pruning.methods import method_named, prune_tree
from treewright.pruning.report import PruningReport
from treewright.pruning.risk import node_risk
from treewright.pruning.row_loss import (
    PruningRows,
    class_loss,
    exponent_of,
    number_loss,
    predictions_of_nodes,
)
from treewright.pruning.validation import stop_by_validation
from treewright.tree.predict import predict_leaves
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree


def cut_by_validation(
    tree: Tree, rows: TrainingRows, criterion: object, n_iter_no_change: int
) -> Tree:
    """The tree as far as its splits serve `rows`, which it has not seen."""
    leaves = predict_leaves(tree, tree.schema.encode(rows.table, "missing"))
    if isinstance(rows.target, ClassTarget):
        row_loss = class_loss(tree, rows.target.codes)
    else:
        values = rows.target.values
        row_loss = number_loss(values, criterion, exponent_of(values, tree.value))
    predictions = predictions_of_nodes(tree)

    def loss(some: NDArray[np.intp], nodes: NDArray[np.intp]) -> Floats:
        lost = row_loss(some, predictions[nodes])
        return lost if rows.weights is None else rows.weights[some] * lost

    return stop_by_validation(tree, leaves, loss, n_iter_no_change=n_iter_no_change)


Grow = Callable[[Any, TrainingRows, GrowthSettings, int], Tree]


@runtime_checkable
class FoldJudge(Protocol):
    """A growth function that also judges the folds of a cross-validation, elsewhere."""

    def losses_of_folds(
        self,
        model: Any,
        rows: TrainingRows,
        folds: CrossValidation,
        some: list[int],
        firsts: tuple[int, ...],
    ) -> list[list[Floats]]:
        """What `CrossValidation.losses` returns for some of the folds of the rows."""


Pruning = tuple[str, Mapping[str, Any]]  # method and options

CELLS_WORTH_THREADS = 50_000  # below this a fit takes less time than threads need to wake
LARGEST = 2**31 - 1  # a limit above this is none
SURROGATES_WITH_MISSING = 5
FEWEST_ROWS = {"min_samples_split": 2, "min_samples_leaf": 1}  # however small the share

# By default, a table of fewer rows is not pruned: its tree is small, and ten folds of a few rows
# say nothing about it.
FEWEST_TO_PRUNE_BY = 50

# Of the folds that grow side by side; each has its sorted columns, about 12 bytes a cell.
CELLS_AT_ONCE = 100_000_000

# Beside the options of the method itself, where it needs rows that growth has not seen.
FRACTION = Param(
    "fraction", float, 1 / 3, "fraction of the rows held back for pruning", above=0, below=1
)


class TreeModel(Parameterized, Protocol):
    """An estimator of one tree, as growth and pruning read it."""

    n_jobs: int | None

    @property
    def algorithm(self) -> "Algorithm": ...

    # Parameters of some estimators; each is read only where another one calls for it.
    criterion: Any
    missing: str
    prune: str
    prune_options: Mapping[str, Any] | None
    n_iter_no_change: int
    random_state: Any


def growth_settings(model: TreeModel, rows: TrainingRows, **fixed: Any) -> GrowthSettings:
    """The model's own parameters in plain Python numbers, and what its algorithm has `fixed`."""
    values = {
        param.name: setting(param, getattr(model, param.name), rows, rows.n_counted)
        for param in shared_params(model.__class__)
    }
    if "max_surrogates" in values and model.missing != "surrogate":
        values["max_surrogates"] = 0
    if rows.weights_are_counts:
        values |= {"weights_are_counts": True, "rows_in_table": rows.n_counted}
    costs, priors = getattr(model, "costs", None), getattr(model, "priors", None)
    if costs is not None or priors is not None:
        values |= settings_of_costs(model.criterion, costs, priors, rows)
    return GrowthSettings(**(values | fixed))


@cache
def shared_params(kind: Any) -> tuple[Param, ...]:
    """The parameters of an estimator that growth knows by the same name."""
    known = {field.name for field in fields(GrowthSettings)} - {"costs"}
    return tuple(param for param in kind.params if param.name in known)


def setting(param: Param, value: Any, rows: TrainingRows, n_rows: int) -> Any:
    """One parameter as growth takes it: shares of `n_rows` as rows, numbers as Python's own."""
    if param.type is float and value is not None:
        return float(value)
    if param.type is not int or value is None:
        return value
    if value == "auto":
        return SURROGATES_WITH_MISSING if rows.has_missing else 0
    if param.share and value < 1:
        return max(FEWEST_ROWS[param.name], math.ceil(value * n_rows))
    return int(min(value, LARGEST))


def settings_of_costs(
    criterion: Any, costs: Any, priors: Any, rows: TrainingRows
) -> dict[str, Any]:
    """What costs and priors multiply class weights by, in splits and in leaves."""
    totals = class_totals(rows)
    assert totals is not None
    target = class_target(rows)
    factors = class_factors(costs, priors, totals, target.classes)
    # The notes' cost-weighted Gini has the costs in its formula, the others in the priors.
    in_split = factors.leaf if criterion == "cost_gini" else factors.split
    in_leaf = np.ones(target.n_classes) if factors.leaf is None else factors.leaf
    return {"costs": factors.costs, "class_factor": in_split, "leaf_factor": in_leaf}


def grow_by_settings(
    model: TreeModel, rows: TrainingRows, settings: GrowthSettings, threads: int
) -> Tree:
    """The tree that most algorithms grow: the one that their settings describe."""
    return grow_tree(rows.table, rows.target, rows.weights, settings, threads)


def as_grown(model: TreeModel, tree: Tree) -> Tree:
    """A tree that nothing is done to."""
    return tree


def pruning_asked(model: TreeModel) -> Pruning | None:
    """The pruning that the parameters `prune` and `prune_options` ask for."""
    return (model.prune, model.prune_options or {}) if getattr(model, "prune", None) else None


def no_options(model: TreeModel, method: str) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What makes one estimator of trees differ from the others; the functions take the model."""

    settings: Callable[[Any, TrainingRows], GrowthSettings] = growth_settings
    finish: Callable[[Any, Tree], Tree] = as_grown
    grow: Grow = grow_by_settings
    pruning: Callable[[Any], Pruning | None] = pruning_asked
    # Options of a pruning method that the model's own parameters settle, unless given.
    settled_options: Callable[[Any, str], Mapping[str, Any]] = no_options


@dataclass(frozen=True, slots=True)
class PruningPlan:
    """What `fit` is to do after growth."""

    method: Method
    options: Mapping[str, Any]
    fraction: float | None  # of the rows to hold back; None: none


def pruning_plan(model: TreeModel) -> PruningPlan | None:
    """What the parameters of the model ask for, checked."""
    asked = model.algorithm.pruning(model)
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
    model: TreeModel, rows: TrainingRows, grow: Grow | None = None
) -> tuple[Tree, PruningReport | None]:
    """The tree for these rows: grown, and pruned if the model's parameters say so.

    With `grow`, trees come from there: fits with many settings share what is grown.
    """
    plan = pruning_plan(model)
    is_default = getattr(model, "prune", None) == "auto"
    if plan is None or (is_default and rows.n_counted < FEWEST_TO_PRUNE_BY):
        return grown_tree(model, rows, grow), None
    pruning_by: PruningRows | None = None
    if plan.fraction is not None:
        generator = generator_from(getattr(model, "random_state", 0))
        rows, held_back = rows.split_off(plan.fraction, generator, setting="fraction")
        pruning_by = as_pruning_rows(held_back)
    elif plan.method.needs(plan.options) == "training rows":
        in_order = SortedOnce(model, rows)
        pruning_by = rows_to_regrow(model, rows, in_order)
        if isinstance(grow, FoldJudge) and can_regrow_elsewhere(model):
            judge = partial(grow.losses_of_folds, model, rows)
            pruning_by = replace(pruning_by, folds_elsewhere=judge)
        if grow is None and plan.method.name == "cost_complexity" and grows_by_settings(model):
            grow = in_order.grow  # folds need the columns in order, too
    tree = grown_tree(model, rows, grow)
    try:
        pruned = prune_tree(tree, plan.method, pruning_by, plan.options)
    except DataError as error:
        if not is_default:
            raise
        warn_user(f"the tree is not pruned: {error.args[0]}")
        return tree, None
    return pruned.tree, pruned.report


def grown_tree(model: TreeModel, rows: TrainingRows, grow: Grow | None = None) -> Tree:
    """The tree before pruning: grown, stopped by validation rows if asked for, finished."""
    algorithm: Algorithm = model.algorithm
    threads = growth_threads(model, rows)
    fraction = getattr(model, "validation_fraction", None)
    if fraction is None:
        settings = algorithm.settings(model, rows)
        return algorithm.finish(model, (grow or algorithm.grow)(model, rows, settings, threads))
    rows, held_back = rows.split_off(float(fraction), generator_from(model.random_state))
    settings = algorithm.settings(model, rows)
    if settings.max_leaf_nodes is None:  # any limit makes growth take the best split first
        settings = replace(settings, max_leaf_nodes=LARGEST)
    tree = (grow or algorithm.grow)(model, rows, settings, threads)
    tree = cut_by_validation(tree, held_back, model.criterion, int(model.n_iter_no_change))
    return algorithm.finish(model, tree)


def growth_threads(model: TreeModel, rows: TrainingRows) -> int:
    n_cells = rows.n_rows * rows.table.n_columns
    return n_threads(model.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)


def as_pruning_rows(rows: TrainingRows) -> PruningRows:
    """Rows whose table has the columns and the levels of the tree."""
    return PruningRows(
        table=rows.table,
        codes=rows.target.codes if isinstance(rows.target, ClassTarget) else None,
        values=None if isinstance(rows.target, ClassTarget) else rows.target.values,
        weights=np.ones(rows.n_rows) if rows.weights is None else rows.weights,
    )


def rows_to_regrow(
    model: TreeModel, rows: TrainingRows, in_order: "SortedOnce | None" = None
) -> PruningRows:
    """Training rows plus a function that regrows the tree on a subset of them."""
    in_order = in_order or SortedOnce(model, rows)
    at_once = folds_at_once(model, rows)
    return replace(
        as_pruning_rows(rows),
        criterion=getattr(model, "criterion", None),
        regrow=regrow_from(model, rows, in_order, in_one_thread=at_once > 1),
        stopped=stopped_by_risk if can_stop_afterwards(model, rows) else None,
        ranks_of=in_order.ranks_of if grows_by_settings(model) else None,
        folds_at_once=at_once,
        n_threads=growth_threads(model, rows),
    )


def folds_at_once(model: TreeModel, rows: TrainingRows) -> int:
    """How many trees of folds grow side by side, each in one thread.

    Other ways to grow, and criteria in Python, may not be fit for several threads.
    """
    if not grows_by_settings(model) or callable(getattr(model, "criterion", None)):
        return 1
    n_cells = rows.n_rows * rows.table.n_columns
    return min(growth_threads(model, rows), max(1, CELLS_AT_ONCE // n_cells))


def can_regrow_elsewhere(model: TreeModel) -> bool:
    """Whether folds grow to the same trees whoever grows them, in whatever order."""
    return (
        grows_by_settings(model)
        and not callable(getattr(model, "criterion", None))
        and getattr(model, "validation_fraction", None) is None
    )


def grows_by_settings(model: TreeModel) -> bool:
    """Whether the settings alone say how the model grows."""
    return model.algorithm.grow is grow_by_settings


class SortedOnce:
    """The columns of a table, sorted when the first tree asks for them: for all trees on its rows.

    Methods of pruning that grow no tree never ask.
    """

    def __init__(self, model: TreeModel, rows: TrainingRows) -> None:
        self._table = rows.table
        self._n_threads = growth_threads(model, rows)
        self._columns: SortedColumns | None = None
        self._lock = Lock()  # trees of folds grow side by side

    def columns(self) -> SortedColumns:
        with self._lock:
            if self._columns is None:
                self._columns = sorted_columns(self._table, self._n_threads)
            return self._columns

    def ranks_of(self, column: int) -> NDArray[np.uint64]:
        return np.asarray(self.columns().ranks(column), dtype=np.uint64)

    def grow(
        self, model: TreeModel, rows: TrainingRows, settings: GrowthSettings, n_threads: int
    ) -> Tree:
        """The tree on all rows, as `grow_by_settings` grows it."""
        if rows.table is not self._table:  # validation rows were taken out
            return grow_by_settings(model, rows, settings, n_threads)
        in_order = self.columns()
        return grow_tree(rows.table, rows.target, rows.weights, settings, n_threads, in_order)


def regrow_from(
    model: TreeModel, rows: TrainingRows, in_order: SortedOnce, *, in_one_thread: bool
) -> Callable[[NDArray[np.intp], float | None], Tree]:
    """The function that grows the model's tree, unpruned, on some of the rows.

    Priors are set against the classes of all rows, so that a row weighs the same in every tree.
    The columns are sorted once, for all trees.
    """
    totals = class_totals(rows)
    by_settings = grows_by_settings(model)
    # A category that a node has not seen is asked of surrogates too, a number never.
    complete_numbers = tuple(
        at
        for at, column in enumerate(rows.table.columns)
        if isinstance(column, NumericColumn) and not column.is_missing.any()
    )

    def regrow(positions: NDArray[np.intp], min_risk: float | None = None) -> Tree:
        some = rows.take(positions)
        some = replace(some, table=without_unseen_categories(some.table), class_totals=totals)

        def grow(model: Any, rows: TrainingRows, settings: GrowthSettings, n_threads: int) -> Tree:
            if can_stop_by_risk(settings):
                settings = replace(settings, min_risk=min_risk)
            settings = replace(settings, n_competitors=0)
            if settings.max_surrogates:
                settings = replace(settings, without_surrogates=complete_numbers)
            if in_one_thread:
                n_threads = 1
            if not by_settings or rows.table is not some.table:  # validation rows were taken out
                algorithm: Algorithm = model.algorithm
                return algorithm.grow(model, rows, settings, n_threads)
            taken = in_order.columns().take(positions)
            return grow_tree(rows.table, rows.target, rows.weights, settings, n_threads, taken)

        return grown_tree(model, some, grow)

    return regrow


def can_stop_by_risk(settings: GrowthSettings) -> bool:
    """Whether growth may stop at a node because its risk is low, without affecting other nodes.

    Not with costs or priors, which change what an error counts, and not where the number of leaves
    or splits is limited: there, a node that is not split makes room for others.
    """
    return (
        settings.costs is None
        and settings.factor_in_leaves is None
        and settings.max_leaf_nodes is None
        and settings.max_splits is None
    )


def can_stop_afterwards(model: TreeModel, rows: TrainingRows) -> bool:
    """Whether `stopped_by_risk` leaves exactly what growth would: risks are integers."""
    algorithm = model.algorithm
    stays_as_grown = algorithm.finish is as_grown or getattr(model, "cp", 0) is None
    return (
        grows_by_settings(model)
        and stays_as_grown
        and isinstance(rows.target, ClassTarget)
        and are_counts(rows.weights)
        and getattr(model, "validation_fraction", None) is None
        and can_stop_by_risk(algorithm.settings(model, rows))
    )


def stopped_by_risk(tree: Tree, min_risk: float | None) -> Tree:
    """The part of a tree that growth with `min_risk` would have made."""
    if min_risk is None:
        return tree
    return make_leaves(tree, node_risk(tree) <= min_risk * tree.weight[0], "pruned")


def without_unseen_categories(table: Table) -> Table:
    """The table with categories unseen in training as missing values."""
    if table.matrix is not None:
        return table
    columns = [
        replace(column, codes=np.maximum(column.codes, MISSING))
        if isinstance(column, NominalColumn)
        else column
        for column in table.columns
    ]
    return table_like(table, columns)
