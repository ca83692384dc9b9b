"""Sets of rows as bits equal sets of rows as masks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import builders
from treewright.rulesets.condition import LevelSet
from treewright.rulesets.row_masks import Part, RowMasks, packed

seeds = st.integers(0, 2**32 - 1)


def some_rows(seed, n_rows=130, *, weighted=False):
    rng = np.random.default_rng(seed)
    schema = builders.a_mixed_schema(rng)
    table = builders.a_random_table(rng, schema, n_rows)
    weights = rng.uniform(0.1, 3, n_rows) if weighted else None
    codes = rng.integers(0, 3, n_rows)
    return RowMasks(table, schema, codes, 3, weights), schema, table, weights


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_packing_loses_nothing(mask):
    rows, *_ = some_rows(0, len(mask))
    assert rows.mask(packed(np.array(mask))).tolist() == mask


@pytest.mark.parametrize("weighted", [False, True])
@given(seed=seeds)
def test_weights_of_sets_are_those_of_their_rows(weighted, seed):
    rows, _, table, weights = some_rows(seed, weighted=weighted)
    masks = np.random.default_rng(seed).random((4, len(table))) < 0.4
    sets = np.stack([packed(mask) for mask in masks])
    expected = masks @ (np.ones(len(table)) if weights is None else weights)
    np.testing.assert_allclose(rows.weight(sets), expected)
    shared = masks[:, np.newaxis] & masks
    expected = shared @ (np.ones(len(table)) if weights is None else weights)
    np.testing.assert_allclose(rows.shared_weight(sets, sets), expected)


@given(seed=seeds)
def test_a_missing_value_passes_no_piece(seed):
    rows, schema, table, _ = some_rows(seed)
    for feature, spec in enumerate(schema.columns):
        if spec.is_numeric:
            parts = [Part(feature, low=0.1), Part(feature, high=0.1)]
        else:
            parts = [Part(feature, levels=LevelSet(frozenset({0}), e)) for e in (False, True)]
        known = ~table.columns[feature].is_missing
        if not spec.is_numeric:
            known &= table.columns[feature].codes < len(spec.levels)
        first, second = (rows.mask(rows.of_part(part)) for part in parts)
        assert (first ^ second).tolist() == known.tolist()


def test_the_masks_that_are_kept_are_bounded(monkeypatch):
    monkeypatch.setattr("treewright.rulesets.row_masks.CACHED_BYTES", 0)
    rows, schema, *_ = some_rows(1)
    feature = next(at for at, spec in enumerate(schema.columns) if spec.is_numeric)
    for at in range(200):
        rows.of_part(Part(feature, low=float(at)))
    assert len(rows._kept) == 64
