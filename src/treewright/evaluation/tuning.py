"""The result of a search: a table of candidates, the best, and the chosen one."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.errors import DataError
from treewright.evaluation.evaluation import Evaluation
from treewright.evaluation.scores import ERRORS, TITLES
from treewright.plain_text import aligned, interval_text, score_text
from treewright.result import Record, Result, records_of

MOST_SHOWN = 30


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuning(Result):
    """Candidates with their scores on the same splits.

    The best has the best mean. The 1-SE rule takes the smallest model whose mean is within one
    standard error of it (standard deviation of the best over the splits / root of their number).
    """

    measure: str
    candidates: tuple[dict[str, Any], ...]
    scores: Floats  # (n_candidates, n_splits); NaN where halving left a candidate behind
    n_leaves: Floats  # (n_candidates,): or rules, on average; NaN for other models
    one_standard_error: bool
    model: Any  # the chosen settings, fitted to all rows
    nested: Evaluation | None = None  # the whole search, evaluated on held-out rows
    by_rules: bool = False  # rules are counted in place of leaves
    rounds: tuple[
        tuple[int, int], ...
    ] = ()  # (candidates, rows they learned from), the last of all

    @property
    def means(self) -> Floats:
        """Mean score of each candidate over the splits that define it; NaN if none does."""
        return mean_of_defined(self.scores)

    @property
    def errors(self) -> Floats:
        """Standard error of each mean."""
        found = np.full(len(self.scores), np.nan)
        for at, scores in enumerate(self.scores):
            defined = scores[~np.isnan(scores)]
            if len(defined) > 1:
                found[at] = defined.std(ddof=1) / np.sqrt(len(defined))
        return found

    @property
    def best(self) -> int:
        """The candidate with the best mean; of equal ones the first."""
        return best_of(self.means, self.measure)

    @property
    def chosen(self) -> int:
        """The candidate that the model is made of."""
        return chosen_of(self)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that were chosen."""
        return self.candidates[self.chosen]

    def _facts(self) -> Record:
        return {
            "measure": self.measure,
            "chosen": self.settings,
            "best": self.candidates[self.best],
            "one_standard_error": self.one_standard_error,
            "candidates": records_of(
                {
                    "settings": self.candidates,
                    "mean": self.means,
                    "error": self.errors,
                    "leaves": self.n_leaves,
                }
            ),
            "nested": self.nested,
        }

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        mean = score_text(float(self.means[self.chosen]))
        return f"<Tuning: {chosen}: {TITLES[self.measure]} {mean}, {len(self.candidates)} tried>"

    def to_text(self) -> str:
        """The best candidates, then which was chosen."""
        order = sorted(range(len(self.candidates)), key=self._rank)
        listed = order[:MOST_SHOWN]
        if self.chosen not in listed:
            listed.append(self.chosen)
        names = list(self.candidates[0])
        title = TITLES.get(self.measure, self.measure)
        head = ["", *names, title, "standard error", "rules" if self.by_rules else "leaves"]
        rows = [head, *(self._line(at, names) for at in listed)]
        if np.isnan(self.n_leaves).all():  # a model without leaves
            rows = [row[:-1] for row in rows]
        lines = aligned(rows)
        if len(listed) < len(order):
            lines.append(f"... {len(order) - len(listed)} more candidates")
        lines += ["", *self._rounds(), self._verdict()]
        if self.nested is not None:
            found = self.nested.interval(self.measure)
            between = interval_text(found.low, found.high)
            lines.append(f"nested cross-validation: {title} {score_text(found.mean)} ({between})")
        return "\n".join(lines)

    def _rank(self, at: int) -> tuple[bool, float]:
        mean = self.means[at]
        return bool(np.isnan(mean)), float(mean if self.measure in ERRORS else -mean)

    def _line(self, at: int, names: list[str]) -> list[str]:
        mark = "*" if at == self.chosen else "+" if at == self.best else ""
        mean, error, leaves = self.means[at], self.errors[at], self.n_leaves[at]
        return [
            mark,
            *(str(self.candidates[at][name]) for name in names),
            "dropped" if np.isnan(mean) else score_text(mean),
            "" if np.isnan(error) else score_text(error),
            "" if np.isnan(leaves) else f"{leaves:.1f}",
        ]

    def _rounds(self) -> list[str]:
        if len(self.rounds) < 2:
            return []
        rounds = ", then ".join(f"{n_tried} on {n_rows:,} rows" for n_tried, n_rows in self.rounds)
        return [f"candidates: {rounds}"]

    def _verdict(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        if self.chosen == self.best:
            n_left = int((~np.isnan(self.means)).sum())
            among = "" if n_left == len(self.candidates) else f" of the {n_left} that were left"
            return f"* chosen: {settings} (the best mean{among})"
        return f"* chosen: {settings} (the smallest within one standard error of the best, +)"


def mean_of_defined(scores: Floats) -> Floats:
    """Mean of each line without its NaN; NaN for a line that has nothing else.

    >>> mean_of_defined(np.array([[0.5, np.nan, 1.0], [np.nan, np.nan, np.nan]])).tolist()
    [0.75, nan]
    """
    n_defined = (~np.isnan(scores)).sum(axis=1)
    found = np.full(len(scores), np.nan)
    np.divide(np.nansum(scores, axis=1), n_defined, out=found, where=n_defined > 0)
    return found


def best_of(means: Floats, measure: str) -> int:
    """The position of the best mean."""
    if np.isnan(means).all():
        raise DataError(
            f"no split defines the measure `{measure}`", hint="use fewer folds or another measure"
        )
    return int(np.nanargmin(means) if measure in ERRORS else np.nanargmax(means))


def chosen_of(tuning: Tuning) -> int:
    """The candidate that the rule chooses."""
    best, means = tuning.best, tuning.means
    error = tuning.errors[best]
    if not tuning.one_standard_error or np.isnan(error) or np.isnan(tuning.n_leaves).all():
        return best
    sign = 1 if tuning.measure in ERRORS else -1
    is_near = sign * (means - means[best]) <= error
    near = [at for at in range(len(means)) if is_near[at] and not np.isnan(tuning.n_leaves[at])]
    return min(near, key=lambda at: (tuning.n_leaves[at], sign * means[at]))
