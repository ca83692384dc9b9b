"""How the answer of a concept learner for one row comes about."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.concepts.agreement import Codes, Counted, covered
from treewright.concepts.base import ConceptLearner
from treewright.concepts.candidate_elimination import CandidateElimination
from treewright.concepts.hypothesis import ANY
from treewright.data.table import Table
from treewright.documents.page import Block, Document, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.models.rows import row_table

MOST_GENERAL_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RowPage(Printed):
    """One row, what is asked of it, and the vote."""

    model: ConceptLearner[Any]
    row: Codes  # (n_columns,) level codes
    answer: Any
    probability: float  # of the positive class

    @classmethod
    def of(cls, model: ConceptLearner[Any], row: Any) -> "RowPage":
        """The page of a fitted model and one row in any form."""
        table = row_table(row, model.schema_)
        if model.schema_.has_names and not table.has_names:
            model.schema_.check_columns(table, model=type(model).__name__)
            table = Table(
                [c.renamed(n) for c, n in zip(table.columns, model.schema_.names, strict=True)]
            )
        codes = model._codes(table, model.state_)
        share = model.predict_proba(table)[0, model.positive_code_]
        return cls(model, codes[0], model.predict(table).tolist()[0], float(share))

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        return Document(f"Answer: {self.answer}", tuple(self.blocks(decimals)))

    def blocks(self, decimals: int) -> Iterator[Block]:
        """What S asks, what the row has, and who covers it."""
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
            f"{self.answer}: the probability of {model.positive_} is "
            f"{self.probability:.{decimals}f}."
        )
        yield SheetTable(("column", "row", "S asks", "fulfilled"), tuple(lines), "llll")
        does = "covers" if covered(model.specific_, self.row[np.newaxis])[0] else "does not cover"
        yield Paragraph.of(f"S, {language.text(asked)}, {does} the row.")
        if isinstance(model, CandidateElimination):
            yield from vote(model, self.row)


def vote(model: CandidateElimination, row: Codes) -> Iterator[Block]:
    """Which hypotheses of G cover the row, and how many of all that are left do."""
    language = model.language_
    if model.general_ is not None:
        shown = model.general_[:MOST_GENERAL_SHOWN]
        lines = tuple(
            (language.text(one.tolist()), "yes" if covered(one, row[np.newaxis])[0] else "no")
            for one in shown
        )
        yield SheetTable(("hypothesis of G", "covers the row"), lines, "ll")
        if len(model.general_) > len(shown):
            yield Note(f"... {len(model.general_) - len(shown)} more hypotheses of G")
    if Counted.is_possible(model.specific_):
        counted = Counted(model.specific_, model.state_.misses)
        n_covering = int(counted.covering(row[np.newaxis])[0])
        told = f"{n_covering:,} of the {counted.total:,} hypotheses that are left cover it."
        if counted.total == 1:
            does = "covers" if n_covering else "does not cover"
            told = f"The one hypothesis that is left {does} it."
        yield Paragraph.of(told)
    else:
        yield Note("S asks more than 20 columns: unless all agree, the probability is 0.5.")
    if model.emptied_by_ is not None:
        n_aside = model.n_set_aside_
        rows = "1 negative row" if n_aside == 1 else f"{n_aside:,} negative rows"
        yield Note(
            f"No hypothesis agrees with all rows; row {model.emptied_by_} ruled out the last. "
            f"These agree with all but {rows} that S covers."
        )
