"""What C, Java, JavaScript and Rust have in common when they write a tree."""

from collections.abc import Iterable, Sequence

from treewright.exports.languages.nested import WHOLE
from treewright.exports.program import Program
from treewright.exports.routes import (
    Above,
    Among,
    AtMost,
    Missing,
    SumAtMost,
    SumKnown,
    Test,
    Unseen,
)

WIDTH = 88  # of the text itself; the code around it may be indented


def wrapped(
    opening: str, items: Iterable[str], closing: str, *, last_comma: bool = True
) -> list[str]:
    """`opening a, b, c closing` on one line if it fits, otherwise items below, indented.

    `last_comma`: whether the language allows a comma after the last of several lines.
    """
    items = list(items)
    one_line = f"{opening}{', '.join(items)}{closing}"
    if len(one_line) <= WIDTH:
        return [one_line]
    below = [f"    {line}" for line in filled(items)]
    if not last_comma:
        below[-1] = below[-1].removesuffix(",")
    return [opening.rstrip(), *below, closing.removeprefix(",")]


def filled(items: Iterable[str]) -> list[str]:
    """The items, each with a comma, as many to a line as fit."""
    lines: list[str] = []
    current = ""
    for item in items:
        if current and len(current) + len(item) + 2 > WIDTH:
            lines.append(current)
            current = ""
        current += f" {item}," if current else f"{item},"
    return [*lines, current] if current else lines


class BraceLanguage:
    """Blocks in braces; see `nested.Language`. A language fills in its own words.

    `name_of` holds the expression for the value of each used column.
    """

    def __init__(self, program: Program, name_of: dict[int, str]) -> None:
        self.program = program
        self.name_of = name_of

    # What the languages write each in its own way.

    def level_test(self, column: int, level: object) -> str:
        """The level of a column is this one."""
        raise NotImplementedError

    def is_missing(self, column: int) -> str:
        raise NotImplementedError

    def give(self, node: int) -> list[str]:
        raise NotImplementedError

    def add(self, node: int, share: str) -> list[str]:
        raise NotImplementedError

    def declare_branch(self, name: str) -> str:
        raise NotImplementedError

    def declare_shares(self, names: list[str]) -> list[str]:
        raise NotImplementedError

    # What they write alike, most of them.

    def comment(self, text: str) -> str:
        return f"// {text}"

    def if_(self, condition: str, note: str = "") -> str:
        return f"if ({condition}) {{{beside(note)}"

    def elif_(self, condition: str, note: str = "") -> str:
        return f"}} else {self.if_(condition, note)}"

    def else_(self, note: str = "") -> str:
        return f"}} else {{{beside(note)}"

    def end(self) -> str:
        return "}"

    def condition(self, tests: tuple[Test, ...]) -> str:
        parts = [part for test in tests for part in self.alternatives(test)]
        one_line = " || ".join(parts)
        return one_line if len(one_line) <= WIDTH else " ||\n    ".join(parts)

    def alternatives(self, test: Test) -> list[str]:
        """Conditions one of which must hold."""
        match test:
            case AtMost(column, bound):
                return [f"{self.name_of[column]} <= {bound!r}"]
            case Above(column, bound):
                return [f"{self.name_of[column]} > {bound!r}"]
            case Among(column, levels):
                return [self.level_test(column, level) for level in levels]
            case Unseen(column, levels):
                known = [self.is_missing(column)]
                known += [self.level_test(column, level) for level in levels]
                return [f"!({' || '.join(known)})"]
            case Missing(columns):
                return [self.is_missing(column) for column in columns]
            case SumAtMost(terms, bound):
                return [f"{self.sum_of(terms)} <= {bound!r}"]
            case SumKnown(columns):
                return [f"!({' || '.join(map(self.is_missing, columns))})"]

    def sum_of(self, terms: Sequence[tuple[int, float]]) -> str:
        return " + ".join(f"{weight!r} * {self.name_of[column]}" for column, weight in terms)

    def is_branch(self, name: str, number: int) -> str:
        return f"{name} == {number}"

    def is_positive(self, name: str) -> str:
        return f"{name} > 0.0"

    def set_branch(self, name: str, number: int) -> str:
        return f"{name} = {number};"

    def set_share(self, name: str, value: str) -> str:
        return f"{name} = {value};"

    def part_of(self, share: str, part: float) -> str:
        if share == WHOLE:
            return repr(part)
        return share if part == 1.0 else f"{share} * {part!r}"

    def answer(self, node: int) -> list[str]:
        return [repr(number) for number in self.program.answers[node].tolist()]


def beside(note: str) -> str:
    return f"  // {note}" if note else ""


def comment_lines(lines: Sequence[str]) -> str:
    return "\n".join(f"// {line}".rstrip() for line in lines)
