"""From the parameters of boosted trees to what rounds and trees are told."""

from typing import Any

from treewright._kernels.histogram import GradientTreeSettings
from treewright.ensembles.rounds import RoundPlan
from treewright.models.growth_settings import setting
from treewright.models.threads import n_threads
from treewright.models.training import TrainingRows

NO_LIMIT = 2**62
CELLS_WORTH_THREADS = 200_000  # below this a tree takes less time than threads need to wake
SAME_NAMES = (
    "learning_rate",
    "min_samples_leaf",
    "min_child_weight",
    "l1",
    "l2",
    "min_gain",
)


def round_plan(model: Any, rows: TrainingRows, seed: int) -> RoundPlan:
    """What is done in every round of `model` on these rows."""
    n_cells = rows.n_rows * rows.table.n_columns
    threads = n_threads(model.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)
    return RoundPlan(
        int(model.n_estimators), model._loss_for(rows), tree_settings(model, rows), threads
    )


def tree_settings(model: Any, rows: TrainingRows) -> GradientTreeSettings:
    """How each tree of `model` grows on these rows."""
    given = {param.name: setting(param, getattr(model, param.name), rows) for param in model.params}
    settings = GradientTreeSettings()
    for name in SAME_NAMES:
        setattr(settings, name, given[name])
    for name in ("max_leaf_nodes", "max_depth"):
        setattr(settings, name, NO_LIMIT if given[name] is None else given[name])
    return settings
