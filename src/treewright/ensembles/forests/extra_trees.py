"""Extremely randomized trees after Geurts, Ernst and Wehenkel (2006)."""

from typing import Any

from treewright.ensembles.base import Ensemble
from treewright.ensembles.fitted import FittedClassForest, FittedNumberForest
from treewright.ensembles.forests.base import ForestClassifier, ForestRegressor
from treewright.ensembles.forests.params import (
    EXTRA_TREES_CLASSIFIER_PARAMS,
    EXTRA_TREES_REGRESSOR_PARAMS,
)


class ExtraTreesClassifier(ForestClassifier, Ensemble[FittedClassForest]):
    """Extremely randomized trees for classification.

    At each node, columns are sampled and one random threshold is drawn for each. The best of these
    splits is used. The trees differ more than in a random forest, which smooths the predictions,
    and they are faster to train.

    Parameters
    ----------
    n_estimators
        Number of trees.
    criterion
        Split criterion: "gini" or "entropy".
    max_features
        Number of columns sampled for each split: "sqrt" or "log2" of the number of columns, a
        fraction such as 0.3, an integer, or None for all.
    max_depth
        Maximum number of splits from the root to a leaf; None for no limit.
    max_leaf_nodes
        Maximum number of leaves per tree; the best splits are made first. None for no limit.
    min_samples_split
        Minimum number of rows a node needs to be split; a float below 1 is a fraction of the rows.
    min_samples_leaf
        Minimum number of rows in a leaf; a float below 1 is a fraction of the rows.
    min_weight_fraction_leaf
        Minimum fraction of the weight sampled for a tree that a leaf must hold.
    min_gain
        A node is split only if the gain is above this value. None allows splits without gain.
    bootstrap
        Whether to sample rows with replacement. If False, each tree gets all rows, or
        `max_samples` different rows.
    max_samples
        Number or fraction of rows sampled for each tree; None for the size of the table.
    voting
        "soft" averages the probabilities of the trees, "hard" counts one vote per tree.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
    oob_score
        Whether to compute the out-of-bag score: each training row is predicted by the trees that
        were not trained on it.
    min_level_rows
        In columns with more than 255 categories, a category with fewer rows than this in a node is
        treated as missing.
    max_bins
        Maximum number of bins per numeric column, at most 255.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    warm_start
        Whether to keep the trees of the last fit and only add trees up to `n_estimators`.
    random_state
        Random seed: the same number gives the same forest. None gives a different forest each time.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The forest is
        always the same.

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
    params = EXTRA_TREES_CLASSIFIER_PARAMS

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        criterion: str = "gini",
        max_features: int | float | str | None = "sqrt",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        bootstrap: bool = False,
        max_samples: int | float | None = None,
        voting: str = "soft",
        class_weight: Any = None,
        oob_score: bool = False,
        min_level_rows: int = 2,
        max_bins: int = 255,
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.voting = voting
        self.class_weight = class_weight
        self.oob_score = oob_score
        self.min_level_rows = min_level_rows
        self.max_bins = max_bins
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs


class ExtraTreesRegressor(ForestRegressor, Ensemble[FittedNumberForest]):
    """Extremely randomized trees for regression.

    Parameters
    ----------
    criterion
        Split criterion: "squared_error".
    max_features
        Number of columns sampled for each split, as in `ExtraTreesClassifier`. The default is half
        of them.
    keep_targets
        Whether to store the training targets of each leaf, which is needed to predict quantiles
        and intervals.
    n_estimators, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf, \
    min_weight_fraction_leaf, min_gain, bootstrap, max_samples, oob_score, \
    min_level_rows, max_bins, handle_unknown, categorical_features, warm_start, random_state, n_jobs
        As in `ExtraTreesClassifier`.

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
    params = EXTRA_TREES_REGRESSOR_PARAMS

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        criterion: str = "squared_error",
        max_features: int | float | str | None = 0.5,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float | None = None,
        bootstrap: bool = False,
        max_samples: int | float | None = None,
        oob_score: bool = False,
        keep_targets: bool = False,
        min_level_rows: int = 2,
        max_bins: int = 255,
        handle_unknown: str = "missing",
        categorical_features: Any = "from_dtype",
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.keep_targets = keep_targets
        self.min_level_rows = min_level_rows
        self.max_bins = max_bins
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
