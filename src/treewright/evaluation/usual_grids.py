"""What `tw.tune` and `treewright tune` try without a grid: the settings that matter most."""

from typing import Any

from treewright.errors import ParameterError, kind_of
from treewright.registry import ESTIMATORS, is_listed

# By the name of the model on the command line.
USUAL: dict[str, dict[str, list[Any]]] = {
    "id3": {"max_depth": [1, 2, 3, 4, 6, 8, None], "min_samples_leaf": [1, 5, 20]},
    "c45": {"confidence": [0.01, 0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [2, 5, 10, 25]},
    "c45rules": {"confidence": [0.05, 0.1, 0.25, 0.5]},
    "cart": {"max_depth": [2, 3, 4, 6, 8, 12, None], "min_samples_leaf": [1, 5, 20, 50]},
    "tree": {"max_depth": [2, 3, 4, 6, 8, 12, None], "min_samples_leaf": [1, 5, 20, 50]},
    "forest": {"max_features": ["sqrt", 0.33, 0.66], "min_samples_leaf": [1, 3, 10]},
    "extra_trees": {"max_features": ["sqrt", 0.33, 0.66], "min_samples_leaf": [1, 3, 10]},
    "oblique": {"max_depth": [2, 3, 4, 6], "min_samples_leaf": [1, 5, 20]},
    "optimal": {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5, 20]},
    "readable": {"max_leaf_nodes": [4, 8, 12, 20]},
    "knn": {"n_neighbors": [1, 3, 5, 10, 20], "weights": ["uniform", "distance"]},
    "linear": {"l1": [0.0, 0.001, 0.01], "l2": [0.0, 0.001, 0.01, 0.1]},
    "m5": {"min_samples_leaf": [2, 4, 8, 16], "smoothing": [True, False]},
    "candidate_elimination": {"discretize": ["mdl", "equal_width", "equal_frequency"]},
    "find_s": {"discretize": ["mdl", "equal_width", "equal_frequency"]},
    "boosted": {"learning_rate": [0.03, 0.1], "max_leaf_nodes": [4, 8, 16, 31]},
}


def usual_grid(model: Any) -> dict[str, list[Any]]:
    """The grid of an estimator of treewright, without settings that differ from their default.

    >>> import treewright as tw
    >>> usual_grid(tw.C45Rules())
    {'confidence': [0.05, 0.1, 0.25, 0.5]}
    """
    name = ESTIMATORS[type(model).__name__].model if is_listed(type(model)) else ""
    if name not in USUAL:
        raise ParameterError(
            f"there is no default grid for {kind_of(model)}",
            hint='give one: grid={"max_depth": [2, 4, 8]}',
        )
    defaults = {param.name: param.default for param in model.params}
    tried = {
        setting: list(values)
        for setting, values in USUAL[name].items()
        if getattr(model, setting) == defaults[setting]
    }
    if not tried:
        raise ParameterError(
            f"no settings are left to try, because you have set {', '.join(USUAL[name])}",
            hint='leave one at its default, or give values: grid={"max_depth": [2, 4, 8]}',
        )
    return tried
