"""The rows that growth saw are found again, and other rows are refused."""

import numpy as np
import pytest

import treewright as tw


def noisy(n_rows: int = 90):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 3)).round(2)
    y = np.where(X[:, 0] + rng.normal(size=n_rows) > 0, "yes", "no")
    return X, y


MODELS = [
    tw.TreeClassifier(prune="reduced_error"),
    tw.TreeClassifier(prune="reduced_error", prune_options={"fraction": 0.5}, random_state=7),
    tw.TreeClassifier(validation_fraction=0.2),
    tw.TreeClassifier(prune="reduced_error", validation_fraction=0.25, priors=[0.2, 0.8]),
    tw.TreeClassifier(validation_fraction=0.2, class_weight="balanced", costs=[[0, 1], [3, 0]]),
    tw.CARTClassifier(prune="reduced_error"),
    tw.C45Classifier(prune="reduced_error"),
    tw.ID3Classifier(prune="reduced_error"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_worksheet_uses_the_rows_that_growth_saw(model):
    X, y = noisy()
    model.fit(X, y)
    sheet = tw.worksheet(model, X, y)
    assert sheet.nodes[0].group.n_rows == model.tree_.n_rows[0] < 90
    for work in sheet.nodes:
        if work.chosen is not None:
            assert work.chosen.gain == pytest.approx(model.tree_.gain[work.node], abs=1e-12)
    n_held = 90 - model.tree_.n_rows[0]
    assert f"Fitting held out {n_held} of 90 rows" in sheet.to_text()


def test_numbers_are_held_back_in_the_same_way():
    X, _ = noisy()
    y = X[:, 0] ** 2
    model = tw.TreeRegressor(validation_fraction=0.3).fit(X, y)
    assert tw.worksheet(model, X, y).nodes[0].group.mean == pytest.approx(model.tree_.value[0, 0])


def test_rows_that_growth_saw_may_be_given_themselves():
    X, y = noisy(91)
    model = tw.TreeClassifier(validation_fraction=1 / 3, random_state=None).fit(X[:90], y[:90])
    n_seen = int(model.tree_.n_rows[0])
    with pytest.raises(tw.DataError, match="random_state=None these cannot be chosen again"):
        tw.worksheet(model, X[:90], y[:90])
    with pytest.raises(tw.DataError, match="not the rows that the model was fitted to"):
        tw.worksheet(model, X[:n_seen], y[:n_seen]).to_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda X, y: (X[:-1], y[:-1]), r"at node 0 \(root\) the tree counted 90 rows, but 89"),
        (lambda X, y: (X, np.where(y == "no", "yes", "no")), "of class `no`, but"),
        (lambda X, y: (X, y, np.full(90, 2.0)), "the tree counted a weight of 90, but 180"),
        (lambda X, y: (X[::-1], y), "at node 1"),
    ],
)
def test_other_rows_are_refused_by_node_and_difference(change, said):
    X, y = noisy()
    model = tw.TreeClassifier(max_depth=3).fit(X, y)
    with pytest.raises(tw.DataError, match=said) as caught:
        tw.worksheet(model, *change(X, y)).to_text()
    assert "sample_weight of fit" in caught.value.hint


def test_other_numbers_are_refused():
    X, _ = noisy()
    numbers = X[:, 0]
    model = tw.TreeRegressor(max_depth=2).fit(X, numbers)
    with pytest.raises(tw.DataError, match="the tree predicts"):
        tw.worksheet(model, X, numbers + 1)


def test_a_tree_written_by_hand_counts_any_rows():
    X, y = tw.load_sample("tennis")
    model = tw.tree_from("outlook = Overcast: Yes\noutlook = Sunny: No\noutlook = Rain: Yes")
    assert tw.worksheet(model, X[["outlook"]], y).nodes[0].group.n_rows == 14
