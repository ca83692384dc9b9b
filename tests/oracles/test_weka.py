"""ID3 and C4.5 trees, unpruned and pruned, are those of Weka's Id3 and J48, node by node."""

from typing import Any

import numpy as np
import pytest

from oracles.goldens import Problem, cases, golden_of, problem, unpacked, with_all_classes
from oracles.known_differences import compare
from treewright.single_trees.c45 import C45Classifier
from treewright.single_trees.id3 import ID3Classifier
from treewright.tree.layout import LEAF, SUBSET, THRESHOLD
from treewright.tree.tree import Tree

COUNTS = 1e-6
SHARES = 1e-9
THRESHOLDS = 1e-6


def j48(**settings: Any) -> C45Classifier:
    return C45Classifier(j48_gaps=True, **settings)


MODELS = {
    "id3": lambda: ID3Classifier(min_gain=0.0, discretize=None),
    "j48_unpruned": lambda: j48(prune=None, min_samples_leaf=2),
    "j48_unpruned_m1": lambda: j48(prune=None, min_samples_leaf=1),
    "j48_default": j48,
    "j48_noraise": lambda: j48(subtree_raising=False),
    "j48_c10_m5": lambda: j48(confidence=0.1, min_samples_leaf=5),
    "j48_c40_m1": lambda: j48(confidence=0.4, min_samples_leaf=1),
    "j48_laplace": lambda: j48(laplace=True),
    "j48_binary": lambda: j48(nominal="one_vs_rest"),
    "j48_binary_unpruned": lambda: j48(nominal="one_vs_rest", prune=None),
}


def cases_of_models(*parts: str) -> list[tuple[str, str]]:
    return [case for case in cases("weka", *parts) if case[1] in MODELS]


def fitted(variant: str, data: Problem) -> Any:
    table, y, weights = with_all_classes(data)
    return MODELS[variant]().fit(table, y, sample_weight=weights)


@pytest.mark.parametrize(("name", "variant"), cases_of_models("tree"))
def test_the_tree_is_that_of_weka(name: str, variant: str) -> None:
    golden = golden_of("weka", name, variant)
    data = problem(name, ordered=False)
    tree = fitted(variant, data).tree_
    compare(f"weka/{name}/{variant}/tree", tree_differences, tree, golden, len(data.classes))


@pytest.mark.parametrize(("name", "variant"), cases_of_models())
def test_training_rows_get_the_answers_of_weka(name: str, variant: str) -> None:
    golden = golden_of("weka", name, variant)
    data = problem(name, ordered=False)
    model = fitted(variant, data)
    compare(f"weka/{name}/{variant}/train", answer_differences, model, data.table, golden, "")


@pytest.mark.parametrize(("name", "variant"), cases_of_models("masked"))
def test_rows_with_holes_get_the_answers_of_weka(name: str, variant: str) -> None:
    golden = golden_of("weka", name, variant)
    data = problem(name, ordered=False)
    model = fitted(variant, data)
    compare(
        f"weka/{name}/{variant}/masked", answer_differences, model, data.masked, golden, "masked"
    )


@pytest.mark.parametrize(("name", "variant"), cases_of_models("cv"))
def test_rows_of_each_fold_get_the_answers_of_weka_grown_on_the_others(
    name: str, variant: str
) -> None:
    compare(f"weka/{name}/{variant}/cv", cv_differences, name, variant)


def test_raised_branches_are_among_the_cases() -> None:
    tables = [name for name, variant in cases("weka") if variant == "j48_default"]
    raised = [fitted("j48_default", problem(name, ordered=False)).pruning_ for name in tables]
    assert sum(report.raised.any() for report in raised) > 10


def tree_differences(tree: Tree, golden: dict[str, Any], n_classes: int) -> list[str]:
    """What differs between our tree and Weka's, walked together from the root."""
    found = []
    if tree.n_leaves != golden["n_leaves"]:
        found.append(f"{tree.n_leaves} leaves, Weka {golden['n_leaves']}")
    stack = [(0, golden["tree"], "root")]
    while stack:
        node, other, path = stack.pop()
        difference = node_difference(tree, node, other, n_classes)
        if difference:
            found.append(f"{path}: {difference}")
        elif "children" in other:
            children = children_of(tree, node, other)
            for (test, child), branch in zip(children, other["children"], strict=True):
                stack.append((child, branch["node"], f"{path} > {other['attribute']} {test}"))
    return found


