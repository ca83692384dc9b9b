"""The fitted state of a single tree: how it predicts, and how a model file holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from math import isfinite
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.cached import cached_property
from treewright.data.column import NominalColumn
from treewright.data.cut_points import interval_codes
from treewright.data.schema import Schema, with_keys
from treewright.data.table import Table
from treewright.errors import ModelFileError, ParameterError
from treewright.estimators.declaration import param
from treewright.estimators.fitted import ABSENT, Fitted, Rows, Settings
from treewright.estimators.one_tree import FittedOneTree
from treewright.estimators.params import TOO_LARGE
from treewright.estimators.rows import has_missing
from treewright.induction.optimal.proof import OptimalityProof
from treewright.persistence.values import (
    Arrays,
    class_type,
    classes_of,
    notes_from_json,
    target_from_json,
)
from treewright.pruning.report import PruningReport
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.rule_file import ordered_from_json, ordered_to_json
from treewright.tree.as_json import tree_from_json, tree_to_json
from treewright.tree.drafting import Draft, assemble, drafts_of
from treewright.tree.layout import INTERVALS, LEAF, THRESHOLD, read_only
from treewright.tree.predict import predict_leaves, predict_values, predicted_classes
from treewright.tree.shrinkage import shrunk
from treewright.tree.tree import Tree

Cuts = tuple[float, ...]

FEW_ROWS = 1000  # below this it costs more to look for missing values than to add up shares

ALWAYS_KEYS = frozenset({"class_type", "cut_in_advance", "notes", "tree"})
PRUNING = "pruning"  # a key of pruned models only
RULES = "rules"  # a key of models only that predict by rules
TARGET = "target"  # a key of models only whose target had a name
OPTIMALITY = "optimality"  # a key of optimal trees only
SHRINKAGE = "shrinkage"  # a key of models only that shrink
SOMETIMES = frozenset({PRUNING, RULES, TARGET, OPTIMALITY, SHRINKAGE})


LAPLACE = param(
    False,
    "Whether to smooth probabilities by adding one to the count of every class (Laplace).",
    type=bool,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedTree(FittedOneTree):
    """One tree."""

    prediction_params = Fitted.prediction_params | {"laplace": LAPLACE}

    in_text_file: ClassVar[bool] = True
    reading: ClassVar[str] = "treewright.single_trees.reading.TreeReading"
    cuts_columns: ClassVar[bool] = False  # whether numeric columns are cut before growth
    predicts_by_rules: ClassVar[bool] = False  # whether rules learned from the tree predict

    pruning: PruningReport | None = None  # what pruning cut; None if the tree is not pruned
    cut_points: Mapping[str, Cuts] = field(default_factory=dict)  # of columns cut in advance
    rules: OrderedRules | None = None  # of models that predict by rules learned from the tree
    proof: OptimalityProof | None = None  # how near the tree is to the best one, if known
    shrinkage: float = 0.0  # by how much nodes are pulled toward their ancestors, in rows

    @cached_property
    def shrunk_tree(self) -> Tree:
        """The tree with each node pulled toward its ancestors."""
        return shrunk(self.tree, self.shrinkage)

    @cached_property
    def smoothed_tree(self) -> Tree:
        """The tree with each class counted once more in every node."""
        return replace(self.tree, value=read_only(self.shrunk_tree.value + 1.0))

    def attribute(self, name: str) -> Any:  # those of some trees only are properties of these
        is_own = name in ("cut_points_", "rules_") or (name == "proof_" and self.proof is None)
        return ABSENT if is_own else super().attribute(name)

    def predicting_tree(self, settings: Settings) -> Tree:
        """The tree whose nodes hold what is predicted."""
        return self.smoothed_tree if getattr(settings, "laplace", False) else self.shrunk_tree

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        rows = self.encode(X, settings)
        tree = self.predicting_tree(settings)
        threads = self.threads_for(len(rows), settings)
        if self.classes is None:
            return predict_values(tree, rows, threads)[:, 0]
        if may_spread(tree, rows):
            codes = predicted_classes(tree, predict_values(tree, rows, threads))
        else:  # one node predicts each row, which is half the work
            nodes = predict_leaves(tree, rows, threads)
            codes = tree.node_class[nodes.astype(np.intp)]  # faster than an index of int32
        return self.classes[codes]

    def predict_proba(self, X: Any, settings: Settings) -> Floats:
        rows = self.encode(X, settings)
        threads = self.threads_for(len(rows), settings)
        return predict_values(self.predicting_tree(settings), rows, threads)

    def encode(self, X: Any, settings: Settings) -> Rows:
        """The rows of X in the columns of the tree: numbers that were cut are intervals."""
        rows = super().encode(X, settings)
        if self.schema is self.tree.schema:
            return rows
        matrix = rows if isinstance(rows, np.ndarray) else rows.matrix
        if matrix is not None:
            rows = Table.of_matrix(matrix, self.schema.names)
        assert isinstance(rows, Table)
        columns = [
            replace(column, ordered=False)
            if isinstance(column, NominalColumn)
            else NominalColumn(
                spec.name,
                interval_codes(column.values, np.array(self.cut_points[spec.name])),
                spec.levels,
            )
            for column, spec in zip(rows.columns, self.tree.schema.columns, strict=True)
        ]
        return Table(columns, rows.n_rows)

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        is_cut = self.schema != self.tree.schema
        entry: dict[str, Any] = {
            "class_type": None if self.classes is None else class_type(self.classes),
            "cut_in_advance": cuts_to_json(self.schema, self.cut_points) if is_cut else None,
            "notes": list(self.notes),
            "tree": tree_to_json(self.tree),
        }
        if self.pruning is not None:
            entry[PRUNING] = self.pruning.to_dict()
        if self.rules is not None:
            entry[RULES] = ordered_to_json(self.rules)
        if self.target_name is not None:
            entry[TARGET] = self.target_name
        if self.proof is not None:
            entry[OPTIMALITY] = self.proof.to_dict()
        if self.shrinkage:
            entry[SHRINKAGE] = self.shrinkage
        return entry, {}

    @classmethod
    def from_parts(cls, data: object, arrays: Arrays) -> Self:
        found = SOMETIMES & set(data) if type(data) is dict else set()
        entry = with_keys(data, {*ALWAYS_KEYS, *found}, "model")
        notes = notes_from_json(entry["notes"])
        tree = tree_from_json(entry["tree"])
        target = target_from_json(entry[TARGET]) if TARGET in entry else None
        if TARGET in entry and target is None:
            raise ModelFileError("model: `target` is not a name")
        schema, cut_points = tree.schema, dict[str, Cuts]()
        if entry["cut_in_advance"] is not None:
            schema, cut_points = cuts_from_json(entry["cut_in_advance"])
            check_columns(schema, cut_points, tree.schema)
        state = cls(
            tree=tree,
            schema=schema,
            classes=classes_of(tree.classes, entry["class_type"]),
            notes=notes,
            target_name=target,
            pruning=PruningReport.from_dict(entry[PRUNING], tree) if PRUNING in entry else None,
            cut_points=cut_points,
            rules=rules_of(tree, entry[RULES]) if RULES in entry else None,
            proof=OptimalityProof.from_dict(entry[OPTIMALITY]) if OPTIMALITY in entry else None,
            shrinkage=strength_from_json(entry.get(SHRINKAGE, 0.0)),
        )
        state.check()
        return state

    def check(self) -> None:
        if self.cuts_columns:
            fits = all(spec.kind == "nominal" for spec in self.tree.schema.columns)
        else:
            fits = self.schema is self.tree.schema
        if not fits:
            raise ModelFileError("model: the tree and what was cut in advance do not fit")
        if (self.rules is not None) != self.predicts_by_rules:
            raise ModelFileError("model: a tree with rules, or without those it needs")


class FittedCutTree(FittedTree):
    """A tree over columns that were cut into intervals in advance."""

    cuts_columns = True


class FittedRules(FittedTree):
    """A tree, and the rules learned from it, which predict."""

    predicts_by_rules = True
    reading = "treewright.single_trees.rules_reading.RulesReading"

    def predicting_tree(self, settings: Settings) -> NoReturn:
        refuse_tree(self)

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        assert self.classes is not None
        return self.classes[fitted_rules(self).predictions_to(self.encode(X, settings))]

    def predict_proba(self, X: Any, settings: Settings) -> Floats:
        return fitted_rules(self).values(self.encode(X, settings))


def refuse_tree(state: FittedTree) -> NoReturn:
    """Raise: rules predict, not the tree."""
    raise ParameterError(
        "C45Rules predicts by rules, not by a tree",
        hint="fit a C45Classifier; model.rules_ has the rules",
    )


def fitted_rules(state: FittedTree) -> OrderedRules:
    """The rules of a model that predicts by rules."""
    assert state.rules is not None
    return state.rules


def may_spread(tree: Tree, rows: Rows) -> bool:
    """Whether some of the rows may be predicted by several leaves; rows are looked at last."""
    spreads, on_complete_rows = tree.spreads
    return spreads and (on_complete_rows or len(rows) < FEW_ROWS or has_missing(rows))


def strength_from_json(data: object) -> float:
    """A strength of shrinkage as a file may hold it."""
    if type(data) is not float or not 0 <= data <= TOO_LARGE:
        raise ModelFileError("model: `shrinkage` is not a number from 0 on")
    return data


def rules_of(tree: Tree, data: object) -> OrderedRules:
    """The rules that were learned from a tree."""
    if tree.classes is None:
        raise ModelFileError("model: rules need classes")
    return ordered_from_json(data, tree.schema, tree.classes, tree.unseen)


def cuts_to_json(schema: Schema, cut_points: Mapping[str, Cuts]) -> dict[str, Any]:
    cuts = [[name, list(cut_points[name])] for name in cut_points]
    return {"schema": schema.to_json(), "cut_points": cuts}


def cuts_from_json(data: object) -> tuple[Schema, dict[str, Cuts]]:
    """The columns before they were cut, and finite rising cut points for some of them."""
    entry = with_keys(data, {"schema", "cut_points"}, "cut_in_advance")
    listed = entry["cut_points"]
    found: dict[str, Cuts] = {}
    for pair in listed if type(listed) is list else [None]:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str:
            raise ModelFileError("cut_points: not a list of columns and cuts")
        name, cuts = pair
        if type(cuts) is not list or not all(type(cut) is float for cut in cuts):
            raise ModelFileError(f"cut_points: those of `{name}` are not numbers")
        rising = all(low < high for low, high in pairwise(cuts))
        if not rising or not all(map(isfinite, cuts)) or name in found:
            raise ModelFileError(f"cut_points: those of `{name}` are not finite and rising")
        found[name] = tuple(cuts)
    return Schema.from_json(entry["schema"]), found


def check_columns(schema: Schema, cut_points: Mapping[str, Cuts], of_tree: Schema) -> None:
    """The columns of the tree must be those that the cut points make of the input."""
    if schema.names != of_tree.names or schema.has_names != of_tree.has_names:
        raise ModelFileError("model: the tree knows other columns than were cut")
    numeric = [spec.name for spec in schema.columns if spec.is_numeric]
    if numeric != list(cut_points):
        raise ModelFileError("model: the cut points are not those of the numeric columns")
    for spec, made in zip(schema.columns, of_tree.columns, strict=True):
        cuts = cut_points.get(spec.name)
        same = made.levels == spec.levels if cuts is None else len(made.levels) == len(cuts) + 1
        if made.kind != "nominal" or not same:
            raise ModelFileError(f"model: the tree knows the column `{spec.name}` otherwise")


def over_numbers(tree: Tree, schema: Schema, cut_points: Mapping[str, Cuts]) -> Tree:
    """A tree over intervals that were cut in advance as one over the numbers themselves."""
    cuts = [cut_points.get(spec.name) for spec in schema.columns]
    columns = [
        spec if cut is not None else made
        for spec, made, cut in zip(schema.columns, tree.schema.columns, cuts, strict=True)
    ]
    drafts = drafts_of(tree)
    others = tree.other_child - tree.first_child
    for draft, other in zip(drafts, others.tolist(), strict=True):
        if draft.kind != LEAF and (cut := cuts[draft.feature]) is not None:
            ask_numbers(draft, other, cut)
    return assemble(drafts[0], tree, schema=Schema(tuple(columns), schema.has_names))


def ask_numbers(node: Draft, other: int, cuts: Cuts) -> None:
    """Let a node with a branch for each interval ask for the number, not for the interval."""
    child_of = dict(zip(node.level_code, node.level_child, strict=True))
    branches = [child_of.get(interval, other) for interval in range(len(cuts) + 1)]
    # Neighboring intervals without training rows share a branch; apart they get leaves alike.
    runs = [(child, len(list(run))) for child, run in groupby(branches)]
    children = [
        replace(node.children[child], children=list(node.children[child].children))
        if child == other
        else node.children[child]
        for child, _ in runs
    ]
    if node.missing_child >= 0:
        taker = node.children[node.missing_child]
        if taker not in children:
            children.append(taker)
        node.missing_child = children.index(taker)
    node.cut = [
        cut for cut, (left, right) in zip(cuts, pairwise(branches), strict=True) if left != right
    ]
    node.children = children
    node.level_code, node.level_child = [], []
    node.kind = INTERVALS
    if len(node.cut) == 1:
        node.kind, node.threshold, node.cut = THRESHOLD, node.cut[0], []
