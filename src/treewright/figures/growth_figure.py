"""tw.figures.growth: a tree and its plane, step by step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ParameterError, is_whole
from treewright.figures.chart import Inset, Tile, figure
from treewright.figures.partition_figure import plane_data, plane_panel, regions_data
from treewright.figures.plane import Model, Plane, plane_of
from treewright.figures.row_points import dots_of
from treewright.figures.territory import (
    NewSplit,
    Partition,
    Territory,
    borders,
    keys_of,
    partition_of,
    patches_of,
    shades_of,
)
from treewright.pictures.colors import FAINT_INK
from treewright.pictures.folded import fold
from treewright.pictures.node_box import NOTE_LINE, NOTE_SIZE, Style
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Drawing, Text
from treewright.pictures.text_width import text_width
from treewright.pictures.tree_drawing import bare_tree
from treewright.single_trees.as_tree import tree_of
from treewright.tree.conditions import question_text
from treewright.tree.rebuild import make_leaves
from treewright.tree.tree import Tree

WAYS = ("split", "depth")
N_FIRST = 3  # steps shown at the beginning, before the last
MOST_NODES = 15  # of a tree beside its plane
SIZE = (300.0, 230.0)
PANELS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Stage:
    """A tree during growth."""

    tree: Tree
    new_node: int  # the node split last; -1 if there is no single one
    title: str


def growth(  # noqa: PLR0913 -- keywords: what is drawn
    model: Model,
    X: Any = None,
    y: Any = None,
    *,
    by: str = "split",
    steps: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    with_trees: bool = True,
    decimals: int | None = None,
    title: str = "",
) -> Picture:
    """The plane of two columns after each step of growth, and the tree beside it.

    Parameters
    ----------
    model
        A fitted tree estimator, or a `Tree`.
    X, y, columns, fixed, title
        As in `figures.partition`.
    by
        "split": one split after another, in the order of growth; "depth": one depth after another.
    steps
        Which steps to show: numbers of splits, or depths. None shows the first ones and the last.
        Steps that are left out between two others are named.
    with_trees
        Whether each plane has its tree beside it.
    decimals
        Decimals of thresholds and means; None for as many as they need.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("two_moons")
    >>> model = tw.CARTClassifier(prune=None, max_depth=3).fit(X, y)
    >>> picture = tw.figures.growth(model, X, y, by="depth", steps=[1, 2])
    >>> [(step["depth"], len(step["regions"])) for step in picture.data["steps"]]
    [(1, 2), (2, 4)]
    """
    tree = tree_of(model)
    numbers = chosen_steps(tree, by, steps)
    plane = plane_of(model, tree, X, columns, fixed)
    shades = shades_of(tree)
    keys = keys_of(tree, shades)
    rows: list[list[Tile]] = []
    shown = []
    notes = dict.fromkeys(plane.notes)  # each once
    for before, number in zip([None, *numbers], numbers, strict=False):
        skipped = skipped_text(by, before, number)
        if skipped and with_trees:
            rows.append([label_between(skipped)])
        elif skipped:
            notes |= {f"{skipped[0].upper()}{skipped[1:]}.": None}
        stage = stage_of(tree, by, number, decimals)
        found = partition_of(stage.tree, plane.x.column, plane.y.column, plane.row)
        dots = dots_of(stage.tree, plane, y, shades)
        notes |= dict.fromkeys(dots.notes)
        territory = Territory(patches_of(found, plane, shades))
        new = lines_of_new_split(stage, found, plane)
        is_off = stage.new_node >= 0 and not new.lines
        stage_title = f"{stage.title} (not on this plane)" if is_off else stage.title
        panel = plane_panel(plane, [territory, new, *dots.marks, *keys], stage_title, SIZE)
        rows.append([panel, tree_beside(stage, decimals)] if with_trees else [panel])
        regions = regions_data(stage.tree, plane, found)
        shown.append({by: number, "title": stage_title, "regions": regions})
    names = " and ".join(shown_name(side.spec.name) for side in (plane.x, plane.y))
    return figure(
        rows if with_trees else side_by_side(rows),
        title=title,
        note=" ".join(notes),
        summary=f"{counted(len(numbers), 'step')} of {names}",
        data={**plane_data(tree, plane), "steps": shown},
    )


def chosen_steps(tree: Tree, by: str, steps: Sequence[int] | None) -> list[int]:
    """The steps asked for, checked; by default the first ones and the last."""
    if by not in WAYS:
        raise ParameterError(f"by is {by!r}", hint=f"use one of {', '.join(WAYS)}")
    last = tree.depth if by == "depth" else int((~tree.is_leaf).sum())
    if steps is None:
        first = 1 if by == "depth" and last else 0
        everything = list(range(first, last + 1))
        return everything if len(everything) <= N_FIRST + 1 else [*everything[:N_FIRST], last]
    if not isinstance(steps, Sequence | np.ndarray) or isinstance(steps, str):
        raise ParameterError(f"steps is {steps!r}", hint="give a list, such as [0, 1, 2]")
    if not len(steps):
        raise ParameterError("steps is empty", hint=f"steps go from 0 to {last}")
    for step in steps:
        if not is_whole(int(step) if isinstance(step, np.integer) else step, 0, last):
            raise ParameterError(
                f"there is no step {step!r} by {by}", hint=f"steps go from 0 to {last}"
            )
    return [int(step) for step in steps]


def skipped_text(by: str, before: int | None, number: int) -> str:
    """What lies between two steps that are shown: `splits 3 to 8 are not shown`; "" if nothing.

    >>> skipped_text("split", 2, 9), skipped_text("depth", 2, 4), skipped_text("split", 2, 3)
    ('splits 3 to 8 are not shown', 'depth 3 is not shown', '')
    """
    if before is None or number <= before + 1:
        return ""
    if number == before + 2:
        return f"{by} {before + 1} is not shown"
    return f"{by}s {before + 1} to {number - 1} are not shown"


def label_between(text: str) -> Inset:
    """A line of text between two steps."""
    words = f"… {text}"
    line = Text(0.0, NOTE_SIZE, words, "start", fill=FAINT_INK)
    return Inset(Drawing(text_width(words, NOTE_SIZE), NOTE_LINE, (line,), text))


def stage_of(tree: Tree, by: str, number: int, decimals: int | None) -> Stage:
    """The tree after so many splits, or down to a depth."""
    if by == "depth":
        part = tree.to_depth(number)
        return Stage(part, -1, f"Depth {number}: {counted(part.n_leaves, 'leaf', 'leaves')}")
    order = growth_order(tree)
    part = make_leaves(tree, order >= number, "max_splits")
    if number == 0:
        return Stage(part, -1, "No split")
    new_node = int(np.argmax(growth_order(part)))
    question = question_text(part, new_node, decimals).replace(" <= ", " ≤ ")
    return Stage(part, new_node, f"Split {number}: {question}")


def growth_order(tree: Tree) -> NDArray[np.intp]:
    """0, 1, 2 ... for the inner nodes as they were split, -1 at leaves.

    Pruning may have put nodes below others that were split later: a parent comes first.
    """
    latest = tree.split_order.astype(np.int64)
    parent = tree.parent.tolist()
    for node in range(1, tree.n_nodes):
        latest[node] = max(latest[node], latest[parent[node]])
    inner = np.flatnonzero(~tree.is_leaf)
    order = np.full(tree.n_nodes, -1, dtype=np.intp)
    order[inner[np.argsort(latest[inner], kind="stable")]] = np.arange(len(inner))
    return order


def lines_of_new_split(stage: Stage, found: Partition, plane: Plane) -> NewSplit:
    """The lines of the last split of a stage, if it is on the plane."""
    if stage.new_node < 0:
        return NewSplit((), "")
    children = [child.index for child in stage.tree.node(stage.new_node).children]
    nodes = [region.nodes[0][0] if len(region.nodes) == 1 else -1 for region in found.regions]
    patches = patches_of(replace(found, predicted=np.array(nodes)), plane)
    return NewSplit(tuple(borders(p for p in patches if p.predicted in children)), "new split")


def tree_beside(stage: Stage, decimals: int | None) -> Inset:
    """The tree of a stage, with the node that was split last marked."""
    marked = (stage.new_node,) if stage.new_node >= 0 else ()
    folded = fold(stage.tree, max_nodes=MOST_NODES, keep=marked)
    return Inset(bare_tree(folded, path=marked, style=Style(decimals=decimals)))


def side_by_side(rows: list[list[Tile]]) -> list[list[Tile]]:
    """Panels without trees in rows of a few."""
    panels = [tile for row in rows for tile in row]
    return [panels[at : at + PANELS_IN_A_ROW] for at in range(0, len(panels), PANELS_IN_A_ROW)]
