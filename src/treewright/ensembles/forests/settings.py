"""Parameters that all forests share, and their conversion to growth settings."""

import math
from typing import Any, ClassVar, Protocol

import numpy as np

from treewright._kernels import portable
from treewright._kernels.learners import Drawing, ForestSettings
from treewright.ensembles.packed import GrowingEnsemble
from treewright.errors import ParameterError
from treewright.estimators.declaration import param
from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.param import Param
from treewright.single_trees.growing import setting

NO_LIMIT = 2**62
LIKE_SINGLE_TREES = (
    "criterion",
    "handle_unknown",
    "max_depth",
    "max_leaf_nodes",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_gain",
)
NO_TEST = -1.0  # of the gain of a split: one without gain is taken too


class DrawingEnsemble(GrowingEnsemble, Protocol):
    """An ensemble whose trees grow on rows that are drawn."""

    drawing_: str
    n_drawn_: int


class ForestModel(DrawingEnsemble, Protocol):
    """A forest as its growth reads it."""

    random_cuts: ClassVar[bool]
    criterion: str
    max_features: int | float | str | None
    max_depth: int | None
    max_leaf_nodes: int | None
    min_weight_fraction_leaf: float
    min_gain: float | None
    min_level_rows: int
    bootstrap: bool
    max_samples: int | float | None
    inductors: Any
    voting: str  # of classifiers

    @classmethod
    def param_named(cls, name: str) -> Param: ...


def forest_settings(
    model: ForestModel, rows: TrainingRows, seed: int, first_tree: int
) -> ForestSettings:
    """What to draw and when to stop, for the trees of `model` from number `first_tree` on."""
    settings = ForestSettings()
    settings.n_trees = int(model.n_estimators) - first_tree
    settings.first_tree = first_tree
    settings.seed = seed
    settings.n_drawn = n_drawn(model.max_samples, rows.n_rows)
    settings.drawing = drawing_by(model.bootstrap, settings.n_drawn, rows.n_rows)
    settings.weights_are_counts = limits_count_weight(model, rows)
    n_rows = rows.n_counted if settings.weights_are_counts else rows.n_rows
    split_rows, leaf_rows = (
        setting(model.param_named(name), getattr(model, name), rows, n_rows)
        for name in ("min_samples_split", "min_samples_leaf")
    )
    settings.max_features = n_features(model.max_features, rows.table.n_columns)
    settings.random_cuts = model.random_cuts
    settings.max_depth = limit(model.max_depth)
    settings.max_leaf_nodes = limit(model.max_leaf_nodes)
    settings.entropy = model.criterion == "entropy"
    settings.min_samples_split = split_rows
    settings.min_samples_leaf = leaf_rows
    settings.min_weight_fraction_leaf = float(model.min_weight_fraction_leaf)
    settings.min_level_rows = int(model.min_level_rows)
    settings.min_gain = NO_TEST if model.min_gain is None else float(model.min_gain)
    return settings


def limits_count_weight(model: ForestModel, rows: TrainingRows) -> bool:
    """Whether a row of weight k counts as k rows: not where trees draw rows of the table."""
    drawing = drawing_by(model.bootstrap, n_drawn(model.max_samples, rows.n_rows), rows.n_rows)
    return rows.weights_are_counts and drawing == Drawing.all_rows


def limit(wanted: int | None) -> int:
    """A largest number, which may be none."""
    return NO_LIMIT if wanted is None else int(min(wanted, NO_LIMIT))


def exact_settings(model: ForestModel, rows: TrainingRows) -> GrowthSettings:
    """The same for trees that are grown on every value instead of bins."""
    alike = [param for param in model.params if param.name in LIKE_SINGLE_TREES]
    by_weight = limits_count_weight(model, rows)
    n_rows = rows.n_counted if by_weight else rows.n_rows
    return GrowthSettings(
        **{param.name: setting(param, getattr(model, param.name), rows, n_rows) for param in alike},
        weights_are_counts=by_weight,
        nominal="subset",
        missing="learned",
        n_competitors=0,
        max_features=n_features(model.max_features, rows.table.n_columns),
    )


