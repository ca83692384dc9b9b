"""One page about a model: everything is on it, nothing comes from elsewhere."""

import re

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import ParameterError


@pytest.fixture(scope="module")
def iris_page():
    X, y = tw.load_sample("iris")
    model = tw.C45Classifier().fit(X, pd.Series(y, name="species"))
    return tw.report(model, X, y, name="iris")


def test_every_section_is_there(iris_page):
    html = iris_page.to_html()
    for title in (
        "Report: species by C45Classifier",
        "The tree",
        "How good it is",
        "Which columns matter",
        "Rules",
        "Columns",
        "The calculation at the top",
        "Settings and versions",
    ):
        assert title in html


def test_numbers_are_those_of_evaluate(iris_page):
    X, y = tw.load_sample("iris")
    found = tw.evaluate(tw.C45Classifier(), X, y)
    assert f"{found.mean('accuracy'):.4f}" in iris_page.to_html()
    assert iris_page.facts.evaluation.mean("accuracy") == found.mean("accuracy")


def test_nothing_comes_from_elsewhere(iris_page):
    html = iris_page.to_html().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(src|href)=['\"](?!#)|url\(|@import|https?://|<script", html)


def test_new_rows_are_judged_with_the_model_as_it_is():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier().fit(X[::2], y[::2])
    page = tw.report(model, X[1::2], y[1::2])
    assert page.facts.worksheet is None
    assert page.facts.evaluation.mean("accuracy") == model.score(X[1::2], y[1::2])
    assert "The calculation at the top" not in page.to_html()


def test_numbers_have_a_report_too():
    generator = np.random.default_rng(0)
    X = generator.random((80, 3))
    page = tw.report(tw.CARTRegressor(max_depth=3).fit(X, X[:, 0]), X, X[:, 0], folds=4)
    assert "root mean squared error" in page.to_html()


def test_names_are_text_whatever_they_hold():
    bad = "<img src=x onerror=alert(1)>"
    table = pd.DataFrame({bad: ["a", "b", "</script>", "a"] * 10, "n": np.arange(40.0)})
    y = pd.Series([bad, "ok"] * 20, name=bad)
    html = tw.report(tw.C45Classifier().fit(table, y), table, y, name=bad).to_html()
    assert "<img" not in html
    assert "</script>" not in html


def test_a_tree_of_one_leaf_has_a_report():
    X = [[1.0], [2.0], [3.0], [4.0]]
    page = tw.report(
        tw.CARTClassifier(max_depth=1, min_samples_leaf=3).fit(X, [0, 1, 0, 1]),
        X,
        [0, 1, 0, 1],
        folds=2,
    )
    assert "Settings and versions" in page.to_html()


def test_something_else_is_refused():
    with pytest.raises(ParameterError, match="no report"):
        tw.report("tree", [[1]], [1])
