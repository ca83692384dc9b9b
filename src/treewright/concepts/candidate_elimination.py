"""Candidate elimination: all conjunctions consistent with the examples."""

from typing import Any

import numpy as np

from treewright.concepts.agreement import (
    Codes,
    covered,
    emptied_by,
    general_boundary,
    near_misses,
    specific_of,
)
from treewright.concepts.base import ConceptLearner, Examples, why_empty
from treewright.concepts.fitted import FittedVersionSpace
from treewright.concepts.reading import VersionSpaceReading
from treewright.concepts.version_space import MOST_GENERAL
from treewright.documents.printed import Printed
from treewright.errors import DataError
from treewright.estimators.declaration import param, set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.training import TrainingRows, warn_user


class CandidateElimination(VersionSpaceReading, ConceptLearner[FittedVersionSpace]):
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
            self._report_empty_space(examples, end)
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

    def _report_empty_space(self, examples: Examples, end: int) -> None:
        problem = why_empty(examples, end)
        hint = "tw.ID3Classifier grows a tree, which can express `or`"
        if self.when_empty == "error":
            raise DataError(f"no conjunction agrees with all rows: {problem}", hint=hint)
        row = int(examples.positions[end])
        warn_user(
            f"CandidateElimination: the version space is empty after row {row}: {problem}. "
            f"Negative rows that cannot be separated are ignored; {hint}"
        )

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        from treewright.concepts.sheet import EliminationSheet

        return EliminationSheet.of(self, X, y, sample_weight)
