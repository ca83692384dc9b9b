"""Ticks are round, few, in order and told apart; values keep their order on an axis."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.figures.scales import (
    Bands,
    Linear,
    Logarithmic,
    linear_over,
    logarithmic_over,
    short_number,
)

numbers = st.floats(-1e12, 1e12)
positive = st.floats(1e-200, 1e200)
counts = st.integers(1, 12)


@given(st.lists(st.floats(), max_size=20))
def test_a_scale_holds_all_finite_values(values):
    scale = linear_over(values)
    assert scale.low < scale.high
    for value in values:
        if abs(value) <= 1e300:
            assert 0 <= scale.at(value) <= 1


@given(st.lists(numbers, min_size=1, max_size=20), counts)
def test_ticks_are_few_in_order_and_on_the_axis(values, most):
    scale = linear_over(values)
    ticks = scale.ticks(most)
    assert len(ticks) <= most
    places = [scale.at(tick.value) for tick in ticks]
    assert places == sorted(places)
    assert all(-1e-6 <= place <= 1 + 1e-6 for place in places)


@given(numbers, st.floats(1e-6, 1e12), counts)
def test_the_labels_of_ticks_differ(low, spread, most):
    ticks = Linear(low, low + max(spread, abs(low) * 1e-6)).ticks(most)
    labels = [tick.label for tick in ticks]
    assert len({*labels}) == len(labels)


@given(numbers, st.floats(1e-3, 1e12), counts)
def test_a_label_says_its_value(low, spread, most):
    high = low + max(spread, abs(low) * 1e-6)
    ticks = Linear(low, high).ticks(most)
    for tick in ticks:
        said = float(tick.label.replace("−", "-").replace(",", ""))
        assert said == pytest.approx(tick.value, abs=1e-6 * (high - low))


@given(st.integers(-20, 20), st.integers(3, 9))
def test_a_span_of_one_power_of_ten_gets_at_least_two_ticks(power, most):
    assert len(Linear(0.0, 10.0**power).ticks(most)) >= 2


@given(positive, st.floats(1.001, 1e30), counts)
def test_logarithmic_ticks_are_few_and_on_the_axis(low, ratio, most):
    scale = Logarithmic(low, low * ratio)
    ticks = scale.ticks(most)
    assert len(ticks) <= most
    places = [scale.at(tick.value) for tick in ticks if tick.value > 0]
    assert places == sorted(places)
    assert all(-1e-6 <= place <= 1 + 1e-6 for place in places)


def test_a_logarithmic_scale_leaves_out_what_has_no_logarithm():
    scale = logarithmic_over([-5.0, 0.0, 1.0, 100.0], margin=0.0)
    assert (scale.low, scale.high) == pytest.approx((1.0, 100.0))


def test_a_short_logarithmic_axis_has_ticks_between_the_powers():
    assert [tick.label for tick in Logarithmic(1, 10).ticks(6)] == ["1", "2", "5", "10"]
    assert [tick.label for tick in Logarithmic(3, 4).ticks(5)] == ["3.0", "3.5", "4.0"]


@given(st.integers(1, 300), counts)
def test_names_are_thinned_out_evenly(n_names, most):
    ticks = Bands(tuple(f"name {at}" for at in range(n_names))).ticks(most)
    assert 1 <= len(ticks) <= most
    steps = {int(b.value - a.value) for a, b in itertools.pairwise(ticks)}
    assert len(steps) <= 1


def test_years_have_no_comma_and_large_numbers_are_short():
    assert short_number(1990, 5) == "1990"
    assert short_number(25_000, 5000) == "25,000"
    assert short_number(3.5e9, 5e8) == "3.5e9"
    assert short_number(-2.5e-7, 5e-8) == "−2.5e-7"


def test_one_value_stands_in_the_middle():
    assert linear_over([7.0]).at(7.0) == pytest.approx(0.5)
    assert linear_over([0.0]).at(0.0) == pytest.approx(0.5)
