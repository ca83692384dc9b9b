"""Worksheet of a discretizer: where the columns are cut, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.cut_points import interval_codes, interval_labels
from treewright.data.mdl import TriedCut, gains_of_cuts, n_classes_in, total_entropy, tried_cuts
from treewright.data.printed_thresholds import PrintedThresholds, exact_text, text_among
from treewright.documents.math import (
    Call,
    Fraction,
    Letter,
    Log2,
    Math,
    Name,
    Number,
    Product,
    Sum,
    Term,
)
from treewright.documents.page import (
    Block,
    Document,
    Formula,
    Heading,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.documents.printed import Printed, number_shown
from treewright.plain_text import plain
from treewright.worksheets.digits import Digits

MOST_PLACES = 7  # cuts of a range that are shown
MOST_EXACT = 12  # classes up to which 3^k is written in full
ENTROPY = Name("entropy")


def entropy(class_weights: Floats) -> float:
    return float(total_entropy(class_weights)) / float(class_weights.sum())


class CutWork:
    """The calculation of the cuts by MDL."""

    def __init__(self, rows: "CutRows", digits: Digits) -> None:
        self.rows = rows
        self.digits = digits

    def opening(self) -> Iterator[Block]:
        """What is compared."""
        n = Letter("n")
        yield Paragraph.of(
            "Each column is cut where the classes are separated best, if that pays (Fayyad and "
            "Irani 1993): the gain, as for a node of a tree, must exceed the bits needed to say "
            "where the cut is and which classes are on its sides. Then both sides are cut in the "
            "same way. S is the range, S1 and S2 are its sides, n counts rows, k the classes that "
            "are there, and c is 3^k - 2."
        )
        sides = [
            Product((Fraction(Letter("n", f"{at}"), n), Call(ENTROPY, (Letter("S", f"{at}"),))))
            for at in (1, 2)
        ]
        yield Formula(Name("gain"), (Sum.less(Call(ENTROPY, (Letter("S"),)), *sides),))
        by_class = [
            Product((Letter("k", at), Call(ENTROPY, (Letter("S", at),)))) for at in ("", "1", "2")
        ]
        powers = Log2(Letter("c"))
        terms = Sum((Term(powers), Term(by_class[0], is_added=False), *map(Term, by_class[1:])))
        yield Formula(Name("delta"), (terms,))
        bits = Sum.of(Log2(Sum.less(n, Number("1"))), Name("delta"))
        yield Formula(Name("cost"), (Fraction(bits, n),))

    def blocks(self, column: "CutColumn", tried: TriedCut) -> Iterator[Block]:
        """The calculation of one cut."""
        yield Heading(3, f"{column.name} {self.range_text(column, tried)}")
        yield self.places_table(column, tried)
        yield self.sides_table(column, tried)
        yield self.gain(tried)
        yield self.delta(tried)
        yield self.cost(tried)
        sign, word = (">", "kept") if tried.is_kept else ("<=", "not made")
        gain, cost = self.digits.text(tried.gain), self.digits.text(tried.cost)
        yield Paragraph.of(
            f"{gain} {sign} {cost}: the cut at {self.edge(column, tried.cut)} is ",
            Run(word, "strong"),
            ".",
        )

    def line(self, column: "CutColumn", tried: TriedCut) -> tuple[str, ...]:
        """One cut as a row of the table of all cuts."""
        return (
            column.name,
            self.range_text(column, tried),
            self.digits.weight(float(tried.whole.sum())),
            self.edge(column, tried.cut),
            self.digits.text(tried.gain),
            self.digits.text(tried.cost),
            "kept" if tried.is_kept else "not made",
        )

    def range_text(self, column: "CutColumn", tried: TriedCut) -> str:
        """The range that is cut: `(0.8, inf)`."""
        low, high = self.edge(column, tried.above), self.edge(column, tried.up_to)
        return f"({low}, {high}{')' if np.isinf(tried.up_to) else ']'}"

    def edge(self, column: "CutColumn", at: float) -> str:
        if np.isinf(at):
            return "inf" if at > 0 else "-inf"
        return str(column.column.with_unit(at)) if column.column.unit else column.text(at)

    def places_table(self, column: "CutColumn", tried: TriedCut) -> SheetTable:
        """The best cuts of the range, the chosen one marked."""
        assert self.rows.codes is not None
        cuts, gains = gains_of_cuts(column.column.values, self.rows.codes, self.rows.weights, tried)
        best = np.argsort(-gains, kind="stable")[:MOST_PLACES]
        chosen = int(np.argmin(np.abs(cuts - tried.cut)))
        shown = sorted({chosen, *best.tolist()})
        lines = tuple(
            (self.edge(column, float(cuts[at])), self.digits.text(float(gains[at]))) for at in shown
        )
        caption = "Cuts tried"
        if len(shown) < len(cuts):
            caption += f", the best {len(shown)} of {len(cuts)}"
        return SheetTable(("cut", "gain"), lines, "rr", caption, frozenset({shown.index(chosen)}))

    def sides_table(self, column: "CutColumn", tried: TriedCut) -> SheetTable:
        """The rows of each class on each side."""
        names = self.rows.classes if len(self.rows.classes) <= MOST_CLASSES else ()
        cut = self.edge(column, tried.cut)
        sides = ("S1", f"<= {cut}", tried.left), ("S2", f"> {cut}", tried.right)
        lines = [
            (
                name,
                where,
                *(self.digits.weight(float(weight)) for weight in weights[: len(names)]),
                self.digits.weight(float(weights.sum())),
                str(n_classes_in(weights)),
                self.digits.text(entropy(weights)),
            )
            for name, where, weights in (("S", "all", tried.whole), *sides)
        ]
        header = ("", column.name, *names, "n", "k", "entropy")
        return SheetTable(header, tuple(lines), "ll" + "r" * (len(header) - 2))

    def gain(self, tried: TriedCut) -> Formula:
        number, share, whole = self.digits.number, self.digits.share, float(tried.whole.sum())
        sides = [
            Product((share(float(side.sum()), whole), number(entropy(side))))
            for side in (tried.left, tried.right)
        ]
        steps = Sum.less(number(entropy(tried.whole)), *sides)
        return Formula(Name("gain"), (steps, number(tried.gain)))

    def delta(self, tried: TriedCut) -> Formula:
        k = n_classes_in(tried.whole)
        parts: list[Math] = [
            Product((Number(str(n_classes_in(one))), self.digits.number(entropy(one))))
            for one in (tried.whole, tried.left, tried.right)
        ]
        powers = Log2(Number(str(3**k - 2) if k <= MOST_EXACT else f"{3.0 ** min(k, 600):.4g}"))
        terms = Sum((Term(powers), Term(parts[0], is_added=False), *map(Term, parts[1:])))
        return Formula(Name("delta"), (terms, self.digits.number(tried.delta)))

    def cost(self, tried: TriedCut) -> Formula:
        places = Number(self.digits.weight(tried.places))
        bits = Sum.of(Log2(places), self.digits.number(tried.delta))
        if tried.delta < 0:
            bits = Sum.less(Log2(places), self.digits.number(-tried.delta))
        whole = Number(self.digits.weight(float(tried.whole.sum())))
        return Formula(Name("cost"), (Fraction(bits, whole), self.digits.number(tried.cost)))


MOST_CUTS = 20  # shown in full by default
MOST_LINES = 200  # of the table of all cuts
MOST_CLASSES = 10  # with a column of their own
HOW = {
    "equal_width": "Each column is cut into {n} intervals of the same width: its range, from the "
    "least to the largest value, divided by {n}.",
    "equal_frequency": "Each column is cut into {n} intervals with about the same number of rows; "
    "equal values stay together, so a cut lies at the nearest place between two values.",
    "kmeans": "The values of each column are put into {n} clusters with the least sum of squared "
    "distances from their centers; a cut lies half-way between two centers.",
    "given": "The cuts were given.",
}


@dataclass(frozen=True, slots=True, eq=False)
class CutColumn:
    """A numeric column and its cuts."""

    column: NumericColumn
    cuts: Floats
    printed: PrintedThresholds | None = None  # what is printed for the cuts

    @property
    def name(self) -> str:
        return plain(self.column.name)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the intervals."""
        return interval_labels(self.column, self.cuts, self.printed)

    def text(self, at: float) -> str:
        """A cut as in the labels, or another place with as many digits as the rows need."""
        if self.printed is not None and self.printed.lists(at):
            return self.printed.text(at)
        values = np.asarray(self.column.values, dtype=np.float64)
        return text_among(at, np.unique(values[~np.isnan(values)]))


