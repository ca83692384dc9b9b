"""Every measure the lecture notes work out by hand, to ten decimals."""

import pytest

from treewright.measures import (
    conditional_entropy,
    entropy,
    gain_ratio,
    gini,
    gini_gain,
    information_gain,
    split_information,
)

# Branches x classes. Tennis, golf and buys_computer share their counts: (yes, no).
OUTLOOK = [[2, 3], [4, 0], [3, 2]]
TEMPERATURE = [[2, 2], [4, 2], [3, 1]]
HUMIDITY = [[3, 4], [6, 1]]
WIND = [[6, 2], [3, 3]]
INCOME = {"high": [2, 2], "medium": [4, 2], "low": [3, 1]}

# The weekend table; classes are cinema, tennis, stay in, shopping.
WEATHER = [[1, 2, 0, 0], [3, 0, 0, 1], [2, 0, 1, 0]]  # sunny, windy, rainy
PARENTS = [[5, 0, 0, 0], [1, 2, 1, 1]]  # yes, no
MONEY = [[3, 2, 1, 1], [3, 0, 0, 0]]  # rich, poor

# The six shapes of note 003: (+, -).
SHAPE = [[1, 1], [0, 2], [0, 2]]  # circle, square, triangle
COLOR = [[1, 2], [0, 3]]

EXACT = [
    ("entropy of 9 and 5", entropy([9, 5]), 0.9402859587),
    ("gain of wind", information_gain(WIND), 0.0481270304),
    ("entropy of 6 and 2", entropy([6, 2]), 0.8112781245),
    ("entropy of 2 and 3", entropy([2, 3]), 0.9709505945),
    ("entropy of the first bucket", entropy([4, 0]), 0.0),
    ("entropy of the second bucket", entropy([3, 1]), 0.8112781245),
    ("entropy of the third bucket", entropy([2, 2]), 1.0),
    ("gain of outlook", information_gain(OUTLOOK), 0.2467498198),
    ("gain of temperature", information_gain(TEMPERATURE), 0.0292225657),
    ("gain of humidity", information_gain(HUMIDITY), 0.1518355014),
    ("entropy left by outlook", conditional_entropy(OUTLOOK), 0.6935361389),
    ("split information of income", split_information(list(INCOME.values())), 1.5566567075),
    ("gain ratio of income", gain_ratio(list(INCOME.values())), 0.0187726462),
    ("gini of 9 and 5", gini([9, 5]), 0.4591836735),
    ("entropy of the weekend", entropy([6, 2, 1, 1]), 1.5709505945),
    ("entropy of 1 and 5", entropy([1, 5]), 0.6500224216),
    ("gain of shape", information_gain(SHAPE), 0.3166890883),
    ("entropy of 1 and 3", entropy([1, 3]), 0.8112781245),
    ("gain in note 004", information_gain([[1, 1], [0, 1], [0, 1]]), 0.3112781245),
]

SIX_DECIMALS = [
    ("gain of weather", information_gain(WEATHER), 0.695462),
    ("gain of parents", information_gain(PARENTS), 0.609987),
    ("gain of money", information_gain(MONEY), 0.281291),
    ("entropy of sunny", entropy(WEATHER[0]), 0.918296),
    ("entropy of windy", entropy(WEATHER[1]), 0.811278),
    ("entropy of rainy", entropy(WEATHER[2]), 0.918296),
    ("entropy of parents = no", entropy(PARENTS[1]), 1.921928),
    ("entropy of money = rich", entropy(MONEY[0]), 1.842371),
    ("gain of parents when sunny", information_gain([[1, 0], [0, 2]]), 0.918296),
    ("gain of money when sunny", information_gain([[1, 2]]), 0.0),
    ("gain ratio of parents", gain_ratio(PARENTS), 0.609987),
    ("gain ratio of weather", gain_ratio(WEATHER), 0.442701),
    ("gain of color in note 003", information_gain(COLOR), 0.190875),
]


def names(cases):
    return [name for name, _, _ in cases]


@pytest.mark.parametrize(("name", "value", "exact"), EXACT, ids=names(EXACT))
def test_a_measure_of_the_notes_is_exact(name, value, exact):
    assert value == pytest.approx(exact, abs=6e-11), name


@pytest.mark.parametrize(("name", "value", "exact"), SIX_DECIMALS, ids=names(SIX_DECIMALS))
def test_a_measure_of_the_weekend_table_agrees_to_six_decimals(name, value, exact):
    assert value == pytest.approx(exact, abs=5.1e-7), name


@pytest.mark.parametrize(
    ("together", "alone", "exact"),
    [
        (("low", "medium"), "high", 0.4428571429),
        (("low", "high"), "medium", 0.4583333333),
        (("medium", "high"), "low", 0.4500000000),
    ],
)
def test_gini_of_two_income_groups_is_that_of_note_001(together, alone, exact):
    merged = [sum(column) for column in zip(*(INCOME[level] for level in together), strict=True)]
    left = gini([9, 5]) - gini_gain([merged, INCOME[alone]])
    assert left == pytest.approx(exact, abs=6e-11)


def test_gain_prefers_weather_and_gain_ratio_prefers_parents():
    assert information_gain(WEATHER) > information_gain(PARENTS)
    assert gain_ratio(PARENTS) > gain_ratio(WEATHER)
