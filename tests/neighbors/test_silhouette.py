"""tw.silhouette: Rousseeuw's definition, on mixed columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import silhouette_samples

import treewright as tw
from reference import neighbors_reference as plain


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_groups=st.integers(2, 5))
def test_plain_numbers_give_what_scikit_learn_gives(seed, n_groups):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    labels = np.r_[np.arange(n_groups), rng.integers(0, n_groups, 60 - n_groups)]
    found = tw.silhouette(X, labels, metric="euclidean", scale=None)
    np.testing.assert_allclose(found.of_row, silhouette_samples(X, labels), atol=1e-12)
    assert found.mean == pytest.approx(found.of_row.mean())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), distance=st.sampled_from(["heom", "gower", "ibl"]))
def test_mixed_columns_follow_the_definition(seed, distance):
    rng = np.random.default_rng(seed)
    codes = np.r_[0, 1, 2, rng.integers(0, 3, 37)]  # levels in the order of their codes
    sizes = np.where(rng.random(40) < 0.2, np.nan, np.r_[0, 1, rng.random(38)])
    table = {"color": np.array(["red", "green", "blue"])[codes], "size": sizes}
    groups = np.r_[0, 1, 2, rng.integers(0, 2, 37)]
    squares = distance != "gower"
    missing = {"heom": "one", "gower": "left_out", "ibl": "farthest"}[distance]
    low, high = np.nanmin(sizes), np.nanmax(sizes)
    rows = np.column_stack([codes, (sizes - low) / (high - low)]).tolist()
    expected = plain.silhouettes(rows, groups.tolist(), plain.Rule([True, False], squares, missing))
    found = tw.silhouette(table, groups, metric=distance)
    np.testing.assert_allclose(found.of_row, expected, atol=1e-12)


def test_groups_are_told_with_the_rows_that_are_nearer_to_another_one():
    X, y = tw.load_sample("iris")
    found = tw.silhouette(X, y)
    assert [*found.of_group] == ["setosa", "versicolor", "virginica"]
    assert found.groups[found.nearest[0]] == "versicolor"
    assert "virginica     50  0.2789  -0.3200                        6" in found.to_text()


@pytest.mark.parametrize(
    ("labels", "settings", "message"),
    [
        ([1, 1, 1], {}, "one group"),
        ([1, 2], {}, "rows"),
        ([1, 2, 2], {"metric": "ibl", "scale": "standard"}, "range"),
        ([1, 2, 2], {"metric": "hoem"}, "heom"),
    ],
)
def test_what_does_not_fit_is_refused(labels, settings, message):
    with pytest.raises(ValueError, match=message):
        tw.silhouette([[1.0], [2.0], [3.0]], labels, **settings)


def test_numbers_whose_squared_differences_vanish_are_refused():
    rows = [[1e-200], [2e-200], [9e-200]]
    assert tw.silhouette(rows, [0, 0, 1]).mean > 0
    with pytest.raises(tw.DataError, match=r"`x0`: its numbers differ by at most 8e-200"):
        tw.silhouette(rows, [0, 0, 1], scale=None)
