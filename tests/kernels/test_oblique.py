"""The search for sums of columns, beside its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference.oblique_reference import best_cut, best_pair, gain_of
from treewright._kernels.learners import (
    ObliqueImpurity,
    ObliqueSettings,
    ObliqueTarget,
    best_sum_cut,
    search_sums,
)


def target_of(codes, weights=None, criterion="gini", min_rows=1.0):
    codes = np.asarray(codes, dtype=np.int32)
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    made = ObliqueTarget(
        ObliqueImpurity[criterion], codes, int(codes.max(initial=0)) + 1, weights, weights
    )
    made.min_rows = min_rows
    return made


@st.composite
def cuts(draw):
    n = draw(st.integers(2, 30))
    sums = draw(arrays(np.float64, n, elements=st.sampled_from([-2.5, -1, 0, 0.5, 1, 3, np.inf])))
    codes = draw(arrays(np.int32, n, elements=st.integers(0, 2)))
    weights = draw(arrays(np.float64, n, elements=st.sampled_from([0.5, 1.0, 2.0])))
    return sums, codes, weights


@settings(max_examples=60)
@given(cuts(), st.sampled_from(["gini", "entropy"]), st.integers(1, 3))
def test_the_best_cut_is_the_first_best_of_all(case, criterion, min_rows):
    sums, codes, weights = case
    n_classes = int(codes.max()) + 1
    found = best_sum_cut(sums, target_of(codes, weights, criterion, min_rows), 0.0)
    wanted = best_cut(sums, codes, weights, n_classes, min_rows=min_rows, criterion=criterion)
    if wanted is None:
        assert found is None
    else:
        assert found == pytest.approx(wanted, abs=1e-12)


def test_sums_that_differ_by_rounding_only_are_not_parted():
    sums = np.array([0.3, 0.1 + 0.2, 1.0, 1.0])
    assert best_sum_cut(sums, target_of([0, 1, 1, 1]), 1e-9) == pytest.approx((0.125, 0.3, 1.0))


def test_the_search_finds_the_line_that_was_planted():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 60, size=(4, 400)).astype(np.float64)
    codes = (2 * values[1] + values[3] > 91).astype(np.int32)
    asked = ObliqueSettings()
    asked.max_terms = 3
    (columns, weights), *_ = search_sums(values, target_of(codes), asked, 1)
    assert columns == [1, 3]
    sums = values[columns].T @ weights
    gain, _, _ = best_sum_cut(np.ascontiguousarray(sums), target_of(codes), 0.0)
    assert gain > 0.97 * gain_of(codes, codes, np.ones(400), 2)


def test_the_search_comes_near_the_best_of_all_lines():
    rng = np.random.default_rng(1)
    shares = []
    for _ in range(3):
        x, y = rng.permutation(30)[:8], rng.permutation(30)[:8]
        codes = rng.integers(0, 2, 8).astype(np.int32)
        codes[:2] = 0, 1
        asked = ObliqueSettings()
        asked.max_terms, asked.n_jumps, asked.max_loss = 2, 30, 0.0
        values = np.array([x, y], dtype=np.float64)
        found = search_sums(values, target_of(codes), asked, 1)
        sums = np.ascontiguousarray(values[found[0][0]].T @ found[0][1])
        gain, _, _ = best_sum_cut(sums, target_of(codes), 0.0)
        shares.append(gain / best_pair(x, y, codes, 2))
    assert max(shares) <= 1 + 1e-9
    assert np.mean(shares) > 0.9


def test_threads_change_nothing():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(6, 200))
    values[0, ::7] = np.nan
    codes = rng.integers(0, 4, 200)
    asked = ObliqueSettings()
    asked.max_terms, asked.seed = 4, 5
    predictions = [search_sums(values, target_of(codes), asked, n) for n in (1, 2, 3)]
    assert predictions[0] == predictions[1] == predictions[2]
    assert [len(columns) for columns, _ in predictions[0]] == [2, 3, 4]


def test_columns_that_are_constant_or_unknown_are_left_out():
    rng = np.random.default_rng(3)
    values = np.array([np.full(50, 0.1), np.full(50, np.nan), rng.normal(size=50)])
    assert search_sums(values, target_of(rng.integers(0, 2, 50)), ObliqueSettings(), 1) == []


@pytest.mark.parametrize(
    ("values", "codes", "words"),
    [
        (np.zeros((2, 3)), [0, 1], "one value per row"),
        (np.zeros(2), [0, 1], "one line per column"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(values, codes, words):
    with pytest.raises(ValueError, match=words):
        search_sums(values, target_of(codes), ObliqueSettings(), 1)


@pytest.mark.parametrize(("setting", "value"), [("max_terms", 0), ("n_jumps", -1)])
def test_numbers_that_no_search_has_are_refused(setting, value):
    asked = ObliqueSettings()
    setattr(asked, setting, value)
    with pytest.raises(ValueError, match=setting):
        search_sums(np.arange(6.0).reshape(2, 3), target_of([0, 1, 2]), asked, 1)


def test_weights_and_codes_are_checked():
    ones = np.ones(2)
    with pytest.raises(ValueError, match="a class"):
        ObliqueTarget(ObliqueImpurity["gini"], np.array([0, 2], dtype=np.int32), 2, ones, ones)
    with pytest.raises(ValueError, match="a weight above 0"):
        target_of([0, 1], [1.0, np.nan])
    with pytest.raises(ValueError, match="a number"):
        best_sum_cut(np.array([0.0, np.nan]), target_of([0, 1]), 0.0)
