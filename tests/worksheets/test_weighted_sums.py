"""The worksheet of a node that sums up columns."""

import numpy as np
import pytest

import treewright as tw
from treewright import measures


@pytest.fixture(scope="module")
def sheet():
    X, y = tw.load_sample("iris")
    return tw.worksheet(tw.ObliqueTreeClassifier().fit(X, y), X, y)


def test_the_sum_stands_beside_all_columns_and_is_chosen(sheet):
    work = sheet.nodes[2]
    assert len(work.candidates) == 5
    assert work.chosen is work.candidates[-1]
    assert work.chosen.column == "2 * petal length + 5 * petal width"
    assert work.runner_up.column == "petal width"
    assert work.margin == pytest.approx(work.chosen.gain - work.runner_up.gain)


def test_its_gain_is_that_of_the_tree_and_of_its_branches(sheet):
    found = sheet.nodes[2].chosen
    counts = [branch.counts for branch in found.branches]
    assert found.gain == pytest.approx(measures.gini_gain(counts))
    assert found.gain == pytest.approx(0.4434, abs=5e-5)


def test_a_page_tells_the_sum_its_gain_and_the_runner_up(sheet):
    text = sheet.to_text(steps=[2])
    assert "gain(2 * petal length + 5 * petal width) = 0.5000 - 0.0566 = 0.4434" in text
    assert "* 2 * petal length + 5 * petal width  <= 17.45" in text
    assert "or a sum of columns that gains enough more" in " ".join(
        sheet.to_text(steps="summary").split()
    )
    assert "petal width" in sheet.to_latex()
    assert "petal width" in sheet.to_html()


def test_rows_with_a_hole_are_counted_where_the_tree_sends_them():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + X[:, 1] > 0
    X[rng.random(300) < 0.2, 0] = np.nan
    model = tw.ObliqueTreeClassifier(max_depth=1, prune=None).fit(X, y)
    assert model.tree_.node(0).kind == "oblique"
    found = tw.worksheet(model, X, y).nodes[0].chosen
    assert found.missing_weight == np.isnan(X[:, 0]).sum()
    assert found.missing_joins == model.tree_.missing_child[0]
    assert found.gain == pytest.approx(model.tree_.gain[0])
