"""Fitting one model with many settings to the same rows, growing no tree twice.

Settings that act on a grown tree (depth, pruning, class shares) share one growth: the tree for the
greatest depth is grown once, and a smaller depth is what is left of it above.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.induction.settings import GrowthSettings
from treewright.models.base import TreeEstimator
from treewright.models.training import TrainingRows, read_training_rows
from treewright.tree.tree import Tree

Grow = Callable[[GrowthSettings], Tree]


@dataclass(slots=True, eq=False)
class GrownTrees:
    """Trees that were grown already, by the rows and the settings other than the depth."""

    greatest_depth: int | None  # that any of the models asks for; None: without limit
    _trees: dict[Any, Tree] = field(default_factory=dict)
    _tables: list[Any] = field(default_factory=list)  # kept, so that no other has their identity

    def tree(self, rows: TrainingRows, settings: GrowthSettings, grow: Grow) -> Tree:
        """The tree by these settings: cut from one that is there, or grown."""
        if not shares_growth(settings):
            return grow(settings)
        key = (key_of_rows(rows), key_of(settings))
        if key not in self._trees:
            self._tables.append((rows.table, rows.target))
            self._trees[key] = grow(replace(settings, max_depth=self.greatest_depth))
        tree = self._trees[key]
        depth = settings.max_depth
        return tree if depth is None or depth >= tree.depth else tree.to_depth(depth)


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
    """Copies of a model with other settings, each fitted as `fit` would.

    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> models = fit_many(tw.CARTClassifier(), [{"max_depth": d} for d in (1, 2, 3)], X, y)
    >>> [one.get_n_leaves() for one in models]
    [2, 3, 5]
    """
    settings = list(candidates)
    rows = read_training_rows(
        X,
        y,
        sample_weight,
        encode=type(model)._encode_target,
        categorical_features=model.categorical_features,
    )
    copies = [clone(model).set_params(**given) for given in settings]
    depths = [getattr(copy, "max_depth", None) for copy in copies]
    limits = [depth for depth in depths if depth is not None]
    grown = GrownTrees(max(limits) if limits and len(limits) == len(depths) else None)
    for copy in copies:
        if copy.categorical_features is not model.categorical_features:
            yield copy.fit(X, y, sample_weight)
            continue
        copy._grown = grown
        try:
            copy._check_params()
            copy._take_on(copy._learn(copy._weighted(rows)))
        finally:
            del copy._grown
        yield copy
