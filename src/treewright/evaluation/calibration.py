"""Calibration: of the rows with a predicted 0.8, do 80 % belong to the class?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ParameterError, nearest
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.splits import is_whole
from treewright.plain_text import aligned, plain
from treewright.result import Record, Result, records_of


@dataclass(frozen=True, slots=True, eq=False)
class Calibration(Result):
    """Held-out rows in bins of the share predicted for one class."""

    label: Any  # None: the predicted class of each row
    edges: Floats  # (n_bins + 1,)
    weight: Floats  # of the rows in each bin
    predicted: Floats  # mean share predicted; NaN in an empty bin
    observed: Floats  # share of rows that are of the class

    @property
    def error(self) -> float:
        """Mean distance between predicted and observed shares, by weight (ECE)."""
        filled = self.weight > 0
        distance = np.abs(self.predicted[filled] - self.observed[filled])
        return float(np.average(distance, weights=self.weight[filled]))

    @property
    def label_in_words(self) -> str:
        """The class as a title names it."""
        return "the predicted class" if self.label is None else str(self.label)

    def _facts(self) -> Record:
        return {
            "class": self.label,
            "edges": self.edges,
            "weight": self.weight,
            "predicted": self.predicted,
            "observed": self.observed,
            "error": self.error,
        }

    def _records(self) -> list[dict[str, Any]]:
        return records_of(
            {
                "low": self.edges[:-1],
                "high": self.edges[1:],
                "weight": self.weight,
                "predicted": self.predicted,
                "observed": self.observed,
            }
        )

    def to_text(self) -> str:
        """The bins as a table, then the error."""
        head = [f"share of {plain(self.label_in_words)}", "weight", "predicted", "observed"]
        rows = [
            [
                f"{one['low']:.2f} to {one['high']:.2f}",
                f"{one['weight']:g}",
                f"{one['predicted']:.4f}" if one["weight"] else "",
                f"{one['observed']:.4f}" if one["weight"] else "",
            ]
            for one in self._records()
        ]
        return "\n".join([*aligned([head, *rows]), "", f"calibration error {self.error:.4f}"])


def calibration(evaluation: Evaluation, label: Any = None, *, n_bins: int = 10) -> Calibration:
    """Predicted against observed shares of one class, over all held-out rows.

    `label` is the class; None takes the last, which of two classes is the positive one. A share of
    exactly a bin's edge falls into the bin above it, and 1 into the last.
    """
    classes = evaluation.classes
    if classes is None:
        raise ParameterError("calibration is for classes, and numbers were predicted here")
    if label is not None and label not in classes:
        raise ParameterError(
            f"no class {label!r} here",
            hint=nearest(str(label), [str(one) for one in classes], "classes"),
        )
    code = len(classes) - 1 if label is None else classes.index(label)
    columns = [np.full(len(one.predicted), code) for one in evaluation.judgments]
    return Calibration(classes[code], *binned(evaluation, columns, n_bins))


def calibration_of_predictions(evaluation: Evaluation, *, n_bins: int = 10) -> Calibration:
    """Predicted probability of the predicted class against how often it was right.

    For many classes this summarizes the `calibration` of each.

    Examples
    --------
    >>> import treewright as tw
    >>> found = tw.evaluate(tw.CARTClassifier(max_depth=2), *tw.load_sample("iris"))
    >>> round(calibration_of_predictions(found).error, 3)
    0.043
    """
    if evaluation.classes is None:
        raise ParameterError("calibration is for classes, and numbers were predicted here")
    columns = [one.predicted for one in evaluation.judgments]
    return Calibration(None, *binned(evaluation, columns, n_bins))


def binned(
    evaluation: Evaluation, columns: list[NDArray[Any]], n_bins: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Edges, weights, mean shares and shares observed, of one class for each held-out row."""
    if not is_whole(n_bins) or n_bins < 1:
        raise ParameterError(f"n_bins={n_bins!r} is not allowed", hint="use 1 or more")
    shares, is_class, weights = [], [], []
    assert evaluation.rows.codes is not None
    for judgment, column in zip(evaluation.judgments, columns, strict=True):
        if judgment.shares is None:
            raise ParameterError(f"{evaluation.model} predicts no class probabilities")
        test = judgment.split.test
        shares.append(judgment.shares[np.arange(len(test)), column])
        is_class.append(evaluation.rows.codes[test] == column)
        weights.append(evaluation.rows.weight_of_rows[test])
    share, weight = np.concatenate(shares), np.concatenate(weights)
    edges = np.arange(n_bins + 1) / n_bins  # as shares are made: 3 of 10 is the edge 3 / 10
    place = np.minimum(np.searchsorted(edges, share, side="right") - 1, n_bins - 1)
    in_bin = np.bincount(place, weight, n_bins).astype(np.float64)
    with np.errstate(invalid="ignore"):
        predicted = np.bincount(place, weight * share, n_bins) / in_bin
        observed = np.bincount(place, weight * np.concatenate(is_class), n_bins) / in_bin
    return edges, in_bin, predicted, observed
