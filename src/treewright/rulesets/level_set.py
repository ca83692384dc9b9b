"""Sets of levels that stay small however many levels a column has."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LevelSet:
    """Codes of a nominal column: those listed, or every code but those listed."""

    codes: frozenset[int]
    excluded: bool = False  # the set holds every code but `codes`

    def __and__(self, other: "LevelSet") -> "LevelSet":
        if other.is_everything:
            return self
        if self.excluded and other.excluded:
            return LevelSet(self.codes | other.codes, excluded=True)
        if other.excluded:
            return LevelSet(self.codes - other.codes)
        if self.excluded:
            return LevelSet(other.codes - self.codes)
        return LevelSet(self.codes & other.codes)

    def __contains__(self, code: int) -> bool:
        return (code in self.codes) != self.excluded

    @property
    def is_empty(self) -> bool:
        return not self.excluded and not self.codes

    @property
    def is_everything(self) -> bool:
        return self.excluded and not self.codes

    def within(self, n_levels: int) -> tuple[int, ...]:
        """The codes below `n_levels` that are in the set, ascending."""
        if self.excluded:
            return tuple(code for code in range(n_levels) if code not in self.codes)
        return tuple(sorted(self.codes))

    def mask(self, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of the `codes` are in the set."""
        listed = np.fromiter(self.codes, dtype=np.int32, count=len(self.codes))
        found = codes == listed[0] if len(listed) == 1 else np.isin(codes, listed)
        return ~found if self.excluded else found


EVERY_LEVEL = LevelSet(frozenset(), excluded=True)
