"""tw.missing_map: how much of each column is missing, class by class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.sources import table_from
from treewright.data.target import encode_classes
from treewright.data.weights import check_weights
from treewright.errors import ParameterError
from treewright.evaluation.as_json import plain_label
from treewright.evaluation.lines import lined_up
from treewright.plain_text import plain

MOST_NUMBERS = 20  # that can still be meant as classes


@dataclass(frozen=True, slots=True, eq=False)
class MissingMap:
    """Share of missing values by column and class."""

    columns: tuple[str, ...]
    classes: tuple[Any, ...]
    shares: NDArray[np.float64]  # (n_columns, n_classes)
    overall: NDArray[np.float64]  # (n_columns,)

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values for JSON."""
        return {
            "columns": list(self.columns),
            "classes": [plain_label(label) for label in self.classes],
            "overall": self.overall.tolist(),
            "shares": self.shares.tolist(),
        }

    def __str__(self) -> str:
        rows = [
            [plain(name), f"{self.overall[at]:.1%}", *(f"{share:.1%}" for share in self.shares[at])]
            for at, name in enumerate(self.columns)
            if self.overall[at] > 0
        ]
        if not rows:
            return "no value is missing"
        return "\n".join(lined_up(["missing", "all rows", *self._labels()], rows))

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
            f"y holds {target.n_classes} different numbers, which are no classes",
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
