"""Reading a picture back: its texts and boxes with their places on the page."""

import re
from dataclasses import dataclass
from xml.etree import ElementTree

from treewright.pictures.text_width import text_width

NAMESPACE = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Area:
    left: float
    top: float
    right: float
    bottom: float
    what: str

    def overlaps(self, other: "Area", slack: float = 0.05) -> bool:
        return (
            self.left + slack < other.right
            and other.left + slack < self.right
            and self.top + slack < other.bottom
            and other.top + slack < self.bottom
        )

    def contains(self, other: "Area", slack: float = 0.05) -> bool:
        return (
            self.left <= other.left + slack
            and self.right >= other.right - slack
            and self.top <= other.top + slack
            and self.bottom >= other.bottom - slack
        )


def read(svg: str) -> tuple[Area, list[Area], list[Area]]:
    """The page, the boxes of the nodes and all texts."""
    root = ElementTree.fromstring(svg)
    page = Area(0, 0, float(root.get("width")), float(root.get("height")), "page")
    boxes, texts = [], []
    for group in root.findall(f"{NAMESPACE}g"):
        dx, dy = map(float, re.findall(r"[-\d.]+", group.get("transform")))
        texts += [text_area(text, dx, dy) for text in group.iter(f"{NAMESPACE}text")]
        for node in group.findall(f"{NAMESPACE}g"):
            frame = [rect for rect in node.findall(f"{NAMESPACE}rect") if rect.get("rx")][-1]
            left, top = dx + float(frame.get("x")), dy + float(frame.get("y"))
            right, bottom = left + float(frame.get("width")), top + float(frame.get("height"))
            boxes.append(Area(left, top, right, bottom, f"node {node.get('data-node')}"))
    return page, boxes, texts


def text_area(text: ElementTree.Element, dx: float, dy: float) -> Area:
    size = float(text.get("font-size", 11))
    width = text_width(text.text or "", size, bold=text.get("font-weight") == "bold")
    left = dx + float(text.get("x")) - (0 if text.get("text-anchor") == "start" else width / 2)
    base = dy + float(text.get("y"))
    return Area(left, base - 0.76 * size, left + width, base + 0.24 * size, text.text or "")
