"""The page of a tree in Chromium: safe, fast, and for every reader."""

import math
import time
from itertools import pairwise

import pytest

import treewright as tw
from browser import SCREEN
from pictures.html_models import HOSTILE, five_thousand_leaves, hostile, iris, tennis
from pictures.page_reading import assert_apart, node


def test_no_request_leaves_the_page_and_no_name_runs(browser):
    opened = browser.open(tw.draw(hostile()).to_html(), offline=True)
    page = opened.page
    page.locator("#depth").select_option(label="all nodes")
    page.locator("#search").fill(HOSTILE[0])
    page.keyboard.press("Enter")
    for at in range(page.locator("#row-fields input").count()):
        page.locator("#row-fields input").nth(at).fill("0.5")
    page.get_by_role("button", name="Show its path").click()
    page.locator("#tree").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    opened.settle()
    assert not opened.errors
    assert len(opened.requests) == 1  # the file itself
    assert page.locator("img, iframe, object, embed, link, base").count() == 0
    assert page.locator("script").count() == 2
    assert HOSTILE[0] in page.locator("#row-fields label").first.inner_text()


@pytest.mark.timed
def test_a_tree_of_5000_leaves_opens_in_two_seconds(browser):
    page = tw.draw(five_thousand_leaves()).to_html()
    assert five_thousand_leaves().get_n_leaves() == 5000
    assert len(page.encode()) < 3_000_000
    best = math.inf
    for _ in range(10):  # the machine may be busy with other tests
        started = time.perf_counter()
        opened = browser.open(page)
        opened.page.locator("g.node").first.wait_for()
        best = min(best, time.perf_counter() - started)
        if best < 2:
            break
    assert best < 2
    started = time.perf_counter()
    opened.page.locator("#depth").select_option(label="all nodes")
    opened.settle()
    assert time.perf_counter() - started < 20  # one second on an idle machine


def test_from_afar_boxes_have_no_words_and_a_click_comes_closer(browser):
    opened = browser.open(tw.draw(five_thousand_leaves(), direction="down").to_html())
    opened.page.locator("#depth").select_option(label="to depth 14")
    opened.page.get_by_role("button", name="Fit").click()
    opened.settle()
    assert len(opened.boxes()) == 1  # where the keyboard is
    frame = opened.page.locator("#tree").bounding_box()
    opened.page.mouse.click(frame["x"] + frame["width"] / 2, frame["y"] + 120)
    opened.settle()
    assert opened.page.locator("#scale").inner_text() == "100 %"


def test_all_nodes_of_a_large_tree_fill_the_window(browser):
    opened = browser.open(tw.draw(five_thousand_leaves(), direction="right").to_html())
    opened.page.locator("#depth").select_option(label="all nodes")
    opened.settle()
    frame = opened.page.locator("#tree").bounding_box()
    whole = opened.page.locator("#world > g").first.bounding_box()
    assert whole["width"] > 0.8 * frame["width"]
    assert whole["height"] > 0.8 * frame["height"]
    assert opened.page.locator("#scale").inner_text() == "overview"
    opened.page.locator("#tree").press("ArrowRight")  # walking comes close again
    opened.settle()
    assert opened.page.locator("#scale").inner_text() == "85 %"
    opened.page.locator("#depth").select_option(label="as drawn")
    opened.settle()
    assert len(opened.boxes()) > 10


def test_a_click_that_unfolds_thousands_of_nodes_shows_them_all(browser):
    opened = browser.open(tw.draw(five_thousand_leaves(), max_depth=0).to_html())
    node(opened, 0).click(modifiers=["Shift"])
    opened.settle()
    assert opened.page.locator("#scale").inner_text() == "overview"
    frame = opened.page.locator("#tree").bounding_box()
    whole = opened.page.locator("#world > g").first.bounding_box()
    assert whole["height"] > 0.8 * frame["height"]


def test_coming_closer_the_picture_is_no_longer_stretched(browser):
    opened = browser.open(tw.draw(five_thousand_leaves(), direction="down").to_html())
    opened.page.locator("#depth").select_option(label="all nodes")
    frame = opened.page.locator("#tree").bounding_box()
    opened.page.mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    for _ in range(12):
        opened.page.mouse.wheel(0, -400)
        opened.settle()
    assert opened.page.locator("#scale").inner_text().endswith("%")
    assert_apart(opened.texts(), opened.boxes())


def test_without_javascript_there_is_the_picture(browser):
    opened = browser.open(tw.draw(tennis()).to_html(), java_script_enabled=False)
    assert opened.page.locator("svg g.node").count() == 8
    assert opened.page.locator("svg text", has_text="outlook").is_visible()
    assert not opened.page.locator("#app").is_visible()


def test_on_paper_everything_unfolded_is_there_and_nothing_else(browser):
    opened = browser.open(tw.draw(iris(), direction="down").to_html(), viewport=SCREEN)
    opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    opened.page.emulate_media(media="print")
    assert len(opened.boxes()) == iris().tree_.n_nodes
    assert not opened.page.locator("#panel").is_visible()
    assert not opened.page.locator("#search").is_visible()
    assert opened.page.locator("#legend").is_visible()
    paper = opened.page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    opened.page.emulate_media(media="screen")
    opened.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert opened.page.locator("#panel").is_visible()


def test_everything_can_be_reached_by_the_tab_key(browser):
    opened = browser.open(tw.draw(tennis()).to_html())
    reached = []
    for _ in range(14):
        opened.page.keyboard.press("Tab")
        reached.append(opened.page.evaluate("document.activeElement.id"))
    order = ["search", "search-back", "search-next", "depth", "direction", "zoom-out", "zoom-in"]
    places = [reached.index(name) for name in [*order, "fit", "panel-switch", "tree", "column-0"]]
    assert all(one < other for one, other in pairwise(places))


def test_on_a_narrow_screen_the_panel_stands_below(browser):
    opened = browser.open(tw.draw(tennis()).to_html(), viewport={"width": 420, "height": 800})
    panel = opened.page.locator("#panel").bounding_box()
    tree = opened.page.locator("#tree").bounding_box()
    assert panel["y"] >= tree["y"] + tree["height"] - 1
    width = opened.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 420
