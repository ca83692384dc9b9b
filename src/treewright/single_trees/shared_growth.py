"""Fitting one model with many settings to the same rows, doing nothing twice.

The columns are sorted once. Settings that act on a grown tree (depth, pruning, class shares) share
one growth: the tree for the greatest depth is grown once, and a smaller depth is what is left of it
above.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright._kernels.learners import SortedColumns
from treewright.data.table import Table
from treewright.estimators.training import TrainingRows, read_training_rows
from treewright.induction.growth import grow_tree, sorted_columns
from treewright.induction.settings import GrowthSettings
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.growing import grow_by_settings
from treewright.tree.tree import Tree


@dataclass(slots=True, eq=False)
class GrownTrees:
    """Trees that were grown already, by the rows and the settings other than the depth."""

    greatest_depth: int | None  # that any of the models asks for; None: without limit
    _trees: dict[Any, Tree] = field(default_factory=dict)
    # By the identity of a table, which is kept so that no other has it.
    _in_order: dict[int, tuple[Table, SortedColumns]] = field(default_factory=dict)
    _targets: list[Any] = field(default_factory=list)

    def tree(
        self, model: object, rows: TrainingRows, settings: GrowthSettings, n_threads: int
    ) -> Tree:
        """The tree by these settings: cut from one that is there, or grown."""
        if not shares_growth(settings):
            return self._grown(rows, settings, n_threads)
        key = (key_of_rows(rows), key_of(settings))
        if key not in self._trees:
            self._targets.append(rows.target)
            deepest = replace(settings, max_depth=self.greatest_depth)
            self._trees[key] = self._grown(rows, deepest, n_threads)
        tree = self._trees[key]
        depth = settings.max_depth
        return tree if depth is None or depth >= tree.depth else tree.to_depth(depth)

    def _grown(self, rows: TrainingRows, settings: GrowthSettings, n_threads: int) -> Tree:
        table = rows.table
        if id(table) not in self._in_order:
            self._in_order[id(table)] = table, sorted_columns(table, n_threads)
        in_order = self._in_order[id(table)][1]
        return grow_tree(table, rows.target, rows.weights, settings, n_threads, in_order)


def shares_growth(settings: GrowthSettings) -> bool:
    """Whether a smaller depth leaves the upper part of the tree as it is.

    Not where leaves or splits are counted: then a branch that is cut off makes room elsewhere.
    """
    return settings.max_leaf_nodes is None and settings.max_splits is None


def key_of_rows(rows: TrainingRows) -> tuple[Any, ...]:
    weights = None if rows.weights is None else hash(rows.weights.tobytes())
    return id(rows.table), id(rows.target), weights


def key_of(settings: GrowthSettings) -> tuple[Any, ...]:
    """All settings but the depth, so that equal ones are equal."""
    values = [getattr(settings, one.name) for one in fields(settings) if one.name != "max_depth"]
    return tuple(value.tobytes() if isinstance(value, np.ndarray) else value for value in values)


def fit_many(
    model: TreeEstimator,
    candidates: Iterable[Mapping[str, Any]],
    X: Any,
    y: Any,
    sample_weight: Any = None,
) -> Iterator[TreeEstimator]:
    """Copies of a model with other settings, each predicting as after `fit`.

    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> depths = [{"max_depth": depth} for depth in (1, 2, 3)]
    >>> models = fit_many(tw.CARTClassifier(prune=None), depths, X, y)
    >>> [one.get_n_leaves() for one in models]
    [2, 3, 5]
    """
    settings = list(candidates)
    rows = read_training_rows(
        X,
        y,
        sample_weight,
        encode=type(model).encode_target,
        categorical_features=model.categorical_features,
    )
    copies = [clone(model).set_params(**given) for given in settings]
    for copy in copies:
        copy.check_params()
    depths = [getattr(copy, "max_depth", None) for copy in copies]
    limits = [depth for depth in depths if depth is not None]
    grown = GrownTrees(max(limits) if limits and len(limits) == len(depths) else None)
    for copy, given in zip(copies, settings, strict=True):
        if "categorical_features" in given:  # the columns are read otherwise
            yield copy.fit(X, y, sample_weight)
            continue
        shares = copy.algorithm.grow is grow_by_settings
        yield copy.with_state(copy.learn(copy.weighted_rows(rows), grown.tree if shares else None))
