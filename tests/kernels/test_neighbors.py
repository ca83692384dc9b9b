"""The compiled search finds the rows that a plain sort by distance puts first."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import share_of_examples
from reference import neighbors_reference as plain
from treewright._kernels.neighbors import Measure, NeighborSearch, Voting, distance_sums

MEASURES = [
    Measure(squares=True, missing="one"),
    Measure(squares=True, missing="farthest"),
    Measure(squares=True, missing="left_out"),
    Measure(squares=False, missing="one"),
    Measure(squares=False, missing="farthest"),
    Measure(squares=False, missing="left_out"),
]
FACTORS = {"huge": 1e200, "large": 1e18, "small": 1e-20, "minute": 1e-160, "vanishing": 1e-170}
KINDS = ["fine", "coarse", "holed", "far_off", "tiny", "infinite", "many_levels", *FACTORS]
KINDS += ["outliers", "skewed", "clumps", "few_numbers"]


def mixed_rows(rng, kind, n_rows, is_level):
    """Numbers from 0 to 1 and codes; some kinds are hard for single precision."""
    n_levels = 400 if kind == "many_levels" else 3
    codes = rng.integers(0, n_levels, (n_rows, len(is_level))).astype(float)
    numbers = rng.random((n_rows, len(is_level)))
    if kind == "coarse":
        numbers = np.round(numbers, 1)
    if kind == "far_off":  # differences that single precision does not see
        numbers = 1e9 + 100 * numbers
    if kind == "tiny":
        numbers = 5 + numbers * 1e-16
    if kind == "outliers":
        numbers[rng.random(numbers.shape) < 0.02] *= 1e6
    if kind == "skewed":
        numbers = np.exp(20 * numbers)
    if kind == "clumps":
        numbers += 1e7 * rng.integers(0, 2, numbers.shape)
    if kind == "few_numbers":  # ties, and rows at no distance
        numbers = np.round(numbers)
    numbers *= FACTORS.get(kind, 1.0)
    if kind == "infinite":
        numbers[rng.random(numbers.shape) < 0.02] = np.inf
        numbers[rng.random(numbers.shape) < 0.02] = -np.inf
    rows = np.where(is_level, codes, numbers)
    if kind == "holed":
        rows[rng.random(rows.shape) < 0.2] = np.nan
    return rows


def problem(seed, kind):
    """Rows and queries: some of the rows, some of them changed, some with a hole."""
    rng = np.random.default_rng(seed)
    is_level = rng.random(rng.integers(1, 7)) < rng.choice([0.0, 0.5])
    rows = mixed_rows(rng, kind, int(rng.integers(1, 330)), is_level)
    queries = mixed_rows(rng, kind, 6, is_level)
    queries[:3] = rows[rng.integers(0, len(rows), 3)]
    if rng.random() < 0.5:
        queries[2, 0] = np.nan
    return rng, rows, queries, is_level


def rule_of(measure, is_level):
    return plain.Rule(is_level.tolist(), measure.squares, measure.missing)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=share_of_examples(12))
@given(seed=st.integers(0, 2**32 - 1), measure=st.sampled_from(MEASURES))
def test_P17_the_nearest_rows_are_those_that_a_sort_puts_first(kind, seed, measure):
    rng, rows, queries, is_level = problem(seed, kind)
    search = NeighborSearch(rows, is_level.astype(np.uint8), measure)
    n_neighbors = int(rng.integers(1, min(len(rows), 9) + 1))
    found, distances = search.nearest(queries, n_neighbors, 2)
    for at, query in enumerate(queries.tolist()):
        expected = plain.in_order(query, rows.tolist(), rule_of(measure, is_level))[:n_neighbors]
        assert found[at].tolist() == [row for _, row in expected]
        how_far = [math.sqrt(apart) if measure.squares else apart for apart, _ in expected]
        assert distances[at].tolist() == how_far


@given(
    seed=st.integers(0, 2**32 - 1),
    measure=st.sampled_from(MEASURES),
    kind=st.sampled_from(["coarse", "holed"]),
    ties=st.sampled_from(["all", "rounded", "first"]),
    by_distance=st.booleans(),
    weighted=st.booleans(),
)
def test_P17_neighbors_count_as_in_the_definition(seed, measure, kind, ties, by_distance, weighted):
    rng, rows, queries, is_level = problem(seed, kind)
    weights = rng.choice([0.5, 1.0, 2.0, 3.0], len(rows)) if weighted else None
    n_neighbors = float(rng.integers(1, 9))
    search = NeighborSearch(rows, is_level.astype(np.uint8), measure)
    how = (n_neighbors, weights, ties != "first", by_distance, ties == "all")
    voting, vote = Voting(*how), plain.Vote(*how)
    codes = rng.integers(0, 3, len(rows)).astype(np.int32)
    numbers = rng.normal(size=len(rows))
    votes = search.class_votes(queries, voting, codes, 3, 2)
    means = search.mean_targets(queries, voting, numbers, 2)
    for at, query in enumerate(queries):
        expected = plain.counts(query.tolist(), rows.tolist(), rule_of(measure, is_level), vote)
        found = search.neighbors_of(query[np.newaxis], voting)
        assert found.rows.tolist() == [*expected]
        counts = np.array([*expected.values()])
        np.testing.assert_allclose(found.counts / found.counts.sum(), counts / counts.sum())
        by_class = np.bincount(codes[[*expected]], counts, 3)
        np.testing.assert_allclose(votes[at] / votes[at].sum(), by_class / by_class.sum())
        np.testing.assert_allclose(means[at], np.average(numbers[[*expected]], weights=counts))


def large_problem():
    rng = np.random.default_rng(1)
    is_level = np.arange(8) >= 4
    rows = np.where(is_level, rng.integers(0, 3, (3000, 8)), np.round(rng.random((3000, 8)), 2))
    return rows.astype(float), is_level.astype(np.uint8)


@pytest.mark.parametrize("measure", MEASURES)
def test_no_row_is_its_own_neighbor_where_rows_are_the_queries(measure):
    rows, is_level = large_problem()
    search = NeighborSearch(rows[:500], is_level, measure)
    found, distances = search.nearest(None, 4)
    with_itself, farther = search.nearest(rows[:500], 5)
    for at in range(500):
        others = [row for row in with_itself[at].tolist() if row != at][:4]
        assert found[at].tolist() == others
    assert (distances >= farther[:, :4]).all()


def test_the_predictions_are_the_same_bytes_for_any_number_of_threads():
    rows, is_level = large_problem()
    search = NeighborSearch(rows, is_level, MEASURES[0])
    voting = Voting(5.0, None, all_ties=True, by_distance=True)
    numbers = rows[:, 0] * rows[:, 1]
    groups = (rows[:, 7]).astype(np.int32)
    results = [
        [
            search.mean_targets(rows, voting, numbers, n_threads).tobytes(),
            search.nearest(rows[:300], 3, n_threads)[1].tobytes(),
            distance_sums(rows[:300], is_level, MEASURES[3], groups[:300], n_threads).tobytes(),
        ]
        for n_threads in (1, 2, 3)
    ]
    assert results[0] == results[1] == results[2]


def test_means_of_numbers_near_the_end_of_their_range_are_finite():
    search = NeighborSearch(np.zeros((4, 1)), np.zeros(1, dtype=np.uint8), MEASURES[0])
    voting = Voting(4.0, None, all_ties=True, by_distance=False)
    largest = np.finfo(float).max
    assert search.mean_targets(np.zeros((1, 1)), voting, np.full(4, largest))[0] == largest


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda search: search.nearest(np.zeros((1, 2)), 1), "queries"),
        (lambda search: search.nearest(np.zeros((1, 1)), 4), "rows"),
        (lambda search: search.nearest(None, 3), "rows"),
        (lambda search: votes_of(search, [0, 1, 2]), "codes"),
        (lambda search: votes_of(search, [0, 1]), "codes"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(call, message):
    search = NeighborSearch(np.zeros((3, 1)), np.zeros(1, dtype=np.uint8), MEASURES[0])
    with pytest.raises(ValueError, match=message):
        call(search)


def votes_of(search, codes):
    voting = Voting(1.0, None, all_ties=False, by_distance=False)
    return search.class_votes(np.zeros((1, 1)), voting, np.array(codes, dtype=np.int32), 2)
