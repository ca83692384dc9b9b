"""Random forests after Breiman (2001)."""

from typing import Any

from treewright.ensembles.base import Ensemble
from treewright.ensembles.fitted import FittedClassForest, FittedNumberForest
from treewright.ensembles.forests.base import ForestClassifier, ForestRegressor
from treewright.estimators.declaration import param

SPLITS = param(
    "histogram",
    'How to find thresholds: "histogram" bins numeric columns first; "exact" tries every value, '
    "which is slower, rarely more accurate, and needs no `max_bins` and `min_level_rows`.",
    choices=("histogram", "exact"),
    before="oob_score",
)
INDUCTORS = param(
    None,
    "Tree algorithms to use in turn, instead of the forest's own: unfitted tree models, or the "
    'names "id3", "c45", "cart", "tree" for default settings. They control how each tree is '
    "grown. The forest still samples the rows and combines the predictions.",
    optional=True,
    accepts=lambda value: isinstance(value, list | tuple),
    accepts_text='a list of unfitted tree models or of names: ["id3", "c45", "cart"]',
    before="oob_score",
)


class RandomForestClassifier(ForestClassifier, Ensemble[FittedClassForest]):
    """Random forest for classification: trees trained on random samples of rows and columns.

    Numeric columns are sorted into at most 255 bins, nominal columns are split by sets of
    categories, and each split learns a side for missing values.

    Attributes
    ----------
    trees_
        The trees, each an ordinary `Tree`.
    classes_
        Class labels, in the column order of `predict_proba`.
    feature_importances_
        Importance of each column: its share of the total impurity decrease, averaged over the
        trees.
    oob_score_, oob_decision_function_
        With `oob_score=True`: accuracy of the out-of-bag predictions, and the out-of-bag
        probabilities of each training row (NaN for rows that every tree used or of weight 0).

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> forest = tw.RandomForestClassifier().fit(X, y)
    >>> forest.predict(X[:2]).tolist()
    ['setosa', 'setosa']
    >>> len(forest.trees_)
    100
    """

    splits: str = SPLITS
    inductors: Any = INDUCTORS


class RandomForestRegressor(ForestRegressor, Ensemble[FittedNumberForest]):
    """Random forest for regression: trees trained on random samples of rows and columns.

    Attributes
    ----------
    trees_
        The trees, each an ordinary `Tree`.
    feature_importances_
        Importance of each column: its share of the total decrease in squared error, averaged over
        the trees.
    oob_score_, oob_prediction_
        With `oob_score=True`: R squared of the out-of-bag predictions, and the predictions
        themselves (NaN for rows that every tree used or of weight 0).

    Examples
    --------
    >>> import treewright as tw
    >>> X = [[size] for size in range(100)]
    >>> forest = tw.RandomForestRegressor().fit(X, [2.0 * row[0] for row in X])
    >>> abs(forest.predict([[50]]) - 100) < 5
    array([ True])
    """

    splits: str = SPLITS
    inductors: Any = INDUCTORS
