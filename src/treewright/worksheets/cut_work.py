"""The calculation behind one cut: its gain, its cost, and the decision."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from treewright.data.cut_points import Floats
from treewright.data.mdl import TriedCut, gains_of_cuts, n_classes_in, total_entropy
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
from treewright.documents.page import Block, Formula, Heading, Paragraph, Run, SheetTable
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.worksheets.cut_sheet import CutColumn, CutRows

MOST_PLACES = 7  # cuts of a range that are compared
MOST_EXACT = 12  # classes up to which 3 to their number is written in full
MOST_CLASSES = 10  # with a column of their own
ENTROPY = Name("entropy")


def entropy(class_weights: Floats) -> float:
    return float(total_entropy(class_weights)) / float(class_weights.sum())


class CutWork:
    """How the numbers of a cut come about."""

    def __init__(self, rows: "CutRows", digits: Digits) -> None:
        self.rows = rows
        self.digits = digits

    def opening(self) -> Iterator[Block]:
        """What is weighed up."""
        n = Letter("n")
        yield Paragraph.of(
            "Each column is cut where the classes are parted best, if that pays (Fayyad and Irani "
            "1993): the gain, as for a node of a tree, must exceed the bits that it takes to say "
            "where the cut is and which classes lie on its sides. Then both sides are cut in the "
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
        """One cut in full."""
        yield Heading(3, f"{column.name} {self.range_text(column, tried)}")
        yield self.places_table(column, tried)
        yield self.sides_table(column, tried)
        yield self.gain(tried)
        yield self.delta(tried)
        yield self.cost(tried)
        sign, word = (">", "kept") if tried.is_kept else ("<=", "not made")
        gain, cost = self.digits.text(tried.gain), self.digits.text(tried.cost)
        yield Paragraph.of(
            f"{gain} {sign} {cost}: the cut at {self.cut_text(column, tried)} is ",
            Run(word, "strong"),
            ".",
        )

    def line(self, column: "CutColumn", tried: TriedCut) -> tuple[str, ...]:
        """One cut in a line."""
        return (
            column.name,
            self.range_text(column, tried),
            self.digits.weight(float(tried.whole.sum())),
            self.cut_text(column, tried),
            self.digits.text(tried.gain),
            self.digits.text(tried.cost),
            "kept" if tried.is_kept else "not made",
        )

    def range_text(self, column: "CutColumn", tried: TriedCut) -> str:
        """The range that is cut: `(0.8, inf)`."""
        low, high = self.edge(column, tried.above), self.edge(column, tried.up_to)
        return f"({low}, {high}{')' if np.isinf(tried.up_to) else ']'}"

    def cut_text(self, column: "CutColumn", tried: TriedCut) -> str:
        return self.edge(column, tried.cut)

    def edge(self, column: "CutColumn", at: float) -> str:
        if np.isinf(at):
            return "inf" if at > 0 else "-inf"
        return str(column.column.with_unit(at)) if column.column.unit else column.text(at)

    def places_table(self, column: "CutColumn", tried: TriedCut) -> SheetTable:
        """The best places of the range, the chosen one marked."""
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
        """How many rows of each class lie where."""
        names = self.rows.classes if len(self.rows.classes) <= MOST_CLASSES else ()
        cut = self.cut_text(column, tried)
        parts = (("S", "all", tried.whole), ("S1", f"<= {cut}", tried.left))
        lines = [
            (
                name,
                where,
                *(self.digits.weight(float(weight)) for weight in weights[: len(names)]),
                self.digits.weight(float(weights.sum())),
                str(n_classes_in(weights)),
                self.digits.text(entropy(weights)),
            )
            for name, where, weights in (*parts, ("S2", f"> {cut}", tried.right))
        ]
        header = ("", column.name, *names, "n", "k", "entropy")
        return SheetTable(header, tuple(lines), "ll" + "r" * (len(header) - 2))

    def gain(self, tried: TriedCut) -> Formula:
        whole = float(tried.whole.sum())
        sides = [
            Product(
                (
                    self.digits.share(float(side.sum()), whole),
                    self.digits.number(entropy(side)),
                )
            )
            for side in (tried.left, tried.right)
        ]
        steps = Sum.less(self.digits.number(entropy(tried.whole)), *sides)
        return Formula(Name("gain"), (steps, self.digits.number(tried.gain)))

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
