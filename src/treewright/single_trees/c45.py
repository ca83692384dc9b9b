"""C4.5, release 8: Quinlan's trees with gain ratio, multiway splits and fractional rows."""

from collections.abc import Mapping
from typing import Any

from treewright.estimators.training import TrainingRows
from treewright.induction.settings import GrowthSettings
from treewright.pruning.error_based import collapse
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.fitted import FittedTree
from treewright.single_trees.growing import Algorithm, Pruning, growth_settings, pruning_asked
from treewright.single_trees.param_tables import C45_PARAMS
from treewright.tree.tree import Tree


def c45_settings(model: Any, rows: TrainingRows, **fixed: Any) -> GrowthSettings:
    """What makes growth that of C4.5."""
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
    """The grown tree without subtrees that make no fewer training errors than a leaf."""
    return collapse(tree) if model.collapse else tree


def c45_pruning(model: Any) -> Pruning | None:
    """Error-based pruning has two parameters of its own."""
    asked = pruning_asked(model)
    if asked is None or asked[0] != "error_based":
        return asked
    own = {"confidence": model.confidence, "subtree_raising": model.subtree_raising}
    return asked[0], own | dict(asked[1])


class C45Classifier(TreeClassifierMixin, TreeEstimator):
    """A C4.5 tree: gain ratio, one branch per level, thresholds, rows spread over holes.

    The defaults follow release 8 of Quinlan's program. Its limits are sums of weight, so a row of
    weight 2 equals the row twice.

    Parameters
    ----------
    criterion
        "gain_ratio", or "information_gain".
    min_samples_leaf
        At least two branches of a split must hold this much weight.
    prune
        Method that prunes the grown tree, as in `tw.prune`; None for no pruning.
    prune_options
        Options of the pruning method other than the next two; of methods that need validation
        rows also `fraction`, the share of the rows held back to prune by.
    confidence
        Error-based pruning takes a leaf's errors for the upper limit that they exceed with this
        probability; smaller values prune more.
    subtree_raising
        Whether error-based pruning may put the largest branch in the place of a subtree.
    collapse
        Whether a subtree goes that makes no fewer training errors than a leaf.
    average_gain_filter
        Whether only columns of at least average gain compete by their gain ratio.
    mdl_correction
        Whether the gain of a threshold pays for the choice among thresholds.
    midpoint_thresholds
        Whether a threshold is the midpoint between two values, not the largest value of the
        training table below it.
    j48_gaps
        Whether a threshold needs two neighboring values more than 1e-5 apart, as in Weka's J48.
        The tree then depends on the units of the columns.
    nominal
        How a nominal column splits a node: into "branches", one per level; by a "subset" of
        levels; or "one_vs_rest".
    missing
        What happens to missing values: "fractional" spreads a row over all branches; the other
        policies of `TreeClassifier` are there too.
    laplace
        Whether probabilities count every class once more than training met it.
    handle_unknown
        What a level does that training never met: as "missing", to the "majority", or "error".
    max_depth
        Most splits from the root to a leaf; None for no limit.
    max_leaf_nodes
        Most leaves, the best split first; None for no limit.
    max_splits
        Most splits in all, the best first; None for no limit.
    min_gain
        A split needs a gain above this; None tests nothing.
    class_weight
        Factor on the weight of the rows of a class: a dict, or "balanced".
    categorical_features
        Columns to take as nominal whatever their type: names, positions or a mask.
    n_jobs
        Threads: None uses as many as are worth it, -1 all cores. The tree is always the same.
    random_state
        Seed for choosing the rows that are held back to prune by.

    Attributes
    ----------
    tree_
        The fitted `Tree`.
    pruning_
        The report of what pruning cut; None if the tree is not pruned.
    classes_
        Class labels, in the column order of `predict_proba`.
    feature_importances_
        Each column's share of the information that all splits gain.

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

    def _predicting_tree(self, state: FittedTree) -> Tree:
        return state.smoothed_tree if self.laplace else state.tree
