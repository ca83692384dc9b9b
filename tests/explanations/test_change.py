"""What a change says of the values around it, against trying them all; ties and costs included."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from builders import a_chain, a_number_tree, a_stump
from explanations.test_explain import (
    NAMES,
    SCHEMA,
    a_row,
    a_small_tree,
    check_change,
    explained,
    spreads,
)
from reference.explanations_reference import (
    cheapest_change,
    is_sufficient,
    known_values,
    predictions,
    price,
    smallest_reason,
)
from treewright.errors import ParameterError
from treewright.explanations import change

seeds = st.integers(0, 2**32 - 1)


def fulfills(condition, spec, value):
    if condition.levels is not None:
        return spec.levels[int(value)] in condition.levels
    is_above = condition.above is None or value > condition.above
    return is_above and (condition.up_to is None or value <= condition.up_to)


@given(seed=seeds, is_classifier=st.booleans())
@settings(max_examples=100, deadline=None)
def test_every_value_that_a_change_allows_leads_to_its_prediction(seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng, is_classifier=is_classifier)
    row = a_row(rng, tree)
    found = explained(tree, row, tolerance=None if is_classifier else 0.3).change
    if found is None:
        return
    choices = [[value] for value in row]
    for one in found.columns:
        column = NAMES.index(one.column)
        spec = SCHEMA.columns[column]
        choices[column] = [
            value for value in known_values(tree, column) if fulfills(one.to, spec, value)
        ]
        new = one.new if spec.is_numeric else float(spec.levels.index(one.new))
        assert new in choices[column]
        assert not fulfills_or_unknown(one.to, spec, row[column])
    named = predictions(tree, list(product(*choices)))
    assert {float(one) if tree.classes is None else tree.classes[one] for one in named} == {
        found.prediction
    }


def fulfills_or_unknown(condition, spec, value):
    return not (math.isnan(value) or value < -1e9 or (not spec.is_numeric and value < 0)) and (
        fulfills(condition, spec, value)
    )


@given(seed=seeds)
@settings(max_examples=100, deadline=None)
def test_ties_and_costs_are_decided_as_prediction_decides_them(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    costs = None
    if rng.random() < 0.7:
        costs = rng.integers(0, 3, size=(len(tree.classes),) * 2).astype(np.float64)
        np.fill_diagonal(costs, 0.0)
        costs = costs if costs.any() else None
    tree = replace(tree, value=np.round(tree.value / 2), costs=costs)
    row = a_row(rng, tree)
    found = explained(tree, row)
    own = predictions(tree, [row])[0]
    assert found.prediction == tree.classes[own]
    columns = {NAMES.index(name) for name in found.reason.columns}
    assert is_sufficient(tree, row, columns)
    assert len(columns) == smallest_reason(tree, row)
    check_change(tree, row, found, 0.0)


@given(seed=seeds, wanted=st.sampled_from(["up", "down", (0.5, 1.0), (None, -1.0), (1.5, None)]))
@settings(max_examples=150, deadline=None)
def test_wanted_numbers_are_reached_by_the_smallest_change(seed, wanted):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng, is_classifier=False)
    row = a_row(rng, tree)
    own = float(predictions(tree, [row])[0])
    low, high = {"up": (own, math.inf), "down": (-math.inf, own)}.get(wanted, wanted)
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    if wanted not in ("up", "down") and low <= own <= high:
        with pytest.raises(ParameterError, match="already"):
            explained(tree, row, wanted=wanted)
        return
    found = explained(tree, row, wanted=wanted, tolerance=0.2)
    choices = [[value, *known_values(tree, column)] for column, value in enumerate(row)]
    rows = list(product(*choices))
    numbers = predictions(tree, rows)
    is_wanted = (low <= numbers) & (numbers <= high)
    if wanted in ("up", "down"):
        is_wanted &= np.abs(numbers - own) > 0.2
    widths = spreads(tree, row)
    prices = [price(tree, row, rows[at], widths) for at in np.flatnonzero(is_wanted)]
    assert (found.change is None) == (not prices)
    if prices:
        n_columns, size = min(prices)
        assert len(found.change.columns) == n_columns
        assert found.change.size == pytest.approx(size)
        assert low <= found.change.prediction <= high


@pytest.mark.parametrize("wanted", ["more", 5.0, (1, 2, 3), (2, 1), ("a", None), (math.nan, 1)])
def test_what_cannot_be_wanted_of_numbers_is_an_error(wanted):
    tree = a_number_tree()
    row = (0.0,) * tree.schema.n_columns
    with pytest.raises(ParameterError, match=r"wanted=.*numbers"):
        explained(tree, row, wanted=wanted)


def test_a_change_between_two_cuts_says_both():
    X = [[float(x)] for x in range(9)]
    model = tw.CARTClassifier(prune=None).fit(X, ["a"] * 3 + ["b"] * 3 + ["a"] * 3)
    assert str(model.explain([0.0]).change) == "x0 from 0 to above 2.5, up to 5.5"
    assert str(model.explain([8.0]).change) == "x0 from 8 to 5.5 or less, above 2.5"
    (to,) = [one.to for one in model.explain([0.0]).change.columns]
    assert (to.above, to.up_to, to.levels) == (2.5, 5.5, None)


def test_all_levels_that_will_do_are_known():
    levels = [f"v{k}" for k in range(20)]
    rows = [{"kind": one} for one in levels for _ in range(3)]
    model = tw.CARTClassifier(prune=None).fit(rows, ["a"] * 45 + ["b"] * 15)
    found = model.explain({"kind": "v0"}).change.columns[0]
    assert found.to.levels == ("v15", "v16", "v17", "v18", "v19")
    assert str(found) == "kind from v0 to v15 (or 4 other categories)"


def test_a_range_that_was_not_sought_to_its_end_is_still_true(monkeypatch):
    monkeypatch.setattr(change, "MOST_BOXES_AROUND", 0)
    found = explained(a_stump(0.8), (0.2,)).change.columns[0]
    assert str(found).endswith("from 0.2 to above 0.8")


def test_infinities_are_explained_too():
    tree = a_chain(5)
    for value in (math.inf, -math.inf):
        found = explained(tree, (value,))
        expected = cheapest_change(tree, (value,), spreads=[1.0], tolerance=0)
        assert len(found.change.columns) == expected[0] == 1
