"""Chromium for tests of pages: started once, and every request that a page makes is noted."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from machine import imported, program
from treewright.pictures.text_width import text_width

SCREEN = {"width": 1400, "height": 900}
ROUNDING = 1.0  # pixels: where a thing stands depends on the fonts, and is rounded when it scrolls

TALLEST = 1.25  # of the size of the letters: the line of DejaVu Sans, with some room

# The texts of each picture: the rectangles that they take, their words, size and direction.
TEXTS = """
() => [...document.querySelectorAll("svg")].map((picture) =>
  [...picture.querySelectorAll("text")].map((text) => {
    const box = text.getBoundingClientRect();
    const {a, b} = text.getScreenCTM();
    const style = getComputedStyle(text);
    return {
      box: [box.left, box.top, box.right, box.bottom],
      words: text.textContent,
      size: parseFloat(style.fontSize) * Math.hypot(a, b),
      bold: Number(style.fontWeight) >= 600,
      anchor: style.textAnchor,
      upright: Math.abs(b) < 1e-9,
    };
  }))
"""
BOXES = """
() => [...document.querySelectorAll("svg g.node")].map((node) => {
  const frames = [...node.querySelectorAll("rect[rx='6']")];
  const box = frames[frames.length - 1].getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom, node.dataset.node];
})
"""


def within_promise(text: dict[str, Any]) -> list[float]:
    """The rectangle of a text, no larger than pictures leave room for.

    Pictures promise room for the letters of the usual fonts (`text_width`). A machine may have only
    wider or taller ones, and no test may depend on that.
    """
    left, top, right, bottom = text["box"]
    length = text_width(text["words"], text["size"], bold=text["bold"])
    start = {"start": 0.0, "middle": 0.5, "end": 1.0}[text["anchor"]]
    if text["upright"]:
        left, right = shortened(left, right, length, start)
        top, bottom = shortened(top, bottom, TALLEST * text["size"], 0.5)
    else:  # written from the bottom to the top
        left, right = shortened(left, right, TALLEST * text["size"], 0.5)
        top, bottom = shortened(top, bottom, length, 1 - start)
    return [left, top, right, bottom]


def shortened(low: float, high: float, most: float, fixed: float) -> tuple[float, float]:
    """An interval of at most this length; `fixed` is the share of it where it stays in place."""
    excess = max(0.0, high - low - most)
    return low + fixed * excess, high - (1 - fixed) * excess


@dataclass
class Opened:
    """A page, what it asked for, and what went wrong on it."""

    page: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def texts(self) -> list[list[Any]]:
        """Left, top, right, bottom and words of every text in a picture."""
        return [text for texts in self.texts_by_picture() for text in texts]

    def texts_by_picture(self) -> list[list[list[Any]]]:
        return [
            [[*within_promise(text), text["words"]] for text in texts]
            for texts in self.page.evaluate(TEXTS)
        ]

    def boxes(self) -> list[list[Any]]:
        return self.page.evaluate(BOXES)

    def settle(self) -> None:
        """Wait until the next frame is drawn."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )


class Browser:
    """Opens files, one after the other, on one page; on a page of their own if it has options."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium
        self.folder = Path()
        self.opened: Opened | None = None
        self.others: list[Opened] = []
        self.n_opened = 0

    def open(self, text: str, ending: str = ".html", **options: Any) -> Opened:
        """The text as a file in the browser; options are those of a Playwright page."""
        self.n_opened += 1
        path = self.folder / f"page{self.n_opened}{ending}"
        path.write_text(text, encoding="utf-8")
        if options:
            opened = self.watched(options)
            self.others.append(opened)
        else:
            opened = self.opened = self.opened or self.watched({})
        opened.requests.clear()
        opened.errors.clear()
        opened.page.goto(path.as_uri())
        return opened

    def leave(self) -> None:
        """Close what was opened: a page that stays goes on drawing."""
        for one in self.others:
            one.page.close()
        self.others.clear()
        if self.opened is not None:
            self.opened.page.goto("about:blank")

    def watched(self, options: dict[str, Any]) -> Opened:
        page = self.chromium.new_page(**{"viewport": SCREEN, **options})
        page.set_default_timeout(10_000)
        opened = Opened(page)
        page.on("request", lambda request: opened.requests.append(request.url))
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        page.on("console", lambda line: opened.errors.append(line.text))
        page.on("dialog", lambda dialog: opened.errors.append(dialog.message))
        return opened


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    playwright = imported("playwright.sync_api")
    path = program("chromium")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield Browser(chromium)
        chromium.close()


@pytest.fixture
def browser(chromium: Browser, tmp_path: Path) -> Iterator[Browser]:
    chromium.folder = tmp_path
    yield chromium
    chromium.leave()
