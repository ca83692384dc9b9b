"""What a model of rules offers once it is fitted: their text, picture and explanations."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.estimators.rows import changed_row, row_for_tree
from treewright.rulesets.as_tree import tree_of_rules
from treewright.single_trees.fitted import fitted_rules, refuse_tree
from treewright.single_trees.reading import TreeReading
from treewright.single_trees.rule_set import RuleSet
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.explanations.by_rules import RuleExplanation
    from treewright.explanations.path import Request
    from treewright.pictures.picture import Picture


class RulesReading(TreeReading):
    """A mixin: rules that were learned from a tree, and predict in its place."""

    predicts_by_rules = True

    @property
    def rules_(self) -> RuleSet:
        """The rules that predict."""
        state = self.state_
        return RuleSet(fitted_rules(state), state.classes, self.categorical_features)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Position of the rule that predicts each row; -1 for the default."""
        state = self.state_
        return fitted_rules(state).fired(self.encode_rows(X, state)).astype(np.int32)

    def path_of(self, X: Any, row: int = 0) -> NoReturn:
        """Not available: predictions come from rules. `explain` names the rule."""
        refuse_tree(self.state_)

    def as_tree(self) -> Tree:
        """One tree that predicts every row as the rules do, for exports.

        It is not the tree that the rules were made from, and it counts no training rows.
        """
        return tree_of_rules(fitted_rules(self.state_))

    def _explained(
        self, row: Any, request: "Request", X: Any, y: Any, changes: Mapping[str, Any]
    ) -> "RuleExplanation":
        from treewright.explanations.by_rules import explain_by_rules
        from treewright.single_trees.explaining import TreeFacts, row_and_background

        state, facts = self.state_, TreeFacts(categorical_features=self.categorical_features)
        # The tree that the rules were made from; it was grown without the costs of the rules.
        tree = replace(state.tree, costs=fitted_rules(state).costs)
        row = changed_row(row, tree.schema, changes)
        table, known = row_and_background(tree, row, facts, X, y)
        return explain_by_rules(fitted_rules(state), tree, table, request, known)

    def draw(self, *, row: Any = None, **options: Any) -> "Picture":
        """A picture of the rules, from the first to the default; `row` shows which one predicts it.

        Of the options of `treewright.draw`, `max_nodes` limits the number of rules, `max_depth`
        their conditions and `min_share` the share of the training rows that a rule has to cover.
        """
        from treewright.pictures.rule_picture import rule_picture

        state = self.state_
        asked = None
        if row is not None:
            asked = row_for_tree(state.tree, row, self.categorical_features)
        return rule_picture(fitted_rules(state), state.tree, row=asked, **options)

    def export_text(
        self,
        *,
        max_depth: int | None = None,
        decimals: int | None = None,
        show_weights: bool = True,
        exact: bool = False,
    ) -> str:
        """The rules as lines of text; `max_depth` limits the number of conditions per rule.

        With `exact` all thresholds are plain numbers.
        """
        rules = self.rules_
        if max_depth is not None:
            rules = rules.filter(lambda rule: len(rule.conditions) <= max_depth)
        return rules.to_text(decimals=decimals, show_weights=show_weights, exact=exact)

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the weight covered by rules with conditions on it."""
        covered = np.zeros(self.state_.n_features_in)
        for rule in self.rules_:
            for condition in rule.conditions:
                covered[list(condition.features)] += rule.weight
        total = covered.sum()
        return covered / total if total > 0 else covered
