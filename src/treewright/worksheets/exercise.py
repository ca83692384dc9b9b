"""Exercises: a worksheet with blanks, its solution, and marks for a filled one."""

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.documents.page import Document, Heading, SheetTable
from treewright.documents.printed import Printed
from treewright.plain_text import plain
from treewright.worksheets.marking import Mark, Marking, Question, answers_in


class Solution(Printed):
    """The page of an exercise with everything filled in, and the answers in a table."""

    def __init__(self, page: Document) -> None:
        self._page = page

    def document(self) -> Document:
        """The page before it is rendered."""
        return self._page


class Exercise(Printed):
    """A worksheet with blanks to fill in.

    `to_text()`, `to_markdown()`, `to_latex()` and `to_html()` write it, `solution` has the same
    with the answers, and `mark(filled)` marks what somebody wrote. A blank that stands in several
    places is one number, to be filled in once.
    """

    def __init__(self, page: Document, solved: Document, questions: Sequence[Question]) -> None:
        self.questions = tuple(questions)
        self._page = page
        self._solved = solved

    @property
    def answers(self) -> dict[int, str]:
        """The right answer to each blank."""
        return {question.number: question.answers[0] for question in self.questions}

    @property
    def solution(self) -> Solution:
        """The page filled in, with a table of the answers."""
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
        """Mark what somebody wrote: the numbers of blanks with answers, or the filled text.

        In the text of `to_markdown()` or `to_text()` answers stand in the blanks: `[3: 0.94]`. A
        number is right within one unit of its last digit, if that is 0.01 or less; names are right
        by their spelling, whatever their case.
        """
        written = answers_in(filled, self.questions)
        marks = [Mark(question, written.get(question.number, "")) for question in self.questions]
        return Marking(marks, self._page.title)

    def __repr__(self) -> str:
        return f"<Exercise: {len(self.questions)} blanks>"