def node_difference(tree: Tree, node: int, other: dict[str, Any], n_classes: int) -> str:
    is_leaf = tree.kind[node] == LEAF
    if "attribute" not in other:
        return leaf_difference(tree, node, other, n_classes) if is_leaf else "split, Weka a leaf"
    if is_leaf:
        return f"leaf, Weka splits on {other['attribute']}"
    name = tree.schema.columns[tree.feature[node]].name
    if name != other["attribute"]:
        return f"splits on {name}, Weka on {other['attribute']}"
    if "threshold" in other and abs(tree.threshold[node] - other["threshold"]) > THRESHOLDS:
        return f"{name} <= {tree.threshold[node]!r}, Weka {other['threshold']!r}"
    ours = [test for test, _ in children_of(tree, node, other)]
    theirs = [branch["value"] for branch in other["children"] if branch["op"] == "="]
    if tree.kind[node] == SUBSET:
        theirs.append("the rest")
    if theirs and ours != theirs:
        return f"branches {ours}, Weka {theirs}"
    return counts_difference(tree, node, other, n_classes)


def leaf_difference(tree: Tree, node: int, other: dict[str, Any], n_classes: int) -> str:
    counts = other["counts"]
    if counts is None or not any(counts):
        if tree.weight[node] != 0:
            return f"weight {tree.weight[node]}, Weka's leaf is empty"
        if other["leaf"] is None:
            return ""
    elif difference := counts_difference(tree, node, other, n_classes):
        return difference
    prediction = tree.classes[tree.node_class[node]]
    return "" if prediction == other["leaf"] else f"answers {prediction}, Weka {other['leaf']}"


def counts_difference(tree: Tree, node: int, other: dict[str, Any], n_classes: int) -> str:
    ours = np.zeros(n_classes)
    ours[list(tree.classes)] = tree.value[node]
    theirs = np.array(other["counts"])
    return "" if np.allclose(ours, theirs, rtol=0, atol=COUNTS) else f"counts {ours}, Weka {theirs}"


def children_of(tree: Tree, node: int, other: dict[str, Any]) -> list[tuple[str, int]]:
    """The branches of a node as (level or side, child), one for every declared level.

    Of a split by one level against the rest, that level comes first, as in Weka.
    """
    first = int(tree.first_child[node])
    if tree.kind[node] == THRESHOLD:
        return [("<=", first), (">", first + 1)]
    levels = tree.schema.columns[tree.feature[node]].levels
    listed = slice(tree.level_start[node], tree.level_start[node + 1])
    own = dict(zip(tree.level_code[listed], first + tree.level_child[listed], strict=True))
    if tree.kind[node] != SUBSET:
        return [(level, own.get(code, tree.other_child[node])) for code, level in enumerate(levels)]
    by_child = {
        child: [levels[code] for code in own if own[code] == child] for child in (first, first + 1)
    }
    wanted = other["children"][0]["value"]
    near = first if by_child[first] == [wanted] else first + 1
    far = first + 1 if near == first else first
    return [(", ".join(by_child[near]), near), ("the rest", far)]


def answer_differences(model: Any, table: Any, golden: dict[str, Any], part: str) -> list[str]:
    """Rows whose class shares or class differ; Id3 answers nothing where its leaf is null."""
    shares = "masked_distributions" if part else "distributions"
    theirs = unpacked(golden[shares])
    ours = np.zeros_like(theirs)
    ours[:, model.classes_] = model.predict_proba(table)
    predictions = model.predict(table)
    found = []
    if model.tree_.n_leaves != golden["n_leaves"]:
        found.append(f"{model.tree_.n_leaves} leaves, Weka {golden['n_leaves']}")
    for row, (prediction, other) in enumerate(
        zip(predictions, golden[part or "predictions"], strict=True)
    ):
        if other is None:
            continue
        if not np.allclose(ours[row], theirs[row], rtol=0, atol=SHARES):
            found.append(f"row {row}: shares {ours[row]}, Weka {theirs[row]}")
        elif prediction != other and not (is_tie(ours[row]) or is_tie(theirs[row])):
            found.append(f"row {row}: answers {prediction}, Weka {other}")
    return found


def is_tie(shares: np.ndarray) -> bool:
    """Whether two classes are equal but for rounding: then sums decide that round otherwise."""
    first, second = np.sort(shares)[[-1, -2]]
    return bool(0 < first - second < SHARES)


def cv_differences(name: str, variant: str) -> list[str]:
    data = problem(name, ordered=False)
    theirs = golden_of("weka", name, variant)["cv"]
    found = []
    for fold in np.unique(data.folds):
        held_out = np.flatnonzero(data.folds == fold)
        model = fitted(variant, data.rows(np.flatnonzero(data.folds != fold)))
        predictions = model.predict(data.table[held_out])
        shares = model.predict_proba(data.table[held_out])
        for row, prediction, share in zip(held_out, predictions, shares, strict=True):
            if theirs[row] not in (None, prediction) and not is_tie(share):
                found.append(f"fold {fold}, row {row}: {prediction}, Weka {theirs[row]} ({share})")
    return found
