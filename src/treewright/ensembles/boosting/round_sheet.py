"""The worksheet of a boosted model: a section for each round."""

from typing import Any

import numpy as np

from treewright.documents.page import Document
from treewright.ensembles.boosting.round_document import rounds_document
from treewright.ensembles.boosting.round_work import RoundWorks
from treewright.errors import ParameterError
from treewright.worksheets.digits import Digits
from treewright.worksheets.sheet import Worksheet

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
        y = self.rounds.y
        digits = Digits(decimals).for_numbers_like(float(np.abs(y).max()))
        return rounds_document(
            self.rounds,
            steps=steps,
            digits=digits,
            max_rounds=MOST_ROUNDS if max_nodes is None else int(max_nodes),
            framed=framed,
        )

    def __repr__(self) -> str:
        model = self.rounds.model
        return f"<RoundSheet: {type(model).__name__}, {model.n_estimators_} rounds>"
