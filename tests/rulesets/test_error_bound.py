"""The pessimistic error rate of rules is that of C4.5's leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.intervals import pessimistic_rate


def rate(weight, errors, confidence=0.25):
    return pessimistic_rate(weight, errors, confidence)


@pytest.mark.parametrize(
    ("weight", "errors", "expected"),
    [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157), (168, 1, 0.0161)],
)
def test_the_rates_are_those_of_quinlans_book(weight, errors, expected):
    # "C4.5: Programs for Machine Learning", the congressional voting example, in three digits
    # (the program's normal approximation differs from the exact limit in the third).
    assert rate(weight, errors) == pytest.approx(expected, rel=0.05)


def test_without_rows_a_rule_is_as_bad_as_can_be():
    assert rate(0.0, 0.0) == 1.0


@given(st.floats(1, 1e6), st.floats(0, 1), st.floats(0.01, 0.5))
def test_the_rate_is_above_what_was_seen_and_at_most_one(weight, share, confidence):
    found = rate(weight, share * weight, confidence)
    assert share - 1e-9 <= found <= 1 + 1e-12


@given(st.integers(1, 500), st.floats(0.01, 0.5))
def test_more_errors_are_never_better(weight, confidence):
    errors = np.linspace(0, weight, 50)
    rates = [rate(weight, e, confidence) for e in errors]
    assert (np.diff(rates) >= -1e-9).all()
