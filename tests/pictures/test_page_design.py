"""The page of a tree in Chromium: it fits, follows what is typed, and can be read by everybody."""

import pandas as pd
import pytest

import treewright as tw
from axe import barriers
from pictures.html_models import iris, tennis
from pictures.page_reading import node, on_way

PHONE = {"width": 390, "height": 844}
TITLES = """
() => Object.fromEntries([...document.querySelectorAll("g.node")].map((one) =>
  [one.dataset.node, one.querySelector("title").textContent]))
"""


def with_rows():
    X, y = tw.load_sample("iris")
    return tw.draw(iris(), X, y, target="species")


def field(page, column):
    return page.get_by_role("textbox", name=column)


@pytest.mark.parametrize("size", [(1280, 850), (1600, 700)])
def test_the_tree_fits_its_window_and_stands_in_the_middle(browser, size):
    opened = browser.open(
        with_rows().to_html(), viewport=dict(zip(("width", "height"), size, strict=True))
    )
    opened.settle()
    frame = opened.page.locator("#tree").bounding_box()
    boxes = opened.boxes()
    left, top = (min(box[at] for box in boxes) - frame[side] for at, side in ((0, "x"), (1, "y")))
    right = frame["x"] + frame["width"] - max(box[2] for box in boxes)
    bottom = frame["y"] + frame["height"] - max(box[3] for box in boxes)
    assert min(left, top, right, bottom) > 0
    assert left == pytest.approx(right, abs=0.1 * frame["width"])
    assert top == pytest.approx(bottom, abs=0.1 * frame["height"])
    assert not opened.page.locator("#cue").is_visible()


def test_at_first_the_page_shows_what_fits_at_a_size_that_can_be_read(browser):
    opened = browser.open(with_rows().to_html(), viewport={"width": 1100, "height": 700})
    opened.settle()
    assert opened.page.locator("#depth").input_value() == "window"
    assert int(opened.page.locator("#scale").inner_text().removesuffix(" %")) >= 85
    assert not opened.page.locator("#cue").is_visible()
    n_boxes = len(opened.boxes())
    assert n_boxes >= 5
    opened.page.locator("#depth").select_option(label="as drawn")
    opened.page.get_by_role("button", name="Fit").click()
    opened.settle()
    assert len(opened.boxes()) > n_boxes


def test_on_a_phone_an_arrow_points_to_what_is_out_of_view(browser):
    opened = browser.open(with_rows().to_html(), viewport=PHONE)
    opened.page.locator("#depth").select_option(label="as drawn")
    opened.settle()
    assert "→" in opened.page.locator("#cue").inner_text()
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    opened.page.get_by_role("button", name="Fit").click()
    opened.settle()
    assert not opened.page.locator("#cue").is_visible()


def test_a_row_is_followed_letter_by_letter_and_stays_in_view(browser):
    opened = browser.open(with_rows().to_html(), viewport={"width": 900, "height": 500})
    page = opened.page
    field(page, "petal length").press_sequentially("5")
    field(page, "petal width").press_sequentially("1.6")
    path = on_way(opened)
    assert len(path) > 3
    end = node(opened, path[-1]).locator("rect.box").last.bounding_box()
    frame = page.locator("#tree").bounding_box()
    assert frame["x"] <= end["x"]
    assert end["x"] + end["width"] <= frame["x"] + frame["width"]
    assert frame["y"] <= end["y"]
    assert end["y"] + end["height"] <= frame["y"] + frame["height"]
    prediction = page.locator("#answer").bounding_box()
    assert 0 <= prediction["y"] <= 500
    field(page, "petal width").fill("wide")
    assert "petal width: write a number" in page.locator("#row-result").inner_text()
    assert field(page, "petal width").get_attribute("aria-invalid") == "true"


def test_conditions_on_one_column_are_merged_as_in_python(browser):
    picture = tw.draw(iris())
    drawn = browser.open(picture.to_svg(), ".svg")
    in_python = [title.split("\nnode ")[0] for title in drawn.page.evaluate(TITLES).values()]
    on_page = browser.open(picture.to_html())
    on_page.settle()
    found = on_page.page.evaluate(TITLES)
    merged = [found[str(at)].split("\nnode ")[0] for at in range(1, len(in_python))]
    assert merged == [text.replace("<=", "≤") for text in in_python[1:]]
    assert any(text.count(" petal length ") and " < " in text for text in merged)


def test_classes_that_say_little_are_named_with_their_target(browser):
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, pd.Series(y, name="play"))
    opened = browser.open(tw.draw(model).to_html())
    opened.settle()
    words = [text[4] for text in opened.texts()]
    assert "play = Yes" in words
    assert "Yes" not in words
    assert opened.page.locator("#legend").inner_text().split() == ["play:", "No", "Yes"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_the_readers_own(browser, scheme):
    opened = browser.open(with_rows().to_html(), color_scheme=scheme)
    opened.settle()
    ground = "getComputedStyle(document.body).backgroundColor"
    box = "getComputedStyle(document.querySelector('#node-0 rect.box')).fill"
    expected = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}[scheme]
    assert opened.page.evaluate(ground) == opened.page.evaluate(box) == expected
    svg = browser.open(tw.draw(tennis()).to_svg(), ".svg", color_scheme=scheme)
    paper = "getComputedStyle(document.querySelector('rect')).fill"
    assert svg.page.evaluate(paper) == expected


@pytest.mark.parametrize(
    "options", [{"color_scheme": "light"}, {"color_scheme": "dark"}, {"viewport": PHONE}], ids=str
)
def test_axe_finds_no_barrier(browser, options):
    assert barriers(browser, with_rows().to_html(), **options) == []
