"""What a fit learns beside trees: each kind of value at its edges."""

import numpy as np
import pytest

import treewright as tw
from fitted_states import with_learned
from treewright.ensembles.fitted import (
    FittedBoosting,
    FittedClassForest,
    FittedIsolation,
    FittedNumberForest,
)
from treewright.errors import ModelFileError
from treewright.estimators.fitted import check_kind, kinds_of

STATES = (FittedClassForest, FittedNumberForest, FittedIsolation, FittedBoosting)
KINDS = {f"{name}_": kind for state in STATES for name, kind in kinds_of(state).items()}
FOREST = tw.RandomForestRegressor(n_estimators=2, oob_score=True).fit([[1], [2], [3]], [1, 2, 3])

WHOLE = ([0, 1, 2**40], [-1, 1.0, True, "1", None])
NUMBER = ([0.0, -1.5, 1e300], [1, np.inf, np.nan, "1.0", np.zeros(1)])
FINITE = ([np.zeros(0), np.array([-1.0, 2.0])], [np.array([np.inf]), np.zeros((1, 1)), [1.0]])
FLOATS = ([np.array([np.nan, 1.0])], [np.zeros((1, 1)), np.zeros(1, np.float32), [1.0]])
MATRIX = ([np.full((2, 3), np.nan)], [np.zeros(2), np.zeros((2, 3), np.float32), [[1.0]]])
NODES = (
    [np.zeros((2, 3), np.int32)],
    [np.zeros((2, 3)), np.zeros(2, np.int32), np.full((1, 1), -1, np.int32)],
)
POSITIONS = (
    [np.arange(3), np.array([0, 5]), np.zeros(0, np.int64)],
    [np.array([-1, 0]), np.array([1, 1]), np.array([2, 1]), np.arange(3.0), np.arange(2)[None]],
)
EDGES = {
    "seed_": WHOLE,
    "n_rows_": WHOLE,
    "n_drawn_": WHOLE,
    "learning_rate_": NUMBER,
    "offset_": NUMBER,
    "shrinkage_": ([0.0, 25.0], [-1.0, np.inf, np.nan, 1, "auto", None]),
    "oob_score_": ([0.5, np.nan, np.inf], [1, "x", None]),
    "start_": FINITE,
    "training_targets_": FINITE,
    "training_weights_": ([None, *FINITE[0]], FINITE[1]),
    "validation_losses_": FLOATS,
    "cv_losses_": FINITE,
    "encoded_columns_": ([(), ("city", "ticket")], ["city", ["city"], (1,), None]),
    "growth_": (["leaf", "symmetric"], ["auto", None, 1]),
    "max_leaf_nodes_": ([None, *WHOLE[0]], [2.5, "x"]),
    "min_samples_leaf_": NUMBER,
    "subsample_": NUMBER,
    "max_features_node_": NUMBER,
    "oob_prediction_": FLOATS,
    "oob_decision_function_": MATRIX,
    "training_leaves_": NODES,
    "positions_": POSITIONS,
    "link_": (["same", "softmax"], ["other", 1, ["same"]]),
    "drawing_": (["all_rows"], ["some_rows", None, ["all_rows"]]),
    "rows_hash_": (["0123456789abcdef" * 2], ["0" * 31, "0" * 33, "g" * 32, "A" * 32, 0]),
}


def test_every_kind_has_edges():
    assert set(EDGES) == set(KINDS)


@pytest.mark.parametrize("name", EDGES)
def test_a_value_is_taken_or_named(name):
    sound, odd = EDGES[name]
    for value in sound:
        check_kind(name, KINDS[name], value)
    for value in odd:
        with pytest.raises(ModelFileError, match=f"`{name}` is not "):
            check_kind(name, KINDS[name], value)


def test_values_and_arrays_come_back():
    model = with_learned(FOREST, oob_score_=np.inf, positions_=np.array([0, 4, 5]))
    data, arrays = model.state_.to_parts()
    assert {"n_rows_", "oob_score_"} <= set(data["learned"])
    found = FittedNumberForest.from_parts(data, arrays)
    np.testing.assert_array_equal(found.positions, [0, 4, 5])
    assert (found.n_rows, found.oob_score) == (3, np.inf)


def test_a_value_that_is_there_twice_or_not_known_is_refused():
    data, arrays = FOREST.state_.to_parts()
    twice = {**arrays, "learned.oob_score_": np.ones(1)}
    with pytest.raises(ModelFileError, match="`oob_score_` is not known, or occurs twice"):
        FittedNumberForest.from_parts(data, twice)
    data["learned"]["offset_"] = 1.0
    with pytest.raises(ModelFileError, match="`offset_` is not known, or occurs twice"):
        FittedNumberForest.from_parts(data, arrays)


@pytest.mark.parametrize(
    ("n_drawn", "n_rows", "is_sound"),
    [(1, 1, True), (0, 1, False), (2, 1, False), (1, 2**32 - 1, True), (1, 2**32, False)],
)
def test_as_many_rows_are_drawn_as_there_are(n_drawn, n_rows, is_sound):
    state = with_learned(FOREST, n_drawn_=n_drawn, n_rows_=n_rows).state_
    if is_sound:
        state.check()
    else:
        with pytest.raises(ModelFileError, match="cannot be drawn"):
            state.check()


def test_positions_are_those_of_all_rows():
    with_learned(FOREST, positions_=np.array([3, 9, 11])).state_.check()
    with pytest.raises(ModelFileError, match="not as many"):
        with_learned(FOREST, positions_=np.arange(2)).state_.check()
