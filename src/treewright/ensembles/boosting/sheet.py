"""The rounds of a boosted model as a page: prediction, residual, tree, new prediction."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from numbers import Integral
from typing import Any

import numpy as np

from treewright.documents.math import (
    Dots,
    Fraction,
    Letter,
    Math,
    Name,
    Number,
    Product,
    Sum,
    SumOver,
    Term,
)
from treewright.documents.page import (
    Block,
    Document,
    Formula,
    Heading,
    Listing,
    Note,
    Paragraph,
    SheetTable,
)
from treewright.ensembles.boosting.round_work import RoundWorks, TreeWork, split_rule, split_table
from treewright.errors import ParameterError
from treewright.plain_text import counted
from treewright.worksheets.digits import Digits
from treewright.worksheets.sheet import Worksheet

MOST_ROWS = 30  # of a table
MOST_TERMS = 6  # of a sum that is written out
RESIDUAL_OF = {
    "squared_error": "y - prediction",
    "absolute_error": "the sign of y - prediction",
    "huber": "y - prediction, cut at a distance",
    "quantile": "the quantile above the prediction, the quantile - 1 below it",
    "poisson": "y - prediction, where prediction = exp(score)",
    "gamma": "y / prediction - 1, where prediction = exp(score)",
    "tweedie": "y exp((1 - power) score) - exp((2 - power) score)",
    "logistic": "y - probability, where probability = 1 / (1 + exp(-score))",
    "multinomial": "1 or 0 for the class - its probability, the softmax of the scores",
}


def rounds_shown(works: RoundWorks, steps: Any, max_rounds: int) -> set[int]:
    """The first rounds, or those numbered."""
    n_rounds = works.model.n_estimators_
    if isinstance(steps, str):
        if steps not in ("full", "summary"):
            raise ParameterError(
                f"steps={steps!r} is not known", hint='use "full", "summary" or numbers of rounds'
            )
        return set(range(1, min(n_rounds, max_rounds) + 1))
    numbers: Sequence[Any] = [steps] if isinstance(steps, Integral) else list(steps)
    known = range(1, n_rounds + 1)
    for number in numbers:
        if not isinstance(number, Integral) or number not in known:
            raise ParameterError(
                f"steps names round {number!r}, the model has {n_rounds}",
                hint=f"use numbers from 1 to {n_rounds}",
            )
    return {int(number) for number in numbers}


def opening(works: RoundWorks, digits: Digits) -> Iterator[Block]:
    """What is lowered, how, and where it begins."""
    model, loss = works.model, works.loss
    n_rounds, n_rows = model.n_estimators_, len(works.y)
    yield Paragraph.of(
        f"{counted(n_rows, 'row')}, {counted(n_rounds, 'round')}; loss {loss.name}, learning rate "
        f"{model.learning_rate_:g}. Each round grows a tree on the residuals that the rounds "
        "before leave, and adds its predictions to the scores."
    )
    if loss.name in RESIDUAL_OF:
        yield Paragraph.of(f"residual = {RESIDUAL_OF[loss.name]}")
    if loss.name == "squared_error" and works.rows.weights is None:
        yield Formula(
            Letter("F", "0"),
            (
                Fraction(written_sum(works.y, digits), Number(str(n_rows))),
                digits.number(float(model.start_[0])),
            ),
        )
    else:
        names = score_names(works)
        words = ", ".join(
            f"{name} {digits.text(value)}"
            for name, value in zip(names, model.start_.tolist(), strict=True)
        )
        yield Paragraph.of(f"Before the first round every row has the {words}.")
    yield from leaf_rule(works)
    yield from split_rule(works)


def score_names(works: RoundWorks) -> list[str]:
    """`score`, or one for each class."""
    if len(works.model.start_) == 1:
        return ["score"]
    return [f"score of {label}" for label in works.model.classes_.tolist()]


def written_sum(values: Any, digits: Digits) -> Math:
    """The numbers added up, with dots for the middle of many."""
    texts: list[Math] = [Number(digits.weight(value)) for value in values.tolist()]
    if len(texts) > MOST_TERMS:
        texts = [*texts[: MOST_TERMS - 1], Dots(), texts[-1]]
    return Sum(
        tuple(
            Term(Number(text.text[1:]), is_added=False)
            if isinstance(text, Number) and text.text.startswith("-")
            else Term(text)
            for text in texts
        )
    )


def leaf_rule(works: RoundWorks) -> Iterator[Block]:
    """How a leaf comes to its prediction."""
    model, loss = works.model, works.loss
    if loss.renewal != "none":
        which = "Huber mean" if loss.name == "huber" else f"{loss.parameter:g}-quantile"
        yield Paragraph.of(
            f"A leaf adds the learning rate times the {which} of y - score over its rows."
        )
        return
    above: Math = SumOver(Name("residual"), "rows")
    below: Math = SumOver(Name("second derivative"), "rows")
    if model.l2:
        below = Sum.of(below, Number(f"{model.l2:g}"))
    yield Formula(
        Name("leaf adds"), (Product((Number(f"{model.learning_rate_:g}"), Fraction(above, below))),)
    )
    if model.l1:
        yield Note(f"The sum of residuals is brought nearer to 0 by l1 = {model.l1:g}.")


def tree_blocks(works: RoundWorks, work: TreeWork, digits: Digits) -> Iterator[Block]:
    """One tree of a round: its rows, itself, its leaves."""
    if len(works.model.start_) > 1:
        yield Heading(3, f"class {works.model.classes_[work.output]}")
    yield rows_table(works, work, digits)
    if len(work.before) > MOST_ROWS:
        yield Note(f"... {len(work.before) - MOST_ROWS} more rows")
    yield Listing(str(work.tree))
    yield from split_table(works, work, digits)
    yield leaf_table(work, digits)


def rows_table(works: RoundWorks, work: TreeWork, digits: Digits) -> SheetTable:
    """For each row: where it stands, what is left, what the tree adds."""
    name = "score" if works.model.link_ != "same" else "prediction"
    y = works.y
    if len(works.model.start_) > 1:
        y = (works.y == work.output).astype(np.float64)
    lines = [
        (
            str(row),
            digits.weight(y[row]) if y[row] >= 0 else digits.text(y[row]),
            digits.text(work.before[row]),
            digits.text(work.residual[row]),
            str(work.leaf[row]),
            digits.text(work.after[row] - work.before[row]),
            digits.text(work.after[row]),
        )
        for row in range(min(len(y), MOST_ROWS))
    ]
    columns = ("row", "y", name, "residual", "leaf", "tree adds", f"new {name}")
    return SheetTable(columns, tuple(lines), "rrrrrrr")


def leaf_table(work: TreeWork, digits: Digits) -> SheetTable:
    """For each leaf: its rows and how it comes to its prediction."""
    lines = tuple(
        (
            str(leaf.node),
            " and ".join(leaf.path) or "all rows",
            str(len(leaf.rows)),
            digits.text(leaf.residual_sum),
            digits.text(leaf.hessian_sum),
            digits.text(leaf.adds),
        )
        for leaf in work.leaves
    )
    columns = ("leaf", "condition", "rows", "sum of residuals", "second derivatives", "adds")
    return SheetTable(columns, lines, "rlrrrr")


def loss_line(of_round: list[TreeWork], digits: Digits) -> tuple[str, ...]:
    """A round in one line."""
    first, n_leaves = of_round[0], sum(len(work.leaves) for work in of_round)
    losses = (digits.text(first.loss_before), digits.text(first.loss_after))
    return (str(first.round), str(n_leaves), *losses)


MOST_ROUNDS = 10  # of a page, unless more are asked for


class RoundSheet(Worksheet):
    """The calculation behind every round; `rounds` has the numbers, unrounded.

    It is printed as every `Worksheet` is. `steps` is "full", "summary" (one line for each round) or
    the numbers of some rounds, from 1; `max_nodes` is the most rounds shown, 10 unless given.
    """

    def __init__(self, rounds: RoundWorks) -> None:
        self.rounds = rounds

    def document(
        self,
        *,
        steps: Any = "full",
        decimals: int = 4,
        max_nodes: int | None = None,
        framed: bool = True,
    ) -> Document:
        """The page before it is rendered; unless framed, the rounds alone for another page."""
        if max_nodes is not None and (isinstance(max_nodes, bool) or max_nodes < 1):
            raise ParameterError(f"max_nodes={max_nodes!r} is not a number of rounds")
        works = self.rounds
        digits = Digits(decimals).for_numbers_like(float(np.abs(works.y).max()))
        shown = rounds_shown(works, steps, MOST_ROUNDS if max_nodes is None else int(max_nodes))
        blocks: list[Block] = [*opening(works, digits)] if framed else []
        losses: list[tuple[str, ...]] = []
        for number, trees in groupby(works, key=lambda work: work.round):
            of_round = list(trees)
            if number in shown and steps != "summary":
                blocks.append(Heading(2, f"Round {number}", f"round-{number}"))
                for work in of_round:
                    blocks += tree_blocks(works, work, digits)
            losses.append(loss_line(of_round, digits))
        n_left_out = len(losses) - len(shown)
        if n_left_out and steps != "summary" and framed:
            blocks.append(Note(f"... {n_left_out} more rounds; max_nodes= or steps=[number, ...]"))
        if losses and framed:
            blocks.append(Heading(2, "All rounds", "all-rounds"))
            columns = ("round", "leaves", "mean loss before", "mean loss after")
            blocks.append(SheetTable(columns, tuple(losses), "rrrr"))
        return Document(f"Worksheet: {type(works.model).__name__}", tuple(blocks))

    def __repr__(self) -> str:
        model = self.rounds.model
        return f"<RoundSheet: {type(model).__name__}, {model.n_estimators_} rounds>"
