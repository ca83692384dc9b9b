"""Trees too deep for nested CASEs, cut into pieces that are not.

A piece is split at a node that about half of its nodes lie below. One stage of the query asks of
every row whether it reaches that node, all conditions on the way at once, and so moves it to the
lower piece or leaves it in the upper one. Each stage halves the pieces, so that even a chain of
10,000 nodes needs about ten stages.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from treewright.exports.program import Program


@dataclass(frozen=True, slots=True)
class Split:
    """A piece from which the part below a node is taken away."""

    piece: int  # the number of the piece
    taken: int  # the number of the new piece
    path: tuple[tuple[int, int], ...]  # (node, child) from the root of the piece to the new root


@dataclass
class Pieces:
    """Pieces 0, 1 ... of a tree, and the splits that made them, stage by stage."""

    roots: list[int]
    piece_of: list[int]  # of each node
    stages: list[list[Split]] = field(default_factory=list)

    def holds(self, piece: int, node: int) -> bool:
        return self.piece_of[node] == piece


def pieces_of(program: Program, most_depth: int) -> Pieces:
    """The tree in pieces with at most so many splits from top to bottom."""
    tree = program.tree
    pieces = Pieces([0], [0] * tree.n_nodes)
    parent: list[int] = tree.parent.tolist()
    if tree.depth <= most_depth:
        return pieces
    while stage := list(splits_of(pieces, parent, most_depth)):
        pieces.stages.append(stage)
    return pieces


def splits_of(pieces: Pieces, parent: list[int], most_depth: int) -> Iterator[Split]:
    """Split every piece that is too deep, once."""
    chosen = middles_of(pieces, parent, most_depth)  # piece -> the root of what is taken away
    before = pieces.piece_of.copy()
    for piece, node in chosen.items():
        path = tuple(path_within(before, parent, node))
        yield Split(piece, len(pieces.roots), path)
        pieces.piece_of[node] = len(pieces.roots)
        pieces.roots.append(node)
    for node, above in enumerate(parent):  # parents come first, so the move goes all the way down
        if above >= 0 and before[node] == before[above]:
            is_new_root = chosen.get(before[node]) == node
            pieces.piece_of[node] = pieces.piece_of[node if is_new_root else above]


def middles_of(pieces: Pieces, parent: list[int], most_depth: int) -> dict[int, int]:
    """The node of each too deep piece with about half of the piece below it."""
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
        if deepest[piece] <= most_depth or node == roots[piece]:
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
