"""Subtrees that grow on another copy of the table: the tree is the one that grows at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from scanned_rows import made_rows
from treewright.induction.subtrees import SubtreeTable, grow_top, joined
from treewright.persistence.model_file import model_bytes

pytestmark = pytest.mark.filterwarnings("ignore:.*")

CLASSES = {
    "ID3": tw.ID3Classifier(),
    "ID3 in a given order": tw.ID3Classifier(column_order=["flag", "few"], prune=None),
    "C4.5": tw.C45Classifier(),
    "C4.5 in J48's way": tw.C45Classifier(j48_gaps=True, nominal="one_vs_rest", prune=None),
    "C4.5, reduced error": tw.C45Classifier(prune="reduced_error", midpoint_thresholds=True),
    "C4.5 rules": tw.C45Rules(max_depth=3),
    "CART": tw.CARTClassifier(prune=None),
    "CART by rpart's rules": tw.CARTClassifier(cp=0.001, prune=None),
    "CART by entropy": tw.CARTClassifier(criterion="entropy", missing="learned", prune=None),
    "CART with costs": tw.CARTClassifier(costs={"no": {"yes": 3.0}}, prune=None),
    "best splits first": tw.CARTClassifier(prune=None, max_leaf_nodes=9),
    "intervals": tw.TreeClassifier(numeric="intervals", missing="branch"),
    "costs and spread rows": tw.TreeClassifier(
        criterion="cost_gini", missing="fractional", costs={"no": {"yes": 3.0}}
    ),
    "priors and spread rows": tw.TreeClassifier(
        missing="fractional", priors={"no": 0.2, "yes": 0.2, "may": 0.6}
    ),
    "significance": tw.TreeClassifier(criterion="chi2", significance=0.2),
    "missing rows stop": tw.TreeClassifier(missing="stop"),
    "held-out rows": tw.TreeClassifier(missing="majority", validation_fraction=0.3),
}
NUMBERS = {
    "CART": tw.CARTRegressor(prune=None),
    "CART by medians": tw.CARTRegressor(criterion="absolute_error", max_depth=4, prune=None),
    "counts": tw.TreeRegressor(criterion="poisson"),
    "fractional": tw.TreeRegressor(missing="fractional", max_depth=7),
    "intervals": tw.TreeRegressor(numeric="intervals", max_intervals=3),
}
MODELS = {("classes", name): model for name, model in CLASSES.items()}
MODELS |= {("numbers", name): model for name, model in NUMBERS.items()}


def grown_in_parts(most_rows, n_handed, least_rows=0):
    """A growth function that grows the subtrees of nodes of at most so many rows apart."""

    def grow(model, rows, how, n_threads):
        own = rows.table, rows.target, rows.weights, how
        top, nodes = grow_top(*own, n_threads, most_rows, least_rows)
        assert all(len(node["rows"]) >= least_rows for node in nodes)
        n_handed.append(len(nodes))
        table = SubtreeTable(*own, n_threads)
        found = {i: table.grow(nodes[i]) for i in reversed(range(len(nodes)))}
        return joined(top, [found[i] for i in range(len(nodes))]) if nodes else top

    return grow


def check_parts(name, rows, most_rows, least_rows=0):
    model = MODELS[name]
    expected = model_bytes(model.fit(*rows))
    n_handed = []
    grow = grown_in_parts(most_rows, n_handed, least_rows)
    found = model_bytes(model.fit_with(lambda some: model.learn(some, grow), *rows))
    assert found == expected, (name, n_handed)
    return n_handed[0]


def rows_for(name, seed, n_rows, *, has_weights, n_categories=3, complete=False):
    X, classes, numbers, weights = made_rows(seed, n_rows, n_categories)
    if complete:
        X = X.select(["few", "single", "flag"])
    y = classes if name[0] == "classes" else np.abs(numbers)
    return X, y, weights if has_weights else None


@given(
    name=st.sampled_from(sorted(MODELS)),
    seed=st.integers(0, 2**16),
    n_rows=st.integers(30, 300),
    most_rows=st.integers(1, 300),
    least_rows=st.sampled_from([0, 0, 5, 40]),
    has_weights=st.booleans(),
    complete=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_tree_in_parts_is_the_tree(
    name, seed, n_rows, most_rows, least_rows, has_weights, complete
):
    rows = rows_for(name, seed, n_rows, has_weights=has_weights, complete=complete)
    check_parts(name, rows, most_rows, least_rows)


@pytest.mark.full
@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("name", sorted(MODELS), ids=" of ".join)
def test_large_nodes_are_handed_over(name, has_weights):
    if name[1] == "CART by medians" and has_weights:
        pytest.skip("slow, and covered by the small tables")
    rows = rows_for(name, 1, 26_000, has_weights=has_weights, n_categories=300)
    n_handed = check_parts(name, rows, 9_000)
    assert n_handed >= 2 or name[1] in ("best splits first", "held-out rows", "C4.5 rules")


@pytest.mark.large
@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("name", sorted(MODELS), ids=" of ".join)
def test_nodes_of_many_categories_are_handed_over(name, has_weights):
    if name[1] == "CART by medians":
        pytest.skip("slow")
    rows = rows_for(name, 2, 100_000, has_weights=has_weights, n_categories=30_000)
    check_parts(name, rows, 40_000)
