"""Compiled weights of sets of rows equal their definition, digit for digit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from reference import row_sets_reference
from treewright._kernels.row_sets import shared_weights, weights_without_each
from treewright.rulesets import row_masks
from treewright.rulesets.row_masks import packed, padded, summable

seeds = st.integers(0, 2**32 - 1)


def some_sets(rng, n_sets, n_rows):
    """Sparse, dense, empty and full sets."""
    shares = rng.choice([0.0, 0.002, 0.1, 0.5, 0.97, 1.0], n_sets)
    masks = rng.random((n_sets, n_rows)) < shares[:, np.newaxis]
    return np.stack([packed(mask) for mask in masks])


def some_weights(rng, n_rows, n_words):
    """Weights of very different sizes, zero included; or none."""
    kind = rng.integers(3)
    if kind == 0:
        return None
    weights = rng.uniform(0.5, 1.5, n_rows) if kind == 1 else 10.0 ** rng.uniform(-9, 9, n_rows)
    weights[rng.random(n_rows) < 0.05] = 0.0
    return padded(summable(weights), n_words * 64)


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=50))
def test_weights_that_can_be_added_up_are_nearly_the_same(given_weights):
    weights = np.array(given_weights)
    found = summable(weights)
    np.testing.assert_allclose(found, weights, rtol=0, atol=weights.sum() * 2.0**-52)
    assert Fraction(float(found.sum())) == sum(map(Fraction, found.tolist()))
    assert np.array_equal(summable(found), found)
    whole = np.rint(weights / max(weights.max() / 1e6, 1e-300))
    assert np.array_equal(summable(whole), whole)


@given(seed=seeds)
def test_shared_weights_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.choice([1, 63, 64, 65, 1024, 1025, 3000]))
    sets, within = some_sets(rng, 4, n_rows), some_sets(rng, int(rng.integers(1, 3)), n_rows)
    weights = some_weights(rng, n_rows, sets.shape[1])
    found = shared_weights(sets, within, weights)
    expected = row_sets_reference.shared_weights(sets, within, weights)
    np.testing.assert_array_equal(found, expected)


@given(seed=seeds)
def test_weights_without_each_part_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.choice([1, 63, 64, 65, 1024, 1025, 3000]))
    parts = some_sets(rng, int(rng.integers(1, 6)), n_rows)
    everything, (wrong,) = packed(np.ones(n_rows, dtype=bool)), some_sets(rng, 1, n_rows)
    weights = some_weights(rng, n_rows, parts.shape[1])
    found = weights_without_each(parts, everything, wrong, weights)
    expected = row_sets_reference.weights_without_each(parts, everything, wrong, weights)
    np.testing.assert_array_equal(found, expected)


def test_sets_that_do_not_fit_are_refused():
    sets = np.zeros((2, 3), dtype=np.uint64)
    with pytest.raises(ValueError, match="within: sets of another number of rows"):
        shared_weights(sets, sets[:, :2].copy(), None)
    with pytest.raises(ValueError, match="weight: one value per row"):
        shared_weights(sets, sets, np.ones(191))
    with pytest.raises(ValueError, match="sets of rows:"):
        shared_weights(sets[0], sets, None)
    with pytest.raises(ValueError, match="a set of rows: of another number of rows"):
        weights_without_each(sets, sets[0], sets[0, :2].copy(), None)


def a_mixed_table(rng, n_rows=400):
    """Numbers, categories and missing values; a noisy class; weights that are no whole numbers."""
    number = rng.normal(size=n_rows).round(2)
    color = rng.choice(["red", "green", "blue", "gray"], n_rows).astype(object)
    other = rng.normal(size=n_rows)
    y = np.where((number > 0) ^ (color == "red") ^ (rng.random(n_rows) < 0.2), "yes", "no")
    number[rng.random(n_rows) < 0.1] = np.nan
    color[rng.random(n_rows) < 0.1] = None
    table = tw.table_from({"number": number, "color": color, "other": other})
    return table, y, rng.uniform(0.5, 1.5, n_rows)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_rules_are_those_of_the_definition(weighted, seed, monkeypatch):
    table, y, weights = a_mixed_table(np.random.default_rng(seed))
    given_weights = weights if weighted else None
    found = tw.C45Rules().fit(table, y, sample_weight=given_weights)
    for name in ("shared_weights", "weights_without_each"):
        monkeypatch.setattr(row_masks, name, getattr(row_sets_reference, name))
    expected = tw.C45Rules().fit(table, y, sample_weight=given_weights)
    assert len(found.rules_) > 1
    assert found.rules_.to_json() == expected.rules_.to_json()
    np.testing.assert_array_equal(found.predict_proba(table), expected.predict_proba(table))
