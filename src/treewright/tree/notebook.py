"""What a notebook shows of a tree.

Pictures are made by layers above this one, which say so when they are loaded; without them a tree
is its text.
"""

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from treewright.tree.as_text import abridged_text

if TYPE_CHECKING:
    from treewright.tree.tree import Tree


def as_text(tree: "Tree") -> str:
    return f"<pre>{escape(abridged_text(tree))}</pre>"


_way: list[Callable[["Tree"], str]] = [as_text]


def draw_trees_by(drawn: Callable[["Tree"], str]) -> None:
    """Let notebooks show trees as `drawn` gives them, in HTML."""
    _way[0] = drawn


def notebook_html(tree: "Tree") -> str:
    return _way[0](tree)
