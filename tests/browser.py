"""Chromium for tests of pages: started once, and every request that a page makes is noted."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SCREEN = {"width": 1400, "height": 900}

# Texts on the page with the rectangles that they take there.
TEXTS = """
() => [...document.querySelectorAll("svg text")].map((text) => {
  const box = text.getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom, text.textContent];
})
"""
BOXES = """
() => [...document.querySelectorAll("svg g.node")].map((node) => {
  const frames = [...node.querySelectorAll("rect[rx='6']")];
  const box = frames[frames.length - 1].getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom, node.dataset.node];
})
"""


@dataclass
class Opened:
    """A page, what it asked for, and what went wrong on it."""

    page: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def texts(self) -> list[list[Any]]:
        return self.page.evaluate(TEXTS)

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
        self.n_opened = 0

    def open(self, text: str, ending: str = ".html", **options: Any) -> Opened:
        """The text as a file in the browser; options are those of a Playwright page."""
        self.n_opened += 1
        path = self.folder / f"page{self.n_opened}{ending}"
        path.write_text(text, encoding="utf-8")
        opened = self.watched(options) if options else self.opened
        if opened is None:
            opened = self.opened = self.watched({})
        opened.requests.clear()
        opened.errors.clear()
        opened.page.goto(path.as_uri())
        return opened

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
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield Browser(chromium)
        chromium.close()


@pytest.fixture
def browser(chromium: Browser, tmp_path: Path) -> Browser:
    chromium.folder = tmp_path
    return chromium
