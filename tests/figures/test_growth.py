"""A tree step by step: each step adds one split, and the last is the whole tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from figures.text_boxes import off_paper, shapes_of, text_boxes, touching
from treewright.errors import ParameterError
from treewright.figures.growth_figure import growth_order, stage_of
from treewright.pictures.colors import PAPER
from treewright.pictures.shapes import Circle


def fitted(sample, model):
    X, y = tw.load_sample(sample)
    return model.fit(X, y), X, y


def predictions(regions):
    return [(region["x"], region["y"], region["prediction"]) for region in regions]


def test_the_last_step_is_the_partition_of_the_whole_tree():
    model, X, y = fitted("two_moons", tw.CARTClassifier(prune=None))
    for by in ("split", "depth"):
        steps = tw.figures.growth(model, X, y, by=by).data["steps"]
        whole = tw.figures.partition(model, X, y).data["regions"]
        assert predictions(steps[-1]["regions"]) == predictions(whole)


def test_each_split_on_the_plane_adds_one_region():
    model, X, y = fitted("two_moons", tw.CARTClassifier(prune=None))
    n_splits = int((~model.tree_.is_leaf).sum())
    picture = tw.figures.growth(model, X, y, steps=range(n_splits + 1), with_trees=False)
    counts = [len(step["regions"]) for step in picture.data["steps"]]
    assert counts == list(range(1, n_splits + 2))


@settings(max_examples=25)
@given(st.integers(0, 1000))
def test_splits_come_in_an_order_that_has_parents_first(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)).round(1), rng.integers(0, 3, size=60)
    tree = tw.C45Classifier(prune="error_based").fit(X, y).tree_
    order = growth_order(tree)
    inner = np.flatnonzero(~tree.is_leaf)
    assert sorted(order[inner].tolist()) == list(range(len(inner)))
    below = [node for node in inner.tolist() if tree.parent[node] >= 0]
    assert all(order[tree.parent[node]] < order[node] for node in below)
    for number in range(len(inner) + 1):
        stage = stage_of(tree, "split", number, None)
        assert int((~stage.tree.is_leaf).sum()) == number


def test_steps_are_named_by_their_split():
    model, X, y = fitted("iris", tw.CARTClassifier(prune=None))
    titles = [
        step["title"] for step in tw.figures.growth(model, X, y, steps=[0, 1, 8]).data["steps"]
    ]
    assert titles[:2] == ["No split", "Split 1: petal length ≤ 2.45"]
    assert titles[2].startswith("Split 8: sepal length")
    assert titles[2].endswith("(not on this plane)")


def test_depths_are_named_by_their_leaves():
    model, X, y = fitted("two_moons", tw.CARTClassifier(prune=None, max_depth=2))
    steps = tw.figures.growth(model, X, y, by="depth").data["steps"]
    assert [step["title"] for step in steps] == ["Depth 1: 2 leaves", "Depth 2: 4 leaves"]


def test_by_default_the_first_steps_and_the_last_are_shown():
    model, X, y = fitted("iris", tw.CARTClassifier(prune=None))
    steps = tw.figures.growth(model, X, y).data["steps"]
    assert [step["split"] for step in steps] == [0, 1, 2, 8]


@pytest.mark.parametrize("with_trees", [True, False])
def test_texts_never_touch(with_trees):
    for sample, model in (
        ("two_moons", tw.CARTClassifier(prune=None)),
        ("iris", tw.C45Classifier()),
        ("tennis", tw.ID3Classifier()),
        ("weekend", tw.ID3Classifier()),
    ):
        fit, X, y = fitted(sample, model)
        drawing = tw.figures.growth(fit, X, y, with_trees=with_trees, title=sample).drawing
        assert touching(drawing) == []
        assert off_paper(drawing) == []


def test_trees_stand_beside_their_planes_only_if_wanted():
    model, X, y = fitted("two_moons", tw.CARTClassifier(prune=None, max_depth=1))
    for with_trees in (True, False):
        picture = tw.figures.growth(model, X, y, by="depth", with_trees=with_trees)
        assert ("100 rows" in [box.text for box in text_boxes(picture.drawing)]) == with_trees


def test_numbers_grow_too():
    X, _ = tw.load_sample("iris")
    y = X["petal width"].values
    model = tw.CARTRegressor(prune=None, max_leaf_nodes=4).fit(X.drop("petal width"), y)
    picture = tw.figures.growth(model, X.drop("petal width"), y)
    assert len(picture.data["steps"]) == 4


def test_a_model_without_a_split_has_one_step():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None, min_samples_leaf=100).fit(X, y)
    for by in ("split", "depth"):
        assert len(tw.figures.growth(model, X, y, by=by).data["steps"]) == 1


def test_mistakes_are_named():
    model, X, y = fitted("iris", tw.CARTClassifier(prune=None))
    with pytest.raises(ParameterError, match="split, depth"):
        tw.figures.growth(model, X, y, by="splits")
    with pytest.raises(ParameterError, match="from 0 to 8"):
        tw.figures.growth(model, X, y, steps=[9])
    with pytest.raises(ParameterError, match="steps is empty"):
        tw.figures.growth(model, X, y, steps=[])
    for steps in (3, "12", {1, 2}):
        with pytest.raises(ParameterError, match="give a list"):
            tw.figures.growth(model, X, y, steps=steps)


def test_before_the_first_split_no_row_belongs_elsewhere():
    X, y = tw.load_sample("iris")
    model = tw.ID3Classifier().fit(X, y)
    without, whole = (
        {dot.fill for dot in shapes_of(tw.figures.growth(model, X, y, steps=[at]).drawing, Circle)}
        for at in (0, 8)
    )
    assert PAPER not in without
    assert PAPER in whole


@pytest.mark.parametrize("with_trees", [True, False])
def test_steps_that_are_left_out_are_named(with_trees):
    X, y = tw.load_sample("two_moons")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    n_splits = model.tree_.n_leaves - 1

    def svg(**choices):
        return tw.figures.growth(model, X, y, with_trees=with_trees, **choices).to_svg()

    assert f"plits 3 to {n_splits - 1} are not shown" in svg()
    assert "plit 1 is not shown" in svg(steps=[0, 2])
    assert "epths 2 to 3 are not shown" in svg(by="depth", steps=[1, 4])
    assert "not shown" not in svg(steps=[1, 2, 3])
