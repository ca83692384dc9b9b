"""Why the splits of a round's tree were chosen: what the sides add up to, and the gain."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.data.column import NominalColumn
from treewright.distinct import distinct
from treewright.documents.math import Fraction, Letter, Math, Name, Number, Square, Sum, Term
from treewright.documents.page import Block, Formula, Paragraph, SheetTable
from treewright.ensembles.boosting.round_work import Float64Array, RoundWorks, TreeWork
from treewright.tree.conditions import conditions_of
from treewright.tree.kinds import SUBSET
from treewright.worksheets.digits import Digits
from treewright.worksheets.sheet_page import shortened

FEW_LEVELS = 4  # of more categories at a node, sets of them pay for `smoothing` too
LONGEST_CONDITION = 60


def is_plain(works: RoundWorks) -> bool:
    """Whether each split was chosen by the gain of its own node alone."""
    model = works.model
    return model.growth != "symmetric" and model.monotone is None


def split_rule(works: RoundWorks) -> Iterator[Block]:
    """By what splits are chosen."""
    model = works.model
    if not is_plain(works):
        return
    yield Formula(
        Name("gain"),
        (
            Sum(
                (
                    Term(_part("1", model.l2)),
                    Term(_part("2", model.l2)),
                    Term(_part("", model.l2), is_added=False),
                )
            ),
        ),
    )
    drawn = model.max_features < 1 or model.max_features_node < 1
    text = (
        " that of the second derivatives; without an index they are those of the node. At each "
        f"node the split with the largest gain is taken{', of the columns drawn' if drawn else ''}"
    )
    least = model.min_samples_leaf
    text += f"; each side needs {least:g} rows or more." if least > 1 else "."
    if any(not spec.is_numeric for spec in model.schema_.columns) and model.smoothing:
        text += (
            f" A set of more than {FEW_LEVELS} categories pays for its choice: with it "
            f"{model.l2 + model.smoothing:g} is added to H_1 and H_2 in place of {model.l2:g}."
        )
    sums = " is the sum of the residuals on a side of a split and "
    yield Paragraph.of("Here ", Letter("G"), sums, Letter("H"), text)


def _part(index: str, l2: float) -> Math:
    below: Math = Letter("H", index)
    if l2:
        below = Sum.of(below, Number(f"{l2:g}"))
    return Fraction(Square(Letter("G", index)), below)


def split_table(works: RoundWorks, work: TreeWork, digits: Digits) -> Iterator[Block]:
    """The splits of a tree with the sums on both sides and what they gain."""
    tree = work.tree
    if not is_plain(works) or tree.n_nodes == 1:
        return
    sums = {leaf.node: np.array([leaf.residual_sum, leaf.hessian_sum]) for leaf in work.leaves}
    rows = {leaf.node: leaf.rows for leaf in work.leaves}
    lines = []
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.is_leaf[node]:
            continue
        first = int(tree.first_child[node])
        sums[node] = sums[first] + sums[first + 1]
        rows[node] = np.concatenate([rows[first], rows[first + 1]])
        paid = _paid(works, work, node, rows[node])
        gain = (
            _score(works, sums[first], paid)
            + _score(works, sums[first + 1], paid)
            - _score(works, sums[node], works.model.l2)
        )
        sides = [digits.text(float(one)) for side in (first, first + 1) for one in sums[side]]
        condition = shortened(conditions_of(tree, node)[0], LONGEST_CONDITION)
        lines.append((str(node), condition, *sides, digits.text(gain)))
    columns = ("node", "first side", "G_1", "H_1", "G_2", "H_2", "gain")
    yield SheetTable(columns, tuple(reversed(lines)), "rlrrrrr")


def _score(works: RoundWorks, sums: Float64Array, l2: float) -> float:
    """What a side is worth: G^2 / (H + l2), G nearer to 0 by l1."""
    residual = max(abs(float(sums[0])) - works.model.l1, 0.0)
    below = float(sums[1]) + l2
    return residual**2 / below if below > 0 else 0.0


def _paid(works: RoundWorks, work: TreeWork, node: int, rows: NDArray[np.intp]) -> float:
    """The l2 of the sides of a split, with `smoothing` where it is a set of many categories."""
    model = works.model
    column = works.rows.table.columns[int(work.tree.feature[node])]
    if work.tree.kind[node] != SUBSET or not isinstance(column, NominalColumn):
        return float(model.l2)
    codes = column.codes[rows]
    is_many = len(distinct(codes[codes >= 0])) > FEW_LEVELS
    return float(model.l2 + (model.smoothing if is_many else 0.0))
