"""A fitted ensemble on the terminal."""

from typing import Any

from treewright.cli.output import Output

MOST_COLUMNS = 20  # whose importance is shown


def is_ensemble(model: Any) -> bool:
    """Whether a model has many trees."""
    return hasattr(model, "trees_")


def ensemble_text(model: Any) -> str:
    """How large an ensemble is, in words: `100 trees, 4,321 leaves`."""
    n_trees, n_leaves = len(model.trees_), model.get_n_leaves()
    trees = "1 tree" if n_trees == 1 else f"{n_trees:,} trees"
    return f"{trees}, {n_leaves:,} leaves"


def size_text(n_bytes: int) -> str:
    """A number of bytes in the unit that people expect.

    >>> size_text(900), size_text(123_456), size_text(98_765_432)
    ('900 bytes', '123 kB', '98.8 MB')
    """
    if n_bytes < 1000:
        return f"{n_bytes} bytes"
    for unit, size in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if n_bytes < 1000 * size or unit == "GB":
            return f"{n_bytes / size:.3g} {unit}"
    raise AssertionError


def print_ensemble(model: Any, output: Output) -> None:
    """What an ensemble is, and which columns matter to it."""
    from treewright.ensembles.sizes import n_bytes_of

    size = size_text(n_bytes_of(model.trees_))
    output.data(f"{type(model).__name__}: {ensemble_text(model)}, {size} in memory")
    for name, value in scores_of(model).items():
        output.data(f"{name.replace('_', ' ')}: {value:.4f}")
    ranked = importances(model)
    output.data("\nimportance of the columns: share of what all splits gain")
    width = max(len(name) for name in ranked)
    for name, share in list(ranked.items())[:MOST_COLUMNS]:
        bar = "#" * round(40 * share / max(*ranked.values(), 1e-300))
        output.data(f"  {name:<{width}}  {share:6.1%}  {bar}".rstrip())
    if len(ranked) > MOST_COLUMNS:
        output.data(f"  and {len(ranked) - MOST_COLUMNS:,} others")


def scores_of(model: Any) -> dict[str, float]:
    """Scores that the fit itself found out."""
    found = getattr(model, "oob_score_", None)
    return {} if found is None else {"out-of-bag_score": float(found)}


def importances(model: Any) -> dict[str, float]:
    """The share of each column, the largest first."""
    shares = dict(zip(model.schema_.names, model.feature_importances_.tolist(), strict=True))
    return dict(sorted(shares.items(), key=lambda one: -one[1]))


def ensemble_summary(model: Any) -> dict[str, object]:
    """The facts about an ensemble, for programs."""
    from treewright.ensembles.sizes import n_bytes_of, n_nodes_of

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
