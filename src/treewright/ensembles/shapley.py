"""`treewright.shap_values`: what each column adds to the answers of any model of trees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NumericColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.ensembles.tree_sums import Model, encoded_rows, tree_sum_of
from treewright.errors import DataError
from treewright.estimators.threads import n_threads
from treewright.estimators.training import has_holes
from treewright.explanations.shap_values import ShapValues
from treewright.explanations.tree_sum import TreeSum

Rows = Table | NDArray[Any]

ROWS_WORTH_THREADS = 32


def shap_values(
    model: Model,
    X: Any,
    background: Any = None,
    *,
    interactions: bool = False,
    n_jobs: int | None = None,
) -> ShapValues:
    """What each column of each row adds to a model's answer: exact Shapley values.

    Single trees and forests are explained by their probabilities or predicted numbers, boosted
    trees by their scores (log-odds for two classes). The base value and the values of a row add up
    to its answer.

    Parameters
    ----------
    model
        A fitted tree or ensemble of treewright, or a `Tree`.
    X
        Rows.
    background
        Rows that stand for columns that are not known ("interventional" Shapley values); time grows
        with their number. None takes the training weight of the branches instead
        ("path-dependent"), which needs no rows.
    interactions
        Whether to share the values out to pairs of columns, too; not against a background.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The values are always the same.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> shares = tw.shap_values(tw.ID3Classifier().fit(X, y), X).of("Yes")
    >>> dict(zip(shares.feature_names, shares.values[0].round(3).tolist()))
    {'outlook': -0.443, 'temperature': 0.0, 'humidity': -0.271, 'wind': 0.071}
    >>> float(shares.base_values[0].round(3)), abs(float(shares.answers[0].round(3)))
    (0.643, 0.0)
    """
    rows = encoded_rows(model, X)
    others = None if background is None else encoded_rows(model, background)
    trees = tree_sum_of(
        model, has_holes=any(has_holes(each) for each in (rows, others) if each is not None)
    )
    if interactions and background is not None:
        raise DataError(
            "interactions are by training weight, a background was given",
            hint="leave out `background`",
        )
    threads = n_threads(n_jobs, worth_it=len(rows) >= ROWS_WORTH_THREADS)
    if others is None:
        base, values = trees.expected(), trees.by_weight(rows, threads)
    else:
        if len(others) == 0:
            raise DataError("the background has no rows")
        base = trees.values(others, threads).mean(axis=0)
        values = trees.against(rows, others, threads)
    pairs = shared_to_pairs(trees, rows, values, threads) if interactions else None
    return gathered(trees, table_from(X), rows, (base, values, pairs))


def shared_to_pairs(trees: TreeSum, rows: Rows, values: Floats, threads: int) -> Floats:
    """(n_rows, n_columns, n_columns, n_outputs): on the diagonal what a column adds by itself."""
    pairs = trees.pairs(rows, threads)
    columns = np.arange(pairs.shape[1])
    pairs[:, columns, columns] = values - pairs.sum(axis=2)
    return pairs


def gathered(
    trees: TreeSum,
    given: Table,
    rows: Rows,
    found: tuple[Floats, Floats, Floats | None],
) -> ShapValues:
    """All that belongs to the values; one output has no axis of its own."""
    base, values, pairs = found
    base_values = np.tile(base, (len(values), 1))
    if trees.n_outputs == 1:
        base_values, values = base_values[:, 0], values[..., 0]
        pairs = None if pairs is None else pairs[..., 0]
    return ShapValues(
        values,
        base_values,
        np.asarray(given),
        numbers_of(rows),
        tuple(str(name) for name in trees.schema.names),
        trees.outputs,
        trees.scale,
        pairs,
    )


def numbers_of(rows: Rows) -> Floats:
    """(n_rows, n_columns): numbers as they are, levels by their place, NaN where unknown."""
    if isinstance(rows, np.ndarray):
        return rows.astype(np.float64)
    numbers = np.empty(rows.shape)
    for at, column in enumerate(rows.columns):
        if isinstance(column, NumericColumn):
            numbers[:, at] = column.values
        else:
            numbers[:, at] = np.where(column.codes < 0, np.nan, column.codes)
    return numbers
