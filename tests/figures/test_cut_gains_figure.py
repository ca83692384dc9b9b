"""The gain of every cut: as the measures say, and as the tree chose."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from figures.text_boxes import off_paper, touching
from treewright import measures
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.figures.cut_gains_figure import cut_gains

GAIN_OF = {"gini": measures.gini_gain, "information_gain": measures.information_gain}
values = st.integers(0, 8).map(float)
rows = st.lists(st.tuples(values, values, st.sampled_from("abc")), min_size=4, max_size=40).filter(
    lambda rows: len({x for x, _, _ in rows}) > 1 and len({label for *_, label in rows}) > 1
)


def split_table(x, y, cut):
    """Rows on both sides of a cut, by class."""
    labels = sorted(set(y.tolist()))
    return [
        [np.sum(((x <= cut) == side) & (y == label)) for label in labels] for side in (True, False)
    ]


def assert_readable(picture):
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []


@settings(max_examples=40)
@given(rows, st.sampled_from([*GAIN_OF]))
def test_gains_are_those_of_the_measure(drawn, criterion):
    X = np.array([row[:2] for row in drawn])
    y = np.array([row[2] for row in drawn])
    model = tw.TreeClassifier(criterion=criterion).fit(X, y)
    data = cut_gains(model, X, y, "x0").data
    distinct = np.unique(X[:, 0])
    assert data["cuts"] == pytest.approx((distinct[1:] + distinct[:-1]) / 2)
    expected = [GAIN_OF[criterion](split_table(X[:, 0], y, cut)) for cut in data["cuts"]]
    assert data["gains"] == pytest.approx(expected, abs=1e-12)
    assert data["gains"][data["best"]] == pytest.approx(max(expected), abs=1e-12)


MODELS = {
    "cart": tw.CARTClassifier(prune=None, min_samples_leaf=3),
    "c45": tw.C45Classifier(),
    "learned": tw.TreeClassifier(missing="learned"),
    "branch": tw.TreeClassifier(missing="branch"),
}


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_the_best_cut_is_the_one_that_the_tree_makes(name, has_missing):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 3)).round(1)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0, "yes", "no")
    if has_missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    weights = rng.integers(1, 4, size=120).astype(float)
    model = MODELS[name].fit(X, y, sample_weight=weights)
    tree = model.tree_
    by_threshold = [node for node in range(tree.n_nodes) if tree.feature[node] >= 0]
    assert by_threshold
    for node in by_threshold[:6]:
        picture = cut_gains(model, X, y, node=node, sample_weight=weights)
        assert picture.data["threshold"] == pytest.approx(tree.threshold[node])
        if name != "c45":  # whose gains pay for the choice among thresholds
            best = picture.data["gains"][picture.data["best"]]
            assert best == pytest.approx(tree.gain[node], abs=1e-9)
        assert_readable(picture)


def test_numbers_to_be_predicted_lie_above_the_column():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = np.sin(X[:, 0])
    model = tw.CARTRegressor(prune=None, max_depth=2).fit(X, y)
    picture = cut_gains(model, X, y)
    best = picture.data["best"]
    assert picture.data["gains"][best] == pytest.approx(model.tree_.gain[0])
    assert len(picture.data["cuts"]) == 2999
    assert len(picture.to_svg()) < 300_000
    assert_readable(picture)


def test_cuts_with_too_few_rows_are_told_apart():
    X = np.arange(20.0).reshape(-1, 1)
    y = np.where(X[:, 0] < 1, "a", "b")
    model = tw.CARTClassifier(prune=None, min_samples_leaf=4).fit(X, y)
    picture = cut_gains(model, X, y, "x0")
    assert picture.data["allowed"].tolist() == [3 <= at < 16 for at in range(19)]
    assert picture.data["gains"].argmax() == 0 < picture.data["best"]
    assert "too few rows on one side" in picture.to_svg()


def test_an_ordered_column_is_cut_between_its_levels():
    X, y = tw.load_sample("tennis")
    X = X.with_order("temperature", ["Cool", "Mild", "Hot"])
    picture = cut_gains(tw.CARTClassifier(prune=None).fit(X, y), X, y, "temperature")
    assert picture.data["cuts"].tolist() == [0.5, 1.5]
    assert "Cool" in picture.to_svg()
    assert_readable(picture)


def test_dates_stand_on_the_axis():
    days = np.arange("2020-01-01", "2020-07-01", 7, dtype="datetime64[D]")
    y = np.where(days < np.datetime64("2020-03-15"), "winter", "summer")
    X = tw.table_from({"day": days})
    picture = cut_gains(tw.CARTClassifier(prune=None).fit(X, y), X, y)
    assert "2020-0" in picture.to_svg()
    assert_readable(picture)


def test_a_node_that_another_column_splits_says_so():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    other = "sepal width"
    assert model.tree_.schema.names[model.tree_.feature[0]] != other
    assert "The tree splits this node by" in cut_gains(model, X, y, other).to_svg()
    leaf = int(np.flatnonzero(model.tree_.is_leaf)[0])
    assert "does not split" in cut_gains(model, X, y, other, node=leaf).to_svg()


@pytest.mark.parametrize("name", ["<script>x</script>", "שלום 🦊 " * 20, '"', "a" * 300])
def test_names_stay_text_and_find_room(name):
    X = tw.table_from({name: [1.0, 2.0, 3.0, 4.0]})
    y = ["n", "n", f"y{name}", f"y{name}"]
    picture = cut_gains(tw.CARTClassifier(prune=None).fit(X, y), X, y, name)
    ElementTree.fromstring(picture.to_svg())
    assert "<script" not in picture.to_svg()
    assert_readable(picture)


def test_infinite_values_have_a_place_at_the_end():
    X = np.array([[-np.inf], [1.0], [2.0], [np.inf], [3.0]])
    y = ["a", "a", "b", "b", "b"]
    picture = cut_gains(tw.CARTClassifier(prune=None).fit(X, y), X, y, "x0")
    assert len(picture.data["cuts"]) == 4
    assert "nan" not in picture.to_svg()
    assert "inf" not in picture.to_svg()


def test_what_cannot_be_cut_is_refused():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    with pytest.raises(ParameterError, match="split by its categories"):
        cut_gains(model, X, y, "outlook")
    iris = tw.load_sample("iris")
    with pytest.raises(ParameterError, match="cut into intervals before the tree grew"):
        cut_gains(tw.ID3Classifier().fit(*iris), *iris, "petal length")
    with pytest.raises(ParameterError, match="node 0 is not cut by a threshold"):
        cut_gains(model, X, y)
    with pytest.raises(UnknownColumnError, match="did you mean `outlook`"):
        cut_gains(model, X, y, "outlok")
    with pytest.raises(ParameterError, match="there is no node 99"):
        cut_gains(model, X, y, "outlook", node=99)
    with pytest.raises(ParameterError, match="a dict has no cuts"):
        cut_gains({}, X, y)
    one = [[1.0], [1.0]]
    with pytest.raises(DataError, match="has 1 value at this node"):
        cut_gains(tw.CARTClassifier(prune=None).fit(one, [0, 1]), one, [0, 1], "x0")
