"""`treewright.elbow`: choose the number of clusters."""

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from treewright.arrays import Floats
from treewright.clustering.base import ClusterEstimator
from treewright.clustering.kmeans import KMeans
from treewright.clustering.kprototypes import KPrototypes
from treewright.data.column import NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.documents.page import Block, Document, Note, Paragraph, Run, SheetTable
from treewright.documents.printed import Printed
from treewright.errors import DataError, ParameterError
from treewright.result import Record, records_of
from treewright.worksheets.digits import Digits

MOST_TRIED = 10  # clusters, by default
CLEAR_BEND = 0.3  # a curve that stays nearer to its chord than this has no clear elbow


@dataclass(frozen=True, slots=True, repr=False)
class Elbow(Printed):
    """The inertia for each number of clusters, and the number at the elbow."""

    k: tuple[int, ...]  # numbers of clusters, ascending
    inertia: Floats
    below_chord: Floats  # distance of the curve below the line between its ends, 0 to 1
    models: tuple[ClusterEstimator, ...]  # fitted, one for each number

    @property
    def chosen(self) -> int:
        """The number of clusters at the elbow, the first of equals."""
        return self.k[int(np.argmax(self.below_chord))]

    @property
    def model(self) -> ClusterEstimator:
        """The fitted model with that number of clusters."""
        return self.models[self.k.index(self.chosen)]

    @property
    def is_clear(self) -> bool:
        """Whether the curve has a clear elbow."""
        return bool(self.below_chord.max() >= CLEAR_BEND)

    def _facts(self) -> Record:
        return {
            "k": self.k,
            "inertia": self.inertia,
            "below_chord": self.below_chord,
            "chosen": self.chosen,
            "is_clear": self.is_clear,
        }

    def _records(self) -> list[dict[str, Any]]:
        columns = {"k": self.k, "inertia": self.inertia, "below_chord": self.below_chord}
        return records_of(columns)

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        digits = Digits(decimals).for_numbers_like(float(self.inertia.max()))
        shares = Digits(decimals)
        chosen = self.k.index(self.chosen)
        lines = [
            (
                str(number),
                digits.text(inertia),
                "" if at == 0 else digits.text(float(self.inertia[at - 1] - inertia)),
                shares.text(below),
            )
            for at, (number, inertia, below) in enumerate(
                zip(self.k, self.inertia.tolist(), self.below_chord.tolist(), strict=True)
            )
        ]
        columns = ("clusters", "inertia", "less by", "below the chord")
        blocks: list[Block] = [
            Paragraph.of(
                "The elbow is at ",
                Run(str(self.chosen), "strong"),
                f" cluster{'' if self.chosen == 1 else 's'}: there the curve of the inertia hangs "
                "lowest below the line between its ends, both axes going from 0 to 1.",
            ),
            SheetTable(columns, tuple(lines), "rrrr", marked=frozenset({chosen})),
        ]
        if not self.is_clear:
            blocks.append(
                Note("the curve hardly bends: no number of clusters is much better than others")
            )
        return Document("Elbow", tuple(blocks))

    def __repr__(self) -> str:
        return f"<Elbow: {self.chosen} of {self.k[0]} to {self.k[-1]} clusters>"


def elbow(
    X: Any,
    k: Iterable[int] | None = None,
    *,
    model: ClusterEstimator | None = None,
    sample_weight: Any = None,
) -> Elbow:
    """Choose the number of clusters by the elbow of the inertia curve.

    The inertia falls with every cluster. Both axes are scaled to go from 0 to 1, and the elbow is
    the point farthest below the chord, the line from the first to the last point (Satopää and
    others, 2011). This distance is 0 for a straight line and nearly 1 for a curve that falls at
    once. The choice depends on the numbers that are tried.

    Parameters
    ----------
    X
        A table of any kind.
    k
        Numbers of clusters to try, three or more; None for 1 to 10, or to the number of rows.
    model
        A `KMeans` or `KPrototypes` with the settings to use. None uses `KMeans` for numbers and
        `KPrototypes` for tables with nominal columns.
    sample_weight
        Weights of the rows.

    Examples
    --------
    >>> import treewright as tw
    >>> X, _ = tw.load_sample("iris")
    >>> curve = tw.elbow(X, range(1, 7))
    >>> curve.chosen, curve.inertia.round(1).tolist()
    (2, [681.4, 152.3, 78.9, 57.2, 46.4, 39.0])
    """
    table = table_from(X)
    numbers = numbers_of_clusters(range(1, min(MOST_TRIED, table.n_rows) + 1) if k is None else k)
    if model is None:
        model = default_model(table)
    if not isinstance(model, ClusterEstimator):
        raise ParameterError(
            f"a {type(model).__name__} makes no clusters", hint="give a KMeans or a KPrototypes"
        )
    if not isinstance(model.init, str):
        raise ParameterError(
            "init holds start points for one number of clusters",
            hint='use init="k-means++" or init="random"',
        )
    if numbers[-1] > table.n_rows:
        raise DataError(
            f"k goes up to {numbers[-1]}, X has {table.n_rows} rows",
            hint="try no more clusters than rows",
        )
    fitted = tuple(
        clone(model).set_params(n_clusters=number).fit(table, sample_weight=sample_weight)
        for number in numbers
    )
    inertia = np.array([one.inertia_ for one in fitted])
    return Elbow(numbers, inertia, below_chord(numbers, inertia), fitted)


def numbers_of_clusters(k: Iterable[int]) -> tuple[int, ...]:
    """The numbers to try, distinct and ascending."""
    hint = "give three numbers or more, such as range(1, 11)"
    if isinstance(k, Integral | str) or not isinstance(k, Iterable):
        raise ParameterError(f"k={k!r} is not a range of numbers", hint=hint)
    given = list(k)
    for number in given:
        if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
            raise ParameterError(f"k holds {number!r}, which is no number of clusters", hint=hint)
    numbers = tuple(sorted({int(number) for number in given}))
    if len(numbers) < 3:
        raise ParameterError(f"k holds {len(numbers)} numbers", hint=hint)
    return numbers


def default_model(table: Table) -> ClusterEstimator:
    """KMeans for numbers, KPrototypes for tables with nominal columns."""
    is_plain = table.matrix is not None or all(
        isinstance(column, NumericColumn) for column in table.columns
    )
    return KMeans() if is_plain else KPrototypes()


def below_chord(numbers: tuple[int, ...], inertia: Floats) -> Floats:
    """The distance of each point below the line between the ends, with axes scaled to 0 to 1.

    >>> below_chord((1, 2, 3), np.array([10.0, 1.0, 0.0])).round(2).tolist()
    [0.0, 0.4, 0.0]
    """
    across = (np.array(numbers) - numbers[0]) / (numbers[-1] - numbers[0])
    fall = float(inertia[0] - inertia[-1])
    if fall <= 0:
        return np.zeros(len(numbers))
    down: Floats = (inertia[0] - inertia) / fall
    return down - across
