"""Gradient boosted trees."""

from typing import Any

from treewright.ensembles.base import Ensemble
from treewright.ensembles.boosting.base import BoostedClassifier, BoostedRegressor
from treewright.ensembles.boosting.params import (
    BOOSTED_CLASSIFIER_PARAMS,
    BOOSTED_REGRESSOR_PARAMS,
)
from treewright.ensembles.fitted import FittedBoosting


class BoostedTreesClassifier(BoostedClassifier, Ensemble[FittedBoosting]):
    """Gradient boosted trees for classification.

    Each tree is fitted to the derivatives of a loss with respect to the current scores. Scores
    become probabilities by the logistic function (two classes) or by softmax (more classes, with
    one tree per class and round). Numeric columns are binned, nominal columns are split by sets of
    categories, and each split learns a side for missing values.

    Parameters
    ----------
    loss
        Loss function: "logistic" (two classes), "multinomial" (one tree per class and round),
        "auto" to choose by the number of classes, or a custom loss (docs/boosting.md).
    n_estimators
        Number of boosting rounds. Each grows one tree, or one per class.
    learning_rate
        Factor on the values of each tree. "auto" depends on the number of rows and rounds: 0.05
        for 500 rounds and at least 2,800 rows, smaller for fewer rows, larger for fewer rounds.
    max_leaf_nodes
        Maximum number of leaves per tree; the best splits are made first. None for no limit.
    max_depth
        Maximum number of splits from the root to a leaf; None for no limit.
    growth
        Order of growth: "leaf" splits the node with the largest gain next, "level" splits all
        nodes of a level before the next, "symmetric" uses the same split for all nodes of a level.
    min_samples_leaf
        Minimum number of rows in a leaf; a float below 1 is a fraction of the rows.
    min_child_weight
        Minimum sum of second derivatives (Hessian) in a leaf.
    l1, l2
        Regularization: the value of a leaf is (G shrunk toward 0 by `l1`) / (H + `l2`), where G is
        the sum of the residuals of its rows (negative first derivatives) and H the sum of the
        second derivatives.
    smoothing
        Regularization of nominal columns with more than four categories, as a number of rows. So
        many rows with the mean of the node are added to each category before categories are
        sorted, the value is added to `l2` for splits by sets, and categories with fewer than half
        as many rows are treated as missing. 0 turns it off.
    min_gain
        A node is split only if this lowers the loss by more than this value.
    subsample
        Fraction of the rows used in each round, sampled without replacement.
    max_features
        Fraction of the columns available to each tree, sampled per tree.
    max_features_node
        Fraction of the tree's columns available to each node, sampled per node.
    monotonic_cst
        Monotonic constraints: whether the prediction may only rise (1), only fall (-1) or is free
        (0) as a column increases. A dict from column to direction, or a list with one direction
        per column. Only for two classes with one score.
    interaction_cst
        Interaction constraints: groups of columns, by name or position. All columns on a path must
        belong to the same group. Columns in no group form a group of their own.
    max_bins
        Maximum number of bins per numeric column.
    n_iter_no_change
        Early stopping: training stops after this many rounds without a better validation loss, and
        the model keeps the rounds up to the best one. None turns early stopping off.
    validation_fraction
        Fraction of the rows held back for validation. None uses the validation rows given to
        `fit`, if any.
    tol
        A round counts as better if it lowers the validation loss by more than this value.
    drop_rate
        DART: probability that an earlier round is dropped while a new one is trained. Cannot be
        combined with `n_iter_no_change`.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    warm_start
        Whether to keep the rounds of the last fit and add rounds up to `n_estimators`. With
        learning_rate="auto", the learning rate is kept too.
    callbacks
        Functions called with each `Round`. Training stops when one returns True.
    verbose
        Whether to show a progress bar on a terminal.
    random_state
        Random seed; None gives a different model each time.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The model is
        always the same.

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

    params = BOOSTED_CLASSIFIER_PARAMS

    def __init__(
        self,
        *,
        loss: Any = "auto",
        n_estimators: int = 500,
        learning_rate: float | str = "auto",
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        growth: str = "leaf",
        min_samples_leaf: int | float = 20,
        min_child_weight: float = 1e-3,
        l1: float = 0.0,
        l2: float = 1.0,
        smoothing: float = 10.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 1.0,
        max_features_node: float = 0.5,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        max_bins: int = 255,
        n_iter_no_change: int | None = None,
        validation_fraction: float | None = None,
        tol: float = 0.0,
        drop_rate: float = 0.0,
        class_weight: Any = None,
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        warm_start: bool = False,
        callbacks: Any = None,
        verbose: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.l1 = l1
        self.l2 = l2
        self.smoothing = smoothing
        self.min_gain = min_gain
        self.subsample = subsample
        self.max_features = max_features
        self.max_features_node = max_features_node
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.drop_rate = drop_rate
        self.class_weight = class_weight
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs


class BoostedTreesRegressor(BoostedRegressor, Ensemble[FittedBoosting]):
    """Gradient boosted trees for regression.

    Each tree is fitted to the derivatives of a loss with respect to the current predictions; for
    squared error these are the residuals. Numeric columns are binned, nominal columns are split by
    sets of categories, and each split learns a side for missing values.

    Parameters
    ----------
    loss
        Loss function: "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma",
        "tweedie", or a custom loss (docs/boosting.md).
    quantile
        The quantile to predict with loss="quantile".
    huber_share
        Fraction of the residuals that loss="huber" treats with squared error; larger residuals
        are treated with absolute error.
    tweedie_power
        Power of loss="tweedie", from 1 (Poisson) to 2 (gamma).
    n_estimators
        Number of boosting rounds. Each grows one tree.
    learning_rate
        Factor on the values of each tree. "auto" depends on the number of rows and rounds: 0.05
        for 500 rounds and at least 2,800 rows, smaller for fewer rows, larger for fewer rounds.
    max_leaf_nodes
        Maximum number of leaves per tree; the best splits are made first. None for no limit.
    max_depth
        Maximum number of splits from the root to a leaf; None for no limit.
    growth
        Order of growth: "leaf" splits the node with the largest gain next, "level" splits all
        nodes of a level before the next, "symmetric" uses the same split for all nodes of a level.
    min_samples_leaf
        Minimum number of rows in a leaf; a float below 1 is a fraction of the rows.
    min_child_weight
        Minimum sum of second derivatives (Hessian) in a leaf.
    l1, l2
        Regularization: the value of a leaf is (G shrunk toward 0 by `l1`) / (H + `l2`), where G is
        the sum of the residuals of its rows (negative first derivatives) and H the sum of the
        second derivatives.
    smoothing
        Regularization of nominal columns with more than four categories, as a number of rows. So
        many rows with the mean of the node are added to each category before categories are
        sorted, the value is added to `l2` for splits by sets, and categories with fewer than half
        as many rows are treated as missing. 0 turns it off.
    min_gain
        A node is split only if this lowers the loss by more than this value.
    subsample
        Fraction of the rows used in each round, sampled without replacement.
    max_features
        Fraction of the columns available to each tree, sampled per tree.
    max_features_node
        Fraction of the tree's columns available to each node, sampled per node.
    monotonic_cst
        Monotonic constraints: whether the prediction may only rise (1), only fall (-1) or is free
        (0) as a column increases. A dict from column to direction, or a list with one direction
        per column. Not available for the absolute, Huber and quantile losses.
    interaction_cst
        Interaction constraints: groups of columns, by name or position. All columns on a path must
        belong to the same group. Columns in no group form a group of their own.
    max_bins
        Maximum number of bins per numeric column.
    n_iter_no_change
        Early stopping: training stops after this many rounds without a better validation loss, and
        the model keeps the rounds up to the best one. None turns early stopping off.
    validation_fraction
        Fraction of the rows held back for validation. None uses the validation rows given to
        `fit`, if any.
    tol
        A round counts as better if it lowers the validation loss by more than this value.
    drop_rate
        DART: probability that an earlier round is dropped while a new one is trained. Cannot be
        combined with `n_iter_no_change`.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    warm_start
        Whether to keep the rounds of the last fit and add rounds up to `n_estimators`. With
        learning_rate="auto", the learning rate is kept too.
    callbacks
        Functions called with each `Round`. Training stops when one returns True.
    verbose
        Whether to show a progress bar on a terminal.
    random_state
        Random seed; None gives a different model each time.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The model is
        always the same.

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

    params = BOOSTED_REGRESSOR_PARAMS

    def __init__(
        self,
        *,
        loss: Any = "squared_error",
        quantile: float = 0.5,
        huber_share: float = 0.9,
        tweedie_power: float = 1.5,
        n_estimators: int = 500,
        learning_rate: float | str = "auto",
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        growth: str = "leaf",
        min_samples_leaf: int | float = 20,
        min_child_weight: float = 1e-3,
        l1: float = 0.0,
        l2: float = 1.0,
        smoothing: float = 10.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 1.0,
        max_features_node: float = 0.5,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        max_bins: int = 255,
        n_iter_no_change: int | None = None,
        validation_fraction: float | None = None,
        tol: float = 0.0,
        drop_rate: float = 0.0,
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        warm_start: bool = False,
        callbacks: Any = None,
        verbose: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.huber_share = huber_share
        self.tweedie_power = tweedie_power
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.growth = growth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.l1 = l1
        self.l2 = l2
        self.smoothing = smoothing
        self.min_gain = min_gain
        self.subsample = subsample
        self.max_features = max_features
        self.max_features_node = max_features_node
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.max_bins = max_bins
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.drop_rate = drop_rate
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs
