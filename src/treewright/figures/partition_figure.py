"""tw.figures.partition: how a model divides the plane of two columns."""

from collections.abc import Mapping, Sequence
from math import isinf
from typing import Any

from treewright.explanations.boxes import codes_of
from treewright.explanations.conditions import value_of
from treewright.figures.chart import Panel, figure
from treewright.figures.marks import Mark
from treewright.figures.plane import Model, Plane, Side, cut_below, plane_of
from treewright.figures.row_points import dots_of
from treewright.figures.slanted import SlantedRegion, SlantedTerritory, slanted_regions
from treewright.figures.territory import (
    Partition,
    Territory,
    keys_of,
    partition_of,
    patches_of,
    shades_of,
)
from treewright.pictures.node_text import counted, shown_name
from treewright.pictures.picture import Picture
from treewright.single_trees.as_tree import tree_of
from treewright.tree.layout import OBLIQUE
from treewright.tree.reach import Reach
from treewright.tree.tree import Tree

WIDTH, HEIGHT = 430.0, 340.0


def partition(  # noqa: PLR0913 -- keywords: what is drawn
    model: Model,
    X: Any = None,
    y: Any = None,
    *,
    columns: Sequence[str] | None = None,
    fixed: Mapping[str, Any] | None = None,
    title: str = "",
) -> Picture:
    """The regions that a model makes of the plane of two columns, and its decision boundary.

    Regions are exact: they come from the splits of the tree. The more certain a class, the
    stronger the color; the larger a number, the darker. Strong lines mark where the class changes.

    Parameters
    ----------
    model
        A fitted tree estimator, or a `Tree`.
    X, y
        Training rows to draw as dots, or as pies if there are many. Without them, the axes cover
        the thresholds of the tree.
    columns
        The columns along x and y, numeric or nominal; None takes the two with the largest
        impurity decrease.
    fixed
        Values of other columns, by name. The default is the median or the most frequent category
        in X, or missing if there is no X.
    title
        A line above the figure.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("two_moons")
    >>> model = tw.CARTClassifier(prune=None, max_depth=2).fit(X, y)
    >>> picture = tw.figures.partition(model, X, y)
    >>> picture
    <Picture: 4 regions of x0 and x1, 516 x 447 pixels>
    >>> [region["prediction"] for region in picture.data["regions"]]
    [0, 1, 0, 1]
    """
    tree = tree_of(model)
    plane = plane_of(model, tree, X, columns, fixed)
    shades = shades_of(tree)
    dots = dots_of(tree, plane, y, shades)
    territory: Mark
    if (tree.kind == OBLIQUE).any():
        polygons = slanted_regions(tree, plane)
        territory, regions = SlantedTerritory(polygons, shades), polygons_data(tree, polygons)
    else:
        found = partition_of(tree, plane.x.column, plane.y.column, plane.row)
        territory = Territory(patches_of(found, plane, shades))
        regions = regions_data(tree, plane, found)
    panel = plane_panel(plane, [territory, *dots.marks, *keys_of(tree, shades)])
    names = " and ".join(shown_name(side.spec.name) for side in (plane.x, plane.y))
    return figure(
        [[panel]],
        title=title,
        note=" ".join([*plane.notes, *dots.notes]),
        summary=f"{counted(len(regions), 'region')} of {names}",
        data={**plane_data(tree, plane), "regions": regions},
    )


def plane_panel(
    plane: Plane,
    marks: Sequence[Mark],
    title: str = "",
    size: tuple[float, float] = (WIDTH, HEIGHT),
) -> Panel:
    """The plot area of a plane."""
    return Panel(
        marks=marks,
        x=plane.x.scale,
        y=plane.y.scale,
        title=title,
        x_title=shown_name(plane.x.spec.name),
        y_title=shown_name(plane.y.spec.name),
        width=size[0],
        height=size[1],
        grid="",
        is_boxed=True,
    )


def regions_data(tree: Tree, plane: Plane, found: Partition) -> list[dict[str, Any]]:
    """The regions as plain values: extent, prediction and nodes."""
    pairs = zip(found.values.tolist(), found.predicted.tolist(), strict=True)
    return [
        {
            "x": extent(plane.x, region.x),
            "y": extent(plane.y, region.y),
            **prediction_data(tree, *pair),
            "nodes": dict(region.nodes),
        }
        for region, pair in zip(found.regions, pairs, strict=True)
    ]


def polygons_data(tree: Tree, found: Sequence[SlantedRegion]) -> list[dict[str, Any]]:
    """The same for regions with slanted edges, by their corners."""
    return [
        {
            "corners": region.corners,
            **prediction_data(tree, region.values, region.predicted),
            "nodes": dict(region.nodes),
        }
        for region in found
    ]


def prediction_data(tree: Tree, values: Sequence[float], predicted: int) -> dict[str, Any]:
    if tree.classes is None:
        return {"prediction": values[0]}
    shares = dict(zip(tree.classes, values, strict=True))
    return {"prediction": tree.classes[predicted], "probabilities": shares}


def plane_data(tree: Tree, plane: Plane) -> dict[str, Any]:
    """The columns of a plane and the values of the others."""
    chosen = (plane.x.column, plane.y.column)
    specs = enumerate(tree.schema.columns)
    return {
        "x": plane.x.spec.name,
        "y": plane.y.spec.name,
        "fixed": {s.name: value_of(s, plane.row[at]) for at, s in specs if at not in chosen},
    }


def extent(side: Side, reach: Reach) -> tuple[Any, ...]:
    """Above the first number up to the second, None for no limit; or the categories."""
    spec = side.spec
    if not spec.is_numeric:
        return tuple(spec.levels[code] for code in codes_of(reach))
    ends = (cut_below(spec, reach.low), reach.high)
    return tuple(None if isinf(end) else value_of(spec, end) if spec.unit else end for end in ends)
