"""A worksheet in Markdown, taken apart again: sections, formulas, tables, sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

NODE = re.compile(r"## Node (\d+)")


@dataclass(frozen=True)
class PrintedTable:
    """The cells of a table as a reader sees them."""

    head: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        at = self.head.index(name)
        return [row[at] for row in self.rows]


@dataclass
class PrintedPart:
    """What stands under one heading: of a node, or of one column of it."""

    formulas: list[str] = field(default_factory=list)
    tables: list[PrintedTable] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


@dataclass
class PrintedNode:
    """The section of one node."""

    number: int
    itself: PrintedPart = field(default_factory=PrintedPart)
    columns: dict[str, PrintedPart] = field(default_factory=dict)


def read_sheet(markdown: str) -> Iterator[PrintedNode]:
    """The sections of the nodes, one by one."""
    node, part = None, PrintedPart()
    for block in markdown.split("\n\n"):
        if block.startswith("## "):
            if node is not None:
                yield node
            found = NODE.match(block)
            node = PrintedNode(int(found[1])) if found else None
            part = node.itself if node else PrintedPart()
        elif block.startswith("### ") and node is not None:
            part = node.columns.setdefault(plain(block[4:]), PrintedPart())
        elif block.startswith("$$"):
            part.formulas.append(block.strip("$"))
        elif block.startswith("|"):
            part.tables.append(read_table(block))
            if node is not None and part.tables[-1].head[0] == "column":
                # What follows the comparison is about the node again.
                node.itself.tables.append(part.tables.pop())
                part = node.itself
        else:
            part.sentences.append(plain(block))
    if node is not None:
        yield node


def read_table(block: str) -> PrintedTable:
    lines = [line.strip("|").split("|") for line in block.replace(r"\|", "¦").splitlines()]
    head, _, *rows = [[plain(cell).strip() for cell in line] for line in lines]
    return PrintedTable(head, rows)


def plain(text: str) -> str:
    """Markdown without its marks."""
    return re.sub(r"\\(.)", r"\1", text.replace("**", "")).strip()
