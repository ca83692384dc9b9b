"""A program as lists of numbers, for trees too large to be written as nested ifs.

A walker of a few lines reads them. Values come as numbers: of a level column the position of the
level, -1 for a level never seen; NaN where the value is missing. At a node the walker asks its
questions, one after the other, until one knows the way; otherwise the heirs take over; a node
without heirs predicts. Leaves have neither questions nor heirs.

    question kind   entries (`number`, `target`)
    CUTS            a cut and its child, ascending; the last child takes the rest, its cut is 0
    POSITIONS       the same, for the position of a level
    LEVELS          the position of a level and its child, ascending
    SUM             a weight and its column; at the end the threshold and the first child, which
                    the second follows
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

from treewright.exports.program import Levels, Program, Question, WeightedSum

CUTS, POSITIONS, LEVELS, SUM = range(4)
NOWHERE = -1

# What stands above the tables in the exported code.
TABLES_NOTE = (
    "The tree as tables: what belongs to i stands from its start up to the start of i + 1.",
    "A node has questions, asked until one knows the way, and heirs, who take over if none does;",
    "a node without heirs predicts. Kinds of questions: 0 a number between cuts, 1 the position of",
    "a level between cuts, 2 the position of a level looked up, 3 a weighted sum, and a threshold.",
)


@dataclass(slots=True)
class FlatProgram:
    """Parallel lists; entries `start[i]` to `start[i + 1]` belong to i."""

    question_start: list[int] = field(default_factory=lambda: [0])  # of a node
    unseen: list[int] = field(default_factory=list)  # of a node: where unseen levels go
    heir_start: list[int] = field(default_factory=lambda: [0])  # of a node
    heir: list[int] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)  # of a question
    column: list[int] = field(default_factory=list)  # its place among the used columns
    otherwise: list[int] = field(default_factory=list)  # child of known levels not listed
    entry_start: list[int] = field(default_factory=lambda: [0])  # of a question
    number: list[float] = field(default_factory=list)
    target: list[int] = field(default_factory=list)
    prediction: list[int] = field(default_factory=list)  # of a node: which of these, or NOWHERE
    predictions: list[tuple[float, ...]] = field(default_factory=list)  # that differ

    def tables(self) -> Iterator[tuple[str, bool, list[str]]]:
        """The name of each list, whether it holds doubles, and its entries as literals."""
        for table in fields(self)[:-1]:
            is_double = table.name in ("share", "number")
            yield table.name, is_double, list(map(repr, getattr(self, table.name)))
        yield "predictions", True, [repr(value) for row in self.predictions for value in row]

    @property
    def n_waiting(self) -> int:
        """How many parts of a row may wait at once, at most."""
        waiting = [1] * len(self.unseen)
        most = 1
        for node, here in enumerate(waiting):  # parents come first
            heirs = range(self.heir_start[node], self.heir_start[node + 1])
            most = max(most, here + max(len(heirs) - 1, 0))
            for entry in self._targets(node):
                waiting[entry] = max(waiting[entry], here)
            for entry in heirs:
                below = here + len(heirs) - 1
                waiting[self.heir[entry]] = max(waiting[self.heir[entry]], below)
        return most

    def _targets(self, node: int) -> list[int]:
        """Nodes that one question or another leads to."""
        found = [self.unseen[node]]
        for question in range(self.question_start[node], self.question_start[node + 1]):
            start, end = self.entry_start[question], self.entry_start[question + 1]
            found.append(self.otherwise[question])
            if self.kind[question] == SUM:
                found += [self.target[end - 1], self.target[end - 1] + 1]
            else:
                found += self.target[start:end]
        return [target for target in found if target != NOWHERE]


def flat_program(program: Program) -> FlatProgram:
    """The lists of a program."""
    flat = FlatProgram()
    place = {column: at for at, column in enumerate(program.used_columns)}
    predictions: dict[tuple[float, ...], int] = {}  # nodes with equal values share an entry
    for node, values in enumerate(program.node_values.tolist()):
        step = program.step(node)
        unseen = prediction = NOWHERE
        if step is not None:
            for question in step.questions:
                _add_question(flat, program, question, place)
            flat.heir += [heir for heir, _ in step.missing]
            flat.share += [share for _, share in step.missing]
            unseen = NOWHERE if step.unseen is None else step.unseen
        if step is None or not step.missing:
            prediction = predictions.setdefault(tuple(values), len(predictions))
        flat.prediction.append(prediction)
        flat.unseen.append(unseen)
        flat.question_start.append(len(flat.kind))
        flat.heir_start.append(len(flat.heir))
    flat.predictions = list(predictions)
    return flat


def _add_question(
    flat: FlatProgram, program: Program, question: Question, place: dict[int, int]
) -> None:
    otherwise, column = NOWHERE, 0
    if isinstance(question, WeightedSum):
        kind = SUM
        flat.number += [weight for _, weight in question.terms] + [question.threshold]
        flat.target += [place[at] for at, _ in question.terms] + [question.children[0]]
    else:
        column = place[question.column]
        if isinstance(question, Levels):
            kind = LEVELS
            flat.number += map(float, question.child_of)
            flat.target += question.child_of.values()
            otherwise = NOWHERE if question.otherwise is None else question.otherwise
        else:
            kind = CUTS if program.columns[question.column].is_numeric else POSITIONS
            flat.number += [*question.cuts, 0.0]
            flat.target += question.children
    flat.kind.append(kind)
    flat.column.append(column)
    flat.otherwise.append(otherwise)
    flat.entry_start.append(len(flat.number))
