"""Trees in print."""

import numpy as np
import pytest

import builders
import treewright as tw
from builders import branches, intervals, leaf, oblique, subset, threshold
from treewright.data.schema import ColumnSpec, Schema
from treewright.plain_text import number_text, plain, weight_text
from treewright.tree.as_text import export_text

TENNIS = """\
outlook = Sunny
|   humidity = High: No (3)
|   humidity = Normal: Yes (2)
outlook = Overcast: Yes (4)
outlook = Rain
|   wind = Weak: Yes (3)
|   wind = Strong: No (2)"""

COLORS = ("red", "blue", "green")


def one_column(spec, root, classes=("-", "+")):
    return export_text(builders.build(root, Schema((spec,)), classes))


def test_the_tennis_tree_as_weka_prints_it():
    assert str(builders.a_tennis_tree()) == TENNIS


def test_thresholds_show_weight_and_errors():
    assert str(builders.a_stump()) == (
        "petal width <= 0.8: setosa (50)\npetal width > 0.8: other (100/1)"
    )


def test_means_are_shown_for_numbers():
    assert str(builders.a_number_tree()) == (
        "a <= 2.5\n|   b <= -1: 1.5 (4)\n|   b > -1: 2.25 (2)\na > 2.5: 7 (3)"
    )


def test_subsets_are_sets_of_levels():
    root = subset(0, {0: 0, 1: 0, 2: 1}, leaf(2, 0), leaf(0.5, 3.25))
    text = one_column(ColumnSpec("color", "nominal", COLORS), root)
    assert text == "color in {red, blue}: - (2)\ncolor = green: + (3.75/0.5)"


def test_empty_branches_and_missing_values_have_lines_of_their_own():
    root = branches(
        0, {0: 0, 1: 1}, leaf(3, 0), leaf(0, 1), leaf(3, 1, weight=0), leaf(1, 1), missing=3
    )
    text = one_column(ColumnSpec("color", "nominal", COLORS), root)
    assert text == (
        "color = red: - (3)\ncolor = blue: + (1)\ncolor otherwise: - (0)\ncolor missing: - (2/1)"
    )


def test_intervals_are_bounded_on_both_sides():
    root = intervals(0, [2.0, 5.0], leaf(1, 0), leaf(0, 1), leaf(1, 0), leaf(0, 1), missing=3)
    assert one_column(ColumnSpec("age", "numeric"), root) == (
        "age <= 2: - (1)\n2 < age <= 5: + (1)\nage > 5: - (1)\nage missing: + (1)"
    )


def test_ordered_levels_are_compared_by_name():
    root = threshold(0, 1.5, leaf(1, 0), leaf(0, 1))
    text = one_column(ColumnSpec("size", "ordered", ("S", "M", "L")), root)
    assert text == "size <= M: - (1)\nsize > M: + (1)"


@pytest.mark.parametrize(
    ("unit", "at", "shown"),
    [
        ("datetime64[D]", 19723.5, "2024-01-01"),
        ("datetime64[s]", 1704067199.5, "2023-12-31T23:59:59"),
        ("datetime64[us]", 1614124800e6, "2021-02-24"),
        ("datetime64[ms]", 1614124800500.0, "2021-02-24T00:00:00.5"),
        ("timedelta64[h]", 36.0, "36 hours"),
        ("timedelta64[us]", 17927e6, "4:58:47"),
        ("timedelta64[s]", 90061.0, "1 day, 1:01:01"),
        ("datetime64[ns]", 1e300, "1e+300"),
    ],
)
def test_dates_are_written_out(unit, at, shown):
    root = threshold(0, at, leaf(1, 0), leaf(0, 1))
    text = one_column(ColumnSpec("when", "numeric", unit=unit), root)
    assert text.splitlines()[0] == f"when <= {shown}: - (1)"


def test_sums_are_written_as_sums():
    root = oblique([(0, 0.5), (1, -1.0)], 3.0, leaf(1, 0), leaf(0, 1))
    tree = builders.build(root, builders.numeric_schema("a", "b"), ("-", "+"))
    assert str(tree) == "0.5 * a - b <= 3: - (1)\n0.5 * a - b > 3: + (1)"


def test_a_limit_of_depth_shows_what_the_node_would_predict():
    tree = builders.a_tennis_tree()
    assert export_text(tree, max_depth=1) == (
        "outlook = Sunny: No (5/2) ...\noutlook = Overcast: Yes (4)\noutlook = Rain: Yes (5/2) ..."
    )
    assert export_text(tree, max_depth=0) == ": Yes (14/5) ..."
    assert export_text(tree, max_depth=2) == export_text(tree) == TENNIS


