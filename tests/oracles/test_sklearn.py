"""CART trees are those of scikit-learn wherever its tree does not hang on a random choice.

scikit-learn shuffles the columns, so of equal splits the seed chooses one. Trees are compared where
ten seeds gave one tree, numbers of leaves and answers where ten seeds agreed on these.
"""

from typing import Any

import numpy as np
import pytest

from oracles.goldens import Problem, cases, golden_of, problem
from oracles.known_differences import compare
from treewright.single_trees.cart import CARTClassifier, CARTRegressor
from treewright.tree.layout import LEAF
from treewright.tree.tree import Tree

RELATIVE = 1e-9
FLOAT32 = 1e-6  # scikit-learn rounds the values to float32 before it takes the midpoint


def fitted(golden: dict[str, Any], data: Problem) -> Any:
    model = CARTRegressor if data.classes is None else CARTClassifier
    return model(**golden["options"]).fit(data.table, data.y)


def agreed(golden: dict[str, Any]) -> dict[str, Any]:
    return golden["tie_ambiguity"]


@pytest.mark.parametrize(("name", "variant"), cases("sklearn", "tree"))
def test_a_unique_tree_is_that_of_scikit_learn(name: str, variant: str) -> None:
    golden = golden_of("sklearn", name, variant)
    data = problem(name)
    n_classes = len(data.classes or ())
    tree = fitted(golden, data).tree_
    compare(f"sklearn/{name}/{variant}/tree", tree_differences, tree, golden, n_classes)


@pytest.mark.parametrize(("name", "variant"), cases("sklearn"))
def test_what_all_seeds_agree_on_is_that_of_scikit_learn(name: str, variant: str) -> None:
    golden = golden_of("sklearn", name, variant)
    data = problem(name)
    model = fitted(golden, data)
    compare(f"sklearn/{name}/{variant}/train", summary_differences, model, data, golden)


@pytest.mark.parametrize(("name", "variant"), cases("sklearn", "cv"))
def test_stable_rows_of_each_fold_get_the_answers_of_scikit_learn(name: str, variant: str) -> None:
    golden = golden_of("sklearn", name, variant)
    compare(f"sklearn/{name}/{variant}/cv", cv_differences, problem(name), golden)


def tree_differences(tree: Tree, golden: dict[str, Any], n_classes: int) -> list[str]:
    found = []
    stack = [(0, golden["tree"], "root")]
    while stack:
        node, other, path = stack.pop()
        difference = node_difference(tree, node, other, n_classes)
        if difference:
            found.append(f"{path}: {difference}")
        elif "children" in other:
            first = int(tree.first_child[node])
            for side, child in enumerate(other["children"]):
                step = f"{other['attribute']} {'>' if side else '<='} {other['threshold']:g}"
                stack.append((first + side, child, f"{path} > {step}"))
    return found


def node_difference(tree: Tree, node: int, other: dict[str, Any], n_classes: int) -> str:
    if tree.n_rows[node] != other["n"]:
        return f"{tree.n_rows[node]} rows, scikit-learn {other['n']}"
    if n_classes:
        counts = np.zeros(n_classes)
        counts[list(tree.classes)] = tree.value[node]
        ours, theirs = counts, np.array(other["counts"])
    else:
        ours, theirs = tree.value[node], np.array([other["value"]])
    if not np.allclose(ours, theirs, rtol=RELATIVE):
        return f"value {ours}, scikit-learn {theirs}"
    is_leaf = tree.kind[node] == LEAF
    if is_leaf != ("children" not in other):
        return "a leaf" if is_leaf else "no leaf"
    if is_leaf:
        return ""
    name = tree.schema.columns[tree.feature[node]].name
    if name != other["attribute"]:
        return f"splits on {name}, scikit-learn on {other['attribute']}"
    same = np.isclose(tree.threshold[node], other["threshold"], rtol=FLOAT32)
    return "" if same else f"{name} <= {tree.threshold[node]}, scikit-learn {other['threshold']}"


def summary_differences(model: Any, data: Problem, golden: dict[str, Any]) -> list[str]:
    found = []
    flags = agreed(golden)
    tree = model.tree_
    if tree.n_leaves not in range(min(flags["n_leaves"]), max(flags["n_leaves"]) + 1):
        found.append(f"{tree.n_leaves} leaves, scikit-learn {flags['n_leaves']}")
    if tree.depth not in range(min(flags["depths"]), max(flags["depths"]) + 1):
        found.append(f"depth {tree.depth}, scikit-learn {flags['depths']}")
    if flags["train_predictions_identical"]:
        predictions = model.predict(data.table)
        theirs = golden["predictions"]
        rows = np.flatnonzero(~np.isclose(predictions, theirs, rtol=RELATIVE))
        found += [f"row {row}: {predictions[row]}, scikit-learn {theirs[row]}" for row in rows]
    return found


def cv_differences(data: Problem, golden: dict[str, Any]) -> list[str]:
    found = []
    for fold in np.unique(data.folds):
        held_out = np.flatnonzero(data.folds == fold)
        model = fitted(golden, data.rows(np.flatnonzero(data.folds != fold)))
        for row, prediction in zip(held_out, model.predict(data.table[held_out]), strict=True):
            theirs = golden["cv"][row]
            if golden["cv_stable"][row] and not np.isclose(prediction, theirs, rtol=RELATIVE):
                found.append(f"fold {fold}, row {row}: {prediction}, scikit-learn {theirs}")
    return found
