"""Candidate elimination: all conjunctions that agree with the examples, by their boundaries."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.cached import cached_property
from treewright.concepts.agreement import (
    Codes,
    Counted,
    Mask,
    can_be_covered,
    covered,
    emptied_by,
    general_boundary,
    near_misses,
    specific_of,
)
from treewright.concepts.base import (
    ConceptLearner,
    Examples,
    FittedConcept,
    check_hypotheses,
    why_empty,
)
from treewright.concepts.language import ANY
from treewright.concepts.version_space import MOST_GENERAL
from treewright.documents.printed import Printed
from treewright.errors import DataError, ModelFileError
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.fitted import frozen, learned
from treewright.estimators.training import TrainingRows, warn_user
from treewright.persistence.values import WHOLE, ints, optional

UNSURE = 0.5  # the share of a row where hypotheses are too many to be counted
MOST_SHOWN = 10  # hypotheses of a boundary in a summary


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedVersionSpace(FittedConcept):
    """S, G and what keeps them apart."""

    general: Codes | None = learned(optional(ints(2)))
    near_misses: Codes = learned(ints(2))
    emptied_by: int | None = learned(optional(WHOLE))
    n_set_aside: int = learned(WHOLE)

    @property
    def misses(self) -> Mask:
        return self.near_misses.astype(bool)

    @cached_property
    def counted(self) -> Counted | None:
        """The hypotheses that are left; None where S asks too many columns to count them."""
        return Counted(self.specific, self.misses) if Counted.is_possible(self.specific) else None

    def shares(self, rows: Codes) -> NDArray[np.float64]:
        if self.counted is not None:
            return self.counted.covering(rows) / self.counted.total
        possible = can_be_covered(self.specific, self.misses, rows)
        return np.where(covered(self.specific, rows), 1.0, np.where(possible, UNSURE, 0.0))

    def check(self) -> None:
        super().check()
        misses, asked = self.near_misses, self.specific != ANY
        if misses.shape[1] != len(asked) or not np.isin(misses, (0, 1)).all():
            raise ModelFileError("learned: `near_misses_` is not 0 and 1 for each column")
        if misses[:, ~asked].any() or (misses[:, asked].all(axis=1)).any():
            raise ModelFileError("learned: `near_misses_` does not fit S")
        if self.general is not None:
            check_hypotheses(self.general, self.language)
            is_part = (self.general == ANY) | (self.general == self.specific)
            if not len(self.general) or not is_part.all():
                raise ModelFileError("learned: G is not more general than S")


class CandidateElimination(ConceptLearner[FittedVersionSpace]):
    """Candidate elimination: all conjunctions of values consistent with the examples.

    The version space lies between the most specific hypothesis, S, and the most general ones, G
    (Mitchell, 1982). Its hypotheses vote: the probability of the positive class is the share of
    the hypotheses that cover a row, so it is 1 or 0 if all agree. A missing value matches only if
    a hypothesis accepts any value in its column. Rows of weight 0 are ignored; other weights have
    no effect.

    Attributes
    ----------
    specific_
        S as category codes, -1 for any value.
    general_
        G, (n_hypotheses, n_columns); None if there are more than 1000. Predictions do not need it.
    near_misses_
        (n_misses, n_columns): the columns in which the nearest negative rows agree with S.
    emptied_by_
        The row after which the version space was empty; None if it is not empty.
    n_set_aside_
        Number of negative rows that were ignored; 0 unless the version space became empty.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("shapes")
    >>> print(tw.CandidateElimination().fit(X, y).summary())
    CandidateElimination: 1 hypothesis agrees with all 6 rows
    S  [red, circle]
    G  [red, circle]
    """

    state_type = FittedVersionSpace

    when_empty: str = param(
        "warn",
        'What to do if no conjunction is consistent with all rows: "warn" ignores the negative '
        'rows that every conjunction for the positive rows covers, and continues; "error" raises '
        "an error.",
        choices=("warn", "error"),
        before="handle_unknown",
    )

    general_: Codes | None = set_by_fit()
    near_misses_: Codes = set_by_fit()
    emptied_by_: int | None = set_by_fit()
    n_set_aside_: int = set_by_fit()

    def learn(self, rows: TrainingRows) -> FittedVersionSpace:
        examples = self.examples_of(rows)
        end = emptied_by(examples.rows, examples.is_positive)
        if end is not None:
            self._tell_of_empty_space(examples, end)
        specific = specific_of(examples.rows[examples.is_positive])
        negatives = examples.rows[~examples.is_positive]
        is_set_aside = covered(specific, negatives)
        misses = near_misses(specific, negatives[~is_set_aside])
        general = general_boundary(specific, misses, MOST_GENERAL)
        return FittedVersionSpace(
            **self.common_values(examples, frozen(specific)),
            general=None if general is None else frozen(general),
            near_misses=frozen(misses.astype(np.int64)),
            emptied_by=None if end is None else int(examples.positions[end]),
            n_set_aside=int(is_set_aside.sum()),
        )

    def _tell_of_empty_space(self, examples: Examples, end: int) -> None:
        problem = why_empty(examples, end)
        hint = "tw.ID3Classifier grows a tree, which can say `or`"
        if self.when_empty == "error":
            raise DataError(f"no conjunction agrees with all rows: {problem}", hint=hint)
        row = int(examples.positions[end])
        warn_user(
            f"CandidateElimination: the version space is empty after row {row}: {problem}. "
            f"Negative rows that cannot be told apart are set aside; {hint}"
        )

    @property
    def is_empty_(self) -> bool:
        """Whether no hypothesis agrees with all training rows."""
        return self.state_.emptied_by is not None

    @property
    def n_hypotheses_(self) -> int | None:
        """How many hypotheses are left; None where S asks more than 20 columns."""
        counted = self.state_.counted
        return None if counted is None else counted.total

    def is_certain(self, X: Any) -> Mask:
        """Of which rows all hypotheses that are left say the same.

        >>> import treewright as tw
        >>> X, y = tw.load_sample("shapes")
        >>> tw.CandidateElimination().fit(X, y).is_certain(X).all()
        np.True_
        """
        state = self.state_
        rows = self.codes_of(X, state)
        possible = can_be_covered(state.specific, state.misses, rows)
        return covered(state.specific, rows) | ~possible

    def summary(self) -> str:
        """The boundaries, and how many hypotheses lie between them."""
        lines = [f"CandidateElimination: {self._told()}"]
        lines.append(f"S  {self.language_.text(self.specific_.tolist())}")
        lines += [f"{' ' if at else 'G'}  {one}" for at, one in enumerate(self._general_texts())]
        return "\n".join(lines)

    def _told(self) -> str:
        """How many hypotheses are left, in words."""
        n_rows, count = self.n_positive_ + self.n_negative_, self.n_hypotheses_
        rows = f"all {n_rows:,} rows" if n_rows > 1 else "the only row"
        if self.emptied_by_ is not None:
            return (
                f"no hypothesis agrees with {rows}; row {self.emptied_by_} ruled out "
                f"the last\n{self.n_set_aside_} negative rows that S covers are set aside:"
            )
        if count == 1:
            return f"1 hypothesis agrees with {rows}"
        return f"{'many' if count is None else f'{count:,}'} hypotheses agree with {rows}"

    def _general_texts(self) -> list[str]:
        if self.general_ is None:
            return [f"more than {MOST_GENERAL:,} hypotheses"]
        shown = [self.language_.text(one) for one in self.general_[:MOST_SHOWN].tolist()]
        n_more = len(self.general_) - len(shown)
        return [*shown, f"... {n_more} more"] if n_more else shown

    def explain(self, row: Any) -> Printed:
        """How many hypotheses cover a row, and which of the boundaries do."""
        from treewright.concepts.sheet import RowPage

        return RowPage.of(self, row)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        from treewright.concepts.sheet import EliminationSheet

        return EliminationSheet.of(self, X, y, sample_weight)
