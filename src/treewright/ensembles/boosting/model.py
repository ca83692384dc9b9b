"""What the rounds of boosting, and the sheet that shows them, read of a model."""

from typing import Any, Literal, Protocol

from treewright.arrays import Floats
from treewright.ensembles.fitted import FittedBoosting
from treewright.ensembles.packed import GrowingEnsemble
from treewright.estimators.training import TrainingRows


class BoostingModel(GrowingEnsemble, Protocol):
    """An estimator of boosted trees: its parameters, its loss, and what it learned."""

    loss: Any
    learning_rate: float | str
    growth: str
    max_leaf_nodes: int | str | None
    min_samples_leaf: int | float | str
    l1: float
    l2: float
    smoothing: float
    target_encoding: bool | str
    subsample: float | str
    max_features: float
    max_features_node: float | str
    monotonic_cst: Any
    interaction_cst: Any
    max_bins: int
    n_iter_no_change: int | None
    validation_fraction: float | None
    tol: float
    drop_rate: float
    handle_unknown: Literal["missing", "error"]
    categorical_features: Any
    callbacks: Any
    verbose: bool
    random_state: Any
    n_jobs: int | None

    # Set by fit.
    start_: Floats
    link_: str
    learning_rate_: float

    @property
    def state_(self) -> FittedBoosting: ...

    @property
    def n_estimators_(self) -> int: ...

    @staticmethod
    def encode_target(y: Any, name: str = ..., *, n_rows: int | None = ...) -> Any: ...

    def loss_for(self, rows: TrainingRows) -> Any: ...

    def link_of(self, loss: Any) -> str: ...

    def row_factors(self, rows: TrainingRows) -> Floats | None: ...
