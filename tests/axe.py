"""axe-core, which looks for barriers on a page: `npm install axe-core` in the repository.

A development tool, not a dependency: tests that use it are skipped where it is not installed.
`AXE_CORE` may name the file `axe.min.js` elsewhere.
"""

import os
from pathlib import Path

import pytest

USUAL = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"
FOUND = """
async () => (await axe.run()).violations.map(
  (found) => `${found.id}: ${found.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)
"""


def axe_script() -> str:
    """The script, or skip the test."""
    path = Path(os.environ.get("AXE_CORE", USUAL))
    if not path.exists():
        pytest.skip("install axe-core: npm install axe-core")
    return path.read_text(encoding="utf-8")


def barriers(browser, page: str, **options) -> list[str]:
    """What axe finds on a page, in words."""
    opened = browser.open(page, bypass_csp=True, **options)
    opened.settle()
    opened.page.evaluate(axe_script())
    return opened.page.evaluate(FOUND)
