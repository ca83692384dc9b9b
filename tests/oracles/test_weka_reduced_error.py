"""Trees pruned by rows held back are those of Weka's J48 -R, which tells the rows it held back."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fitted_states import with_learned
from oracles.goldens import Problem, cases, golden_of, problem, with_all_classes
from oracles.known_differences import compare
from oracles.test_weka import answer_differences, tree_differences
from treewright.pruning.reduced_error import reduced_error
from treewright.pruning.row_loss import PruningRows
from treewright.single_trees.c45 import C45Classifier
from treewright.tree.layout import THRESHOLD, read_only
from treewright.tree.tree import Tree

ROUNDING = 1e-6  # of a midpoint that is itself a value of the table

for_every_table = pytest.mark.parametrize(
    "name", [name for name, variant in cases("weka") if variant == "j48_rep"]
)


def pruned(data: Problem, held_back: np.ndarray, **settings: Any) -> C45Classifier:
    """The tree grown on the other rows and pruned by these; -R goes without collapsing."""
    grow_rows = np.setdiff1d(np.arange(len(data.y)), held_back)
    table, y, weights = with_all_classes(data.rows(grow_rows))
    model = C45Classifier(prune=None, collapse=False, j48_gaps=True, **settings)
    model.fit(table, y, sample_weight=weights)
    if model.midpoint_thresholds:
        model = with_learned(model, tree_=with_thresholds_of(model.tree_, data))
    validation = data.rows(held_back)
    rows = PruningRows(
        model.encode_rows(validation.table),
        codes=validation.y.astype(np.int32),
        values=None,
        weights=np.ones(len(held_back)),
    )
    return with_learned(model, tree_=reduced_error(model.tree_, rows).tree)


def with_thresholds_of(tree: Tree, data: Problem) -> Tree:
    """Weka's thresholds: the largest value of the whole table, held back or not, below the middle.

    Ours come from the rows that the tree is grown on. Rows held back are not looked at.
    """
    threshold = tree.threshold.copy()
    for node in np.flatnonzero(tree.kind == THRESHOLD):
        values = data.table.columns[tree.feature[node]].values
        threshold[node] = values[values <= threshold[node] + ROUNDING].max()
    return replace(tree, threshold=read_only(threshold))


@for_every_table
def test_the_pruned_tree_is_that_of_weka(name: str) -> None:
    golden, data = golden_of("weka", name, "j48_rep"), problem(name, ordered=False)
    tree = pruned(data, np.array(golden["prune_rows"])).tree_
    compare(f"weka/{name}/j48_rep/tree", tree_differences, tree, golden, len(data.classes))


@for_every_table
def test_with_thresholds_of_the_whole_table_every_tree_is_that_of_weka(name: str) -> None:
    golden, data = golden_of("weka", name, "j48_rep"), problem(name, ordered=False)
    tree = pruned(data, np.array(golden["prune_rows"]), midpoint_thresholds=True).tree_
    assert tree_differences(tree, golden, len(data.classes)) == []


@for_every_table
def test_all_rows_get_the_answers_of_weka(name: str) -> None:
    golden, data = golden_of("weka", name, "j48_rep"), problem(name, ordered=False)
    model = pruned(data, np.array(golden["prune_rows"]), midpoint_thresholds=True)
    assert answer_differences(model, data.table, golden, "") == []


@pytest.mark.parametrize(
    "name", [name for name, variant in cases("weka", "cv") if variant == "j48_rep"]
)
def test_rows_of_each_fold_get_the_answers_of_weka_grown_on_the_others(name: str) -> None:
    golden, data = golden_of("weka", name, "j48_rep"), problem(name, ordered=False)
    differing = []
    for fold, held_back in enumerate(golden["prune_rows_per_fold"]):
        rows = np.flatnonzero(data.folds != fold)
        part = data.rows(rows)
        model = pruned(part, np.searchsorted(rows, held_back), midpoint_thresholds=True)
        out = np.flatnonzero(data.folds == fold)
        predictions = model.predict(data.table[out])
        differing += [
            row
            for row, prediction in zip(out, predictions, strict=True)
            if prediction != golden["cv"][row]
        ]
    assert differing == []