def drawing_by(bootstrap: bool, n_drawn: int, n_rows: int) -> Drawing:  # noqa: FBT001 -- as given
    """How rows are drawn: with replacement, without, or all of them."""
    if bootstrap:
        return Drawing.with_replacement
    return Drawing.all_rows if n_drawn == n_rows else Drawing.without_replacement


def drawing_to_learn(settings: ForestSettings, rows: TrainingRows) -> dict[str, Any]:
    """All by which the rows of each tree can be drawn again."""
    learned: dict[str, Any] = {
        "seed": settings.seed,
        "n_rows": rows.n_rows,
        "n_drawn": settings.n_drawn,
        "drawing": settings.drawing.name,
    }
    if rows.positions is not None:
        learned["positions"] = rows.positions.astype(np.int64)
    return learned


def drawing_of(settings: ForestSettings) -> ForestSettings:
    """The same draws from the first tree on, and nothing else."""
    return drawing_learned(settings.seed, settings.drawing.name, settings.n_drawn)


def drawing_learned(seed: int, drawing: str, n_drawn: int) -> ForestSettings:
    """Settings that draw the rows of each tree again."""
    settings = ForestSettings()
    settings.seed, settings.drawing, settings.n_drawn = seed, Drawing[drawing], n_drawn
    return settings


def n_drawn(max_samples: int | float | None, n_rows: int) -> int:
    """Rows drawn for each tree."""
    if max_samples is None:
        return n_rows
    if isinstance(max_samples, float) and max_samples <= 1.0:
        return max(1, round(max_samples * n_rows))
    if max_samples > n_rows:
        raise ParameterError(
            f"max_samples={max_samples!r} is more than the {n_rows} rows of the table",
            hint="use a share such as 0.8, or None for as many as there are",
        )
    return int(max_samples)


def n_features(max_features: int | float | str | None, n_columns: int) -> int:
    """Columns drawn for each split: at least one, at most all."""
    if max_features is None:
        wanted = float(n_columns)
    elif max_features == "sqrt":
        wanted = math.sqrt(n_columns)
    elif max_features == "log2":
        wanted = float(portable.log2(max(n_columns, 1)))
    elif isinstance(max_features, float) and max_features <= 1.0:
        wanted = max_features * n_columns
    else:
        wanted = float(max_features)
        if wanted > n_columns:
            raise ParameterError(
                f"max_features={max_features} is more than the {n_columns} columns of the table",
                hint="use a share such as 0.5, or 1.0 for all of them",
            )
    return max(1, min(int(wanted), n_columns))


def is_share(value: object) -> bool:
    """A part of a whole as a float: 1.0 is all of it, while the integer 1 is one."""
    return isinstance(value, float) and 0.0 < value <= 1.0


N_ESTIMATORS = param(100, "Number of trees.", low=1, high=10**6)
MAX_FEATURES = param(
    "sqrt",
    'Number of columns sampled for each split: "sqrt" or "log2" of the number of columns, a '
    "fraction such as 0.3, an integer, or None for all.",
    low=1,
    choices=("sqrt", "log2"),
    accepts=is_share,
    accepts_text="a share of the columns above 0 and at most 1.0",
)
BOOTSTRAP = param(
    True,
    "Whether to sample rows with replacement. If False, each tree gets all rows, or `max_samples` "
    "different rows.",
)
MAX_SAMPLES = param(
    None,
    "Number or fraction of rows sampled for each tree; None for the size of the table.",
    low=1,
    accepts=is_share,
    accepts_text="a share of the rows above 0 and at most 1.0",
)
WARM_START = param(
    False, "Whether to keep the trees of the last fit and only add trees up to `n_estimators`."
)
