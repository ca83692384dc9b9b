"""The fitted state of a readable tree: the tree, and what it was chosen from."""

import math
from dataclasses import dataclass, fields
from typing import Any, Self

from treewright.data.schema import with_keys
from treewright.errors import ModelFileError
from treewright.persistence.values import Arrays
from treewright.plain_text import aligned
from treewright.result import Result
from treewright.single_trees.fitted import FittedTree

CANDIDATES = "candidates"  # a key of the file


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to a tree, and how it did in cross-validation."""

    way: str
    leaves: int  # at most, the number that did best
    shrinkage: float  # the strength that did best
    score: float  # log loss or root mean squared error; lower is better
    chosen: bool


@dataclass(frozen=True, slots=True, repr=False)
class Choice(Result):
    """The ways to a readable tree that were compared, the chosen one first; and boosted trees."""

    candidates: tuple[Candidate, ...]
    measure: str  # log loss or RMSE, of rows that were not learned from; lower is better
    n_folds: int  # 0: too few rows to compare
    n_rows: int  # that were compared on
    ensemble_score: float | None  # of boosted trees on the same folds; None: not fitted
    # Training errors, as a share of the weight, that the best tree of the same depth and leaves
    # saves; None where finding it would take too long.
    optimality_gap: float | None = None

    @property
    def chosen(self) -> Candidate:
        """The way that the tree was made."""
        return next(one for one in self.candidates if one.chosen)

    @property
    def verdict(self) -> str:
        """The chosen way in one sentence, and what the ensemble would gain."""
        chosen = self.chosen
        if not self.n_folds:
            return f"Made by: {chosen.way}. There are too few rows to compare it with others."
        n_ways = len(self.candidates)
        least = min(one.score for one in self.candidates)
        compared = f"best of {n_ways} ways"
        if chosen.score > least:
            compared = f"within one standard error of the best of {n_ways} ways"
        text = (
            f"Made by: {chosen.way}, {compared} in {self.n_folds}-fold cross-validation "
            f"({self.measure} {chosen.score:.4g})."
        )
        if self.ensemble_score is None:
            return text
        if self.ensemble_score < chosen.score:
            saved = 1.0 - self.ensemble_score / chosen.score
            lower = f"lower it by {100 * saved:.0f} %, to {self.ensemble_score:.4g}"
            return f"{text} Boosted trees would {lower}."
        return f"{text} Boosted trees are not better ({self.ensemble_score:.4g})."

    @property
    def others(self) -> str:
        """The ways that were not chosen, with their scores, in one sentence; "" without any."""
        words = [
            f"{one.way} {one.score:.4g} ({one.leaves} leaves)"
            for one in self.candidates
            if not one.chosen
        ]
        return f"Other ways by {self.measure}: {'; '.join(words)}." if words else ""

    def to_text(self) -> str:
        """The verdict, and a table of the candidates."""
        lines = [
            [
                one.way + (" *" if one.chosen else ""),
                str(one.leaves),
                f"{one.shrinkage:g}",
                f"{one.score:.4g}" if self.n_folds else "-",
            ]
            for one in self.candidates
        ]
        if self.ensemble_score is not None:
            lines.append(["boosted trees", "-", "-", f"{self.ensemble_score:.4g}"])
        head = ["way", "leaves", "shrinkage", self.measure]
        return "\n".join([self.verdict, "", *aligned([head, *lines])])

    @classmethod
    def from_dict(cls, data: object) -> "Choice":
        """The choice that `to_dict` wrote, checked."""
        entry = checked_entry(data, cls, "candidates")
        listed = entry.pop("candidates")
        if type(listed) is not list:
            raise ModelFileError("candidates: not a list")
        candidates = tuple(Candidate(**checked_entry(one, Candidate)) for one in listed)
        if sum(one.chosen for one in candidates) != 1:
            raise ModelFileError("candidates: not one of them is chosen")
        return cls(candidates, **entry)


def checked_entry(data: object, kind: Any, *unchecked: str) -> dict[str, Any]:
    """The fields of a dataclass from a file; an error unless names and types are right."""
    known = {field.name: field.type for field in fields(kind)}
    entry = with_keys(data, set(known), CANDIDATES)
    for name, wanted in known.items():
        value = entry[name]
        if name in unchecked or (value is None and wanted == float | None):
            continue
        if type(value) is not (float if wanted == float | None else wanted):
            raise ModelFileError(f"candidates: `{name}` has the wrong type")
        if type(value) in (int, float) and not 0 <= value < math.inf:
            raise ModelFileError(f"candidates: `{name}` is negative or not finite")
    return dict(entry)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedReadableTree(FittedTree):
    """A tree, and what it was chosen from."""

    candidates: Choice

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        entry, arrays = super().to_parts()
        entry[CANDIDATES] = self.candidates.to_dict()
        return entry, arrays

    @classmethod
    def from_parts(cls, data: object, arrays: Arrays) -> Self:
        if type(data) is not dict or CANDIDATES not in data:
            raise ModelFileError("model: the candidates of a readable tree are missing")
        others = {key: value for key, value in data.items() if key != CANDIDATES}
        plain = FittedTree.from_parts(others, arrays)
        own = {field.name: getattr(plain, field.name) for field in fields(plain)}
        state = cls(**own, candidates=Choice.from_dict(data[CANDIDATES]))
        state.check()
        return state
