"""Tidy layout of trees with any number of children and nodes of any size.

The algorithm of A. van der Ploeg, "Drawing non-layered tidy trees in linear time" (2014): each
subtree is pushed right until its left contour touches the right contour of its elder siblings.
Threads along the contours and a list of the siblings visible from the right keep it linear.
Children come after their parent, so walks over the tree are loops over the node numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

NO_NODE = -1
LEFT, RIGHT = 0, -1  # sides of a subtree, and its first and last child


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corner of each node, and the size of the whole."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    width: float
    height: float
    row_height: tuple[float, ...]  # of each depth: its highest node


def tidy_layout(
    children: Sequence[Sequence[int]],
    widths: Sequence[float],
    heights: Sequence[float],
    *,
    gap: float,
    level_gap: float,
) -> Layout:
    """Lay out a tree from the top down: nodes of one depth begin at one height.

    `children` lists the children of each node, which have larger numbers than their parent; node 0
    is the root. Nodes are at least `gap` apart, and rows of nodes `level_gap`.
    """
    tops, row_height = rows_of(children, heights, level_gap)
    contours = Contours(children, [width + gap for width in widths], tops)
    for node in range(len(children) - 1, -1, -1):
        contours.place_children(node)
    left = contours.positions()
    start = min(left)
    x = tuple(position - start for position in left)
    height = sum(row_height) + level_gap * (len(row_height) - 1)
    width = max(position + width for position, width in zip(x, widths, strict=True))
    return Layout(x, tuple(tops), width, height, tuple(row_height))


def rows_of(
    children: Sequence[Sequence[int]], heights: Sequence[float], level_gap: float
) -> tuple[list[float], list[float]]:
    """Where each node begins, and the height of each row."""
    depth = [0] * len(children)
    for node, below in enumerate(children):
        for child in below:
            depth[child] = depth[node] + 1
    row_height = [0.0] * (max(depth) + 1)
    for node, height in enumerate(heights):
        row_height[depth[node]] = max(row_height[depth[node]], height)
    row_top = [0.0]
    for height in row_height:
        row_top.append(row_top[-1] + height + level_gap)
    return [row_top[level] for level in depth], row_height


class Contours:
    """Working state: positions relative to the parent, and the threads along the contours."""

    def __init__(
        self, children: Sequence[Sequence[int]], widths: Sequence[float], tops: Sequence[float]
    ) -> None:
        n_nodes = len(children)
        self.children = children
        self.width = widths
        self.top = tops
        self.own = [0.0] * n_nodes  # position of a node, before the shifts of its ancestors
        self.shift = [0.0] * n_nodes  # of the whole subtree
        self.step = [0.0] * n_nodes  # extra room to distribute among the siblings from here on
        self.step_end = [0.0] * n_nodes  # and what the last of them must not get twice
        self.thread = [NO_NODE] * n_nodes  # from a lowest node to the contour of a deeper sibling
        # By side: the lowest node of a subtree, and the sum of shifts down to it.
        self.lowest = list(range(n_nodes)), list(range(n_nodes))
        self.shift_to = [0.0] * n_nodes, [0.0] * n_nodes

    def place_children(self, node: int) -> None:
        """Put the subtrees of the children side by side, and the node above their middle."""
        below = self.children[node]
        if not below:
            return
        first, last = below[0], below[-1]
        # The siblings visible from the right, deepest first: (lowest point, position).
        showing = [(self.top[self.lowest[LEFT][first]], 0)]
        for place in range(1, len(below)):
            lowest = self.top[self.lowest[RIGHT][below[place]]]
            self.push_right(below, place, showing)
            while showing and lowest >= showing[-1][0]:
                showing.pop()
            showing.append((lowest, place))
        ends = self.own[last] + self.shift[last] + self.width[last]
        self.own[node] = (self.own[first] + self.shift[first] + ends - self.width[node]) / 2
        for side in (LEFT, RIGHT):
            self.lowest[side][node] = self.lowest[side][below[side]]
            self.shift_to[side][node] = self.shift_to[side][below[side]]

    def push_right(
        self, below: Sequence[int], place: int, showing: Sequence[tuple[float, int]]
    ) -> None:
        """Push one subtree right of its elder siblings, along their contours."""
        elder, younger = below[place - 1], below[place]
        elder_shift, younger_shift = self.shift[elder], self.shift[younger]
        blocker = len(showing) - 1
        while elder != NO_NODE and younger != NO_NODE:
            while self.top[elder] > showing[blocker][0]:
                blocker -= 1
            overlap = elder_shift + self.own[elder] + self.width[elder]
            overlap -= younger_shift + self.own[younger]
            if overlap > 0:
                younger_shift += overlap
                self.move(below, place, showing[blocker][1], overlap)
            elder_top, younger_top = self.top[elder], self.top[younger]
            if elder_top <= younger_top:
                elder = self.next_on(RIGHT, elder)
                elder_shift += self.shift[elder] if elder != NO_NODE else 0.0
            if elder_top >= younger_top:
                younger = self.next_on(LEFT, younger)
                younger_shift += self.shift[younger] if younger != NO_NODE else 0.0
        if younger != NO_NODE:
            self.thread_on(LEFT, below[0], below[place], younger, younger_shift)
        elif elder != NO_NODE:
            self.thread_on(RIGHT, below[place], below[place - 1], elder, elder_shift)

    def move(self, below: Sequence[int], place: int, blocker: int, distance: float) -> None:
        """Move a subtree, and spread the siblings between it and the blocker."""
        moved = below[place]
        self.shift[moved] += distance
        self.shift_to[LEFT][moved] += distance
        self.shift_to[RIGHT][moved] += distance
        if blocker != place - 1:
            share = distance / (place - blocker)
            self.step[below[blocker + 1]] += share
            self.step[moved] -= share
            self.step_end[moved] -= distance - share

    def next_on(self, side: int, node: int) -> int:
        """The next node on the contour below a node."""
        below = self.children[node]
        return below[side] if below else self.thread[node]

    def thread_on(self, side: int, node: int, deeper: int, onward: int, shift: float) -> None:
        """Continue a contour of a subtree in that of a deeper sibling.

        On the left, the first sibling stands for all siblings so far.
        """
        end = self.lowest[side][node]
        self.thread[end] = onward
        difference = shift - self.shift[onward] - self.shift_to[side][node]
        self.shift[end] += difference
        self.own[end] -= difference
        self.lowest[side][node] = self.lowest[side][deeper]
        self.shift_to[side][node] = self.shift_to[side][deeper]

    def positions(self) -> list[float]:
        """The left end of each node, all shifts added up."""
        left = [0.0] * len(self.children)
        total = [0.0] * len(self.children)  # shifts of the node and its ancestors
        for node, below in enumerate(self.children):
            total[node] += self.shift[node]
            left[node] = self.own[node] + total[node]
            step = moved = 0.0
            for child in below:
                step += self.step[child]
                moved += step + self.step_end[child]
                total[child] = total[node] + moved
        return left
