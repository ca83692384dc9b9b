"""C4.5 release 8: Quinlan's trees with gain ratio, multiway splits and fractional instances."""

from collections.abc import Mapping
from typing import Any

from treewright.estimators import params as shared
from treewright.estimators.declaration import param
from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.pruning.error_based import collapse
from treewright.pruning.methods import CLASS_METHODS
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.fitted import LAPLACE
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings, pruning_asked
from treewright.tree.tree import Tree


def c45_settings(model: TreeEstimator, rows: TrainingRows, **fixed: Any) -> GrowthSettings:
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


def collapsed(model: TreeEstimator, tree: Tree) -> Tree:
    """Replaces subtrees that make no fewer training errors than a leaf."""
    return collapse(tree) if model.collapse else tree


def c45_pruning(model: "C45Classifier") -> Pruning | None:
    """Error-based pruning takes two options from the model's own parameters."""
    asked = pruning_asked(model)
    if asked is None or asked[0] != "error_based":
        return asked
    own = {"confidence": model.confidence, "subtree_raising": model.subtree_raising}
    return asked[0], own | dict(asked[1])


CRITERION = param(
    "gain_ratio",
    'Split criterion of the tree: "gain_ratio" or "information_gain".',
    choices=("gain_ratio", "information_gain"),
)
MIN_BRANCH_WEIGHT = param(2, "Minimum weight in at least two branches of a split.", above=0)
CONFIDENCE = param(
    0.25,
    "Confidence level of the error estimate in error-based pruning: the true error rate of a leaf "
    "exceeds the estimate with this probability. Smaller values prune more.",
    above=0,
    high=0.5,
)
COLLAPSE = param(
    True, "Whether to replace a subtree by a leaf if it makes no fewer training errors."
)
AVERAGE_GAIN_FILTER = param(
    True, "Whether only columns with at least average gain are compared by gain ratio."
)
MDL_CORRECTION = param(
    True, "Whether to subtract the cost of choosing a threshold (MDL) from its gain."
)
MIDPOINT_THRESHOLDS = param(
    False,
    "Whether a threshold is the midpoint between two values, instead of the largest training "
    "value below it.",
)
J48_GAPS = param(
    False,
    "Whether neighboring values must be more than 1e-5 apart to be separated by a threshold, as "
    "in Weka's J48. The tree then depends on the units of the columns.",
    in_older_files=True,
)


class C45Classifier(TreeClassifierMixin, TreeEstimator):
    """Decision tree by C4.5: gain ratio, one branch per category, fractional instances.

    A row with a missing value is divided among the branches of a split. The defaults follow
    release 8 of Quinlan's program. Limits on the number of rows are sums of weights, so a row of
    weight 2 counts as two rows.

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

    algorithm = Algorithm(settings=c45_settings, finish=collapsed, pruning=c45_pruning)

    criterion: str = CRITERION
    min_samples_leaf: float = MIN_BRANCH_WEIGHT
    prune: str | None = shared.PRUNE.but(default="error_based", choices=CLASS_METHODS)
    prune_options: Mapping[str, Any] | None = shared.PRUNE_OPTIONS.but(
        help="Options of the pruning method, except `confidence` and `subtree_raising`. Methods "
        "that need validation rows also take `fraction`, the fraction of the rows held back for "
        "pruning."
    )
    confidence: float = CONFIDENCE
    subtree_raising: bool = param(
        True, "Whether error-based pruning may replace a subtree by its largest branch."
    )
    collapse: bool = COLLAPSE
    average_gain_filter: bool = AVERAGE_GAIN_FILTER
    mdl_correction: bool = MDL_CORRECTION
    midpoint_thresholds: bool = MIDPOINT_THRESHOLDS
    j48_gaps: bool = J48_GAPS
    nominal: str = shared.NOMINAL
    missing: str = shared.MISSING.but(
        default="fractional",
        help='How to handle missing values: "fractional" sends a fraction of the row down every '
        "branch. The other policies of `TreeClassifier` are available too.",
    )
    laplace: bool = LAPLACE
    shrinkage: float | str = shared.SHRINKAGE
    handle_unknown: str = shared.HANDLE_UNKNOWN
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_gain: float | None = shared.MIN_GAIN.but(default=0.0)
    class_weight: Any = shared.CLASS_WEIGHT
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS
    random_state: Any = shared.RANDOM_STATE.but(
        help="Seed for choosing the rows that are held back for pruning."
    )
