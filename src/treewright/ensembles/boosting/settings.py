"""Converts the parameters of boosted trees to settings of rounds and trees."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright._kernels import portable
from treewright._kernels.learners import GradientTreeSettings, TreeGrowth
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.model import BoostingModel
from treewright.ensembles.boosting.rounds import RoundPlan
from treewright.errors import ParameterError, UnknownColumnError
from treewright.estimators.threads import n_threads
from treewright.estimators.training import TrainingRows, warn_user
from treewright.single_trees.growing import setting

DIRECTIONS = (-1, 0, 1)


def is_monotone(value: Any) -> bool:
    """A dict from column to direction, or a direction for each column."""
    directions = list(value.values()) if isinstance(value, Mapping) else value
    return _is_list(directions) and all(_is_direction(one) for one in directions)


def is_list_of_groups(value: Any) -> bool:
    """A list of lists of columns."""
    return _is_list(value) and all(_is_list(group) and len(group) > 0 for group in value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray | set | frozenset) and not isinstance(value, str)


def _is_direction(value: object) -> bool:
    is_number = isinstance(value, int | np.integer | float) and not isinstance(value, bool)
    return is_number and value in DIRECTIONS


def directions(monotonic_cst: Any, schema: Schema) -> list[int]:
    """The direction of each column; nothing where none is given."""
    if monotonic_cst is None:
        return []
    if isinstance(monotonic_cst, Mapping):
        given = {
            column_of(name, schema, "monotonic_cst"): way for name, way in monotonic_cst.items()
        }
        ways = [int(given.get(at, 0)) for at in range(schema.n_columns)]
    else:
        ways = [int(way) for way in monotonic_cst]
        if len(ways) != schema.n_columns:
            raise ParameterError(
                f"monotonic_cst has {len(ways)} directions, "
                f"the table has {schema.n_columns} columns",
                hint="give one for each column, or a dict from column to direction",
            )
    for way, column in zip(ways, schema.columns, strict=True):
        if way and column.kind == "nominal":
            raise ParameterError(
                f"monotonic_cst: the categories of `{column.name}` have no order",
                hint="leave nominal columns out",
            )
    return ways


def groups_of_columns(interaction_cst: Any, schema: Schema) -> list[list[int]]:
    """Groups of column numbers; columns in none of them make a further one."""
    if interaction_cst is None:
        return []
    groups = [
        sorted({column_of(name, schema, "interaction_cst") for name in group})
        for group in interaction_cst
    ]
    left_over = set(range(schema.n_columns)).difference(*groups)
    return [*groups, sorted(left_over)] if left_over else groups


def column_of(name: Any, schema: Schema, setting: str) -> int:
    """The number of a column that is named, or given by its position."""
    if isinstance(name, str):
        if name not in schema.names:
            raise UnknownColumnError.among(name, schema.names, source=f"the table ({setting})")
        return schema.names.index(name)
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        raise ParameterError(
            f"{setting} names {name!r}, which is no column", hint="use names or positions"
        )
    if not 0 <= name < schema.n_columns:
        raise ParameterError(
            f"{setting} names column {name}, the table has {schema.n_columns}",
            hint=f"use positions from 0 to {schema.n_columns - 1}",
        )
    return int(name)


NO_LIMIT = 2**62
CELLS_WORTH_THREADS = 50_000  # below this a tree takes less time than threads need to wake
# Steps that served best in `python -m benchmarks.quality`: 0.1 (rows / 16,000) ** 0.4, at most
# 0.05, for 500 rounds. Half as many rounds take steps of twice the size, but none above 0.2.
RATE_OF_MANY_ROWS, MANY_ROWS, RATE_POWER = 0.1, 16_000, 0.4
USUAL_RATE, USUAL_ROUNDS = 0.05, 500
LARGEST_RATE = 0.2
DEEPEST_SYMMETRIC = 10  # 1,024 leaves
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class TreeShape:
    """What trees are like, where the parameters of these names say "auto"."""

    growth: str
    max_leaf_nodes: int | None
    min_samples_leaf: int | float
    subsample: float
    max_features_node: float

    def asked_by(self, model: BoostingModel) -> "TreeShape":
        """The same, but what the model says itself."""
        said = {name: getattr(model, name) for name in self.__slots__}
        return replace(self, **{name: value for name, value in said.items() if value != AUTO})

    @property
    def learned(self) -> dict[str, Any]:
        """As a fitted model holds them."""
        return {
            "growth": self.growth,
            "max_leaf_nodes": None if self.max_leaf_nodes is None else int(self.max_leaf_nodes),
            "subsample": float(self.subsample),
            "max_features_node": float(self.max_features_node),
            "min_samples_leaf": float(self.min_samples_leaf),
        }


USUAL_TREES = TreeShape("leaf", 31, 20, subsample=1.0, max_features_node=0.5)


@dataclass(frozen=True, slots=True)
class RoundChoice:
    """What is decided before the first round."""

    n_rounds: int
    learning_rate: float
    trees: TreeShape
    losses: Floats | None = None  # of rows that were held back, by round; None: nothing was chosen


def usual_choice(model: BoostingModel, rows: TrainingRows) -> RoundChoice:
    """What the parameters ask for; where they say "auto", what suits many rows."""
    n_rounds = USUAL_ROUNDS if model.n_estimators == AUTO else int(model.n_estimators)
    rate = learning_rate(model, rows.n_rows, n_rounds)
    return RoundChoice(n_rounds, rate, USUAL_TREES.asked_by(model))


SAME_NAMES = (
    "min_samples_leaf",
    "min_child_weight",
    "l1",
    "l2",
    "min_gain",
    "max_features",
    "max_features_node",
)


def round_plan(
    model: BoostingModel, rows: TrainingRows, seed: int, choice: RoundChoice
) -> RoundPlan:
    """What is done in every round of `model` on these rows."""
    n_cells = rows.n_rows * rows.table.n_columns
    threads = n_threads(model.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)
    if model.drop_rate > 0 and model.n_iter_no_change is not None:
        raise ParameterError(
            "n_iter_no_change keeps the rounds up to the best one, "
            "but with drop_rate later rounds change earlier ones",
            hint="leave one of them out",
        )
    target = rows.target
    is_settled = isinstance(target, ClassTarget) and target.n_classes == 1
    return RoundPlan(
        0 if is_settled else choice.n_rounds,
        model.loss_for(rows),
        tree_settings(model, rows, seed, choice),
        threads,
        float(choice.trees.subsample),
        float(model.drop_rate),
        seed,
    )


def tree_settings(
    model: BoostingModel, rows: TrainingRows, seed: int, choice: RoundChoice
) -> GradientTreeSettings:
    """How each tree of `model` grows on these rows."""
    trees = {name: getattr(choice.trees, name) for name in TreeShape.__slots__}
    given = {
        param.name: setting(
            param, trees.get(param.name, getattr(model, param.name)), rows, rows.n_rows
        )
        for param in model.params
        if param.name not in ("learning_rate", "n_estimators", "random_state")
    }
    check_limits(given, rows.n_rows)
    settings = GradientTreeSettings()
    for name in SAME_NAMES:
        setattr(settings, name, given[name])
    settings.min_gain = 2 * given["min_gain"]  # the grower's gain is twice what the loss falls by
    for name in ("max_leaf_nodes", "max_depth"):
        setattr(settings, name, NO_LIMIT if given[name] is None else given[name])
    settings.learning_rate = choice.learning_rate
    settings.growth = TreeGrowth[choice.trees.growth]
    schema = Schema.of(rows.table)
    settings.monotone = directions(model.monotonic_cst, schema)
    settings.interactions = groups_of_columns(model.interaction_cst, schema)
    smoothing = given["smoothing"]
    settings.nominal_l2 = settings.nominal_smoothing = smoothing
    settings.min_level_rows = smoothing / 2
    settings.seed = seed
    return settings


def check_limits(given: Mapping[str, Any], n_rows: int) -> None:
    """Rejects symmetric trees that grow too large, and warns about trees that cannot split."""
    depth, n_leaves = given["max_depth"], given["max_leaf_nodes"]
    if given["growth"] == "symmetric" and (depth is None or depth > DEEPEST_SYMMETRIC):
        most = 2.0**DEEPEST_SYMMETRIC
        if n_leaves is None or n_leaves > most:
            raise ParameterError(
                f"a symmetric tree of max_depth={depth} and max_leaf_nodes={n_leaves} doubles with "
                "every level",
                hint=f"use max_depth up to {DEEPEST_SYMMETRIC}, or max_leaf_nodes up to {most:.0f}",
            )
    if n_rows < 2 * given["min_samples_leaf"]:
        warn_user(
            f"{n_rows} rows cannot be split into leaves of min_samples_leaf="
            f"{given['min_samples_leaf']:g} rows: every tree is one leaf"
        )


def learning_rate(model: BoostingModel, n_rows: int, n_rounds: int) -> float:
    """The part of a tree's prediction that is added."""
    if not isinstance(model.learning_rate, str):
        return float(model.learning_rate)
    power = portable.exp_of(RATE_POWER * portable.log_of(n_rows / MANY_ROWS))
    by_rows = min(USUAL_RATE, RATE_OF_MANY_ROWS * power)
    suitable = float(min(LARGEST_RATE, by_rows * USUAL_ROUNDS / n_rounds))
    if not (model.warm_start and model.__sklearn_is_fitted__()):
        return suitable
    kept = float(model.learning_rate_)
    if not math.isclose(kept, suitable):
        warn_user(
            f'learning_rate="auto": the model continues with its rate of {kept:.3g}; '
            f"{suitable:.3g} would suit {n_rounds} rounds at once"
        )
    return kept
