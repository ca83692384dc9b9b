"""C4.5 rules: a short, ordered list of rules instead of a tree."""

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.estimators.training import TrainingRows, class_target
from treewright.induction.settings import GrowthSettings
from treewright.rulesets.post_pruning import ClassRows, rules_by_accuracy, rules_by_mdl
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.c45 import c45_settings, collapsed
from treewright.single_trees.fitted import FittedRules, fitted_rules, refuse_tree
from treewright.single_trees.growing import Algorithm, Grow, Pruning
from treewright.single_trees.param_tables import C45_RULES_PARAMS
from treewright.single_trees.rule_set import RuleSet
from treewright.tree.tree import Tree


def rules_settings(model: Any, rows: TrainingRows) -> GrowthSettings:
    return c45_settings(model, rows, missing="fractional")


def rules_pruning(model: Any) -> Pruning | None:
    """Prunes the tree only on request: the rules are shortened one by one anyway."""
    options = {"confidence": model.confidence, "subtree_raising": True}
    return ("error_based", options) if model.prune else None


class C45Rules(TreeClassifierMixin, TreeEstimator):
    """Ordered rule list derived from a C4.5 tree, as in Quinlan's program C4.5rules.

    1. Every path of an unpruned tree becomes a rule. Conditions are dropped from each rule as
       long as its pessimistic error does not rise. Duplicates are removed, and so are rules whose
       class is a minority among the rows they cover.
    2. For each class, the subset of rules with the shortest description length (MDL) is chosen.
    3. The classes are ordered: the one whose rules have the fewest false positives comes first.
       The rows that no rule covers determine the default class.
    4. Rules are removed if the list makes fewer training errors without them.

    The first rule that matches a row predicts it. A missing value fulfills no condition, and
    neither does a category that was not seen in training.

    Parameters
    ----------
    criterion
        Split criterion of the tree: "gain_ratio" or "information_gain".
    min_samples_leaf
        Minimum weight in at least two branches of a split.
    simple
        Whether to use the simple textbook method: drop conditions while the accuracy on the
        training rows rises, then sort all rules by accuracy.
    prune
        Whether to start from the pruned tree (error-based pruning, as in C4.5).
    confidence
        Confidence level of the error estimate used to drop conditions. Smaller values drop more.
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
        How a nominal column splits a node of the tree: "branches" makes one branch per category,
        "subset" two branches for two sets of categories, "one_vs_rest" one category against the
        others.
    handle_unknown
        How to handle a category that was not seen in training: treat it as "missing", or raise
        an "error".
    max_depth
        Maximum number of splits from the root of the tree to a leaf; None for no limit.
    max_leaf_nodes
        Maximum number of leaves of the tree; the best splits are made first. None for no limit.
    max_splits
        Maximum number of splits in the tree; the best splits are made first. None for no limit.
    min_gain
        A node is split only if the gain is above this value. None allows splits without gain.
    class_weight
        Weight of each class: a dict from class to factor, or "balanced".
    categorical_features
        Columns to treat as nominal regardless of their type: names, positions or a mask.
    n_jobs
        Number of threads: None chooses by the size of the data, -1 uses all cores. The rules are
        always the same.

    Attributes
    ----------
    rules_
        The fitted `RuleSet`.
    tree_
        The `Tree` that the rules were derived from. The rules predict, not the tree.
    classes_
        Class labels, in the column order of `predict_proba`.
    feature_importances_
        Importance of each column: its share of the weight covered by rules with conditions on it.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> print(tw.C45Rules().fit(X, y).export_text(show_weights=False))
    R1: if outlook = Sunny and humidity = High then No
    R2: if outlook = Rain and wind = Strong then No
    R3: if outlook = Overcast then Yes
    R4: if humidity = Normal then Yes
    R5: if outlook = Rain and wind = Weak then Yes
    otherwise Yes
    <BLANKLINE>
    A missing value fulfills no condition.
    """

    params = C45_RULES_PARAMS
    algorithm = Algorithm(rules_settings, finish=collapsed, pruning=rules_pruning)
    state_type = FittedRules
    answers_by_rules = True

    def __init__(
        self,
        *,
        criterion: str = "gain_ratio",
        min_samples_leaf: float = 2,
        simple: bool = False,
        prune: bool = False,
        confidence: float = 0.25,
        collapse: bool = True,
        average_gain_filter: bool = True,
        mdl_correction: bool = True,
        midpoint_thresholds: bool = False,
        j48_gaps: bool = False,
        nominal: str = "branches",
        handle_unknown: str = "missing",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        max_splits: int | None = None,
        min_gain: float | None = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.simple = simple
        self.prune = prune
        self.confidence = confidence
        self.collapse = collapse
        self.average_gain_filter = average_gain_filter
        self.mdl_correction = mdl_correction
        self.midpoint_thresholds = midpoint_thresholds
        self.j48_gaps = j48_gaps
        self.nominal = nominal
        self.handle_unknown = handle_unknown
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.max_splits = max_splits
        self.min_gain = min_gain
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    @property
    def rules_(self) -> RuleSet:
        """The rules that predict."""
        state = self.state_
        return RuleSet(fitted_rules(state), state.classes, self.categorical_features)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: that of the first rule that matches, or the default class."""
        return self.state_.predict(X, self)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Position of the rule that predicts each row; -1 for the default."""
        state = self.state_
        return fitted_rules(state).fired(self.encode_rows(X, state)).astype(np.int32)

    def path_of(self, X: Any, row: int = 0) -> NoReturn:
        """Not available: predictions come from rules. `rules_.explain` names the rule."""
        refuse_tree(self.state_)

    def export_text(
        self,
        *,
        max_depth: int | None = None,
        decimals: int | None = None,
        show_weights: bool = True,
    ) -> str:
        """The rules as lines of text; `max_depth` limits the number of conditions per rule."""
        rules = self.rules_
        if max_depth is not None:
            rules = rules.filter(lambda rule: len(rule.conditions) <= max_depth)
        return rules.to_text(decimals=decimals, show_weights=show_weights)

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the weight covered by rules with conditions on it."""
        covered = np.zeros(self.state_.n_features_in)
        for rule in self.rules_:
            for condition in rule.conditions:
                covered[list(condition.features)] += rule.weight
        total = covered.sum()
        return covered / total if total > 0 else covered

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedRules:
        state = super().learn(rows, grow)
        training = ClassRows(rows.table, class_target(rows).codes, rows.weights)
        if self.simple:
            rules = rules_by_accuracy(state.tree, training)
        else:
            rules = rules_by_mdl(state.tree, training, float(self.confidence))
        return FittedRules(
            tree=state.tree,
            schema=state.schema,
            classes=state.classes,
            pruning=state.pruning,
            rules=rules,
        )

    def with_tree(self, tree: Tree, pruning: Any = None) -> NoReturn:
        """Not available: the rules predict, not the tree."""
        refuse_tree(self.state_)
