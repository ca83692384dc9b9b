"""Colors that color-blind readers can distinguish (after Paul Tol's bright scheme)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.tree.tree import Tree

PALETTE = (
    "#4477aa",
    "#ee6677",
    "#228833",
    "#ccbb44",
    "#66ccee",
    "#aa3377",
    "#ee8866",
    "#44bb99",
)
REST = "#b4b4b4"  # classes beyond the palette
INK, FAINT_INK, LINE, EDGE, PAPER = "#22272e", "#5b6570", "#9aa5b1", "#c9d1da", "#ffffff"
PATH = "#e69f00"  # the path of a row


@dataclass(frozen=True, slots=True)
class ClassColors:
    """The color of each class, and the classes with an entry in the legend."""

    of_class: tuple[str, ...]
    named: tuple[int, ...]
    n_rest: int  # classes that share the last color


def class_colors(tree: Tree) -> ClassColors:
    """One color for each class, or for the most frequent ones at the root."""
    n_classes = tree.n_values
    if n_classes <= len(PALETTE):
        return ClassColors(PALETTE[:n_classes], tuple(range(n_classes)), 0)
    frequent = np.argsort(-tree.probabilities[0], kind="stable")[: len(PALETTE)]
    named = tuple(sorted(frequent.tolist()))
    of_class = [REST] * n_classes
    for color, at in zip(PALETTE, named, strict=True):
        of_class[at] = color
    return ClassColors(tuple(of_class), named, n_classes - len(named))


def mixed(color: str, share: float, background: str = PAPER) -> str:
    """A mixture: `share` of a color, the rest of the background.

    >>> mixed("#000000", 0.5)
    '#808080'
    """
    parts = zip(rgb(color), rgb(background), strict=True)
    return "#" + "".join(f"{round(share * top + (1 - share) * low):02x}" for top, low in parts)


def rgb(color: str) -> Sequence[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]
