"""Fitting a boosted model: from training rows over rounds to the fitted state."""

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright._kernels.learners import BinnedTable, PackedTrees
from treewright._kernels.predictor import RowArrays
from treewright.arrays import Floats
from treewright.data.formats import PLAIN
from treewright.data.scanned_table import ScannedTable
from treewright.data.schema import Schema
from treewright.data.target import ClassTarget
from treewright.ensembles.boosting.callbacks import Callbacks
from treewright.ensembles.boosting.model import BoostingModel
from treewright.ensembles.boosting.round_choice import chooses_rounds, chosen_rounds
from treewright.ensembles.boosting.rounds import (
    RoundPlan,
    Rounds,
    ScoredRows,
    ValidationMonitor,
    target_for,
)
from treewright.ensembles.boosting.settings import round_plan, usual_choice
from treewright.ensembles.boosting.target_encoding import encoding_of
from treewright.ensembles.boosting.validation_rows import EarlyStopping, parted
from treewright.ensembles.fitted import FittedBoosting
from treewright.ensembles.packed import (
    PackedTreeSequence,
    binned,
    check_same_columns,
    filled_table,
)
from treewright.errors import ParameterError
from treewright.estimators.threads import seed_of
from treewright.estimators.training import TrainingRows, warn_user
from treewright.tree.predict import kernel_rows


def rounds_to_keep(model: BoostingModel, rows: TrainingRows) -> PackedTrees | None:
    """The trees to keep if these rows may add more to them; None to start again."""
    if not (model.warm_start and model.__sklearn_is_fitted__()):
        return None
    n_rounds = model.n_estimators_
    if model.n_estimators == "auto":
        raise ParameterError(
            'warm_start=True with n_estimators="auto": it is not said how many rounds to add',
            hint=f"set n_estimators above the {n_rounds} rounds of the model",
        )
    if model.n_estimators < n_rounds:
        raise ParameterError(
            f"n_estimators={model.n_estimators} is less than the {n_rounds} rounds of the model",
            hint="with warm_start=True a model only grows; use warm_start=False for a new one",
        )
    if model.n_estimators == n_rounds:
        warn_user("warm_start=True without a higher n_estimators: no rounds were added")
    classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
    check_same_columns(model, Schema.of(rows.table), classes)
    link = model.link_of(model.loss_for(rows))
    if link != model.link_:
        raise ParameterError(
            f"warm_start=True, but the trees add up to scores by the link `{model.link_}`, and the "
            f"loss asks for the link `{link}`",
            hint="grow on with the loss that the model began with, or use warm_start=False",
        )
    return model.state_.packed.packed


# Rounds of a model: by its plan, rows, initial scores and the trees to keep.
MakeRounds = Callable[[Any, RoundPlan, TrainingRows, Floats, PackedTrees | None], Any]


def rounds_in_memory(
    model: BoostingModel,
    plan: RoundPlan,
    rows: TrainingRows,
    start: Floats,
    kept: PackedTrees | None,
) -> Rounds:
    """Rounds on rows whose bytes are in the memory of this process."""
    y = target_for(plan.loss, rows)
    bins = binned(
        rows.table, rows.weights, max_bins=int(model.max_bins), n_threads=plan.n_threads, like=kept
    )
    plan.tree.first_tree = 0 if kept is None else kept.n_trees
    return Rounds(plan, bins, ScoredRows.from_start(bins, y, rows.weights, start), kept)


def boosted(
    model: BoostingModel,
    given: TrainingRows,
    rows: TrainingRows,
    validation: Any,
    make_rounds: MakeRounds = rounds_in_memory,
) -> FittedBoosting:
    """What rounds learn from the `given` rows, judged by the validation rows if there are any.

    `rows` are the given ones with the weights of their classes.
    """
    kept = rounds_to_keep(model, rows)
    seed = seed_of(model.random_state) if kept is None else model.state_.seed
    loss = model.loss_for(rows)
    loss.check(target_for(loss, rows))
    rows, held_back = parted(model, given, rows, validation, seed)
    is_chosen = validation is None and chooses_rounds(model, rows)
    choice = chosen_rounds(model, rows, seed) if is_chosen else usual_choice(model, rows)
    plan = round_plan(model, rows, seed, choice)
    y = target_for(plan.loss, rows)
    start = plan.loss.start(y, rows.weights) if kept is None else model.state_.start
    encoding, grown_on = encoding_of(model, rows, seed)
    if encoding is not None:
        encoding.extend(plan.tree)
    rounds = make_rounds(model, plan, grown_on, start, kept)
    monitor = None
    if held_back is not None:
        judges = held_back if encoding is None else encoding.rows(held_back)
        monitor = monitor_of(model, judges, rounds, start)
    callbacks = Callbacks(model.callbacks or (), shows_progress=bool(model.verbose))
    try:
        rounds.run(callbacks, monitor)
    finally:
        callbacks.close()
    learned: dict[str, Any] = {
        "n_rows": given.n_rows,
        "start": start,
        "seed": seed,
        "link": model.link_of(plan.loss),
        "learning_rate": plan.tree.learning_rate,
        **choice.trees.learned,
    }
    if choice.losses is not None:
        learned["cv_losses"] = choice.losses
    if encoding is not None:
        learned["encoded_columns"] = encoding.names
    if monitor is not None:
        learned["validation_losses"] = np.array(monitor.losses)
    # The trees add up to the target itself, or to its logarithm.
    form = rows.target.format if learned["link"] == "same" else PLAIN
    schema = Schema.of(rows.table, form)
    classes = rows.target.classes if isinstance(rows.target, ClassTarget) else None
    trees = best_trees(model, rounds, monitor)
    if encoding is not None:
        trees = encoding.as_sets(trees)
    sequence = PackedTreeSequence(trees, schema, None, model.handle_unknown)
    return FittedBoosting(
        trees=sequence, schema=schema, classes=classes, costs=rows.costs, **learned
    )


def monitor_of(
    model: BoostingModel, held_back: TrainingRows, rounds: Rounds, start: Floats
) -> ValidationMonitor:
    """The validation rows as the rounds find them."""
    y = target_for(rounds.plan.loss, held_back)
    rounds.plan.loss.check(y, "validation y")
    table = held_back.table
    cells: BinnedTable | RowArrays
    if isinstance(table, ScannedTable) and not table.is_small:
        cells = filled_table(table, rounds.trees, rounds.plan.n_threads)
    else:
        cells = kernel_rows(table)
    rows = ScoredRows.from_start(cells, y, held_back.weights, start)
    n_iter_no_change = None if model.n_iter_no_change is None else int(model.n_iter_no_change)
    return ValidationMonitor(rows, rounds, EarlyStopping(n_iter_no_change, float(model.tol)))


def best_trees(
    model: BoostingModel, rounds: Rounds, monitor: ValidationMonitor | None
) -> PackedTrees:
    """All trees, or with n_iter_no_change those up to the best round."""
    if monitor is None or model.n_iter_no_change is None or not monitor.stopping.best_round:
        return rounds.trees
    return rounds.trees.head(monitor.stopping.best_round * rounds.n_outputs)
