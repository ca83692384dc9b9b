"""What type checkers know of choices and models is what is true when a program runs."""

from typing import get_args

import pytest

import treewright as tw
from treewright import protocols
from treewright.evaluation.search import METHODS as SEARCH_METHODS
from treewright.evaluation.search import SearchMethod
from treewright.exports import FORMATS, SYNONYMS, FormatName
from treewright.pictures.placement import DIRECTIONS, Direction
from treewright.pruning.methods import METHODS, PruningName


@pytest.mark.parametrize(
    ("declared", "known"),
    [
        (PruningName, METHODS),
        (FormatName, FORMATS | SYNONYMS),
        (Direction, DIRECTIONS),
        (SearchMethod, SEARCH_METHODS),
    ],
)
def test_choices_that_type_checkers_know_are_those_at_runtime(declared, known):
    assert get_args(declared) == tuple(known)


def test_models_are_what_the_protocols_say():
    X, y = tw.load_sample("tennis")
    tree, forest = tw.CARTClassifier(prune=None).fit(X, y), tw.RandomForestRegressor(n_estimators=3)
    for model in (tree, tw.rules(tree)):
        assert isinstance(model, protocols.FittedModel)
        assert isinstance(model, protocols.Classifier)
    assert isinstance(forest, protocols.Estimator)
    assert not isinstance(forest, protocols.Classifier)
    assert not isinstance(tw.Imputer(), protocols.Predictor)
