"""A fitted ensemble on the terminal."""

from typing import Any


def is_ensemble(model: Any) -> bool:
    """Whether a model has many trees."""
    return hasattr(model, "trees_")


def ensemble_text(model: Any) -> str:
    """How large an ensemble is, in words: `100 trees, 4,321 leaves`."""
    from treewright.ensembles.summary import trees_text

    return trees_text(model)


def ensemble_summary(model: Any) -> dict[str, object]:
    """The facts about an ensemble, for programs."""
    from treewright.ensembles.sizes import n_bytes_of, n_nodes_of
    from treewright.ensembles.summary import importances

    classes = getattr(model, "classes_", None)
    return {
        "model": type(model).__name__,
        "classes": None if classes is None else classes.tolist(),
        "columns": list(model.schema_.names),
        "n_trees": len(model.trees_),
        "n_leaves": model.get_n_leaves(),
        "n_nodes": n_nodes_of(model.trees_),
        "n_bytes": n_bytes_of(model.trees_),
        "importances": importances(model),
    }
