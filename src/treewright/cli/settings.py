"""The settings of the estimators that can be given as flags."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treewright.cli.algorithms import words_of
from treewright.clustering.params import KMEANS_PARAMS, KPROTOTYPES_PARAMS
from treewright.concepts.params import CANDIDATE_ELIMINATION_PARAMS, FIND_S_PARAMS
from treewright.ensembles.boosting.params import (
    BOOSTED_CLASSIFIER_PARAMS,
    BOOSTED_REGRESSOR_PARAMS,
)
from treewright.ensembles.forests.params import (
    EXTRA_TREES_CLASSIFIER_PARAMS,
    EXTRA_TREES_REGRESSOR_PARAMS,
    ISOLATION_FOREST_PARAMS,
    RANDOM_FOREST_CLASSIFIER_PARAMS,
    RANDOM_FOREST_REGRESSOR_PARAMS,
)
from treewright.linear.params import DESCENT_CLASSIFIER_PARAMS, DESCENT_REGRESSOR_PARAMS
from treewright.model_trees.params import M5_PARAMS
from treewright.models.param_tables import (
    C45_PARAMS,
    C45_RULES_PARAMS,
    CART_CLASSIFIER_PARAMS,
    CART_REGRESSOR_PARAMS,
    ID3_PARAMS,
    OBLIQUE_PARAMS,
    OPTIMAL_PARAMS,
    TREE_CLASSIFIER_PARAMS,
    TREE_REGRESSOR_PARAMS,
)
from treewright.neighbors.params import (
    K_NEIGHBORS_CLASSIFIER_PARAMS,
    K_NEIGHBORS_REGRESSOR_PARAMS,
)
from treewright.param import Param
from treewright.registry import NO_TARGET

# (model, task): the declarations of what its estimator can be told.
SETTINGS_OF: dict[tuple[str, str], tuple[Param, ...]] = {
    ("id3", "classification"): ID3_PARAMS,
    ("c45", "classification"): C45_PARAMS,
    ("c45rules", "classification"): C45_RULES_PARAMS,
    ("cart", "classification"): CART_CLASSIFIER_PARAMS,
    ("cart", "regression"): CART_REGRESSOR_PARAMS,
    ("tree", "classification"): TREE_CLASSIFIER_PARAMS,
    ("tree", "regression"): TREE_REGRESSOR_PARAMS,
    ("forest", "classification"): RANDOM_FOREST_CLASSIFIER_PARAMS,
    ("forest", "regression"): RANDOM_FOREST_REGRESSOR_PARAMS,
    ("extra_trees", "classification"): EXTRA_TREES_CLASSIFIER_PARAMS,
    ("extra_trees", "regression"): EXTRA_TREES_REGRESSOR_PARAMS,
    ("boosted", "classification"): BOOSTED_CLASSIFIER_PARAMS,
    ("boosted", "regression"): BOOSTED_REGRESSOR_PARAMS,
    ("oblique", "classification"): OBLIQUE_PARAMS,
    ("optimal", "classification"): OPTIMAL_PARAMS,
    ("knn", "classification"): K_NEIGHBORS_CLASSIFIER_PARAMS,
    ("knn", "regression"): K_NEIGHBORS_REGRESSOR_PARAMS,
    ("linear", "classification"): DESCENT_CLASSIFIER_PARAMS,
    ("linear", "regression"): DESCENT_REGRESSOR_PARAMS,
    ("m5", "regression"): M5_PARAMS,
    ("candidate_elimination", "classification"): CANDIDATE_ELIMINATION_PARAMS,
    ("find_s", "classification"): FIND_S_PARAMS,
    ("kmeans", NO_TARGET): KMEANS_PARAMS,
    ("kprototypes", NO_TARGET): KPROTOTYPES_PARAMS,
    ("isolation", NO_TARGET): ISOLATION_FOREST_PARAMS,
}
FAMILIES = {
    "forest": "forests",
    "extra_trees": "forests",
    "boosted": "boosted trees",
    "oblique": "oblique trees",
    "optimal": "optimal trees",
    "knn": "neighbours",
    "linear": "linear",
    "m5": "model trees",
    "candidate_elimination": "concepts",
    "find_s": "concepts",
    "kmeans": "clusters",
    "kprototypes": "clusters",
    "isolation": "isolation",
}
SINGLE_TREES = "trees"  # the family of the other models
# --categorical says the first, and the others are for those who call `fit` again, or watch it.
NOT_FLAGS = {"categorical_features", "warm_start", "callbacks", "verbose"}
# --numeric names columns, and --method is how settings are searched.
RENAMED = {"numeric": "numeric_split", "method": "descent"}


def every_setting() -> list[Param]:
    """All declarations, for commands that learn."""
    return [param for settings in SETTINGS_OF for param in settings_of(*settings).values()]


def families_of_settings() -> dict[str, dict[str, str]]:
    """By the name of a flag: what it does in each family of models that has it."""
    found: dict[str, dict[str, str]] = {}
    for model, task in SETTINGS_OF:
        family = FAMILIES.get(model, SINGLE_TREES)
        for name, param in settings_of(model, task).items():
            found.setdefault(name, {}).setdefault(family, param.summary)
    return found


def settings_of(model: str, task: str) -> dict[str, Param]:
    """The declarations of an estimator, by the name of the flag."""
    declared = [param for param in SETTINGS_OF[model, task] if param.name not in NOT_FLAGS]
    return {
        RENAMED.get(param.name, param.name): replace(
            param, name=RENAMED.get(param.name, param.name)
        )
        for param in declared
    }


def parameter_of(flag: str) -> str:
    """The parameter that a flag sets."""
    return {renamed: name for name, renamed in RENAMED.items()}.get(flag, flag)


def flags_of(settings: Mapping[str, Any]) -> str:
    """Settings as a user types them: `--max-depth 3 --min-samples-leaf 20`."""
    words: list[str] = []
    for name, value in settings.items():
        flag = RENAMED.get(name, name).replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", "none" if value is None else shlex.quote(typed(value))]
    return " ".join(words)


def typed(value: Any) -> str:
    """A value as it stands on a command line: structures as JSON."""
    return json.dumps(value) if isinstance(value, list | tuple | dict) else str(value)


def flags_that_make(model: Any) -> str:
    """The flags that train a model with the settings of this one; "" if no flags do."""
    words = words_of(type(model).__name__)
    if words is None:
        return ""
    changed = {
        name: value
        for name, param in settings_of(*words).items()
        if name != "n_jobs"
        and repr(value := getattr(model, parameter_of(name))) != repr(param.default)
    }
    return flags_of({"model": words[0], **changed})
