"""A drawing as a PDF page of its own size, with its fonts embedded.

Text stays text, so it can be searched and copied. The font is the first that is installed and has
all characters of a text: DejaVu Sans of the system or of matplotlib, or Bitstream Vera, which comes
with reportlab and has the same widths.
"""

import io
import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import Any

import reportlab
from reportlab.lib.colors import HexColor
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from treewright.errors import warn_user
from treewright.pictures.colors import PAPER
from treewright.pictures.outlines import (
    WITHOUT_GLYPH,
    placed,
    rectangle_steps,
    with_both_coordinates,
)
from treewright.pictures.shapes import (
    NO_PAINT,
    Circle,
    Drawing,
    Paint,
    Path,
    Rectangle,
    Step,
    Text,
)
from treewright.pictures.svg import HALO_WIDTH

POINT = 0.75  # in pixels of 1/96 inch
LONGEST_SIDE = 14_400.0  # points that readers accept
OUTLINE, FILLED = 1, 0  # modes of text
FAMILIES = (  # file names of the regular and the bold face
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("arial.ttf", "arialbd.ttf"),
    ("Arial Unicode.ttf", "Arial Unicode.ttf"),
    ("DroidSansFallbackFull.ttf", "DroidSansFallbackFull.ttf"),
    ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"),
    ("wqy-zenhei.ttc", "wqy-zenhei.ttc"),
)


def to_pdf(drawing: Drawing) -> bytes:
    """The content of a PDF file with one page; the same drawing always gives the same bytes."""
    scale = min(POINT, LONGEST_SIDE / max(drawing.width, drawing.height))
    size = (drawing.width * scale, drawing.height * scale)
    out = io.BytesIO()
    first, _ = fonts_of(bold=False)[0]  # otherwise Helvetica would be named, and not embedded
    canvas = Canvas(out, pagesize=size, invariant=1, lang="en", initialFontName=first)
    canvas.setTitle(drawing.description)
    canvas.setCreator("Treewright")
    canvas.translate(0, size[1])
    canvas.scale(scale, -scale)  # y goes downwards
    canvas.setFillColor(HexColor(PAPER))
    canvas.rect(0, 0, drawing.width, drawing.height, stroke=0, fill=1)
    lost: set[str] = set()
    for shape, x, y in placed(drawing.shapes):
        if isinstance(shape, Text):
            lost |= draw_text(canvas, shape, x, y)
        else:
            draw_path(canvas, shape, x, y)
    canvas.showPage()
    canvas.save()
    if lost:
        shown = " ".join(sorted(lost)[:20])
        warn_user(f"no font on this machine has these characters, so the PDF shows boxes: {shown}")
    return out.getvalue()


def draw_path(canvas: Any, shape: Rectangle | Circle | Path, x: float, y: float) -> None:
    """Fill and outline a shape."""
    if shape.fill == NO_PAINT and shape.stroke == NO_PAINT:
        return
    canvas.saveState()
    canvas.translate(x, y)
    set_paint(canvas, shape)
    fill, stroke = int(shape.fill != NO_PAINT), int(shape.stroke != NO_PAINT)
    if isinstance(shape, Circle):
        canvas.circle(shape.x, shape.y, shape.radius, stroke=stroke, fill=fill)
    else:
        steps = rectangle_steps(shape) if isinstance(shape, Rectangle) else shape.steps
        canvas.drawPath(path_of(canvas, steps), stroke=stroke, fill=fill)
    canvas.restoreState()


def set_paint(canvas: Any, paint: Paint) -> None:
    if paint.fill != NO_PAINT:
        canvas.setFillColor(HexColor(paint.fill))
    if paint.stroke != NO_PAINT:
        canvas.setStrokeColor(HexColor(paint.stroke))
        canvas.setLineWidth(paint.stroke_width)
        canvas.setDash(list(paint.dashes))
    if paint.opacity != 1:
        canvas.setFillAlpha(paint.opacity)
        canvas.setStrokeAlpha(paint.opacity)


def path_of(canvas: Any, steps: tuple[Step, ...]) -> Any:
    path = canvas.beginPath()
    draw = {"M": path.moveTo, "L": path.lineTo, "C": path.curveTo, "Z": path.close}
    for command, numbers in with_both_coordinates(steps):
        draw[command](*numbers)
    return path


