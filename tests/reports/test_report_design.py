"""Reports in Chromium: what is first, what fits, and whether everybody can read it."""

from functools import cache

import pandas as pd
import pytest

import treewright as tw
from axe import barriers

PHONE = {"width": 390, "height": 844}
WIDTHS = """
() => [...document.querySelectorAll("figure")].map((one) => [one.scrollWidth, one.clientWidth])
"""
HAVE_CUES = """
() => [...document.querySelectorAll("figure, .wide, pre")].every((one) =>
  one.tabIndex === 0 && getComputedStyle(one).backgroundImage.includes("gradient"))
"""


@cache
def page_of_iris() -> str:
    X, y = tw.load_sample("iris")
    found = tw.report(tw.CARTClassifier(), X, pd.Series(y, name="species"), name="iris", folds=3)
    return found.to_html()


def test_the_verdict_comes_first_then_the_tree_then_the_rest(browser):
    opened = browser.open(page_of_iris(), viewport={"width": 1280, "height": 900})
    tops = opened.page.evaluate(
        "() => [...document.querySelectorAll('h1, .lead, figure, h2')].map((one) =>"
        " [one.matches('figure, .lead') ? one.className || 'figure' : one.textContent,"
        " one.getBoundingClientRect().top])"
    )
    names = [name for name, _ in sorted(tops, key=lambda pair: pair[1])]
    assert names[:5] == ["Predicting species from iris", "lead", "The tree", "figure", "Rules"]
    assert names.index("Evaluation") < names.index("Columns")
    lead = opened.page.locator(".lead").inner_text()
    assert lead.startswith("The model is better than guessing by ")


def test_the_tree_is_as_wide_as_the_column_at_most_and_a_phone_scrolls_it(browser):
    opened = browser.open(page_of_iris(), viewport={"width": 1280, "height": 900})
    assert all(inner <= outer for inner, outer in opened.page.evaluate(WIDTHS))
    opened = browser.open(page_of_iris(), viewport=PHONE)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    scrolled = [inner > outer for inner, outer in opened.page.evaluate(WIDTHS)]
    assert any(scrolled)
    # What can be scrolled has a shadow at its edge, and the keyboard reaches it.
    assert opened.page.evaluate(HAVE_CUES)


@pytest.mark.parametrize(
    "options", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": PHONE}], ids=str
)
def test_axe_finds_no_barrier(browser, options):
    assert barriers(browser, page_of_iris(), **options) == []
