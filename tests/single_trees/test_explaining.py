"""`model.explain`: every estimator, every form of a row, and the errors of those who ask."""

import json

import numpy as np
import pytest

import treewright as tw
from machine import imported
from treewright.errors import DataError, ParameterError
from treewright.explanations.path import Request
from treewright.single_trees.explaining import explain


def tennis(model=None):
    X, y = tw.load_sample("tennis")
    return (model or tw.ID3Classifier()).fit(X, y), X, y


def test_a_row_may_be_a_dict_a_list_or_a_table():
    model, X, _ = tennis()
    values = ["Sunny", "Hot", "High", "Weak"]
    rows = [dict(zip(X.names, values, strict=True)), X[0:1]]
    texts = {str(model.explain(row)) for row in rows}
    assert len(texts) == 1
    assert "outlook = Sunny and humidity = High" in texts.pop()


def test_several_rows_or_none_are_an_error():
    model, X, _ = tennis()
    with pytest.raises(DataError, match="one row"):
        model.explain(X)
    with pytest.raises(DataError, match="one row"):
        model.explain(X[0:0])
    with pytest.raises(DataError, match="without y"):
        model.explain(X[0:1], X)
    with pytest.raises(DataError, match="y was given without X"):
        model.explain(X[0:1], y=["No"])
    with pytest.raises(DataError, match="rows"):
        model.explain(X[0:1], X, ["No"])


def test_a_column_that_a_dict_leaves_out_is_missing():
    model, _, _ = tennis()
    found = model.explain({"outlook": "Sunny", "temperature": "Hot", "wind": "Weak"})
    (gap,) = found.gaps
    assert (gap.column, gap.why) == ("humidity", "missing")
    assert "the node itself predicted" in gap.effect
    assert gap.if_known == ("No", "Yes")


@pytest.mark.parametrize(
    "model",
    [
        tw.ID3Classifier(),
        tw.C45Classifier(),
        tw.C45Classifier(laplace=True),
        tw.CARTClassifier(prune=None),
        tw.TreeClassifier(missing="surrogate"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_classifier_explains_what_it_predicts(model):
    X, y = tw.load_sample("iris")
    model.fit(X, y)
    for at in (0, 60, 70, 106, 130):
        found = model.explain(X[at : at + 1], X, y)
        assert found.prediction == model.predict(X[at : at + 1])[0]
        expected = model.predict_proba(X[at : at + 1])[0]
        np.testing.assert_array_equal(list(found.probabilities.values()), expected)
        assert found.neighbors[0].distance == 0
        counts = found.path[0].counts
        assert counts == {"setosa": 50, "versicolor": 50, "virginica": 50}
        changed = dict(found.row)
        changed.update({one.column: one.new for one in found.change.columns})
        assert model.predict([changed])[0] == found.change.prediction != found.prediction


def test_a_surrogate_that_decides_is_named():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None, max_surrogates=2).fit(X, y)
    asked = model.tree_.node(0).column.name
    row = {name: column.value(0) for name, column in zip(X.names, X.columns, strict=True)}
    found = model.explain(row | {asked: None})
    assert found.gaps[0].column == asked
    assert "a surrogate that agrees on" in found.gaps[0].effect


@pytest.mark.parametrize(
    ("unseen", "effect"), [("missing", "itself predicted"), ("majority", "the most training rows")]
)
@pytest.mark.filterwarnings("ignore:categories not seen")
def test_an_unseen_level_is_told_from_a_missing_value(unseen, effect):
    model, X, _ = tennis(tw.ID3Classifier(handle_unknown=unseen))
    found = model.explain(dict(zip(X.names, ["Hail", "Hot", "High", "Weak"], strict=True)))
    assert found.gaps[0].why == "unseen"
    assert effect in found.gaps[0].effect
    assert found.row["outlook"] == "Hail"


def test_pages_escape_every_name():
    name = "<script>alert('x')</script>"
    model = tw.CARTClassifier(prune=None).fit([{name: 0.0}, {name: 1.0}], ["<b>", "&"])
    found = model.explain({name: 0.0}, [{name: 0.0}, {name: 1.0}], ["<b>", "&"])
    assert "<script" not in found.to_html()
    assert "<b>" not in found.to_html()
    assert "&lt;script&gt;" in found.to_html()
    assert found.to_markdown().startswith("# Why")
    assert "<html" not in found._repr_html_()


def test_numbers_come_with_intervals_of_their_means():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] > 0, 5.0, 1.0) + 0.1 * X[:, 1]
    model = tw.CARTRegressor(prune=None, max_depth=3).fit(X, y)
    found = model.explain(X[0])
    assert found.prediction == model.predict(X[:1])[0]
    low, high = found.path[-1].interval
    assert low < found.prediction < high
    assert len(found.reason.columns) == 1
    assert abs(found.change.prediction - found.prediction) > found.tolerance
    json.loads(found.to_json())


