"""Settings to try."""

import treewright as tw
from treewright.evaluation.search import every_combination, random_combinations


def test_a_value_that_is_given_twice_is_tried_once():
    assert every_combination({"max_depth": [1, 1, 2, 1]}) == [{"max_depth": 1}, {"max_depth": 2}]
    assert len(every_combination({"min_samples_leaf": [1, 1.0]})) == 2
    assert len(every_combination({"costs": [[[0, 1], [1, 0]], [[0, 2], [1, 0]], None]})) == 3


def test_of_a_large_grid_no_combination_is_drawn_twice():
    grid = {"a": range(400), "b": range(300)}
    drawn = random_combinations(grid, 2000, seed=0)
    assert len({tuple(one.values()) for one in drawn}) == len(drawn) == 2000
    assert drawn == random_combinations(grid, 2000, seed=0)


def test_values_may_come_from_a_generator():
    X, y = tw.load_sample("iris")
    for wish in ({"method": "grid"}, {"method": "random"}, {"nested": 2}):
        grid = {"max_depth": (depth for depth in (1, 2))}
        found = tw.tune(tw.CARTClassifier(prune=None), X, y, grid, folds=3, **wish)
        assert [one["max_depth"] for one in found.candidates] == [1, 2]
