"""How many clusters: the curve, the rule, and what it refuses."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import treewright as tw
from figures.text_boxes import off_paper, touching
from treewright.clustering.elbow import below_chord


@pytest.mark.parametrize("n_centers", [3, 4, 5])
def test_planted_clusters_are_found(n_centers):
    X, _ = make_blobs(300, centers=20.0 * np.eye(n_centers), random_state=0)
    curve = tw.elbow(X, range(1, 10))
    assert curve.chosen == n_centers
    assert curve.is_clear


def test_the_rule_is_the_distance_below_the_chord():
    inertia = np.array([100.0, 40.0, 10.0, 5.0, 0.0])
    found = below_chord((1, 2, 3, 4, 5), inertia)
    np.testing.assert_allclose(found, [0.0, 0.6 - 0.25, 0.9 - 0.5, 0.95 - 0.75, 0.0])


def test_a_curve_that_does_not_fall_has_no_elbow():
    with pytest.warns(UserWarning, match="clusters have no rows"):
        curve = tw.elbow([[1.0]] * 5, [1, 2, 3])
    assert (curve.chosen, curve.is_clear) == (1, False)
    assert "hardly bends" in str(curve)


def test_the_model_of_the_chosen_number_is_kept():
    X, _ = tw.load_sample("iris")
    curve = tw.elbow(X, range(2, 7))
    assert len(curve.model.cluster_centers_) == curve.chosen
    assert curve.inertia.tolist() == [model.inertia_ for model in curve.models]


def test_tables_with_words_are_clustered_by_prototypes():
    X = tw.load_sample("loans")[0].drop("loan")
    curve = tw.elbow(X, [1, 2, 3])
    assert isinstance(curve.model, tw.KPrototypes)


def test_the_page_marks_the_choice():
    X, _ = tw.load_sample("iris")
    page = str(tw.elbow(X))
    assert "The elbow is at 3 clusters" in page
    assert "*        3   78.8514   73.4965           0.6974" in page


@pytest.mark.parametrize(
    ("k", "problem"),
    [
        (5, "is not a range"),
        ("123", "is not a range"),
        ([1, 2], "k holds 2 numbers"),
        ([0, 1, 2], "k holds 0, which is no number"),
        ([1, 2, 2.5], "k holds 2.5"),
        ([1, 2, 200], "k goes up to 200, X has 150 rows"),
    ],
)
def test_numbers_that_cannot_be_tried(k, problem):
    with pytest.raises(tw.TreewrightError, match=problem):
        tw.elbow(tw.load_sample("iris")[0], k)


def test_models_that_cannot_be_tried():
    X, _ = tw.load_sample("five_points")
    with pytest.raises(tw.ParameterError, match="CARTClassifier makes no clusters"):
        tw.elbow(X, [1, 2, 3], model=tw.CARTClassifier(prune=None))
    with pytest.raises(tw.ParameterError, match="start points for one number"):
        tw.elbow(X, [1, 2, 3], model=tw.KMeans(2, init=X[[0, 1]]))


def test_the_picture_shows_curve_chord_and_choice():
    curve = tw.elbow(tw.load_sample("iris")[0])
    picture = tw.figures.elbow(curve)
    assert picture.data["chosen"] == 3
    assert picture.data["k"] == list(range(1, 11))
    assert "farthest below its chord at 3" in picture.to_svg()
    with pytest.raises(tw.ParameterError, match="not an elbow curve"):
        tw.figures.elbow([1, 2, 3])


@pytest.mark.parametrize(
    ("k", "size"), [(range(1, 4), 1.0), (range(1, 31), 1e6), ([2, 5, 99], 1e-9)]
)
def test_axes_count_clusters_and_no_texts_touch(k, size):
    X = size * np.asarray(tw.load_sample("iris")[0])
    picture = tw.figures.elbow(tw.elbow(X, k, model=tw.KMeans(n_init=1)))
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []
    if len(k) == 3 and size == 1.0:
        assert ">1.5<" not in picture.to_svg()


def test_small_tables_are_tried_up_to_their_rows():
    X, _ = tw.load_sample("five_points")
    assert tw.elbow(X).k == (1, 2, 3, 4, 5)
