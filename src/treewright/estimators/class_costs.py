"""Class weights, priors and costs.

Every classifier predicts the class of least expected cost: `cost_matrix` reads `costs` for all of
them. Trees use costs and priors in growth, too. Growth multiplies the weight of every class by a
factor: prior / share of the class in training. Costs enter splits as altered priors (Breiman and
others, 1984): class i has the prior prior_i x (sum of costs[i]). Leaves use the given priors.
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
from treewright.errors import ParameterError, warn_user
from treewright.tree.layout import read_only

MOST_COST = 1e100  # sums of costs times probabilities stay finite


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
    matrix = None if costs is None else cost_matrix(costs, classes)
    if matrix is None and priors is None:
        return ClassFactors(None, None, None)
    shares = class_totals / class_totals.sum()
    prior = shares if priors is None else _prior_shares(priors, classes)
    altered = prior if matrix is None else prior * matrix.sum(axis=1)
    return ClassFactors(
        # The errors on an only class cost nothing, because there are none.
        split=_factor(altered / altered.sum(), shares) if altered.any() else None,
        leaf=None if priors is None else _factor(prior, shares),
        costs=matrix,
    )


def _factor(wanted: Floats, shares: Floats) -> Floats | None:
    present = shares > 0
    factor = np.where(present, wanted / np.where(present, shares, 1.0), 1.0)
    return None if np.allclose(factor, 1.0, rtol=0, atol=1e-12) else factor


def cost_matrix(costs: object, classes: NDArray[Any]) -> Floats:
    """The costs of a classifier as a checked matrix, true class by predicted class."""
    n_classes = len(classes)
    matrix = cost_table(costs, classes)
    if not np.isfinite(matrix).all() or (matrix < 0).any() or (matrix > MOST_COST).any():
        i, j = np.argwhere(~((matrix >= 0) & (matrix <= MOST_COST)))[0]
        is_below = matrix[i, j] < 0
        why = "an error cannot cost less than a correct prediction, which costs 0; "
        raise ParameterError(
            f"costs[{i}][{j}]={matrix[i, j]} is not allowed",
            hint=f"{why if is_below else ''}use costs from 0 to {MOST_COST:g}",
        )
    if np.diag(matrix).any():
        i = int(np.flatnonzero(np.diag(matrix))[0])
        raise ParameterError(
            f"costs[{i}][{i}]={matrix[i, i]} is a cost for a correct prediction",
            hint="put 0 on the diagonal; where a correct prediction costs something, subtract that "
            "from its row: only the difference matters",
        )
    if n_classes > 1 and not matrix.sum(axis=1).all():
        i = int(np.flatnonzero(matrix.sum(axis=1) == 0)[0])
        raise ParameterError(
            f"costs[{i}] is zero everywhere: errors on class `{classes[i]}` would be free",
            hint="give at least one cost above 0 in every row",
        )
    warn_of_idle_classes(matrix, classes)
    return read_only(matrix)


def cost_table(costs: object, classes: NDArray[Any]) -> Floats:
    """Costs as numbers by true and predicted class, from a matrix or a dict."""
    n_classes = len(classes)
    if isinstance(costs, Mapping):
        return _costs_by_name(costs, classes)
    matrix = _numbers("costs", costs)
    if matrix.shape != (n_classes, n_classes):
        raise ParameterError(
            f"costs has shape {matrix.shape}, the target has {n_classes} classes",
            hint=f"give a {n_classes} x {n_classes} matrix: costs[i][j] for true class i predicted "
            f"as class j, in the order {_listed(classes)}",
        )
    return matrix


def _costs_by_name(costs: Mapping[Any, Any], classes: NDArray[Any]) -> Floats:
    """A dict from true class to the cost of its errors: a number, or a dict by predicted class.

    Errors that it does not name cost 1.
    """
    matrix = 1.0 - np.eye(len(classes))
    for label, of_class in costs.items():
        i = _position("costs", label, classes)
        if isinstance(of_class, Mapping):
            for predicted, cost in of_class.items():
                j = _position(f"costs[{label!r}]", predicted, classes)
                matrix[i, j] = _number(f"costs[{label!r}][{predicted!r}]", cost)
        else:
            matrix[i, np.arange(len(classes)) != i] = _number(f"costs[{label!r}]", of_class)
    return matrix


def warn_of_idle_classes(matrix: Floats, classes: NDArray[Any]) -> None:
    """Warn of a class that costs at least as much as another one, whatever the truth is."""
    for j in range(len(classes)):
        for k in np.flatnonzero(matrix[j] == 0):  # without a free error, class j has its use
            if (matrix[:, j] >= matrix[:, k]).all() and (matrix[:, j] > matrix[:, k]).any():
                warn_user(
                    f"with these costs, predicting `{classes[k]}` never costs more than predicting "
                    f"`{classes[j]}`"
                )
                break


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
    by_class = np.full(len(classes), np.nan if default is None else default)
    for label, value in given.items():
        by_class[_position(name, label, classes)] = _numbers(f"{name}[{label!r}]", value)
    if np.isnan(by_class).any():
        absent = classes[int(np.flatnonzero(np.isnan(by_class))[0])]
        raise ParameterError(
            f"{name} has no number for the class `{absent}`", hint="give one for every class"
        )
    return by_class


def _position(name: str, label: Any, classes: NDArray[Any]) -> int:
    """The place of a class that a dict names, or writes: keys of JSON are text.

    Near misses are offered.
    """
    known = {one: position for position, one in enumerate(classes.tolist())}
    position = known.get(label.item() if isinstance(label, np.generic) else label)
    if position is None and isinstance(label, str):
        position = {str(one): position for one, position in known.items()}.get(label)
    if position is None:
        near = get_close_matches(str(label), [str(one) for one in known], n=1)
        raise ParameterError(
            f"{name} names the class {label!r}, which the target does not have",
            hint=f"did you mean `{near[0]}`?" if near else f"classes are: {_listed(classes)}",
        )
    return position


def _number(name: str, value: Any) -> float:
    found = _numbers(name, value)
    if found.ndim:
        raise ParameterError(f"{name}={reprlib.repr(value)} is not a number")
    return float(found)


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
