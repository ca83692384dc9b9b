"""A program as nested ifs, the way a person would write it; for trees of a readable size.

If no row is ever split, each leaf returns its prediction. If a missing value sends parts of a row
down several branches, each node has the share of the row that reaches it, and leaves add up their
values in proportion, from left to right as the model does.
"""

from treewright.exports.languages.language import WHOLE, Language
from treewright.exports.notes import bound_note, question_note, rest_note
from treewright.exports.program import Step
from treewright.exports.routes import Arm, AtMost, chained_arms, is_simple, simple_arms


def nested_lines(language: Language, *, start: str, result: str) -> list[str]:
    """The body of a function that predicts one row.

    If rows are split, it begins with the statement `start` (the total is zero) and ends with
    `result` (return the total).
    """
    writer = _Writer(language)
    if language.program.splits_rows:
        writer.line(1, start)
    writer.node(0, 1, WHOLE)
    if language.program.splits_rows:
        writer.line(1, result)
    return writer.lines


class _Writer:
    def __init__(self, language: Language) -> None:
        self.program = language.program
        self.language = language
        self.lines: list[str] = []

    def line(self, depth: int, text: str) -> None:
        """Add a statement, which may have several lines."""
        if text:
            self.lines += ["    " * depth + line for line in text.split("\n")]

    def node(self, node: int, depth: int, share: str) -> None:
        step = self.program.step(node)
        if step is None:
            self.prediction(node, depth, share)
        elif is_simple(step):
            self.simple(step, depth, share)
        elif step.splits_rows:
            self.split(step, depth, share)
        else:
            self.branch(step, depth, share)

    def prediction(self, node: int, depth: int, share: str) -> None:
        if self.program.splits_rows:
            lines = self.language.add_share(node, share)
        else:
            lines = self.language.return_values(node)
        for text in lines:
            self.line(depth, text)

    def simple(self, step: Step, depth: int, share: str) -> None:
        """Each child has its arm, and its subtree stands in it."""
        arms = simple_arms(self.program, step)
        for at, arm in enumerate(arms):
            self.open(step, arm, depth, is_first=at == 0)
            if arm.child is None:
                self.prediction(step.node, depth + 1, share)
            else:
                self.node(arm.child, depth + 1, share)
        self.line(depth, self.language.END)

    def branch(self, step: Step, depth: int, share: str) -> None:
        """First find the child, by way of surrogates, then go on there."""
        language = self.language
        name = f"branch_{step.node}"
        children = list(step.children)
        self.line(depth, language.comment(question_note(self.program, step)))
        self.line(depth, language.declare_branch(name))
        for at, arm in enumerate(chained_arms(self.program, step)):
            self.open(step, arm, depth, is_first=at == 0)
            number = 0 if arm.child is None else 1 + children.index(arm.child)
            self.line(depth + 1, language.assign(name, number))
        self.line(depth, language.END)
        targets: list[int | None] = [*children] if step.missing else [None, *children]
        for at, child in enumerate(targets):
            number = 0 if child is None else 1 + children.index(child)
            test = language.is_branch(name, number)
            is_last = at == len(targets) - 1
            opening = language.if_(test) if at == 0 else language.elif_(test)
            self.line(depth, language.else_() if is_last else opening)
            if child is None:
                self.prediction(step.node, depth + 1, share)
            else:
                self.node(child, depth + 1, share)
        self.line(depth, language.END)

    def split(self, step: Step, depth: int, share: str) -> None:
        """First find how much of the row each child gets, then go to all that get some."""
        language = self.language
        name_of = {child: f"share_{child}" for child in step.children}
        self.line(depth, language.comment(question_note(self.program, step)))
        for text in language.declare_shares(list(name_of.values())):
            self.line(depth, text)
        for at, arm in enumerate(chained_arms(self.program, step)):
            self.open(step, arm, depth, is_first=at == 0)
            for heir, part in arm.heirs:
                value = language.part_of(share, part)
                self.line(depth + 1, language.assign(name_of[heir], value))
        self.line(depth, language.END)
        for child, name in name_of.items():
            if self.program.step(child) is None:  # a share of 0 adds nothing
                self.prediction(child, depth, name)
                continue
            self.line(depth, language.if_(f"{name} > 0.0"))
            self.node(child, depth + 1, name)
            self.line(depth, language.END)

    def open(self, step: Step, arm: Arm, depth: int, *, is_first: bool) -> None:
        """The line that begins an arm: `if`, `else if` or `else`, with a word on what is meant."""
        note = self.note(step, arm)
        if not arm.tests:
            self.line(depth, self.language.else_(note))
            return
        condition = self.language.condition(arm.tests)
        opening = self.language.if_ if is_first else self.language.elif_
        self.line(depth, opening(condition, note))

    def note(self, step: Step, arm: Arm) -> str:
        if not arm.tests:
            return rest_note(self.program, step, arm)
        test = arm.tests[0]
        return bound_note(self.program, test) if isinstance(test, AtMost) else ""
