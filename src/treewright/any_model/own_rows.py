"""Whether a model that is no tree learnt from these rows: a copy fitted to them is the same."""

import warnings
from typing import Any

from sklearn.base import clone

from treewright.errors import TreewrightError
from treewright.models.learned_estimator import LearnedEstimator
from treewright.models.learned_file import learned_bytes


def is_fit_of(model: LearnedEstimator, X: Any, y: Any, sample_weight: Any = None) -> bool:
    """Whether a fit with the settings of `model` to these rows gives the model, to the last bit.

    A model whose seed is drawn anew is never known again.
    """
    twin = clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            twin.fit(X, y, sample_weight=sample_weight)
        except TreewrightError:
            return False
    twin.target_name_ = model.target_name_
    return learned_bytes(twin) == learned_bytes(model)
