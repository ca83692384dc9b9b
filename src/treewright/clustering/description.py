"""Clusters described by a decision tree."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.sources import table_from
from treewright.documents.page import (
    Block,
    Document,
    Heading,
    Listing,
    Paragraph,
)
from treewright.documents.printed import Printed
from treewright.estimators.params import check_setting_names
from treewright.result import Record
from treewright.rulesets.condition import Condition
from treewright.rulesets.rule import Rule
from treewright.single_trees.as_tree import rules_of_tree
from treewright.single_trees.cart import CARTClassifier
from treewright.single_trees.rule_set import RuleSet

if TYPE_CHECKING:
    from treewright.clustering.base import ClusterEstimator


ENOUGH = 0.95  # share of the rows that the smallest tree puts into their cluster
LEAVES_PER_CLUSTER = 4  # at most, on average


@dataclass(frozen=True, slots=True, repr=False)
class ClusterDescription(Printed):
    """Rules that describe the clusters.

    `model` is a `CARTClassifier` whose classes are the clusters, to draw, export and explain.
    """

    model: CARTClassifier
    rules: RuleSet
    agreement: float  # share of the rows that the tree puts into their cluster
    counts: NDArray[np.int64]  # (n_clusters, n_clusters): by cluster, then by prediction

    def _facts(self) -> Record:
        return {"agreement": self.agreement, "counts": self.counts, "rules": self.rules}

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "cluster": rule.prediction,
                "conditions": self.conditions_text(rule),
                "rows": rule.weight,
                "elsewhere": rule.errors,
            }
            for rule in self.rules
        ]

    def document(self) -> Document:
        """The page before it is rendered."""
        n_leaves = self.model.get_n_leaves()
        blocks: list[Block] = [
            Paragraph.of(
                f"A tree of {n_leaves} lea{'f' if n_leaves == 1 else 'ves'} puts "
                f"{100 * self.agreement:.1f} % of the {int(self.counts.sum())} rows into the "
                "cluster that they are in."
            )
        ]
        for k in range(len(self.counts)):
            blocks.append(Heading(2, f"Cluster {k}: {int(self.counts[k].sum())} rows"))
            of_cluster = [rule for rule in self.rules if rule.prediction == k]
            largest_first = sorted(of_cluster, key=lambda rule: -rule.weight)
            lines = [self.rule_text(rule) for rule in largest_first]
            blocks.append(Listing("\n".join(lines) or "no rule leads here"))
        return Document("What tells the clusters apart", tuple(blocks))

    @staticmethod
    def conditions_text(rule: Rule) -> str:
        return " and ".join(map(condition_words, rule.conditions)) or "always"

    @staticmethod
    def rule_text(rule: Rule) -> str:
        conditions = ClusterDescription.conditions_text(rule)
        of_them = "all here" if rule.errors == 0 else f"{rule.errors:g} of them elsewhere"
        return f"{conditions}  ({rule.weight:g} rows, {of_them})"

    def __repr__(self) -> str:
        n_leaves = self.model.get_n_leaves()
        return f"<ClusterDescription: {n_leaves} leaves, agreement {self.agreement:.3f}>"


def condition_words(condition: Condition) -> str:
    """A condition; if it accepts most categories of a column, those that it excludes."""
    levels = condition.levels
    if levels is None or condition.column.kind != "nominal":
        return str(condition)
    others = [str(level) for level in condition.column.levels if level not in levels]
    if not 0 < len(others) < len(levels):
        return str(condition)
    name = condition.column.name
    if len(others) == 1:
        return f"{name} is not {others[0]}"
    return f"{name} not in {{{', '.join(others)}}}"


def describe(
    model: "ClusterEstimator", X: Any, max_leaf_nodes: int | None, settings: dict[str, Any]
) -> ClusterDescription:
    """The tree that predicts the clusters of some rows."""
    check_setting_names(settings, CARTClassifier.params, "CARTClassifier")
    table = table_from(X)
    labels = model.predict(table)
    n_clusters = len(model.cluster_centers_)
    most = LEAVES_PER_CLUSTER * n_clusters if max_leaf_nodes is None else max_leaf_nodes
    given = {
        "max_leaf_nodes": most,
        "categorical_features": model.categorical_features,
        "prune": None,
    } | settings
    tree = CARTClassifier(**given).fit(table, labels)
    if max_leaf_nodes is None:
        tree = smallest_accurate(tree, table, labels, n_clusters)
    predicted = tree.predict(table)
    counts = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    np.add.at(counts, (labels, predicted), 1)
    agreement = float(np.mean(predicted == labels))
    return ClusterDescription(tree, rules_of_tree(tree), agreement, counts)


def smallest_accurate(
    tree: CARTClassifier, X: Any, labels: NDArray[Any], n_clusters: int
) -> CARTClassifier:
    """The smallest tree of the best splits that puts 95 % of the rows into their cluster."""
    for n_leaves in range(n_clusters, tree.get_n_leaves()):
        smaller = tree.to_leaves(n_leaves).set_params(max_leaf_nodes=n_leaves)
        if np.mean(smaller.predict(X) == labels) >= ENOUGH:
            return smaller
    return tree
