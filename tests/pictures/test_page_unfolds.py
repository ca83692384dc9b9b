"""The page of a tree in Chromium: folding, keys, search."""

import pytest

import treewright as tw
from exports.export_models import fitted
from pictures.html_models import five_thousand_leaves, iris, tennis
from pictures.page_reading import node, shown


def test_a_click_folds_and_unfolds(browser):
    opened = browser.open(tw.draw(tennis()).to_html())
    assert shown(opened) == [*range(8)]
    humidity = next(at for at in (1, 2, 3) if not tennis().tree_.is_leaf[at])
    below = [at for at in range(8) if tennis().tree_.parent[at] == humidity]
    node(opened, humidity).click()
    assert shown(opened) == [at for at in range(8) if at not in below]
    assert "… 2 nodes" in node(opened, humidity).text_content()
    node(opened, humidity).click()
    assert shown(opened) == [*range(8)]
    node(opened, 0).click()
    assert shown(opened) == [0]


def test_a_box_stays_under_the_pointer_while_it_unfolds(browser):
    opened = browser.open(tw.draw(five_thousand_leaves()).to_html())
    opened.page.get_by_role("button", name="Fit").click()
    opened.settle()
    folded = opened.page.locator('g.node[aria-expanded="false"]').first
    before = folded.locator("rect.box").last.bounding_box()
    number = folded.get_attribute("data-node")
    folded.click()
    opened.settle()
    after = node(opened, number).locator("rect.box").last.bounding_box()
    assert (after["x"], after["y"]) == pytest.approx((before["x"], before["y"]), abs=2)


def test_shift_and_click_take_everything_below_along(browser):
    opened = browser.open(tw.draw(iris(), max_depth=1).to_html())
    assert len(shown(opened)) == 3
    folded = opened.page.locator('g.node[aria-expanded="false"]').last
    folded.click(modifiers=["Shift"])
    opened.page.get_by_role("button", name="Fit").click()  # boxes out of sight are not drawn
    assert len(shown(opened)) == iris().tree_.n_nodes


def test_the_tree_is_unfolded_to_a_depth(browser):
    opened = browser.open(tw.draw(tennis(), max_depth=0).to_html())
    assert shown(opened) == [0]
    opened.page.locator("#depth").select_option(label="to depth 1")
    assert shown(opened) == [0, 1, 2, 3]
    opened.page.locator("#depth").select_option(label="all nodes")
    assert shown(opened) == [*range(8)]
    opened.page.locator("#depth").select_option(label="as drawn")
    assert shown(opened) == [0]


def test_of_many_branches_the_light_ones_open_step_by_step(browser):
    opened = browser.open(tw.draw(fitted("300 levels")).to_html())
    opened.page.get_by_role("button", name="Fit").click()
    n_shown = len(shown(opened))
    rest = opened.page.locator('g.node[id$="-rest"]')
    assert "others" in rest.text_content()
    rest.click()
    opened.page.get_by_role("button", name="Fit").click()
    assert len(shown(opened)) == n_shown + 24


def test_the_keyboard_walks_the_tree(browser):
    opened = browser.open(tw.draw(tennis()).to_html())
    page = opened.page
    page.locator("#tree").focus()

    def pressed(*keys):
        for key in keys:
            page.keyboard.press(key)
        opened.settle()
        return page.locator("#tree").get_attribute("aria-activedescendant")

    inner = next(at for at in (1, 2, 3) if not tennis().tree_.is_leaf[at])
    assert pressed("Home") == "node-0"
    assert pressed("ArrowRight") == "node-1"
    assert pressed("ArrowLeft", "ArrowLeft", "ArrowLeft") == "node-0"
    assert shown(opened) == [0]  # the root was folded by the last of them
    assert pressed("Shift+Enter") == "node-0"
    assert shown(opened) == [*range(8)]  # and what was folded below it
    assert pressed("End").startswith("node-")
    assert page.locator("#about-node h2").inner_text().startswith("Node ")
    pressed("Home", "ArrowRight")
    assert page.get_by_role("treeitem", name="would predict").count() == 3
    assert page.locator(f"#node-{inner}").get_attribute("aria-expanded") == "true"
    scale = page.locator("#scale").inner_text()
    pressed("-", "-")
    assert page.locator("#scale").inner_text() != scale
    pressed("/")
    assert page.evaluate("document.activeElement.id") == "search"


@pytest.mark.parametrize(
    ("words", "is_there"),
    [
        ("humidity", lambda tree, at: tree.feature[at] == 2),
        ("Overcast", lambda tree, at: at == 2),
        ("no", lambda tree, at: tree.is_leaf[at] and tree.classes[tree.node_class[at]] == "No"),
        ("#5", lambda tree, at: at == 5),
    ],
    ids=["column", "level", "class", "number"],
)
def test_a_search_unfolds_what_it_finds(browser, words, is_there):
    opened = browser.open(tw.draw(tennis(), max_depth=0).to_html())
    page = opened.page
    page.locator("#search").fill(words)
    page.keyboard.press("Enter")
    opened.settle()
    found = int(page.locator("#tree").get_attribute("aria-activedescendant").removeprefix("node-"))
    assert is_there(tennis().tree_, found)
    assert node(opened, found).locator("rect.found").count() == 1
    assert f"node {found}" in page.locator("#search-count").inner_text()
    page.keyboard.press("Escape")
    opened.settle()
    assert page.locator("rect.found").count() == 0


def test_a_search_goes_through_all_it_finds_and_says_so_if_there_is_nothing(browser):
    opened = browser.open(tw.draw(five_thousand_leaves()).to_html())
    page = opened.page
    page.locator("#search").fill("district A, district B")
    n_found = int(page.locator("#search-count").inner_text().split()[0])
    assert n_found > 2
    for at in (1, 2, 3):
        page.get_by_role("button", name="Next match").click()
        assert page.locator("#search-count").inner_text().startswith(f"{at} of")
    page.get_by_role("button", name="Previous match").click()
    assert page.locator("#search-count").inner_text().startswith("2 of")
    page.locator("#search").fill("no such thing")
    assert page.locator("#search-count").inner_text() == "nothing found"


def test_wheel_and_drag_zoom_and_move_without_folding(browser):
    opened = browser.open(tw.draw(tennis()).to_html())
    page = opened.page
    before = node(opened, 0).locator("rect.box").bounding_box()
    x, y = before["x"] + 10, before["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 40, steps=4)
    page.mouse.up()
    opened.settle()
    after = node(opened, 0).locator("rect.box").bounding_box()
    assert after["x"] - before["x"] == pytest.approx(80, abs=2)
    assert shown(opened) == [*range(8)]
    page.mouse.wheel(0, -400)
    opened.settle()
    larger = node(opened, 0).locator("rect.box").bounding_box()
    assert larger["width"] > 1.5 * after["width"]
    # what is under the pointer stays there
    assert larger["x"] <= x + 80 <= larger["x"] + larger["width"]