def test_weights_and_decimals_are_a_matter_of_taste():
    assert export_text(builders.a_stump(0.8125), show_weights=False, decimals=1) == (
        "petal width <= 0.8: setosa\npetal width > 0.8: other"
    )


@pytest.mark.parametrize(
    "name", ["", " ", "größe", "体重", "🌳", "[a]<b>", '"', "a,b", "n" * 10_000]
)
def test_names_are_printed_as_they_are(name):
    root = branches(0, {0: 0, 1: 1}, leaf(1, 0), leaf(0, 1))
    text = one_column(ColumnSpec(name, "nominal", (name, "b")), root)
    assert text.splitlines()[0] == f"{name} = {name}: - (1)"


def test_names_that_would_break_a_line_are_escaped():
    root = branches(0, {0: 0, 1: 1}, leaf(1, 0), leaf(0, 1))
    text = one_column(ColumnSpec("a\nb", "nominal", ("c\td", "\x1b[31m")), root)
    assert text == "a\\nb = c\\td: - (1)\na\\nb = \\x1b[31m: + (1)"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("👩🏽\u200d❤️\u200d👩🏽", "👩🏽\u200d❤️\u200d👩🏽"),
        ("a\u200db", "a\\u200db"),
        ("\u200d👧", "\\u200d👧"),
        ("می\u200c\u200cم", "می\\u200c\\u200cم"),
        ("می\u200c", "می\\u200c"),
        ("👨\u200d👩\u202e", "👨\u200d👩\\u202e"),
    ],
)
def test_joiners_stay_in_emoji_and_words_and_are_seen_elsewhere(name, shown):
    assert plain(name) == shown


def test_a_chain_of_100_000_nodes_is_printed():
    lines = export_text(builders.a_chain(50_000)).splitlines()
    assert len(lines) == 100_000
    assert lines[2] == "|   x <= 2: no (1)"
    assert lines[-1] == "[49999] x > 50000: yes (1)"


@pytest.mark.full
def test_a_column_of_100_000_levels_is_printed():
    levels = tuple(range(100_000))
    children = [leaf(1, 0) for _ in levels]
    root = branches(0, dict(zip(levels, levels, strict=True)), *children)
    text = one_column(ColumnSpec("id", "nominal", levels), root)
    assert text.splitlines()[77_777] == "id = 77777: - (1)"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.8, "0.8"),
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.333333"),
        (200 / 3, "66.6667"),
        (1_250_000.0, "1250000"),
        (1_234_567.891, "1234567.89"),
        (1.25e-7, "1.25e-07"),
        (-0.0, "0"),
        (-1e-300, "-1e-300"),
        (1e300, "1e+300"),
    ],
)
def test_numbers_are_short(number, text):
    assert number_text(number) == text


def test_weights_have_two_decimals_at_most():
    shown = [weight_text(w) for w in (3.0, 2.5, 1 / 3, 0.0, 100.0, 1e-300, 1e300)]
    assert shown == ["3", "2.5", "0.33", "0", "100", "1e-300", "1e+300"]


def test_fractions_of_rows_that_add_up_to_no_error_show_none():
    root = threshold(0, 0.5, leaf(0.1 + 0.2, 0, weight=0.3 + 1e-16), leaf(0, 1))
    tree = builders.build(root, builders.numeric_schema("x"), ("-", "+"))
    assert str(tree).splitlines()[0] == "x <= 0.5: - (0.3)"
    assert np.isfinite(tree.value).all()


def test_a_large_tree_is_printed_from_its_beginning():
    tree = builders.a_chain(3000)
    lines = str(tree).splitlines()
    assert len(lines) == 1001
    assert lines[-1] == "... 3001 leaves in all: export_text() shows them"
    assert lines[:1000] == export_text(tree).splitlines()[:1000]


def test_large_sets_are_shortened_where_a_person_reads_them():
    days = [f"day {number}" for number in range(40)]
    model = tw.CARTClassifier(prune=None, max_depth=1).fit({"d": days * 2}, ["a", "b"] * 40)
    assert export_text(model.tree_).count("day") == 40
    lines = export_text(model.tree_, max_levels=3).splitlines()
    assert lines[0] == "d in {day 0, day 2, day 4, ... 17 more}: a (40)"
    assert str(model.tree_).count("day") == 2 * 12
