"""Report, page of a tree, worksheet and notebook in Chromium: all can be read, in every mode.

Five tables that differ, and for each page a light and a dark screen, a phone and paper. What is
measured is layout: what is cut, hidden, too small, too faint, beyond the edge, or on other text.
"""

from functools import cache
from html import escape

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from axe import axe_script
from page_layout import faint_words, layout_problems
from pictures.page_reading import assert_apart

SCREEN, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PAPER = {"width": 688, "height": 1000}  # A4 without margins of 14 mm
MODES = {
    "light": {"viewport": SCREEN, "color_scheme": "light"},
    "dark": {"viewport": SCREEN, "color_scheme": "dark"},
    "phone": {"viewport": PHONE},
    "paper": {"viewport": PAPER, "color_scheme": "dark"},  # which paper does not care about
}

# ------------------------------------------------------------------------------- tables


def missing_values():
    table, y = tw.load_sample("loans")
    return tw.C45Classifier(), table.drop("loan"), pd.Series(y, name="repaid")


def many_classes():
    rng = np.random.default_rng(2)
    true = np.repeat(np.arange(26), 8)
    X = pd.DataFrame({"a": true + rng.normal(scale=0.3, size=208), "b": rng.random(208)})
    return tw.C45Classifier(), X, pd.Series([f"disease number {at}" for at in true], name="class")


def numbers():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(150, 4)), columns=[*"abcd"])
    X["place"] = rng.choice(["Northridge Heights", "Old Town", "Sawyer West"], size=150)
    return tw.CARTRegressor(prune=None, max_leaf_nodes=12), X, 1e5 * X["a"] + 2e5 * (X["b"] > 0)


def long_names():
    rng = np.random.default_rng(3)
    names = [f"channel {at}: amplitude of the intrinsic reflection" for at in range(14)]
    X = pd.DataFrame(rng.normal(size=(120, 14)), columns=names)
    X.insert(0, "referral source", rng.choice(["general practitioner", "other hospital"], 120))
    y = np.where(X[names[3]] + X[names[7]] > 0, "arrhythmia suspected", "nothing found")
    return tw.C45Classifier(), X, pd.Series(y, name="finding of the first examination")


def deep_tree():
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"x": rng.random(400), "y": rng.random(400)})
    steps = np.floor(16 * X["x"]) + np.floor(3 * X["y"])
    y = pd.Series(np.where(steps % 2 == 0, "even", "odd"), name="step")
    return tw.CARTClassifier(prune=None, min_samples_leaf=2), X, y


TABLES = (missing_values, many_classes, numbers, long_names, deep_tree)


@cache
def fitted(table):
    model, X, y = table()
    return model.fit(X, y), X, y


# ------------------------------------------------------------------------------- pages


def report(table):
    model, X, y = fitted(table)
    return tw.report(model, X, y, folds=3, name="a table").to_html()


def tree(table):
    model, X, y = fitted(table)
    return tw.draw(model, X, y).to_html()


def worksheet(table):
    model, X, y = fitted(table)
    return tw.worksheet(model, X, y).to_html(max_nodes=1)


# What JupyterLab puts around an output, and its rules for tables.
NOTEBOOK = """\
<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark; }
body { font: 14px/1.54 system-ui, sans-serif; margin: 0; padding: 10px; background: #fff;
  color: #000000de; }
.jp-input { font: 13px monospace; overflow: auto; padding: 6px; }
.jp-RenderedHTMLCommon { padding: 4px 0 12px 0; }
.jp-RenderedHTMLCommon pre { font-size: 13px; margin: 0; }
.jp-RenderedHTMLCommon table { border-collapse: collapse; font-size: 12px; margin: 0 auto 1em; }
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th { padding: 0.5em; text-align: right; }
@media screen and (prefers-color-scheme: dark) { body { background: #111; color: #fff; } }
</style></head><body><main>%s</main></body></html>
"""


