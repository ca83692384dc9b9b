"""CART trees with `cp=` are those of rpart: splits, surrogates, the cp rule, answers."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from oracles.goldens import Problem, cases, golden_of, problem, unpacked, with_all_classes
from oracles.known_differences import compare
from treewright.pruning.cost_complexity import cut_by_cost
from treewright.pruning.risk import node_risk
from treewright.single_trees.cart import CARTClassifier, CARTRegressor
from treewright.tree.layout import LEAF, SUBSET, THRESHOLD
from treewright.tree.tree import Tree

RELATIVE = 1e-8
TIES = 1e-9
CRITERIA = {"anova": "squared_error", "poisson": "poisson"}


def model_for(golden: dict[str, Any], data: Problem) -> Any:
    """The estimator that says what rpart's options say."""
    options = golden["options"]
    settings = {
        "min_samples_split": max(options["minsplit"], 2),
        "min_samples_leaf": options["minbucket"],
        "cp": options["cp"],
        "max_surrogates": options["maxsurrogate"],
        "max_depth": options["maxdepth"],
        "missing": missing_policy(options),
    }
    if data.classes is None:
        return CARTRegressor(criterion=CRITERIA[golden["method"]], **settings)
    criterion = "gini" if golden["split"] == 1 else "entropy"
    return CARTClassifier(
        criterion=criterion,
        costs=golden.get("loss"),
        priors=golden.get("prior"),
        **settings,
    )


def missing_policy(options: dict[str, Any]) -> str:
    """Without surrogates to follow, the fit of rpart leaves rows at the node they cannot pass."""
    stops = options["usesurrogate"] == 0 or options["maxsurrogate"] == 0
    return "stop" if stops else "surrogate"


def fitted(golden: dict[str, Any], data: Problem) -> Any:
    """The model grown on the rows that rpart keeps: those that know at least one column."""
    known = ~np.all([column.is_missing for column in data.table.columns], axis=0)
    table, y, weights = with_all_classes(data.rows(np.flatnonzero(known)))
    return model_for(golden, data).fit(table, y, sample_weight=weights)


@pytest.mark.parametrize(("name", "variant"), cases("rpart"))
def test_the_tree_is_that_of_rpart(name: str, variant: str) -> None:
    golden = golden_of("rpart", name, variant)
    tree = fitted(golden, problem(name)).tree_
    compare(f"rpart/{name}/{variant}/tree", tree_differences, tree, golden)


@pytest.mark.parametrize(("name", "variant"), cases("rpart", "predictions"))
def test_training_rows_get_the_answers_of_rpart(name: str, variant: str) -> None:
    golden = golden_of("rpart", name, variant)
    model = fitted(golden, problem(name))
    table = problem(name).table
    compare(
        f"rpart/{name}/{variant}/train", answer_differences, model, table, golden, "predictions"
    )


@pytest.mark.parametrize(("name", "variant"), cases("rpart", "masked"))
def test_rows_with_holes_get_the_answers_of_rpart(name: str, variant: str) -> None:
    golden = golden_of("rpart", name, variant)
    model = fitted(golden, problem(name))
    table = problem(name).masked
    compare(f"rpart/{name}/{variant}/masked", answer_differences, model, table, golden, "masked")


@pytest.mark.parametrize(("name", "variant"), cases("rpart", "cv"))
def test_rows_of_each_fold_get_the_answers_of_rpart_grown_on_the_others(
    name: str, variant: str
) -> None:
    compare(f"rpart/{name}/{variant}/cv", cv_differences, name, golden_of("rpart", name, variant))


@pytest.mark.parametrize(("name", "variant"), cases("rpart", "predictions"))
def test_cutting_at_each_cp_leaves_the_splits_and_the_error_of_rpart(
    name: str, variant: str
) -> None:
    golden = golden_of("rpart", name, variant)
    tree = fitted(golden, problem(name)).tree_
    compare(f"rpart/{name}/{variant}/cp", cp_differences, tree, golden)


