"""Evaluation: the scores of a model on held-out rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.leaks import TableWarning
from treewright.errors import ParameterError, nearest
from treewright.evaluation.judging import Judgment
from treewright.evaluation.resampled import mean_and_deviation, score_interval
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.scores import TITLES
from treewright.evaluation.splits import Plan
from treewright.evaluation.verdict import Verdict, amount_text, verdict_on
from treewright.intervals import Interval
from treewright.plain_text import (
    aligned,
    plain,
    truncated,
    weight_text,
    with_spread,
)
from treewright.result import Record, Result

WIDEST = 100  # characters of a table with names above its columns
NARROWEST_NAME = len("true \\ predicted")
MOST_PAIRS = 20  # shown of very many classes


def confusion_lines(classes: Sequence[object], table: Floats) -> list[str]:
    """A matrix with names, with letters if names are too wide, or the most frequent errors."""
    labels = [plain(str(label)) for label in classes]
    rows = [[label, *cells] for label, cells in zip(labels, cells_of(table), strict=True)]
    named = aligned([["true \\ predicted", *labels], *rows])
    if max(map(len, named)) <= WIDEST:
        return named
    if len(labels) <= len(ascii_lowercase):
        lines = lettered(labels, table)
        if max(map(len, lines)) <= WIDEST:
            return lines
    return commonest(labels, table)


def cells_of(table: Floats, nothing: str = "0") -> list[list[str]]:
    """Weights as text."""
    return [[weight_text(cell) if cell else nothing for cell in line] for line in table.tolist()]


def lettered(labels: Sequence[str], table: Floats) -> list[str]:
    """A letter for each class; zeros are dots, so that errors stand out."""
    letters = list(ascii_lowercase[: len(labels)])
    cells = cells_of(table, ".")
    matrix = aligned([["", *line] for line in (letters, *cells)])
    room = max(WIDEST - max(map(len, matrix)), NARROWEST_NAME)
    names = [f"{letter} = {label}" for letter, label in zip(letters, labels, strict=True)]
    rows = [[truncated(name, room), *line] for name, line in zip(names, cells, strict=True)]
    return aligned([["true \\ predicted", *letters], *rows])


def commonest(labels: Sequence[str], table: Floats) -> list[str]:
    """The pairs of classes that are confused most often."""
    mistakes = table.copy()
    np.fill_diagonal(mistakes, 0.0)
    order = np.argsort(-mistakes, axis=None, kind="stable")
    pairs = [divmod(int(at), len(labels)) for at in order[:MOST_PAIRS]]
    rows = [
        [labels[true], labels[taken], weight_text(mistakes[true, taken])]
        for true, taken in pairs
        if mistakes[true, taken] > 0
    ]
    if not rows:
        return ["no class is confused with another"]
    lines = aligned([["most frequent errors", "predicted", "rows"], *rows])
    n_left_out = int((mistakes > 0).sum()) - len(rows)
    return [*lines, f"... {n_left_out} more pairs"] if n_left_out else lines


MOST_CLASSES = 40  # that have a line of their own


def evaluation_text(evaluation: "Evaluation") -> str:
    """Measures with intervals, then classes and the confusion matrix."""
    pruned = f", pruned by {evaluation.pruned}" if evaluation.pruned else ""
    parts = [f"{evaluation.model}{pruned}: {evaluation.scheme}, {evaluation.rows.n_rows} rows"]
    parts += [str(evaluation.verdict), ""]
    head = ["", "mean", "deviation"] if evaluation.n_splits > 1 else ["", "value"]
    rows = [measure_line(evaluation, name) for name in evaluation.scores]
    parts += aligned([[*head, "95 % interval"], *rows])
    if evaluation.classes is not None:
        parts += ["", *class_lines(evaluation)]
        parts += ["", *confusion_lines(evaluation.classes, evaluation.confusion)]
    if not math.isnan(evaluation.mean_leaves):
        parts += ["", leaves_in_words(evaluation)]
    return "\n".join(parts)


def measure_line(evaluation: "Evaluation", name: str) -> list[str]:
    found = evaluation.interval(name)
    values = [found.mean] if evaluation.n_splits == 1 else [found.mean, evaluation.deviation(name)]
    texts = [evaluation.amount_text(name, value) for value in values]
    ends = [evaluation.amount_text(name, end) for end in (found.low, found.high)]
    return [TITLES.get(name, name), *texts, "" if math.isnan(found.low) else " to ".join(ends)]


def leaves_in_words(evaluation: "Evaluation") -> str:
    one, many = ("rule", "rules") if evaluation.by_rules else ("leaf", "leaves")
    number = evaluation.mean_leaves
    if evaluation.n_splits > 1:
        return f"{number:.1f} {many} on average"
    return f"{number:.0f} {one if number == 1 else many}"


def class_lines(evaluation: "Evaluation") -> list[str]:
    """Measures of each class; of very many, those of the classes with most rows."""
    names = list(evaluation.by_class)
    found = list(evaluation.class_table().items())
    largest = np.argsort(-evaluation.confusion.sum(axis=1), kind="stable")[:MOST_CLASSES]
    rows = [
        [plain(str(found[at][0])), *(with_spread(*found[at][1][name]) for name in names)]
        for at in sorted(largest.tolist())
    ]
    lines = aligned([["class", *names], *rows])
    n_left_out = len(found) - len(rows)
    return [*lines, f"... {n_left_out} classes with fewer rows"] if n_left_out else lines


@dataclass(frozen=True, eq=False)
class Evaluation(Result):
    """Scores of each split, and their means.

    `scores[name]` has one number for each split; `by_class[name]` a line of them, one number for
    each class. A score that is not defined for the rows of a split is NaN, and means ignore it.
    """

    model: str
    scheme: str  # in words
    classes: tuple[Any, ...] | None  # None: numbers were predicted
    judgments: tuple[Judgment, ...]
    plan: Plan
    rows: EvaluationRows
    costs: Floats | None = None  # of predicting one class for another
    kind: str = ""  # the class of the model, whose name may differ
    pruned: str = ""  # the method by which copies were pruned after their fit, as the model was
    warnings: tuple[TableWarning, ...] = ()  # leaks that make the scores too good

    def amount_text(self, measure: str, score: float) -> str:
        """A score; an error in the unit of the target as the table writes it."""
        return amount_text(measure, score, self.rows.target_format)

    @property
    def n_splits(self) -> int:
        return len(self.judgments)

    @cached_property
    def scores(self) -> Mapping[str, Floats]:
        """Name of a measure -> its value on each split."""
        names = self.judgments[0].measures
        return {name: np.array([j.measures[name] for j in self.judgments]) for name in names}

    @cached_property
    def by_class(self) -> Mapping[str, Floats]:
        """Name of a measure -> (n_splits, n_classes)."""
        names = self.judgments[0].by_class
        return {name: np.array([j.by_class[name] for j in self.judgments]) for name in names}

    @cached_property
    def test_share(self) -> float:
        """Test rows per training row, on average; intervals depend on it."""
        shares = [len(j.split.test) / max(len(j.split.train), 1) for j in self.judgments]
        return float(np.mean(shares))

    def mean(self, measure: str) -> float:
        """Mean of a measure over the splits that define it."""
        return mean_and_deviation(self.of(measure))[0]

    def deviation(self, measure: str) -> float:
        """Standard deviation of a measure over the splits; NaN for a single one."""
        return mean_and_deviation(self.of(measure))[1]

    def interval(self, measure: str, confidence: float = 0.95) -> Interval:
        """Mean and confidence interval, within the range that the measure can have.

        Over several splits it is corrected for the rows that they share; of a single one it is
        taken over its rows, for the measures that are means over rows.
        """
        if not 0 < confidence < 1:
            raise ParameterError(
                f"confidence={confidence!r} is not allowed", hint="use a share such as 0.95"
            )
        self.of(measure)  # an error if there is no such measure
        judged = self.judgments, self.rows, self.costs
        return score_interval(*judged, measure, self.test_share, confidence)

    def of(self, measure: str) -> Floats:
        """The values of a measure on each split; an error if there is no such measure."""
        if measure not in self.scores:
            raise ParameterError(
                f"no measure `{measure}` here",
                hint=nearest(str(measure), list(self.scores), "measures"),
            )
        return self.scores[measure]

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the model is better than guessing, in one sentence.

        It compares the cost if there are costs, else the accuracy, or the RMSE of numbers.
        """
        usual = "rmse" if self.classes is None else "accuracy"
        return self.verdict_by("cost" if self.costs is not None else usual)

    def verdict_by(self, measure: str) -> Verdict:
        """The same by any measure."""
        self.of(measure)  # an error if there is no such measure
        return verdict_on(
            self.judgments,
            self.rows,
            self.costs,
            measure=measure,
            test_share=self.test_share,
            scheme=self.scheme,
        )

    @cached_property
    def confusion(self) -> Floats:
        """Weight by true class (lines) and predicted class (columns), mean over the repeats."""
        tables = [j.confusion for j in self.judgments if j.confusion is not None]
        if not tables:
            raise ParameterError("numbers were predicted here, and they have no confusion matrix")
        return np.asarray(np.sum(tables, axis=0) / self.plan.n_repeats)

    @cached_property
    def predictions(self) -> NDArray[Any]:
        """(n_repeats, n_rows): what was predicted for each row when it was held out.

        Class codes, -1 for a row never held out; of numbers NaN.
        """
        missing = -1 if self.classes is not None else np.nan
        kind = np.intp if self.classes is not None else np.float64
        found = np.full((self.plan.n_repeats, self.rows.n_rows), missing, dtype=kind)
        for judgment in self.judgments:
            found[judgment.split.repeat, judgment.split.test] = judgment.predicted
        return found

    @cached_property
    def mean_leaves(self) -> float:
        """Mean number of leaves, or of rules for rule models; otherwise NaN."""
        return float(np.mean([j.n_leaves for j in self.judgments]))

    @property
    def by_rules(self) -> bool:
        """Whether the models predict by rules, which are then counted instead of leaves."""
        return self.judgments[0].by_rules

    @cached_property
    def mean_fit_seconds(self) -> float:
        """Seconds that a fit took, on average."""
        return float(np.mean([j.fit_seconds for j in self.judgments]))

    def class_table(self) -> dict[Any, dict[str, tuple[float, float]]]:
        """Class -> measure -> (mean, standard deviation) over the splits that define it."""
        return {
            label: {name: mean_and_deviation(of[:, code]) for name, of in self.by_class.items()}
            for code, label in enumerate(self.classes or ())
        }

    def summary(self, measure: str) -> dict[str, float]:
        """Mean, standard deviation and 95 % interval of a measure."""
        found = self.interval(measure)
        deviation = self.deviation(measure)
        return {"mean": found.mean, "deviation": deviation, "low": found.low, "high": found.high}

    def _records(self) -> list[dict[str, Any]]:
        return [{"measure": name, **self.summary(name)} for name in self.scores]

    def _facts(self) -> Record:
        facts: dict[str, Any] = {
            "model": self.model,
            "scheme": self.scheme,
            "n_rows": self.rows.n_rows,
            "n_splits": self.n_splits,
            "measures": {
                name: {**self.summary(name), "splits": splits}
                for name, splits in self.scores.items()
            },
            "verdict": self.verdict,
            "warnings": self.warnings,
            "mean_leaves": self.mean_leaves,
            "mean_fit_seconds": self.mean_fit_seconds,
        }
        if self.classes is not None:
            facts["classes"] = self.classes
            facts["confusion"] = self.confusion
            facts["by_class"] = {
                label: {
                    name: {"mean": mean, "deviation": spread}
                    for name, (mean, spread) in measures.items()
                }
                for label, measures in self.class_table().items()
            }
        return facts

    def to_text(self) -> str:
        """Measures with intervals, then classes and the confusion matrix."""
        return evaluation_text(self)

    def __repr__(self) -> str:
        first = next(iter(self.scores))
        score = f"{first} {self.mean(first):.4f}"
        return f"<Evaluation: {self.model}, {score}, {self.verdict.words}, {self.scheme}>"
