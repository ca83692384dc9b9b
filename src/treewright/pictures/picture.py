"""A finished picture: SVG as text, PNG by an optional package, a file, a notebook's output."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treewright.atomic_file import write_file
from treewright.errors import ParameterError
from treewright.optional import optional_module
from treewright.pictures.shapes import Drawing
from treewright.pictures.svg import to_svg

SHARPNESS = 2.0  # pixels of a PNG for each pixel of the drawing


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A drawn tree or figure; notebooks show it as it is."""

    drawing: Drawing
    summary: str  # what it shows, in a few words
    data: Mapping[str, Any] = field(default_factory=dict)  # the numbers behind a figure

    def to_svg(self) -> str:
        """The picture as SVG text: no scripts, no fonts or files from elsewhere."""
        return to_svg(self.drawing)

    def to_png(self, scale: float = SHARPNESS) -> bytes:
        """The picture as the bytes of a PNG file, by the optional package resvg-py."""
        if not 0 < scale <= 20:
            raise ParameterError(f"scale is {scale}", hint="use a number above 0, at most 20")
        resvg = optional_module("resvg_py", extra="png", purpose="a PNG picture")
        return bytes(resvg.svg_to_bytes(svg_string=self.to_svg(), zoom=scale))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file that ends in .svg or .png, all of it or nothing."""
        suffix = Path(path).suffix.lower()
        if suffix == ".svg":
            write_file(path, self.to_svg().encode("utf-8"))
        elif suffix == ".png":
            write_file(path, self.to_png())
        else:
            raise ParameterError(
                f"no picture format ends in {suffix!r}", hint="use a name with .svg or .png"
            )

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        size = f"{self.drawing.width:.0f} x {self.drawing.height:.0f} pixels"
        return f"<Picture: {self.summary}, {size}>"
