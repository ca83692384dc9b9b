"""The reference grower on tables whose trees are known."""

import pytest

from reference.grow_reference import grow, predict_row
from reference.problem import Problem, RefColumn, RefSettings

TENNIS = """\
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No"""


def nominal(values):
    """A nominal column with levels in order of first appearance."""
    levels = list(dict.fromkeys(value for value in values if value is not None))
    codes = [None if value is None else levels.index(value) for value in values]
    return RefColumn("nominal", tuple(codes), len(levels))


def tennis(**settings):
    *columns, play = zip(*(line.split() for line in TENNIS.splitlines()), strict=True)
    return Problem(
        columns=tuple(nominal(column) for column in columns),
        target=[("No", "Yes").index(prediction) for prediction in play],
        n_classes=2,
        weights=(1,) * 14,
        settings=RefSettings(**settings),
    )


def test_id3_grows_the_tennis_tree_of_the_notes():
    root = grow(
        tennis(criterion="information_gain", nominal="branches", missing="stop", use_once=True)
    )
    assert root.split.column == 0
    assert [child.value for child in root.children] == [[3, 2], [0, 4], [2, 3]]
    assert root.children[0].split.column == 2
    assert root.children[1].reason == "pure"
    assert root.children[2].split.column == 3
    assert float(root.split.gain) / 14 == pytest.approx(0.2467498198, abs=1e-10)


def test_gain_ratio_still_picks_outlook():
    root = grow(tennis(criterion="gain_ratio", nominal="branches"))
    assert root.split.column == 0
    assert float(root.split.score) == pytest.approx(0.2467498198 / 1.5774062829, abs=1e-9)


def test_gini_subsets_put_overcast_apart():
    root = grow(tennis(criterion="gini", nominal="subset", max_depth=1))
    assert root.split.level_child == {0: 0, 1: 1, 2: 0}


def numbers(values, target, **settings):
    return Problem(
        columns=(RefColumn("numeric", tuple(values)),),
        target=target,
        n_classes=max(target) + 1,
        weights=(1,) * len(target),
        settings=RefSettings(**settings),
    )


def test_a_missing_row_is_divided_in_proportion():
    problem = numbers([1.0, 2.0, 3.0, None], [0, 0, 1, 1], missing="fractional")
    root = grow(problem)
    assert root.split.threshold == 2.5
    assert [child.weight * 3 for child in root.children] == [8, 4]
    assert predict_row(problem, root, [None]) == pytest.approx([0.5, 0.5])


def test_learned_missing_may_stand_alone_on_the_right():
    problem = numbers([1.0, 2.0, None, None], [0, 0, 1, 1], missing="learned")
    root = grow(problem)
    assert (root.split.threshold, root.missing_child) == (2.0, 1)
    assert [child.value for child in root.children] == [[2, 0], [0, 2]]


def test_a_surrogate_sends_the_missing_row_home():
    problem = Problem(
        columns=(
            RefColumn("numeric", (1.0, 2.0, 3.0, 4.0, None)),
            RefColumn("numeric", (9.0, 8.0, 2.0, 2.0, 1.0)),
        ),
        target=[0, 0, 1, 1, 1],
        n_classes=2,
        weights=(1,) * 5,
        settings=RefSettings(missing="surrogate", column_order=(0, 1)),
    )
    root = grow(problem)
    assert root.surrogates[0].is_flipped
    assert [child.n_rows for child in root.children] == [2, 3]


def test_a_threshold_that_does_not_pay_for_itself_is_left_out_by_c45():
    settings = {"criterion": "gain_ratio", "missing": "fractional", "min_gain": 0.0}
    values, target = [1.0, 2.0, 3.0, 4.0, 5.0], [0, 1, 0, 1, 0]
    assert grow(numbers(values, target, **settings)).kind == "threshold"
    charged = numbers(values, target, **settings, mdl_correction=True, average_gain_filter=True)
    assert grow(charged).kind == "leaf"
