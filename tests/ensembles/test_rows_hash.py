"""A fitted model knows its rows again, however they are handed over."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.ensembles.fitted import CELLS_OF_A_COLUMN

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": np.where(RNG.random(80) < 0.2, np.nan, RNG.normal(size=80)),
        "color": pd.Categorical(RNG.choice(["red", "blue"], 80), ["none", "red", "blue"]),
        "day": pd.date_range("2020-01-01", periods=80),
    }
)
Y = RNG.choice(["yes", "no"], 80)
MODEL = tw.RandomForestClassifier(n_estimators=2).fit(FRAME, Y)


def test_the_same_rows_are_known_in_every_form(tmp_path):
    assert MODEL.is_fit_of(FRAME, Y)
    assert MODEL.is_fit_of(tw.table_from(FRAME), list(Y), np.ones(80))
    MODEL.save(tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").is_fit_of(FRAME, Y)


@pytest.mark.parametrize(
    ("X", "y", "weights"),
    [
        (FRAME[:-1], Y[:-1], None),
        (FRAME, Y[::-1], None),
        (FRAME, Y, np.arange(80)),
        (FRAME.assign(size=FRAME["size"] + 1e-9), Y, None),
        (FRAME.assign(color=FRAME["color"].to_numpy()[::-1]), Y, None),
        (FRAME[["size"]], Y, None),
        (FRAME, np.arange(80) / 3, None),
    ],
)
def test_other_rows_are_not(X, y, weights):
    assert not MODEL.is_fit_of(X, y, weights)


def test_weights_of_zero_and_of_classes_change_nothing():
    weights = RNG.integers(0, 2, 80).astype(float)
    model = tw.BoostedTreesClassifier(n_estimators=2, class_weight="balanced")
    model.fit(FRAME, Y, sample_weight=weights)
    assert model.is_fit_of(FRAME, Y, weights)
    assert model.set_params(class_weight=None).is_fit_of(FRAME, Y, weights)
    assert model.n_rows_ == weights.sum()


def test_of_long_tables_some_cells_and_all_of_the_target_are_looked_at():
    X = RNG.normal(size=(3 * CELLS_OF_A_COLUMN, 2)).astype(np.float32)
    y = X[:, 0] + 0.5
    model = tw.BoostedTreesRegressor(n_estimators=1).fit(X, y)
    assert model.is_fit_of(X.astype(np.float64), y)
    y[1] += 1
    assert not model.is_fit_of(X, y)
