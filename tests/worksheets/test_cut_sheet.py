"""The worksheet of a discretizer: every cut tried, with its gain, its cost and the decision."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.mdl import gains_of_cuts, mdl_cuts, tried_cuts
from treewright.errors import DataError, ParameterError
from treewright.measures import entropy

rows = st.lists(
    st.tuples(st.integers(0, 12).map(float), st.integers(0, 2), st.integers(1, 3)),
    min_size=2,
    max_size=40,
)


@given(found=rows)
def test_each_cut_has_the_gain_and_the_cost_of_the_paper(found):
    values, classes, weights = map(np.array, zip(*found, strict=True))
    for tried in tried_cuts(values, classes, weights):
        n = tried.whole.sum()
        sides = (tried.left, tried.right)
        np.testing.assert_allclose(sum(sides), tried.whole)
        gain = entropy(tried.whole) - sum(s.sum() / n * entropy(s) for s in sides)
        k, k1, k2 = (np.count_nonzero(part) for part in (tried.whole, *sides))
        delta = np.log2(3**k - 2) - k * entropy(tried.whole)
        delta += k1 * entropy(tried.left) + k2 * entropy(tried.right)
        assert tried.gain == pytest.approx(gain, abs=1e-9)
        assert tried.cost == pytest.approx((np.log2(max(n - 1, 1)) + delta) / n, abs=1e-9)
        cuts, gains = gains_of_cuts(values, classes, weights, tried)
        assert len(cuts) == tried.n_places
        assert gains.max() == pytest.approx(gain, abs=1e-9)
        assert gains[np.flatnonzero(cuts == tried.cut)[0]] == pytest.approx(gain, abs=1e-9)


@given(found=rows)
def test_cuts_that_are_kept_are_those_of_the_discretizer(found):
    values, classes, weights = map(np.array, zip(*found, strict=True))
    tried = tried_cuts(values, classes, weights)
    kept = sorted(one.cut for one in tried if one.is_kept)
    assert kept == mdl_cuts(values, classes, weights).tolist()
    assert len(tried) <= 2 * len(kept) + 1


def test_the_cuts_of_iris_are_worked_out():
    X, y = tw.load_sample("iris")
    sheet = tw.worksheet(tw.Discretizer().fit(X, y), X, y)
    text = sheet.to_text()
    assert "gain = 1.5850 - 59/150 × 0.8128 - 91/150 × 1.1671 = 0.5572" in text
    assert "cost = (log2(149) + 5.8286)/150 = 0.0870" in text
    assert "0.5572 > 0.0870: the cut at 5.55 is kept." in text
    assert "0.1379 <= 0.1990: the cut at 5.45 is not made." in text
    assert "(0.8, 1.75]    54       0          49          5" in text
    few = sheet.to_text(max_steps=1, decimals=2)
    assert few.count("gain = 1.58") == 1
    assert "more cuts were tried" in few
    for page in (sheet.to_markdown(), sheet.to_html(), sheet.to_latex()):
        assert "0.5572" in page


@pytest.mark.parametrize("strategy", ["equal_width", "equal_frequency", "kmeans", "given"])
def test_other_ways_show_their_intervals(strategy):
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 9.0, None], "day": pd.date_range("2020", periods=5)})
    cuts = {"age": [4.0], "day": [18264e9 * 86400]} if strategy == "given" else None
    cutter = tw.Discretizer(strategy=strategy, n_bins=2, cut_points=cuts).fit(X)
    text = str(tw.worksheet(cutter, X))
    assert "4 values from 1 to 9, 4 different, 1 missing: 1 cut." in text
    assert "interval" in text
    assert "2020-01-0" in text
    with_classes = str(tw.worksheet(cutter, X, list("aabba")))
    assert "a  b" in with_classes


def test_what_a_sheet_needs_is_asked_for():
    X, y = tw.load_sample("iris")
    cutter = tw.Discretizer().fit(X, y)
    with pytest.raises(ParameterError, match="rows and classes"):
        tw.worksheet(cutter, X)
    with pytest.raises(ParameterError, match="needs the training rows"):
        tw.worksheet(cutter)
    with pytest.raises(DataError, match="not the training rows"):
        tw.worksheet(cutter, X[:90], y[:90])
    with pytest.raises(ParameterError, match="max_steps=0"):
        tw.worksheet(cutter, X, y).to_text(max_steps=0)
    with pytest.raises(ParameterError, match="measures is for single trees"):
        tw.worksheet(cutter, X, y, measures="gini_gain")
    with pytest.raises(ParameterError, match="IsolationForest has no worksheet"):
        tw.worksheet(tw.IsolationForest().fit(X), X)


def test_tables_without_numbers_or_with_one_class_have_nothing_to_cut():
    words = {"color": ["red", "blue"]}
    sheet = tw.worksheet(tw.Discretizer().fit(words, ["a", "b"]), words, ["a", "b"])
    assert "no numeric column" in str(sheet)
    one = {"x": [1.0, 2.0]}
    assert "nothing to cut" in str(tw.worksheet(tw.Discretizer().fit(one, [0, 0]), one, [0, 0]))
