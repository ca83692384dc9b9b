"""A number for each row that only its values decide: not its place, nor the order of categories.

Rows that are dealt out by their hashes land where they land in any order of the table, and equal
rows land together. Numbers count by their rank in the column, so that the unit has no effect.
"""

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.table import Table

Hashes = NDArray[np.uint64]

# The finalizer of splitmix64: a change of one bit changes about half of the bits.
FACTORS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
STEP = np.uint64(0x9E3779B97F4A7C15)


def row_hashes(
    table: Table,
    target: NDArray[Any],
    seed: int,
    ranks_of: Callable[[int], Hashes] | None = None,
) -> Hashes:
    """One hash for each row and its target (numbers, or codes of classes); equal ones are equal.

    `ranks_of`, if given, knows the ranks of a column of numbers, by its position.

    >>> from treewright.data.sources import table_from
    >>> table = table_from({"size": [1.0, 2.0, 1.0], "color": ["red", "blue", "red"]})
    >>> hashes = row_hashes(table, np.array([0, 1, 0]), seed=0)
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    found: Hashes = np.full(table.n_rows, seed, dtype=np.uint64)
    for at, column in enumerate(table.columns):
        is_known = ranks_of is not None and has_own_ranks(column)
        mix_in(found, ranks_of(at) if ranks_of and is_known else bits_of_column(column))
    mix_in(found, bits_of_numbers(target))
    return found


def mix_in(hashes: Hashes, bits: Hashes) -> None:
    """Put one more value of each row into its hash."""
    hashes += STEP
    hashes ^= bits
    for shift, factor in zip(SHIFTS, FACTORS, strict=False):
        hashes ^= hashes >> shift
        hashes *= factor
    hashes ^= hashes >> SHIFTS[-1]


def bits_of_column(column: Column) -> Hashes:
    """The values of a column as integers; a missing value has one of its own."""
    if not isinstance(column, NominalColumn):
        return bits_of_numbers(column.values)
    missing = np.zeros(1, dtype=np.uint64)  # read by negative codes
    by_code = np.concatenate([bits_of_categories(column.levels), missing])
    return by_code[np.maximum(column.codes, -1)]


def has_own_ranks(column: Column) -> bool:
    """Whether growth ranks the values as `bits_of_numbers`: it takes minus infinity for finite."""
    return isinstance(column, NumericColumn) and not np.isneginf(column.values).any()


def bits_of_numbers(values: NDArray[Any]) -> Hashes:
    """The rank of each number among the different ones; missing values are one, the last."""
    ranks = np.unique(values, return_inverse=True)[1]
    return ranks.astype(np.uint64)


def bits_of_categories(levels: Any) -> Hashes:
    """A hash of the text of each category."""
    texts = [str(level).encode("utf-8", "surrogatepass") for level in levels]
    digests = [blake2b(text, digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
