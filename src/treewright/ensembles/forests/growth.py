"""Growing the trees of a forest: on bins, or one by one by other algorithms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from treewright._kernels.learners import (
    BinnedTable,
    ForestSettings,
    PackedTrees,
    RowDrawing,
    draw_rows,
    grow_forest,
)
from treewright.cached import cached_property
from treewright.data.scanned_table import ScannedTable
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.ensembles.forests.settings import DrawingEnsemble, ForestModel
from treewright.ensembles.packed import PackedTreeSequence, binned, check_same_columns
from treewright.errors import DataError, ParameterError, nearest
from treewright.estimators.training import TrainingRows, warn_user
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.param import Parameterized
from treewright.single_trees.as_tree import tree_of
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.c45 import C45Classifier
from treewright.single_trees.cart import CARTClassifier, CARTRegressor
from treewright.single_trees.general import TreeClassifier, TreeRegressor
from treewright.single_trees.id3 import ID3Classifier
from treewright.tree.tree import Tree

CLASS_INDUCTORS = {
    "id3": ID3Classifier,
    "c45": C45Classifier,
    "cart": CARTClassifier,
    "tree": TreeClassifier,
}
NUMBER_INDUCTORS = {"cart": CARTRegressor, "tree": TreeRegressor}


GROWTH = (
    "criterion",
    "max_features",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_gain",
    "splits",
    "min_level_rows",
    "max_bins",
)


ONLY_ON_BINS = ("min_level_rows", "max_bins")
READ_BY_THE_FOREST = ("categorical_features", "handle_unknown", "shrinkage")  # of an inductor


def check_exact_growth(model: Parameterized) -> None:
    """Raise for settings of bins where trees try every value."""
    where, hint = 'splits="exact"', 'leave it out, or use splits="histogram"'
    refuse_settings(model, ONLY_ON_BINS, where, hint)


def check_growth_is_left_to_inductors(model: Parameterized) -> None:
    """Raise for settings of growth where inductors grow the trees."""
    hint = "give it to the inductors: inductors=[tw.CARTClassifier(max_depth=5), ...]"
    refuse_settings(model, GROWTH, "trees that inductors grow", hint)


def refuse_settings(model: Parameterized, names: Sequence[str], where: str, hint: str) -> None:
    for param in model.params:
        given = getattr(model, param.name)
        if param.name in names and given != param.default:
            raise ParameterError(f"{param.name}={given!r} has no effect on {where}", hint=hint)


def inductors_of(model: ForestModel) -> list[TreeEstimator]:
    """The algorithms that the members of a forest are grown by, in turn."""
    if not len(model.inductors):
        raise ParameterError(
            "inductors=[] names no algorithm", hint='use a list such as ["id3", "c45", "cart"]'
        )
    return [inductor(model, one) for one in model.inductors]


def inductor(model: ForestModel, given: object) -> TreeEstimator:
    """An unfitted tree estimator of the right kind, from itself or its short name."""
    known: Mapping[str, type[TreeEstimator]] = (
        CLASS_INDUCTORS if is_classifier(model) else NUMBER_INDUCTORS
    )
    if isinstance(given, str) and given in known:
        return known[given]()
    if isinstance(given, TreeEstimator) and not given.predicts_by_rules:
        if is_classifier(given) == is_classifier(model):
            check_settings_are_heard(model, given)
            return given
        raise ParameterError(
            f"{type(given).__name__} cannot be a member of a {type(model).__name__}",
            hint="classifiers vote for classes, regressors predict numbers",
        )
    hint = nearest(given, known, "inductors") if isinstance(given, str) else None
    raise ParameterError(
        f"inductors has {given!r}, which is not a tree estimator",
        hint=hint or f"use unfitted models such as tw.CARTClassifier(), or {', '.join(known)}",
    )


def check_settings_are_heard(model: ForestModel, inductor: TreeEstimator) -> None:
    """Raise for settings of an inductor that only the forest decides."""
    for param in inductor.params:
        given = getattr(inductor, param.name)
        # A list or an array was given, whatever it holds.
        plain = isinstance(given, str | float | int)
        is_default = given is param.default or (plain and given == param.default)
        if param.name in READ_BY_THE_FOREST and not is_default:
            raise ParameterError(
                f"{param.name}={given!r} of a {type(inductor).__name__} has no effect in a forest",
                hint=f"give `{param.name}` to the forest, which decides it for all its trees",
            )
    if getattr(inductor, "costs", None) is not None and model.voting == "soft":
        raise ParameterError(
            f"the costs of a {type(inductor).__name__} have no say in a mean of probabilities",
            hint='give `costs` to the forest, or use voting="hard": each tree then votes for the '
            "class that costs least",
        )


def check_in_memory(rows: TrainingRows) -> None:
    """Raise for rows that come in blocks: trees of other algorithms need every value."""
    if isinstance(rows.table, ScannedTable):
        raise ParameterError(
            f'splits="exact" and `inductors` are not available for a scan of {rows.n_rows:,} rows',
            hint='use splits="histogram", or read the rows into memory: fit(*scan.read())',
        )


def grown_members(
    inductors: Sequence[TreeEstimator], rows: TrainingRows, settings: ForestSettings, unseen: str
) -> list[Tree]:
    """The trees that `settings` ask for, by the inductors in turn."""
    rows = replace(rows, keeps_levels=True)  # all trees ask for levels by the same codes
    return [
        replace(
            member(inductors[number % len(inductors)], drawn(rows, settings, number)), unseen=unseen
        )
        for number in range(settings.first_tree, settings.first_tree + settings.n_trees)
    ]


def grown_exactly(
    growth: GrowthSettings, rows: TrainingRows, settings: ForestSettings, n_threads: int
) -> list[Tree]:
    """The trees that `settings` ask for, every value of a column a possible threshold."""
    trees = []
    for number in range(settings.first_tree, settings.first_tree + settings.n_trees):
        some = drawn(rows, settings, number)
        own = replace(growth, seed=settings.seed << 32 | number)
        trees.append(grow_tree(some.table, some.target, some.weights, own, n_threads))
    return trees


def drawn(rows: TrainingRows, settings: ForestSettings, number: int) -> TrainingRows:
    """The rows drawn for a tree; one that is drawn twice weighs twice."""
    times = np.asarray(draw_rows(settings, number, rows.n_rows))
    some = rows.take(np.flatnonzero(times))
    counts = times[times > 0]
    return some if (counts == 1).all() else some.times(counts.astype(np.float64))


def member(inductor: TreeEstimator, rows: TrainingRows) -> Tree:
    """A tree that predicts as the inductor does once it has learned these rows.

    CART does not prune by default here: a forest is better with large trees.
    """
    model: TreeEstimator = clone(inductor)
    if getattr(model, "prune", None) == "auto":
        model.set_params(prune=None)
    model.check_params()
    return tree_of(model.with_state(model.learn(model.weighted_rows(rows))))


def grown_here(task: "ForestTask") -> PackedTrees:
    """The trees that a task asks for, on bins, by this process."""
    target, n_classes = target_of(task.rows)
    settings = task.settings
    return grow_forest(task.table, target, task.rows.weights, n_classes, settings, task.n_threads)


def target_of(rows: TrainingRows) -> tuple[NDArray[Any], int]:
    """The target as growth reads it, and the number of classes; 0 for numbers."""
    if isinstance(rows.target, ClassTarget):
        return rows.target.codes, len(rows.target.classes)
    return rows.target.values, 0


@dataclass(frozen=True)
class ForestTask:
    """All that the growth of a forest depends on; threads change only the time."""

    rows: TrainingRows
    settings: ForestSettings
    max_bins: int
    unseen: str
    n_threads: int
    inductors: Sequence[TreeEstimator] = ()  # that grow the trees in turn
    exact: GrowthSettings | None = None  # how to grow them on every value; None: on bins
    kept: Sequence[Tree] = ()  # trees of an earlier fit
    grow: Callable[["ForestTask"], PackedTrees] = grown_here  # trees on bins

    @property
    def grows_on_bins(self) -> bool:
        return not self.inductors and self.exact is None

    @cached_property
    def table(self) -> BinnedTable:
        """The rows in bins: those of the trees that are kept."""
        rows = self.rows
        return binned(
            rows.table,
            rows.weights,
            max_bins=self.max_bins,
            n_threads=self.n_threads,
            like=self.kept.packed if isinstance(self.kept, PackedTreeSequence) else None,
        )

    def grown(self) -> Sequence[Tree]:
        """The trees that are kept, and those that the settings ask for."""
        kept = self.kept
        if self.settings.n_trees == 0:
            return kept
        if self.inductors:
            members = grown_members(self.inductors, self.rows, self.settings, self.unseen)
            return (*kept, *members)
        if self.exact is not None:
            return (*kept, *grown_exactly(self.exact, self.rows, self.settings, self.n_threads))
        more = self._grown_on_bins()
        if isinstance(kept, PackedTreeSequence):  # both are left as they were
            every = kept.packed.head(len(kept))
            every.append(more.packed)
            return PackedTreeSequence(every, more.schema, more.classes, more.unseen)
        return (*kept, *more) if len(kept) else more

    def _grown_on_bins(self) -> PackedTreeSequence:
        target = self.rows.target
        classes = target.classes if isinstance(target, ClassTarget) else None
        schema = Schema.of(self.rows.table, target.format)
        return PackedTreeSequence(self.grow(self), schema, classes, self.unseen)


def trees_to_keep(
    model: DrawingEnsemble, schema: Schema, classes: NDArray[Any] | None, n_rows: int
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
    check_same_columns(model, schema, classes)
    if n_rows != model.n_rows_:
        raise DataError(
            f"warm_start=True, but the table has {n_rows} rows and not the {model.n_rows_} that "
            "the trees were grown on",
            hint="give the same table, or use warm_start=False",
        )
    return trees


def check_draws_alike(model: DrawingEnsemble, settings: RowDrawing) -> None:
    """Raise where new trees would get their rows otherwise than those that the model has.

    Out-of-bag predictions draw the rows of every tree again, and depths of isolation trees are
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
