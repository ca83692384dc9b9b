"""Class weights, priors and costs, as growth and leaves use them.

Growth multiplies the weight of every class by a factor: prior / share of the class in training.
Costs enter splits as altered priors (Breiman and others, 1984): class i has the prior
prior_i x (sum of costs[i]). Leaves use the given priors, and predict the class with the lowest
expected cost.
"""

import reprlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.weights import are_counts, in_range, scaled_importances
from treewright.errors import ParameterError


@dataclass(frozen=True, slots=True)
class ClassFactors:
    """The effect of costs and priors; None if there is none."""

    split: Floats | None  # factor on each class in the split measure
    leaf: Floats | None  # factor on each class in the probabilities of a leaf
    costs: Floats | None  # (n_classes, n_classes): for the class that a leaf predicts


def row_factors(
    class_weight: object, codes: NDArray[Any], classes: NDArray[Any], weights: Floats | None
) -> Floats:
    """The factors of `class_weight` on the weight of each row.

    As in scikit-learn, a class missing from a dict has weight 1, and a dict with all classes of
    the target may have more. Factors that are not whole numbers are relative: they are scaled to
    keep the total weight.
    """
    if isinstance(class_weight, Mapping):
        known = set(classes.tolist())
        if known <= set(class_weight):
            class_weight = {label: class_weight[label] for label in known}
        by_class = _by_class("class_weight", class_weight, classes, default=1.0)
        if (by_class < 0).any() or not np.isfinite(by_class).all():
            raise ParameterError(
                f"class_weight={reprlib.repr(class_weight)} has a weight that is not 0 or more",
                hint="use finite weights of at least 0",
            )
    else:  # balanced: all classes get the same total
        totals = np.bincount(codes, weights, minlength=len(classes)).astype(np.float64)
        present = totals > 0
        by_class = totals.sum() / (present.sum() * np.where(present, totals, 1.0))
    factors: Floats = by_class[codes]
    if isinstance(class_weight, Mapping) and factors.any() and not are_counts(factors):
        return scaled_factors(factors, weights)
    return factors


def scaled_factors(factors: Floats, weights: Floats | None) -> Floats:
    """Factors in the same ratios that keep the total weight."""
    if weights is None or (weights == 1).all():
        return scaled_importances(factors)
    ratios = np.asarray(in_range(factors)[0])
    kept = (factors > 0) & (weights > 0)  # rows without weight must not change the order of a sum
    return ratios * (float(weights[kept].sum()) / float((weights[kept] * ratios[kept]).sum()))


def class_factors(
    costs: object, priors: object, class_totals: Floats, classes: NDArray[Any]
) -> ClassFactors:
    """The factors for training rows whose weight by class is `class_totals`."""
    matrix = None if costs is None else _cost_matrix(costs, classes)
    if matrix is None and priors is None:
        return ClassFactors(None, None, None)
    shares = class_totals / class_totals.sum()
    prior = shares if priors is None else _prior_shares(priors, classes)
    altered = prior if matrix is None else prior * matrix.sum(axis=1)
    altered = altered / altered.sum()
    return ClassFactors(
        split=_factor(altered, shares),
        leaf=None if priors is None else _factor(prior, shares),
        costs=matrix,
    )


def _factor(wanted: Floats, shares: Floats) -> Floats | None:
    present = shares > 0
    factor = np.where(present, wanted / np.where(present, shares, 1.0), 1.0)
    return None if np.allclose(factor, 1.0, rtol=0, atol=1e-12) else factor


def _cost_matrix(costs: object, classes: NDArray[Any]) -> Floats:
    n_classes = len(classes)
    matrix = _numbers("costs", costs)
    if matrix.shape != (n_classes, n_classes):
        raise ParameterError(
            f"costs has shape {matrix.shape}, the target has {n_classes} classes",
            hint=f"give a {n_classes} x {n_classes} matrix: costs[i][j] for true class i predicted "
            f"as class j, in the order {_listed(classes)}",
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        i, j = np.argwhere(~np.isfinite(matrix) | (matrix < 0))[0]
        raise ParameterError(
            f"costs[{i}][{j}]={matrix[i, j]} is not allowed", hint="use costs of at least 0"
        )
    if np.diag(matrix).any():
        i = int(np.flatnonzero(np.diag(matrix))[0])
        raise ParameterError(
            f"costs[{i}][{i}]={matrix[i, i]} is a cost for a correct prediction",
            hint="put 0 on the diagonal",
        )
    if n_classes > 1 and not matrix.sum(axis=1).all():
        i = int(np.flatnonzero(matrix.sum(axis=1) == 0)[0])
        raise ParameterError(
            f"costs[{i}] is zero everywhere: errors on class `{classes[i]}` would be free",
            hint="give at least one cost above 0 in every row",
        )
    return matrix


def _prior_shares(priors: object, classes: NDArray[Any]) -> Floats:
    if isinstance(priors, Mapping):
        shares = _by_class("priors", priors, classes, default=None)
    else:
        shares = _numbers("priors", priors)
    if shares.shape != (len(classes),):
        raise ParameterError(
            f"priors has shape {shares.shape}, the target has {len(classes)} classes",
            hint=f"give one probability for each class, in the order {_listed(classes)}",
        )
    if not np.isfinite(shares).all() or (shares <= 0).any() or abs(shares.sum() - 1) > 1e-6:
        raise ParameterError(
            f"priors={reprlib.repr(priors)} are not probabilities: they add up to {shares.sum():g}",
            hint="use positive numbers that add up to 1",
        )
    normalized: Floats = shares / shares.sum()
    return normalized


def _by_class(name: str, given: object, classes: NDArray[Any], *, default: float | None) -> Floats:
    """The values of a dict by class, in the order of `classes`."""
    assert isinstance(given, Mapping)  # checked by the parameter table
    known = {label: position for position, label in enumerate(classes.tolist())}
    by_class = np.full(len(classes), np.nan if default is None else default)
    for label, value in given.items():
        position = known.get(label.item() if isinstance(label, np.generic) else label)
        if position is None:
            near = get_close_matches(str(label), [str(known_label) for known_label in known], n=1)
            raise ParameterError(
                f"{name} names the class {label!r}, which the target does not have",
                hint=f"did you mean `{near[0]}`?" if near else f"classes are: {_listed(classes)}",
            )
        by_class[position] = _numbers(f"{name}[{label!r}]", value)
    if np.isnan(by_class).any():
        absent = classes[int(np.flatnonzero(np.isnan(by_class))[0])]
        raise ParameterError(
            f"{name} has no number for the class `{absent}`", hint="give one for every class"
        )
    return by_class


def _numbers(name: str, values: Any) -> Floats:
    if np.ma.is_masked(values):
        raise ParameterError(f"{name} has masked entries", hint="give a number for each of them")
    with suppress(TypeError, ValueError):
        if not np.iscomplexobj(values):
            return np.array(values, dtype=np.float64)
    raise ParameterError(
        f"{name}={reprlib.repr(values)} does not consist of numbers",
        hint="use rows of equal length, numbers only",
    )


def _listed(classes: NDArray[Any], most: int = 8) -> str:
    shown = ", ".join(str(label) for label in classes[:most].tolist())
    return shown + (", ..." if len(classes) > most else "")
