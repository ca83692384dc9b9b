"""Thresholds are printed in few digits that part the same values and stay apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.printed_thresholds import (
    FARTHEST,
    NONE_PRINTED,
    PrintedThresholds,
    PrintSearch,
    decimals_apart,
    exact_text,
    text_among,
)

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def close_numbers(draw):
    """Some numbers, some of them the next float, or close to others."""
    found = draw(st.lists(NUMBERS, min_size=1, max_size=6))
    for step in draw(st.lists(st.sampled_from([0.0, 1e-16, 1e-9, 1e-7, 1e-6]), max_size=8)):
        start = draw(st.sampled_from(found))
        near = start * (1 + step) if step else np.nextafter(start, np.inf)
        found.append(float(near) if np.isfinite(near) else start)
    return np.array(found)


def printed_for(thresholds, values) -> PrintedThresholds:
    """What is printed for the thresholds of a column of these values."""
    search = PrintSearch(np.asarray(thresholds, dtype=float), np.zeros(len(thresholds), dtype=int))
    search.use_for({0: values})
    return search.found().get(0, NONE_PRINTED)


@given(close_numbers(), close_numbers())
def test_printed_thresholds_part_the_same_values_and_rise(thresholds, values):
    printed = printed_for(thresholds, values)
    exact = np.unique(thresholds)
    shown = np.array([float(printed.text(float(at))) for at in exact])
    assert (np.diff(shown) > 0).all()
    for at, number in zip(exact, shown, strict=True):
        assert ((values <= at) == (values <= number)).all()
        assert abs(at - number) <= 1.01 * FARTHEST * abs(at)


@given(NUMBERS, close_numbers())
def test_one_number_among_values_is_on_the_same_side_of_all(number, values):
    shown = float(text_among(number, np.unique(values)))
    assert ((values <= number) == (values <= shown)).all()


@given(NUMBERS)
def test_a_threshold_that_is_not_listed_is_printed_exactly(number):
    assert float(exact_text(number)) == number


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.integers(0, 6))
def test_decimals_keep_numbers_apart(numbers, decimals):
    enough = decimals_apart(numbers, decimals)
    if enough is not None:
        assert enough >= decimals
        assert len({f"{number:.{enough}f}" for number in numbers}) >= len(set(numbers)) - 1  # -0.0


def test_six_digits_are_kept_where_they_do():
    values = np.array([1.9, 3.0])
    assert printed_for([2.45], values).text(2.45) == "2.45"
    assert printed_for([1 / 3], values).text(1 / 3) == "0.333333"
    assert printed_for([1234567.891], values).text(1234567.891) == "1234567.89"


def test_rounding_goes_the_other_way_before_it_takes_another_digit():
    """Just below a value of the table, the nearest short number would be that value."""
    below = 4.8999999999999995
    printed = printed_for([below], np.array([4.8, 4.9, 5.0]))
    assert printed.text(below) == "4.89999"


def test_float_noise_of_a_midpoint_is_not_printed():
    middle = 0.1 + (0.2 - 0.1) / 2
    assert repr(middle) == "0.15000000000000002"
    assert printed_for([middle], np.array([0.1, 0.2])).text(middle) == "0.15"
