"""The shapes of a picture, before it is written as SVG or drawn on matplotlib axes.

Lengths are pixels; x goes to the right and y downwards from the upper left corner.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from treewright.pictures.colors import INK

NO_PAINT = "none"
FONT_SIZE = 11.0
Step = tuple[str, *tuple[float, ...]]  # ("M", x, y), ("L", x, y), ("H", x), ("V", y), ("Z",) ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """How a shape is filled, and its outline drawn."""

    fill: str = NO_PAINT  # a color such as "#4477aa"
    stroke: str = NO_PAINT
    stroke_width: float = 1.0
    dashes: tuple[float, ...] = ()  # lengths of dashes and gaps in turn; () for a whole line
    opacity: float = 1.0  # of fill and stroke


@dataclass(frozen=True, slots=True)
class Rectangle(Paint):
    """A rectangle, with round corners if wanted."""

    x: float
    y: float
    width: float
    height: float
    corner: float = 0.0


@dataclass(frozen=True, slots=True)
class Circle(Paint):
    """A circle around a middle."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class Path(Paint):
    """Lines and curves: `M` begins, `L`, `H` and `V` go straight, `C` bends, `Z` closes."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; (x, y) is on its base line."""

    x: float
    y: float
    text: str
    anchor: str = "middle"  # which part of it is at x: "start", "middle" or "end"
    size: float = FONT_SIZE
    bold: bool = False
    fill: str = INK
    rotation: float = 0.0  # degrees clockwise around (x, y)
    halo: str = ""  # color of an outline, so that lines do not cross the text out


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together, moved as one."""

    shapes: tuple["Shape", ...]
    title: str = ""  # shown as a tooltip
    shift: tuple[float, float] = (0.0, 0.0)
    attributes: Mapping[str, str] = field(default_factory=dict)  # of the SVG element


Shape = Rectangle | Circle | Path | Text | Group


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole picture on white paper; later shapes are on top."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    description: str  # for screen readers


def polyline(points: Iterable[tuple[float, float]]) -> tuple[Step, ...]:
    """Straight lines from point to point.

    >>> polyline([(0, 0), (5, 5), (10, 0)])
    (('M', 0, 0), ('L', 5, 5), ('L', 10, 0))
    """
    return tuple(("L" if at else "M", x, y) for at, (x, y) in enumerate(points))