def cp_differences(tree: Tree, golden: dict[str, Any]) -> list[str]:
    """Lines of rpart's cp table that our tree, cut at that cp, does not give."""
    found = []
    above = np.inf
    for cp, n_splits, relative_error in golden["cptable"]:
        is_repeated = np.isclose(cp, above, rtol=RELATIVE)  # rounding made two lines of one
        above = cp
        if is_repeated:
            continue
        cut = cut_by_cost(tree, cp * (1 + RELATIVE))
        risk = node_risk(cut)[cut.is_leaf].sum()  # rpart counts no row that stops on its way
        ours = int(np.count_nonzero(~cut.is_leaf)), float(risk / node_risk(tree)[0])
        if ours[0] != n_splits or not np.isclose(ours[1], relative_error, rtol=RELATIVE):
            found.append(f"cp {cp}: {ours}, rpart {(n_splits, relative_error)}")
    return found


def tree_differences(tree: Tree, golden: dict[str, Any]) -> list[str]:
    """What differs between our tree and rpart's, but for equally good splits."""
    found = []
    n_ties = 0
    for node, other, path in nodes_side_by_side(tree, golden):
        difference = node_difference(tree, node, other)
        if difference and is_tie(tree, node, other, golden):
            n_ties += 1
        elif difference:
            found.append(f"{path}: {difference}")
        elif "split" in other and missing_policy(golden["options"]) == "surrogate":
            found += [f"{path}: {line}" for line in surrogate_differences(tree, node, other)]
    if n_ties == 0 and tree.n_leaves != golden["n_leaves"]:
        found.append(f"{tree.n_leaves} leaves, rpart {golden['n_leaves']}")
    return found


def nodes_side_by_side(
    tree: Tree, golden: dict[str, Any]
) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Our nodes and rpart's from the root down to where they differ, with the path to each."""
    stack = [(0, golden["tree"], "root")]
    while stack:
        node, other, path = stack.pop()
        yield node, other, path
        if "split" in other and not node_difference(tree, node, other):
            left, right = other["children"]
            near, far = sides(tree, node, other["split"])
            name = other["split"]["attribute"]
            stack += [(near, left, f"{path} > {name} left"), (far, right, f"{path} > {name} right")]


def below_ties(tree: Tree, golden: dict[str, Any]) -> np.ndarray:
    """Which of our nodes split otherwise than rpart, but equally well, or are below such a one."""
    is_below = np.zeros(tree.n_nodes, dtype=bool)
    for node, other, _ in nodes_side_by_side(tree, golden):
        differs = node_difference(tree, node, other) != ""
        is_below[node] = differs and is_tie(tree, node, other, golden)
    for node in range(1, tree.n_nodes):  # parents come before their children
        is_below[node] |= is_below[tree.parent[node]]
    return is_below


def node_difference(tree: Tree, node: int, other: dict[str, Any]) -> str:
    if difference := value_difference(tree, node, other):
        return difference
    is_leaf = tree.kind[node] == LEAF
    if "split" not in other:
        return "" if is_leaf else f"splits on {column_of(tree, node)}, rpart has a leaf"
    split = other["split"]
    if is_leaf:
        return f"leaf, rpart splits on {split}"
    if column_of(tree, node) != split["attribute"]:
        return f"splits on {column_of(tree, node)}, rpart on {split}"
    if not same_test(tree, node, split):
        return f"{split['attribute']}: {question_text(tree, node)}, rpart {split}"
    return ""


def is_tie(tree: Tree, node: int, other: dict[str, Any], golden: dict[str, Any]) -> bool:
    """Whether our split is another one than rpart's, but exactly as good."""
    if tree.kind[node] == LEAF or "split" not in other or value_difference(tree, node, other):
        return False
    theirs = other["split"]["improve"]
    if tree.classes is None:
        return bool(np.isclose(tree.gain[node] / tree.impurity[node], theirs, rtol=TIES))
    ours = tree.gain[node] * split_weight(other["counts"], golden)
    if golden["split"] == 2:
        ours *= np.log(2)
    return bool(np.isclose(ours, theirs, rtol=TIES))


