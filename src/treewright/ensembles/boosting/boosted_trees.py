"""Gradient boosted trees."""

from typing import Any

from treewright.ensembles.base import Ensemble
from treewright.ensembles.boosting.base import (
    LOSS,
    MONOTONIC_CST,
    BoostedClassifier,
    BoostedRegressor,
)
from treewright.ensembles.fitted import FittedBoosting
from treewright.estimators.declaration import param


class BoostedTreesClassifier(BoostedClassifier, Ensemble[FittedBoosting]):
    """Gradient boosted trees for classification.

    Each tree is fitted to the derivatives of a loss with respect to the current scores. Scores
    become probabilities by the logistic function (two classes) or by softmax (more classes, with
    one tree per class and round). Numeric columns are binned, nominal columns are split by sets of
    categories, and each split learns a side for missing values.

    Attributes
    ----------
    trees_
        The trees in the order of training. Each is an ordinary `Tree` whose values are added to a
        score. With K > 2 classes, tree i belongs to round i // K and class i % K.
    start_
        The initial scores, before the first tree.
    n_estimators_
        Number of rounds of the fitted model.
    learning_rate_
        The learning rate of the last fit.
    validation_losses_
        Mean loss on the validation rows after each round, if there are any.
    classes_
        Class labels, in the column order of `predict_proba`.
    feature_importances_
        Importance of each column: its share of the total gain of all splits.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.BoostedTreesClassifier(n_estimators=100).fit(X, y)
    >>> len(model.trees_), round(model.score(X, y), 2)
    (300, 0.99)
    """

    loss: Any = LOSS.but(
        default="auto",
        help='Loss function: "logistic" (two classes), "multinomial" (one tree per class and '
        'round), "auto" to choose by the number of classes, or a custom loss (docs/boosting.md).',
        choices=("auto", "logistic", "multinomial"),
    )
    monotonic_cst: Any = MONOTONIC_CST.but(
        help=f"{MONOTONIC_CST.help} Only for two classes with one score."
    )


class BoostedTreesRegressor(BoostedRegressor, Ensemble[FittedBoosting]):
    """Gradient boosted trees for regression.

    Each tree is fitted to the derivatives of a loss with respect to the current predictions; for
    squared error these are the residuals. Numeric columns are binned, nominal columns are split by
    sets of categories, and each split learns a side for missing values.

    Attributes
    ----------
    trees_
        The trees in the order of training. Each is an ordinary `Tree` whose values are added up.
    start_
        The initial score, before the first tree.
    n_estimators_
        Number of rounds of the fitted model.
    learning_rate_
        The learning rate of the last fit.
    validation_losses_
        Mean loss on the validation rows after each round, if there are any.
    feature_importances_
        Importance of each column: its share of the total gain of all splits.

    Examples
    --------
    >>> import numpy as np
    >>> import treewright as tw
    >>> X = np.arange(200.0).reshape(-1, 1)
    >>> model = tw.BoostedTreesRegressor().fit(X, X[:, 0] ** 2)
    >>> model.predict([[100.0]]).round(-2)
    array([10000.])
    """

    loss: Any = LOSS.but(
        default="squared_error",
        help='Loss function: "squared_error", "absolute_error", "huber", "quantile", "poisson", '
        '"gamma", "tweedie", or a custom loss (docs/boosting.md).',
        choices=(
            "squared_error",
            "absolute_error",
            "huber",
            "quantile",
            "poisson",
            "gamma",
            "tweedie",
        ),
    )
    quantile: float = param(
        0.5,
        'The quantile to predict with loss="quantile".',
        above=0,
        below=1,
        before="n_estimators",
    )
    huber_share: float = param(
        0.9,
        'Fraction of the residuals that loss="huber" treats with squared error; larger residuals '
        "are treated with absolute error.",
        above=0,
        high=1,
        before="n_estimators",
    )
    tweedie_power: float = param(
        1.5,
        'Power of loss="tweedie", from 1 (Poisson) to 2 (gamma).',
        above=1,
        below=2,
        before="n_estimators",
    )
    monotonic_cst: Any = MONOTONIC_CST.but(
        help=f"{MONOTONIC_CST.help} Not available for the absolute, Huber and quantile losses."
    )
