"""What can be asked of a growth session, in which words, and what the errors say."""

import math
from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from small_tables import numbers, words
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.growth.actions import Prune, Regrow, Split, action_from, as_dict, read_split
from treewright.growth.session import GrowthSession


@pytest.fixture
def session():
    X, y = words(n_rows=60)
    return GrowthSession(X, y, tw.CARTClassifier())


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("size <= 0.3", Split(node=0, column="size", threshold=0.3)),
        ("size > 0.3", Split(node=0, column="size", threshold=0.3)),
        ("size < 0.3", Split(node=0, column="size", threshold=math.nextafter(0.3, -1))),
        (("size", 0.3), Split(node=0, column="size", threshold=0.3)),
        (("size", [0.3, -0.2]), Split(node=0, column="size", cuts=(-0.2, 0.3))),
        ("color = red", Split(node=0, column="color", categories=("red",))),
        ("color != red", Split(node=0, column="color", categories=("red",))),
        ("color in {red, blue}", Split(node=0, column="color", categories=("blue", "red"))),
        (("color", {"red", "blue"}), Split(node=0, column="color", categories=("blue", "red"))),
        (("color", "red"), Split(node=0, column="color", categories=("red",))),
        ("color", Split(node=0, column="color")),
    ],
)
def test_a_split_can_be_written_in_many_ways(session, condition, expected):
    found = session.try_split(0, condition).split
    if expected.categories:
        found_set, wanted = set(found.categories), set(expected.categories)
        assert found_set == wanted
    else:
        assert found == expected


def test_all_ways_to_write_a_split_give_the_same_numbers(session):
    one, two = session.try_split(0, "color = red"), session.try_split(0, ("color", {"red"}))
    assert one.gain == two.gain
    other_side = session.try_split(0, "color in {green, blue}")
    assert other_side.gain == one.gain


def test_a_column_of_ordered_categories_is_compared_by_its_order():
    sizes = tw.table_from({"size": ["S", "M", "L", "M", "S", "L"] * 5})
    column = sizes.columns[0]
    levels = ("S", "M", "L")
    codes = np.array([levels.index(s) for s in ["S", "M", "L", "M", "S", "L"] * 5], dtype=np.int32)
    table = tw.Table([replace(column, codes=codes, levels=levels, ordered=True)])
    session = GrowthSession(table, [0, 0, 1, 0, 0, 1] * 5, tw.CARTClassifier())
    assert session.try_split(0, "size <= M").gain == pytest.approx(4 / 9)
    assert session.try_split(0, "size >= L").gain == pytest.approx(4 / 9)
    session.split(0, "size <= S")
    assert session.node(1).n_rows == 10


@pytest.mark.parametrize(
    ("condition", "error", "message", "hint"),
    [
        ("siez <= 3", UnknownColumnError, "no column `siez` in the table", "`size`"),
        ("colour", ParameterError, "`colour` is neither a condition nor a column", "`color`"),
        ("size <= big", ParameterError, "`big` in `size <= big` is not a number", ""),
        ("size = red", ParameterError, "is not a split of the numbers of `size`", "`size <= 5`"),
        ("color <= 3", ParameterError, "not a split of the categories of `color`", "color = "),
        ("color = rde", DataError, "no category `rde` in `color`", "did you mean `red`?"),
        ("size", ParameterError, "`size` has numbers: a split needs a threshold", "size <= 5"),
        ("size <= 99", DataError, "by `size` like this leaves a branch without rows", "values"),
        (("color", {"red", "green", "blue"}), DataError, "a branch without rows", "categories"),
        (("size", math.nan), ParameterError, "nan is not a threshold of `size`", "finite"),
        (("size", [1, 99]), DataError, "a branch without rows", "its values there"),
        (3.5, ParameterError, "3.5 is not a split", "give a candidate"),
        (None, ParameterError, "None is not a split", "give a candidate"),
    ],
)
def test_errors_of_conditions_say_what_there_is(session, condition, error, message, hint):
    for ask in (session.try_split, session.split):
        with pytest.raises(error) as raised:
            ask(0, condition)
        assert message in str(raised.value)
        assert hint in raised.value.hint
    assert not session.history


def test_unknown_nodes_and_empty_histories(session):
    for ask in (session.candidates, session.prune, session.regrow, session.node, session.rows):
        with pytest.raises(ParameterError, match="no node 5 in the tree") as raised:
            ask(5)
        assert raised.value.hint == "ids are: 0"
    with pytest.raises(ParameterError, match="'0' is not a node"):
        session.candidates("0")
    with pytest.raises(ParameterError, match="nothing to undo"):
        session.undo()
    with pytest.raises(ParameterError, match="nothing to redo"):
        session.redo()
    with pytest.raises(ParameterError, match="node 0 is a leaf already"):
        session.prune(0)
    with pytest.raises(ParameterError, match="max_depth=0 is not allowed"):
        session.regrow(0, max_depth=0)


def test_a_model_that_does_not_grow_split_by_split_is_refused():
    X, y = numbers()
    for model in (tw.OptimalTreeClassifier(), tw.ObliqueTreeClassifier()):
        with pytest.raises(ParameterError, match="does not choose one split after the other"):
            GrowthSession(X, y, model)
    for model in (tw.C45Rules(), tw.RandomForestClassifier(), "CART", None):
        with pytest.raises(ParameterError, match="cannot be grown by hand"):
            GrowthSession(X, y, model)


def test_ids_are_not_used_again_after_undo(session):
    assert session.split(0, "color = red") == (1, 2)
    session.undo()
    assert session.split(0, "size <= 0.3") == (3, 4)
    session.prune(0)
    assert session.split(0, "size <= 0.3") == (5, 6)
    session.undo()
    session.redo()
    assert session.ids == (0, 5, 6)
    with pytest.raises(ParameterError, match="no node 3"):
        session.candidates(3)


