"""The training rows at each split: every row once, on the side to which it goes."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import TreewrightError
from treewright.tree.layout import THRESHOLD
from treewright.verbs.draw import split_distributions


def loans():
    table, y = tw.load_sample("loans")
    return table.drop("loan"), y


def iris():
    return tw.load_sample("iris")


MODELS = {
    "numbers": (lambda: tw.CARTClassifier(prune=None), iris),
    "missing values": (lambda: tw.C45Classifier(), loans),
    "sets of categories": (lambda: tw.CARTClassifier(max_depth=5), loans),
}


@pytest.mark.parametrize("name", MODELS)
def test_bars_hold_the_rows_of_their_side(name):
    make, rows = MODELS[name]
    X, y = rows()
    model = make().fit(X, y)
    tree, found = model.tree_, split_distributions(model, X, y, None)
    n_splits = 0
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        split = found.of(node)
        n_splits += 1
        assert split.bars.shape[1] == tree.n_values
        total = split.bars.sum()
        assert total <= tree.weight[node] * (1 + 1e-9)
        first = int(tree.first_child[node])
        if tree.kind[node] == THRESHOLD and total == pytest.approx(tree.weight[node]):
            place = split.cuts[0] * len(split.bars)
            assert place == pytest.approx(round(place))  # no bar is on both sides
            below = split.bars[: round(place)].sum(axis=0)
            assert below == pytest.approx(tree.value[first])
    assert n_splits > 1
    assert all(found.of(leaf) is None for leaf in np.flatnonzero(tree.is_leaf).tolist())


def test_points_of_numbers_lie_on_their_side_and_are_always_the_same():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=500), "b": rng.choice(list("pqr"), size=500)})
    y = X["a"] ** 2 + (X["b"] == "p")
    model = tw.CARTRegressor(max_leaf_nodes=6, prune=None).fit(X, y)
    found = split_distributions(model, X, y, None)
    again = split_distributions(model, X, y, None)
    for node in np.flatnonzero(~model.tree_.is_leaf).tolist():
        points = found.of(node).points
        assert 0 < len(points) <= 70
        assert ((points >= 0) & (points <= 1)).all()
        assert np.array_equal(points, again.of(node).points)
    assert tw.draw(model, X, y).to_svg().count("<circle") > 100


def test_a_picture_with_rows_is_refused_for_other_rows():
    X, y = iris()
    model = tw.CARTClassifier().fit(X, y)
    with pytest.raises(TreewrightError):
        tw.draw(model, X[:100], y[:100])
    with pytest.raises(TreewrightError, match="both"):
        tw.draw(model, X)


def test_columns_of_0_and_1_read_as_no_and_yes_and_counts_do_not(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"male": rng.integers(0, 2, 200), "kids": rng.integers(0, 4, 200)})
    y = pd.Series((X["male"] + (X["kids"] > 0) > 1).astype(int), name="left")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    model.save(tmp_path / "model.json")
    for drawn in (model, tw.load(tmp_path / "model.json")):
        svg = tw.draw(drawn).to_svg()
        assert ">yes</text>" in svg
        assert ">&gt; 0.5</text>" in svg  # kids
        assert ">left = 1</text>" in svg
        assert "male = yes" in svg  # in the tooltip


def test_parts_of_rows_are_rounded_and_exact_on_hover():
    X, y = loans()
    svg = tw.draw(tw.C45Classifier().fit(X, y)).to_svg()
    assert ">weight" not in svg
    assert "rows: rows with missing values count fractionally" in svg
    weighted = tw.C45Classifier().fit(X, y, sample_weight=np.linspace(0.5, 2.1, len(y)))
    assert "weight " in tw.draw(weighted).to_svg()