def draw_text(canvas: Any, text: Text, x: float, y: float) -> set[str]:
    """Write a line of text; returns the characters that no font has."""
    words = unicodedata.normalize("NFC", text.text).translate(WITHOUT_GLYPH)
    if not words.strip():
        return set()
    runs, lost = runs_of(words, bold=text.bold)
    width = sum(canvas.stringWidth(part, font, text.size) for font, part in runs)
    start = {"start": 0.0, "middle": -width / 2, "end": -width}[text.anchor]
    canvas.saveState()
    canvas.translate(text.x + x, text.y + y)
    canvas.rotate(text.rotation)
    canvas.scale(1, -1)  # letters stand upright
    canvas.setFillColor(HexColor(text.fill))
    if text.halo:
        canvas.saveState()  # the mode of text would stay
        canvas.setStrokeColor(HexColor(text.halo))
        canvas.setLineWidth(HALO_WIDTH)
        canvas.setLineJoin(1)
        write_runs(canvas, runs, start, text.size, OUTLINE)
        canvas.restoreState()
    write_runs(canvas, runs, start, text.size, FILLED)
    canvas.restoreState()
    return lost


def write_runs(
    canvas: Any, runs: list[tuple[str, str]], start: float, size: float, mode: int
) -> None:
    line = canvas.beginText(start, 0)
    line.setTextRenderMode(mode)
    for font, part in runs:
        line.setFont(font, size)
        line.textOut(part)
    canvas.drawText(line)


# ---------------------------------------------------------------------------- fonts


def runs_of(text: str, *, bold: bool) -> tuple[list[tuple[str, str]], set[str]]:
    """The text in parts, each with a font that has its characters; and those that none has."""
    fonts = fonts_of(bold=bold)
    whole = next((name for name, known in fonts if all(ord(one) in known for one in text)), None)
    if whole is not None:
        return [(whole, text)], set()
    runs: list[tuple[str, str]] = []
    lost = set()
    for letter in text:
        font = next((name for name, known in fonts if ord(letter) in known), None)
        if font is None:
            lost.add(letter)
            font = fonts[0][0]
        if runs and runs[-1][0] == font:
            runs[-1] = (font, runs[-1][1] + letter)
        else:
            runs.append((font, letter))
    return runs, lost


@lru_cache(maxsize=2)
def fonts_of(*, bold: bool) -> list[tuple[str, frozenset[int]]]:
    """Fonts that can be embedded: their names and the characters that they have."""
    found: list[tuple[str, frozenset[int]]] = []
    files = [pair[bold] for pair in FAMILIES]
    own = FilePath(reportlab.__file__).parent / "fonts" / ("VeraBd.ttf" if bold else "Vera.ttf")
    for path in [*font_files(files), own]:
        name = f"Treewright-{path.stem}"
        try:
            font = TTFont(name, str(path))
        except (TTFError, OSError):  # such as outlines that reportlab cannot embed
            continue
        registerFont(font)
        found.append((name, frozenset(font.face.charToGlyph)))
    return found


def font_files(names: list[str]) -> Iterator[FilePath]:
    """The installed files of these names, in the order of the names."""
    places = list(font_folders())
    for name in names:
        for place in places:
            path = next((one for one in sorted(place.rglob(name)) if one.is_file()), None)
            if path is not None:
                yield path
                break


def font_folders() -> Iterator[FilePath]:
    """Where fonts are: those of the system, then those that come with matplotlib."""
    home = FilePath.home()
    if sys.platform == "win32":
        places = [FilePath("C:/Windows/Fonts")]
    elif sys.platform == "darwin":
        places = [
            FilePath("/Library/Fonts"),
            FilePath("/System/Library/Fonts"),
            home / "Library/Fonts",
        ]
    else:
        places = [FilePath("/usr/share/fonts"), FilePath("/usr/local/share/fonts"), home / ".fonts"]
    matplotlib = find_spec("matplotlib")
    if matplotlib is not None and matplotlib.origin is not None:
        places.append(FilePath(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf")
    return (place for place in places if place.is_dir())
