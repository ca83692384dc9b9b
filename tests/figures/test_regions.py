"""The regions of a plane are exact: they cover it once, and answer as the tree does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_mixed_schema, a_random_tree
from treewright.data.column import UNSEEN
from treewright.errors import ParameterError
from treewright.explanations.boxes import holds
from treewright.explanations.search import table_of
from treewright.exports.program import Program
from treewright.figures.territory import partition_of
from treewright.tree.layout import OBLIQUE
from treewright.tree.predict import predict_values, predicted_classes


def a_tree_without_sums(rng, *, is_classifier=True):
    while True:
        tree = a_random_tree(rng, a_mixed_schema(rng), n_splits=8, is_classifier=is_classifier)
        if not (tree.kind == OBLIQUE).any():
            return tree


def known_value(rng, spec):
    if spec.is_numeric:
        return float(rng.choice([round(rng.normal(), 1), rng.normal() * 10]))
    return float(rng.integers(len(spec.levels)))


def any_value(rng, spec, unseen):
    if rng.random() < 0.3:
        return float("nan")
    if not spec.is_numeric and unseen == "majority" and rng.random() < 0.2:
        return float(UNSEEN)
    return known_value(rng, spec)


@given(st.integers(0, 10_000), st.booleans())
def test_every_point_of_the_plane_is_in_one_region_that_answers_as_the_tree(seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = a_tree_without_sums(rng, is_classifier=is_classifier)
    specs = tree.schema.columns
    x, y = rng.choice(len(specs), size=2, replace=False).tolist()
    fixed = tuple(any_value(rng, spec, tree.unseen) for spec in specs)
    found = partition_of(tree, x, y, fixed)
    rows, regions = [], []
    for _ in range(15):
        at_x, at_y = known_value(rng, specs[x]), known_value(rng, specs[y])
        inside = [
            at
            for at, region in enumerate(found.regions)
            if holds(specs[x], region.x, at_x) and holds(specs[y], region.y, at_y)
        ]
        assert len(inside) == 1
        regions += inside
        row = list(fixed)
        row[x], row[y] = at_x, at_y
        rows.append(tuple(row))
    expected = predict_values(tree, table_of(Program(tree), rows))
    assert found.values[regions] == pytest.approx(expected, abs=1e-12)
    if is_classifier:
        is_clear = np.sort(expected, axis=1)[:, -1] - np.sort(expected, axis=1)[:, -2] > 1e-9
        predictions = predicted_classes(tree, expected)
        assert (found.predicted[regions] == predictions)[is_clear].all()


def test_shares_of_nodes_add_up_to_one():
    rng = np.random.default_rng(0)
    for _ in range(30):
        tree = a_tree_without_sums(rng)
        found = partition_of(tree, 0, 1, (float("nan"),) * tree.schema.n_columns)
        for region in found.regions:
            assert sum(share for _, share in region.nodes) == pytest.approx(1)


def test_weighted_sums_are_refused():
    rng = np.random.default_rng(0)
    while True:
        tree = a_random_tree(rng, a_mixed_schema(rng))
        if (tree.kind == OBLIQUE).any():
            break
    with pytest.raises(ParameterError, match="weighted sums"):
        partition_of(tree, 0, 1, (0.0,) * tree.schema.n_columns)
