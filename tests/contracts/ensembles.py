"""The ensembles, with few trees, for the tests that hold for all of them."""

import numpy as np
import pytest
from sklearn.base import is_classifier

import treewright as tw
from treewright import registry
from treewright.ensembles.base import Ensemble

N_TREES = 10
ENSEMBLES = {
    name: kind
    for name in registry.ESTIMATORS
    if issubclass(kind := registry.estimator_type(name), Ensemble)
}
PREDICTORS = {
    name: kind
    for name, kind in ENSEMBLES.items()
    if registry.ESTIMATORS[name].task != registry.NO_TARGET
}
CLASSIFIERS = {name: kind for name, kind in PREDICTORS.items() if is_classifier(kind())}
BOOSTED = (tw.BoostedTreesClassifier, tw.BoostedTreesRegressor)

for_every_predictor = pytest.mark.parametrize("kind", PREDICTORS.values(), ids=PREDICTORS)
for_every_ensemble = pytest.mark.parametrize("kind", ENSEMBLES.values(), ids=ENSEMBLES)
for_every_classifier = pytest.mark.parametrize("kind", CLASSIFIERS.values(), ids=CLASSIFIERS)


def small(kind: type, **params: object):
    """An estimator with few trees, and leaves of any size."""
    leaves = {} if kind is tw.IsolationForest else {"min_samples_leaf": 1}
    return kind(**{"n_estimators": N_TREES, **leaves, **params})


def predictions(model, X) -> np.ndarray:
    """What tells most: probabilities, or numbers."""
    if isinstance(model, tw.IsolationForest):
        return model.score_samples(X)
    return model.predict_proba(X) if is_classifier(model) else model.predict(X)
