"""Growth that stops by validation rows."""

import numpy as np
from numpy.typing import NDArray

from treewright.data.target import ClassTarget
from treewright.errors import ParameterError
from treewright.models.training import TrainingRows
from treewright.pruning.row_loss import answers_of_nodes, class_loss, exponent_of, number_loss
from treewright.pruning.validation import stop_by_validation
from treewright.tree.predict import predict_leaves
from treewright.tree.tree import Tree

Float64Array = NDArray[np.float64]

LARGEST_SEED = 2**31 - 1


def generator_from(random_state: object, name: str = "random_state") -> np.random.Generator:
    """A generator for a seed, None (a random one), a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    try:
        return np.random.default_rng(random_state)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{name} is {random_state!r}, which is no seed",
            hint="use a whole number from 0 on, None, or a NumPy RandomState or Generator",
        ) from error


def seed_of(random_state: object) -> int:
    """A whole number that everything else is drawn from."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        generator_from(random_state)  # refuses negative ones
        return int(random_state)
    return int(generator_from(random_state).integers(LARGEST_SEED))


def cut_by_validation(tree: Tree, rows: TrainingRows, criterion: object, patience: int) -> Tree:
    """The tree as far as its splits serve `rows`, which it has not seen."""
    leaves = predict_leaves(tree, tree.schema.encode(rows.table, "missing"))
    if isinstance(rows.target, ClassTarget):
        row_loss = class_loss(tree, rows.target.codes)
    else:
        values = rows.target.values
        row_loss = number_loss(values, criterion, exponent_of(values, tree.value))
    answers = answers_of_nodes(tree)

    def loss(some: NDArray[np.intp], nodes: NDArray[np.intp]) -> Float64Array:
        lost = row_loss(some, answers[nodes])
        return lost if rows.weights is None else rows.weights[some] * lost

    return stop_by_validation(tree, leaves, loss, patience=patience)
