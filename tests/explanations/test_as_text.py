"""What an explanation says, word for word where words matter."""

import numpy as np
import pytest

import treewright as tw
from treewright.data.schema import ColumnSpec
from treewright.explanations import reason
from treewright.explanations.boxes import only_levels
from treewright.explanations.conditions import condition_on
from treewright.explanations.explanation import MOST_NODES


def many_levels():
    rng = np.random.default_rng(0)
    levels = [f"v{k}" for k in range(30)]
    rows = [{"kind": levels[k % 30], "size": float(rng.integers(9))} for k in range(300)]
    y = ["yes" if int(row["kind"][1:]) < 18 and row["size"] > 3 else "no" for row in rows]
    return rows, y


def test_classes_that_are_numbers_are_told_from_their_counts():
    model = tw.CARTClassifier(prune=None).fit([[0.0], [0.0], [1.0]], [7, 7, 8])
    assert "3 rows (7: 2, 8: 1), 66.7 %" in str(model.explain([0.0]))


def test_many_levels_are_cut_short_in_words_and_whole_for_programs():
    rows, y = many_levels()
    found = tw.CARTClassifier(prune=None).fit(rows, y).explain({"kind": "v20", "size": 5.0})
    assert "and 10 more}" in str(found) or "and 4 more}" in str(found)
    assert max(len(line) for line in str(found).splitlines()) < 160
    (condition,) = found.reason.conditions
    assert condition.levels == tuple(f"v{k}" for k in range(18, 30))


def test_a_value_that_the_condition_does_not_tell_stands_beside_it():
    rows, y = many_levels()
    text = str(tw.CARTClassifier(prune=None).fit(rows, y).explain({"kind": "v3", "size": 5.0}))
    assert "(here v3)" in text
    assert "size > 3.5 (here 5)" in text


def test_a_divided_row_shows_its_branches_and_their_shares():
    X, y = tw.load_sample("tennis")
    text = str(tw.C45Classifier().fit(X, y).explain({"outlook": "Rain"}))
    assert "\n    outlook = Rain: 5 rows" in text
    assert "\n      wind = Weak, 60 % of the row: 3 rows" in text


def test_a_row_that_comes_to_very_many_nodes_shows_those_of_most_of_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0).astype(int)
    model = tw.C45Classifier(prune=None).fit(X, y)
    found = model.explain([np.nan] * 5)
    assert len(found.path) > MOST_NODES
    lines = str(found).splitlines()
    (left_out,) = [line for line in lines if "more nodes" in line]
    assert left_out.endswith("of the row at most")
    assert sum(" of the row: " in line for line in lines) == MOST_NODES - 1


def test_a_gap_met_at_several_nodes_is_told_once():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 0, X[:, 0] > 1, X[:, 0] < -1).astype(int)
    text = str(tw.CARTClassifier(prune=None).fit(X, y).explain([np.nan, 0.0]))
    assert text.count("x0 is missing") == 1


@pytest.mark.filterwarnings("ignore:categories not seen")
def test_an_unseen_level_is_named_as_it_was_given():
    X, y = tw.load_sample("tennis")
    found = tw.ID3Classifier().fit(X, y).explain({"outlook": "Hail", "wind": "Weak"})
    text = str(found)
    assert "outlook is Hail, which was not seen in training" in text
    assert "outlook unseen in training" in text
    assert found.change.columns[0].old == "Hail"
    assert "outlook from Hail to Sunny" in text


def test_conditions_on_ordered_levels_are_bounds():
    spec = ColumnSpec("size", "ordered", ("low", "middle", "high", "top"))
    texts = [str(condition_on(spec, only_levels(bits))) for bits in (0b11, 0b1100, 0b110, 0b1001)]
    assert texts == ["size <= middle", "size > middle", "low < size <= high", "size in {low, top}"]
    assert str(condition_on(spec, only_levels(0b1111))) == "size known"
    assert str(condition_on(spec, only_levels(0b10))) == "size = middle"


def test_costs_that_speak_against_the_likelier_class_are_named():
    X, y = [[0.0]] * 3, ["a", "a", "b"]
    model = tw.TreeClassifier(costs=[[0, 1], [5, 0]]).fit(X, y)
    assert str(model.explain([0.0])).splitlines()[:3] == [
        "prediction: b (33.3 %)",
        "runner-up: a (66.7 %)",
        "  (the misclassification costs decide for the prediction)",
    ]


def test_what_was_not_proven_is_said(monkeypatch):
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    monkeypatch.setattr(reason, "MOST_BOXES", 6)
    found = model.explain([5.9, 3.0, 5.0, 1.7])
    assert not (found.reason.is_smallest and found.reason.is_widest)
    assert "not every smaller reason was tried" in str(found)


def test_limits_of_a_change_are_told_with_it():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    text = str(
        model.explain(
            [5.9, 3.0, 4.2, 1.5],
            immutable=["petal width"],
            directions={"petal length": "up"},
            wanted="virginica",
        )
    )
    assert (
        "smallest change to virginica (petal width fixed, petal length only up): "
        "petal length from 4.2 to above 4.95" in text
    )


def test_rows_that_differ_are_not_at_distance_none():
    X, y = [[0.0], [1.0], [10000.0]], ["a", "a", "b"]
    found = tw.CARTClassifier(prune=None).fit(X, y).explain([0.0], X, y)
    assert "row 0 (distance 0), a" in str(found)
    assert "row 1 (distance under 0.001), a" in str(found)
    assert "| distance |  | 0 | under 0.001 | 1 |" in found.to_markdown()
