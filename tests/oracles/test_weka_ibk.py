"""Nearest neighbors by metric="ibl" answer as Weka's IBk does, ties and holes included."""

from typing import Any

import numpy as np
import pytest

from fitted_states import with_learned
from oracles.goldens import Problem, cases, golden_of, problem, unpacked, with_all_classes
from treewright.neighbors.classifier import KNeighborsClassifier
from treewright.neighbors.distances import matrix_of
from treewright.neighbors.regressor import KNeighborsRegressor

SHARES = 1e-9


def fitted(variant: str, data: Problem) -> Any:
    n_neighbors = min(int(variant.removeprefix("ibk")), len(data.y))
    table, y, weights = with_all_classes(data)
    model: Any = KNeighborsRegressor(n_neighbors, metric="ibl", ties="rounded")
    if data.classes is not None:
        model = KNeighborsClassifier(
            n_neighbors, metric="ibl", ties="rounded", smooth=1 / len(data.y)
        )
    return model.fit(table, y, sample_weight=weights)


@pytest.mark.parametrize(("name", "variant"), cases("weka_ibk"))
def test_training_rows_get_the_answers_and_shares_of_weka(name: str, variant: str) -> None:
    data = problem(name, ordered=False)
    check_predictions(fitted(variant, data), data.table, golden_of("weka_ibk", name, variant), "")


@pytest.mark.parametrize(("name", "variant"), cases("weka_ibk", "masked"))
def test_rows_with_holes_get_the_answers_and_shares_of_weka(name: str, variant: str) -> None:
    data = problem(name, ordered=False)
    golden = golden_of("weka_ibk", name, variant)
    check_predictions(fitted(variant, data), data.masked, golden, "masked_")


def check_predictions(model: Any, table: Any, golden: dict[str, Any], rows: str) -> None:
    expected = golden["masked" if rows else "predictions"]
    np.testing.assert_allclose(model.predict(table), expected, rtol=SHARES)
    if f"{rows}distributions" in golden:
        shares = unpacked(golden[f"{rows}distributions"])
        np.testing.assert_allclose(model.predict_proba(table), shares, atol=SHARES)


@pytest.mark.parametrize(("name", "variant"), cases("weka_ibk", "cv"))
def test_rows_of_each_fold_get_the_answers_of_weka_on_the_others(name: str, variant: str) -> None:
    data = problem(name, ordered=False)
    expected = np.array(golden_of("weka_ibk", name, variant)["cv"])
    for fold in np.unique(data.folds):
        model = fitted(variant, data.rows(data.folds != fold))
        rows = np.flatnonzero(data.folds == fold)
        parts = [rows] if not is_outside(model, data.table[rows]) else np.split(rows, len(rows))
        for part in parts:
            model = widened(model, data.table[part])
            predictions = model.predict(data.table[part])
            np.testing.assert_allclose(predictions, expected[part], rtol=SHARES)


def ends(model: Any, table: Any) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest number of each column, in training rows and table together."""
    numeric = np.array([spec.is_numeric for spec in model.schema_.columns])
    rows = np.vstack([matrix_of(table), model.origin_, model.origin_ + model.width_])
    low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
    return np.where(numeric, low, 0.0), np.where(numeric, high, 1.0)


def is_outside(model: Any, table: Any) -> bool:
    low, high = ends(model, table)
    return bool((low < model.origin_).any() or (high > model.origin_ + model.width_).any())


def widened(model: Any, table: Any) -> Any:
    """The model whose ranges of numbers a row to be predicted has widened, as Weka does for good.

    Ours stay those of the training rows, so that no answer depends on what was asked before.
    """
    if is_outside(model, table):
        low, high = ends(model, table)
        return with_learned(model, origin_=low, width_=high - low)
    return model