def split_weight(counts: list[float], golden: dict[str, Any]) -> float:
    """The weight of a node under altered priors: what rpart multiplies a gain by."""
    shares = np.array(golden["tree"]["counts"]) / golden["tree"]["n"]
    altered = np.array(golden.get("prior", shares))
    altered = altered * np.sum(golden.get("loss", 1), axis=-1)
    factors = altered / altered.sum() / np.where(shares > 0, shares, 1)
    return float(factors @ counts)


def value_difference(tree: Tree, node: int, other: dict[str, Any]) -> str:
    if tree.n_rows[node] != other["n"]:
        return f"{tree.n_rows[node]} rows, rpart {other['n']}"
    if "prediction" not in other:  # Poisson: rpart draws the rates toward the mean of all rows
        return ""
    if tree.classes is None:
        ours, theirs = tree.value[node, 0], other["prediction"]
        same = np.isclose(ours, theirs, rtol=RELATIVE)
        return "" if same else f"mean {ours}, rpart {theirs}"
    if tree.value[node].tolist() != other["counts"]:
        return f"counts {tree.value[node]}, rpart {other['counts']}"
    prediction = tree.node_class[node]
    return (
        ""
        if prediction == other["prediction"]
        else f"answers {prediction}, rpart {other['prediction']}"
    )


def column_of(tree: Tree, node: int) -> str:
    return tree.schema.columns[tree.feature[node]].name


def question_text(tree: Tree, node: int) -> str:
    if tree.kind[node] == THRESHOLD:
        return f"<= {tree.threshold[node]}"
    return str(level_sides(tree, node))


def level_sides(tree: Tree, node: int) -> dict[str, int]:
    """Level -> child of a split by levels, or of a threshold on ordered levels."""
    levels = tree.schema.columns[tree.feature[node]].levels
    if tree.kind[node] == THRESHOLD:
        return {level: int(code > tree.threshold[node]) for code, level in enumerate(levels)}
    listed = slice(tree.level_start[node], tree.level_start[node + 1])
    codes, children = tree.level_code[listed], tree.level_child[listed]
    return {levels[code]: int(child) for code, child in zip(codes, children, strict=True)}


def same_test(tree: Tree, node: int, split: dict[str, Any]) -> bool:
    if "threshold" in split:
        same_kind = tree.kind[node] == THRESHOLD
        return same_kind and close(tree.threshold[node], split["threshold"])
    ours = level_sides(tree, node)
    return levels_agree(ours, split, ordered=tree.kind[node] != SUBSET)


def levels_agree(ours: dict[str, int], split: dict[str, Any], *, ordered: bool) -> bool:
    """Whether the levels are divided the same way; which side is called left does not matter."""
    left = {ours.get(level) for level in split["left_levels"]}
    right = {ours.get(level) for level in split["right_levels"]}
    n_listed = len(split["left_levels"]) + len(split["right_levels"])
    return len(left) == len(right) == 1 and left != right and (ordered or len(ours) == n_listed)


def close(ours: float, theirs: float) -> bool:
    return bool(np.isclose(ours, theirs, rtol=1e-7, atol=1e-12))


def sides(tree: Tree, node: int, split: dict[str, Any]) -> tuple[int, int]:
    """Our nodes for rpart's left and right."""
    first = int(tree.first_child[node])
    if "threshold" in split:
        flipped = split["left_if"] == ">="
    else:
        flipped = bool(level_sides(tree, node)[split["left_levels"][0]])
    return (first + 1, first) if flipped else (first, first + 1)