def test_a_tree_is_explained_as_it_stands():
    model, X, _ = tennis()
    found = explain(model.tree_, X[0:1], Request(immutable="humidity"))
    assert [one.column for one in found.change.columns] == ["outlook"]


def test_dates_change_by_whole_days():
    days = np.array(["2024-01-01", "2024-01-10", "2024-02-01", "2024-03-01"], dtype="datetime64[D]")
    model = tw.CARTClassifier(prune=None).fit({"day": days}, ["early", "early", "late", "late"])
    later = model.explain({"day": days[:1]}).change
    earlier = model.explain({"day": days[3]}).change
    assert str(later) == "day from 2024-01-01 to above 2024-01-21"
    assert str(earlier) == "day from 2024-03-01 to 2024-01-21 or less"
    assert model.predict({"day": np.array([later.columns[0].new])})[0] == "late"
    assert model.predict({"day": np.array([earlier.columns[0].new])})[0] == "early"


def test_a_row_of_a_data_frame_is_a_row():
    pandas = imported("pandas")
    X, y = tw.load_sample("iris")
    columns = zip(X.names, X.columns, strict=True)
    frame = pandas.DataFrame({name: [*column.values] for name, column in columns})
    model = tw.CARTClassifier(prune=None).fit(frame, y)
    assert str(model.explain(frame.iloc[60])) == str(model.explain(frame.iloc[60:61]))
    unnamed = tw.CARTClassifier(prune=None).fit(frame.to_numpy(), y)
    assert unnamed.explain(frame.iloc[60]).prediction == model.explain(frame.iloc[60]).prediction


def test_a_misspelled_column_gets_a_hint():
    model, _, _ = tennis()
    with pytest.raises(DataError, match="did you mean `outlook`"):
        model.explain({"outlok": "Sunny"})


def test_a_negative_number_of_neighbors_is_an_error():
    model, X, y = tennis()
    assert model.explain(X[0:1], X, y, n_neighbors=0).neighbors == ()
    with pytest.raises(ParameterError, match="n_neighbors=-1"):
        model.explain(X[0:1], X, y, n_neighbors=-1)


@pytest.mark.parametrize(
    ("argument", "hint"),
    [
        ({"directions": ["outlook"]}, "a mapping such as"),
        ({"directions": "up"}, "a mapping such as"),
        ({"immutable": 5}, "the name of a column"),
        ({"n_neighbors": "3"}, "an integer of at least 0"),
        ({"n_neighbors": 1.5}, "an integer of at least 0"),
        ({"tolerance": "wide"}, "a number of at least 0"),
        ({"tolerance": -1}, "a number of at least 0"),
        ({"wanted": np.array(["Yes", "No"])}, "a class"),
    ],
    ids=str,
)
def test_an_argument_of_another_kind_is_an_error_that_says_what_to_write(argument, hint):
    model, X, _ = tennis()
    (name,) = argument
    with pytest.raises(ParameterError, match=f"{name}=.* is not allowed") as caught:
        model.explain(X[0:1], **argument)
    assert hint in str(caught.value)


def test_a_tolerance_is_for_numbers_only():
    model, X, _ = tennis()
    with pytest.raises(ParameterError, match="tolerance=1 is for numeric predictions"):
        model.explain(X[0:1], tolerance=1)


def test_a_misspelled_class_gets_a_hint():
    model, X, _ = tennis()
    with pytest.raises(ParameterError, match="did you mean 'Yes'"):
        model.explain(X[0:1], wanted="yess")


def test_a_rule_set_names_the_rule_that_predicts():
    X, y = tw.load_sample("tennis")
    row = {"outlook": "Overcast"}
    assert str(tw.C45Rules().fit(X, y).rules_.explain(row)).startswith("Yes, because")
    assert str(tw.rules(tw.ID3Classifier().fit(X, y)).explain(row)).startswith("Yes, because")
