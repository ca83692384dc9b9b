"""From the parameters of an estimator to the settings of growth."""

import math
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np

from treewright.induction.settings import GrowthSettings
from treewright.models.training import TrainingRows

LARGEST = 2**31 - 1  # a limit above this is none
SURROGATES_WITH_HOLES = 5


@cache
def setting_names(estimator: type) -> tuple[str, ...]:
    """The parameters of the estimator that growth knows by the same name."""
    known = {field.name for field in fields(GrowthSettings)}
    return tuple(param.name for param in estimator.params if param.name in known)  # type: ignore[attr-defined]


def growth_settings(estimator: Any, rows: TrainingRows, **others: Any) -> GrowthSettings:
    """The estimator's own parameters in plain Python numbers, and `others` in their place."""
    values = {name: _plain(getattr(estimator, name)) for name in setting_names(type(estimator))}
    for name, least in (("min_samples_split", 2), ("min_samples_leaf", 1)):
        given = values.get(name)
        if isinstance(given, float) and not given.is_integer():
            values[name] = max(least, math.ceil(given * rows.n_rows))
    if "max_surrogates" in values:
        values["max_surrogates"] = n_surrogates(estimator, rows)
    return GrowthSettings(**(values | others))


def n_surrogates(estimator: Any, rows: TrainingRows) -> int:
    """How many surrogates a node keeps: "auto" keeps some where the table has holes."""
    if estimator.missing != "surrogate":
        return 0
    if estimator.max_surrogates == "auto":
        return SURROGATES_WITH_HOLES if rows.has_holes else 0
    return min(int(estimator.max_surrogates), LARGEST)


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and not isinstance(value, bool):
        return min(value, LARGEST)
    return value
