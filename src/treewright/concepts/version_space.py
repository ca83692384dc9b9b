"""Version spaces (Mitchell): two boundaries that every example brings closer together.

All consistent hypotheses lie between the most specific and the most general ones.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from treewright.concepts.language import (
    Hypothesis,
    Row,
    covers,
    is_at_least_as_general,
    least_generalization,
    least_specializations,
    most_general,
    most_specific,
)

MOST_GENERAL = 1000  # maximum size of G, which may grow exponentially


@dataclass(frozen=True, slots=True)
class VersionSpace:
    """The boundaries: every hypothesis between them is consistent with the examples so far."""

    specific: tuple[Hypothesis, ...]
    general: tuple[Hypothesis, ...] | None  # None once there were too many
    n_levels: tuple[int, ...]  # of each column

    @classmethod
    def whole(cls, n_levels: Sequence[int]) -> "VersionSpace":
        """The space before any example: all hypotheses of the language."""
        n_columns = len(n_levels)
        return cls((most_specific(n_columns),), (most_general(n_columns),), tuple(n_levels))

    @property
    def is_empty(self) -> bool:
        """Whether no hypothesis is consistent with the examples."""
        return not self.specific or (self.general is not None and not self.general)

    def after(self, row: Row, *, is_positive: bool) -> "VersionSpace":
        """The version space after another example.

        >>> space = VersionSpace.whole((2, 3)).after((0, 1), is_positive=True)
        >>> space.after((0, 2), is_positive=False).general
        ((-1, 1),)
        """
        return self._after_positive(row) if is_positive else self._after_negative(row)

    def _after_positive(self, row: Row) -> "VersionSpace":
        grown = (least_generalization(one, row) for one in self.specific)
        if self.general is None:
            return replace(self, specific=_minimal(grown))
        general = tuple(one for one in self.general if covers(one, row))
        specific = (one for one in grown if any(is_at_least_as_general(g, one) for g in general))
        return VersionSpace(_minimal(specific), general, self.n_levels)

    def _after_negative(self, row: Row) -> "VersionSpace":
        specific = tuple(one for one in self.specific if not covers(one, row))
        if self.general is None:
            return replace(self, specific=specific)
        general = [one for one in self.general if not covers(one, row)]
        smaller = (
            one
            for covering in self.general
            if covers(covering, row)
            for one in least_specializations(covering, row, self.n_levels)
            if any(is_at_least_as_general(one, s) for s in specific)
        )
        # New hypotheses are never more general than each other: each has a new condition in only
        # one column.
        n_kept = len(general)
        for one in dict.fromkeys(smaller):
            if not any(is_at_least_as_general(kept, one) for kept in general[:n_kept]):
                general.append(one)
            if len(general) > MOST_GENERAL:
                return VersionSpace(specific, None, self.n_levels)
        return VersionSpace(specific, tuple(general), self.n_levels)


def _minimal(hypotheses: Iterable[Hypothesis]) -> tuple[Hypothesis, ...]:
    """The hypotheses that are not more general than another one."""
    found = tuple(dict.fromkeys(hypotheses))
    return tuple(
        one
        for one in found
        if not any(one != other and is_at_least_as_general(one, other) for other in found)
    )
