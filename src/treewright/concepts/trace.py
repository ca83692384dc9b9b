"""What each example does to the boundaries, step by step."""

from collections.abc import Iterator
from dataclasses import dataclass

from treewright.concepts.base import Examples
from treewright.concepts.hypothesis import (
    Hypothesis,
    Row,
    covers,
    is_at_least_as_general,
    least_generalization,
)
from treewright.concepts.language import Language
from treewright.concepts.version_space import VersionSpace

Fate = tuple[str, str]  # a hypothesis, and what became of it


@dataclass(frozen=True, slots=True)
class Step:
    """One example, and the boundaries before and after it."""

    number: int  # from 1
    row: Row
    is_positive: bool
    before: VersionSpace
    after: VersionSpace

    def fates_of_specific(self, language: Language) -> Iterator[Fate]:
        """What becomes of S."""
        for one in self.before.specific:
            if not self.is_positive:
                kept = not covers(one, self.row)
                yield language.text(one), "does not cover it" if kept else "covers it: dropped"
                continue
            grown = least_generalization(one, self.row)
            if grown not in self.after.specific:
                yield language.text(grown), "covers a negative example: dropped"
            elif grown == one:
                yield language.text(one), "covers it"
            else:
                yield language.text(grown), f"generalised from {language.text(one)}"

    def fates_of_general(self, language: Language) -> Iterator[Fate]:
        """What becomes of each hypothesis of G; nothing once there are too many."""
        if self.before.general is None or self.after.general is None:
            return
        for one in self.before.general:
            if one in self.after.general:
                yield language.text(one), "covers it" if self.is_positive else "does not cover it"
            elif self.is_positive:
                yield language.text(one), "does not cover it: dropped"
            else:
                yield from self._specialised(one, self.after.general, language)

    def _specialised(
        self, one: Hypothesis, general: tuple[Hypothesis, ...], language: Language
    ) -> Iterator[Fate]:
        known = self.before.general or ()
        smaller = [s for s in general if s not in known and is_at_least_as_general(one, s)]
        if not smaller:
            yield language.text(one), "covers it, and nothing below it is above S: dropped"
        for found in smaller:
            yield language.text(found), f"specialised from {language.text(one)}"


def steps(examples: Examples, end: int | None, most: int) -> Iterator[Step]:
    """The first examples one by one, up to the one that empties the space."""
    space = VersionSpace.whole(examples.language.n_levels)
    n_rows = len(examples.rows) if end is None else end + 1
    for at in range(min(n_rows, most)):
        row = tuple(examples.rows[at].tolist())
        is_positive = bool(examples.is_positive[at])
        after = space.after(row, is_positive=is_positive)
        if at == end:
            after = VersionSpace((), after.general, after.n_levels)
        yield Step(at + 1, row, is_positive, space, after)
        space = after
