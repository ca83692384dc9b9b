"""Reports in Chromium: no request, no error, nothing wider than the window, no text on another."""

import functools

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from pictures.page_reading import assert_apart

WIDTHS = (1280, 700, 360)
TOO_WIDE = "() => document.documentElement.scrollWidth - window.innerWidth"
HOSTILE = "<img src=x onerror=alert(1)>\u202e\n\"'&</script>" + "long" * 40


def classes():
    X, y = tw.load_sample("iris")
    return tw.C45Classifier(), X, y


def holes_and_words():
    table, y = tw.load_sample("loans")
    return tw.CARTClassifier(prune=None), table.drop("loan"), y


def rules():
    table, y = tw.load_sample("loans")
    return tw.C45Rules(), table.drop("loan"), y


def numbers():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(300, 30)), columns=[f"measurement {at}" for at in range(30)])
    return tw.CARTRegressor(prune=None), X, 1e6 * X["measurement 3"] + rng.normal(size=300)


def many_classes():
    rng = np.random.default_rng(2)
    true = np.repeat(np.arange(30), 10)
    X = pd.DataFrame({"a": true + rng.normal(scale=0.5, size=300), "b": rng.random(300)})
    return tw.C45Classifier(), X, [f"the class of number {at}" for at in true]


def hostile_names():
    X = pd.DataFrame({HOSTILE: ["a", HOSTILE, "c"] * 20, "n": np.arange(60.0)})
    return tw.C45Classifier(), X, pd.Series([HOSTILE, "ok"] * 30, name=HOSTILE)


CASES = (classes, holes_and_words, rules, numbers, many_classes, hostile_names)


@functools.cache
def page_of(case):
    model, X, y = case()
    return tw.report(model, X, y, folds=3, name=HOSTILE if case is hostile_names else "t").to_html()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_report_fits_its_window_and_asks_for_nothing(browser, case, width):
    opened = browser.open(page_of(case), viewport={"width": width, "height": 900})
    assert opened.page.evaluate(TOO_WIDE) <= 0
    assert not opened.errors
    assert [url for url in opened.requests if not url.startswith("file:")] == []
    if width == WIDTHS[0]:
        for texts in opened.texts_by_picture():
            assert_apart(texts, [])
    opened.page.close()


def test_the_contents_lead_to_the_sections(browser):
    opened = browser.open(page_of(classes), viewport={"width": 1280, "height": 900})
    opened.page.get_by_role("navigation").get_by_role("link", name="Rules").click()
    top = opened.page.get_by_role("heading", name="Rules").bounding_box()["y"]
    assert -1 < top < 200
    opened.page.close()


def test_every_picture_has_a_description_and_every_table_its_heads(browser):
    opened = browser.open(page_of(classes), viewport={"width": 1280, "height": 900})
    pictures = opened.page.get_by_role("img")
    assert pictures.count() == opened.page.locator("svg").count() >= 3
    assert all(pictures.nth(at).get_attribute("aria-label") for at in range(pictures.count()))
    tables = opened.page.get_by_role("table").count()
    assert opened.page.locator("thead tr").count() == tables > 5
    opened.page.close()


def test_on_paper_nothing_is_cut_off(browser):
    opened = browser.open(page_of(many_classes), viewport={"width": 700, "height": 900})
    opened.page.emulate_media(media="print")
    assert opened.page.evaluate(TOO_WIDE) <= 0
    assert opened.page.pdf(format="A4")[:5] == b"%PDF-"
    opened.page.close()
