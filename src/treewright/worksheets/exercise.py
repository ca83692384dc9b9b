"""Exercises: a worksheet with blanks, its solution, and the marking of answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from treewright.documents.math import Blank, Number, math_text
from treewright.documents.page import Block, Document, Formula, Heading, Paragraph, Run, SheetTable
from treewright.documents.printed import Printed
from treewright.plain_text import plain
from treewright.worksheets.blanks import blanks_in, numbers_to_ask, with_blanks
from treewright.worksheets.marking import Mark, Marking, Question, answers_in


class Solution(Printed):
    """The page of an exercise with all blanks filled in, and a table of the answers."""

    def __init__(self, page: Document) -> None:
        self._page = page

    def document(self) -> Document:
        """The page before it is rendered."""
        return self._page


class Exercise(Printed):
    """A worksheet with blanks to fill in.

    `to_text()`, `to_markdown()`, `to_latex()` and `to_html()` print it, `solution` has the same
    page with the answers, and `mark(filled)` marks the answers of a student. A blank that occurs
    in several places needs to be filled in once.
    """

    def __init__(self, page: Document, solved: Document, questions: Sequence[Question]) -> None:
        self.questions = tuple(questions)
        self._page = page
        self._solved = solved

    @property
    def answers(self) -> dict[int, str]:
        """The correct answer to each blank."""
        return {question.number: question.answers[0] for question in self.questions}

    @property
    def solution(self) -> Solution:
        """The page with all blanks filled in, and a table of the answers."""
        rows = tuple(
            (str(question.number), plain(question.asked), plain(" or ".join(question.answers)))
            for question in self.questions
        )
        table = SheetTable(("blank", "asked", "answer"), rows, "rll")
        blocks = (*self._solved.blocks, Heading(2, "Answers"), table)
        return Solution(Document(f"{self._solved.title}, solved", blocks))

    def document(self) -> Document:
        """The page before it is rendered."""
        return self._page

    def mark(self, filled: Mapping[Any, Any] | str) -> Marking:
        """Mark answers: a dict from blank number to answer, or the text with its blanks filled in.

        In the text of `to_markdown()` or `to_text()`, write answers into the blanks: `[3: 0.94]`. A
        number is right within one unit of its last digit, if that is 0.01 or less. Names may differ
        in case.
        """
        written = answers_in(filled, self.questions)
        marks = [Mark(question, written.get(question.number, "")) for question in self.questions]
        return Marking(marks, self._page.title)

    def __repr__(self) -> str:
        return f"<Exercise: {len(self.questions)} blanks>"


SHARE_OF_NAMES = 1 / 3  # of the blanks, at most
GIVES_AWAY = ("chosen", "tie", "runner-up")  # remarks that would reveal the choice

Place = tuple[int, int]  # section, and the leaf below it or THE_CHOICE
THE_CHOICE = -1


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a worksheet about one node, and the names that can be asked for."""

    node: int
    before: tuple[Block, ...]  # blocks before the choice
    chosen: str  # column
    ties: tuple[str, ...]  # columns that are as good
    is_revealed: bool  # a later heading reveals the choice, so it must not be a blank
    after: tuple[Block, ...]  # blocks after the choice
    leaves: tuple[tuple[str, str], ...]  # condition and class of the branches that are leaves

    def choice(self, blank: int | None) -> list[Block]:
        """The choice and the blocks after it, or only a blank."""
        if blank is not None:
            return [Paragraph.of("Chosen: ", Blank(blank), ".")]
        return [Paragraph.of("Chosen: ", Run(plain(self.chosen), "strong"), "."), *self.after]


