"""Out-of-bag predictions: each training row is predicted by the trees not trained on it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.learners import Drawing, ForestSettings, add_out_of_bag, draw_rows
from treewright.arrays import Floats
from treewright.ensembles.forests.growth import ForestTask
from treewright.ensembles.forests.predictions import votes_of
from treewright.ensembles.forests.settings import drawing_of
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import ParameterError
from treewright.estimators.training import TrainingRows, warn_user
from treewright.tree.predict import predict_values
from treewright.tree.predictions import cheapest_classes
from treewright.tree.tree import Tree


def check_some_are_left_out(settings: ForestSettings) -> None:
    """Raises an error if every tree would get every row."""
    if settings.drawing == Drawing.all_rows:
        raise ParameterError(
            "oob_score=True, but no row is left out: every tree gets all of them",
            hint="use bootstrap=True, or max_samples=0.8 for trees on different rows",
        )


def out_of_bag_predictions(task: ForestTask, trees: Sequence[Tree], *, hard: bool) -> Floats:
    """(n_rows, n_values): the mean prediction (or votes) of the trees not trained on a row.

    A row that every tree used gets NaN.
    """
    settings, rows = task.settings, task.rows
    sums = np.zeros((rows.n_rows, trees[0].value.shape[1]))
    n_predictions = np.zeros(rows.n_rows, dtype=np.uint32)
    if isinstance(trees, PackedTreeSequence):
        every = drawing_of(settings)  # also trees of an earlier fit predict
        add_out_of_bag(trees.packed, task.table, every, hard, sums, n_predictions, task.n_threads)
    else:
        add_members(trees, rows, settings, hard=hard, sums=sums, n_predictions=n_predictions)
    if not n_predictions.all():
        warn_user(
            f"{np.sum(n_predictions == 0):,} of {rows.n_rows:,} rows were sampled for every tree: "
            "they have no out-of-bag prediction; use more trees"
        )
    # Not 0 / 0: the NaN of that has another sign on x86-64 than on ARM.
    predictions = np.full_like(sums, np.nan)
    np.divide(sums, n_predictions[:, None], out=predictions, where=n_predictions[:, None] > 0)
    return predictions


def add_members(
    trees: Sequence[Tree],
    rows: TrainingRows,
    settings: ForestSettings,
    *,
    hard: bool,
    sums: Floats,
    n_predictions: NDArray[np.uint32],
) -> None:
    """Adds up the predictions tree by tree."""
    for number, tree in enumerate(trees):
        left_out = np.flatnonzero(np.asarray(draw_rows(settings, number, rows.n_rows)) == 0)
        if len(left_out):
            some = rows.table[left_out]
            sums[left_out] += votes_of(tree, some) if hard else predict_values(tree, some)
            n_predictions[left_out] += 1


def class_agreement(
    predictions: Floats, codes: NDArray[np.integer], costs: Floats | None = None
) -> float:
    """Accuracy on the rows with an out-of-bag prediction; NaN if there are none."""
    known = ~np.isnan(predictions).any(axis=1)
    if not known.any():
        return float("nan")
    shares = predictions[known]
    found = shares.argmax(axis=1) if costs is None else cheapest_classes(shares, costs)
    return float(np.mean(found == codes[known]))


def share_explained(predictions: Floats, values: Floats) -> float:
    """R squared on the rows with an out-of-bag prediction; NaN if there are none."""
    known = ~np.isnan(predictions)
    if not known.any():
        return float("nan")
    own = values[known]
    spread = float(np.sum((own - own.mean()) ** 2))
    lost = float(np.sum((own - predictions[known]) ** 2))
    return 1.0 - lost / spread if spread > 0 else float(lost == 0)
