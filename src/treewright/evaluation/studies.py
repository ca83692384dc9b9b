"""Studies of lecture notes, one call each: scales and node sizes, policies for missing values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.data.sources import table_from
from treewright.data.target import encode_classes
from treewright.errors import ParameterError
from treewright.evaluation.as_text import TITLES, lined_up, with_spread
from treewright.evaluation.compare import difference_of, named
from treewright.evaluation.evaluate import Protocol, evaluated
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Progress
from treewright.evaluation.prepared import PreparedModel
from treewright.evaluation.resampled import Comparison
from treewright.evaluation.rows import rows_for

SCALINGS = ("none", "unit", "standard")
FILLED = "filled in advance"  # the policy beside those of the tree


@dataclass(frozen=True, slots=True, eq=False)
class ScalingStudy:
    """A measure for each value of a setting (lines) and each scaling (columns)."""

    setting: str
    values: tuple[Any, ...]
    scalings: tuple[str, ...]
    measure: str
    evaluations: Mapping[tuple[Any, str], Evaluation]

    def n_changed(self, value: Any, scaling: str) -> int:
        """Held-out rows that are answered otherwise than without scaling, over all repeats."""
        plain = self.evaluations[value, self.scalings[0]].predictions
        return int((self.evaluations[value, scaling].predictions != plain).sum())

    def __str__(self) -> str:
        rows = []
        for value in self.values:
            cells = []
            for scaling in self.scalings:
                found = self.evaluations[value, scaling]
                changed = self.n_changed(value, scaling)
                cells.append(
                    with_spread(found.mean(self.measure), found.deviation(self.measure))
                    + (f" ({changed} answers differ)" if changed else "")
                )
            rows.append([f"{value}", *cells])
        any_one = next(iter(self.evaluations.values()))
        title = f"{TITLES.get(self.measure, self.measure)}, {any_one.scheme}"
        return "\n".join([title, "", *lined_up([self.setting, *self.scalings], rows)])


def scaling_study(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    setting: str = "min_samples_leaf",
    values: Sequence[Any] = (6, 3, 2),
    scalings: Sequence[str] = SCALINGS,
    measure: str | None = None,
    folds: Any = 10,
    repeats: int = 1,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ScalingStudy:
    """Does scaling matter to a tree? Node sizes against raw, [0, 1] and standardised columns.

    Scales are learnt inside each split. A tree asks only whether a value is above a threshold, so
    its answers stay the same, but for a value that lies on a threshold to the last digit.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> study = tw.scaling_study(tw.CARTClassifier(), X, y, values=(6, 2), folds=5)
    >>> study.n_changed(6, "standard")
    0
    """
    rows = rows_for([model], X, y, sample_weight)
    protocol = Protocol(folds=folds, repeats=repeats, random_state=random_state)
    found = {}
    for value in values:
        for scaling in scalings:
            changed = clone(model).set_params(**{setting: value})
            found[value, scaling] = evaluated(
                PreparedModel(changed, scaling), rows, protocol, name=scaling, n_jobs=n_jobs
            )
            if progress is not None:
                progress(len(found), len(values) * len(scalings))
    measure = measure or ("rmse" if rows.classes is None else "accuracy")
    return ScalingStudy(setting, tuple(values), tuple(scalings), measure, found)


@dataclass(frozen=True, slots=True, eq=False)
class MissingMap:
    """Share of missing values by column and class."""

    columns: tuple[str, ...]
    classes: tuple[Any, ...]
    shares: NDArray[np.float64]  # (n_columns, n_classes)
    overall: NDArray[np.float64]  # (n_columns,)

    def __str__(self) -> str:
        rows = [
            [name, f"{self.overall[at]:.1%}", *(f"{share:.1%}" for share in self.shares[at])]
            for at, name in enumerate(self.columns)
            if self.overall[at] > 0
        ]
        if not rows:
            return "no value is missing"
        return "\n".join(lined_up(["missing", "all rows", *map(str, self.classes)], rows))


def missing_map(X: Any, y: Any) -> MissingMap:
    """How much of each column is missing, in all rows and in each class.

    >>> print(missing_map({"a": [1.0, None, 3.0, 4.0]}, ["x", "x", "y", "y"]))
    missing  all rows      x     y
    a           25.0%  50.0%  0.0%
    """
    table = table_from(X)
    target = encode_classes(y, n_rows=table.n_rows)
    is_missing = np.array([column.is_missing for column in table.columns])
    by_class = np.array(
        [is_missing[:, target.codes == code].mean(axis=1) for code in range(target.n_classes)]
    )
    classes = tuple(np.asarray(target.classes).tolist())
    return MissingMap(table.names, classes, by_class.T, is_missing.mean(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class MissingStudy:
    """What each policy for missing values does to each class."""

    evaluations: Mapping[str, Evaluation]
    missing: MissingMap

    def compared(self, first: str, second: str, measure: str = "accuracy") -> Comparison:
        """Two policies against each other."""
        return difference_of(self.evaluations[first], self.evaluations[second], measure)

    def __str__(self) -> str:
        any_one = next(iter(self.evaluations.values()))
        labels = [str(label) for label in any_one.classes or ()]
        rows = []
        for name, found in self.evaluations.items():
            by_class = [one["sensitivity"] for one in found.class_table().values()]
            rows.append(
                [
                    name,
                    with_spread(found.mean("accuracy"), found.deviation("accuracy")),
                    *(with_spread(*one) for one in by_class),
                    f"{found.mean_leaves:.1f}",
                ]
            )
        lines = [str(self.missing), "", f"sensitivity by class, {any_one.scheme}", ""]
        return "\n".join([*lines, *lined_up(["policy", "accuracy", *labels, "leaves"], rows)])


def missing_study(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    policies: Sequence[str] | None = None,
    folds: Any = 10,
    repeats: int = 1,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> MissingStudy:
    """Compare policies for missing values, and filling holes in advance by mean and mode.

    `policies` are values of the model's parameter `missing`; None takes all. Filling is learnt
    inside each split.

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"a": [1.0, None, 3.0, 4.0] * 5, "b": ["u", "v", None, "v"] * 5}
    >>> study = tw.missing_study(tw.TreeClassifier(), X, ["x", "x", "y", "y"] * 5, folds=5)
    >>> list(study.evaluations)[-1]
    'filled in advance'
    """
    declared = {param.name: param for param in model.params}
    if "missing" not in declared:
        raise ParameterError(f"{type(model).__name__} has no policy for missing values")
    rows = rows_for([model], X, y, sample_weight)
    if rows.classes is None:
        raise ParameterError("the study counts classes, and numbers are predicted here")
    wanted = declared["missing"].choices if policies is None else tuple(policies)
    models = {name: clone(model).set_params(missing=name) for name in wanted}
    models[FILLED] = PreparedModel(model, "filled")
    protocol = Protocol(folds=folds, repeats=repeats, random_state=random_state)
    found = {}
    for name, one in named(models).items():
        found[name] = evaluated(one, rows, protocol, name=name, n_jobs=n_jobs)
        if progress is not None:
            progress(len(found), len(models))
    return MissingStudy(found, missing_map(rows.X, y))
