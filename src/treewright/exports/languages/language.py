"""What the programming languages share when they write a tree."""

from collections.abc import Iterable, Sequence

from treewright.errors import ExportError, ParameterError
from treewright.exports.program import Cuts, Levels, Program
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
WHOLE = ""  # the share of a row that has not been split yet

# Trees up to this size are written as nested ifs, larger ones as tables and a loop.
MAX_NODES = 300
MAX_DEPTH = 20
MAX_LEVELS = 2000  # written out in all conditions together
MAX_NUMBERS = 3000  # in all predictions; Java takes 64 kB of code in one method
MAX_NESTING = 90  # of ifs if requested; Python allows 100 levels of indentation

FORMS = ("auto", "ifs", "tables")


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


def indented(lines: Iterable[str], depth: int = 1) -> list[str]:
    """The lines, each moved to the right, unless it is empty."""
    return ["    " * depth + line if line else "" for line in lines]


def utf8(text: object, language: str) -> bytes:
    """The bytes of a text; one that is not valid Unicode raises an error."""
    try:
        return str(text).encode("utf-8")
    except UnicodeEncodeError:
        raise ExportError(f"{text!r} is not valid Unicode, which {language} requires") from None


def uses_ifs(program: Program, form: str) -> bool:
    """Whether nested ifs are asked for, or fit the size of the tree."""
    if form not in FORMS:
        raise ParameterError(f"form is {form!r}", hint=f"use one of {', '.join(FORMS)}")
    if form == "tables":
        return False
    depth = program.tree.depth
    if form == "ifs":
        if depth > MAX_NESTING:
            raise ExportError(
                f"{depth} nested ifs are more than compilers take ({MAX_NESTING})",
                hint='use form="tables"',
            )
        return True
    n_nodes, n_numbers = program.tree.n_nodes, program.node_values.size
    if n_nodes > MAX_NODES or depth > MAX_DEPTH or n_numbers > MAX_NUMBERS:
        return False
    return n_levels_written(program) <= MAX_LEVELS


def n_levels_written(program: Program) -> int:
    """Levels in the conditions of all nodes, at most."""
    total = 0
    for step in program.steps():
        for question in step.questions:
            if isinstance(question, Cuts | Levels):
                total += len(program.columns[question.column].levels)
    return total


class Language:
    """How one language writes the few statements that a tree needs.

    The defaults are for languages with blocks in braces. `name_of` has the expression for the
    value of each used column; `form` is "ifs", "tables", or "auto": by size.
    """

    DECIDE: tuple[str, str]  # the function that chooses a class, by probabilities and by costs

    COMMENT = "//"
    OR = " || "
    NOT = "!"
    END = "}"  # closes a chain of ifs; "" if nothing does
    SEMICOLON = ";"
    ADD = ("add(total, {}, [", "]);")  # the call that adds a share of probabilities to the total
    LAST_COMMA = True  # may follow the last of several arguments

    def __init__(self, program: Program, name_of: dict[int, str], form: str) -> None:
        self.program = program
        self.name_of = name_of
        self.is_number = program.classes is None
        self.refuses = program.unseen == "error"
        self.by_ifs = uses_ifs(program, form)
        # Otherwise leaves name their class.
        self.chooses_class = not self.is_number and (not self.by_ifs or program.splits_rows)

    def body(self) -> list[str]:
        """The functions that predict a row."""
        parts = self.ifs() if self.by_ifs else self.tables()
        return [*parts, self.decide()] if self.chooses_class else parts

    def decide(self) -> str:
        return self.DECIDE[self.program.costs is not None]

    def ifs(self) -> list[str]:
        """The parts of a program of nested ifs."""
        raise NotImplementedError

    def tables(self) -> list[str]:
        """The parts of a program of tables and a loop."""
        raise NotImplementedError

    def level_test(self, column: int, level: object) -> str:
        """The condition that a column has this level."""
        raise NotImplementedError

    def is_missing(self, column: int) -> str:
        raise NotImplementedError

    def return_values(self, node: int) -> list[str]:
        """Statements that return the prediction of a node."""
        raise NotImplementedError

    def declare_branch(self, name: str) -> str:
        raise NotImplementedError

    def declare_shares(self, names: list[str]) -> list[str]:
        raise NotImplementedError

    def comment(self, text: str) -> str:
        return f"{self.COMMENT} {text}"

    def beside(self, note: str) -> str:
        return f"  {self.comment(note)}" if note else ""

    def if_(self, condition: str, note: str = "") -> str:
        return f"if ({condition}) {{{self.beside(note)}"

    def elif_(self, condition: str, note: str = "") -> str:
        return f"}} else {self.if_(condition, note)}"

    def else_(self, note: str = "") -> str:
        return f"}} else {{{self.beside(note)}"

    def condition(self, tests: tuple[Test, ...]) -> str:
        parts = [part for test in tests for part in self.alternatives(test)]
        one_line = self.OR.join(parts)
        return one_line if len(one_line) <= WIDTH else f"{self.OR.rstrip()}\n    ".join(parts)

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
                return [self.none_of(known)]
            case Missing(columns):
                return [self.is_missing(column) for column in columns]
            case SumAtMost(terms, bound):
                return [f"{self.sum_of(terms)} <= {bound!r}"]
            case SumKnown(columns):
                return [self.none_of(map(self.is_missing, columns))]

    def none_of(self, conditions: Iterable[str]) -> str:
        return f"{self.NOT}({self.OR.join(conditions)})"

    def sum_of(self, terms: Sequence[tuple[int, float]]) -> str:
        return " + ".join(self.product(repr(weight), self.name_of[at]) for at, weight in terms)

    def product(self, one: str, other: str) -> str:
        return f"{one} * {other}"

    def add_share(self, node: int, share: str) -> list[str]:
        """Statements that add a share of a node's prediction to the total."""
        share, values = share or "1.0", self.values(node)
        if self.is_number:
            return [f"total += {self.product(share, values[0])}{self.SEMICOLON}"]
        opening, closing = self.ADD
        return wrapped(opening.format(share), values, closing, last_comma=self.LAST_COMMA)

    def is_branch(self, name: str, number: int) -> str:
        return f"{name} == {number}"

    def assign(self, name: str, value: object) -> str:
        return f"{name} = {value}{self.SEMICOLON}"

    def part_of(self, share: str, part: float) -> str:
        if share == WHOLE:
            return repr(part)
        return share if part == 1.0 else f"{share} * {part!r}"

    def values(self, node: int) -> list[str]:
        """The probabilities or the number of a node, as literals."""
        return [repr(number) for number in self.program.node_values[node].tolist()]


def comment_lines(lines: Iterable[str], mark: str = "//") -> str:
    return "\n".join(f"{mark} {line}".rstrip() for line in lines)
