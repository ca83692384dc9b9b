"""A DOT graph as its reader understands it: rows follow the conditions beside the edges."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

STRING = r'"(?:[^"\\\n]|\\.)*"'
NODE = re.compile(rf"    (\d+) \[label=({STRING})(?:, fillcolor=gray92)?\];")
EDGE = re.compile(rf"    (\d+) -> (\d+) \[label=({STRING})\];")
TERM = re.compile(r"([+-]?) ?(?:([\d.e-]+) \* )?(.+)")

Row = Mapping[str, Any]


class NotTold(Exception):  # noqa: N818 -- the picture leaves it out, and says so
    """A hole goes by surrogates or to all branches, or a long line is cut off."""


@dataclass
class Box:
    """A node: the lines of its label, and those of the edges to its children."""

    lines: list[str]
    edges: list[tuple[list[str], int]] = field(default_factory=list)


class Graph:
    """The graph of a DOT text; `orders` are the levels of the ordered columns."""

    def __init__(self, text: str, orders: Mapping[str, Sequence[Any]]) -> None:
        self.boxes: dict[int, Box] = {}
        self.orders = orders
        for line in text.splitlines():
            if node := NODE.fullmatch(line):
                self.boxes[int(node[1])] = Box(lines_of(node[2]))
            elif edge := EDGE.fullmatch(line):
                self.boxes[int(edge[1])].edges.append((lines_of(edge[3]), int(edge[2])))

    def prediction(self, row: Row) -> str:
        """What the box says where the row ends."""
        box = self.boxes[0]
        while box.edges:
            child = self.child_of(box, row)
            if child is None:
                return box.lines[-1].removeprefix("if missing: ").rpartition(" (")[0]
            box = self.boxes[child]
        return box.lines[0]

    def child_of(self, box: Box, row: Row) -> int | None:
        """Where the row goes on; None where the box itself predicts."""
        for says in (self.holds, self.is_otherwise):
            chosen = [child for (condition, *_), child in box.edges if says(condition, row)]
            if chosen:
                assert len(chosen) == 1, f"{row} goes to {chosen}"
                return chosen[0]
        if any(re.search("surrogate|in parts", note) for note in box.lines[1:]):
            raise NotTold
        takes_missing = [child for texts, child in box.edges if texts[-1].endswith("missing")]
        return takes_missing[0] if takes_missing else None

    def holds(self, condition: str, row: Row) -> bool:
        """Whether the row knows the column and its value is as the condition says."""
        if condition.endswith("..."):
            raise NotTold
        if set_of := re.fullmatch(r"(.+) in \{(.*)\}", condition):
            return word(row[set_of[1]]) in set_of[2].split(", ")
        if one := re.fullmatch(r"(.+) = (.*)", condition):
            return word(row[one[1]]) == one[2]
        if known := re.fullmatch(r"(.+) known", condition):
            return row[known[1]] is not None
        if between := re.fullmatch(r"(\S+) < (.+) (<=) (\S+)", condition):
            low, asked, _, high = between.groups()
            return self.holds(f"{asked} > {low}", row) and self.holds(f"{asked} <= {high}", row)
        if bound := re.fullmatch(r"(.+) (<=|>) (.+)", condition):
            return self.is_on_the_side(*bound.groups(), row)
        return False

    def is_on_the_side(self, asked: str, side: str, bound: str, row: Row) -> bool:
        if asked in self.orders:
            levels = [*map(str, self.orders[asked])]
            value = None if row[asked] is None else levels.index(str(row[asked]))
            limit: float = levels.index(bound)
        else:
            value, limit = total_of(asked, row), float(bound)
        return value is not None and (value <= limit) == (side == "<=")

    def is_otherwise(self, condition: str, row: Row) -> bool:
        rest = re.fullmatch("(.+) otherwise", condition)
        return rest is not None and row[rest[1]] is not None


def word(value: Any) -> str:
    """A category as the graph writes it."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def total_of(asked: str, row: Row) -> float | None:
    """The value of a column, or of a sum such as `2 * age - income`; None if one is missing."""
    if asked in row:
        return row[asked]
    total = 0.0
    for term in re.split(" (?=[+-] )", asked):
        sign, factor, name = TERM.fullmatch(term).groups()
        if row[name] is None:
            return None
        total += float(f"{sign}{factor or 1}") * row[name]
    return total


def lines_of(label: str) -> list[str]:
    r"""The lines of a quoted label, `\n` being their end."""
    ends = {"n": "\n"}
    text = re.sub(r"\\(.)", lambda escape: ends.get(escape[1], escape[1]), label[1:-1])
    return text.split("\n")