def notebook(table):
    model, X, y = fitted(table)
    row = X[:1] if isinstance(X, tw.Table) else X.iloc[:1]
    shown = {
        "model": model._repr_mimebundle_()["text/html"],
        "model.tree_": model.tree_._repr_html_(),
        "tw.evaluate(model, X, y)": tw.evaluate(model, X, y, folds=3)._repr_html_(),
        "model.explain(row)": model.explain(row)._repr_html_(),
        "tw.rules(model)": tw.rules(model)._repr_html_(),
    }
    cells = (
        f"<pre class='jp-input' tabindex='0'>{escape(code)}</pre>"
        f"<div class='jp-RenderedHTMLCommon'>{output}</div>"
        for code, output in shown.items()
    )
    return NOTEBOOK % "".join(cells)


PAGES = (report, tree, worksheet, notebook)


@cache
def page_of(kind, table):
    return kind(table)


def shown(browser, kind, table, mode):
    opened = browser.open(page_of(kind, table), bypass_csp=True, **MODES[mode])
    if mode == "paper":
        opened.page.emulate_media(media="print", color_scheme="dark")
        opened.settle()
        opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    opened.settle()
    return opened


# ------------------------------------------------------------------------------- tests

# Rules of WCAG 2.2, levels A and AA; scikit-learn's diagram of an estimator is not ours.
AXE = """
async () => (await axe.run({exclude: [[".sk-top-container"]]}, {runOnly: [
  "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]})).violations.map(
  (found) => `${found.id}: ${found.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)
"""
GROUND = "getComputedStyle(document.querySelector('html')).backgroundColor"
LEFT_OUT = """
() => [...document.querySelectorAll(".tw-page > *")]
  .filter((one) => one.textContent.trim() && !one.matches("style") && !one.getClientRects().length)
  .map((one) => one.textContent.slice(0, 60))
"""


def cases():
    """Every page of every table in every mode; `make soak` tries those that are marked large.

    Of the others each page meets each mode, with two tables of five, and each table meets all.
    """
    for m, mode in enumerate(MODES):
        for k, kind in enumerate(PAGES):
            for t, table in enumerate(TABLES):
                is_one_of_two = (t + k + 2 * m) % len(TABLES) < 2
                marks = () if is_one_of_two else (pytest.mark.large,)
                name = f"{mode}-{kind.__name__}-{table.__name__}"
                yield pytest.param(mode, kind, table, id=name, marks=marks)


@pytest.mark.parametrize(("mode", "kind", "table"), cases())
def test_everything_can_be_read(browser, mode, kind, table):
    opened = shown(browser, kind, table, mode)
    within = ".tw-page, .tw-text" if kind is notebook else "body"
    assert layout_problems(opened, on_paper=mode == "paper", within=within) == []
    assert faint_words(opened) == []
    if kind is tree:
        assert_apart(opened.texts(), opened.boxes())
    else:
        for texts in opened.texts_by_picture():
            assert_apart(texts, [])
    if mode == "paper":
        assert opened.page.evaluate(LEFT_OUT) == []
    opened.page.evaluate(axe_script())
    assert opened.page.evaluate(AXE) == []
    assert not opened.errors


@pytest.mark.parametrize("table", TABLES, ids=lambda one: one.__name__)
def test_the_tree_fits_its_window_and_stands_in_the_middle(browser, table):
    opened = shown(browser, tree, table, "light")
    frame = opened.page.locator("#tree").bounding_box()
    boxes = opened.boxes()
    left, top = (min(box[at] for box in boxes) - frame[side] for at, side in ((0, "x"), (1, "y")))
    right = frame["x"] + frame["width"] - max(box[2] for box in boxes)
    bottom = frame["y"] + frame["height"] - max(box[3] for box in boxes)
    assert min(left, top, right, bottom) > 0
    assert left == pytest.approx(right, abs=0.1 * frame["width"])
    assert top == pytest.approx(bottom, abs=0.1 * frame["height"])


@pytest.mark.parametrize("kind", [report, tree, worksheet], ids=lambda one: one.__name__)
def test_a_dark_screen_is_dark_and_paper_is_light(browser, kind):
    grounds = {}
    for mode in ("light", "dark", "paper"):
        opened = shown(browser, kind, missing_values, mode)
        place = "body" if kind is tree else "html"
        grounds[mode] = opened.page.evaluate(GROUND.replace("html", place))
    assert grounds == {
        "light": "rgb(255, 255, 255)",
        "dark": "rgb(21, 24, 28)",
        "paper": "rgb(255, 255, 255)",
    }
