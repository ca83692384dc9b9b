"""A worksheet with stability: the figures of its nodes, in a sentence and beside the gains."""

import treewright as tw
from treewright.models.stability import bootstrap_of
from treewright.models.worksheets import training_of
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.sheet import Worksheet


def a_sheet(model, sample: str) -> Worksheet:
    X, y = tw.load_sample(sample)
    model.fit(X, y)
    training = training_of(model, X, y, None)
    calculation = Calculation(model.tree_, training, model.pruning_)
    bootstrap = bootstrap_of(model, training, calculation.rows, 50, 0)
    return Worksheet(calculation, type(model).__name__, bootstrap=bootstrap)


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
    assert "chosen in" in text
    for name in ("petal width", "petal length"):
        share = f"{100 * sheet.nodes[2].stability.share_of(name):.0f} %"
        assert share in text


def test_the_figures_are_those_of_tw_stability():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(max_depth=2)
    sheet = a_sheet(model, "iris")
    found = tw.stability(model, X, y, n=50)
    assert [work.stability for work in sheet.nodes if work.stability] == [*found]
