"""Model trees against Weka's M5P: the same splits, equations and answers.

Weka adds a ridge of 1e-8 to its least squares, so coefficients differ in the ninth digit or so.
"""

from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from oracles import goldens

SETTINGS = {
    "m5p": {},
    "m5p_unsmoothed": {"smoothing": False},
    "m5p_regtree": {"models": False},
    "m5p_regtree_unpruned": {"models": False, "prune": False},
    "m5p_unpruned": {"prune": False},
}
CLOSE = {"rtol": 1e-6, "atol": 1e-7}

every_golden = pytest.mark.parametrize(("name", "variant"), goldens.cases("weka_m5p", "tree"))
every_random_golden = pytest.mark.parametrize(
    ("name", "variant"), goldens.cases("weka_m5p", "n_leaves")
)


def problem_of(name):
    """The table; levels whose rows have the same mean stand as Weka puts them, not as declared."""
    problem = goldens.problem(name, ordered=False)
    if name != "rpart_cartest":
        return problem
    country = problem.table["Country"]
    first = country.levels.index("USA")  # as good as Sweden
    order = [first, *(code for code in range(len(country.levels)) if code != first)]
    return replace(problem, table=problem.table.with_column(country.recoded(np.array(order))))


def fitted(name, variant, rows=None):
    problem = problem_of(name)
    if rows is not None:
        problem = problem.rows(rows)
    return tw.M5Regressor(**SETTINGS[variant]).fit(problem.table, problem.y)


def split_of(model, node):
    """The column, and the threshold or the levels of the upper side."""
    view = model.tree_.node(node)
    if view.kind == "threshold":
        return view.column.name, pytest.approx(view.threshold, rel=1e-12)
    return view.column.name, set(view.children[1].levels)


def split_in(golden):
    column, _, levels = golden["attribute"].partition("=")
    return column, set(levels.split(",")) if levels else golden["threshold"]


def terms_of(model, node, *, smoothed):
    """Coefficient by column, or by column and levels."""
    coding = model.state_.coding
    found = {}
    for term, coefficient in model.equation(node, smoothed=smoothed).coefficients.items():
        levels = coding.upper_levels(*term) if term.cut else ()
        found[coding.schema.names[term.column], frozenset(levels)] = coefficient
    return found


def terms_in(golden):
    found = {}
    for term, coefficient in golden["coef"].items():
        column, _, levels = term.partition("=")
        found[column, frozenset(levels.split(",")) if levels else frozenset()] = coefficient
    return found


def pairs(model, golden, node=0):
    """Each node of ours with that of the golden tree."""
    yield node, golden
    children = model.tree_.node(node).children
    assert len(children) == len(golden.get("children", ()))
    for child, other in zip(children, golden.get("children", ()), strict=True):
        yield from pairs(model, other, child.index)


@every_golden
def test_splits_and_equations_are_those_of_weka(name, variant):
    model, golden = fitted(name, variant), goldens.golden_of("weka_m5p", name, variant)
    for node, other in pairs(model, golden["tree"]):
        is_leaf = "children" not in other
        assert model.tree_.n_rows[node] == other["n"]
        if not is_leaf:
            assert split_of(model, node) == split_in(other)
        equation = model.equation(node, smoothed=is_leaf)
        np.testing.assert_allclose(equation.intercept, other["intercept"], **CLOSE)
        assert terms_of(model, node, smoothed=is_leaf) == pytest.approx(terms_in(other), rel=1e-6)


@every_golden
def test_answers_are_those_of_weka(name, variant):
    model, golden = fitted(name, variant), goldens.golden_of("weka_m5p", name, variant)
    problem = problem_of(name)
    np.testing.assert_allclose(model.predict(problem.table), golden["train"], **CLOSE)
    if "masked" in golden:
        np.testing.assert_allclose(model.predict(problem.masked), golden["masked"], **CLOSE)


@every_golden
def test_answers_in_cross_validation_are_those_of_weka(name, variant):
    golden = goldens.golden_of("weka_m5p", name, variant)
    problem = problem_of(name)
    predictions = np.empty(len(problem.y))
    for fold in range(10):
        left_out = problem.folds == fold
        model = fitted(name, variant, np.flatnonzero(~left_out))
        predictions[left_out] = model.predict(problem.table[left_out])
    np.testing.assert_allclose(predictions, golden["cv"], **CLOSE)


@every_random_golden
def test_answers_on_random_tables_are_those_of_weka(name, variant):
    model, golden = fitted(name, variant), goldens.golden_of("weka_m5p", name, variant)
    assert model.get_n_leaves() == golden["n_leaves"]
    predictions = model.predict(problem_of(name).table)
    np.testing.assert_allclose(predictions, golden["train"], **CLOSE)
