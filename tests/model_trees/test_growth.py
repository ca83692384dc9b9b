"""The compiled grower against the plain definition, and what must hold of any model tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from model_trees.tables import mixed, numbers, seeds
from reference import model_tree_reference
from treewright.model_trees.growth import origin_of
from treewright.verbs.load import model_bytes


@settings(max_examples=25)
@given(generator=seeds, n_rows=st.integers(4, 60), n_columns=st.integers(1, 4))
def test_answers_are_those_of_the_plain_definition(generator, n_rows, n_columns):
    X, y = numbers(generator, n_rows, n_columns)
    expected = model_tree_reference.predictions(X, y, X)
    np.testing.assert_allclose(
        tw.M5Regressor().fit(X, y).predict(X), expected, rtol=1e-6, atol=1e-6
    )


@pytest.mark.filterwarnings("ignore:categories not seen", "ignore:column")
@settings(max_examples=15)
@given(generator=seeds, n_rows=st.integers(1, 80))
def test_a_weight_is_the_row_as_often(generator, n_rows):
    table, y = mixed(generator, n_rows)
    weights = generator.integers(0, 4, n_rows)
    weights[0] = 1
    weighted = tw.M5Regressor().fit(table, y, sample_weight=weights)
    repeated = np.repeat(np.arange(n_rows), weights)
    again = tw.M5Regressor().fit(table[repeated].compact_levels(), y[repeated])
    assert weighted.get_n_leaves() == again.get_n_leaves()
    np.testing.assert_allclose(weighted.predict(table), again.predict(table), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("criterion", ["fifth_root", "standard_deviation"])
@pytest.mark.parametrize("distance", [1e3, 1e6, 1e8])
def test_of_columns_that_part_the_rows_alike_the_first_is_taken(criterion, distance):
    for seed in range(20):
        generator = np.random.default_rng(seed)
        is_left = generator.permutation(200) < 100
        y = np.where(is_left, distance, 0.0) + generator.normal(size=200)
        X = np.where(is_left, -5, 5)[:, None] + generator.random((200, 3))
        X[:, 2] *= -1
        model = tw.M5Regressor(criterion=criterion, max_depth=1, prune=False).fit(X, y)
        assert model.tree_.feature[0] == 0


def test_the_file_does_not_depend_on_the_number_of_threads():
    """Columns of large nodes are shared, small nodes of a level are split side by side."""
    table, y = mixed(np.random.default_rng(1), 15_000)
    for prune in (True, False):
        models = [tw.M5Regressor(n_jobs=jobs, prune=prune) for jobs in (1, 2, 3, 8)]
        assert len({model_bytes(model.fit(table, y)) for model in models}) == 1


@given(generator=seeds, exponent=st.integers(-900, 900))
@settings(max_examples=10)
def test_the_unit_of_the_target_does_not_matter(generator, exponent):
    X, y = numbers(generator, 40, 2)
    one = tw.M5Regressor().fit(X, y)
    other = tw.M5Regressor().fit(X, np.ldexp(y, exponent))
    assert other.tree_.feature.tolist() == one.tree_.feature.tolist()
    np.testing.assert_array_equal(other.predict(X), np.ldexp(one.predict(X), exponent))


@given(generator=seeds, exponent=st.integers(-900, 900))
@settings(max_examples=10)
def test_the_unit_of_a_column_does_not_matter(generator, exponent):
    X, y = numbers(generator, 40, 2)
    scaled = X * [1.0, 2.0**exponent]
    one, other = tw.M5Regressor().fit(X, y), tw.M5Regressor().fit(scaled, y)
    np.testing.assert_allclose(other.predict(scaled), one.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("terms", ["akaike", "adjusted_error", "all"])
@pytest.mark.parametrize("exponents", [(-120, 120), (-250, 0)])
def test_numbers_of_all_sizes_in_one_column_give_finite_answers(terms, exponents):
    generator = np.random.default_rng(0)
    X = 10.0 ** generator.uniform(*exponents, size=(500, 1))
    y = np.log10(X[:, 0]) / 100 + generator.normal(size=500) * 0.1
    model = tw.M5Regressor(terms=terms).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_a_coefficient_beyond_all_numbers_is_refused():
    x = np.arange(20.0)
    with pytest.raises(tw.DataError, match="`x0` has numbers so small"):
        tw.M5Regressor().fit(x[:, None] * 1e-300, x * 1e100)


def test_a_plane_is_found_as_it_is():
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = tw.M5Regressor().fit(X, 4 + X @ [2.0, 0.0, -1.0])
    assert model.get_n_leaves() == 1
    equation = model.equation()
    assert equation.intercept == pytest.approx(4, abs=1e-9)
    found = {term.column: value for term, value in equation.coefficients.items()}
    assert found == pytest.approx({0: 2.0, 2: -1.0}, abs=1e-9)


def test_columns_that_say_the_same_are_no_harm():
    x = np.random.default_rng(0).normal(size=100)
    X = np.column_stack([x, x, 2 * x + 1, np.ones(100)])
    np.testing.assert_allclose(tw.M5Regressor().fit(X, 3 * x).predict(X), 3 * x, atol=1e-9)


def test_a_split_that_gains_nothing_is_taken_where_there_is_no_better_one():
    model = tw.M5Regressor(prune=False).fit([[1.0], [1.0], [2.0], [2.0]], [6.0, 7.0, 6.0, 7.0])
    assert model.get_n_leaves() == 2
    assert model.tree_.score[0] == 0


def test_every_side_of_a_split_has_more_than_its_share():
    table, y = mixed(np.random.default_rng(2), 300)
    tree = tw.M5Regressor(prune=False, min_leaf_share=0.3).fit(table, y).tree_
    above = tree.parent[1:]
    assert (tree.n_rows[1:] > np.floor(0.3 * tree.n_rows[above])).all()


@pytest.mark.parametrize("limit", [{"max_depth": 2}, {"min_deviation": 1.0}])
def test_limits_hold(limit):
    table, y = mixed(np.random.default_rng(3), 300)
    assert tw.M5Regressor(prune=False, **limit).fit(table, y).get_depth() <= 2


def test_the_ways_of_the_papers_can_be_chosen():
    table, y = mixed(np.random.default_rng(4), 300)
    ours = tw.M5Regressor().fit(table, y)
    papers = tw.M5Regressor(
        criterion="standard_deviation", terms="adjusted_error", penalty=1.0, min_leaf_share=0.0
    ).fit(table, y)
    everything = tw.M5Regressor(terms="all").fit(table, y)
    assert len(everything.coefficients_) > 0
    for model in (ours, papers, everything):
        assert model.score(table, y) > 0.7


def test_where_a_far_target_is_measured_from_does_not_depend_on_the_order_of_rows():
    far = 1e12 + np.array([2.0, 0.0, 1.0])
    assert origin_of(far) == origin_of(far[::-1]) == 1e12
    assert origin_of(far - 1e12) == 0
