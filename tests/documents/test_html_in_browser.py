"""Pages in Chromium: formulas are set, nothing sticks out, links lead to their nodes."""

import pytest

import treewright as tw
from browser import ROUNDING, SCREEN
from documents.expressions import NASTY
from documents.pages import a_page_of
from treewright.documents.as_html import to_html
from treewright.documents.page import Document, SheetTable

# Formulas that are not drawn, and text that sticks out of the page.
UNDRAWN = """
() => [...document.querySelectorAll("math")]
  .filter((math) => !(math.getBoundingClientRect().width > 2))
  .map((math) => math.outerHTML)
"""
# How many lines the words of each cell take.
LINES_OF_CELLS = """
() => [...document.querySelectorAll("td")].map((cell) => {
  const words = document.createRange();
  words.selectNodeContents(cell);
  return words.getClientRects().length;
})
"""
TOO_WIDE = "() => document.documentElement.scrollWidth - window.innerWidth"


def worksheet(name: str, model) -> str:
    X, y = tw.load_sample(name)
    return tw.worksheet(model.fit(X, y), X, y, measures=["gini_gain", "chi_square"]).to_html()


@pytest.mark.parametrize("width", [1000, 360])
@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("weekend", tw.ID3Classifier()),
        ("iris", tw.C45Classifier()),
        ("golf", tw.CARTClassifier(prune=None)),
    ],
    ids=["weekend", "iris", "golf"],
)
def test_a_worksheet_fits_its_window(browser, name, model, width):
    opened = browser.open(worksheet(name, model), viewport={"width": width, "height": 800})
    assert opened.page.evaluate(UNDRAWN) == []
    assert opened.page.evaluate(TOO_WIDE) <= 0
    assert not opened.errors
    assert [url for url in opened.requests if not url.startswith("file:")] == []


def test_any_name_stays_text_and_inside_the_window(browser):
    blocks = [block for name in NASTY for block in a_page_of(name)]
    opened = browser.open(
        to_html(Document("Names", tuple(blocks))), viewport={"width": 700, "height": 800}
    )
    assert opened.page.evaluate(TOO_WIDE) <= 0
    assert opened.page.locator("script").count() == 0
    assert not opened.errors
    assert "<script>alert(1)</script>" in opened.page.locator("h2").all_inner_texts()


def test_a_branch_leads_to_its_node(browser):
    opened = browser.open(worksheet("iris", tw.C45Classifier()))
    opened.page.get_by_role("link", name="node 2").first.click()
    opened.settle()
    heading = opened.page.locator(":target")
    assert heading.get_attribute("id") == "node-2"
    assert heading.inner_text().startswith("Node 2: ")
    assert -ROUNDING <= heading.bounding_box()["y"] < SCREEN["height"]


def test_short_words_of_a_narrow_column_stay_whole(browser):
    row = ("Age", "missing", *("1,234,567.25 (and more)" for _ in range(5)))
    table = SheetTable(tuple("abcdefg"), (row,), "llrrrrr", marked=frozenset([0]))
    page = to_html(Document("t", (table,)))
    opened = browser.open(page, viewport={"width": 500, "height": 800})
    assert opened.page.evaluate(LINES_OF_CELLS) == [1] * len(row)
    assert opened.page.evaluate(TOO_WIDE) <= 0
