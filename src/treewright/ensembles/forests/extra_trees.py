"""Extremely randomized trees after Geurts, Ernst and Wehenkel (2006)."""

from treewright.ensembles.base import Ensemble
from treewright.ensembles.fitted import FittedClassForest, FittedNumberForest
from treewright.ensembles.forests.base import ForestClassifier, ForestRegressor
from treewright.ensembles.forests.settings import BOOTSTRAP


class ExtraTreesClassifier(ForestClassifier, Ensemble[FittedClassForest]):
    """Extremely randomized trees for classification.

    At each node, columns are sampled and one random threshold is drawn for each. The best of these
    splits is used. The trees differ more than in a random forest, which smooths the predictions,
    and they are faster to train.

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
    >>> forest = tw.ExtraTreesClassifier().fit(X, y)
    >>> forest.predict(X[:2]).tolist()
    ['setosa', 'setosa']
    >>> len(forest.trees_)
    100
    """

    random_cuts = True

    bootstrap: bool = BOOTSTRAP.but(default=False)


class ExtraTreesRegressor(ForestRegressor, Ensemble[FittedNumberForest]):
    """Extremely randomized trees for regression.

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
    >>> forest = tw.ExtraTreesRegressor().fit(X, [2.0 * row[0] for row in X])
    >>> abs(forest.predict([[50]]) - 100) < 5
    array([ True])
    """

    random_cuts = True

    bootstrap: bool = BOOTSTRAP.but(default=False)
