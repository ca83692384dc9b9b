"""From the parameters of boosted trees to what the growth of a tree is told."""

from typing import Any

from treewright._kernels.histogram import GradientTreeSettings
from treewright.models.growth_settings import setting
from treewright.models.training import TrainingRows

NO_LIMIT = 2**62


def tree_settings(model: Any, rows: TrainingRows) -> GradientTreeSettings:
    """How each tree of `model` grows on these rows."""
    given = {param.name: setting(param, getattr(model, param.name), rows) for param in model.params}
    settings = GradientTreeSettings()
    for name in (
        "max_leaf_nodes",
        "learning_rate",
        "min_samples_leaf",
        "min_child_weight",
        "l1",
        "l2",
        "min_gain",
    ):
        setattr(settings, name, given[name])
    settings.max_depth = NO_LIMIT if given["max_depth"] is None else given["max_depth"]
    return settings