@dataclass(frozen=True, slots=True)
class ExercisePlan:
    """What an exercise is made of."""

    title: str
    front: tuple[Block, ...]  # the task, and what is given
    sections: tuple[Section, ...]
    columns: tuple[str, ...]  # possible answers
    classes: tuple[str, ...]
    decimals: int

    def make(self, n_blanks: int, random: np.random.Generator) -> Exercise:
        """An exercise with at most `n_blanks` random blanks, numbered from top to bottom."""
        names = _some(self._places(), int(n_blanks * SHARE_OF_NAMES), random)
        without_names = self._page(dict.fromkeys(names, 0))
        numbers = numbers_to_ask(without_names, self.decimals)
        asked: list[Place | str] = [*names, *_some(numbers, n_blanks - len(names), random)]
        as_chosen = self._blanked({key: number for number, key in enumerate(asked)})
        in_order = [asked[number] for number in blanks_in(as_chosen)]
        number_of = {key: number for number, key in enumerate(in_order, start=1)}
        questions = [self._question(key, number) for key, number in number_of.items()]
        return Exercise(self._blanked(number_of), self._page({}), questions)

    def _blanked(self, number_of: Mapping[Place | str, int]) -> Document:
        """The page with these blanks."""
        names = {key: number for key, number in number_of.items() if isinstance(key, tuple)}
        numbers = {key: number for key, number in number_of.items() if isinstance(key, str)}
        return with_blanks(self._page(names), numbers, self.decimals)

    def _places(self) -> list[Place]:
        """Where a name can be asked for."""
        places: list[Place] = []
        for at, section in enumerate(self.sections):
            if section.is_revealed:
                places += [(at, leaf) for leaf in range(len(section.leaves))]
            else:  # its leaves would reveal it
                places.append((at, THE_CHOICE))
        return places

    def _page(self, blanks: Mapping[Place, int]) -> Document:
        """The page with some names as blanks."""
        blocks = list(self.front)
        for at, section in enumerate(self.sections):
            choice = blanks.get((at, THE_CHOICE))
            blocks += section.before if choice is None else map(_silent, section.before)
            blocks += section.choice(choice)
            for leaf, (condition, answer) in enumerate(section.leaves if choice is None else ()):
                blank = blanks.get((at, leaf))
                shown = Run(plain(answer), "strong") if blank is None else Blank(blank)
                blocks.append(Paragraph.of(f"{condition} is a leaf of class ", shown, "."))
        return Document(self.title, tuple(blocks))

    def _question(self, key: Place | str, number: int) -> Question:
        if isinstance(key, str):
            return Question(number, self._meaning(key), (key,), decimals=self.decimals)
        section = self.sections[key[0]]
        if key[1] == THE_CHOICE:
            answers = (section.chosen, *section.ties)
            return Question(number, f"column chosen at node {section.node}", answers, self.columns)
        condition, answer = section.leaves[key[1]]
        asked = f"class of {condition} below node {section.node}"
        return Question(number, asked, (answer,), self.classes)

    def _meaning(self, text: str) -> str:
        """What a number is the result of."""
        for section in self.sections:
            column = ""
            for block in (*section.before, *section.after):
                if isinstance(block, Heading):
                    column = block.text if block.level == 3 else ""
                elif isinstance(block, SheetTable) and block.columns[0] == "column":
                    column = ""  # what follows the comparison of all columns is about the node
                elif isinstance(block, Formula) and block.steps[-1] == Number(text):
                    result = math_text(block.left)
                    whose = f" of {column}" if column and column not in result else ""
                    return f"{result}{whose} at node {section.node}"
        raise AssertionError(f"{text} is not the result of a formula")


Kind = TypeVar("Kind")


def _some(things: list[Kind], most: int, random: np.random.Generator) -> list[Kind]:
    """A random selection of at most `most`, in order."""
    return [things[at] for at in sorted(random.permutation(len(things))[:most])]


def _silent(block: Block) -> Block:
    """The table of columns without remarks that reveal the choice; other blocks unchanged."""
    if not isinstance(block, SheetTable) or not any(row[-1] in GIVES_AWAY for row in block.rows):
        return block
    rows = [(*row[:-1], "") if row[-1] in GIVES_AWAY else row for row in block.rows]
    return replace(block, rows=tuple(rows), marked=frozenset())
