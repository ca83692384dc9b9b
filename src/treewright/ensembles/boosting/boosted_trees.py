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
    """Gradient boosted trees for classes.

    Each tree is grown on what those before it leave: the derivatives of a loss by the scores so
    far. Scores become probabilities by the logistic function, or by softmax with a tree a class.
    Numbers are put in bins; nominal columns split by sets of levels; missing values go to the side
    that suits them.

    Parameters
    ----------
    loss
        What the rounds lower: "logistic" (two classes), "multinomial" (a tree for each class),
        "auto" by the number of classes, or a loss of your own (docs/boosting.md).
    n_estimators
        Rounds; each grows a tree, or one for each class.
    learning_rate
        Part of a tree's answer that is added to the scores; "auto" suits the number of
        rows and of rounds: 0.05 for 500 rounds from 2,800 rows on, less for fewer rows, more for
        fewer rounds.
    max_leaf_nodes
        Maximum number of leaves per tree; the best splits are made first. None for no limit.
    max_depth
        Maximum number of splits from the root to a leaf; None for no limit.
    growth
        Which node is split next: "leaf" takes the one that gains most, "level" all of a level
        before the next, "symmetric" asks every node of a level the same question.
    min_samples_leaf
        Minimum number of rows in a leaf; a float below 1 is a fraction of the rows.
    min_child_weight
        Least sum of second derivatives in a leaf.
    l1, l2
        Regularization: a leaf answers (G brought nearer to 0 by `l1`) / (H + `l2`), where G is the
        sum of its rows' residuals (first derivatives with the other sign), and H that of the second
        derivatives.
    smoothing
        How much is made of the levels of a nominal column with more than four of them: so many rows
        of a node are counted to each level before levels are put in order, sets pay as much more
        `l2`, and levels of fewer than half as many rows go with missing values. 0: no caution.
    min_gain
        A split lowers the loss by more than this.
    subsample
        Share of the rows that each round grows on, drawn without replacement.
    max_features
        Share of the columns that a tree may ask, drawn for each tree.
    max_features_node
        Share of the tree's columns that a node may ask, drawn for each node.
    monotonic_cst
        Which way answers may go as a column rises: a dict from column to 1 (up), -1 (down) or 0, or
        a list of one such number for each column. For two classes with one score only.
    interaction_cst
        Groups of columns, by name or position: the columns asked on a path are all of one group.
        Columns in none of them make a further group.
    max_bins
        Most bins of a numeric column.
    n_iter_no_change
        Rounds without a better loss on the validation rows before growth stops; the model keeps the
        rounds up to the best. None: all rounds are grown.
    validation_fraction
        Share of the rows held back to judge rounds by; None: `fit` is given such rows, or there are
        none.
    tol
        A round is better if it lowers the loss by more than this.
    drop_rate
        DART: the chance of each earlier round to be left out while a new one grows; not together
        with `n_iter_no_change`.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    warm_start
        Keep the rounds of the last fit and add to them, up to `n_estimators`; learning_rate="auto"
        keeps its rate too.
    callbacks
        Functions that are told of each `Round`; one that returns True ends growth.
    verbose
        Show a progress bar, if there is a terminal.
    random_state
        Seed of all that is drawn; None takes another one each time.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The model is
        always the same.

    Attributes
    ----------
    trees_
        The trees in the order of growth, each an ordinary `Tree` whose answers are parts of a
        score. With K > 2 classes, tree i is of round i // K and class i % K.
    start_
        The scores of a model without trees.
    n_estimators_
        Rounds that the model has.
    learning_rate_
        The learning rate of its last fit.
    validation_losses_
        Mean loss of the validation rows after each round, where there are any.
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
    """Gradient boosted trees for numbers.

    Each tree is grown on what those before it leave: for squared error, the residuals. Numbers are
    put in bins; nominal columns split by sets of levels; missing values go to the side that suits
    them.

    Parameters
    ----------
    loss
        What the rounds lower: "squared_error", "absolute_error", "huber", "quantile", "poisson",
        "gamma", "tweedie", or a loss of your own (docs/boosting.md).
    quantile
        The quantile that loss="quantile" answers.
    huber_share
        Share of the residuals that loss="huber" takes by their square; those farther away count
        by their distance.
    tweedie_power
        From 1, which is Poisson, to 2, which is gamma, for loss="tweedie".
    n_estimators
        Rounds; each grows a tree.
    learning_rate
        Part of a tree's answer that is added to the scores; "auto" suits the number of
        rows and of rounds: 0.05 for 500 rounds from 2,800 rows on, less for fewer rows, more for
        fewer rounds.
    max_leaf_nodes
        Maximum number of leaves per tree; the best splits are made first. None for no limit.
    max_depth
        Maximum number of splits from the root to a leaf; None for no limit.
    growth
        Which node is split next: "leaf" takes the one that gains most, "level" all of a level
        before the next, "symmetric" asks every node of a level the same question.
    min_samples_leaf
        Minimum number of rows in a leaf; a float below 1 is a fraction of the rows.
    min_child_weight
        Least sum of second derivatives in a leaf.
    l1, l2
        Regularization: a leaf answers (G brought nearer to 0 by `l1`) / (H + `l2`), where G is the
        sum of its rows' residuals (first derivatives with the other sign), and H that of the second
        derivatives.
    smoothing
        How much is made of the levels of a nominal column with more than four of them: so many rows
        of a node are counted to each level before levels are put in order, sets pay as much more
        `l2`, and levels of fewer than half as many rows go with missing values. 0: no caution.
    min_gain
        A split lowers the loss by more than this.
    subsample
        Share of the rows that each round grows on, drawn without replacement.
    max_features
        Share of the columns that a tree may ask, drawn for each tree.
    max_features_node
        Share of the tree's columns that a node may ask, drawn for each node.
    monotonic_cst
        Which way answers may go as a column rises: a dict from column to 1 (up), -1 (down) or 0, or
        a list of one such number for each column. Not for the absolute, Huber and quantile losses.
    interaction_cst
        Groups of columns, by name or position: the columns asked on a path are all of one group.
        Columns in none of them make a further group.
    max_bins
        Most bins of a numeric column.
    n_iter_no_change
        Rounds without a better loss on the validation rows before growth stops; the model keeps the
        rounds up to the best. None: all rounds are grown.
    validation_fraction
        Share of the rows held back to judge rounds by; None: `fit` is given such rows, or there are
        none.
    tol
        A round is better if it lowers the loss by more than this.
    drop_rate
        DART: the chance of each earlier round to be left out while a new one grows; not together
        with `n_iter_no_change`.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    warm_start
        Keep the rounds of the last fit and add to them, up to `n_estimators`; learning_rate="auto"
        keeps its rate too.
    callbacks
        Functions that are told of each `Round`; one that returns True ends growth.
    verbose
        Show a progress bar, if there is a terminal.
    random_state
        Seed of all that is drawn; None takes another one each time.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The model is
        always the same.

    Attributes
    ----------
    trees_
        The trees in the order of growth, each an ordinary `Tree` whose answers are added up.
    start_
        The score of a model without trees.
    n_estimators_
        Rounds that the model has.
    learning_rate_
        The learning rate of its last fit.
    validation_losses_
        Mean loss of the validation rows after each round, where there are any.
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
