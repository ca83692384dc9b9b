"""Small changes of a program that a test should notice: `<` becomes `<=`, 1 becomes 2."""

import ast
import io
import re
import token
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OPPOSITES = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "//": "*",
    "+=": "-=",
    "-=": "+=",
    "and": "or",
    "or": "and",
    "&&": "||",
    "||": "&&",
    "not": "",
    "is": "is not",
    "in": "not in",
    "True": "False",
    "False": "True",
    "true": "false",
    "false": "true",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "break": "continue",
    "continue": "break",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One piece of one line, and what takes its place."""

    path: Path
    line: int  # from 1
    column: int  # from 0
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: `{self.old}` -> `{self.new}`"

    def applied(self, text: str) -> str:
        lines = text.split("\n")
        row = lines[self.line - 1]
        end = self.column + len(self.old)
        assert row[self.column : end] == self.old
        lines[self.line - 1] = row[: self.column] + self.new + row[end:]
        return "\n".join(lines)


def changes_of(path: Path, text: str) -> list[Change]:
    """Every small change of a file, in the order of its lines."""
    pieces = python_pieces(text) if path.suffix == ".py" else cpp_pieces(text)
    return [
        Change(path, line, column, old, new)
        for line, column, old in pieces
        if (new := opposite(old)) is not None
    ]


def lines_of(function: str, text: str) -> set[int]:
    """The lines of all functions and methods of this name in a Python file."""
    return {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name == function
        for line in range(node.lineno, node.end_lineno + 1)
    }


def opposite(piece: str) -> str | None:
    if re.fullmatch(r"\d+", piece):
        return str(int(piece) + 1)
    if re.fullmatch(r"\d+\.\d*", piece):
        return str(float(piece) + 1)
    return OPPOSITES.get(piece)


def python_pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """The operators, numbers and names of code: no strings, comments, imports, annotations."""
    statement: list[tokenize.TokenInfo] = []
    for piece in tokenize.generate_tokens(io.StringIO(text).readline):
        statement.append(piece)
        if piece.type == token.NEWLINE:
            yield from in_statement(statement)
            statement = []


def in_statement(statement: list[tokenize.TokenInfo]) -> Iterator[tuple[int, int, str]]:
    words = [piece for piece in statement if piece.string.strip()]
    if not words or words[0].string in ("import", "from", "@", "class", "def", "for"):
        return
    before = ""
    for piece in words:
        is_star = piece.string == "*" and before in ("(", "[", ",", "=", "return", "")
        is_part_of_not = piece.string in ("in", "not") and before in ("not", "is")
        if piece.type in (token.OP, token.NUMBER, token.NAME) and not (is_star or is_part_of_not):
            yield *piece.start, piece.string
        before = piece.string


CPP_PIECE = re.compile(
    r"(?<= )(?:<=|>=|==|!=|\+=|-=|&&|\|\||<|>|\+|-|\*|/)(?= )"
    r"|\b(?:true|false|min|max|break|continue)\b"
    r"|(?<![\w.\"'])(?<!\de[-+])\d+(?:\.\d*)?(?![\w.'])"
)
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
SKIPPED_LINE = re.compile(r"\s*(#|template|static_assert|using|namespace|\[\[)")


def cpp_pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """The same of C++, whose operators stand between spaces and whose templates do not."""
    code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    for number, line in enumerate(code.split("\n"), start=1):
        if not SKIPPED_LINE.match(line):
            for found in CPP_PIECE.finditer(line):
                yield number, found.start(), found.group()
