"""A finished picture: SVG, PNG, PDF, HTML, matplotlib axes, a file, the output of a notebook."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treewright.documents.as_html import NO_REQUESTS
from treewright.errors import ParameterError
from treewright.files import write_by_suffix
from treewright.optional import optional_module
from treewright.pictures.shapes import Drawing
from treewright.pictures.svg import escaped, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARPNESS = 2.0  # pixels of a PNG for each pixel of the drawing


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A drawn tree or figure; notebooks show it."""

    drawing: Drawing
    summary: str  # of what it shows
    data: Mapping[str, Any] = field(default_factory=dict)  # the numbers behind a figure
    # Writes the interactive page, if there is one.
    page: Callable[[], str] | None = field(default=None, compare=False)

    def to_svg(self) -> str:
        """The picture as SVG text: no scripts, no fonts or files from elsewhere."""
        return to_svg(self.drawing)

    def to_png(self, scale: float = SHARPNESS) -> bytes:
        """The picture as the bytes of a PNG file, by the optional package resvg-py."""
        if not 0 < scale <= 20:
            raise ParameterError(f"scale is {scale}", hint="use a number above 0, at most 20")
        resvg = optional_module("resvg_py", extra="png", purpose="a PNG picture")
        return bytes(resvg.svg_to_bytes(svg_string=to_svg(self.drawing, themed=False), zoom=scale))

    def to_pdf(self) -> bytes:
        """The picture as a PDF page of its own size, with its fonts, by the package reportlab."""
        optional_module("reportlab", extra="pictures", purpose="a PDF picture")
        from treewright.pictures.pdf import to_pdf

        return to_pdf(self.drawing)

    def to_html(self) -> str:
        """The picture as one page that needs no network; trees can be folded."""
        if self.page is not None:
            return self.page()
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{NO_REQUESTS}">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{escaped(self.drawing.description)}</title>\n{self.to_svg()}</html>\n"
        )

    def to_axes(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the picture on matplotlib axes, or on new ones of its own size.

        It fills the axes as far as its proportions allow; fonts and lines scale with them. Needs
        the optional package matplotlib.
        """
        optional_module("matplotlib", extra="plot", purpose="a picture on matplotlib axes")
        from treewright.pictures.matplotlib_axes import new_axes, onto_axes

        axes = new_axes(self.drawing) if ax is None else ax
        onto_axes(self.drawing, axes)
        return axes

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file that ends in .svg, .png, .pdf or .html."""
        ways: dict[str, Callable[[], str | bytes]] = {
            ".svg": self.to_svg,
            ".png": self.to_png,
            ".pdf": self.to_pdf,
            ".html": self.to_html,
        }
        write_by_suffix(path, ways, "a picture")

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        size = f"{self.drawing.width:.0f} x {self.drawing.height:.0f} pixels"
        return f"<Picture: {self.summary}, {size}>"
