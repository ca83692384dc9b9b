"""Trees that a person writes down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import ParameterError
from treewright.tree.check import check_tree

ANIMALS = {
    "has feathers": {
        True: {"can fly": {True: "hawk", False: "penguin"}},
        False: {"has fins": {True: "dolphin", False: "bear"}},
    }
}
EVENING_RULES = [
    "if party = yes then go to the party",
    "if party = no and deadline = urgent then study",
    "if party = no and deadline = near and lazy = yes then watch TV",
    "if party = no and deadline = near and lazy = no then study",
    "if party = no and deadline = none then go to the pub",
]
EVENING_TEXT = """\
party = yes: go to the party
party = no
|   deadline = urgent: study
|   deadline = near
|   |   lazy = yes: watch TV
|   |   lazy = no: study
|   deadline = none: go to the pub"""


def test_the_animals_of_the_lecture():
    model = tw.tree_from(ANIMALS)
    rows = [
        {"has feathers": True, "can fly": True, "has fins": False},
        {"has feathers": True, "can fly": False, "has fins": False},
        {"has feathers": False, "can fly": False, "has fins": True},
        {"has feathers": False, "can fly": False, "has fins": False},
    ]
    assert model.predict(rows).tolist() == ["hawk", "penguin", "dolphin", "bear"]
    assert model.export_text().splitlines()[1] == "|   can fly = yes: hawk"


def test_rules_and_text_give_the_same_tree():
    by_rules, by_text = tw.tree_from(EVENING_RULES), tw.tree_from(EVENING_TEXT)
    assert by_rules.export_text() == by_text.export_text() == EVENING_TEXT
    assert by_rules.tree_.same_as(by_text.tree_)
    check_tree(by_rules.tree_)


def test_conditions_as_keys_are_the_same_as_columns_as_keys():
    by_condition = tw.tree_from({"x <= 5": "small", "5 < x <= 9": "middle", "x > 9": "large"})
    by_column = tw.tree_from({"x": {"<= 5": "small", "(5, 9]": "middle", "> 9": "large"}})
    assert by_condition.tree_.same_as(by_column.tree_)
    rows = [[5.0], [np.nextafter(5.0, 6)], [9.0], [np.inf]]
    assert by_column.predict(tw.table_from(rows, feature_names=["x"])).tolist() == [
        "small",
        "middle",
        "middle",
        "large",
    ]


def test_a_written_tree_is_saved_pruned_and_drawn_like_any_other(tmp_path):
    model = tw.tree_from(EVENING_TEXT)
    model.save(tmp_path / "evening.json")
    again = tw.load(tmp_path / "evening.json")
    assert again.tree_.same_as(model.tree_)
    assert again.export_text() == EVENING_TEXT
    assert model.to_depth(1).get_n_leaves() == 2
    assert set(model.tree_.to_binary().n_children.tolist()) == {0, 2}


@given(seed=st.integers(0, 2**32 - 1))
def test_the_printed_text_of_a_tree_is_the_tree(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 20, 60) / 4
    X = {"x": numbers, "level": rng.choice([*"pqrst"], 60).tolist()}
    model = tw.TreeClassifier(nominal="branches", max_depth=4).fit(X, rng.choice([*"uvw"], 60))
    again = tw.tree_from(model.export_text(), columns=["x", "level"])
    assert again.predict(X).tolist() == model.predict(X).tolist()


def test_the_first_rule_that_fits_answers():
    model = tw.tree_from(
        ["x <= 5 and color = red -> a", "x <= 3 -> b", "color in {red, blue} -> c", "otherwise d"]
    )
    table = {"x": [1.0, 1.0, 4.0, 4.0, 9.0], "color": ["red", "blue", "blue", "green", "red"]}
    with pytest.warns(UserWarning, match="not seen in training"):
        assert model.predict(table).tolist() == ["a", "b", "c", "d", "c"]


def test_many_rules_make_a_flat_tree():
    rules = [f"{i} < x <= {i + 1} -> {'ab'[i % 2]}" for i in range(2000)]
    model = tw.tree_from([*rules, "otherwise c"])
    assert model.get_depth() < 30  # 2,000 deep in the order of the rules
    assert model.predict({"x": [0.5, 1.0, 1.5, 2001.0]}).tolist() == ["a", "a", "b", "c"]


def test_numbers_make_a_regression_tree():
    model = tw.tree_from({"x <= 1": 0.5, "x > 1": 2.0})
    assert isinstance(model, tw.TreeRegressor)
    assert model.predict(tw.table_from([[1.0], [3.0]], feature_names=["x"])).tolist() == [0.5, 2.0]
    as_text = tw.tree_from("x <= 1: 0.5 (2)\nx > 1: 2 (6)", numbers=True)
    assert as_text.tree_.value[0, 0] == pytest.approx((2 * 0.5 + 6 * 2.0) / 8)


def test_counts_in_a_text_are_kept():
    X, y = tw.load_sample("tennis")
    text = tw.ID3Classifier().fit(X, y).export_text()
    model = tw.tree_from(text)
    assert model.export_text() == text
    assert model.tree_.value[0].tolist() == [5.0, 9.0]


def test_the_text_of_a_grown_tree_keeps_its_empty_branches_and_what_it_does_with_holes():
    X = {"c": ["r", "r", "g", "b"], "x": [1.0, 2.0, 3.0, 4.0]}
    grown = tw.TreeClassifier(nominal="branches", missing="fractional").fit(X, ["u", "v", "v", "w"])
    text = "x <= 2.5\n|   c = r: u (2/1)\n|   c otherwise: v (0)\nx > 2.5: w (2/1)"
    model = tw.tree_from(text, missing="fractional")
    assert model.export_text() == text
    hole = {"c": [None], "x": [1.0]}
    assert (
        model.predict_proba(hole).tolist() == model.predict_proba({"c": ["r"], "x": [1.0]}).tolist()
    )
    again = tw.tree_from(grown.export_text(), missing="fractional")
    assert again.predict_proba(X).tolist() == grown.predict_proba(X).tolist()


def test_missing_values_follow_the_policy_or_their_own_branch():
    tree = {"x <= 5": "low", "x > 5": {"z <= 1": "high", "z > 1": "high"}}
    hole = tw.table_from([[np.nan, 0.0]], feature_names=["x", "z"])
    assert tw.tree_from(tree).predict(hole) == ["high"]
    assert tw.tree_from(tree, missing="majority").predict(hole) == ["high"]
    shares = tw.tree_from(tree, missing="fractional").predict_proba(hole)
    np.testing.assert_allclose(shares, [[2 / 3, 1 / 3]])
    own = tw.tree_from({**tree, "x missing": "unknown"})
    assert own.predict(hole) == ["unknown"]


def test_other_takes_what_no_branch_names():
    model = tw.tree_from({"color": {"red": "stop", "other": "go"}})
    with pytest.warns(UserWarning, match="not seen in training"):
        assert model.predict({"color": ["red", "blue", None]}).tolist() == ["stop", "go", "go"]


def test_columns_are_picked_by_name_out_of_any_table(tmp_path):
    model = tw.tree_from({"x <= 5": "low", "x > 5": {"color": {"red": "hot", "blue": "cold"}}})
    frame = {"color": ["red", "blue"], "other": [1.0, 2.0], "x": [9.0, 9.0]}
    assert model.predict(frame).tolist() == ["hot", "cold"]
    model.save(tmp_path / "model.json")
    assert tw.load(tmp_path / "model.json").predict(frame).tolist() == ["hot", "cold"]
    with pytest.raises(tw.DataError, match="no column `x` in X"):
        model.predict({"color": ["red"]})


def test_the_text_of_columns_cut_in_advance_is_read_as_numbers():
    X, y = tw.load_sample("iris")
    model = tw.ID3Classifier().fit(X, y)
    again = tw.tree_from(model.export_text())
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.schema_.columns[0].is_numeric


def test_missing_keys_are_the_missing_branch():
    model = tw.tree_from({"color": {"red": "a", "blue": "b", None: "unknown"}})
    assert model.predict({"color": ["red", None]}).tolist() == ["a", "unknown"]


def test_other_takes_the_numbers_between():
    model = tw.tree_from({"x": {"<= 1": "low", "> 9": "high", "other": "middle"}})
    assert model.predict({"x": [1.0, 5.0, 9.5, np.nan]}).tolist() == [
        "low",
        "middle",
        "high",
        "middle",
    ]


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"x <= 3": "a", "x > 4": "b"}, "no branch of `x` takes numbers above 3 up to 4"),
        ({"x <= 3": "a", "x > 2": "b"}, "two branches of `x` take numbers above 2 up to 3"),
        ({"x <= 3": "a", "y > 3": "b"}, "one question asks for `x` and for `y`"),
        ({"c = red": "a", "c in {red, blue}": "b"}, "`c = red` stands on two branches"),
        ({"c other": "a", "c != red": "b"}, "take what no other one names"),
        ({"c = red": "a", "c > 3": "b"}, "with a number here and with a level there"),
        ({"x": {"red": "a"}}, "`x` has one branch only"),
        ({"x < 2.5": "a", "x > 2.5": "b"}, "no branch of `x` takes 2.5"),
        ({"x <= 2.5": "a", "x >= 2.5": "b"}, "two branches of `x` take 2.5"),
        (
            {"x": {"red": "a", "blue": 2}},
            "the predictions of the tree are of these types: int, str",
        ),
        ({}, "an empty dict says nothing"),
        ("", "the text holds no tree"),
        ("x <= 3\nx > 3: b", "nothing follows from the condition on `x`"),
        ("x <= 3: a\n|   y = 1: b\nx > 3: b", "stands below a prediction"),
        (["x <= 3 -> a"], "no rule covers x > 3"),
        (["a = b -> c", "d = e -> f"], "no rule covers a other and d other"),
        (["what"], "`what` is not a rule"),
        ([("x <= 3",)], "a rule is"),
        (5, "an int is not a tree"),
        ([], "an empty list holds no rule"),
        ({"x": {}}, "nothing follows from asking `x`"),
        ("x <= 1: a (3)", "`x` has one branch only"),
        ("yes", "the tree asks nothing"),
    ],
)
def test_a_tree_that_makes_no_sense_is_refused(tree, message):
    with pytest.raises(ParameterError, match=message):
        tw.tree_from(tree)


def test_columns_and_choices_are_checked():
    with pytest.raises(ParameterError, match="asks for `x`, which is not in `columns`"):
        tw.tree_from({"x <= 3": "a", "x > 3": "b"}, columns=["z"])
    with pytest.raises(ParameterError, match="missing='guess' is not allowed"):
        tw.tree_from({"x <= 3": "a", "x > 3": "b"}, missing="guess")
    with pytest.raises(ParameterError, match="'many' is not a number"):
        tw.tree_from({"x <= 3": "few", "x > 3": "many"}, numbers=True)
