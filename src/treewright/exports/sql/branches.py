"""A tree as CASEs inside CASEs, laid out for reading."""

from collections.abc import Callable
from dataclasses import dataclass

from treewright.exports.sql.pieces import Pieces
from treewright.exports.sql.routes import ITSELF, SHARED, Route

INDENT = "  "
MOST_INDENTED = 16  # levels: further ones stay where they are, or half of a query is spaces
UNKNOWN = "NULL"
LONGEST_CHAIN = 40  # of conditions joined by AND

Answer = Callable[[int], str]
Routes = dict[int, Route]


@dataclass(frozen=True, slots=True)
class Case:
    """A CASE that is to be written over several lines."""

    opening: str  # "CASE", or "CASE expression"
    ways: tuple[tuple[str, "Expression"], ...]
    otherwise: "Expression | None" = None

    def written(self, level: int) -> str:
        """The text; only its own lines are indented, never those inside a string."""
        lines = [self.opening]
        lines += [f"WHEN {when} THEN{beside(then, level + 1)}" for when, then in self.ways]
        if self.otherwise is not None:
            lines.append(f"ELSE{beside(self.otherwise, level + 1)}")
        return new_line(level + 1).join(lines) + new_line(level) + "END"


Expression = str | Case


def beside(expression: Expression, level: int) -> str:
    """An expression after a word: on the same line, or indented below it."""
    if isinstance(expression, str):
        return f" {expression}"
    return new_line(level + 1) + expression.written(level + 1)


def new_line(level: int) -> str:
    return "\n" + INDENT * min(level, MOST_INDENTED)


def written(expression: Expression, level: int) -> str:
    return expression if isinstance(expression, str) else expression.written(level)


@dataclass(frozen=True, slots=True)
class Branches:
    """The branches of a tree in pieces, as expressions."""

    routes: Routes
    pieces: Pieces
    number: str  # the column that holds the number of a row's piece

    def expression(self, answer: Answer) -> Expression:
        """What the node answers that a row ends at; NULL for rows that several nodes share."""
        roots = self.pieces.roots
        if len(roots) == 1:
            return self.below(0, 0, answer)
        ways = [(str(piece), self.below(piece, root, answer)) for piece, root in enumerate(roots)]
        return Case(f"CASE {self.number}", tuple(ways))

    def below(self, piece: int, node: int, answer: Answer) -> Expression:
        """The branches of a piece from a node down; pieces are shallow, so this may recurse."""
        route = self.routes.get(node)
        if route is None:
            return answer(node)
        targets = {target for _, target in route.ways} | {route.otherwise}
        found: dict[int, Expression] = {ITSELF: answer(node), SHARED: UNKNOWN}
        for target in targets - {ITSELF, SHARED}:
            if self.pieces.piece_of[target] == piece:  # else the rows have left the piece before
                found[target] = self.below(piece, target, answer)
        otherwise = found.get(route.otherwise, UNKNOWN)
        if route.is_plain:
            opening, ways = "CASE", list(route.ways)
        else:
            opening = f"CASE {route.number()}"
            ways = [(str(target), target) for target in sorted(targets - {route.otherwise})]
        known = tuple((when, found[target]) for when, target in ways if target in found)
        if not known:
            return otherwise
        return Case(opening, known, None if otherwise == UNKNOWN else otherwise)

    def stages(self) -> list[Expression]:
        """The number of each row's piece, stage after stage."""
        number = "0"
        stages: list[Expression] = []
        for splits in self.pieces.stages:
            ways = tuple(
                (f"{number} = {split.piece} AND {self.reaches(split.path)}", str(split.taken))
                for split in splits
            )
            stages.append(Case("CASE", ways, number))
            number = self.number
        return stages

    def reaches(self, path: tuple[tuple[int, int], ...]) -> str:
        """A condition that holds for rows that go the whole path.

        In brackets within brackets: engines limit how long a chain may be.
        """
        conditions = [self.routes[node].goes_to(child) for node, child in path]
        while len(conditions) > LONGEST_CHAIN:
            conditions = [
                f"({' AND '.join(conditions[start : start + LONGEST_CHAIN])})"
                for start in range(0, len(conditions), LONGEST_CHAIN)
            ]
        return f"({' AND '.join(conditions)})"
