"""The curves are those of the measures, and the gap of a split is its gain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from figures.text_boxes import off_paper, text_boxes, touching
from treewright.errors import ParameterError

counts = st.integers(0, 50)
groups = st.tuples(counts, counts).filter(any)


def words(picture):
    return " ".join(box.text for box in text_boxes(picture.drawing))


def test_the_curves_are_those_of_the_measures():
    data = tw.figures.impurity_curves().data
    for share, entropy, gini, error in zip(
        data["share"], data["entropy"], data["Gini"], data["error"], strict=True
    ):
        assert entropy == pytest.approx(tw.measures.entropy([share, 1 - share]))
        assert gini == pytest.approx(2 * share * (1 - share))
        assert error == pytest.approx(min(share, 1 - share))


def test_all_curves_are_highest_in_the_middle_and_zero_at_the_ends():
    data = tw.figures.impurity_curves().data
    for name, top in (("entropy", 1.0), ("Gini", 0.5), ("error", 0.5)):
        heights = data[name]
        assert heights[0] == heights[-1] == 0
        assert max(heights) == heights[100] == pytest.approx(top)
        assert heights == pytest.approx(heights[::-1])


def test_half_the_entropy_is_as_high_as_the_others():
    data = tw.figures.impurity_curves(scaled=True).data
    assert max(data["entropy"]) == max(data["Gini"]) == max(data["error"]) == 0.5


def test_the_lecture_numbers_of_play_golf():
    picture = tw.figures.impurity_curves([9, 5])
    assert picture.data["at"]["entropy"] == pytest.approx(0.9402859587)
    assert picture.data["at"]["Gini"] == pytest.approx(0.4591836735)
    assert "entropy 0.9403" in words(picture)


@given(st.lists(groups, min_size=1, max_size=5))
def test_gaps_are_the_gains_of_the_measures(branches):
    gain = tw.figures.impurity_curves(branches=branches).data["gain"]
    assert gain["entropy"] == pytest.approx(tw.measures.information_gain(branches), abs=1e-12)
    assert gain["Gini"] == pytest.approx(tw.measures.gini_gain(branches), abs=1e-12)
    table = np.array(branches)
    wrong_before = table.sum() - table.sum(axis=0).max()
    wrong_after = (table.sum(axis=1) - table.max(axis=1)).sum()
    assert gain["error"] == pytest.approx((wrong_before - wrong_after) / table.sum(), abs=1e-12)


@settings(max_examples=25)
@given(groups)
def test_texts_never_touch(group):
    for picture in (
        tw.figures.impurity_curves(group, title="a group"),
        tw.figures.impurity_curves(branches=[group, (3, 4)], scaled=True),
    ):
        assert touching(picture.drawing) == []
        assert off_paper(picture.drawing) == []


def test_mistakes_are_named():
    with pytest.raises(ParameterError, match="2 classes"):
        tw.figures.impurity_curves([1, 2, 3])
    with pytest.raises(ParameterError, match="both given"):
        tw.figures.impurity_curves([9, 5], branches=[[3, 4], [6, 1]])
    with pytest.raises(ParameterError, match="no rows"):
        tw.figures.impurity_curves(branches=[[3, 4], [0, 0]])
