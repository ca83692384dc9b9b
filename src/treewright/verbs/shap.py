"""`treewright.shap_values`: the contribution of each column to predictions of trees."""

from typing import Any

from numpy.typing import NDArray

from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, kind_of
from treewright.estimators.base import Model
from treewright.estimators.rows import has_missing, rows_for_tree
from treewright.estimators.threads import n_threads
from treewright.explanations.shap_values import ShapValues, shapley
from treewright.explanations.tree_sum import TreeSum, sum_of_tree
from treewright.protocols import FittedModel
from treewright.tree.tree import Tree

ROWS_WORTH_THREADS = 32


def shap_values(
    model: FittedModel | Tree,
    X: Any,
    background: Any = None,
    *,
    interactions: bool = False,
    n_jobs: int | None = None,
) -> ShapValues:
    """Compute exact Shapley values: what each column of each row adds to the prediction.

    Single trees and forests are explained by their probabilities or predicted numbers, boosted
    trees by their scores (log-odds for two classes). The base value and the values of a row add up
    to its prediction.

    Parameters
    ----------
    model
        A fitted tree or ensemble of treewright, or a `Tree`.
    X
        Rows.
    background
        Rows that replace unknown columns ("interventional" Shapley values); time grows with their
        number. None uses the training weight of the branches instead ("path-dependent"), which
        needs no rows.
    interactions
        Whether to compute interaction values for pairs of columns as well; not with a background.
    n_jobs
        Threads: None chooses the number, -1 uses all cores. The values are always the same.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> shares = tw.shap_values(tw.ID3Classifier().fit(X, y), X).of("Yes")
    >>> dict(zip(shares.feature_names, shares.values[0].round(3).tolist()))
    {'outlook': -0.443, 'temperature': 0.0, 'humidity': -0.271, 'wind': 0.071}
    >>> float(shares.base_values[0].round(3)), abs(float(shares.predictions[0].round(3)))
    (0.643, 0.0)
    """
    explained = checked_trees(model)
    rows = rows_of(explained, X)
    others = None if background is None else rows_of(explained, background)
    trees = tree_sum_of(
        explained, has_missing=any(has_missing(each) for each in (rows, others) if each is not None)
    )
    if interactions and background is not None:
        raise DataError(
            "interactions cannot be computed with a background",
            hint="leave out `background`",
        )
    if others is not None and len(others) == 0:
        raise DataError("the background has no rows")
    threads = n_threads(n_jobs, worth_it=len(rows) >= ROWS_WORTH_THREADS)
    return shapley(trees, table_from(X), rows, others, interactions=interactions, n_threads=threads)


def checked_trees(model: object) -> Model[Any] | Tree:
    """The model, if it is a tree or an ensemble of treewright."""
    if isinstance(model, Tree) or (isinstance(model, Model) and hasattr(model, "tree_sum")):
        return model
    is_own = isinstance(model, Model)
    raise ParameterError(
        f"Shapley values are computed for trees and ensembles of treewright, and {kind_of(model)} "
        f"is {'neither' if is_own else 'not a model of treewright'}",
        hint="tw.importance(model, X, y) works with any model, and so does tw.distil(model, X), "
        "whose tree has Shapley values"
        + ("" if is_own else "; the package `shap` explains models of other packages"),
    )


def tree_sum_of(model: Model[Any] | Tree, *, has_missing: bool = True) -> TreeSum:
    """The trees of a fitted model, and how their values add up to what is explained.

    Single trees and forests are explained by their probabilities or predicted numbers, boosted
    trees by their scores, as `decision_function` gives them, isolation forests by the mean number
    of splits that set a row apart. `has_missing` says whether values of the rows are missing.
    """
    if isinstance(model, Tree):
        return sum_of_tree(model)
    trees: TreeSum = model.tree_sum(has_missing=has_missing)
    return trees


def rows_of(model: Model[Any] | Tree, X: Any) -> Table | NDArray[Any]:
    """The rows of X as the trees of the model know their columns."""
    if isinstance(model, Tree):
        return rows_for_tree(model, X)
    rows: Table | NDArray[Any] = model.tree_rows(X)
    return rows
