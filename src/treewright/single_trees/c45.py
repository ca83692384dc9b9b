"""C4.5 release 8: Quinlan's trees with gain ratio, multiway splits and fractional instances."""

from collections.abc import Mapping
from typing import Any

from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.pruning.error_based import collapse
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings, pruning_asked
from treewright.single_trees.param_tables import C45_PARAMS
from treewright.tree.tree import Tree


def c45_settings(model: Any, rows: TrainingRows, **fixed: Any) -> GrowthSettings:
    """Growth settings of C4.5."""
    return growth_settings(
        model,
        rows,
        limits_by_weight=True,
        min_samples_split=0,
        j48_gaps=bool(model.j48_gaps),
        data_value_thresholds=not model.midpoint_thresholds,
        **fixed,
    )


def collapsed(model: Any, tree: Tree) -> Tree:
    """Replaces subtrees that make no fewer training errors than a leaf."""
    return collapse(tree) if model.collapse else tree


def c45_pruning(model: Any) -> Pruning | None:
    """Error-based pruning takes two options from the model's own parameters."""
    asked = pruning_asked(model)
    if asked is None or asked[0] != "error_based":
        return asked
    own = {"confidence": model.confidence, "subtree_raising": model.subtree_raising}
    return asked[0], own | dict(asked[1])


class C45Classifier(TreeClassifierMixin, TreeEstimator):
    """Decision tree by C4.5: gain ratio, one branch per category, fractional instances.

    A row with a missing value is divided among the branches of a split. The defaults follow
    release 8 of Quinlan's program. Limits on the number of rows are sums of weights, so a row of
    weight 2 counts as two rows.

    Parameters
    ----------
    criterion
        Split criterion: "gain_ratio" or "information_gain".
    min_samples_leaf
        Minimum weight in at least two branches of a split.
    prune
        Pruning method, as in `tw.prune`; None for no pruning.
    prune_options
        Options of the pruning method, except `confidence` and `subtree_raising`. Methods that
        need validation rows also take `fraction`, the fraction of the rows held back for pruning.
    confidence
        Confidence level of the error estimate in error-based pruning: the true error rate of a
        leaf exceeds the estimate with this probability. Smaller values prune more.
    subtree_raising
        Whether error-based pruning may replace a subtree by its largest branch.
    collapse
        Whether to replace a subtree by a leaf if it makes no fewer training errors.
    average_gain_filter
        Whether only columns with at least average gain are compared by gain ratio.
    mdl_correction
        Whether to subtract the cost of choosing a threshold (MDL) from its gain.
    midpoint_thresholds
        Whether a threshold is the midpoint between two values, instead of the largest training
        value below it.
    j48_gaps
        Whether neighboring values must be more than 1e-5 apart to be separated by a threshold, as
        in Weka's J48. The tree then depends on the units of the columns.
    nominal
        How a nominal column splits a node: "branches" makes one branch per category, "subset"
        two branches for two sets of categories, "one_vs_rest" one category against the others.
    missing
        How to handle missing values: "fractional" sends a fraction of the row down every branch.
        The other policies of `TreeClassifier` are available too.
    laplace
        Whether to smooth probabilities by adding one to the count of every class (Laplace).
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", send it
        to the "majority" branch, or raise an "error".
    max_depth
        Maximum number of splits from the root to a leaf; None for no limit.
    max_leaf_nodes
        Maximum number of leaves; the best splits are made first. None for no limit.
    max_splits
        Maximum number of splits in the tree; the best splits are made first. None for no limit.
    min_gain
        A node is split only if the gain is above this value. None allows splits without gain.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The tree is
        always the same.
    random_state
        Seed for choosing the rows that are held back for pruning.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    pruning_
        The pruning report: what was cut and why. None if the tree was not pruned.
    classes_
        Class labels, in the column order of `predict_proba`.
    feature_importances_
        Importance of each column: its share of the total information gain of all splits.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> print(tw.C45Classifier().fit(X, y).export_text())
    outlook = Sunny
    |   humidity = High: No (3)
    |   humidity = Normal: Yes (2)
    outlook = Overcast: Yes (4)
    outlook = Rain
    |   wind = Weak: Yes (3)
    |   wind = Strong: No (2)
    """

    params = C45_PARAMS
    algorithm = Algorithm(settings=c45_settings, finish=collapsed, pruning=c45_pruning)

    def __init__(
        self,
        *,
        criterion: str = "gain_ratio",
        min_samples_leaf: float = 2,
        prune: str | None = "error_based",
        prune_options: Mapping[str, Any] | None = None,
        confidence: float = 0.25,
        subtree_raising: bool = True,
        collapse: bool = True,
        average_gain_filter: bool = True,
        mdl_correction: bool = True,
        midpoint_thresholds: bool = False,
        j48_gaps: bool = False,
        nominal: str = "branches",
        missing: str = "fractional",
        laplace: bool = False,
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_gain: float | None = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.prune = prune
        self.prune_options = prune_options
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.average_gain_filter = average_gain_filter
        self.mdl_correction = mdl_correction
        self.midpoint_thresholds = midpoint_thresholds
        self.j48_gaps = j48_gaps
        self.nominal = nominal
        self.missing = missing
        self.laplace = laplace
        self.handle_unknown = handle_unknown
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_splits = max_splits
        self.min_gain = min_gain
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
