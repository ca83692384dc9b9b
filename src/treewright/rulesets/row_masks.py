"""Sets of training rows as bits, so that 64 rows are compared at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.row_sets import Words, shared_weights, weights_without_each
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.rulesets.condition import Condition, LevelSet, Question
from treewright.rulesets.evaluate import Mask, asked_values, missing_and_passing

CACHED_BYTES = 1 << 28  # of masks


@dataclass(frozen=True, slots=True)
class Part:
    """The smallest part of a rule that can be dropped: one bound, or one set of levels."""

    feature: int
    low: float | None = None
    high: float | None = None
    levels: LevelSet | None = None

    @property
    def question(self) -> Question:
        if self.levels is None:
            return Question(self.low, self.high)
        return Question(levels=self.levels)


def parts_of(conditions: Sequence[Condition]) -> list[Part]:
    """The parts of conditions on known values of single columns."""
    parts: list[Part] = []
    for condition in conditions:
        (feature,) = condition.features
        merged = condition.merged
        if merged.low is not None:
            parts.append(Part(feature, low=merged.low))
        if merged.high is not None:
            parts.append(Part(feature, high=merged.high))
        if not merged.levels.is_everything:
            parts.append(Part(feature, levels=merged.levels))
    return parts


class RowMasks:
    """The training rows, and which of them pass the parts of rules.

    Sets of rows are `Words` (..., n_words): one bit for each row; bits beyond the rows are 0.
    """

    def __init__(
        self,
        table: Table,
        schema: Schema,
        codes: NDArray[np.integer],
        n_classes: int,
        weights: Floats | None = None,
    ) -> None:
        """`codes` are the classes of the rows; without `weights` every row counts as one."""
        self.n_rows = len(table)
        self.everything = packed(np.ones(self.n_rows, dtype=np.bool_))
        self.of_class = np.stack([packed(codes == code) for code in range(n_classes)])
        self._not_of_class = self.everything & ~self.of_class
        n_bits = len(self.everything) * 64
        self._weights = None if weights is None else padded(summable(weights), n_bits)
        self._table, self._schema = table, schema
        self._asked: dict[int, tuple[Condition, NDArray[Any], Mask]] = {}
        self._kept: dict[Part, Words] = {}
        self._max_kept = max(64, CACHED_BYTES // self.everything.nbytes)

    @property
    def counts_rows(self) -> bool:
        """Whether every row weighs one, so that weights are whole numbers."""
        return self._weights is None

    def of_part(self, part: Part) -> Words:
        """The rows that pass one part; rows with a missing value do not."""
        found = self._kept.get(part)
        if found is None:
            if len(self._kept) >= self._max_kept:
                self._kept.pop(next(iter(self._kept)))  # the oldest
            found = self._kept[part] = packed(self._passing(part))
        return found

    def of_parts(self, parts: Sequence[Part]) -> Words:
        """The rows that pass all parts."""
        covered = self.everything
        for part in parts:
            covered = covered & self.of_part(part)
        return covered

    def weight(self, sets: Words) -> Floats:
        """(n,): the weight of each of n sets of rows."""
        weight: Floats = self.shared_weight(sets, self.everything[np.newaxis])[0]
        return weight

    def shared_weight(self, sets: Words, within: Words) -> Floats:
        """(m, n): the weight of the rows that each of n sets shares with each of m others."""
        return shared_weights(sets, within, self._weights)

    def weight_without_each(self, parts: Words, prediction: int) -> tuple[list[float], list[float]]:
        """The weight of the rule without each of its parts and with all, and that of its errors.

        `parts` are the rows that pass each part.
        """
        wrong = self._not_of_class[prediction]
        found = weights_without_each(parts, self.everything, wrong, self._weights)
        weights, errors = found.tolist()
        return weights, errors

    def mask(self, rows: Words) -> Mask:
        """(n_rows,): one set of rows as a mask."""
        return np.unpackbits(rows.view(np.uint8), count=self.n_rows).view(np.bool_)

    def _passing(self, part: Part) -> Mask:
        if part.feature not in self._asked:
            spec = self._schema.columns[part.feature]
            condition = Condition((part.feature,), (spec,), (), ())
            values, is_missing = asked_values(condition, self._table)
            self._asked[part.feature] = (condition, np.ascontiguousarray(values), is_missing)
        return missing_and_passing(part.question, *self._asked[part.feature])[1]


def summable(weights: Floats) -> Floats:
    """The weights, rounded so that all their sums are exact: the order of rows has no effect.

    They become multiples of a power of two that is 2^-52 of the total, or up to twice that.

    >>> summable(np.array([0.5, 2.0, 7.0])).tolist()
    [0.5, 2.0, 7.0]
    """
    _, exponent = np.frexp(weights.sum())
    shift = 52 - int(exponent)
    return np.ldexp(np.rint(np.ldexp(weights, shift)), -shift)


def padded(weights: Floats, n_bits: int) -> Floats:
    """The weights of rows, and 0 for the bits beyond them."""
    return np.concatenate([weights, np.zeros(n_bits - len(weights))])


def packed(mask: Mask) -> Words:
    """A mask of rows as bits."""
    bits = np.zeros(-(-len(mask) // 64) * 8, dtype=np.uint8)
    some = np.packbits(mask)
    bits[: len(some)] = some
    return bits.view(np.uint64)
