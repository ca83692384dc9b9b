"""The worksheet of clusters: tables 2 to 4 of the lecture notes, and rows that do not fit."""

import re

import numpy as np
import pytest

import treewright as tw

FIVE_POINTS = tw.load_sample("five_points")[0]


@pytest.fixture
def of_the_notes():
    return tw.KMeans(2, init=FIVE_POINTS[[1, 3]]).fit(FIVE_POINTS)


def test_the_distance_tables_of_the_notes(of_the_notes):
    first, second = tw.worksheet(of_the_notes, FIVE_POINTS).rounds
    assert first.distances[[0, 2, 4]].round(3).tolist() == [
        [1.118, 7.211],
        [2.5, 3.606],
        [3.606, 2.5],
    ]
    assert first.labels.tolist() == [0, 0, 0, 1, 1]
    np.testing.assert_allclose(second.centers, [[11 / 6, 7 / 3], [4.25, 6.0]], rtol=1e-15)
    assert second.distances.round(3).tolist() == [
        [1.572, 5.963],
        [0.471, 4.854],
        [2.034, 2.358],
        [5.640, 1.250],
        [3.145, 1.250],
    ]
    assert second.is_last
    assert second.moved.tolist() == []


def test_the_page_shows_the_calculation(of_the_notes):
    page = tw.worksheet(of_the_notes, FIVE_POINTS).to_text(decimals=2)
    for line in (
        "(1 - 1.5)^2 + (1 - 2)^2 = 1.25 = 1.12^2",
        "  0      1      1       1.12       7.21        0",
        "mean(cluster 0, attr1) = (1 + 1.5 + 3)/3 = 1.83",
        "center   1.83   2.33",
        "     4    3.5      5       3.14       1.25        1",
        "No row moves: the algorithm stops.",
    ):
        assert line in page


def test_moves_are_told_row_by_row():
    X = [[0.0], [1.0], [5.0], [6.0]]
    sheet = tw.worksheet(tw.KMeans(2, init=[[0.0], [1.0]]).fit(X), X)
    assert [len(one.moved) for one in sheet.rounds] == [4, 1, 0]
    assert "1 row moves: row 1 from 1 to 0." in str(sheet)


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "to_latex", "to_html"])
def test_mixed_columns_have_a_page_too(form):
    X = tw.load_sample("loans")[0].drop("loan")
    model = tw.KPrototypes(3).fit(X)
    sheet = tw.worksheet(model, X)
    assert len(sheet.rounds) == model.n_iter_
    assert "gamma" in getattr(sheet, form)(max_steps=1)


def test_rounds_that_a_limit_ended_have_one_more():
    X, _ = tw.load_sample("iris")
    model = tw.KMeans(5, n_init=1, max_iter=2).fit(X)
    sheet = tw.worksheet(model, X)
    assert len(sheet.rounds) == 3
    np.testing.assert_array_equal(sheet.rounds[-1].labels, model.labels_)


@pytest.mark.parametrize("scale", [None, "standard", "range"])
def test_weights_and_scales_lead_to_the_same_rounds(scale):
    X, _ = tw.load_sample("iris")
    weights = np.arange(150.0) % 4
    model = tw.KMeans(4, scale=scale).fit(X, sample_weight=weights)
    sheet = tw.worksheet(model, X, sample_weight=weights)
    np.testing.assert_array_equal(sheet.rounds[-1].labels, model.labels_[weights > 0])
    assert [len(one.moved) for one in sheet.rounds] == model.moves_.tolist()


