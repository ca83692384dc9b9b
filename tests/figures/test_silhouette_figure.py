"""tw.figures.silhouette: an area for each group, rows from the best to the worst."""

import numpy as np
import pytest

import treewright as tw
from figures.text_boxes import off_paper, touching

X, Y = tw.load_sample("iris")


def test_rows_stand_from_the_best_to_the_worst_of_their_group():
    found = tw.silhouette(X, Y)
    data = tw.figures.silhouette(found).data
    assert [*data["rows"]] == ["setosa", "versicolor", "virginica"]
    for group, rows in data["rows"].items():
        assert (np.diff(rows) <= 0).all()
        assert rows.mean() == pytest.approx(found.of_group[group])


def test_many_rows_and_groups_make_a_picture_of_bounded_size():
    rng = np.random.default_rng(0)
    found = tw.silhouette(rng.normal(size=(3000, 2)), rng.integers(0, 12, 3000))
    picture = tw.figures.silhouette(found)
    assert len(picture.to_svg()) < 300_000
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []


def test_something_else_is_refused():
    with pytest.raises(tw.ParameterError, match=r"tw\.silhouette"):
        tw.figures.silhouette([1.0, 2.0])
