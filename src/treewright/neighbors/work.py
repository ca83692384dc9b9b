"""One row and the training rows next to it: the numbers that explanations and sheets show."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.neighbors import Measure
from treewright.arrays import Floats
from treewright.explanations.conditions import label, value_text
from treewright.neighbors.distances import MEASURES, column_differences, level_columns
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.neighbors.base import NearestNeighbors


@dataclass(frozen=True, slots=True, eq=False)
class RowWork:
    """A row, its neighbors, and what they answer.

    Rows that are shown though they do not count have a count of 0; they come last.
    """

    values: Floats  # of the row: numbers, and codes of levels
    rows: NDArray[np.int64]  # the neighbors, the nearest first
    distances: Floats
    counts: Floats
    differences: Floats  # (n_neighbors, n_columns), on their scale; NaN for what is left out
    answer: Any  # a class or a number
    shares: Floats | None  # of the classes; None for numbers

    @property
    def n_counting(self) -> int:
        return int(np.count_nonzero(self.counts))


def row_work(model: "NearestNeighbors", values: Floats, n_more: int = 0) -> RowWork:
    """The work behind one row, with `n_more` training rows that are just too far to count."""
    scale = model.state_.scale
    query = np.ascontiguousarray(scale.apply(values[np.newaxis]))
    state = model.checked_state()
    found = state.search.neighbors_of(query, state.voting(model))
    rows, distances, counts = found.rows, found.distances, found.counts
    n_wanted = min(len(rows) + n_more, model.n_samples_fit_)
    if n_wanted > len(rows):
        nearest, how_far = model.state_.search.nearest(query, n_wanted)
        others = ~np.isin(nearest[0], rows)
        rows = np.concatenate([rows, nearest[0][others]])
        distances = np.concatenate([distances, how_far[0][others]])
        counts = np.concatenate([counts, np.zeros(np.count_nonzero(others))])
    is_level = level_columns(model.schema_).astype(bool)
    near = scale.apply(model.rows_[rows])
    differences = column_differences(query[0], near, is_level, measure_of(model).missing)
    answer, shares = model.answer_to(query)
    return RowWork(values, rows, distances, counts, differences, answer, shares)


def measure_of(model: "NearestNeighbors") -> Measure:
    """How the model compares rows."""
    return MEASURES[model.distance_]


def cell_texts(model: "NearestNeighbors", values: Floats) -> list[str]:
    """The values of a row in words."""
    columns = model.schema_.columns
    return [value_text(spec, float(value)) for spec, value in zip(columns, values, strict=True)]


def target_of(model: "NearestNeighbors", row: int) -> Any:
    """What a training row answers: its class or its number."""
    target = model.targets_[row]
    classes = model.state_.classes
    return float(target) if classes is None else classes.tolist()[int(target)]


def target_text(model: "NearestNeighbors", row: int) -> str:
    """What a training row answers, in words."""
    return label(target_of(model, row))


def adds(work: RowWork, measure: Measure) -> Floats:
    """(n_neighbors, n_columns): what each column adds to the sum behind a distance."""
    return np.square(work.differences) if measure.squares else work.differences


def part_text(part: float, digits: Digits) -> str:
    """What a column adds: 0 and 1 are so exactly, and a column that is left out adds no number."""
    return str(int(part)) if part in (0.0, 1.0) else digits.text(part) or "-"


def columns_to_show(work: RowWork, most: int) -> NDArray[np.intp]:
    """All columns, or of many those that set the neighbors furthest apart; in their order."""
    if work.differences.shape[1] <= most:
        return np.arange(work.differences.shape[1])
    size = np.nan_to_num(work.differences[: work.n_counting]).mean(axis=0)
    return np.sort(np.argsort(-size, kind="stable")[:most])
