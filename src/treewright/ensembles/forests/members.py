"""Trees of a forest that other algorithms grow, one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from treewright._kernels.histogram import ForestSettings, draw_rows
from treewright.errors import ParameterError, nearest
from treewright.estimators.training import TrainingRows
from treewright.induction.growth import grow_tree
from treewright.induction.settings import GrowthSettings
from treewright.models.answering import answering_tree
from treewright.models.base import TreeEstimator
from treewright.models.c45 import C45Classifier
from treewright.models.cart import CARTClassifier, CARTRegressor
from treewright.models.general import TreeClassifier, TreeRegressor
from treewright.models.id3 import ID3Classifier
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
READ_BY_THE_FOREST = ("categorical_features", "unseen")  # of an inductor


def check_exact_growth(model: Any) -> None:
    """Raise where trees on every value are told how to make bins."""
    for param in model.params:
        given = getattr(model, param.name)
        if param.name in ONLY_ON_BINS and given != param.default:
            raise ParameterError(
                f'{param.name}={given!r} has no effect on splits="exact"',
                hint='leave it out, or use splits="histogram"',
            )


def check_growth_is_left_to_inductors(model: Any) -> None:
    """Raise where the forest is told how to grow trees that its inductors grow."""
    for param in model.params:
        given = getattr(model, param.name)
        if param.name in GROWTH and given != param.default:
            raise ParameterError(
                f"{param.name}={given!r} has no effect on trees that inductors grow",
                hint="give it to the inductors: inductors=[tw.CARTClassifier(max_depth=5), ...]",
            )


def inductors_of(model: Any) -> list[TreeEstimator]:
    """The algorithms that the members of a forest are grown by, in turn."""
    if not len(model.inductors):
        raise ParameterError(
            "inductors=[] names no algorithm", hint='use a list such as ["id3", "c45", "cart"]'
        )
    return [inductor(model, one) for one in model.inductors]


def inductor(model: Any, given: object) -> TreeEstimator:
    """An unfitted tree estimator of the right kind, from itself or its short name."""
    known: Mapping[str, type[TreeEstimator]] = (
        CLASS_INDUCTORS if is_classifier(model) else NUMBER_INDUCTORS
    )
    if isinstance(given, str) and given in known:
        return known[given]()
    if isinstance(given, TreeEstimator) and not given.answers_by_rules:
        if is_classifier(given) == is_classifier(model):
            check_settings_are_heard(model, given)
            return given
        raise ParameterError(
            f"{type(given).__name__} cannot be a member of a {type(model).__name__}",
            hint="classifiers vote for classes, regressors answer with numbers",
        )
    hint = nearest(given, known, "inductors") if isinstance(given, str) else None
    raise ParameterError(
        f"inductors has {given!r}, which is not a tree estimator",
        hint=hint or f"use unfitted models such as tw.CARTClassifier(), or {', '.join(known)}",
    )


def check_settings_are_heard(model: Any, inductor: TreeEstimator) -> None:
    """Raise where an inductor is told what only the forest decides."""
    for param in inductor.params:
        given = getattr(inductor, param.name)
        if param.name in READ_BY_THE_FOREST and not is_default(given, param.default):
            raise ParameterError(
                f"{param.name}={given!r} of a {type(inductor).__name__} has no effect in a forest",
                hint=f"give `{param.name}` to the forest, which reads the rows for all its trees",
            )
    if getattr(inductor, "costs", None) is not None and model.voting == "soft":
        raise ParameterError(
            f"the costs of a {type(inductor).__name__} have no say in a mean of probabilities",
            hint='use voting="hard": each tree then votes for the class that costs least',
        )


def is_default(given: object, default: object) -> bool:
    """Whether a parameter was left as it is; one that is a list or array was not."""
    return given is default or (isinstance(given, str) and given == default)


def grown_members(
    inductors: Sequence[TreeEstimator], rows: TrainingRows, settings: ForestSettings, unseen: str
) -> list[Tree]:
    """The trees that `settings` ask for, by the inductors in turn."""
    rows = replace(rows, keeps_levels=True)  # all trees ask for levels by the same codes
    return [
        replace(
            member(inductors[number % len(inductors)], drawn(rows, settings, number)),
            unseen=unseen,
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
    """A tree that answers as the inductor does once it has learnt these rows."""
    model: TreeEstimator = clone(inductor)
    model._check_params()
    return answering_tree(model.with_state(model._learn(model._weighted(rows))))