@dataclass(frozen=True, slots=True, eq=False)
class CutRows:
    """The columns that are cut, and the class and weight of each row."""

    columns: Sequence[CutColumn]
    weights: Floats | None
    codes: NDArray[np.int32] | None  # of classes; None where there are none
    classes: tuple[str, ...]

    def tried(self, column: CutColumn) -> list[TriedCut]:
        """Every cut that MDL considers."""
        assert self.codes is not None
        return tried_cuts(column.column.values, self.codes, self.weights)


class CutSheet(Printed):
    """The cuts of every numeric column; for "mdl" with the gain and cost of each cut tried.

    All ways to print it take `decimals` and `max_steps`, the number of cuts shown in full (20).
    """

    def __init__(self, rows: CutRows, strategy: str, n_bins: int) -> None:
        self.rows = rows
        self.strategy = strategy
        self.n_bins = n_bins

    def document(self, *, decimals: int = 4, max_steps: int | None = None) -> Document:
        """The page before it is rendered."""
        digits, most = Digits(decimals), number_shown(max_steps, MOST_CUTS)
        if not self.rows.columns:
            blocks: list[Block] = [Paragraph.of("The table has no numeric column to cut.")]
        elif self.strategy == "mdl":
            blocks = [*self.by_mdl(digits, most)]
        else:
            blocks = [Paragraph.of(HOW[self.strategy].format(n=self.n_bins))]
            for column in self.rows.columns:
                blocks += self.opening(column)
                blocks.append(self.interval_table(column, digits))
        return Document("Worksheet: Discretizer", tuple(blocks))

    def by_mdl(self, digits: Digits, most: int) -> Iterator[Block]:
        """The cuts of each column in order, then its intervals."""
        work = CutWork(self.rows, digits)
        yield from work.opening()
        n_shown, n_left_out = 0, 0
        lines: list[tuple[str, ...]] = []
        for column in self.rows.columns:
            tried = self.rows.tried(column)
            lines += [work.line(column, one) for one in tried]
            yield from self.opening(column)
            shown = tried[: max(most - n_shown, 0)]
            for one in shown:
                yield from work.blocks(column, one)
            n_left_out += len(tried) - len(shown)
            n_shown += len(tried)
            if not tried:
                yield Paragraph.of("Only one class or one value: there is nothing to cut.")
            yield self.interval_table(column, digits)
        if n_left_out:
            yield Note(f"{n_left_out} more cuts were tried; max_steps= shows them")
        yield Heading(2, "All cuts tried", "all-cuts")
        header = ("column", "range", "rows", "cut", "gain", "cost", "decision")
        yield SheetTable(header, tuple(lines[:MOST_LINES]), "llrrrrl")
        if len(lines) > MOST_LINES:
            yield Note(f"... {len(lines) - MOST_LINES} more")

    def opening(self, column: CutColumn) -> Iterator[Block]:
        """The heading of a column, and its range."""
        values = np.asarray(column.column.values, dtype=np.float64)
        known = values[~np.isnan(values)]
        yield Heading(2, column.name)
        if not len(known):
            yield Paragraph.of("The column has no value.")
            return
        n_cuts = len(column.cuts)
        low, high = (column.column.with_unit(float(at)) for at in (known.min(), known.max()))
        n_missing = len(values) - len(known)
        missing = f", {n_missing} missing" if n_missing else ""
        ends = [exact_text(end) if isinstance(end, float) else str(end) for end in (low, high)]
        yield Paragraph.of(
            f"{len(known)} values from {ends[0]} to {ends[1]}, {len(np.unique(known))} "
            f"different{missing}: ",
            Run(f"{n_cuts} cut{'' if n_cuts == 1 else 's'}", "strong"),
            ".",
        )

    def interval_table(self, column: CutColumn, digits: Digits) -> SheetTable:
        """The rows of each interval."""
        codes = interval_codes(column.column.values, column.cuts)
        weights = np.ones(len(codes)) if self.rows.weights is None else self.rows.weights
        shown = self.rows.classes if len(self.rows.classes) <= MOST_CLASSES else ()
        lines = []
        for at, label in enumerate(column.labels):
            inside = codes == at
            groups = [inside, *(inside & (self.rows.codes == code) for code in range(len(shown)))]
            cells = [digits.weight(float(weights[group].sum())) for group in groups]
            lines.append((label, *cells))
        header = ("interval", "rows", *shown)
        return SheetTable(header, tuple(lines), "l" + "r" * (len(header) - 1), "Intervals")

    def __repr__(self) -> str:
        return f"<CutSheet: {len(self.rows.columns)} columns, {self.strategy}>"
