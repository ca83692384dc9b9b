"""Which nodes of a tree a picture shows; the others are folded and counted.

A small tree is shown whole. In a large one, nodes with the most training rows are opened first,
until the picture is full.
"""

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.tree.layout import LEAF
from treewright.tree.tree import Tree

MOST_BRANCHES = 12  # of one node; further ones are drawn as a group
FADING = 0.4  # factor on the weight of a node, for each split above it


@dataclass(frozen=True, slots=True)
class Shown:
    """A node in the picture, or a group of light branches in one place."""

    node: int  # in the tree; of a group, the parent of its branches
    children: tuple[int, ...]  # their places in the picture
    branch: int  # which child of its parent it is; -1 for the root and for a group
    group: tuple[int, ...] = ()  # the nodes of a group

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes of the tree at this place."""
        return self.group or (self.node,)


@dataclass(frozen=True, slots=True)
class Folded:
    """The places of a picture, parents before their children, the root first."""

    tree: Tree
    shown: tuple[Shown, ...]
    place_of: NDArray[np.intp]  # (n_nodes,): the place that shows or hides the node
    n_hidden: tuple[int, ...]  # of each place: nodes that are folded into it

    @property
    def children(self) -> list[tuple[int, ...]]:
        return [place.children for place in self.shown]


def fold(
    tree: Tree,
    *,
    max_depth: int | None = None,
    min_share: float = 0.0,
    max_nodes: int = 40,
    keep: tuple[int, ...] = (),
) -> Folded:
    """Open nodes from the root on, the most prominent first, as far as the limits allow.

    A node opens if it is less than `max_depth` splits below the root, holds at least `min_share`
    of the training weight, and its branches leave no more than `max_nodes` places in the picture.
    Nodes of `keep`, such as the path of a row, are open in any case.
    """
    branches = {node: children_shown(tree, node, keep) for node in keep if not is_leaf(tree, node)}
    n_places = 1 + sum(map(n_places_of, branches.values()))
    least = min_share * float(tree.weight[0])
    waiting = [(0.0, 0)]
    while waiting:
        _, node = heapq.heappop(waiting)
        if is_leaf(tree, node) or tree.weight[node] < least or too_deep(tree, node, max_depth):
            if node not in branches:
                continue
        elif node not in branches:
            below = children_shown(tree, node, keep)
            if n_places + n_places_of(below) > max_nodes:
                continue
            branches[node] = below
            n_places += n_places_of(below)
        for child in branches[node][0]:
            heapq.heappush(waiting, (-prominence(tree, child), child))
    return placed(tree, branches)


def prominence(tree: Tree, node: int) -> float:
    """Training weight, less for deeper nodes: a picture should not become one long strip."""
    return float(tree.weight[node]) * FADING ** int(tree.node_depth[node])


Branches = tuple[tuple[int, ...], tuple[int, ...]]  # shown one by one, and as a group


def children_shown(tree: Tree, node: int, keep: tuple[int, ...]) -> Branches:
    """The children to draw one by one, and the lightest of very many, which form a group."""
    first = int(tree.first_child[node])
    children = range(first, first + int(tree.n_children[node]))
    if len(children) <= MOST_BRANCHES:
        return tuple(children), ()
    by_weight = sorted(children, key=lambda child: (child not in keep, -tree.weight[child]))
    drawn = sorted(by_weight[: MOST_BRANCHES - 1])
    return tuple(drawn), tuple(sorted(by_weight[MOST_BRANCHES - 1 :]))


def n_places_of(branches: Branches) -> int:
    return len(branches[0]) + bool(branches[1])


def is_leaf(tree: Tree, node: int) -> bool:
    return bool(tree.kind[node] == LEAF)


def too_deep(tree: Tree, node: int, max_depth: int | None) -> bool:
    return max_depth is not None and bool(tree.node_depth[node] >= max_depth)


def placed(tree: Tree, branches: dict[int, Branches]) -> Folded:
    """Number the places row by row, and count the hidden nodes."""
    queue: list[tuple[int, int, tuple[int, ...]]] = [(0, -1, ())]
    shown: list[Shown] = []
    for node, branch, group in queue:  # which grows as it is read
        single, rest = branches.get(node, ((), ())) if not group else ((), ())
        start, first = len(queue), int(tree.first_child[node])
        queue += [(child, child - first, ()) for child in single]
        if rest:
            queue.append((node, -1, rest))
        shown.append(Shown(node, tuple(range(start, len(queue))), branch, group))
    place_of = places_of(tree, shown)
    n_nodes = np.bincount(place_of, minlength=len(shown)).tolist()
    n_hidden = tuple(count - (not place.group) for count, place in zip(n_nodes, shown, strict=True))
    return Folded(tree, tuple(shown), place_of, n_hidden)


def places_of(tree: Tree, shown: list[Shown]) -> NDArray[np.intp]:
    """The place of each node: its own, or that of its nearest shown ancestor."""
    place = np.full(tree.n_nodes, -1, dtype=np.intp)
    for at, entry in enumerate(shown):
        place[[*entry.nodes]] = at
    # Each round doubles the distance, so even a chain needs few rounds.
    above = np.where(place >= 0, np.arange(tree.n_nodes), tree.parent)
    while not np.array_equal(further := above[above], above):
        above = further
    found: NDArray[np.intp] = place[above]
    return found
