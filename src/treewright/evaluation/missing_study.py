"""tw.missing_study: what each policy for missing values does to each class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treewright.data.sources import table_from
from treewright.data.target import encode_classes
from treewright.data.weights import check_weights
from treewright.errors import ParameterError, nearest
from treewright.evaluation.compare import difference_of
from treewright.evaluation.evaluate import evaluated_each, judged_by
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.judging import Progress
from treewright.evaluation.prepared import FILLINGS, PreparedModel
from treewright.evaluation.protocol import Protocol, several
from treewright.evaluation.resampled import Comparison
from treewright.evaluation.rows import rows_for
from treewright.evaluation.scores import TITLES
from treewright.plain_text import aligned, plain, with_spread
from treewright.protocols import Estimator
from treewright.result import Record, Result, records_of

MOST_NUMBERS = 20  # that can still be meant as classes


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MissingMap(Result):
    """Share of missing values by column and class."""

    columns: tuple[str, ...]
    classes: tuple[Any, ...]
    shares: NDArray[np.float64]  # (n_columns, n_classes)
    overall: NDArray[np.float64]  # (n_columns,)

    def _records(self) -> list[dict[str, Any]]:
        by_class = dict(zip(self._labels(), self.shares.T, strict=True))
        return records_of({"column": self.columns, "all rows": self.overall, **by_class})

    def to_text(self) -> str:
        """The columns that have missing values, as a table."""
        rows = [
            [plain(name), f"{self.overall[at]:.1%}", *(f"{share:.1%}" for share in self.shares[at])]
            for at, name in enumerate(self.columns)
            if self.overall[at] > 0
        ]
        if not rows:
            return "no values are missing"
        return "\n".join(aligned([["missing", "all rows", *self._labels()], *rows]))

    def _labels(self) -> list[str]:
        return [plain(str(label)) for label in self.classes]


def missing_map(X: Any, y: Any, sample_weight: Any = None) -> MissingMap:
    """How much of each column is missing, in all rows and in each class.

    >>> print(missing_map({"a": [1.0, None, 3.0, 4.0]}, ["x", "x", "y", "y"]))
    missing  all rows      x     y
    a           25.0%  50.0%  0.0%
    """
    table = table_from(X)
    target = encode_classes(y, n_rows=table.n_rows)
    if np.asarray(target.classes).dtype.kind == "f" and target.n_classes > MOST_NUMBERS:
        raise ParameterError(
            f"y holds {target.n_classes} different numbers, which are not classes",
            hint="cut the numbers into a few parts",
        )
    given = check_weights(sample_weight, table.n_rows)
    weights = np.ones(table.n_rows) if given is None else given
    in_class = np.bincount(target.codes, weights, target.n_classes)
    missing = np.array(
        [
            np.bincount(target.codes, weights * column.is_missing, target.n_classes)
            for column in table.columns
        ]
    )
    shares = np.zeros_like(missing)
    np.divide(missing, in_class, out=shares, where=in_class > 0)
    classes = tuple(np.asarray(target.classes).tolist())
    return MissingMap(table.names, classes, shares, missing.sum(axis=1) / in_class.sum())


USUAL_FILLINGS = ("mean", "mode")  # before the tree sees the rows, beside its own policies


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MissingStudy(Result):
    """What each policy for missing values does to each class."""

    evaluations: Mapping[str, Evaluation]
    missing: MissingMap
    measure: str = "accuracy"

    def compared(
        self, first: str, second: str, measure: str | None = None, rope: float = 0.01
    ) -> Comparison:
        """Two policies against each other: positive differences favor the first.

        `measure` is that of the study unless given; `rope` as for `treewright.compare`.
        """
        return difference_of(self.of(first), self.of(second), measure or self.measure, rope)

    def of(self, policy: str) -> Evaluation:
        """The evaluation of one policy."""
        if policy not in self.evaluations:
            raise ParameterError(
                f"no policy `{policy}` here", hint=nearest(policy, self.evaluations, "policies")
            )
        return self.evaluations[policy]

    def _facts(self) -> Record:
        return {"measure": self.measure, "missing": self.missing, "policies": self.evaluations}

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "policy": name,
                self.measure: found.mean(self.measure),
                "deviation": found.deviation(self.measure),
                **{str(k): one["sensitivity"][0] for k, one in found.class_table().items()},
                "mean_leaves": found.mean_leaves,
            }
            for name, found in self.evaluations.items()
        ]

    def to_text(self) -> str:
        """Where values are missing, then the sensitivity of each class by policy."""
        any_one = next(iter(self.evaluations.values()))
        labels = [plain(str(label)) for label in any_one.classes or ()]
        lines = [["policy", TITLES[self.measure], *labels, "leaves"]]
        for name, found in self.evaluations.items():
            by_class = [one["sensitivity"] for one in found.class_table().values()]
            scores = [(found.mean(self.measure), found.deviation(self.measure)), *by_class]
            cells = [with_spread(*one) for one in scores]
            lines.append([name, *cells, f"{found.mean_leaves:.1f}"])
        title = f"sensitivity by class, {any_one.scheme}"
        return "\n".join([self.missing.to_text(), "", title, "", *aligned(lines)])


def missing_study(
    model: Estimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    policies: Sequence[str] | None = None,
    fillings: Sequence[str] = USUAL_FILLINGS,
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
) -> MissingStudy:
    """Compare policies for missing values, and imputation in advance.

    "filled by mean" replaces missing numbers by the mean of the training rows, and missing
    categories by the most frequent one; "filled by mode" uses the most frequent value for all. An
    `Imputer` learns these values inside each split.

    Parameters
    ----------
    model
        A classifier that has the parameter `missing`.
    policies
        Values of that parameter; None tries all.
    fillings
        Ways to fill missing values in advance: "mean", "median", "mode", and "class mean",
        "class median", "class mode". The latter fill training rows from rows of their own class,
        and test rows, whose class must stay unknown, from all training rows.
    measure
        The measure to show beside the sensitivities; default accuracy.
    X, y, sample_weight, folds, repeats, hold_out, groups, times, stratified, costs
        As for `treewright.evaluate`.
    random_state, n_jobs, progress
        As for `treewright.evaluate`.

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"a": [1.0, None, 3.0, 4.0] * 5, "b": ["u", "v", None, "v"] * 5}
    >>> study = tw.missing_study(tw.TreeClassifier(), X, ["x", "x", "y", "y"] * 5, folds=5)
    >>> list(study.evaluations)[-2:]
    ['filled by mean', 'filled by mode']
    """
    declared = {param.name: param for param in getattr(model, "params", ())}
    if "missing" not in declared:
        raise ParameterError(
            f"{type(model).__name__} has no parameter `missing`",
            hint="use treewright.TreeClassifier",
        )
    rows = rows_for([model], X, y, sample_weight)
    if rows.classes is None:
        raise ParameterError("the study is for classes, and numbers are predicted here")
    measure, prices = judged_by(measure, [model], costs, rows)
    choices = declared["missing"].choices
    wanted = choices if policies is None else several(policies, "policies", f"{choices[:2]}")
    models: dict[str, Any] = {name: clone(model).set_params(missing=name) for name in wanted}
    models |= {f"filled by {how}": PreparedModel(model, how) for how in checked(fillings)}
    protocol = Protocol(folds, repeats, hold_out, groups, times, stratified, random_state)
    found = evaluated_each(models, rows, protocol, costs=prices, n_jobs=n_jobs, progress=progress)
    return MissingStudy(found, missing_map(rows.X, y, sample_weight), measure)


def checked(fillings: Sequence[str]) -> tuple[str, ...]:
    """The fillings, if all are known."""
    wanted = several(fillings, "fillings", f"{USUAL_FILLINGS}") if len(fillings) else ()
    for one in wanted:
        if one not in FILLINGS:
            raise ParameterError(
                f"fillings has {one!r}", hint=nearest(str(one), FILLINGS, "fillings")
            )
    return tuple(wanted)
