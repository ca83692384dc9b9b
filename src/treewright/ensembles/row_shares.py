"""`model.explain(row)` of an ensemble: the contribution of each column to one prediction.

An ensemble has no single path that a person could follow, so it is explained by Shapley values.
There is one number per column. Added to the base value, they give the prediction for the row.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright._kernels import portable
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.documents.page import Block, Document, Note, Paragraph, SheetTable
from treewright.documents.printed import Printed
from treewright.ensembles.packed import PackedTreeSequence
from treewright.estimators.rows import has_missing, row_table
from treewright.estimators.threads import n_threads
from treewright.explanations.conditions import cell_text, chance_text, label
from treewright.plain_text import percent, plain
from treewright.protocols import ProbabilityPredictor
from treewright.result import Record, Result

if TYPE_CHECKING:
    from treewright.ensembles.reading import EnsembleReading

MOST_COLUMNS = 20  # with a line of their own
NODES_WORTH_THREADS = 200_000
LOG_ODDS, LOGARITHM = "log-odds", "logarithm of the prediction"
SCALE_OF_LINK = {"logistic": LOG_ODDS, "exponential": LOGARITHM, "same": "prediction"}


@dataclass(frozen=True, slots=True)
class ColumnShare:
    """The contribution of one column."""

    column: str
    value: Any  # as given; None if missing
    adds: float


@dataclass(frozen=True, slots=True, repr=False)
class RowShares(Printed):
    """The prediction for one row and the contribution of each column; `print` shows it."""

    prediction: Any  # a class or a number
    probabilities: dict[Any, float]  # of each class; empty for numbers
    explained: str  # what the shares add up to, in words
    base: float  # base value: the mean prediction
    shares: tuple[ColumnShare, ...]  # the largest first
    total: float  # base and all shares
    schema: Schema = field(repr=False)  # of the model

    def _facts(self) -> Record:
        return {name: fact for name, fact in Result._facts(self).items() if name != "schema"}

    def document(self) -> Document:
        """The page before it is rendered."""
        return Document(f"Why {self._said()}?", tuple(self._blocks()))

    def _said(self) -> str:
        """The prediction; a number as the training table wrote the target."""
        return label(self.prediction, self.schema.target_format)

    def _blocks(self) -> Iterator[Block]:
        sure = chance_text(self.prediction, self.probabilities)
        yield Paragraph.of(f"prediction: {self._said()}{sure}")
        yield Paragraph.of(f"Contribution of each column to the {self.explained}:")
        shown = self.shares[:MOST_COLUMNS]
        size = max(abs(self.base), abs(self.total))
        decimals = 4 if size < 10 else 2 if size < 1000 else 0
        lines = [("base value", "", f"{self.base:,.{decimals}f}")]
        lines += [
            (
                plain(one.column),
                cell_text(self.schema.columns[self.schema.position(one.column)], one.value),
                f"{one.adds:+,.{decimals}f}",
            )
            for one in shown
        ]
        rest = self.shares[MOST_COLUMNS:]
        if rest:
            others = sum(one.adds for one in rest)
            lines.append((f"{len(rest)} other columns", "", f"{others:+,.{decimals}f}"))
        lines.append(("together", "", f"{self.total:,.{decimals}f}"))
        ends = frozenset({0, len(lines) - 1})
        yield SheetTable(("column", "the row has", "adds"), tuple(lines), "llr", marked=ends)
        if in_words := self._total_in_words(decimals):
            yield Note(in_words)
        yield Note(
            "Shapley values: the effect of a column, averaged over all orders of adding columns"
        )

    def _total_in_words(self, decimals: int) -> str:
        """Converts a total such as log-odds to a probability or a number of the target."""
        total = f"{self.total:.{decimals}f}"
        if self.explained.startswith(LOG_ODDS):
            odds, share = odds_text(self.total), percent(likely(self.total))
            return f"log-odds of {total} are odds of {odds}: {share}"
        if self.explained == LOGARITHM:
            return f"the prediction is e to the power of {total}: {self._said()}"
        return ""

    def __repr__(self) -> str:
        first = ", ".join(f"{one.column} {one.adds:+.4g}" for one in self.shares[:3])
        return f"<RowShares: {self.prediction} by {first}>"


def row_shares(model: Any, row: Any) -> RowShares:
    """The contribution of each column of one row to the prediction."""
    given = row_table(row, model.schema_)
    asked = model.encode_rows(given)  # once, so that it warns once of unseen categories
    prediction = model.predict(asked)[0]
    prediction = prediction.item() if isinstance(prediction, np.generic) else prediction
    trees = model.tree_sum(has_missing=has_missing(asked))
    output = trees.outputs.index(prediction) if trees.n_outputs > 1 else 0
    base, parts = trees.of_row(asked, output, threads_for(model))
    # Log-odds of the class that is not predicted change their sign, so that reasons add.
    is_other = getattr(model, "link_", "") == "logistic" and trees.outputs[output] != prediction
    sign = -1 if is_other else 1
    shares = sorted(
        (
            ColumnShare(name, value, sign * adds)
            for name, value, adds in zip(
                model.schema_.names, values_of(model, given), parts.tolist(), strict=True
            )
        ),
        key=lambda one: -abs(one.adds),
    )
    scale = SCALE_OF_LINK.get(getattr(model, "link_", ""), trees.scale)
    return RowShares(
        prediction,
        probabilities_of(model, asked),
        f"{scale} of {label(prediction)}" if hasattr(model, "classes_") else scale,
        sign * base,
        tuple(shares),
        sign * (base + float(parts.sum())),
        model.schema_,
    )


def threads_for(model: "EnsembleReading[Any]") -> int:
    """All cores for many nodes; but joblib, which counts the cores, is not loaded for one row."""
    trees = model.state_.trees
    n_nodes = trees.n_nodes if isinstance(trees, PackedTreeSequence) else 0
    is_worth_it = n_nodes >= NODES_WORTH_THREADS and "joblib" in sys.modules
    return n_threads(getattr(model, "n_jobs", None), worth_it=is_worth_it)


def values_of(model: "EnsembleReading[Any]", given: Table) -> list[Any]:
    """The values of one row, as given, in the order of the model's columns."""
    names = model.schema_.names
    columns = [given[name] for name in names] if {*names} <= {*given.names} else given.columns
    return [column.value(0) for column in columns]


def probabilities_of(model: "EnsembleReading[Any]", row: Any) -> dict[Any, float]:
    """The probability of each class; empty for numbers."""
    classes = model.state_.classes
    if classes is None or not isinstance(model, ProbabilityPredictor):
        return {}
    return dict(zip(classes.tolist(), model.predict_proba(row)[0].tolist(), strict=True))


def odds_text(log_odds: float) -> str:
    """How many times as likely as not: `5.7 to 1`."""
    if abs(log_odds) > 20:
        return "more than 100 million to 1" if log_odds > 0 else "1 to more than 100 million"
    odds = portable.exp_of(abs(log_odds))
    return f"{odds:.3g} to 1" if log_odds >= 0 else f"1 to {odds:.3g}"


def likely(log_odds: float) -> float:
    """The probability that belongs to log-odds."""
    small = portable.exp_of(-abs(log_odds))
    return (1.0 if log_odds >= 0 else small) / (1.0 + small)
