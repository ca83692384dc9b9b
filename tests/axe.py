"""axe-core, which looks for barriers on a page."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from machine import package_to_install

FOUND = """
async () => (await axe.run()).violations.map(
  (found) => `${found.id}: ${found.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)
"""


def axe_script() -> str:
    """The script, or skip the test."""
    package = find_spec("axe_playwright_python")
    if package is None or package.origin is None:
        pytest.skip(package_to_install("axe_playwright_python"))
    return (Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def barriers(browser, page: str, **options) -> list[str]:
    """What axe finds on a page, in words."""
    opened = browser.open(page, bypass_csp=True, **options)
    opened.settle()
    opened.page.evaluate(axe_script())
    return opened.page.evaluate(FOUND)
