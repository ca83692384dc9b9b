"""tw.scaling_study: does the scale of the columns matter to a model?"""

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from treewright.errors import ParameterError, kind_of, listed, nearest
from treewright.evaluation.evaluate import evaluated_each, judged_by
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Progress
from treewright.evaluation.prepared import PreparedModel
from treewright.evaluation.protocol import Protocol, several
from treewright.evaluation.rows import check_model, rows_for
from treewright.evaluation.scores import TITLES
from treewright.pictures.node_text import counted
from treewright.plain_text import aligned, with_spread
from treewright.protocols import Estimator
from treewright.result import Record, Result

SCALINGS = ("none", "unit", "standard")
IN_WORDS = {"none": "not scaled", "unit": "scaled to [0, 1]", "standard": "standardized"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScalingStudy(Result):
    """A measure for each value of a setting (lines) and each scaling (columns)."""

    setting: str
    values: tuple[Any, ...]
    scalings: tuple[str, ...]
    measure: str
    evaluations: Mapping[tuple[Any, str], Evaluation]

    def n_changed(self, value: Any, scaling: str) -> int:
        """Held-out rows whose prediction differs from the first scaling, over all repeats."""
        first, other = self.evaluations[value, self.scalings[0]], self.evaluations[value, scaling]
        pairs = zip(first.judgments, other.judgments, strict=True)
        return sum(int((one.predicted != two.predicted).sum()) for one, two in pairs)

    def _facts(self) -> Record:
        cells = [
            {
                "value": value,
                "scaling": scaling,
                "mean": found.mean(self.measure),
                "deviation": found.deviation(self.measure),
                "n_changed": self.n_changed(value, scaling),
            }
            for (value, scaling), found in self.evaluations.items()
        ]
        return {"setting": self.setting, "measure": self.measure, "cells": cells}

    def to_text(self) -> str:
        """A table of means, and how many predictions each scaling changes."""
        lines = [[self.setting, *(IN_WORDS.get(scaling, scaling) for scaling in self.scalings)]]
        for value in self.values:
            cells = []
            for scaling in self.scalings:
                found = self.evaluations[value, scaling]
                score = with_spread(found.mean(self.measure), found.deviation(self.measure))
                cells.append(score + difference_in_words(self.n_changed(value, scaling)))
            lines.append([f"{value}", *cells])
        scheme = next(iter(self.evaluations.values())).scheme
        return "\n".join([f"{TITLES[self.measure]}, {scheme}", "", *aligned(lines)])


def difference_in_words(n_changed: int) -> str:
    """How many predictions differ, if any does."""
    if not n_changed:
        return ""
    return f" ({counted(n_changed, 'prediction differs', 'predictions differ')})"


def scaling_study(
    model: Estimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    setting: str | None = None,
    values: Sequence[Any] | None = None,
    scalings: Sequence[str] = SCALINGS,
    measure: str | None = None,
    folds: Any = 10,
    repeats: int = 1,
    hold_out: float | None = None,
    groups: Any = None,
    times: Any = None,
    stratified: bool = True,
    costs: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ScalingStudy:
    """Does scaling matter to a model? One setting against raw, [0, 1] and standardized columns.

    Scales are learned inside each split. A tree asks only whether a value is above a threshold, so
    its predictions stay the same, except for a value that lies on a threshold to the last digit.
    Models that compare distances or descend gradients may change. Any model with scikit-learn's
    interface can be studied.

    Parameters
    ----------
    setting, values
        A setting of the model and the values to try. By default the first of these that the model
        has: `min_samples_leaf` (6, 3, 2), `n_neighbors` (1, 5, 15), `l2` (0, 0.01, 1),
        `alpha` (0.0001, 0.01, 1), `C` (0.1, 1, 10) and `max_depth` (2, 4, 8).
        For another setting give values too.
    scalings
        Of "none", "unit" (0 to 1) and "standard" (mean 0, deviation 1); predictions
        are compared with those of the first.
    measure
        The measure to show; default accuracy, or root mean squared error for numbers.
    X, y, sample_weight, folds, repeats, hold_out, groups, times, stratified, costs
        As for `treewright.evaluate`.
    random_state, n_jobs, progress
        As for `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> study = tw.scaling_study(tw.CARTClassifier(prune=None), X, y, values=(6, 2), folds=5)
    >>> study.n_changed(6, "standard")
    0
    """
    setting, values = what_to_vary(model, setting, values)
    values = hashable(several(values, "values", "(6, 3, 2)"))
    scalings = known_scalings(several(scalings, "scalings", '("none", "unit")'))
    rows = rows_for([PreparedModel(model, "none")], X, y, sample_weight)
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    measure, prices = judged_by(measure, [model], costs, rows)
    models = {
        (value, scaling): PreparedModel(clone(model).set_params(**{setting: value}), scaling)
        for value in values
        for scaling in scalings
    }
    found = evaluated_each(models, rows, protocol, costs=prices, n_jobs=n_jobs, progress=progress)
    return ScalingStudy(setting, values, scalings, measure, found)


# Settings that control the complexity of a model, and the values to try for each.
USUAL_VALUES: dict[str, tuple[Any, ...]] = {
    "min_samples_leaf": (6, 3, 2),
    "n_neighbors": (1, 5, 15),
    "l2": (0.0, 0.01, 1.0),
    "alpha": (0.0001, 0.01, 1.0),
    "C": (0.1, 1.0, 10.0),
    "max_depth": (2, 4, 8),
}


def what_to_vary(
    model: Estimator, setting: str | None, values: Sequence[Any] | None
) -> tuple[str, Sequence[Any]]:
    """The setting to vary and its values: as given, or the first usual one that the model has."""
    check_model(model)
    own = sorted(model.get_params())
    if setting is None:
        setting = next((name for name in USUAL_VALUES if name in own), None)
    if setting is None:
        raise ParameterError(
            f"which setting of {kind_of(model)} should vary?",
            hint=f"give setting= and values=; {listed(own, 'settings')}",
        )
    if setting not in own:
        raise ParameterError(
            f"{kind_of(model)} has no setting `{setting}`", hint=nearest(setting, own, "settings")
        )
    if values is None and setting not in USUAL_VALUES:
        raise ParameterError(
            f"which values of `{setting}` should be tried?",
            hint="give values=, such as values=(6, 3, 2)",
        )
    return setting, USUAL_VALUES[setting] if values is None else values


def hashable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values, if each can stand for its line of the study."""
    try:
        hash(values)
    except TypeError:
        raise ParameterError(
            f"values={reprlib.repr(values)} holds lists", hint="use tuples in their place"
        ) from None
    return values


def known_scalings(names: tuple[Any, ...]) -> tuple[str, ...]:
    """The scalings, if all are known."""
    for name in names:
        if name not in SCALINGS:
            raise ParameterError(
                f"there is no scaling {name!r}", hint=nearest(str(name), SCALINGS, "scalings")
            )
    return names
