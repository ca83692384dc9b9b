"""ID3: nominal columns, one branch per level, numbers cut in advance."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def test_numeric_columns_are_cut_in_advance_and_the_text_says_so():
    X, y = tw.load_sample("iris")
    model = tw.ID3Classifier(max_depth=1).fit(X, y)
    assert model.cut_points_["petal width"] == (0.8, 1.75)
    assert model.export_text().splitlines()[3:5] == [
        "# petal width was cut in advance (MDL): (-inf, 0.8], (0.8, 1.75], (1.75, inf)",
        "petal width = (-inf, 0.8]: setosa (50)",
    ]
    assert len(model.notes_) == 4


def test_notes_on_very_many_columns_are_summed_up():
    X = np.random.default_rng(0).random((20, 300))
    notes = tw.ID3Classifier(max_depth=1).fit(X, X[:, 0] > 0.5).notes_
    assert len(notes) == 51
    assert notes[-1] == "250 more columns were cut in advance (MDL)"


def test_new_rows_are_cut_at_the_same_places():
    X = [[1.0], [2.0], [3.0], [4.0], [11.0], [12.0], [13.0], [14.0]]
    model = tw.ID3Classifier().fit(X, ["low"] * 4 + ["high"] * 4)
    assert model.cut_points_ == {"x0": (7.5,)}
    at_the_cut = model.predict([[7.5], [np.nextafter(7.5, 8)], [-np.inf], [np.inf]])
    assert at_the_cut.tolist() == ["low", "high", "low", "high"]


def test_the_tree_asks_about_intervals_and_the_model_about_numbers():
    X, y = tw.load_sample("iris")
    model = tw.ID3Classifier().fit(X, y)
    assert {column.kind for column in model.tree_.schema.columns} == {"nominal"}
    assert {column.kind for column in model.schema_.columns} == {"numeric"}


def test_without_discretising_a_numeric_column_is_an_error_that_names_it():
    with pytest.raises(tw.DataError, match=r"column `age` is numeric(.*\n)*.*discretize"):
        tw.ID3Classifier(discretize=None).fit({"age": [1.0, 2.0]}, [0, 1])
    tw.ID3Classifier(discretize=None).fit(*tw.load_sample("tennis"))


@pytest.mark.parametrize("method", ["equal_width", "equal_frequency", "kmeans"])
def test_other_ways_of_cutting_make_at_most_n_bins(method):
    X, y = tw.load_sample("iris")
    model = tw.ID3Classifier(discretize=method, n_bins=3).fit(X, y)
    assert max(len(cuts) for cuts in model.cut_points_.values()) == 2
    assert model.score(X, y) > 0.9


def test_a_column_is_asked_once_on_a_path():
    X, y = tw.load_sample("iris")
    tree = tw.ID3Classifier().fit(X, y).tree_
    for node in np.flatnonzero(tree.is_leaf):
        asked = [int(tree.feature[above]) for above in tree.path_to(node)[:-1]]
        assert len(asked) == len(set(asked))


def test_ordered_levels_are_branches_here():
    size = pd.Categorical(["S", "M", "L"] * 4, ["S", "M", "L"], ordered=True)
    model = tw.ID3Classifier().fit(pd.DataFrame({"size": size}), [0, 1, 0] * 4)
    assert model.get_n_leaves() == 3
    assert model.predict(pd.DataFrame({"size": ["M"]})) == [1]


def test_a_missing_value_is_answered_by_the_node():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    missing = {"outlook": [None], "temperature": ["Hot"], "humidity": ["High"], "wind": ["Weak"]}
    np.testing.assert_allclose(model.predict_proba(missing), [[5 / 14, 9 / 14]])


def test_a_fixed_order_of_columns_replaces_the_gain():
    X, y = tw.load_sample("tennis")
    by_name = tw.ID3Classifier(column_order=["wind", "outlook"]).fit(X, y)
    by_position = tw.ID3Classifier(column_order=[3, 0]).fit(X, y)
    assert by_name.export_text().startswith("wind = Weak")
    assert by_name.tree_.same_as(by_position.tree_)


@pytest.mark.parametrize(
    ("order", "words"),
    [(["wnd"], "did you mean `wind`"), ([7], "7, the table has 4 columns"), ([1.5], "1.5")],
)
def test_columns_to_ask_must_exist(order, words):
    X, y = tw.load_sample("tennis")
    with pytest.raises(ValueError, match=words):
        tw.ID3Classifier(column_order=order).fit(X, y)


def test_names_given_on_one_side_only_still_find_their_cuts():
    X, y = np.arange(8.0).reshape(-1, 1), [0] * 4 + [1] * 4
    model = tw.ID3Classifier().fit(pd.DataFrame(X, columns=["age"]), y)
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(model.predict(X), y)
