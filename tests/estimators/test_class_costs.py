"""Class weights, priors and costs become factors on classes."""

import numpy as np
import pytest

from treewright.errors import ParameterError
from treewright.estimators.class_costs import class_factors, cost_matrix, row_factors

CLASSES = np.array(["bad", "good"])
TOTALS = np.array([30.0, 70.0])
EQUAL_COSTS = [[0, 1], [1, 0]]


def test_nothing_given_changes_nothing():
    factors = class_factors(None, None, TOTALS, CLASSES)
    assert (factors.split, factors.leaf, factors.costs) == (None, None, None)


def test_the_priors_of_the_training_rows_change_nothing():
    factors = class_factors(None, [0.3, 0.7], TOTALS, CLASSES)
    assert factors.split is None
    assert factors.leaf is None


def test_equal_costs_leave_the_split_alone():
    factors = class_factors(EQUAL_COSTS, None, TOTALS, CLASSES)
    assert factors.split is None
    assert factors.leaf is None
    np.testing.assert_array_equal(factors.costs, EQUAL_COSTS)


def test_priors_weigh_a_class_as_if_it_were_that_frequent():
    factors = class_factors(None, {"good": 0.5, "bad": 0.5}, TOTALS, CLASSES)
    np.testing.assert_allclose(factors.split * TOTALS, [50, 50])
    np.testing.assert_allclose(factors.leaf, factors.split)


def test_costs_enter_the_split_as_altered_priors_and_not_the_leaf():
    factors = class_factors([[0, 5], [1, 0]], None, TOTALS, CLASSES)
    altered = np.array([0.3 * 5, 0.7 * 1]) / (0.3 * 5 + 0.7)
    np.testing.assert_allclose(factors.split * TOTALS / 100, altered)
    assert factors.leaf is None


def test_costs_and_priors_multiply():
    factors = class_factors([[0, 5], [1, 0]], [0.5, 0.5], TOTALS, CLASSES)
    np.testing.assert_allclose(factors.split * TOTALS / 100, [5 / 6, 1 / 6])
    np.testing.assert_allclose(factors.leaf * TOTALS / 100, [0.5, 0.5])


def test_a_class_without_weight_has_no_factor():
    factors = class_factors(None, [0.5, 0.5], np.array([10.0, 0.0]), CLASSES)
    assert np.isfinite(factors.split).all()


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 1, 2]], ["shape (1, 3)", "2 classes", "bad, good"]),
        ([[0, -1], [1, 0]], ["costs[0][1]=-1.0"]),
        ([[0, np.nan], [1, 0]], ["costs[0][1]=nan"]),
        ([[1, 1], [1, 0]], ["costs[0][0]=1.0", "diagonal"]),
        ([[0, 0], [1, 0]], ["`bad`", "free"]),
        ([[0, "x"], [1, 0]], ["does not consist of numbers"]),
        ([[0, 1], [1]], ["does not consist of numbers"]),
        ([[0, 1e200], [1, 0]], ["costs[0][1]=1e+200"]),
        ({"goood": 2}, ["'goood'", "did you mean `good`?"]),
        ({"good": {"ugly": 2}}, ["costs['good']", "'ugly'", "bad, good"]),
        ({"good": [1, 2]}, ["costs['good']=[1, 2] is not a number"]),
        ({"good": {"good": 1}}, ["costs[1][1]=1.0", "diagonal"]),
        ({"good": -1}, ["costs[1][0]=-1.0", "correct prediction"]),
        ({"good": 0}, ["`good`", "free"]),
    ],
)
def test_odd_costs_are_refused(costs, words):
    with pytest.raises(ParameterError) as caught:
        class_factors(costs, None, TOTALS, CLASSES)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ([0.5], ["shape (1,)", "2 classes"]),
        ([0.5, 0.6], ["add up to 1.1"]),
        ([1.0, 0.0], ["positive"]),
        ({"bad": 0.5, "god": 0.5}, ["'god'", "did you mean `good`?"]),
        ({"bad": 1.0}, ["no number for the class `good`"]),
    ],
)
def test_odd_priors_are_refused(priors, words):
    with pytest.raises(ParameterError) as caught:
        class_factors(None, priors, TOTALS, CLASSES)
    assert all(word in str(caught.value) for word in words)


def test_a_dict_of_costs_names_classes_and_the_rest_costs_1():
    classes = np.array(["a", "b", "c"])
    found = cost_matrix({"b": 5, "c": {"a": 20}}, classes)
    np.testing.assert_array_equal(found, [[0, 1, 1], [5, 0, 5], [20, 1, 0]])


def test_a_class_that_is_a_number_may_be_written_as_text():
    np.testing.assert_array_equal(cost_matrix({"1": 5}, np.array([0, 1])), [[0, 1], [5, 0]])
    factors = row_factors({"1": 5}, np.array([0, 1]), np.array([0, 1]), None)
    np.testing.assert_array_equal(factors, [1, 5])


def test_a_class_that_another_one_can_replace_is_a_warning():
    costs = [[0, 0, 1], [1, 0, 1], [1, 1, 0]]  # predicting b never costs more than predicting a
    with pytest.warns(UserWarning, match="predicting `b` never costs more than predicting `a`"):
        cost_matrix(costs, np.array(["a", "b", "c"]))


def test_balanced_gives_every_class_the_same_total():
    codes = np.array([0, 1, 1, 1])
    factors = row_factors("balanced", codes, CLASSES, None)
    np.testing.assert_allclose(np.bincount(codes, factors), [2, 2])


def test_balanced_counts_weights():
    codes, weights = np.array([0, 1, 1]), np.array([2.0, 1.0, 1.0])
    np.testing.assert_allclose(row_factors("balanced", codes, CLASSES, weights), [1, 1, 1])


def test_a_dict_may_leave_classes_out_or_name_further_ones():
    codes = np.array([0, 1])
    np.testing.assert_array_equal(row_factors({"bad": 5}, codes, CLASSES, None), [5, 1])
    more = {"bad": 5, "good": 2, "ugly": 3}
    np.testing.assert_array_equal(row_factors(more, codes, CLASSES, None), [5, 2])
    with pytest.raises(ParameterError, match="did you mean `good`"):
        row_factors({"goood": 5}, codes, CLASSES, None)


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf"), "much"])
def test_odd_class_weights_are_refused(weight):
    with pytest.raises(ParameterError):
        row_factors({"bad": weight}, np.array([0, 1]), CLASSES, None)
