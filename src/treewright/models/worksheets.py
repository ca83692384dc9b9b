"""tw.worksheet: the calculation behind a fitted model, printed step by step."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.data.target import ClassTarget
from treewright.errors import ParameterError
from treewright.models.base import TreeEstimator
from treewright.models.pruned import encoded_rows
from treewright.worksheets.calculate import Calculation
from treewright.worksheets.comparison import check_measures
from treewright.worksheets.sheet import Worksheet
from treewright.worksheets.training import Training


def worksheet(
    model: TreeEstimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    measures: Sequence[str] = (),
) -> Worksheet:
    """The whole calculation behind every node of a fitted tree, as a lecturer writes it.

    Parameters
    ----------
    model
        A fitted tree estimator.
    X, y, sample_weight
        The rows that it was fitted to: every number is worked out from them anew.
    measures
        Further measures to show beside the model's own: "information_gain", "gain_ratio",
        "gini_gain", "chi_square".

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    >>> root = sheet.nodes[0]
    >>> root.chosen.column, round(root.chosen.gain, 4), round(root.margin, 4)
    ('outlook', 0.2467, 0.0949)
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"a {type(model).__name__} has no worksheet", hint="give a fitted tree estimator"
        )
    model._fitted_tree()
    check_measures(tuple(measures))
    training = training_of(model, X, y, sample_weight)
    calculation = Calculation(model.tree_, training, model.pruning_)
    return Worksheet(calculation, type(model).__name__, model.notes_, tuple(measures))


def training_of(model: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> Training:
    """The rows of a fit in the columns of its tree, and what growth was asked to do."""
    rows = encoded_rows(model, X, y, sample_weight)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    target = rows.target
    return Training(
        table=rows.table,
        codes=target.codes if isinstance(target, ClassTarget) else None,
        values=None if isinstance(target, ClassTarget) else target.values,
        n_classes=target.n_classes if isinstance(target, ClassTarget) else 0,
        weights=weights,
        settings=model._growth(rows),
    )
