"""What a fitted concept learner offers: its hypotheses and explanations."""

from typing import TYPE_CHECKING, Any, TypeVar

from treewright.concepts.agreement import Codes, Mask, can_be_covered, covered
from treewright.concepts.fitted import FittedConcept, FittedFindS, FittedVersionSpace
from treewright.concepts.language import Language
from treewright.concepts.version_space import MOST_GENERAL
from treewright.estimators.reading import OtherModel, Readable
from treewright.estimators.rows import changed_row

if TYPE_CHECKING:
    from treewright.documents.printed import Printed

MOST_SHOWN = 10  # hypotheses of a boundary in a summary

State = TypeVar("State", bound=FittedConcept)


class ConceptReading(OtherModel, Readable[State]):
    """A mixin: a concept as a conjunction of values."""

    specific_: Codes
    positive_code_: int
    n_positive_: int
    n_negative_: int

    @property
    def positive_(self) -> Any:
        """The class whose rows are the positive examples."""
        state = self.state_
        assert state.classes is not None
        return state.classes.tolist()[state.positive_code]

    @property
    def language_(self) -> Language:
        """The columns and the values that hypotheses may ask for."""
        return self.state_.language

    def explain(self, row: Any, **changes: Any) -> "Printed":
        """The conditions of the most specific hypothesis, and which of them a row meets.

        Candidate elimination also counts the hypotheses that cover the row.
        """
        from treewright.concepts.row_page import RowPage

        return RowPage.of(self, changed_row(row, self.schema_, changes))


class FindSReading(ConceptReading[FittedFindS]):
    """A mixin: the most specific hypothesis."""

    n_covered_negatives_: int

    @property
    def hypothesis_(self) -> dict[str, str]:
        """The conditions: column and value."""
        return self.language_.conditions(self.specific_.tolist())

    def summary(self) -> str:
        """The hypothesis as a rule, and the training rows that it covers."""
        rule = self.language_.rule(self.positive_, self.specific_.tolist())
        wrong = self.n_covered_negatives_
        return (
            f"FindS: {rule}\n"
            f"covers {self.n_positive_} of {self.n_positive_} positive rows, {wrong} of "
            f"{self.n_negative_} negative ones"
        )


class VersionSpaceReading(ConceptReading[FittedVersionSpace]):
    """A mixin: the hypotheses between the boundaries S and G."""

    general_: Codes | None
    emptied_by_: int | None
    n_set_aside_: int

    @property
    def is_empty_(self) -> bool:
        """Whether no hypothesis is consistent with all training rows."""
        return self.state_.emptied_by is not None

    @property
    def n_hypotheses_(self) -> int | None:
        """Number of consistent hypotheses; None if S has more than 20 conditions."""
        counted = self.state_.counted
        return None if counted is None else counted.total

    def is_certain(self, X: Any) -> Mask:
        """For which rows all consistent hypotheses agree.

        >>> import treewright as tw
        >>> X, y = tw.load_sample("shapes")
        >>> tw.CandidateElimination().fit(X, y).is_certain(X).all()
        np.True_
        """
        state = self.state_
        rows = state.codes(X, self)
        possible = can_be_covered(state.specific, state.misses, rows)
        return covered(state.specific, rows) | ~possible

    def summary(self) -> str:
        """The boundaries, and the number of hypotheses between them."""
        lines = [f"CandidateElimination: {self._count_text()}"]
        lines.append(f"S  {self.language_.text(self.specific_.tolist())}")
        general, most = self.general_, MOST_SHOWN
        texts = [f"more than {MOST_GENERAL:,} hypotheses"]
        if general is not None:
            texts = [self.language_.text(one) for one in general[:most].tolist()]
            texts += [f"... {len(general) - most} more"] if len(general) > most else []
        lines += [f"{' ' if at else 'G'}  {one}" for at, one in enumerate(texts)]
        return "\n".join(lines)

    def _count_text(self) -> str:
        """The number of consistent hypotheses, in words."""
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
