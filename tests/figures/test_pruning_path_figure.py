"""The figure of a pruning path tells what the path tells."""

import numpy as np
import pytest

import treewright as tw
from figures.text_boxes import off_paper, touching
from treewright.errors import ParameterError
from treewright.figures.pruning_path_figure import pruning_path


def noisy_rows(n_rows=300):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows, 4))
    return X, np.where(X[:, 0] + rng.normal(size=n_rows) > 0, "yes", "no")


def assert_readable(picture):
    assert touching(picture.drawing) == []
    assert off_paper(picture.drawing) == []


@pytest.mark.parametrize("risk", ["error", "impurity"])
def test_the_numbers_are_those_of_the_path(risk):
    X, y = noisy_rows()
    path = tw.cost_complexity_path(tw.CARTClassifier(prune=None).fit(X, y), X, y, risk=risk)
    picture = pruning_path(path)
    data = picture.data
    assert data["n_leaves"].tolist() == path.n_leaves.tolist()
    assert data["alphas"].tolist() == path.alphas.tolist()
    assert data["relative_risks"][-1] == 1
    assert data["held_out"] == pytest.approx(path.held_out.risks / path.held_out.root)
    assert data["simplest"] == path.held_out.simplest() >= data["best"]
    assert f"{risk} on training rows" in picture.to_svg()
    assert_readable(picture)


def test_a_model_is_cross_validated_by_its_rows():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    picture = pruning_path(model, X, y)
    assert picture.data["n_leaves"][picture.data["simplest"]] == 3
    assert "3 leaves are within one standard error" in picture.to_svg()


def test_without_rows_only_training_risks_are_shown():
    picture = pruning_path(tw.CARTClassifier(prune=None).fit(*noisy_rows(100)))
    assert "held_out" not in picture.data
    assert "Training rows only" in picture.to_svg()
    assert_readable(picture)


@pytest.mark.parametrize("n_rows", [2, 12, 2000])
def test_small_and_large_trees_of_numbers_are_readable(n_rows):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, 2))
    model = tw.CARTRegressor(prune=None).fit(X, X[:, 0] + rng.normal(size=n_rows))
    assert_readable(pruning_path(model, X, X[:, 0]))


def test_a_tree_of_one_leaf_has_a_path_of_one():
    X, y = [[1.0], [2.0], [3.0]], ["a", "a", "a"]
    picture = pruning_path(tw.CARTClassifier(prune=None).fit(X, y), X, y)
    assert repr(picture).startswith("<Picture: 1 subtree, ")
    assert "1 leaf has the lowest error on held-out rows." in picture.to_svg()
    assert_readable(picture)


def test_what_is_no_path_is_refused():
    X, y = noisy_rows(50)
    model = tw.CARTClassifier(prune=None).fit(X, y)
    with pytest.raises(ParameterError, match="a list is not a pruning path"):
        pruning_path([1, 2])
    with pytest.raises(ParameterError, match="not with a path"):
        pruning_path(tw.cost_complexity_path(model), X, y)
