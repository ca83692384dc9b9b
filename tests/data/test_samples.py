"""The bundled tables are those of the lecture notes, and two for longer work."""

from collections import Counter

import numpy as np
import pytest

from made_up_loans import loans
from treewright.data.report import column_report
from treewright.data.samples import load_sample, read_sample, sample_file, sample_names
from treewright.errors import DataError

SHAPES = {
    "tennis": ((14, 4), {"Yes": 9, "No": 5}),
    "golf": ((14, 4), {"Yes": 9, "No": 5}),
    "buys_computer": ((14, 4), {"yes": 9, "no": 5}),
    "weekend": ((10, 3), {"Cinema": 6, "Tennis": 2, "Stay in": 1, "Shopping": 1}),
    "shapes": ((6, 2), {"+": 1, "-": 5}),
    "shapes_disjunctive": ((5, 2), {"YES": 3, "NO": 2}),
    "tiny_variable": ((4, 1), {"true": 1, "false": 3}),
    "two_moons": ((100, 2), {0: 50, 1: 50}),
    "loans": ((400, 8), {"yes": 265, "no": 135}),
    "iris": ((150, 4), {"setosa": 50, "versicolor": 50, "virginica": 50}),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_sample_has_the_rows_and_classes_of_the_notes(name):
    X, y = load_sample(name)
    shape, classes = SHAPES[name]
    assert X.shape == shape
    assert Counter(y.tolist()) == classes


def test_every_sample_is_listed_and_can_be_loaded():
    assert set(sample_names()) == {*SHAPES, "five_points"}


def test_five_points_have_no_target():
    X, y = load_sample("five_points")
    assert y is None
    np.testing.assert_array_equal(np.asarray(X)[3], [5.0, 7.0])


def test_netball_is_tennis():
    assert load_sample("netball")[0].same_as(load_sample("tennis")[0])


def test_golf_exchanges_sunny_and_rainy():
    tennis, golf = load_sample("tennis")[0], load_sample("golf")[0]
    exchanged = {"Sunny": "Rainy", "Rain": "Sunny", "Overcast": "Overcast"}
    outlook = [exchanged[level] for level in tennis["outlook"].to_numpy()]
    assert golf["outlook"].to_numpy().tolist() == outlook
    assert golf["windy"].levels == ("FALSE", "TRUE")


def test_buying_computers_is_playing_tennis_in_other_words():
    tennis, play = load_sample("tennis")
    computer, buys = load_sample("buys_computer")
    assert [prediction.lower() for prediction in play] == buys.tolist()
    for one, other in zip(tennis.columns, computer.columns, strict=True):
        assert one.codes.tolist() == other.codes.tolist()


def test_loans_are_what_their_generator_writes():
    assert sample_file("loans").read_text(encoding="utf-8") == loans()


def test_loans_have_words_numbers_and_holes():
    lines = {line.name: line for line in column_report(read_sample("loans")).lines}
    assert lines["income"].kind == "numeric"
    assert lines["work"].kind == "nominal"
    assert {name for name, line in lines.items() if line.n_missing} == {"income", "savings"}


def test_an_unknown_sample_is_answered_with_the_nearest():
    with pytest.raises(DataError, match="did you mean `tennis`"):
        load_sample("tenis")
    with pytest.raises(DataError, match="samples are: tennis, golf"):
        load_sample("zzz")