def test_other_rows_are_refused(of_the_notes):
    shifted = tw.table_from(
        {"attr1": [1.0, 1.5, 3.0, 5.0, 3.5], "attr2": [1.1, 2.0, 4.0, 7.0, 5.0]}
    )
    for rows, weights in ((shifted, None), (FIVE_POINTS, np.arange(1.0, 6))):
        with pytest.raises(tw.DataError, match="do not lead to the clusters"):  # the same labels
            tw.worksheet(of_the_notes, rows, sample_weight=weights)
    with pytest.raises(tw.DataError, match="do not lead to the clusters"):
        tw.worksheet(of_the_notes, FIVE_POINTS[::-1])
    with pytest.raises(tw.ParameterError, match="needs the training rows"):
        tw.worksheet(of_the_notes)
    for wrong in (0, 2.5, "3", True, [1]):
        with pytest.raises(tw.ParameterError, match=r"max_steps=.* is not possible"):
            tw.worksheet(of_the_notes, FIVE_POINTS).to_text(max_steps=wrong)


def test_one_row_is_explained_column_by_column(of_the_notes):
    found = of_the_notes.explain({"attr1": 3.0, "attr2": 4.0})
    assert (found.cluster, found.runner_up) == (0, 1)
    np.testing.assert_allclose(found.adds.sum(axis=1), found.distances**2)
    assert "cluster 0: distance 2.0344; next is cluster 1: distance 2.3585" in str(found)
    with pytest.raises(tw.DataError, match="takes one row"):
        of_the_notes.explain(FIVE_POINTS)
    assert tw.KMeans(1).fit(FIVE_POINTS).explain(FIVE_POINTS[[0]]).runner_up is None


def test_explanations_of_mixed_rows_add_up():
    X = tw.load_sample("loans")[0].drop("loan")
    model = tw.KPrototypes(3).fit(X)
    for row in range(20):
        found = model.explain(X[[row]])
        assert found.cluster == model.labels_[row]
        np.testing.assert_allclose(found.adds.sum(axis=1), model.transform(X[[row]])[0] ** 2)


def test_the_summary_shows_sizes_and_centers(of_the_notes):
    lines = of_the_notes.summary().splitlines()
    assert lines[0] == "KMeans: 2 clusters of 5 rows, 2 iterations, inertia 9.95833"
    assert lines[-1].split() == ["1", "2", "4.25", "6"]


def test_a_tree_describes_the_clusters():
    X, _ = tw.load_sample("iris")
    found = tw.KMeans(3).fit(X).describe(X)
    assert found.model.get_n_leaves() == 3
    assert found.agreement == pytest.approx(146 / 150)
    assert found.counts.sum() == 150
    assert np.trace(found.counts) == 146
    assert "petal length <= 2.45  (50 rows, all here)" in str(found)
    assert "A tree of 3 leaves puts 97.3 % of the 150 rows" in str(found)


def test_settings_that_a_description_hands_on_are_known():
    model = tw.KMeans(2).fit(FIVE_POINTS)
    for hand_on in (model.describe, lambda X, **settings: tw.distil(model, X, **settings)):
        with pytest.raises(tw.ParameterError, match="CARTClassifier has no setting `max_dept`"):
            hand_on(FIVE_POINTS, max_dept=3)


def test_a_limit_that_ends_the_rounds_is_told():
    X, _ = tw.load_sample("iris")
    assert tw.KMeans(3).fit(X).converged_
    assert not tw.KMeans(3, n_init=1, max_iter=1).fit(X).converged_


def test_a_description_has_as_many_leaves_as_allowed():
    X = tw.load_sample("loans")[0].drop("loan")
    model = tw.KPrototypes(3).fit(X)
    short, long = model.describe(X, max_leaf_nodes=3), model.describe(X)
    assert short.model.get_n_leaves() == 3
    assert short.agreement < long.agreement
    assert "work not in {none, student}" in str(short)
    assert model.describe(X, max_leaf_nodes=None, max_depth=1).model.get_n_leaves() == 2


def test_distances_come_first_beside_many_columns_and_filled_starts_are_told():
    X = np.random.default_rng(0).normal(size=(12, 6))
    X[2, 3] = np.nan
    text = str(tw.worksheet(tw.KMeans(2).fit(X), X))
    assert re.search(r"row +cluster 0 +cluster 1 +nearest +x0", text)
    assert "replaced by the mean or the most frequent category" in text
