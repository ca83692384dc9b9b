"""Silhouettes after Rousseeuw (1987): how well each row fits its group, and not another one."""

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
from treewright.estimators.rows import check_finite
from treewright.estimators.threads import n_threads
from treewright.explanations.conditions import label
from treewright.neighbors.base import NearestNeighbors
from treewright.neighbors.distances import (
    MEASURES,
    Scale,
    check_distance,
    check_plain,
    check_range,
    level_columns,
    matrix_of,
)
from treewright.worksheets.digits import Digits

PAIRS_WORTH_THREADS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Silhouette(Printed):
    """How well rows fit their groups: from -1, nearer to another one, to 1; `print` shows it.

    `of_row` is (n_rows,), 0 for a row that is alone in its group. `nearest` is the position in
    `groups` of the other group that comes nearest to each row.
    """

    groups: tuple[Any, ...]  # sorted
    codes: NDArray[np.int32]  # the group of each row, as a position in `groups`
    of_row: Floats
    nearest: NDArray[np.int32]

    @property
    def mean(self) -> float:
        """Of all rows."""
        return float(self.of_row.mean())

    @property
    def of_group(self) -> dict[Any, float]:
        """The mean of each group."""
        sums = np.bincount(self.codes, self.of_row, len(self.groups))
        means = sums / np.bincount(self.codes, minlength=len(self.groups))
        return dict(zip(self.groups, means.tolist(), strict=True))

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
        heads = ("group", "rows", "mean", "least", "nearer to another group")
        yield SheetTable(heads, tuple(lines), "lrrrr")
        yield Note(
            "(b - a) / max(a, b): a is a row's mean distance from the others of its group, b that "
            "from the nearest other group"
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
    """How well each row fits its group: near to the others in it, far from the next group.

    Every row is compared with every other one, so the time grows with the square of the rows.

    Parameters
    ----------
    X
        A table of any kind: array, list of rows or dicts, data frame, Arrow, `Table`.
    labels
        The group of each row: at least two of them.
    metric, scale
        How rows are compared: as in `KNeighborsClassifier`. Plain numbers as they are, for instance
        after `KMeans`, are metric="euclidean", scale=None.
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The numbers are always the same.

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
    check_distance(metric, scale)
    table = table_from(X, categorical_features=categorical_features)
    target = encode_classes(labels, "labels", n_rows=table.n_rows)
    if target.n_classes < 2:
        raise DataError(
            "all rows are in one group: there is no other one to compare it with",
            hint="a silhouette needs labels of two groups or more",
        )
    check_finite(table, "a silhouette")
    schema, rows = Schema.of(table), matrix_of(table)
    if metric == "euclidean":
        check_plain(rows, schema)
    if scale is None:
        check_range(rows, schema, metric)
    is_level = level_columns(schema)
    scaled = np.ascontiguousarray(Scale.of(rows, is_level, scale).apply(rows))
    threads = n_threads(n_jobs, worth_it=table.n_rows**2 >= PAIRS_WORTH_THREADS)
    sums = distance_sums(scaled, is_level, MEASURES[metric], target.codes, threads)
    of_row, nearest = from_sums(sums, target.codes)
    return Silhouette(tuple(target.classes.tolist()), target.codes, of_row, nearest)


def from_sums(sums: Floats, codes: NDArray[np.int32]) -> tuple[Floats, NDArray[np.int32]]:
    """Silhouettes and nearest other groups, from the sums of distances to all groups."""
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
