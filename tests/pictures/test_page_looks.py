"""The page of a tree in Chromium: nothing overlaps, and it has the words of the picture."""

import pytest

import builders
import treewright as tw
from exports.export_models import fitted
from pictures.html_models import five_thousand_leaves, hostile, iris, tennis
from pictures.page_reading import assert_apart, node
from treewright.data.schema import ColumnSpec, Schema
from treewright.pictures.text_width import text_width

LABELS = """
() => [...document.querySelectorAll("svg text[paint-order]")].map((label) => label.textContent)
"""
# Labels that an edge runs through: in the space of `≤ 43` it would read as a minus. `promised` has
# the width, in heights of letters, that the picture leaves for each: a font may have wider letters.
STRUCK = """
(promised) => {
  const edges = [...document.querySelectorAll("svg path[fill=none]")];
  const labels = [...document.querySelectorAll("svg text[paint-order]")];
  return labels.filter((label) => {
    const box = label.getBBox();
    const style = getComputedStyle(label);
    const size = parseFloat(style.fontSize);
    const width = Math.min(box.width, promised[label.textContent] * size);
    const base = label.y.baseVal[0].value;
    const top = Math.max(box.y, base - 0.93 * size);  // as high and as low as DejaVu Sans
    const height = Math.min(box.y + box.height, base + 0.24 * size) - top;
    const before = {start: 0, middle: 0.5, end: 1}[style.textAnchor] * (box.width - width);
    const steps = [0.05, 0.25, 0.5, 0.75, 0.95];
    const points = steps.flatMap((x) => steps.map((y) =>
      new DOMPoint(box.x + before + x * width, top + y * height)));
    return edges.some((edge) => points.some((point) => edge.isPointInStroke(point)));
  }).map((label) => label.textContent);
}
"""


def struck_labels(opened):
    promised = {words: text_width(words, 1.0) for words in opened.page.evaluate(LABELS)}
    return opened.page.evaluate(STRUCK, promised)


LOOKED_AT = {
    "tennis": tennis,
    "iris": iris,
    "5,000 leaves": five_thousand_leaves,
    "hostile names": hostile,
    "numbers": lambda: fitted("regression, surrogates"),
    "everything": lambda: fitted("everything, classes"),
}


@pytest.mark.parametrize("name", LOOKED_AT)
@pytest.mark.parametrize("direction", ["down", "right"])
def test_nothing_overlaps_in_the_picture(browser, name, direction):
    opened = browser.open(tw.draw(LOOKED_AT[name](), direction=direction).to_svg(), ".svg")
    texts, boxes = opened.texts(), opened.boxes()
    assert len(boxes) > 4
    assert_apart(texts, boxes)
    assert not struck_labels(opened)


@pytest.mark.parametrize("name", LOOKED_AT)
@pytest.mark.parametrize("direction", ["down", "right"])
def test_nothing_overlaps_on_the_page(browser, name, direction):
    opened = browser.open(tw.draw(LOOKED_AT[name](), direction=direction).to_html())
    opened.settle()
    assert_apart(opened.texts(), opened.boxes())
    assert not struck_labels(opened)
    opened.page.locator("#depth").select_option(label="all nodes")
    opened.page.locator("#tree").press("End")
    opened.settle()
    assert len(opened.boxes()) > 4
    assert_apart(opened.texts(), opened.boxes())
    opened.page.get_by_role("button", name="Fit").click()
    opened.settle()
    assert_apart(opened.texts(), opened.boxes())
    assert not opened.errors


def test_the_page_has_the_words_of_the_picture(browser):
    for model in (tennis(), fitted("regression"), fitted("weights of rows")):
        picture = tw.draw(model, direction="down")
        page = browser.open(picture.to_html())
        page.page.locator("#depth").select_option(label="as drawn")
        page.page.evaluate("dispatchEvent(new Event('beforeprint'))")  # all of it, in view or not
        on_page = sorted(text[4] for text in page.texts())
        drawn = browser.open(picture.to_svg(), ".svg")
        legend = {*map(str, model.tree_.classes or ())}
        in_picture = sorted(text[4] for text in drawn.texts())
        for entry in legend | {text for text in in_picture if text.startswith("histograms")}:
            in_picture.remove(entry)
        assert on_page == in_picture


# How far the number of a condition stands from the first line of its words.
NUMBERS_OFF = """
() => [...document.querySelectorAll("#about-node ol li")].map((item) => {
  const beside = document.createTextNode("\\u200b");  // takes no room, stands where the number does
  item.prepend(beside);
  const [words, number] = [document.createRange(), document.createRange()];
  words.selectNodeContents(item.querySelector(".jump"));
  number.selectNode(beside);
  const lines = [...words.getClientRects()];
  const off = lines[0].top - number.getBoundingClientRect().top;
  beside.remove();
  return [Math.abs(off), lines[lines.length - 1].top > lines[0].top + 5];
})
"""


def test_the_number_of_a_long_condition_stands_at_its_first_line(browser):
    long = "a column whose name takes more than one line in the panel beside the picture"
    tree = named_chain(long)
    opened = browser.open(tw.draw(tree).to_html())
    node(opened, tree.n_nodes - 1).click()
    off = opened.page.evaluate(NUMBERS_OFF)
    assert len(off) == 2
    assert all(wraps and distance < 3 for distance, wraps in off)


def named_chain(name):
    below = builders.threshold(1, 2.0, builders.leaf(1, 2), builders.leaf(3, 0))
    root = builders.threshold(0, 1.0, builders.leaf(0, 4), below)
    columns = (ColumnSpec(name, "numeric"), ColumnSpec(f"another {name}", "numeric"))
    return builders.build(root, Schema(columns), ("no", "yes"))
