"""Clusters described: a decision tree, a summary, and why a row is in its cluster."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.clustering.space import numbers_of
from treewright.data.column import NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources import table_from
from treewright.data.table import Table, column_lines
from treewright.documents.page import (
    Block,
    Document,
    Heading,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)
from treewright.documents.printed import Printed
from treewright.estimators.params import check_setting_names
from treewright.estimators.rows import row_table
from treewright.plain_text import number_text, plain
from treewright.result import Record
from treewright.rulesets.condition import Condition
from treewright.rulesets.rule import Rule
from treewright.single_trees.as_tree import rules_of_tree
from treewright.single_trees.cart import CARTClassifier
from treewright.single_trees.rule_set import RuleSet
from treewright.tree.conditions import bound_text
from treewright.worksheets.digits import Digits

if TYPE_CHECKING:
    from treewright.clustering.base import ClusterEstimator


MISSING_TEXT = "?"


def center_text(spec: ColumnSpec, number: float, digits: Digits | None = None) -> str:
    """A mean, a date, or the category of a code.

    >>> center_text(ColumnSpec("day", "numeric", unit="datetime64[D]"), 19000.5)
    '2022-01-08'
    """
    if math.isnan(number) or not (spec.is_numeric or spec.levels):
        return MISSING_TEXT
    if not spec.is_numeric or spec.unit:
        return bound_text(spec, number)
    if digits is None:
        return number_text(number)
    return digits.weight(number) if number >= 0 else digits.text(number)


def value_text(
    table: Table, spec: ColumnSpec, at: int, row: int, digits: Digits | None = None
) -> str:
    """One value of a row."""
    column = table.columns[at]
    if isinstance(column, NumericColumn):
        return center_text(spec, float(column.values[row]), digits)
    return MISSING_TEXT if column.codes[row] < 0 else str(column.levels[column.codes[row]])


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
    given = {"max_leaf_nodes": most, "categorical_features": model.categorical_features} | settings
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


MOST_COLUMNS = 8
MOST_CLUSTERS = 30


def summary_text(model: "ClusterEstimator") -> str:
    """A title, then the size and center of each cluster."""
    n_clusters = len(model.cluster_centers_)
    counts = np.bincount(model.labels_, minlength=n_clusters)
    words = "iterations" if model.n_iter_ != 1 else "iteration"
    title = (
        f"{type(model).__name__}: {n_clusters} cluster{'s' if n_clusters != 1 else ''} of "
        f"{len(model.labels_)} rows, {model.n_iter_} {words}, inertia {model.inertia_:g}"
    )
    centers = model.cluster_centers_[:MOST_CLUSTERS]
    shown = model.schema_.columns[:MOST_COLUMNS]
    n_lines = len(centers)
    cells = [
        ["cluster", *map(str, range(n_lines))],
        ["rows", *map(str, counts[:n_lines].tolist())],
        *(
            [spec.name, *[center_text(spec, number) for number in centers[:, at].tolist()]]
            for at, spec in enumerate(shown)
        ),
    ]
    to_right = [True, True, *(spec.is_numeric for spec in shown)]
    lines = [title, *column_lines(cells, to_right)]
    if n_lines < n_clusters:
        lines.append(f"  ... {n_clusters - n_lines} more clusters")
    if len(shown) < model.n_features_in_:
        lines.append(f"  ... {model.n_features_in_ - len(shown)} more columns")
    return "\n".join([*lines, *(f"note: {plain(note)}" for note in model.notes_)])


MOST_COLUMN_LINES = 20  # with a line of their own


@dataclass(frozen=True, slots=True, repr=False)
class NearestCenter(Printed):
    """The cluster of one row, and the contribution of each column to its squared distances."""

    cluster: int
    runner_up: int | None  # the cluster of the second nearest center
    distances: Floats  # from every center
    adds: Floats  # (n_clusters, n_columns): contribution of a column to a squared distance
    row: Table
    centers: Floats
    schema: Schema

    def document(self, *, decimals: int = 4) -> Document:
        """The page before it is rendered."""
        digits = Digits(decimals)
        own = self.distances[self.cluster]
        said: list[str | Run] = [
            "cluster ",
            Run(str(self.cluster), "strong"),
            f": distance {digits.text(own)}",
        ]
        if self.runner_up is not None:
            second = digits.text(self.distances[self.runner_up])
            said.append(f"; next is cluster {self.runner_up}: distance {second}")
        blocks: list[Block] = [Paragraph.of(*said), self.columns_table(digits)]
        n_left = self.row.n_columns - MOST_COLUMN_LINES
        if n_left > 0:
            blocks.append(
                Note(f"... {n_left} more columns, which distinguish the two clusters less")
            )
        return Document("Why this cluster", tuple(blocks))

    def columns_table(self, digits: Digits) -> SheetTable:
        """The columns, ordered by how much they favor the cluster over the next."""
        shown = [self.cluster] if self.runner_up is None else [self.cluster, self.runner_up]
        against = self.adds[shown[-1]] - self.adds[shown[0]]
        order = np.argsort(-against, kind="stable")[:MOST_COLUMN_LINES]
        lines = []
        for at in order.tolist():
            spec = self.schema.columns[at]
            line = [spec.name, value_text(self.row, spec, at, 0)]
            for k in shown:
                line += [
                    center_text(spec, float(self.centers[k, at])),
                    digits.text(float(self.adds[k, at])),
                ]
            lines.append(tuple(line))
        sums = [cell for k in shown for cell in ("", digits.text(float(self.distances[k] ** 2)))]
        lines.append(("squared distance", "", *sums))
        heads = [head for k in shown for head in (f"center {k}", "adds")]
        return SheetTable(("column", "value", *heads), tuple(lines), "ll" + "rr" * len(shown))

    def __repr__(self) -> str:
        return f"<NearestCenter: cluster {self.cluster}>"


def nearest_center(model: "ClusterEstimator", row: Any) -> NearestCenter:
    """Why a row is in its cluster."""
    given = row_table(row, model.schema_)
    rows = model.encode_rows(given)
    table = Table.of_matrix(rows) if isinstance(rows, np.ndarray) else rows
    adds = column_squares(model, table)
    space = model.state_.space(given, model)
    distances = np.sqrt(space.all_squares(space.inside(model.cluster_centers_)))[0]
    order = np.argsort(distances, kind="stable").tolist()
    return NearestCenter(
        order[0],
        order[1] if len(order) > 1 else None,
        distances,
        adds,
        table,
        model.cluster_centers_,
        model.schema_,
    )


def column_squares(model: "ClusterEstimator", table: Table) -> Floats:
    """(n_clusters, n_columns): the contribution of each column, for a table of one row."""
    measure = model.state_.measure
    values = np.array([numbers_of(column)[0] for column in table.columns], dtype=np.float64)
    is_missing = np.array([column.is_missing[0] for column in table.columns])
    squares = measure.squares(values - model.cluster_centers_)
    found: Floats = np.where(is_missing, 0.0, squares)
    return found
