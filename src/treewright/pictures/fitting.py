"""As much of a tree as a page, or the output of a notebook, has room for."""

from collections.abc import Callable
from functools import partial
from itertools import product

from treewright.documents.page import Figure
from treewright.pictures.picture import Picture
from treewright.pictures.placement import Direction
from treewright.pictures.tree_picture import tree_picture
from treewright.tree.tree import Tree

WIDEST, HIGHEST = 1000.0, 1150.0  # pixels; more would shrink the words until they cannot be read
NODES_SHOWN = (40, 31, 25, 19, 15, 11, 7, 5, 3)
DIRECTIONS: tuple[Direction, ...] = ("auto", "right", "down")


def fits(picture: Picture) -> bool:
    return picture.drawing.width <= WIDEST and picture.drawing.height <= HIGHEST


def fitting_picture(draw_it: Callable[..., Picture], *, fewest: int = 1) -> Picture:
    """The picture with most nodes that fits; with fewest nodes, if none does.

    `draw_it` takes `max_nodes` and `direction`.
    """
    sizes = [size for size in NODES_SHOWN if size >= fewest]
    for max_nodes, direction in product(sizes, DIRECTIONS):
        picture = draw_it(max_nodes=max_nodes, direction=direction)
        if fits(picture):
            break
    return picture


def fitting_tree(tree: Tree) -> Picture:
    """The picture of a tree that belongs to no model."""
    return fitting_picture(partial(tree_picture, tree))


def fitting_figure(picture: Picture, description: str) -> Figure:
    """The picture as a block of a page."""
    return Figure(picture.to_svg(), description, remark=left_out(picture))


def left_out(picture: Picture) -> str:
    """What a picture does not show of its tree, in words; "" if it shows all.

    >>> from treewright.pictures.shapes import Drawing
    >>> left_out(Picture(Drawing(0, 0, (), ""), "10 of 1,089 nodes"))
    'The picture shows 10 of 1,089 nodes, those with most rows.'
    """
    n_shown, _, n_nodes = picture.summary.removesuffix(" nodes").partition(" of ")
    if n_shown == n_nodes.replace(",", ""):
        return ""
    return f"The picture shows {picture.summary}, those with most rows."
