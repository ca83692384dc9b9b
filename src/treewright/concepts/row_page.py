"""`model.explain(row)` of concept learners: the conditions that a row meets, and the vote."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.concepts.agreement import Codes, Counted, covered
from treewright.concepts.fitted import FittedVersionSpace
from treewright.concepts.language import ANY
from treewright.data.table import Table
from treewright.documents.page import Block, Document, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.estimators.rows import row_table

if TYPE_CHECKING:
    from treewright.concepts.reading import ConceptReading

MOST_GENERAL_SHOWN = 10  # hypotheses of G on the page


@dataclass(frozen=True, slots=True, repr=False)
class RowPage(Printed):
    """One row, the conditions that it meets, and the vote."""

    model: "ConceptReading[Any]"
    row: Codes  # (n_columns,) category codes
    prediction: Any
    probability: float  # of the positive class

    @classmethod
    def of(cls, model: "ConceptReading[Any]", row: Any) -> "RowPage":
        """The page of a fitted model and one row in any form."""
        state = model.state_
        schema = state.schema
        table = row_table(row, schema)
        if schema.has_names and not table.has_names:
            schema.check_columns(table, model=type(model).__name__)
            table = Table([c.renamed(n) for c, n in zip(table.columns, schema.names, strict=True)])
        codes = state.codes(table, model)
        share = state.predict_proba(table, model)[0, state.positive_code]
        return cls(model, codes[0], state.predict(table, model).tolist()[0], float(share))

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        return Document(f"Prediction: {self.prediction}", tuple(self.blocks(decimals)))

    def blocks(self, decimals: int) -> Iterator[Block]:
        """The conditions of S, the values of the row, and which hypotheses cover it."""
        model, language = self.model, self.model.language_
        asked = model.specific_.tolist()
        lines = [
            (
                name,
                levels[code] if code >= 0 else "missing" if levels else "not cut",
                "any" if wants == ANY else levels[wants],
                "yes" if wants in (ANY, code) else "no",
            )
            for name, levels, code, wants in zip(
                language.names, language.levels, self.row.tolist(), asked, strict=True
            )
        ]
        yield Paragraph.of(
            f"{self.prediction}: the probability of {model.positive_} is "
            f"{self.probability:.{decimals}f}."
        )
        yield SheetTable(("column", "row", "S requires", "met"), tuple(lines), "llll")
        does = "covers" if covered(model.specific_, self.row[np.newaxis])[0] else "does not cover"
        yield Paragraph.of(f"S, {language.text(asked)}, {does} the row.")
        if isinstance(model.state_, FittedVersionSpace):
            yield from vote(model.state_, self.row)


def vote(state: FittedVersionSpace, row: Codes) -> Iterator[Block]:
    """Which hypotheses of G cover the row, and how many of all consistent ones."""
    language = state.language
    if state.general is not None:
        shown = state.general[:MOST_GENERAL_SHOWN]
        lines = tuple(
            (language.text(one.tolist()), "yes" if covered(one, row[np.newaxis])[0] else "no")
            for one in shown
        )
        yield SheetTable(("hypothesis of G", "covers the row"), lines, "ll")
        if len(state.general) > len(shown):
            yield Note(f"... {len(state.general) - len(shown)} more hypotheses of G")
    if Counted.is_possible(state.specific):
        counted = Counted(state.specific, state.misses)
        n_covering = int(counted.covering(row[np.newaxis])[0])
        text = f"{n_covering:,} of the {counted.total:,} hypotheses that are left cover it."
        if counted.total == 1:
            does = "covers" if n_covering else "does not cover"
            text = f"The one hypothesis that is left {does} it."
        yield Paragraph.of(text)
    else:
        yield Note(
            "S has more than 20 conditions: unless all hypotheses agree, the probability is 0.5."
        )
    if state.emptied_by is not None:
        n_aside = state.n_set_aside
        rows = "1 negative row" if n_aside == 1 else f"{n_aside:,} negative rows"
        yield Note(
            f"No hypothesis agrees with all rows; row {state.emptied_by} ruled out the last. "
            f"These agree with all but {rows} that S covers."
        )
