"""Fitted models with some of what they learned changed, to see what becomes of such models."""

from dataclasses import replace


def with_learned(model, **attributes):
    """A copy of a fitted model; attributes such as `coef_` have other values."""
    fields = {name.removesuffix("_"): value for name, value in attributes.items()}
    return model.with_state(replace(model.state_, **fields))


def scores_of(model, X):
    """(n_rows, n_outputs): what the trees of a boosted model add up to."""
    return model.state_.scores(X, model)
