"""Measures of many tables at once agree with those of one, and with what trees choose."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency

import treewright as tw
from treewright import measures
from treewright.figures.criterion_bias_figure import (
    MEASURES,
    best_of_two_sets,
    entropy,
    gain,
    gini,
    p_values,
    scores_of,
    tables_of,
)

counts = st.integers(0, 30)
tables = st.integers(2, 6).flatmap(
    lambda k: arrays(np.float64, (k, 2), elements=counts).filter(lambda t: t.sum() > 0)
)


@given(tables)
def test_gains_are_those_of_the_measures(table):
    many = table[None]
    assert gain(many, entropy)[0] == pytest.approx(measures.information_gain(table), abs=1e-12)
    assert gain(many, gini)[0] == pytest.approx(measures.gini_gain(table), abs=1e-12)


@given(tables)
def test_the_best_two_sets_are_the_best_of_all(table):
    levels = range(len(table))
    best = max(
        measures.gini_gain(
            [table[[*some]].sum(axis=0), table.sum(axis=0) - table[[*some]].sum(axis=0)]
        )
        for size in range(1, len(table))
        for some in combinations(levels, size)
    )
    assert best_of_two_sets(table[None])[0] == pytest.approx(best, abs=1e-12)


@given(tables.filter(lambda t: (t.sum(axis=0) > 0).all() and (t.sum(axis=1) > 0).sum() > 1))
def test_p_values_are_those_of_the_chi_square_test(table):
    filled = table[table.sum(axis=1) > 0]
    expected = chi2_contingency(filled, correction=False).pvalue
    assert p_values(table[None])[0] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_a_column_of_one_level_is_as_likely_as_can_be():
    assert p_values(np.array([[[4.0, 6.0], [0.0, 0.0]]])).tolist() == [1.0]


MODELS = {
    "information gain": tw.TreeClassifier(criterion="information_gain", nominal="branches"),
    "gain ratio": tw.TreeClassifier(criterion="gain_ratio", nominal="branches"),
    "gain ratio, C4.5's filter": tw.C45Classifier(prune=None, collapse=False),
    "Gini gain, a branch per category": tw.TreeClassifier(criterion="gini", nominal="branches"),
    "Gini gain, two sets of categories": tw.TreeClassifier(criterion="gini", nominal="subset"),
}


@pytest.mark.parametrize("measure", MODELS)
@pytest.mark.parametrize("seed", range(10))
def test_the_column_picked_is_the_one_that_a_tree_splits_by(measure, seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(2, size=(1, 120))
    sizes = [2, 3, 5, 8]
    codes = [rng.integers(k, size=(1, 120)) for k in sizes]
    columns = [tables_of(of, classes, k) for of, k in zip(codes, sizes, strict=True)]
    scores = scores_of(columns)[MEASURES.index(measure)][:, 0]
    named = {f"c{k}": [f"v{v}" for v in of[0]] for of, k in zip(codes, sizes, strict=True)}
    model = MODELS[measure].set_params(max_depth=1).fit(tw.table_from(named), classes[0])
    assert model.tree_.feature[0] == scores.argmax()
