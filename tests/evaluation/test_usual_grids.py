"""tw.tune without a grid tries what the command line tries."""

import pytest
from sklearn.tree import DecisionTreeClassifier

import treewright as tw
from treewright.errors import ParameterError
from treewright.evaluation.usual_grids import USUAL, usual_grid
from treewright.registry import ESTIMATORS, NO_TARGET


def test_every_estimator_with_a_target_has_a_grid_of_allowed_values():
    for name, entry in ESTIMATORS.items():
        if entry.task == NO_TARGET:
            continue
        grid = usual_grid(getattr(tw, name)())
        assert grid == USUAL[entry.model]
        for setting, values in grid.items():
            for value in values:
                getattr(tw, name).param_named(setting).check(value)


def test_a_model_is_tuned_without_a_grid():
    X, y = tw.load_sample("iris")
    found = tw.tune(tw.C45Classifier(), X, y, folds=3)
    grid = USUAL["c45"]
    assert len(found.candidates) == len(grid["confidence"]) * len(grid["min_samples_leaf"])
    assert set(found.settings) == set(grid)
    assert found.model.predict(X[:1]).tolist() == ["setosa"]


def test_settings_that_were_given_stay():
    assert "max_depth" not in usual_grid(tw.CARTClassifier(max_depth=3))
    with pytest.raises(ParameterError, match="no settings are left to try"):
        usual_grid(tw.C45Rules(confidence=0.4))


def test_models_without_a_grid_are_told_to_give_one():
    with pytest.raises(ParameterError, match="DecisionTreeClassifier") as refused:
        tw.tune(DecisionTreeClassifier(), *tw.load_sample("iris"))
    assert "grid=" in str(refused.value)
