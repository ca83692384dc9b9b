"""What a worksheet says about the choice, in sentences that are true of this node."""

import numpy as np

import treewright as tw


def test_rows_without_a_stand_in_go_with_the_heavier_side_and_are_said_to():
    rng = np.random.default_rng(0)
    alone = rng.normal(size=(60, 1))
    y = np.where(alone[:, 0] > 0.3, "high", "low")
    alone[::7] = np.nan
    model = tw.CARTClassifier(prune=None, max_depth=1).fit(alone, y)
    assert model.tree_.node(0).surrogates == ()
    text = tw.worksheet(model, alone, y).to_text(steps=[0])
    assert "follow the surrogates" not in text
    assert "go with the heavier side, x0 <= " in text

    copied = np.column_stack([alone, np.nan_to_num(alone, nan=1.0)])
    with_copy = tw.CARTClassifier(prune=None, max_depth=1).fit(copied, y)
    if with_copy.tree_.node(0).surrogates and np.isnan(copied[:, with_copy.tree_.feature[0]]).any():
        assert "follow the surrogates" in tw.worksheet(with_copy, copied, y).to_text(steps=[0])


def test_gains_before_the_price_of_a_threshold_are_called_so():
    X, y = tw.load_sample("iris")
    by_c45 = tw.worksheet(tw.C45Classifier().fit(X, y), X, y).to_text(steps=[0])
    assert "gain before the penalty" in by_c45
    assert "leave enough rows on both sides" in by_c45
    by_cart = tw.worksheet(tw.CARTClassifier(prune=None).fit(X, y), X, y).to_text(steps=[0])
    assert "price" not in by_cart


def test_missing_values_of_optimal_trees_serve_the_whole_tree():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan]])
    y = [0, 0, 1, 1, 1]
    text = tw.worksheet(tw.OptimalTreeClassifier(max_depth=1).fit(X, y), X, y).to_text(width=300)
    assert "go to the side that leaves the whole tree fewest errors" in text
    assert "gain is larger" not in text
