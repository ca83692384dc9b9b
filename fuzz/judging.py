"""What a model file may do: be refused with a `ModelFileError`, or predict rows as a model does."""

import warnings
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_clusterer, is_outlier_detector

import treewright as tw
from fuzz.tree_soundness import tree_faults
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.verbs.load import model_bytes, model_from_bytes

N_ROWS = 8
ORDINARY = np.array([0.0, 1.0, -1.0, 0.3, 2.5, -3.0, 7.0, 100.0])
EXTREME = np.array([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0, 2.0**53])
MOST_LEVELS = 1000
ROUNDING = 1e-9


class WrongAcceptanceError(Exception):
    """A file was taken that should have been refused, or its model predicts nonsense."""


def judged(content: bytes, *, must_be_refused: bool = False) -> bool:
    """Whether a file is accepted. What it must not do raises, whatever that is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = model_from_bytes(content)
        except tw.ModelFileError:
            return False
        if must_be_refused:
            raise WrongAcceptanceError("a changed file with its old checksum was accepted")
        check_trees(model)
        check_predictions(model)
        check_saved_again(model)
    return True


def check_trees(model: Any) -> None:
    """Raise if a tree of the model has something that a walk would stumble over."""
    trees = list(getattr(model, "trees_", ()))
    trees += [model.tree_] if hasattr(model, "tree_") else []
    for tree in trees:
        fault = tree_faults(tree)
        if fault:
            raise WrongAcceptanceError(fault)


def check_saved_again(model: Any) -> None:
    """Raise unless what was read can be written, and is then written so for good."""
    once = model_bytes(model)
    if model_bytes(model_from_bytes(once)) != once:
        raise WrongAcceptanceError("saving, loading and saving again gives other bytes")


# ---------------------------------------------------------------------------- rows


def rows_for(schema: Schema, numbers: np.ndarray, *, holes: bool) -> tw.Table:
    """Eight rows with the columns of a schema; with holes also levels that it does not know."""
    columns = [
        column_for(spec, np.roll(numbers, at), holes=holes)
        for at, spec in enumerate(schema.columns)
    ]
    return tw.Table(columns, N_ROWS, has_names=schema.has_names)


def column_for(spec: ColumnSpec, numbers: np.ndarray, *, holes: bool) -> Column:
    if spec.is_numeric:
        return NumericColumn(spec.name, numbers, spec.unit)
    if not spec.levels:
        return NominalColumn(spec.name, np.full(N_ROWS, -1, np.int32), ())
    codes = np.arange(N_ROWS, dtype=np.int32) * 7 % len(spec.levels)
    if not holes:
        return NominalColumn(spec.name, codes, spec.levels, spec.kind == "ordered")
    if spec.level_type == "boolean":
        codes[0] = -1
        return NominalColumn(spec.name, codes, spec.levels)
    stranger = "a stranger" if spec.level_type == "string" else 10**9 + 7
    levels = (*spec.levels[:MOST_LEVELS], stranger)
    codes = np.arange(N_ROWS, dtype=np.int32) % len(levels)
    codes[:2] = -1, len(levels) - 1
    return NominalColumn(spec.name, codes, levels)


# ---------------------------------------------------------------------------- predictions


def check_predictions(model: Any) -> None:
    """Raise unless the model predicts ordinary rows, and predicts or refuses odd ones."""
    is_rules = isinstance(model, tw.RuleSet)
    schema = model.schema if is_rules else model.schema_
    # A setting may speak of columns otherwise than the fit did, in files as in `set_params`, and
    # what scores stand for may be known to a function of the user's alone.
    chosen = model._categorical_features if is_rules else model.categorical_features
    asks_user = not isinstance(chosen, str | None) or getattr(model, "link_", "") == "own"
    may_refuse = asks_user or asks_too_many(model)
    with suppress(*((tw.DataError, tw.ParameterError) if may_refuse else ())):
        check_rows(model, rows_for(schema, ORDINARY, holes=False))
        with suppress(tw.DataError):  # some models take no holes, no infinities or no strangers
            check_rows(model, rows_for(schema, EXTREME, holes=True))


def asks_too_many(model: Any) -> bool:
    """Whether more neighbors are to vote than there are.

    Such a file is sound: `set_params` takes any number after a fit and the model is saved so, since
    the setting may be changed back. Rows are then refused by an error that says so, as in fit.
    """
    if not isinstance(model, tw.KNeighborsClassifier | tw.KNeighborsRegressor):
        return False
    n_rows = len(model.rows_)
    weight = n_rows if model.weights_ is None else float(model.weights_.sum())
    return model.n_neighbors > max(n_rows, weight)


def check_rows(model: Any, rows: tw.Table) -> None:
    predicted = np.asarray(model.predict(rows))
    demand(len(predicted) == N_ROWS, "not one prediction for each row")
    if isinstance(model, tw.RuleSet):
        if model.classes_ is None:
            check_numbers(model, predicted)
        else:
            check_shares(model, rows, predicted)
    elif is_outlier_detector(model):
        demand(bool(np.isin(predicted, (-1, 1)).all()), "an outlier is neither 1 nor -1")
        scores = model.score_samples(rows)
        demand(bool(((scores >= -1) & (scores <= 0)).all()), f"no scores: {scores.tolist()}")
    elif is_clusterer(model):
        n_clusters = len(model.cluster_centers_)
        demand(bool(((predicted >= 0) & (predicted < n_clusters)).all()), "no such cluster")
    elif is_classifier(model):
        check_shares(model, rows, predicted)
    else:
        check_numbers(model, predicted)


def check_numbers(model: Any, predicted: np.ndarray) -> None:
    """Raise unless predictions are numbers; those of equations in leaves may have any size."""
    demand(not np.isnan(predicted).any(), f"a prediction is not a number: {predicted}")
    if not isinstance(model, tw.M5Regressor):
        demand(bool(np.isfinite(predicted).all()), f"a prediction is not finite: {predicted}")


def check_shares(model: Any, rows: tw.Table, predicted: np.ndarray) -> None:
    """Raise unless predictions are classes, and probabilities are probabilities."""
    classes = list(model.classes_)
    demand(all(label in classes for label in predicted.tolist()), "a prediction is no class")
    shares = model.predict_proba(rows)
    demand(shares.shape == (N_ROWS, len(classes)), f"probabilities of shape {shares.shape}")
    in_range = (shares >= 0) & (shares <= 1 + ROUNDING)  # parts of a spread row add up to about 1
    demand(bool(in_range.all()), f"no probabilities: {shares.tolist()}")
    sums = shares.sum(axis=1)
    is_one = abs(sums - 1) < ROUNDING
    demand(bool(is_one.all()), f"probabilities do not sum to 1: {sums.tolist()}")


def demand(holds: bool, problem: str) -> None:  # noqa: FBT001 -- reads as a sentence
    if not holds:
        raise WrongAcceptanceError(problem)
