"""Explanations against brute force on small random trees of every kind."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_number_tree, a_random_tree, a_stump
from reference.explanations_reference import (
    cheapest_change,
    is_sufficient,
    predictions,
    smallest_reason,
)
from treewright.data.column import UNSEEN
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ParameterError, UnknownColumnError
from treewright.explanations.change import spreads_of_tree
from treewright.explanations.explain import Background, explain_row
from treewright.explanations.path import Request, way_of
from treewright.explanations.search import table_of
from treewright.exports.program import Program
from treewright.tree.layout import OBLIQUE
from treewright.tree.predict import predict_parts

SCHEMA = Schema(
    (
        ColumnSpec("number", "numeric"),
        ColumnSpec("other number", "numeric"),
        ColumnSpec("color", "nominal", ("red", "green", "blue")),
        ColumnSpec("size", "ordered", ("low", "middle", "high", "top")),
    )
)
NAMES = SCHEMA.names
seeds = st.integers(0, 2**32 - 1)


def a_small_tree(rng, *, is_classifier=True):
    while True:
        n_splits = int(rng.integers(0, 6))
        tree = a_random_tree(rng, SCHEMA, n_splits=n_splits, is_classifier=is_classifier)
        if not (tree.kind == OBLIQUE).any():
            return tree


def a_row(rng, tree):
    numbers = [math.nan if rng.random() < 0.2 else round(float(rng.normal()), 1) for _ in range(2)]
    levels = [float(rng.integers(-1, n)) for n in (3, 4)]
    levels = [math.nan if level < 0 else level for level in levels]
    if tree.unseen == "majority":
        levels = [float(UNSEEN) if rng.random() < 0.2 else level for level in levels]
    return (*numbers, *levels)


def explained(tree, row, **request):
    return explain_row(tree, table_of(Program(tree), [row]), Request(**request))


def spreads(tree, row):
    found = spreads_of_tree(Program(tree), row)
    return [found.get(column, 1.0) for column in range(len(row))]


@given(seed=seeds)
@settings(max_examples=150, deadline=None)
def test_the_reason_is_sufficient_and_the_smallest_there_is(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    reason = explained(tree, row).reason
    columns = {NAMES.index(name) for name in reason.columns}
    assert reason.is_minimal
    assert reason.is_smallest
    assert is_sufficient(tree, row, columns)
    assert len(columns) == smallest_reason(tree, row)


@given(seed=seeds)
@settings(max_examples=100, deadline=None)
def test_no_change_is_smaller(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    check_change(tree, row, explained(tree, row), 0.0)


@given(seed=seeds)
@settings(max_examples=150, deadline=None)
def test_immutable_columns_and_directions_are_respected(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    immutable = [column for column in range(4) if rng.random() < 0.3]
    directions = {
        column: str(rng.choice(["up", "down"])) for column in (0, 1, 3) if rng.random() < 0.4
    }
    found = explained(
        tree,
        row,
        immutable=[NAMES[column] for column in immutable],
        directions={NAMES[column]: way for column, way in directions.items()},
    )
    check_change(tree, row, found, 0.0, immutable=immutable, directions=directions)


@given(seed=seeds, tolerance=st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=150, deadline=None)
def test_numbers_are_explained_within_the_tolerance(seed, tolerance):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng, is_classifier=False)
    row = a_row(rng, tree)
    found = explained(tree, row, tolerance=tolerance)
    columns = {NAMES.index(name) for name in found.reason.columns}
    assert is_sufficient(tree, row, columns, tolerance)
    assert len(columns) == smallest_reason(tree, row, tolerance)
    check_change(tree, row, found, tolerance)


def check_change(tree, row, found, tolerance, **limits):
    """The change has the price of the cheapest one, and does what it says."""
    expected = cheapest_change(tree, row, spreads=spreads(tree, row), tolerance=tolerance, **limits)
    assert found.change_is_known
    if expected is None:
        assert found.change is None
        return
    change = found.change
    assert len(change.columns) == expected[0]
    assert change.size == pytest.approx(expected[1])
    other = list(row)
    for one in change.columns:
        column = NAMES.index(one.column)
        spec = SCHEMA.columns[column]
        other[column] = one.new if spec.is_numeric else float(spec.levels.index(one.new))
    prediction = predictions(tree, [tuple(other)])[0]
    assert change.prediction == (
        float(prediction) if tree.classes is None else tree.classes[prediction]
    )
    assert change.prediction != found.prediction


@given(seed=seeds)
@settings(max_examples=100, deadline=None)
def test_the_ends_are_those_of_the_predictor(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    program = Program(tree)
    for _ in range(30):
        row = a_row(rng, tree)
        way = way_of(program, row)
        parts = predict_parts(tree, table_of(program, [row]))
        shares = dict(zip(parts.node.tolist(), parts.share.tolist(), strict=True))
        assert {end.node: pytest.approx(end.share) for end in way.ends} == shares
        assert {*way.ends} <= {*way.nodes}
    found = explained(tree, row)
    assert found.ends == way.ends
    json.loads(found.to_json())
    assert found.to_text().startswith("prediction: ")


@given(seed=seeds)
@settings(max_examples=60, deadline=None)
def test_a_wanted_class_is_reached_if_any_row_reaches_it(seed):
    rng = np.random.default_rng(seed)
    tree = a_small_tree(rng)
    row = a_row(rng, tree)
    own = int(predictions(tree, [row])[0])
    code = (own + 1) % len(tree.classes)
    change = explained(tree, row, wanted=tree.classes[code]).change
    expected = cheapest_change(tree, row, spreads=spreads(tree, row), wanted=code)
    assert (change is None) == (expected is None)
    if change is not None:
        assert change.prediction == tree.classes[code]
        assert (len(change.columns), change.size) == (expected[0], pytest.approx(expected[1]))
    with pytest.raises(ParameterError, match="already"):
        explained(tree, row, wanted=tree.classes[own])


def test_a_number_goes_just_across_the_threshold():
    found = explained(a_stump(0.8), (0.2,))
    (change,) = found.change.columns
    assert change.new == math.nextafter(0.8, math.inf)
    assert str(change).endswith("from 0.2 to above 0.8")
    (back,) = explained(a_stump(0.8), (1.0,)).change.columns
    assert back.new == 0.8
    assert str(back).endswith("from 1 to 0.8 or less")


def test_names_and_directions_that_do_not_fit_are_errors():
    with pytest.raises(UnknownColumnError):
        explained(a_stump(0.8), (0.2,), immutable=["nothing"])
    name = a_stump(0.8).schema.names[0]
    with pytest.raises(ParameterError, match="up, down"):
        explained(a_stump(0.8), (0.2,), directions={name: "upp"})
    with pytest.raises(ParameterError, match="not a class"):
        explained(a_stump(0.8), (0.2,), wanted="nobody")
    tree = a_number_tree()
    with pytest.raises(ParameterError, match="numbers"):
        explained(tree, (0.0,) * tree.schema.n_columns, wanted=1)


def test_neighbors_are_the_nearest_rows_given():
    tree = a_stump(0.8)
    rows = table_of(Program(tree), [(0.0,), (1.0,), (0.3,), (math.nan,)])
    known = Background(rows=rows, target=np.array(["a", "b", "c", "d"]))
    found = explain_row(tree, table_of(Program(tree), [(0.2,)]), Request(n_neighbors=2), known)
    assert [(one.row, one.target) for one in found.neighbors] == [(2, "c"), (0, "a")]
