"""From the parameters of an estimator to the settings of growth."""

import math
from dataclasses import fields
from functools import cache
from typing import Any

from treewright.induction.settings import GrowthSettings
from treewright.models.training import TrainingRows
from treewright.param import Param

LARGEST = 2**31 - 1  # a limit above this is none
SURROGATES_WITH_HOLES = 5
FEWEST_ROWS = {"min_samples_split": 2, "min_samples_leaf": 1}  # however small the share


@cache
def shared_params(kind: type) -> tuple[Param, ...]:
    """The parameters of an estimator that growth knows by the same name."""
    known = {field.name for field in fields(GrowthSettings)}
    params: tuple[Param, ...] = kind.params  # type: ignore[attr-defined]
    return tuple(param for param in params if param.name in known)


def growth_settings(estimator: Any, rows: TrainingRows, **others: Any) -> GrowthSettings:
    """The estimator's own parameters in plain Python numbers, and `others` in their place."""
    values = {
        param.name: setting(param, getattr(estimator, param.name), rows, rows.n_counted)
        for param in shared_params(estimator.__class__)
    }
    if "max_surrogates" in values and estimator.missing != "surrogate":
        values["max_surrogates"] = 0
    if rows.weights_are_counts:
        values |= {"weights_are_counts": True, "rows_in_table": rows.n_counted}
    return GrowthSettings(**(values | others))


def setting(param: Param, value: Any, rows: TrainingRows, n_rows: int) -> Any:
    """One parameter as growth takes it: shares of `n_rows` as rows, numbers as Python's own."""
    if param.type is float and value is not None:
        return float(value)
    if param.type is not int or value is None:
        return value
    if value == "auto":
        return SURROGATES_WITH_HOLES if rows.has_holes else 0
    if param.share and value < 1:
        return max(FEWEST_ROWS[param.name], math.ceil(value * n_rows))
    return int(min(value, LARGEST))
