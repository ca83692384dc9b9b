"""P18: settings, fits, answers, files and copies in any order keep scikit-learn's contract.

A machine draws an estimator and then steps at random. Beside it stands what must be true: which
settings hold, whether the model is fitted, and what the fitted one answers.
"""

import copy
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import treewright as tw
from torture.models import MODELS, answers, table_for

SAVED = [name for name, kind in MODELS.items() if kind.is_saved]
TRIED = {"max_depth": (1, 3), "n_neighbors": (1, 4), "n_clusters": (2, 3), "tol": (1e-3, 1e-6)}
ROWS = slice(0, 7)


class Estimator(RuleBasedStateMachine):
    """An estimator, and what is known of it."""

    @initialize(name=st.sampled_from(SAVED))
    def begin(self, name):
        self.kind = MODELS[name]
        self.model = self.kind()
        self.expected_settings = self.model.get_params()
        self.expected = None  # what the fitted model answers
        X, y = table_for(self.kind)
        self.tables = [(X, y), table_for(self.kind, n_rows=40, seed=1)]
        self.asked = {column: values[ROWS] for column, values in X.items()}

    @rule(data=st.data())
    def set_a_parameter(self, data):
        known = [name for name in TRIED if name in self.expected_settings]
        if known:
            name = data.draw(st.sampled_from(known))
            value = data.draw(st.sampled_from(TRIED[name]))
            self.model.set_params(**{name: value})
            self.expected_settings[name] = value

    @rule(which=st.integers(0, 1))
    def fit(self, which):
        X, y = self.tables[which]
        assert self.model.fit(X, y) is self.model
        fresh = clone(self.model).fit(X, y)
        self.expected = answers(self.model, self.asked)
        np.testing.assert_array_equal(answers(fresh, self.asked), self.expected)

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
        if hasattr(self, "model"):
            assert self.model.get_params() == self.expected_settings

    @invariant()
    def answers_are_those_of_the_last_fit(self):
        if not hasattr(self, "model"):
            return
        if self.expected is None:
            with pytest.raises(NotFittedError):
                self.model.predict(self.asked)
        else:
            np.testing.assert_array_equal(answers(self.model, self.asked), self.expected)


@pytest.mark.filterwarnings("ignore::UserWarning")
class TestP18(Estimator.TestCase):
    settings = settings(max_examples=20, stateful_step_count=10, deadline=None)


@pytest.mark.large
@pytest.mark.filterwarnings("ignore::UserWarning")
class TestP18OfManySteps(Estimator.TestCase):
    settings = settings(max_examples=2000, stateful_step_count=30, deadline=None)
