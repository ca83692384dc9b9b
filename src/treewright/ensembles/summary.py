"""A short summary of an ensemble: its size, its scores and the column importances."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.ensembles.packed import PackedTreeSequence
from treewright.plain_text import plain
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.ensembles.reading import EnsembleReading


def n_nodes_of(trees: Sequence[Tree]) -> int:
    """Nodes of all trees."""
    if isinstance(trees, PackedTreeSequence):
        return trees.n_nodes
    return sum(tree.n_nodes for tree in trees)


def n_leaves_of(trees: Sequence[Tree]) -> int:
    """Leaves of all trees."""
    if isinstance(trees, PackedTreeSequence):  # these have two children at every split
        return (trees.n_nodes + len(trees)) // 2
    return sum(tree.n_leaves for tree in trees)


def n_bytes_of(trees: Sequence[Tree]) -> int:
    """Memory of all trees, without what they cache."""
    if isinstance(trees, PackedTreeSequence):
        return trees.nbytes
    names = [one.name for one in fields(Tree)]
    arrays = (getattr(tree, name) for tree in trees for name in names)
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def unseen_by(trees: Sequence[Tree]) -> str | None:
    """What the trees do with a level that training never met; None where there is no tree."""
    if isinstance(trees, PackedTreeSequence):
        return trees.unseen
    return trees[-1].unseen if len(trees) else None


MOST_COLUMNS = 20  # whose importance is shown
LONGEST_BAR = 40


def summary_text(model: "EnsembleReading[Any]") -> str:
    """The lines that people read.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> print(summary_text(tw.RandomForestClassifier(n_estimators=10).fit(X, y)).partition(",")[0])
    RandomForestClassifier: 10 trees
    """
    return "\n".join(summary_lines(model))


def summary_lines(model: "EnsembleReading[Any]") -> Iterator[str]:
    """Size, scores that the fit found, and a bar for each column."""
    size = size_text(n_bytes_of(model.trees_))
    yield f"{type(model).__name__}: {trees_text(model)}, {size} in memory"
    score = getattr(model, "oob_score_", None)
    if score is not None:
        yield f"out-of-bag score: {score:.4f}"
    ranked = importances(model)
    if not any(ranked.values()):  # no splits, or an imported file does not say what they gained
        return
    yield ""
    yield "column importances: share of the total gain of all splits"
    width = max(len(plain(name)) for name in ranked)
    largest = max(*ranked.values(), 1e-300)
    for name, share in list(ranked.items())[:MOST_COLUMNS]:
        bar = "#" * round(LONGEST_BAR * share / largest)
        yield f"  {plain(name):<{width}}  {share:6.1%}  {bar}".rstrip()
    if len(ranked) > MOST_COLUMNS:
        yield f"  and {len(ranked) - MOST_COLUMNS:,} others"


def trees_text(model: "EnsembleReading[Any]") -> str:
    """How many trees and leaves: `100 trees, 4,321 leaves`."""
    n_trees, n_leaves = len(model.trees_), model.get_n_leaves()
    trees = "1 tree" if n_trees == 1 else f"{n_trees:,} trees"
    return f"{trees}, {n_leaves:,} leaves"


def size_text(n_bytes: int) -> str:
    """A number of bytes in the unit that people expect.

    >>> size_text(900), size_text(123_456), size_text(98_765_432), size_text(2_500_000_000)
    ('900 bytes', '123 kB', '98.8 MB', '2.5 GB')
    """
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes} bytes"


def importances(model: "EnsembleReading[Any]") -> dict[str, float]:
    """The share of each column, the largest first; nothing where columns are drawn by chance."""
    shares_of_columns = getattr(model, "feature_importances_", None)
    if shares_of_columns is None:
        return {}
    shares = dict(zip(model.schema_.names, shares_of_columns.tolist(), strict=True))
    return dict(sorted(shares.items(), key=lambda one: -one[1]))
