"""C4.5 rules: a short, ordered list of rules instead of a tree."""

from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.estimators import params as shared
from treewright.estimators.class_costs import cost_matrix
from treewright.estimators.declaration import param
from treewright.estimators.training import TrainingRows, class_target
from treewright.induction.settings import GrowthSettings
from treewright.intervals import pessimistic_rate
from treewright.rulesets.learning import RuleLearning
from treewright.rulesets.post_pruning import (
    ClassRows,
    error_rate,
    finished,
    learning_by_accuracy,
    learning_by_mdl,
)
from treewright.single_trees.base import TreeClassifierMixin, TreeEstimator
from treewright.single_trees.c45 import (
    AVERAGE_GAIN_FILTER,
    COLLAPSE,
    CONFIDENCE,
    CRITERION,
    J48_GAPS,
    MDL_CORRECTION,
    MIDPOINT_THRESHOLDS,
    MIN_BRANCH_WEIGHT,
    c45_settings,
    collapsed,
)
from treewright.single_trees.fitted import FittedRules, fitted_rules, refuse_tree
from treewright.single_trees.growing import Algorithm, Grow, Pruning
from treewright.single_trees.rules_reading import RulesReading
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.worksheets.rule_work import RuleWork


def rules_settings(model: "C45Rules", rows: TrainingRows) -> GrowthSettings:
    """The tree is grown as without costs: these choose what the finished rules predict."""
    plain: dict[str, Any] = {"costs": None, "class_factor": None, "leaf_factor": None}
    return c45_settings(model, rows, missing="fractional", **plain)


def rules_pruning(model: "C45Rules") -> Pruning | None:
    """Prunes the tree only on request: the rules are shortened one by one anyway."""
    options = {"confidence": model.confidence, "subtree_raising": True}
    return ("error_based", options) if model.prune else None


class C45Rules(TreeClassifierMixin, RulesReading, TreeEstimator):
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

    algorithm = Algorithm(rules_settings, finish=collapsed, pruning=rules_pruning)
    state_type = FittedRules

    criterion: str = CRITERION
    min_samples_leaf: float = MIN_BRANCH_WEIGHT
    simple: bool = param(
        False,
        "Whether to use the simple textbook method: drop conditions while the accuracy on the "
        "training rows rises, then sort all rules by accuracy.",
    )
    prune: bool = param(
        False, "Whether to start from the pruned tree (error-based pruning, as in C4.5)."
    )
    confidence: float = CONFIDENCE.but(
        help="Confidence level of the error estimate used to drop conditions. Smaller values drop "
        "more."
    )
    collapse: bool = COLLAPSE
    average_gain_filter: bool = AVERAGE_GAIN_FILTER
    mdl_correction: bool = MDL_CORRECTION
    midpoint_thresholds: bool = MIDPOINT_THRESHOLDS
    j48_gaps: bool = J48_GAPS
    nominal: str = shared.NOMINAL
    handle_unknown: str = shared.MISSING_OR_ERROR
    max_depth: int | None = shared.MAX_DEPTH
    max_leaf_nodes: int | None = shared.MAX_LEAF_NODES
    max_splits: int | None = shared.MAX_SPLITS
    min_gain: float | None = shared.MIN_GAIN.but(default=0.0)
    costs: Any = shared.COSTS_AT_PREDICTION
    class_weight: Any = shared.CLASS_WEIGHT
    categorical_features: Any = shared.CATEGORICAL_FEATURES
    n_jobs: int | None = shared.N_JOBS

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: that of the first rule that matches, or the default class.

        With `costs`, a rule predicts the class of least expected cost among its training rows.
        """
        return self.state_.predict(X, self)

    def learn(self, rows: TrainingRows, grow: Grow | None = None) -> FittedRules:
        state = super().learn(rows, grow)
        learned = FittedRules(
            tree=state.tree,
            schema=state.schema,
            classes=state.classes,
            pruning=state.pruning,
            rules=finished(self._learning(state.tree, rows)),
        )
        if self.costs is None:
            return learned
        return learned.with_costs(cost_matrix(self.costs, class_target(rows).classes))

    def _learning(self, tree: Tree, rows: TrainingRows) -> RuleLearning:
        weights = rows.weights
        if weights is not None and (weights == 1).all():
            weights = None  # counting is quicker than adding up
        training = ClassRows(rows.table, class_target(rows).codes, weights)
        if self.simple:
            return learning_by_accuracy(tree, training)
        return learning_by_mdl(tree, training, float(self.confidence))

    def rule_work(self, rows: TrainingRows | None = None) -> "RuleWork":
        """The part of the worksheet about the rules: how they came out of the training rows."""
        from treewright.worksheets.rule_work import RuleWork

        state = self.state_
        rules, confidence = fitted_rules(state), float(self.confidence)
        learning = None if rows is None else self._learning(state.tree, rows)
        if learning is not None and finished(learning).conditions != rules.conditions:
            raise DataError(
                "these are not the training rows: they give other rules",
                hint="give X, y and sample_weight of the fit",
            )
        if self.simple:
            return RuleWork(state.tree, rules, learning, error_rate, None)
        error_of = partial(pessimistic_rate, confidence=confidence)
        return RuleWork(state.tree, rules, learning, error_of, confidence)

    def with_tree(self, tree: Tree, pruning: Any = None) -> NoReturn:
        """Not available: the rules predict, not the tree."""
        refuse_tree(self.state_)