def test_actions_are_plain_values():
    actions = [
        Split(node=0, column="size", threshold=0.0, reason="so", author="Ann", first_id=1),
        Split(node=2, column="color", categories=("red", "blue")),
        Split(node=2, column="size", cuts=(1.0, 2.0)),
        Prune(node=3),
        Regrow(node=4, max_depth=2, first_id=9),
    ]
    for action in actions:
        assert action_from(as_dict(action)) == action
    with pytest.raises(ParameterError, match="`plit` is not an action"):
        action_from({"action": "plit"})
    with pytest.raises(ParameterError, match="no `colum` in `split`"):
        action_from({"action": "split", "node": 1, "colum": "x"})
    with pytest.raises(ParameterError, match="`split` lacks node, column"):
        action_from({"action": "split"})


def test_an_action_that_claims_a_used_id_is_refused(session):
    session.split(0, "color = red")
    with pytest.raises(ParameterError, match="first_id=1 is not free"):
        session.apply(Split(node=1, column="size", threshold=0.0, first_id=1))


def test_the_model_is_an_ordinary_one(tmp_path):
    X, y = words(n_rows=60)
    for model in (tw.CARTClassifier(), tw.C45Classifier(), tw.ID3Classifier(discretize="mdl")):
        session = GrowthSession(X, y, model)
        session.split(0, "color")
        session.regrow(1)
        made = session.model()
        made.save(tmp_path / "model.json")
        assert tw.load(tmp_path / "model.json").tree_.same_as(made.tree_)
        assert made.predict(X).shape == (60,)
        assert "color" in str(tw.rules(made))
        assert tw.draw(made).to_svg()
        assert tw.worksheet(made, X, y).nodes[0].chosen.column == "color"
        assert "color" in tw.export(made, "sql")


def test_the_session_leaves_the_model_it_was_given_alone():
    X, y = words()
    model = tw.CARTClassifier(max_depth=2)
    session = GrowthSession(X, y, model)
    session.regrow()
    assert not model.__sklearn_is_fitted__()
    assert session.model().max_depth == 2
    assert session.tree.depth <= 2


def test_a_person_may_split_what_the_settings_refuse():
    X, y = numbers(60)
    session = GrowthSession(X, y, tw.CARTClassifier(min_samples_leaf=20, max_depth=1))
    few = session.try_split(0, ("x0", float(np.sort(X[:, 0])[2])))
    assert few.refused == "too few rows in a branch"
    left, right = session.split(0, few)
    assert session.node(left).n_rows == 3
    assert session.node(left).stop_reason in ("pure", "max_depth")
    session.split(right, session.candidates(right)[0])
    assert session.tree.depth == 2


def test_pure_and_constant_nodes_have_no_gain():
    X = {"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0] * 4, "c": [None] * 4, "d": list("xyxy")}
    session = GrowthSession(X, ["p"] * 3 + ["q"], tw.TreeClassifier())
    left, _ = session.split(0, "a <= 3")
    assert session.node(left).stop_reason == "pure"
    by_column = {one.column: one for one in session.candidates(left)}
    assert by_column["a"].gain == by_column["d"].gain == 0
    assert by_column["b"].refused == "one value only"
    assert by_column["a"].threshold == 1.5  # the first of equals
    with pytest.raises(ParameterError, match="`b` cannot split node"):
        session.split(left, by_column["b"])


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_number_of_threads_changes_nothing(n_jobs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 12)).round(2)
    y = X[:, 0] + X[:, 1] ** 2 + rng.normal(size=6000)
    sessions = [GrowthSession(X, y, tw.CARTRegressor(n_jobs=n)) for n in (n_jobs, 2)]
    for session in sessions:
        session.split(0, session.candidates(0)[0])
        session.regrow(2, max_depth=3)
    first, second = sessions
    assert first.tree.same_as(second.tree)
    assert first.candidates(1) == second.candidates(1)


def test_extreme_weights_and_targets():
    rng = np.random.default_rng(1)
    X, y = numbers(40)
    for scale in (1e-200, 1e200):
        weights = rng.integers(1, 5, 40) * scale
        session = GrowthSession(X, y, tw.CARTClassifier(), weights)
        ordinary = GrowthSession(X, y, tw.CARTClassifier(), weights / scale)
        for one, two in zip(session.candidates(0), ordinary.candidates(0), strict=True):
            assert one.threshold == two.threshold
            assert one.gain == pytest.approx(two.gain, rel=1e-9)
        session.split(0, session.candidates(0)[0])
        assert session.tree.n_leaves == 2
    huge = GrowthSession(X, y * 1e150 + 1.0, tw.CARTRegressor())
    assert huge.candidates(0)[0].kind == "threshold"
    huge.split(0, huge.candidates(0)[0])


def test_one_row_and_no_columns_that_split():
    session = GrowthSession([[1.0], [1.0]], ["a", "b"], tw.TreeClassifier())
    assert session.candidates(0)[0].refused == "one value only"
    assert str(session).startswith("[0] 2 rows: a")
    session.regrow()
    assert session.leaves == (0,)


def test_read_split_needs_no_session():
    schema = GrowthSession(*words(), tw.CARTClassifier()).tree.schema
    assert read_split(schema, 7, " size <= 2 ").node == 7


def test_the_worksheet_says_that_a_person_left_a_leaf():
    X, y = tw.load_sample("iris")
    session = GrowthSession(X, y, tw.CARTClassifier())
    session.split(0, "petal width <= 0.8")
    assert "a person left it a leaf" in str(tw.worksheet(session.model(), X, y))
