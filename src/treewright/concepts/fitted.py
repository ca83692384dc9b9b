"""The fitted states of concept learners: how they predict, and what a model file may hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.cached import cached_property
from treewright.concepts.agreement import Codes, Counted, Mask, can_be_covered, covered
from treewright.concepts.language import ANY, Cuts, Language
from treewright.errors import ModelFileError
from treewright.estimators.fitted import Fitted, Settings, learned
from treewright.persistence.values import VALUES, WHOLE, ints, optional

UNSURE = 0.5  # the share of a row where hypotheses are too many to be counted


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedConcept(Fitted):
    """The most specific hypothesis, and the language that it is written in."""

    specific: Codes = learned(ints(1))
    positive_code: int = learned(WHOLE)
    cuts: Cuts = learned(VALUES)
    n_positive: int = learned(WHOLE)
    n_negative: int = learned(WHOLE)

    @cached_property
    def language(self) -> Language:
        """The columns and the values that hypotheses may ask for."""
        return Language.of(self.schema, self.cuts)

    def shares(self, rows: Codes) -> NDArray[np.float64]:
        """How likely each row is to belong to the concept."""
        raise NotImplementedError

    def codes(self, X: Any, settings: Settings) -> Codes:
        """The rows of X as category codes."""
        return self.language.codes(self.encode(X, settings))

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        return self.class_labels(self.predict_proba(X, settings))

    def predict_proba(self, X: Any, settings: Settings) -> NDArray[np.float64]:
        return self.probabilities(self.codes(X, settings))

    def probabilities(self, rows: Codes) -> NDArray[np.float64]:
        """(n_rows, n_classes): the share of the hypotheses that predict each class."""
        if self.n_classes == 1:
            return np.ones((len(rows), 1))
        shares = self.shares(rows)
        both = np.column_stack([1 - shares, shares])
        return both if self.positive_code == 1 else np.ascontiguousarray(both[:, ::-1])

    def check(self) -> None:
        n_classes = 0 if self.classes is None else len(self.classes)
        if n_classes > 2 or self.positive_code >= n_classes:
            raise ModelFileError("learned: a concept has a positive class and at most another")
        cuts_fit = len(self.cuts) == self.n_features_in and all(
            are_cuts(cuts) if spec.is_numeric else cuts is None
            for cuts, spec in zip(self.cuts, self.schema.columns, strict=True)
        )
        if not cuts_fit:
            raise ModelFileError("learned: `cuts_` does not fit the columns")
        check_hypotheses(self.specific[np.newaxis], self.language)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedFindS(FittedConcept):
    reading = "treewright.concepts.reading.FindSReading"

    n_covered_negatives: int = learned(WHOLE)

    def shares(self, rows: Codes) -> NDArray[np.float64]:
        return covered(self.specific, rows).astype(np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedVersionSpace(FittedConcept):
    """S, G and what keeps them apart."""

    reading = "treewright.concepts.reading.VersionSpaceReading"

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


def are_cuts(cuts: Any) -> bool:
    """Whether these are rising numbers."""
    if type(cuts) is not tuple or not all(type(cut) is float for cut in cuts):
        return False
    array = np.array(cuts, dtype=np.float64)
    return bool(np.isfinite(array).all() and (np.diff(array) > 0).all())


def check_hypotheses(hypotheses: Codes, language: Language) -> None:
    """Raise a `ModelFileError` unless each asks for levels that the columns have."""
    n_levels = np.array(language.n_levels, dtype=np.int64)
    if hypotheses.shape[1] != len(n_levels):
        raise ModelFileError("learned: a hypothesis of another number of columns")
    if ((hypotheses < ANY) | (hypotheses >= n_levels)).any():
        raise ModelFileError("learned: a hypothesis asks for a level that is not there")
