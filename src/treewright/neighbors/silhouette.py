"""Silhouettes (Rousseeuw, 1987): how well each row fits its group."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.neighbors import distance_sums
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.target import encode_classes
from treewright.documents.page import Block, Document, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.errors import DataError
from treewright.estimators.threads import n_threads
from treewright.explanations.conditions import label
from treewright.neighbors.base import NearestNeighbors
from treewright.neighbors.distances import MEASURES, level_columns, rows_and_scale
from treewright.result import Record
from treewright.worksheets.digits import Digits

PAIRS_WORTH_THREADS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Silhouette(Printed):
    """How well rows fit their groups, from -1 (closer to another group) to 1.

    `of_row` is (n_rows,), 0 for a row that is alone in its group. `nearest` is the position in
    `groups` of the nearest other group of each row.
    """

    groups: tuple[Any, ...]  # sorted
    codes: NDArray[np.int32]  # the group of each row, as a position in `groups`
    of_row: Floats
    nearest: NDArray[np.int32]

    @property
    def mean(self) -> float:
        """The mean of all rows."""
        return float(self.of_row.mean())

    @property
    def of_group(self) -> dict[Any, float]:
        """The mean of each group."""
        sums = np.bincount(self.codes, self.of_row, len(self.groups))
        means = sums / np.bincount(self.codes, minlength=len(self.groups))
        return dict(zip(self.groups, means.tolist(), strict=True))

    def _facts(self) -> Record:
        rows = [
            {"group": self.groups[own], "silhouette": value, "nearest": self.groups[other]}
            for own, value, other in zip(self.codes, self.of_row, self.nearest, strict=True)
        ]
        return {"mean": self.mean, "groups": self.of_group, "rows": rows}

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        return Document("Silhouette", tuple(self._blocks(Digits(decimals))))

    def _blocks(self, digits: Digits) -> Iterator[Block]:
        yield Paragraph.of(
            f"mean {digits.text(self.mean)} of {len(self.of_row)} rows in {len(self.groups)} groups"
        )
        lines = []
        for code, (group, mean) in enumerate(self.of_group.items()):
            of_rows = self.of_row[self.codes == code]
            n_below = int(np.count_nonzero(of_rows < 0))
            least = digits.text(float(of_rows.min()))
            lines.append((label(group), str(len(of_rows)), digits.text(mean), least, str(n_below)))
        heads = ("group", "rows", "mean", "least", "closer to another group")
        yield SheetTable(heads, tuple(lines), "lrrrr")
        yield Note(
            "(b - a) / max(a, b): a is a row's mean distance from the others of its group, b from "
            "the nearest other group"
        )

    def __repr__(self) -> str:
        return f"<Silhouette: mean {self.mean:.4f}, {len(self.groups)} groups>"


def silhouette(
    X: Any,
    labels: Any,
    *,
    metric: str = "heom",
    scale: str | None = "range",
    categorical_features: Any = "from_dtype",
    n_jobs: int | None = None,
) -> Silhouette:
    """How well each row fits its group: close to its group, far from the nearest other one.

    Every pair of rows is compared, so the time is quadratic in the number of rows.

    Parameters
    ----------
    X
        A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
    labels
        The group of each row: at least two of them.
    metric, scale
        How to compare rows, as in `KNeighborsClassifier`. For plain unscaled numbers, for example
        after `KMeans`, use metric="euclidean", scale=None.
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores.

    Examples
    --------
    >>> import treewright as tw
    >>> found = tw.silhouette([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> found.of_row.round(4).tolist()
    [0.8667, 0.8462, 0.8462, 0.8667]
    >>> round(found.mean, 4), found.of_group["low"] == found.of_group["high"]
    (0.8564, True)
    """
    for name, value in (("metric", metric), ("scale", scale), ("n_jobs", n_jobs)):
        NearestNeighbors.param_named(name).check(value)
    table = table_from(X, categorical_features=categorical_features)
    target = encode_classes(labels, "labels", n_rows=table.n_rows)
    if target.n_classes < 2:
        raise DataError(
            "all rows are in one group, but a silhouette compares groups",
            hint="give labels of two groups or more",
        )
    schema = Schema.of(table)
    rows, fitted_scale = rows_and_scale(table, schema, metric, scale, None, "a silhouette")
    scaled = np.ascontiguousarray(fitted_scale.apply(rows))
    threads = n_threads(n_jobs, worth_it=table.n_rows**2 >= PAIRS_WORTH_THREADS)
    sums = distance_sums(scaled, level_columns(schema), MEASURES[metric], target.codes, threads)
    of_row, nearest = from_sums(sums, target.codes)
    return Silhouette(tuple(target.classes.tolist()), target.codes, of_row, nearest)


def from_sums(sums: Floats, codes: NDArray[np.int32]) -> tuple[Floats, NDArray[np.int32]]:
    """Silhouettes and nearest other groups, from the sums of distances to each group."""
    each = np.arange(len(codes))
    sizes = np.bincount(codes, minlength=sums.shape[1])
    own_others = sizes[codes] - 1
    own = sums[each, codes] / np.maximum(own_others, 1)
    means = sums / sizes
    means[each, codes] = np.inf
    nearest = means.argmin(axis=1).astype(np.int32)
    other = means[each, nearest]
    larger = np.maximum(own, other)
    with np.errstate(invalid="ignore"):
        silhouettes = np.where(larger > 0, (other - own) / larger, 0.0)
    return np.where(own_others > 0, np.nan_to_num(silhouettes), 0.0), nearest
