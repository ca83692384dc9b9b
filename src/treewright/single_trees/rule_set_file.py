"""A rule set as the JSON values of a model file, and back."""

from typing import Any

from numpy.typing import NDArray

from treewright.data.schema import Schema, with_keys
from treewright.errors import ModelFileError, TreewrightError
from treewright.estimators.params import CATEGORICAL_FEATURES
from treewright.persistence.params import value_from_json, value_to_json
from treewright.persistence.values import class_type, classes_of
from treewright.rulesets.ordered_rules import OrderedRules
from treewright.rulesets.rule_file import (
    ordered_from_json,
    ordered_to_json,
    tree_rules_from_json,
    tree_rules_to_json,
)
from treewright.rulesets.tree_rules import TreeRules
from treewright.tree.as_json import classes_from, tree_from_json, tree_to_json

NAME = "RuleSet"  # what stands under `estimator`
KEYS = {"estimator", "class_type", "categorical_features", "rules"}
ORDERED_KEYS = {"schema", "classes", "unseen"}  # in the place of a tree


Parts = tuple[TreeRules | OrderedRules, NDArray[Any] | None, Any]  # of a `RuleSet`


def rule_set_to_json(parts: Parts) -> dict[str, Any]:
    """The rules, and the tree they are read from or the columns that they know."""
    inner, classes, categorical_features = parts
    entry = {
        "estimator": NAME,
        "class_type": None if classes is None else class_type(classes),
        "categorical_features": value_to_json(categorical_features),
    }
    if isinstance(inner, TreeRules):
        return {**entry, "tree": tree_to_json(inner.tree), "rules": tree_rules_to_json(inner)}
    return {
        **entry,
        "schema": inner.schema.to_json(),
        "classes": list(inner.classes),
        "unseen": inner.unseen,
        "rules": ordered_to_json(inner),
    }


def rule_set_from_json(data: dict[str, Any]) -> Parts:
    """The parts that `rule_set_to_json` wrote."""
    if "tree" in data:
        entry = with_keys(data, KEYS | {"tree"}, "model")
        tree = tree_from_json(entry["tree"])
        classes = classes_of(tree.classes, entry["class_type"])
        of_tree = tree_rules_from_json(entry["rules"], tree)
        return of_tree, classes, chosen_columns(entry["categorical_features"])
    entry = with_keys(data, KEYS | ORDERED_KEYS, "model")
    labels, unseen = classes_from(entry["classes"]), entry["unseen"]
    if labels is None or len(set(labels)) != len(labels):
        raise ModelFileError("model: ordered rules need classes, each once")
    if unseen not in ("missing", "error"):
        raise ModelFileError(f"model: `unseen` is {unseen!r}")
    schema = Schema.from_json(entry["schema"])
    ordered = ordered_from_json(entry["rules"], schema, labels, unseen)
    classes = classes_of(labels, entry["class_type"])
    return ordered, classes, chosen_columns(entry["categorical_features"])


def chosen_columns(data: object) -> Any:
    """The columns that are nominal by the user's word."""
    chosen = value_from_json(data, "model: `categorical_features`")
    try:
        CATEGORICAL_FEATURES.but(name="categorical_features").check(chosen)
    except TreewrightError as error:
        raise ModelFileError(f"model: {error.args[0]}") from None
    return chosen
