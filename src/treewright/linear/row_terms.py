"""`model.explain(row)` of a linear model: what each column of one row adds to the prediction."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from treewright.data.table import Table
from treewright.documents.page import Block, Document, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.estimators.rows import row_table
from treewright.explanations.conditions import chance_text, label
from treewright.linear.fitted import FittedLinear
from treewright.plain_text import percent

if TYPE_CHECKING:
    from treewright.linear.reading import LinearReading


MOST_COLUMNS = 40  # with a line of their own


@dataclass(frozen=True, slots=True)
class ColumnTerm:
    """What one column of the row adds to each score."""

    column: str
    value: Any  # as given; None if missing
    coefficients: tuple[float, ...]  # one for each score
    adds: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class RowTerms(Printed):
    """The prediction for one row as a sum: the intercept and what each column adds."""

    prediction: Any  # a class or a number
    probabilities: dict[Any, float]  # of each class; empty for numbers
    scores: dict[str, float]  # what the terms add up to, by what it is called
    intercepts: tuple[float, ...]
    terms: tuple[ColumnTerm, ...]  # in the order of the columns

    def document(self) -> Document:
        """The page before it is rendered."""
        return Document(f"Why {label(self.prediction)}?", tuple(self._blocks()))

    def _blocks(self) -> Iterator[Block]:
        sure = chance_text(self.prediction, self.probabilities)
        yield Paragraph.of(f"prediction: {label(self.prediction)}{sure}")
        yield self._table_of_one() if len(self.scores) == 1 else self._table_of_many()
        if len(self.terms) > MOST_COLUMNS:
            yield Note(f"the {MOST_COLUMNS} columns that add most; the sum has all of them")
        if self.probabilities:
            chances = ", ".join(
                f"{label(name)} {percent(one)}" for name, one in self.probabilities.items()
            )
            yield Paragraph.of(f"probabilities: {chances}")

    def _shown(self) -> list[ColumnTerm]:
        if len(self.terms) <= MOST_COLUMNS:
            return list(self.terms)
        return sorted(self.terms, key=lambda term: -max(map(abs, term.adds)))[:MOST_COLUMNS]

    def _table_of_one(self) -> SheetTable:
        (name,), (total,) = self.scores, self.scores.values()
        lines = [("intercept", "", "", f"{self.intercepts[0]:.6g}")]
        lines += [
            (term.column, value_text(term.value), f"{term.coefficients[0]:.6g}", signed(term))
            for term in self._shown()
        ]
        lines.append((name, "", "", f"{total:.6g}"))
        ends = frozenset({0, len(lines) - 1})
        columns = ("column", "the row has", "coefficient", "adds")
        return SheetTable(columns, tuple(lines), "llrr", marked=ends)

    def _table_of_many(self) -> SheetTable:
        lines = [("intercept", "", *(f"{one:.6g}" for one in self.intercepts))]
        lines += [
            (term.column, value_text(term.value), *(f"{one:+.6g}" for one in term.adds))
            for term in self._shown()
        ]
        lines.append(("together", "", *(f"{one:.6g}" for one in self.scores.values())))
        ends = frozenset({0, len(lines) - 1})
        columns = ("column", "the row has", *self.scores)
        return SheetTable(columns, tuple(lines), "ll" + "r" * len(self.scores), marked=ends)

    def __repr__(self) -> str:
        return f"<RowTerms: {self.prediction} by {len(self.terms)} columns>"


def row_terms(model: "LinearReading[Any]", row: Any) -> RowTerms:
    """The prediction for one row as a sum of what its columns add."""
    state = model.state_
    given = row_table(row, state.schema)
    encoded = model.encode_rows(given, state)
    scores = state.scores(given, model)[0].tolist()
    probabilities: dict[Any, float] = {}
    if state.classes is not None:
        shares = state.predict_proba(given, model)[0].tolist()
        probabilities = dict(zip(state.classes.tolist(), shares, strict=True))
    return RowTerms(
        prediction=state.predict(given, model)[0],
        probabilities=probabilities,
        scores=dict(zip(state.left_sides, scores, strict=True)),
        intercepts=tuple(state.by_output[0].tolist()),
        terms=tuple(column_terms(state, given, encoded)),
    )


def column_terms(
    state: FittedLinear, given: Table, encoded: Table | NDArray[Any]
) -> Iterator[ColumnTerm]:
    """What each column has and adds."""
    coded, coefficients = state.coded(encoded)
    terms = state.terms
    number_at = {column: 1 + at for at, column in enumerate(terms.number_columns)}
    slot_at = {places.column: at for at, places in enumerate(terms.nominal)}
    for at, column in enumerate(given.columns):
        if at in number_at:
            of_column = coefficients[:, number_at[at]]
            adds = of_column * coded.numbers[0, number_at[at]] + 0.0  # no minus before a zero
        else:
            slot = int(coded.slots[0, slot_at[at]])
            adds = of_column = coefficients[:, coded.n_numbers + slot]
        name = terms.schema.names[at]
        yield ColumnTerm(name, column.value(0), tuple(of_column.tolist()), tuple(adds.tolist()))


def value_text(value: Any) -> str:
    """A value of the row, or that it is missing."""
    if value is None:
        return "(missing)"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def signed(term: ColumnTerm) -> str:
    return f"{term.adds[0]:+.6g}"
