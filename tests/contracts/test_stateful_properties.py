"""P18: settings, fits, predictions, files and copies in any order keep scikit-learn's contract.

A machine has an estimator and takes steps at random. Beside it stands what must be true: which
settings hold, whether the model is fitted, and what the fitted one predicts.
"""

import copy
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treewright as tw
from examples import share_of_examples
from torture.models import Model, for_every, predictions, table_for

TRIED = {"max_depth": (1, 3), "n_neighbors": (1, 4), "n_clusters": (2, 3), "tol": (1e-3, 1e-6)}
ROWS = slice(0, 7)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
for_every_saved_model = for_every(lambda kind: kind.gives != "tables")


class Estimator(RuleBasedStateMachine):
    """An estimator, and what is known of it."""

    def __init__(self, kind: Model) -> None:
        super().__init__()
        self.model = kind()
        self.expected_settings = self.model.get_params()
        self.expected = None  # what the fitted model predicts
        X, y = table_for(kind)
        self.tables = [(X, y), table_for(kind, n_rows=40, seed=1)]
        self.asked = {column: values[ROWS] for column, values in X.items()}

    @rule(data=st.data())
    def set_a_parameter(self, data):
        known = [name for name in TRIED if name in self.expected_settings]
        if known:
            name = data.draw(st.sampled_from(known))
            value = data.draw(st.sampled_from(TRIED[name]))
            self.model.set_params(**{name: value})
            self.expected_settings[name] = value

    # Few steps at random would often meet no fitted model; a clone is one that is not.
    @initialize(which=st.integers(0, 1))
    def begin_fitted(self, which):
        self.fit(which)

    @rule(which=st.integers(0, 1))
    def fit(self, which):
        X, y = self.tables[which]
        assert self.model.fit(X, y) is self.model
        fresh = clone(self.model).fit(X, y)
        self.expected = predictions(self.model, self.asked)
        np.testing.assert_array_equal(predictions(fresh, self.asked), self.expected)

    @rule()
    def fail_to_fit(self):
        X, _ = self.tables[0]
        with pytest.raises(ValueError, match=r"column|rows|unequal|same"):
            self.model.fit({**X, "short": [1.0]}, self.tables[0][1])

    @rule()
    def clone_it(self):
        self.model = clone(self.model)
        self.expected = None

    @rule(how=st.sampled_from(["pickle", "deepcopy"]))
    def copy_it(self, how):
        by = copy.deepcopy if how == "deepcopy" else lambda model: pickle.loads(pickle.dumps(model))
        self.model = by(self.model)

    @precondition(lambda self: self.expected is not None)
    @rule()
    def save_and_load(self):
        held = self.model.get_params()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            self.model.save(path)
            self.model = tw.load(path)
            self.model.save(Path(folder) / "again")
            assert path.read_bytes() == (Path(folder) / "again").read_bytes()
        # A file holds the settings; those changed since the fit are settings too.
        assert self.model.get_params() == held

    @invariant()
    def settings_are_those_that_were_set(self):
        assert self.model.get_params() == self.expected_settings

    @invariant()
    def predictions_are_those_of_the_last_fit(self):
        if self.expected is None:
            with pytest.raises(NotFittedError):
                self.model.predict(self.asked)
        else:
            np.testing.assert_array_equal(predictions(self.model, self.asked), self.expected)


@for_every_saved_model
def test_P18_steps_in_any_order_keep_the_contract(kind):
    steps_of(kind, settings(max_examples=share_of_examples(6), stateful_step_count=8))


@pytest.mark.large
@for_every_saved_model
def test_P18_many_steps_in_any_order_keep_the_contract(kind):
    steps_of(kind, settings(max_examples=share_of_examples(15), stateful_step_count=30))


def steps_of(kind: Model, how_many: settings) -> None:
    own_steps = seed(kind.name)
    run_state_machine_as_test(own_steps(lambda: Estimator(kind)), settings=how_many)
