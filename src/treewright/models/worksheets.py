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
    rows = encoded_rows(model, X, y, sample_weight)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    by_class = isinstance(rows.target, ClassTarget)
    training = Training(
        table=rows.table,
        codes=rows.target.codes if isinstance(rows.target, ClassTarget) else None,
        values=None if isinstance(rows.target, ClassTarget) else rows.target.values,
        n_classes=rows.target.n_classes if by_class else 0,  # type: ignore[union-attr]
        weights=weights,
        settings=model._growth(rows),
    )
    calculation = Calculation(model.tree_, training, model.pruning_)
    return Worksheet(calculation, type(model).__name__, model.notes_, tuple(measures))
