"""A worksheet with stability: the figures of its nodes, in a sentence and beside the gains."""

import pytest

import treewright as tw


def a_sheet(model, sample: str, n: int = 50) -> tw.Worksheet:
    X, y = tw.load_sample(sample)
    return tw.worksheet(model.fit(X, y), X, y, stability=n)


def test_each_split_has_its_sentence_and_leaves_have_none():
    sheet = a_sheet(tw.ID3Classifier(), "tennis")
    text = sheet.to_text(width=1000)
    for work in sheet.nodes:
        assert (work.stability is None) == (work.chosen is None)
        if work.stability is not None:
            assert work.stability.in_words() in text


def test_the_columns_compared_show_how_often_each_is_chosen():
    sheet = a_sheet(tw.C45Classifier(), "iris")
    text = sheet.to_text(steps="summary", width=1000)
    assert "chosen again" in text
    for name in ("petal width", "petal length"):
        share = f"{100 * sheet.nodes[2].stability.share_of(name):.0f} %"
        assert share in text


def test_the_figures_are_those_of_tw_stability():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None, max_depth=2)
    sheet = a_sheet(model, "iris")
    found = tw.stability(model, X, y, n=50)
    assert [work.stability for work in sheet.nodes if work.stability] == [*found]


def test_a_worksheet_has_no_such_figures_unless_asked_for():
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    assert sheet.nodes[0].stability is None
    assert "resamples" not in sheet.to_text()
    with pytest.raises(tw.ParameterError, match="resamples"):
        a_sheet(tw.ID3Classifier(), "tennis", n=0)