def surrogate_differences(tree: Tree, node: int, other: dict[str, Any]) -> list[str]:
    ours = range(tree.surrogate_start[node], tree.surrogate_start[node + 1])
    names = [tree.schema.columns[tree.surrogate_feature[s]].name for s in ours]
    theirs = [surrogate["attribute"] for surrogate in other["surrogates"]]
    if names != theirs:
        agreements = [float(tree.surrogate_agreement[s]) for s in ours]
        return [f"surrogates {names} {agreements}, rpart {other['surrogates']}"]
    left_is = sides(tree, node, other["split"])[0] - int(tree.first_child[node])
    return [
        f"surrogate {names[i]}: {difference}"
        for i, surrogate in enumerate(other["surrogates"])
        if (difference := surrogate_difference(tree, ours[i], surrogate, left_is))
    ]


def surrogate_difference(tree: Tree, s: int, other: dict[str, Any], left_is: int) -> str:
    if not np.isclose(tree.surrogate_agreement[s], other["agree"], rtol=RELATIVE):
        return f"agreement {tree.surrogate_agreement[s]}, rpart {other}"
    if "threshold" in other:
        below_goes_to = int(tree.surrogate_flip[s])
        theirs = left_is if other["left_if"] == "<" else 1 - left_is
        if close(tree.surrogate_threshold[s], other["threshold"]) and below_goes_to == theirs:
            return ""
        return f"<= {tree.surrogate_threshold[s]} to {below_goes_to}, rpart {other}"
    levels = surrogate_levels(tree, s)
    expected = dict.fromkeys(other["left_levels"], left_is)
    expected |= dict.fromkeys(other["right_levels"], 1 - left_is)
    return "" if levels == expected else f"levels {levels}, rpart {expected} {other}"


def surrogate_levels(tree: Tree, s: int) -> dict[str, int]:
    levels = tree.schema.columns[tree.surrogate_feature[s]].levels
    if tree.surrogate_kind[s] == THRESHOLD:
        flip = int(tree.surrogate_flip[s])
        cut = tree.surrogate_threshold[s]
        return {level: int(code > cut) ^ flip for code, level in enumerate(levels)}
    listed = slice(tree.surrogate_level_start[s], tree.surrogate_level_start[s + 1])
    codes, children = tree.surrogate_level_code[listed], tree.surrogate_level_child[listed]
    return {levels[code]: int(child) for code, child in zip(codes, children, strict=True)}


def answer_differences(model: Any, table: Any, golden: dict[str, Any], part: str) -> list[str]:
    """Rows that get other answers than rpart's, though these do not hang on a tie."""
    predictions = model.predict(table)
    theirs = np.array(golden[part])
    differs = ~np.isclose(predictions, theirs, rtol=RELATIVE)
    if model.tree_.classes is not None:
        shares = unpacked(golden["masked_probabilities" if part == "masked" else "probabilities"])
        same = np.isclose(model.predict_proba(table), shares, rtol=0, atol=RELATIVE)
        differs |= ~same.all(axis=1)
    differs &= ~below_ties(model.tree_, golden)[model.apply(table)]
    differs[unstable_rows(golden, part)] = False
    return [
        f"row {row}: {predictions[row]}, rpart {theirs[row]}" for row in np.flatnonzero(differs)
    ]


def unstable_rows(golden: dict[str, Any], part: str) -> list[int]:
    """Rows whose answer by rpart changes when the columns come in another order."""
    return golden.get("unstable", {}).get(part, [])


def cv_differences(name: str, golden: dict[str, Any]) -> list[str]:
    data = problem(name)
    found = []
    for fold in np.unique(data.folds):
        held_out = np.flatnonzero(data.folds == fold)
        model = fitted(golden, data.rows(np.flatnonzero(data.folds != fold)))
        for row, prediction in zip(held_out, model.predict(data.table[held_out]), strict=True):
            differs = not np.isclose(prediction, golden["cv"][row], rtol=RELATIVE)
            if differs and row not in unstable_rows(golden, "cv"):
                found.append(f"fold {fold}, row {row}: {prediction}, rpart {golden['cv'][row]}")
    return found
