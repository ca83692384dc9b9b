"""tw.stability: how much the splits of a fitted tree depend on its training rows."""

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from treewright.errors import ParameterError, kind_of
from treewright.estimators.threads import generator_from, n_threads
from treewright.single_trees.base import TreeEstimator
from treewright.single_trees.growing import CELLS_WORTH_THREADS
from treewright.tree.layout import LEAF, OBLIQUE
from treewright.tree.tree import Tree
from treewright.verbs.fitted_rows import training_of
from treewright.worksheets.bootstrap import Bootstrap
from treewright.worksheets.node_rows import NodeRows
from treewright.worksheets.stability import Stability
from treewright.worksheets.training import Training

MOST_NODES = 30  # examined by default
LARGEST_SEED = 2**63 - 1


def stability(
    model: TreeEstimator,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    n: int = 200,
    fraction: float | None = None,
    random_state: Any = 0,
    nodes: Sequence[int] | None = None,
) -> Stability:
    """Measure how often each split of a tree is chosen again on resampled rows.

    At each node, its rows are resampled with replacement `n` times, and a split is chosen with the
    model's own settings. docs/stability.md has the rules.

    Parameters
    ----------
    model
        A fitted tree estimator.
    X, y, sample_weight
        The rows that it was fitted to.
    n
        Resamples of each node. A node of 5,000 rows or more gets fewer if its shares are certain
        earlier. Each cell drawn takes about 60 ns: 30 nodes of a table of 20,000 rows and 10
        columns take about 10 seconds.
    fraction
        Share of the rows to draw without replacement; 0.5 is common. None draws as many rows as
        there are, with replacement.
    random_state
        Seed of the draws: the same seed gives the same results for any choice of nodes and number
        of threads.
    nodes
        Numbers of the nodes to examine; None for the 30 inner nodes with the most training weight.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("tennis")
    >>> found = tw.stability(tw.ID3Classifier().fit(X, y), X, y)
    >>> print(found[0].in_words())
    Of 200 resamples of these rows: outlook is chosen in 48 %, humidity in 30 %, wind in 12 %,
    temperature in 11 %.
    """
    if not isinstance(model, TreeEstimator):
        raise ParameterError(
            f"{kind_of(model)} has no splits to examine",
            hint="give a fitted tree estimator",
        )
    tree = model.state_.tree
    chosen = inner_nodes(tree, nodes)
    training = training_of(model, X, y, sample_weight)
    bootstrap = bootstrap_of(model, training, NodeRows(tree, training), n, random_state)
    bootstrap = replace(bootstrap, fraction=checked_fraction(fraction))
    splits = [split for node in chosen if (split := bootstrap.node(node)) is not None]
    return Stability(splits, type(model).__name__)


def bootstrap_of(
    model: TreeEstimator, training: Training, rows: NodeRows, n: Any, random_state: Any
) -> Bootstrap:
    """The resampling of a model's splits."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise ParameterError(f"{n!r} resamples are not possible", hint="use 200, say")
    n_cells = training.table.n_rows * training.table.n_columns
    threads = n_threads(model.n_jobs, worth_it=n_cells >= CELLS_WORTH_THREADS)
    seed = int(generator_from(random_state).integers(LARGEST_SEED))
    cuts = () if model.pruning_ is None else model.pruning_.cuts
    raised = frozenset(cut.node for cut in cuts if cut.became == "branch")
    return Bootstrap(model.tree_, training, rows, int(n), seed, threads, raised=raised)


def checked_fraction(fraction: Any) -> float | None:
    """The share of the rows to draw, if it is one."""
    if fraction is None:
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, int | float) or not 0 < fraction < 1:
        raise ParameterError(
            f"fraction is {fraction!r}", hint="use a number between 0 and 1, such as 0.5"
        )
    return float(fraction)


def inner_nodes(tree: Tree, asked: Sequence[int] | None) -> list[int]:
    """The nodes to look at: those asked for, or the heaviest that split by one column."""
    splits = np.flatnonzero(~np.isin(tree.kind, (LEAF, OBLIQUE)))
    if asked is None:
        heaviest = splits[np.argsort(-tree.weight[splits], kind="stable")[:MOST_NODES]]
        return sorted(heaviest.tolist())
    for node in asked:
        if node not in splits:
            known = ", ".join(map(str, splits[:MOST_NODES].tolist())) or "none"
            raise ParameterError(
                f"nodes names {node!r}, which is not a node that splits",
                hint=f"these split by one column: {known}{', ...' * (len(splits) > MOST_NODES)}",
            )
    return [int(node) for node in asked]
