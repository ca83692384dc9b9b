"""A fitted tree on the terminal."""

from typing import Any

from treewright.cli.output import Output

MAX_LEAVES = 200  # a tree with more is cut off on the terminal unless all of it is asked for


def print_tree(model: Any, output: Output, *, max_depth: int | None = None) -> None:
    output.data(model.export_text(max_depth=max_depth).rstrip("\n"))


def summary_of(model: Any) -> dict[str, object]:
    """The facts about a fitted tree, for programs."""
    tree = model.tree_
    return {
        "model": type(model).__name__,
        "classes": None if tree.classes is None else [plain(label) for label in tree.classes],
        "columns": list(tree.schema.names),
        "n_rows": int(tree.n_rows[0]),
        "n_leaves": tree.n_leaves,
        "n_nodes": tree.n_nodes,
        "depth": tree.depth,
    }


def plain(label: Any) -> Any:
    """A class as JSON can hold it."""
    return label.item() if hasattr(label, "item") else label
