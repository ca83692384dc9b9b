"""What is true of every measure, whatever the counts."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency
from sklearn.metrics import mean_poisson_deviance

from treewright.errors import DataError
from treewright.measures import (
    absolute_error,
    chi_square,
    conditional_entropy,
    entropy,
    gain_ratio,
    gini,
    gini_gain,
    information_gain,
    least_squares,
    poisson_deviance,
    split_information,
    variance,
    weighted_gini,
    weighted_gini_gain,
)

IMPURITIES = [entropy, gini]
GAINS = [information_gain, gain_ratio, gini_gain, chi_square]
SPREADS = [variance, least_squares, absolute_error, poisson_deviance]

weights = st.one_of(
    st.integers(0, 50).map(float),
    st.floats(0, 1e6),
    st.floats(0, 1e-290),  # where squares underflow
    st.floats(1e290, 1e300),  # where sums come close to overflow
)
counts = st.integers(1, 6).flatmap(lambda n: st.lists(weights, min_size=n, max_size=n))
shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))
tables = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=weights))
small_tables = shapes.flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 30).map(float))
)
numbers = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=20)


@pytest.mark.parametrize("impurity", IMPURITIES)
@given(counts=counts)
def test_an_impurity_is_never_negative_and_at_most_that_of_even_classes(impurity, counts):
    assert 0 <= impurity(counts) <= impurity([1.0] * len(counts)) + 1e-12


@pytest.mark.parametrize("impurity", IMPURITIES)
@given(weight=weights, others=st.integers(0, 4))
def test_a_pure_group_has_no_impurity(impurity, weight, others):
    assert impurity([weight] + [0.0] * others) == 0.0


@pytest.mark.parametrize("impurity", IMPURITIES)
@given(counts=st.lists(st.integers(0, 50), min_size=1, max_size=6), scale=st.floats(1e-3, 1e3))
def test_the_scale_of_weights_does_not_change_an_impurity(impurity, counts, scale):
    scaled = [count * scale for count in counts]
    assert impurity(scaled) == pytest.approx(impurity(counts), abs=1e-12)


@pytest.mark.parametrize("gain", GAINS)
@given(table=tables)
def test_a_gain_is_never_negative_and_always_a_number(gain, table):
    assert gain(table) >= 0


@pytest.mark.parametrize("gain", GAINS)
@given(row=counts, factors=st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_branches_with_the_same_shares_gain_nothing(gain, row, factors):
    table = np.outer(factors, row)
    assert gain(table) == pytest.approx(0.0, abs=1e-12 * max(1.0, table.sum()))


@pytest.mark.parametrize("gain", [information_gain, gain_ratio, gini_gain])
@given(table=small_tables, scale=st.floats(1e-3, 1e3))
def test_the_scale_of_weights_does_not_change_a_gain(gain, table, scale):
    assert gain(table * scale) == pytest.approx(gain(table), abs=1e-12)


@pytest.mark.parametrize("gain", [information_gain, gain_ratio, gini_gain])
@given(table=small_tables)
def test_weights_whose_sum_is_no_float_give_the_same_gain(gain, table):
    assert gain(table * 2.0**1019) == pytest.approx(gain(table), abs=1e-12)


@given(table=small_tables, scale=st.floats(1e-3, 1e3))
def test_chi_square_grows_with_the_weights(table, scale):
    assert chi_square(table * scale) == pytest.approx(scale * chi_square(table), rel=1e-9)


@pytest.mark.parametrize("gain", GAINS)
@given(table=small_tables)
def test_an_empty_branch_and_an_absent_class_change_nothing(gain, table):
    wider = np.pad(table, ((0, 1), (0, 1)))
    assert gain(wider) == pytest.approx(gain(table), rel=1e-12, abs=1e-13)


@given(table=tables)
def test_gain_ratio_lies_between_zero_and_one(table):
    assert 0 <= gain_ratio(table) <= 1 + 1e-9


@given(table=small_tables)
def test_gain_is_at_most_the_entropy_of_classes_and_of_branches(table):
    gain = information_gain(table)
    assert gain <= entropy(table.sum(axis=0)) + 1e-12
    assert gain <= split_information(table) + 1e-12


@given(table=small_tables)
def test_gain_and_what_is_left_add_up_to_the_entropy(table):
    total = information_gain(table) + conditional_entropy(table)
    assert total == pytest.approx(entropy(table.sum(axis=0)), abs=1e-12)


@given(table=small_tables)
def test_gain_does_not_care_which_side_is_the_branch(table):
    assert information_gain(table) == pytest.approx(information_gain(table.T), abs=1e-12)


@given(table=small_tables)
def test_chi_square_is_the_statistic_of_scipy(table):
    table = table[np.ix_(table.any(axis=1), table.any(axis=0))]
    expected = chi2_contingency(table, correction=False).statistic if table.size else 0.0
    assert chi_square(table) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(counts=counts)
def test_equal_costs_give_the_plain_gini_index(counts):
    equal = 1 - np.eye(len(counts))
    assert weighted_gini(counts, equal) == pytest.approx(gini(counts), abs=1e-15)


@given(
    table=small_tables.filter(lambda table: table.shape[1] == 2),
    costs=st.tuples(st.floats(0, 9), st.floats(0, 9)),
)
def test_for_two_classes_costs_only_rescale_gini(table, costs):
    matrix = [[0, costs[0]], [costs[1], 0]]
    expected = sum(costs) / 2 * gini_gain(table)
    assert weighted_gini_gain(table, matrix) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("spread", SPREADS)
@given(y=numbers, constant=st.floats(0, 1e6, allow_subnormal=False))
def test_a_spread_is_never_negative_and_zero_for_a_constant(spread, y, constant):
    assert spread(y) >= 0
    assert spread([constant] * len(y)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("spread", SPREADS)
@given(y=numbers, data=st.data())
def test_a_weight_of_two_is_the_row_twice(spread, y, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)))
    repeated = np.repeat(y, times)
    if len(repeated):
        assert spread(y, times) == pytest.approx(spread(repeated), rel=1e-9, abs=1e-9)


@given(y=numbers)
def test_variance_is_that_of_numpy(y):
    assert variance(y) == pytest.approx(np.var(y), rel=1e-9, abs=1e-9)
    assert least_squares(y) == pytest.approx(np.var(y) * len(y), rel=1e-9, abs=1e-9)


@given(y=numbers)
def test_absolute_error_is_taken_around_the_median(y):
    assert absolute_error(y) == pytest.approx(np.abs(y - np.median(y)).mean(), rel=1e-9, abs=1e-9)


@given(y=st.lists(st.integers(0, 30), min_size=1, max_size=20).filter(any))
def test_poisson_deviance_is_that_of_scikit_learn(y):
    expected = mean_poisson_deviance(y, np.full(len(y), np.mean(y)))
    assert poisson_deviance(y) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("gain", [gini_gain, chi_square])  # those without a logarithm
def test_a_gain_of_nothing_is_zero_and_not_a_rounding_error(gain):
    for first, second, times in itertools.product(range(1, 8), range(1, 8), range(2, 6)):
        assert gain([[first, second], [first * times, second * times]]) == 0


def test_an_empty_group_counts_as_pure():
    assert entropy([0, 0]) == gini([0, 0]) == 0
    assert gain_ratio([[0, 0], [0, 0]]) == chi_square([[0, 0]]) == 0
    assert all(spread([], []) == 0 for spread in SPREADS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy([3, -1]), r"`counts`\[1\] is -1.0"),
        (lambda: information_gain([[1, 2], [3, math.nan]]), r"`table`\[1, 1\] is nan"),
        (lambda: information_gain([1, 2]), "`table` has 1 dimensions, not 2"),
        (lambda: entropy(["a", "b"]), "`counts` is not made of numbers"),
        (lambda: weighted_gini([1, 2, 3], [[0, 1], [1, 0]]), "do not fit 3 classes"),
        (lambda: variance([1, math.inf]), "`y` has to be a list of finite numbers"),
        (lambda: variance([1, 2], [1]), "`weights` has 1 numbers and `y` 2"),
        (lambda: poisson_deviance([0, 1, -2]), r"`y`\[2\] is -2.0"),
    ],
)
def test_bad_counts_are_named_with_their_place(call, message):
    with pytest.raises(DataError, match=message):
        call()
