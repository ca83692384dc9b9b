"""A tree as nested CASE expressions, laid out for reading."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from treewright.exports.program import Program
from treewright.exports.sql.routes import ITSELF, SHARED, Route


@dataclass(frozen=True, slots=True)
class Split:
    """A piece of the tree that loses the part below a node to a new piece."""

    piece: int
    new_piece: int
    path: tuple[tuple[int, int], ...]  # (node, child) from the root of the piece to the new root


@dataclass
class Pieces:
    """Pieces 0, 1 ... of a tree, and the splits that made them, stage by stage."""

    roots: list[int]
    piece_of: list[int]  # of each node
    stages: list[list[Split]] = field(default_factory=list)


def pieces_of(program: Program, max_depth: int) -> Pieces:
    """The tree in pieces, each at most `max_depth` splits deep."""
    tree = program.tree
    pieces = Pieces([0], [0] * tree.n_nodes)
    parent: list[int] = tree.parent.tolist()
    if tree.depth <= max_depth:
        return pieces
    while stage := list(splits_of(pieces, parent, max_depth)):
        pieces.stages.append(stage)
    return pieces


def splits_of(pieces: Pieces, parent: list[int], max_depth: int) -> Iterator[Split]:
    """Split every piece that is too deep, once."""
    chosen = middles_of(pieces, parent, max_depth)  # piece -> the root of the new piece
    before = pieces.piece_of.copy()
    for piece, node in chosen.items():
        path = tuple(path_within(before, parent, node))
        yield Split(piece, len(pieces.roots), path)
        pieces.piece_of[node] = len(pieces.roots)
        pieces.roots.append(node)
    for node, above in enumerate(parent):  # parents come first, so whole subtrees move
        if above >= 0 and before[node] == before[above]:
            is_new_root = chosen.get(before[node]) == node
            pieces.piece_of[node] = pieces.piece_of[node if is_new_root else above]


def middles_of(pieces: Pieces, parent: list[int], max_depth: int) -> dict[int, int]:
    """For each piece that is too deep, the node with about half of the piece below it."""
    piece_of, roots = pieces.piece_of, pieces.roots
    depth, size = [0] * len(parent), [1] * len(parent)
    deepest = [0] * len(roots)
    for node, above in enumerate(parent):
        if above >= 0 and piece_of[above] == piece_of[node]:
            depth[node] = depth[above] + 1
            deepest[piece_of[node]] = max(deepest[piece_of[node]], depth[node])
    for node in range(len(parent) - 1, 0, -1):
        if piece_of[parent[node]] == piece_of[node]:
            size[parent[node]] += size[node]
    middles: dict[int, int] = {}
    for node, piece in enumerate(piece_of):
        if deepest[piece] <= max_depth or node == roots[piece]:
            continue
        half = size[roots[piece]] / 2
        best = middles.get(piece)
        if best is None or abs(size[node] - half) < abs(size[best] - half):
            middles[piece] = node
    return middles


def path_within(piece_of: list[int], parent: list[int], node: int) -> list[tuple[int, int]]:
    """(node, child) from the root of a piece down to one of its nodes."""
    path = []
    while (above := parent[node]) >= 0 and piece_of[above] == piece_of[node]:
        path.append((above, node))
        node = above
    return path[::-1]


INDENT = "  "
MAX_INDENT = 16  # levels: deeper indentation would be half of the query
UNKNOWN = "NULL"
MAX_CHAIN = 40  # conditions joined by AND

ValueOf = Callable[[int], str]  # the value that a node predicts, as a literal
Routes = dict[int, Route]


@dataclass(frozen=True, slots=True)
class Case:
    """A CASE that is written over several lines."""

    opening: str  # "CASE", or "CASE expression"
    ways: tuple[tuple[str, "Expression"], ...]
    otherwise: "Expression | None" = None

    def written(self, level: int) -> str:
        """The text; only its own lines are indented, not those inside a string."""
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
    return "\n" + INDENT * min(level, MAX_INDENT)


def written(expression: Expression, level: int) -> str:
    return expression if isinstance(expression, str) else expression.written(level)


@dataclass(frozen=True, slots=True)
class Branches:
    """The branches of a tree in pieces, as expressions."""

    routes: Routes
    pieces: Pieces
    number: str  # the column that holds the number of a row's piece

    def expression(self, value_of: ValueOf) -> Expression:
        """The value of the node where a row ends; NULL for rows that several nodes share."""
        roots = self.pieces.roots
        if len(roots) == 1:
            return self.below(0, 0, value_of)
        ways = [(str(piece), self.below(piece, root, value_of)) for piece, root in enumerate(roots)]
        return Case(f"CASE {self.number}", tuple(ways))

    def below(self, piece: int, node: int, value_of: ValueOf) -> Expression:
        """The branches of a piece from a node down; pieces are shallow, so this may recurse."""
        route = self.routes.get(node)
        if route is None:
            return value_of(node)
        targets = {target for _, target in route.ways} | {route.otherwise}
        found: dict[int, Expression] = {ITSELF: value_of(node), SHARED: UNKNOWN}
        for target in targets - {ITSELF, SHARED}:
            if self.pieces.piece_of[target] == piece:  # other rows left the piece before
                found[target] = self.below(piece, target, value_of)
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
                (f"{number} = {split.piece} AND {self.reaches(split.path)}", str(split.new_piece))
                for split in splits
            )
            stages.append(Case("CASE", ways, number))
            number = self.number
        return stages

    def reaches(self, path: tuple[tuple[int, int], ...]) -> str:
        """A condition that holds for rows that go the whole path.

        Long chains are nested in brackets because engines limit their length.
        """
        conditions = [self.routes[node].goes_to(child) for node, child in path]
        while len(conditions) > MAX_CHAIN:
            conditions = [
                f"({' AND '.join(conditions[start : start + MAX_CHAIN])})"
                for start in range(0, len(conditions), MAX_CHAIN)
            ]
        return f"({' AND '.join(conditions)})"
