"""Validation rows of boosting: given to `fit`, or held back from its rows."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.sources import table_from
from treewright.data.target import ClassTarget
from treewright.data.weights import check_weights
from treewright.ensembles.boosting.model import BoostingModel
from treewright.errors import DataError, ParameterError
from treewright.estimators.threads import generator_from
from treewright.estimators.training import Target, TrainingRows

USUAL_FRACTION = 0.1  # of the rows, if early stopping is asked for and no rows are named
WEIGHTS = "validation sample_weight"
PARTS = "(X, y) or (X, y, sample_weight)"


def parted(
    model: BoostingModel, given: TrainingRows, rows: TrainingRows, validation: Any, seed: int
) -> tuple[TrainingRows, TrainingRows | None]:
    """The rows to grow on, and those to judge by, as the columns of the first are known.

    `rows` are the `given` ones with the weights of their classes.
    """
    if validation is not None:
        if model.validation_fraction is not None:
            raise ParameterError(
                "validation rows are given, and validation_fraction is set too",
                hint="leave one of them out",
            )
        return rows, validation_rows(model, given, rows, validation)
    fraction = model.validation_fraction
    if fraction is None and model.n_iter_no_change is not None:
        fraction = USUAL_FRACTION
    if fraction is not None:
        return rows.split_off(float(fraction), generator_from(seed))
    return rows, None


def validation_rows(
    model: BoostingModel, given: TrainingRows, rows: TrainingRows, validation: Any
) -> TrainingRows:
    """Validation rows of the user's: read as new rows are, weighted as those to grow on are."""
    if not isinstance(validation, tuple | list) or len(validation) not in (2, 3):
        raise ParameterError("validation has the wrong form", hint=f"give {PARTS}")
    X, y, weights = (*validation, None)[:3]
    name = type(model).__name__
    table = table_from(X, categorical_features=model.categorical_features)
    table = Schema.of(rows.table).encode(table, model.handle_unknown, model=name)
    target = type(model).encode_target(y, "validation y", n_rows=table.n_rows)
    weights = check_weights(weights, table.n_rows, WEIGHTS)
    weights = with_class_factors(model, given, target, weights)
    if weights is not None and not weights.any():
        raise DataError(
            "every validation row has weight 0", hint="give at least one row a weight above 0"
        )
    held = TrainingRows(table, target, weights, keeps_levels=True).without_zero_weights()
    if isinstance(rows.target, ClassTarget):
        held = replace(held, target=with_classes(held.target, rows.target))
    return held


def with_class_factors(
    model: BoostingModel, given: TrainingRows, target: Target, weights: Floats | None
) -> Floats | None:
    """The weights of rows times what `class_weight` makes of their classes in training."""
    factors = model.row_factors(given)
    if factors is None or not isinstance(given.target, ClassTarget):
        return weights
    assert isinstance(target, ClassTarget)
    of_code = np.ones(given.target.n_classes)
    of_code[given.target.codes] = factors
    of_label = dict(zip(given.target.classes.tolist(), of_code.tolist(), strict=True))
    by_class = np.array([of_label.get(label, 1.0) for label in target.classes.tolist()])
    own: Floats = by_class[target.codes]
    return own if weights is None else weights * own


def with_classes(target: Target, known: ClassTarget) -> ClassTarget:
    """The same labels as codes of the classes that training knows."""
    assert isinstance(target, ClassTarget)
    code_of = {label: code for code, label in enumerate(known.classes.tolist())}
    target = target.without_empty_classes()
    for label in target.classes.tolist():
        if label not in code_of:
            raise DataError(
                f"validation: the class {label!r} does not occur in the training rows",
                hint="validate with classes that occur in y",
            )
    codes = np.array([code_of[label] for label in target.classes.tolist()], dtype=np.int32)
    return replace(known, codes=codes[target.codes])


@dataclass(slots=True)
class EarlyStopping:
    """Counts the rounds without a better validation loss."""

    n_rounds: int | None  # None: for ever
    tolerance: float  # a round is better if it lowers the loss by more than this
    best_loss: float = math.inf
    best_round: int = 0

    def is_over(self, number: int, loss: float) -> bool:
        """Whether training should stop after round `number` with this loss."""
        is_better = loss < self.best_loss - self.tolerance or math.isnan(self.best_loss)
        if is_better or self.best_round == 0:
            self.best_loss, self.best_round = loss, number
        return self.n_rounds is not None and number - self.best_round >= self.n_rounds
