"""Rules as the JSON values of a model file, and back.

Reading is strict: only known keys are allowed, every type is checked, and only values that could
have been written are read.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import distinct
from treewright.data.schema import Schema, with_keys
from treewright.errors import ModelFileError
from treewright.rulesets.condition import EVERY_LEVEL, Condition, LevelSet, Question
from treewright.rulesets.counts import RuleCounts
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.tree_rules import TreeRules, stopping_nodes
from treewright.tree.as_json import numbers_from, rows_from, shown
from treewright.tree.tree import Tree

COUNT_KEYS = ("weight", "n_rows", "right", "base")
ORDERED_KEYS = {"conditions", "answers", "shares", "numbers", "default", *COUNT_KEYS}
COSTS = "costs"  # a key only of rules that predict by costs
TREE_KEYS = {"nodes", "numbers", "fallbacks", *COUNT_KEYS}
BOUNDS = ("above", "at_most")
ROUNDING = 1e-9  # allowed difference of sums of shares from 1


# ---------------------------------------------------------------------------- ordered rules


def ordered_to_json(rules: OrderedRules) -> dict[str, Any]:
    """A list of rules; columns and levels by their position in the schema."""
    costs = {} if rules.costs is None else {COSTS: rules.costs.tolist()}
    return {
        **costs,
        "conditions": [[condition_to_json(one) for one in line] for line in rules.conditions],
        "answers": rules.predictions.tolist(),
        "shares": rules.shares.tolist(),
        "numbers": rules.numbers.tolist(),
        "default": rules.default_class,
        **counts_to_json(rules.counts),
    }


def condition_to_json(condition: Condition) -> dict[str, Any]:
    (feature,), merged = condition.features, condition.merged
    bounds = dict(zip(BOUNDS, (merged.low, merged.high), strict=True))
    entry: dict[str, Any] = {"column": feature}
    entry |= {name: bound for name, bound in bounds.items() if bound is not None}
    if not merged.levels.is_everything:
        entry["not_levels" if merged.levels.excluded else "levels"] = sorted(merged.levels.codes)
    return entry


def ordered_from_json(
    data: object, schema: Schema, classes: tuple[Any, ...], unseen: str
) -> OrderedRules:
    """The rules that `ordered_to_json` wrote, over these columns and classes."""
    has_costs = type(data) is dict and COSTS in data
    entry = with_keys(data, ORDERED_KEYS | {COSTS} if has_costs else ORDERED_KEYS, "rules")
    lines = entry["conditions"]
    if type(lines) is not list or not all(type(line) is list for line in lines):
        raise ModelFileError("rules: `conditions` is not a list of lists")
    conditions = tuple(
        tuple(condition_from_json(one, schema, f"rule {at}") for one in line)
        for at, line in enumerate(lines)
    )
    n_rules, n_classes = len(lines), len(classes)
    predictions = indices(entry["answers"], "answers", n_rules, n_classes)
    (default,) = indices([entry["default"]], "default", 1, n_classes)
    shares = rows_from(entry["shares"], n_classes, "rules: `shares`", "rule")
    if len(shares) != n_rules + 1 or (shares < 0).any() or (shares > 1).any():
        raise ModelFileError("rules: `shares` are not the probabilities of each rule and one more")
    check_sums(shares)
    costs = rows_from(entry[COSTS], n_classes, "rules: `costs`", "class") if has_costs else None
    if costs is not None and (len(costs) != n_classes or not (costs >= 0).all()):
        raise ModelFileError("rules: `costs` are not costs by class")
    return OrderedRules(
        schema=schema,
        classes=classes,
        conditions=conditions,
        predictions=predictions,
        shares=shares,
        numbers=numbers_of_rules(entry["numbers"], n_rules),
        counts=counts_from_json(entry, n_rules, has_classes=True),
        default_class=int(default),
        unseen=unseen,
        costs=costs,
    )


def check_sums(shares: NDArray[np.float64]) -> None:
    """Raise unless the shares of every rule and of the default sum to 1, up to rounding."""
    sums = shares.sum(axis=1)
    wrong = np.abs(sums - 1) > ROUNDING
    if wrong.any():
        at = int(wrong.argmax())
        which = f"rule {at}" if at + 1 < len(shares) else "rows that no rule covers"
        raise ModelFileError(f"rules: `shares` of {which} sum to {sums[at]:g}, not to 1")


def condition_from_json(data: object, schema: Schema, where: str) -> Condition:
    if type(data) is not dict or not {"column"} < set(data):
        raise ModelFileError(f"{where}: a condition without a column or without a test")
    rest = set(data) - {"column"}
    (feature,) = indices([data["column"]], f"{where}: `column`", 1, schema.n_columns)
    spec = schema.columns[feature]
    level_keys = rest & {"levels", "not_levels"}
    allowed = {"levels", "not_levels"} if spec.kind == "nominal" else {*BOUNDS}
    allowed = allowed | level_keys if spec.kind == "ordered" else allowed
    if not rest <= allowed or len(level_keys) > 1:
        raise ModelFileError(f"{where}: column `{spec.name}` cannot have such a condition")
    bounds = [
        None if name not in data else float(numbers_from([data[name]], where, np.float64)[0])
        for name in BOUNDS
    ]
    levels = EVERY_LEVEL
    for key in level_keys:
        if type(data[key]) is not list:
            raise ModelFileError(f"{where}: `{key}` is not a list")
        codes = indices(data[key], f"{where}: `{key}`", len(data[key]), len(spec.levels))
        levels = LevelSet(frozenset(codes.tolist()), excluded=key == "not_levels")
    question = Question(bounds[0], bounds[1], levels)
    return Condition((int(feature),), (spec,), (), (question,))


# ---------------------------------------------------------------------------- rules of a tree


def tree_rules_to_json(rules: TreeRules) -> dict[str, Any]:
    """The nodes of the tree that are rules, in order, with counts of training rows."""
    return {
        "nodes": rules.nodes.tolist(),
        "numbers": rules.numbers.tolist(),
        "fallbacks": rules.fallbacks.tolist(),
        **counts_to_json(rules.counts),
    }


def tree_rules_from_json(data: object, tree: Tree) -> TreeRules:
    """The rules that `tree_rules_to_json` wrote."""
    entry = with_keys(data, TREE_KEYS, "rules")
    n_rules = len(entry["nodes"]) if type(entry["nodes"]) is list else 0
    n_fallbacks = len(entry["fallbacks"]) if type(entry["fallbacks"]) is list else 0
    nodes = indices(entry["nodes"], "nodes", n_rules, tree.n_nodes)
    fallbacks = indices(entry["fallbacks"], "fallbacks", n_fallbacks, tree.n_nodes)
    stopping = stopping_nodes(tree)
    named = np.concatenate([nodes, fallbacks])
    if len(distinct(named)) != len(named):
        raise ModelFileError("rules: a node occurs twice")
    if not (tree.is_leaf | stopping)[nodes].all() or not stopping[fallbacks].all():
        raise ModelFileError("rules: a node that predicts no row")
    n_predicting = int(np.count_nonzero(tree.is_leaf | stopping))
    return TreeRules(
        tree=tree,
        nodes=nodes,
        numbers=numbers_of_rules(entry["numbers"], n_rules),
        fallbacks=fallbacks,
        counts=counts_from_json(entry, n_rules, has_classes=tree.is_classifier),
        is_complete=len(named) == n_predicting,
    )


# ---------------------------------------------------------------------------- shared


def counts_to_json(counts: RuleCounts) -> dict[str, Any]:
    entry: dict[str, Any] = {name: getattr(counts, name).tolist() for name in COUNT_KEYS}
    if np.isnan(counts.right).any() or np.isnan(counts.base).any():  # rules of numbers
        entry |= {"right": None, "base": None}
    return entry


def counts_from_json(entry: dict[str, Any], n_rules: int, *, has_classes: bool) -> RuleCounts:
    weight = counted(entry["weight"], "weight", n_rules)
    n_rows = indices(entry["n_rows"], "n_rows", n_rules, np.iinfo(np.int64).max).astype(np.int64)
    if not has_classes:
        if entry["right"] is not None or entry["base"] is not None:
            raise ModelFileError("rules: numbers are neither right nor wrong")
        nothing = np.full(n_rules, np.nan)
        return RuleCounts(weight, n_rows, nothing, nothing)
    right, base = (counted(entry[name], name, n_rules) for name in ("right", "base"))
    if (right > weight * (1 + 1e-9)).any() or (base > 1).any():
        raise ModelFileError("rules: more rows are right than there are")
    return RuleCounts(weight, n_rows, right, base)


def counted(data: object, name: str, n_rules: int) -> NDArray[np.float64]:
    """One number for each rule, not negative."""
    numbers = numbers_from(data, f"rules: `{name}`", np.float64, "rule")
    if len(numbers) != n_rules or (numbers < 0).any():
        raise ModelFileError(f"rules: `{name}` is not one number for each rule")
    return numbers


def indices(data: object, name: str, length: int, end: int) -> NDArray[np.intp]:
    """`length` whole numbers from 0 to below `end`."""
    numbers = numbers_from(data, f"rules: `{name}`", np.int64, "rule")
    if len(numbers) != length:
        raise ModelFileError(f"rules: `{name}` has {len(numbers)} entries, not {length}")
    wrong = (numbers < 0) | (numbers >= end)
    if wrong.any():
        raise ModelFileError(f"rules: `{name}` holds {shown(int(numbers[wrong][0]))}")
    return numbers.astype(np.intp)


def numbers_of_rules(data: object, n_rules: int) -> NDArray[np.intp]:
    """The original positions of rules, all different."""
    numbers = indices(data, "numbers", n_rules, np.iinfo(np.int32).max)
    if len(distinct(numbers)) != n_rules:
        raise ModelFileError("rules: a number occurs twice")
    return numbers
