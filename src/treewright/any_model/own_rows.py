"""Whether a model that is no tree learnt from these rows: a copy fitted to them is the same."""

import warnings
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from treewright.errors import TreewrightError
from treewright.estimators.base import Model
from treewright.persistence.model_file import model_bytes


def is_fit_of(model: Model[Any], X: Any, y: Any, sample_weight: Any = None) -> bool:
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
    state = replace(twin.state_, target_name=model.state_.target_name)
    return model_bytes(twin.with_state(state)) == model_bytes(model)
