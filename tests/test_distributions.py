"""Quantiles and tails, against SciPy's."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import special

from treewright import distributions


@given(st.floats(1e-300, 1 - 1e-15))
@example(0.075)
@example(0.925)
@example(1.3887943864964021e-11)  # where the far tail begins
def test_normal_quantiles_are_scipy_s(share):
    found = distributions.normal_quantile(share)
    assert found == pytest.approx(special.ndtri(share), rel=2e-15, abs=2e-16)


def test_the_ends_are_infinite():
    assert distributions.normal_quantile(0.0) == -math.inf
    assert distributions.normal_quantile(1.0) == math.inf
    assert distributions.student_quantile(3.0, 1.0) == math.inf


@given(st.floats(-8, 8))
def test_normal_tails_are_scipy_s(x):
    assert distributions.normal_below(x) == pytest.approx(special.ndtr(x), rel=1e-13)


@given(st.floats(0.2, 2e4), st.floats(-60, 60))
def test_student_s_tails_are_scipy_s(freedom, t):
    found = distributions.student_below(freedom, t)
    assert found == pytest.approx(special.stdtr(freedom, t), rel=1e-9, abs=1e-300)


@given(st.floats(0.2, 1e12), st.floats(0.5001, 0.9999))
@example(999.9999, 0.9999)
@example(1000.0, 0.9999)
def test_student_s_quantiles_are_scipy_s(freedom, share):
    found = distributions.student_quantile(freedom, share)
    assert found == pytest.approx(special.stdtrit(freedom, share), rel=1e-8)
    assert distributions.student_quantile(freedom, 1 - share) == pytest.approx(-found, rel=1e-8)


@given(st.floats(0.02, 5000.0), st.floats(0.5001, 0.9999))
def test_a_quantile_leads_back_to_its_share(freedom, share):
    t = distributions.student_quantile(freedom, share)
    assert distributions.student_below(freedom, t) == pytest.approx(share, rel=1e-10)
