"""The quick kernel of K-Means against comparing all distances, to the last row."""

import numpy as np
import pytest

from treewright._kernels.learners import Lloyd, Prototypes


def squared_distances(X, centers):
    """(n_rows, n_centers), added up in the order of the columns as the kernels do."""
    squares = np.zeros((len(X), len(centers)))
    for column in range(X.shape[1]):
        squares += (X[:, column, None] - centers[:, column]) ** 2
    return squares


@pytest.mark.parametrize("scale", [1e-161, 1e-22, 1e-19, 1e-10, 1.0, 1e19, 2e19, 1e30])
@pytest.mark.parametrize("offset", [0.0, 1e7])
@pytest.mark.parametrize("n_columns", [1, 3, 4, 21])
def test_every_row_goes_to_the_nearest_center(scale, offset, n_columns):
    rng = np.random.default_rng(n_columns)
    for n_centers in (1, 5, 6, 7, 13):
        X = (rng.normal(size=(600, n_columns)).round(1) + offset) * scale
        kernel = Lloyd(X, n_columns, None, 2)
        centers = X[:n_centers].copy()
        for _ in range(6):
            _, sums, weight = kernel.assign(centers)
            squares = squared_distances(X, centers)
            np.testing.assert_array_equal(kernel.labels(), squares.argmin(axis=1))
            np.testing.assert_array_equal(kernel.squares(centers), squares.min(axis=1))
            has_rows = weight > 0
            centers[has_rows] = sums.reshape(centers.shape)[has_rows] / weight[has_rows, None]


def test_the_commonest_of_very_many_levels_is_found():
    rng = np.random.default_rng(0)
    n_clusters, n_levels = 30, 100_000
    codes = rng.choice(rng.integers(-1, n_levels, 40), 3000).astype(np.int32)
    labels, weights = rng.integers(0, n_clusters, 3000).astype(np.int32), rng.random(3000)
    kernel = Prototypes([codes], np.array([n_levels], np.int32), np.ones(1), weights, 1)
    found, _ = kernel.middles(labels, np.zeros((n_clusters, 1)))
    for cluster in range(n_clusters):
        own = (labels == cluster) & (codes >= 0)
        assert found[cluster] == np.bincount(codes[own], weights[own]).argmax()


@pytest.mark.parametrize("n_points", [1, 3, 4, 9])
def test_distances_are_the_same_bits_however_many_are_measured(n_points):
    rng = np.random.default_rng(0)
    X, points = rng.normal(size=(5000, 7)), rng.normal(size=(n_points, 7))
    weights = rng.random(5000)
    squares, so_far = squared_distances(X, points), rng.random(5000) * 14
    plain = Lloyd(X, 7, weights, 2)
    mixed = Prototypes(list(X.T.copy()), np.full(7, -1, np.int32), np.ones(7), weights, 2)
    for kernel in (plain, mixed):
        out = np.empty((5000, n_points))
        kernel.all_squares(points, out)
        np.testing.assert_array_equal(out, squares)
        left = np.minimum(squares, so_far[:, None]) * weights[:, None]
        np.testing.assert_allclose(kernel.left_over(points, so_far), left.sum(axis=0), rtol=1e-12)
        nearer = so_far.copy()
        kernel.come_near(points[:1], nearer)
        np.testing.assert_array_equal(nearer, np.minimum(so_far, squares[:, 0]))


@pytest.mark.parametrize("kind", ["plain", "mixed"])
def test_kernels_refuse_what_does_not_fit(kind):
    X = np.ones((4, 2))
    if kind == "plain":
        kernel = Lloyd(X, 2, None, 1)
    else:
        kernel = Prototypes(list(X.T.copy()), np.full(2, -1, np.int32), np.ones(2), None, 1)
    with pytest.raises(ValueError, match="a value per column of each point"):
        kernel.assign(np.ones((2, 3)))
    with pytest.raises(ValueError, match="a value per column of each point"):
        kernel.assign(np.empty((0, 2)))
    with pytest.raises(ValueError, match="labels"):
        kernel.squares(np.ones((1, 2)))
    with pytest.raises(ValueError, match="so_far: one per row"):
        kernel.come_near(np.ones((1, 2)), np.ones(3))
    with pytest.raises(ValueError, match="out: a number per row and center"):
        kernel.all_squares(np.ones((2, 2)), np.ones((4, 3)))
    kernel.assign(np.array([[0.0, 0.0], [1.0, 1.0]]))
    with pytest.raises(ValueError, match="labels: of other centers"):
        kernel.squares(np.ones((1, 2)))


def test_codes_beyond_the_levels_are_refused():
    codes = np.array([0, 2], dtype=np.int32)
    with pytest.raises(ValueError, match="a code beyond the levels"):
        Prototypes([codes], np.array([2], np.int32), np.ones(1), None, 1)
    with pytest.raises(ValueError, match="at least one row"):
        Prototypes([codes[:0]], np.array([2], np.int32), np.ones(1), None, 1)
