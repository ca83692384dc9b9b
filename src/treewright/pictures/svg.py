"""A drawing as SVG: one document without scripts, external fonts or files.

Colors are attributes, which every program reads. Browsers also read the style: in a dark theme it
replaces each color of the drawing, and those of paper, text and lines by the variables of the page.
"""

import re
from xml.sax.saxutils import escape

from treewright.pictures.colors import EDGE, FAINT_INK, INK, LINE, PAPER, on_dark
from treewright.pictures.shapes import (
    FONT_SIZE,
    NO_PAINT,
    Circle,
    Drawing,
    Group,
    Paint,
    Path,
    Rectangle,
    Shape,
    Step,
    Text,
)

Attributes = dict[str, float | str]
QUOTES = {'"': "&quot;", "'": "&#39;"}


def escaped(text: str) -> str:
    """Text that is safe between tags and between quotes.

    >>> escaped('<script>"&')
    '&lt;script&gt;&quot;&amp;'
    """
    return escape(text, QUOTES)


def element(name: str, attributes: Attributes, *content: str) -> str:
    """One element; `content` is markup, made by `element` or `escaped`.

    >>> element("rect", {"x": 1.25, "stroke_width": 2.0})
    '<rect x="1.25" stroke-width="2"/>'
    """
    inner = "".join(
        f' {key.replace("_", "-")}="{value_text(value)}"' for key, value in attributes.items()
    )
    return f"<{name}{inner}>{''.join(content)}</{name}>" if content else f"<{name}{inner}/>"


def value_text(value: float | str) -> str:
    return escaped(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """A coordinate to the hundredth of a pixel."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
HALO_WIDTH = 4.0


VARIABLES = {PAPER: "paper", INK: "text", FAINT_INK: "faint", EDGE: "line", LINE: "rim"}
COLOR = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')
NAME = "tw-picture"


def to_svg(drawing: Drawing, *, themed: bool = True) -> str:
    """The whole document, on white paper; `themed` ones turn dark where the reader likes it.

    >>> paper = Drawing(20, 10, (Circle(5, 5, 2, fill="#228833"),), "a dot")
    >>> to_svg(paper).rpartition("><circle")[2]
    ' cx="5" cy="5" r="2" fill="#228833"/></svg>\\n'
    """
    width, height = drawing.width, drawing.height
    paper = element("rect", {"width": "100%", "height": "100%", "fill": PAPER})
    content = (paper, *map(shape_text, drawing.shapes))
    document = element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": NAME,
            "width": width,
            "height": height,
            "viewBox": f"0 0 {number(width)} {number(height)}",
            "role": "img",
            "aria_label": drawing.description,
            "font_family": FONT,
            "font_size": FONT_SIZE,
            "fill": INK,
            "text_anchor": "middle",
        },
        *((dark_style("".join(content)),) if themed else ()),
        *content,
    )
    return document + "\n"


def dark_style(content: str) -> str:
    """The style that replaces each color of the content in a dark theme on a screen."""
    rules = [f".{NAME}{{fill:{dark_color(INK)}}}"]
    for kind, color in sorted({*COLOR.findall(content)}):
        rules.append(f'.{NAME} [{kind}="{color}"]{{{kind}:{dark_color(color)}}}')
    return f"<style>@media screen and (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def dark_color(color: str) -> str:
    """The color in a dark theme; a page may set those of paper, text and lines."""
    name = VARIABLES.get(color)
    return f"var(--{name},{on_dark(color)})" if name else on_dark(color)


def shape_text(shape: Shape) -> str:
    """The element of one shape."""
    match shape:
        case Group():
            return group_text(shape)
        case Text():
            return element("text", text_attributes(shape), escaped(shape.text))
        case Rectangle(x=x, y=y, width=width, height=height, corner=corner):
            size: Attributes = {"x": x, "y": y, "width": width, "height": height}
            rounding: Attributes = {"rx": corner} if corner else {}
            return element("rect", {**size, **rounding, **paint_attributes(shape)})
        case Circle(x=x, y=y, radius=radius):
            return element("circle", {"cx": x, "cy": y, "r": radius, **paint_attributes(shape)})
        case Path(steps=steps):
            return element("path", {"d": path_text(steps), **paint_attributes(shape)})


def group_text(group: Group) -> str:
    attributes: Attributes = {**group.attributes}
    if group.shift != (0.0, 0.0):
        x, y = group.shift
        attributes["transform"] = f"translate({number(x)} {number(y)})"
    title = [element("title", {}, escaped(group.title))] if group.title else []
    return element("g", attributes, *title, *map(shape_text, group.shapes))


def text_attributes(text: Text) -> Attributes:
    """Only what differs from the settings of the whole document."""
    attributes: Attributes = {"x": text.x, "y": text.y}
    if text.anchor != "middle":
        attributes["text_anchor"] = text.anchor
    if text.size != FONT_SIZE:
        attributes["font_size"] = text.size
    if text.bold:
        attributes["font_weight"] = "bold"
    if text.fill != INK:
        attributes["fill"] = text.fill
    if text.rotation:
        at = f"{number(text.x)} {number(text.y)}"
        attributes["transform"] = f"rotate({number(text.rotation)} {at})"
    if text.halo:
        attributes |= {"stroke": text.halo, "stroke_width": HALO_WIDTH}
        attributes |= {"stroke_linejoin": "round", "paint_order": "stroke"}
    return attributes


def paint_attributes(paint: Paint) -> Attributes:
    attributes: Attributes = {"fill": paint.fill}
    if paint.stroke != NO_PAINT:
        attributes |= {"stroke": paint.stroke, "stroke_width": paint.stroke_width}
        if paint.dashes:
            attributes["stroke_dasharray"] = " ".join(map(number, paint.dashes))
    if paint.opacity != 1:
        attributes["opacity"] = paint.opacity
    return attributes


def path_text(steps: tuple[Step, ...]) -> str:
    """The `d` of a path.

    >>> path_text((("M", 1, 2), ("H", 5.25), ("Z",)))
    'M1 2H5.25Z'
    """
    return "".join(command + " ".join(map(number, numbers)) for command, *numbers in steps)
