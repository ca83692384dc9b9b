"""Error-based pruning (Quinlan, 1993), as in C4.5.

The errors that a leaf made in training are taken for a sample: what it will make is put at the
upper limit of a confidence interval. From the leaves up, a subtree becomes a leaf where that is
expected to make no more errors, up to a tenth of an error. With subtree raising it may also give
its place to its largest branch, which then takes in all the rows.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.pruning import BECAME_BRANCH, SAME, pessimistic_errors, prune_by_errors
from treewright.arrays import Floats
from treewright.data.stored_table import folder_of, room_in_folder
from treewright.intervals import upper_quantile
from treewright.pruning.bottom_up import Judgment, judge_bottom_up
from treewright.pruning.report import Pruned, PruningReport, cut_as_judged, leaves_below
from treewright.pruning.risk import error_counts, node_risk, risk_of_stopped_rows, sums_over_leaves
from treewright.pruning.row_loss import PruningRows
from treewright.tree.predict import column_levels, kernel_rows
from treewright.tree.rebuild import make_leaves
from treewright.tree.regraft import regraft
from treewright.tree.tree import Tree

MEASURE = "estimated errors"
ALLOWANCE = 0.1  # errors that a simpler tree may be expected to make more, as in C4.5
ROUNDING = 1e-9


def error_based(
    tree: Tree, rows: PruningRows | None, *, confidence: float, subtree_raising: bool
) -> Pruned:
    """The tree without subtrees that are expected to err as much as a leaf or their branch."""
    options = {"confidence": confidence, "subtree_raising": subtree_raising}
    if subtree_raising:
        assert rows is not None
        return _prune_and_raise(tree, rows, options)
    judged = judge(tree, confidence=confidence)
    return cut_as_judged(tree, judged, "error_based", options, MEASURE)


def judge(tree: Tree, *, confidence: float, subtree_raising: bool = False) -> Judgment:
    """The estimates at every node; what raising a branch would change is not among them."""
    counts = error_counts(tree)
    as_leaf = upper_limits(counts.weight, counts.errors, confidence)
    at_inner = upper_limits(counts.stopped_weight, counts.stopped_errors, confidence)

    def rule(nodes: NDArray[np.intp], as_leaf: Floats, as_subtree: Floats) -> NDArray[np.bool_]:
        return np.less_equal(as_leaf[nodes], as_subtree[nodes] + ALLOWANCE + ROUNDING)

    return judge_bottom_up(tree, as_leaf, at_inner, rule)


def _prune_and_raise(tree: Tree, rows: PruningRows, options: Mapping[str, Any]) -> Pruned:
    assert rows.codes is not None
    confidence, counts = options["confidence"], error_counts(tree)
    with room_in_folder():
        shape = prune_by_errors(
            tree,
            column_levels(tree),
            kernel_rows(rows.table),
            codes=rows.codes,
            weights=np.ascontiguousarray(rows.weights),
            unit=counts.unit,
            price=None if counts.price is None else np.ascontiguousarray(counts.price),
            confidence=confidence,
            z=upper_quantile(confidence),
            unseen_to_majority=tree.unseen == "majority",
            n_threads=rows.n_threads,
            folder=folder_of(rows.table),
        )
    node = np.flatnonzero(shape["became"] != SAME).astype(np.int32)
    was = shape["origin"][node]
    pruned = regraft(tree, shape) if len(node) else tree
    raised = shape["became"][node] == BECAME_BRANCH
    moved = bool(raised.any())  # only then may a node have other rows than it was decided by
    report = PruningReport(
        method="error_based",
        options=options,
        measure=MEASURE,
        tree=pruned,
        before=tree,
        n_leaves_before=tree.n_leaves,
        node=node,
        was=was,
        raised=raised,
        as_leaf=shape["as_leaf"][node],
        as_subtree=shape["as_subtree"][node],
        as_branch=shape["as_branch"][node],
        n_leaves=leaves_below(tree)[was],
        decided_weight=shape["decided_weight"][node] if moved else None,
        decided_errors=shape["decided_errors"][node] if moved else None,
    )
    return Pruned(pruned, report)


def upper_limits(weights: Floats, errors: Floats, confidence: float) -> Floats:
    """The errors to expect at leaves of these weights and training errors: N x U(E, N)."""
    return pessimistic_errors(weights, errors, confidence=confidence, z=upper_quantile(confidence))


TOLERANCE = 1e-3  # in units of row weight, as in C4.5 release 8


def collapse(tree: Tree) -> Tree:
    """The tree without subtrees that make no fewer training errors than a leaf would."""
    if tree.n_nodes == 1:
        return tree
    as_leaf = node_risk(tree)
    as_subtree = sums_over_leaves(tree, as_leaf, risk_of_stopped_rows(tree))
    useless = ~tree.is_leaf & (as_subtree >= as_leaf - TOLERANCE)
    return make_leaves(tree, useless, "collapsed") if useless.any() else tree
