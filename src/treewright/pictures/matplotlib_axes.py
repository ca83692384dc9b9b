"""A drawing on matplotlib axes, as vector paths and text.

matplotlib measures fonts and lines in points, whatever the size of the axes. The artists here
adapt both when they are drawn, so that a picture keeps its proportions on axes of any size.
"""

from typing import Literal

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.patheffects import Stroke
from matplotlib.text import Text as MatplotlibText
from matplotlib.transforms import Affine2D, Bbox

from treewright.errors import ParameterError
from treewright.pictures.outlines import (
    WITHOUT_GLYPH,
    placed,
    rectangle_steps,
    with_both_coordinates,
)
from treewright.pictures.shapes import Circle, Drawing, Path, Rectangle, Step, Text
from treewright.pictures.svg import HALO_WIDTH

POINTS_IN_INCH, PIXELS_IN_INCH = 72, 96  # the latter as in CSS
ALIGNMENT: dict[str, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}
CODES = {
    "M": Outline.MOVETO,
    "L": Outline.LINETO,
    "C": Outline.CURVE4,
    "Z": Outline.CLOSEPOLY,
}


def new_axes(drawing: Drawing) -> Axes:
    """Axes that fill a new figure as large as the drawing."""
    from matplotlib import pyplot

    size = (drawing.width / PIXELS_IN_INCH, drawing.height / PIXELS_IN_INCH)
    return pyplot.figure(figsize=size).add_axes((0.0, 0.0, 1.0, 1.0))


def onto_axes(drawing: Drawing, axes: Axes) -> None:
    """Clear the axes and draw all shapes on them."""
    if not isinstance(axes, Axes):
        raise ParameterError(
            f"ax is a {type(axes).__name__}", hint="give axes, such as plt.subplots()[1]"
        )
    axes.clear()
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    for shape, x, y in placed(drawing.shapes):
        artist = ScaledText(shape, x, y) if isinstance(shape, Text) else ScaledPatch(shape, x, y)
        artist.set_zorder(1)  # one for all keeps them in order
        axes.add_artist(artist)


def points_per_pixel(artist: Artist) -> float:
    """Points on paper for each pixel of the drawing, at the current size of the axes."""
    (left, _), (right, _) = artist.get_transform().transform([(0, 0), (1, 0)])
    figure = artist.get_figure(root=True)
    assert figure is not None
    return float(right - left) * POINTS_IN_INCH / figure.dpi


class ScaledPatch(PathPatch):
    """A path whose line width scales with the axes."""

    def __init__(self, shape: Rectangle | Circle | Path, x: float, y: float) -> None:
        # matplotlib counts dashes in widths of the line
        dashes = [length / shape.stroke_width for length in shape.dashes]
        super().__init__(
            outline(shape).transformed(Affine2D().translate(x, y)),
            facecolor=shape.fill,
            edgecolor=shape.stroke,
            alpha=shape.opacity,
            linestyle=(0, dashes) if dashes else "solid",
            capstyle="butt",
            joinstyle="miter",
        )
        self.drawn = shape

    def draw(self, renderer: RendererBase) -> None:
        self.set_linewidth(self.drawn.stroke_width * points_per_pixel(self))
        super().draw(renderer)


class ScaledText(MatplotlibText):
    """A line of text whose font scales with the axes."""

    def __init__(self, text: Text, x: float, y: float) -> None:
        super().__init__(
            text.x + x,
            text.y + y,
            text.text.translate(WITHOUT_GLYPH),
            color=text.fill,
            fontweight="bold" if text.bold else "normal",
            horizontalalignment=ALIGNMENT[text.anchor],
            verticalalignment="baseline",
            rotation=-text.rotation,
            rotation_mode="anchor",
            parse_math=False,
            usetex=False,
        )
        self.drawn = text

    def adapt(self) -> float:
        """Set the font size for the axes as they are; returns points per pixel."""
        scale = points_per_pixel(self)
        self.set_fontsize(self.drawn.size * scale)
        return scale

    def draw(self, renderer: RendererBase) -> None:
        scale = self.adapt()
        if self.drawn.halo:  # drawn separately: with path effects it would no longer be text
            rim = Stroke(linewidth=HALO_WIDTH * scale, foreground=self.drawn.halo)
            self.set_path_effects([rim])
            super().draw(renderer)
            self.set_path_effects([])
        super().draw(renderer)

    def get_window_extent(
        self, renderer: RendererBase | None = None, dpi: float | None = None
    ) -> Bbox:
        self.adapt()
        return super().get_window_extent(renderer, dpi)


def outline(shape: Rectangle | Circle | Path) -> Outline:
    """The shape as a path of matplotlib."""
    match shape:
        case Circle(x=x, y=y, radius=radius):
            return Outline.circle((x, y), radius)
        case Rectangle():
            return outline_of_steps(rectangle_steps(shape))
        case Path(steps=steps):
            return outline_of_steps(steps)


def outline_of_steps(steps: tuple[Step, ...]) -> Outline:
    """The path of matplotlib along these steps."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    for command, numbers in with_both_coordinates(steps):
        numbers = numbers or [*points[-1]]  # closing a path needs a point, whichever
        points += zip(numbers[::2], numbers[1::2], strict=True)
        codes += [int(CODES[command])] * (len(numbers) // 2)
    return Outline(points, codes) if points else Outline([(0.0, 0.0)])
