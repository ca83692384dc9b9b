"""What a fit learns beside trees must fit the trees, the classes and each other."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.ensembles.base import EnsembleState
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import ModelFileError

MOST_ROWS = 2**32  # that the core can draw from
LARGEST_SUM = np.finfo(np.float64).max / 4  # of the answers of all trees, and of what they start at


def check_learned(state: EnsembleState) -> None:
    """Raise unless a fit could have learnt all this together."""
    learned = state.learned
    check_sums(state)
    if "start_" in learned:
        check_scores(state)
    if "offset_" in learned:
        check_depths(state)
    if "n_drawn_" in learned:
        check_drawing(learned)
    if "oob_decision_function_" in learned:
        n_classes = 0 if state.classes is None else len(state.classes)
        if learned["oob_decision_function_"].shape[1] != n_classes:
            raise ModelFileError("learned: out-of-bag answers are not as many as the classes")
    if any(name.startswith("training_") for name in learned):
        check_kept_targets(state)


def check_sums(state: EnsembleState) -> None:
    """Raise unless numbers can be added up over the trees; packed ones were seen to by the core."""
    if isinstance(state.trees, PackedTreeSequence):
        return
    largest = LARGEST_SUM / len(state.trees)
    for at, tree in enumerate(state.trees):
        too_large = np.abs(tree.value).max(axis=1) > largest
        if tree.classes is None and too_large.any():
            raise ModelFileError(
                f"tree {at}: node {int(too_large.argmax())}: value: so large that sums over the "
                "trees are infinite"
            )


def check_scores(state: EnsembleState) -> None:
    """Raise unless trees add up to the scores that the link makes answers of."""
    n_scores, link = len(state.learned["start_"]), state.learned["link_"]
    n_classes = 0 if state.classes is None else len(state.classes)
    is_for = {
        "same": n_classes == 0 and n_scores == 1,
        "exponential": n_classes == 0 and n_scores == 1,
        "logistic": n_classes == 2 and n_scores == 1,
        "softmax": n_classes == n_scores > 0,
        "own": n_scores == max(n_classes, 1) or (n_classes, n_scores) == (2, 1),
    }
    if not is_for[link]:
        raise ModelFileError(f"learned: {n_scores} scores with the link `{link}` fit no such model")
    if len(state.trees) % n_scores:
        raise ModelFileError("model: the trees are not as many for each score")
    if (np.abs(state.learned["start_"]) > LARGEST_SUM).any():
        raise ModelFileError("learned: `start_` is so large that sums with it are infinite")
    if not state.learned["learning_rate_"] > 0:
        raise ModelFileError("learned: `learning_rate_` is not above 0")


def check_depths(state: EnsembleState) -> None:
    """Raise unless the values of isolation trees can be numbers of splits."""
    for at, tree in enumerate(state.trees):
        below = tree.value[:, 0] < 0
        if below.any():
            raise ModelFileError(
                f"tree {at}: node {int(below.argmax())}: value: a number of splits below 0"
            )


def check_drawing(learned: Mapping[str, Any]) -> None:
    """Raise unless rows can be drawn so."""
    if not 1 <= learned["n_drawn_"] <= learned["n_rows_"] < MOST_ROWS:
        raise ModelFileError("learned: `n_drawn_` rows cannot be drawn from `n_rows_`")
    if "positions_" in learned and len(learned["positions_"]) != learned["n_rows_"]:
        raise ModelFileError("learned: `positions_` are not as many as `n_rows_`")


def check_kept_targets(state: EnsembleState) -> None:
    """Raise unless every training row lies in a leaf of every tree and has a target."""
    leaves = state.learned.get("training_leaves_")
    targets = state.learned.get("training_targets_")
    weights = state.learned.get("training_weights_")
    if leaves is None or targets is None or leaves.shape != (len(targets), len(state.trees)):
        raise ModelFileError("learned: leaves and targets of the training rows do not fit")
    if weights is not None and (weights.shape != targets.shape or (weights <= 0).any()):
        raise ModelFileError("learned: weights and targets of the training rows do not fit")
    for at, tree in enumerate(state.trees):
        nodes = leaves[:, at]
        if (nodes >= tree.n_nodes).any() or (np.asarray(tree.feature)[nodes] >= 0).any():
            raise ModelFileError("learned: a training row lies in no leaf")
