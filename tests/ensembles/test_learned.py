"""What a fit learns beside trees: each kind of value at its edges."""

import numpy as np
import pytest
from treewright.ensembles.files.learned import KINDS, check_kinds, learned_from, learned_to_json
from treewright.ensembles.files.learned_checks import check_drawing

from treewright.errors import ModelFileError

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
    "oob_score_": ([0.5, np.nan, np.inf], [1, "x", None]),
    "start_": FINITE,
    "training_targets_": FINITE,
    "training_weights_": ([None, *FINITE[0]], FINITE[1]),
    "validation_losses_": FLOATS,
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
        check_kinds({name: value})
    for value in odd:
        with pytest.raises(ModelFileError, match=f"`{name}` is not what a fit learns"):
            check_kinds({name: value})


def test_values_and_arrays_come_back():
    learned = {"n_rows_": 3, "oob_score_": np.inf, "positions_": np.arange(3)}
    data, arrays = learned_to_json(learned)
    assert set(data) == {"n_rows_", "oob_score_"}
    found = learned_from(data, arrays, list(learned))
    np.testing.assert_array_equal(found.pop("positions_"), np.arange(3))
    assert found == {"n_rows_": 3, "oob_score_": np.inf}


def test_a_value_that_is_there_twice_is_refused():
    with pytest.raises(ModelFileError, match="`offset_` is not known, or occurs twice"):
        learned_from({"offset_": 1.0}, {"offset_": np.ones(1)}, ["offset_"])
    with pytest.raises(ModelFileError, match="`offset_` is not known, or occurs twice"):
        learned_from({"offset_": 1.0}, {}, ["seed_"])


@pytest.mark.parametrize(
    ("n_drawn", "n_rows", "is_sound"),
    [(1, 1, True), (0, 1, False), (2, 1, False), (1, 2**32 - 1, True), (1, 2**32, False)],
)
def test_as_many_rows_are_drawn_as_there_are(n_drawn, n_rows, is_sound):
    learned = {"n_drawn_": n_drawn, "n_rows_": n_rows}
    if is_sound:
        check_drawing(learned)
    else:
        with pytest.raises(ModelFileError, match="cannot be drawn"):
            check_drawing(learned)


def test_positions_are_those_of_all_rows():
    check_drawing({"n_drawn_": 1, "n_rows_": 2, "positions_": np.array([3, 9])})
    with pytest.raises(ModelFileError, match="not as many"):
        check_drawing({"n_drawn_": 1, "n_rows_": 2, "positions_": np.arange(3)})
