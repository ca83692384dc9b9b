"""Evaluation: what a model showed on rows that it did not learn from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.cached import cached_property
from treewright.errors import ParameterError, nearest
from treewright.evaluation.as_json import plain_label, plain_number
from treewright.evaluation.judging import Judgement
from treewright.evaluation.measure import MEASURES
from treewright.evaluation.one_split import interval_over_rows
from treewright.evaluation.resampled import Interval, interval
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.splits import Plan

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores of each split, and what they add up to.

    `scores[name]` has one number for each split; `by_class[name]` a line of them, one number for
    each class. A number that the rows of a split do not define is NaN and left out of means.
    """

    model: str
    scheme: str  # in words
    classes: tuple[Any, ...] | None  # None: numbers were predicted
    judgements: tuple[Judgement, ...]
    plan: Plan
    rows: EvaluationRows
    costs: FloatArray | None = None  # of taking one class for another
    kind: str = ""  # the class of the model, which may be called otherwise
    pruned: str = ""  # the method by which copies were pruned after their fit, as the model was

    @property
    def n_splits(self) -> int:
        return len(self.judgements)

    @cached_property
    def scores(self) -> Mapping[str, FloatArray]:
        """Name of a measure -> its value on each split."""
        names = self.judgements[0].measures
        return {name: np.array([j.measures[name] for j in self.judgements]) for name in names}

    @cached_property
    def by_class(self) -> Mapping[str, FloatArray]:
        """Name of a measure -> (n_splits, n_classes)."""
        names = self.judgements[0].by_class
        return {name: np.array([j.by_class[name] for j in self.judgements]) for name in names}

    @cached_property
    def test_share(self) -> float:
        """Rows judged on for each row learnt from, on average: what the intervals depend on."""
        shares = [len(j.split.test) / max(len(j.split.train), 1) for j in self.judgements]
        return float(np.mean(shares))

    def mean(self, measure: str) -> float:
        """Mean of a measure over the splits that define it."""
        scores = self.of(measure)
        defined = scores[~np.isnan(scores)]
        return float(defined.mean()) if len(defined) else float("nan")

    def deviation(self, measure: str) -> float:
        """Standard deviation of a measure over the splits; NaN for a single one."""
        scores = self.of(measure)
        defined = scores[~np.isnan(scores)]
        return float(defined.std(ddof=1)) if len(defined) > 1 else float("nan")

    def interval(self, measure: str, confidence: float = 0.95) -> Interval:
        """Mean and confidence interval, within the range that the measure can have.

        Over several splits it is corrected for the rows that they share; of a single one it is
        taken over its rows, for the measures that are means over rows.
        """
        if not 0 < confidence < 1:
            raise ParameterError(
                f"confidence={confidence!r} is not allowed", hint="use a share such as 0.95"
            )
        if self.n_splits == 1:
            found = interval_over_rows(
                self.judgements[0], self.rows, measure, confidence, self.costs
            )
        else:
            found = interval(self.of(measure), self.test_share, confidence)
        declared = MEASURES[measure]
        return found.within(declared.low, declared.high)

    def of(self, measure: str) -> FloatArray:
        """The values of a measure on each split; an error if there is no such measure."""
        if measure not in self.scores:
            raise ParameterError(
                f"no measure `{measure}` here",
                hint=nearest(str(measure), list(self.scores), "measures"),
            )
        return self.scores[measure]

    @cached_property
    def confusion(self) -> FloatArray:
        """Weight by true class (lines) and predicted class (columns), mean over the repeats."""
        tables = [j.confusion for j in self.judgements if j.confusion is not None]
        if not tables:
            raise ParameterError("numbers were predicted here, which have no confusion matrix")
        return np.asarray(np.sum(tables, axis=0) / self.plan.n_repeats)

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """(n_repeats, n_rows): what was predicted for each row when it was held out.

        Class codes, -1 for a row never held out; of numbers NaN.
        """
        missing = -1 if self.classes is not None else np.nan
        kind = np.intp if self.classes is not None else np.float64
        found = np.full((self.plan.n_repeats, self.rows.n_rows), missing, dtype=kind)
        for judgement in self.judgements:
            found[judgement.split.repeat, judgement.split.test] = judgement.predicted
        return found

    @cached_property
    def mean_leaves(self) -> float:
        """Leaves of the trees, or rules of models that answer by them, on average; else NaN."""
        return float(np.mean([j.n_leaves for j in self.judgements]))

    @property
    def by_rules(self) -> bool:
        """Whether the models answer by rules, which are then counted in place of leaves."""
        return self.judgements[0].by_rules

    @cached_property
    def mean_fit_seconds(self) -> float:
        """Seconds that a fit took, on average."""
        return float(np.mean([j.fit_seconds for j in self.judgements]))

    def class_table(self) -> dict[Any, dict[str, tuple[float, float]]]:
        """Class -> measure -> (mean, standard deviation) over the splits that define it."""
        found: dict[Any, dict[str, tuple[float, float]]] = {}
        for code, label in enumerate(self.classes or ()):
            found[label] = {}
            for name, values in self.by_class.items():
                defined = values[~np.isnan(values[:, code]), code]
                mean = float(defined.mean()) if len(defined) else float("nan")
                spread = float(defined.std(ddof=1)) if len(defined) > 1 else float("nan")
                found[label][name] = (mean, spread)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values for JSON; what is not defined is None."""
        facts: dict[str, Any] = {
            "model": self.model,
            "scheme": self.scheme,
            "n_rows": self.rows.n_rows,
            "n_splits": self.n_splits,
            "measures": {name: self._facts_of(name) for name in self.scores},
            "mean_leaves": plain_number(self.mean_leaves),
            "mean_fit_seconds": plain_number(self.mean_fit_seconds),
        }
        if self.classes is not None:
            facts["classes"] = [plain_label(label) for label in self.classes]
            facts["confusion"] = self.confusion.tolist()
            facts["by_class"] = {
                str(label): {
                    name: {"mean": plain_number(mean), "deviation": plain_number(spread)}
                    for name, (mean, spread) in measures.items()
                }
                for label, measures in self.class_table().items()
            }
        return facts

    def _facts_of(self, measure: str) -> dict[str, Any]:
        found = self.interval(measure)
        return {
            "mean": plain_number(found.mean),
            "deviation": plain_number(self.deviation(measure)),
            "low": plain_number(found.low),
            "high": plain_number(found.high),
            "splits": [plain_number(score) for score in self.scores[measure]],
        }

    def __str__(self) -> str:
        from treewright.evaluation.as_text import evaluation_text

        return evaluation_text(self)

    def __repr__(self) -> str:
        first = next(iter(self.scores))
        return f"<Evaluation: {self.model}, {first} {self.mean(first):.4f}, {self.scheme}>"
