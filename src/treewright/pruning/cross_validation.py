"""How the subtrees of a cost-complexity path do on rows they were not grown on.

The tree is grown again without the rows of each fold. The subtree for a price is then looked up in
that tree's own path: a row passes one node after another, each predicts it for a range of
prices, and so one pass over the folds gives the loss at every price. As in rpart, a subtree of the
path stands for the prices from its alpha up to the next, and is judged at their geometric mean.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright._kernels.shared_work import shared_work
from treewright.arrays import Floats, distinct
from treewright.data.row_hash import row_hashes
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError
from treewright.pruning.cost_complexity_path import (
    NOTHING,
    SAME,
    CostComplexityPath,
    HeldOutRisks,
    PathRule,
    amounts,
    node_prices,
)
from treewright.pruning.risk import node_risk
from treewright.pruning.row_loss import (
    PruningRows,
    RowLoss,
    exponent_of,
    power_of_loss,
    predictions_of_nodes,
)
from treewright.tree.layout import SPREAD
from treewright.tree.predict import predict_leaves, predict_parts, predict_values, predicted_classes
from treewright.tree.rebuild import below, make_leaves
from treewright.tree.tree import Tree

IntArray = NDArray[np.intp]

LARGEST_EXPONENT = 900  # of losses, as a power of two, up and down: those of prices end near


@dataclass(frozen=True, slots=True, eq=False)
class Subtrees:
    """A tree that was grown without a fold, and what becomes of it along the path."""

    tree: Tree
    cut_at: IntArray  # for each node, the first step at which it is a leaf
    n_steps: int
    loss: RowLoss


def cross_validated(
    path: CostComplexityPath,
    rule: PathRule,
    rows: PruningRows,
    fold_of_row: IntArray,
    *,
    first: int = 0,
) -> CostComplexityPath:
    """The path with the cross-validated risks of its subtrees from step `first` on.

    Those of larger subtrees are infinite. They are not needed if the best tree is much smaller, and
    a tree for high prices only is grown in much less time: see `subtrees_of`.
    """
    exponent = 0 if rows.values is None else checked_exponent(rows.values, rows.criterion)

    def losses_of(fold: int) -> Floats:
        others, held_out = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
        subtrees = subtrees_of(others, path, rule, rows, exponent, first)
        return losses_by_step(subtrees, rows, held_out)

    folds = distinct(fold_of_row).tolist()
    losses, squares = sum(
        in_threads(losses_of, folds, rows.folds_at_once), np.zeros((2, len(path)))
    )
    weight = float(rows.weights.sum())
    variance = np.maximum(squares - losses * (losses / weight), 0.0)
    unit = 2.0 ** (exponent * power_of_loss(rows.criterion))
    root = float(node_risk(path.tree)[0] / path.tree.weight[0])
    risks, errors = losses / weight * unit, np.sqrt(variance) / weight * unit
    risks[:first] = np.inf
    return replace(path, held_out=HeldOutRisks(risks, errors, root))


def in_threads(work: Callable[[int], Floats], folds: list[int], n_threads: int) -> list[Floats]:
    """The result for each fold, in their order."""
    if n_threads == 1:  # in this thread, where Ctrl-C works at once
        return [work(fold) for fold in folds]
    with shared_work(work, folds, min(n_threads, len(folds))) as results:
        return list(results)


MANY_LEAVES = 1600  # of a grown tree; below this, all subtrees are judged at once ...
FIRST_SHARE = 16  # ... and else first those with at most one leaf in so many
WELL_INSIDE = 2  # the best tree is smaller than the largest judged by at least this factor


def judged_where_needed(
    path: CostComplexityPath, rule: PathRule, rows: PruningRows, fold_of_row: IntArray
) -> CostComplexityPath:
    """The path with the cross-validated risks of all subtrees among which the best may be.

    Small subtrees are judged first. If the best of them is much smaller than the largest, the
    larger ones are left out: growing the trees of the folds in full would take most of the time.
    """
    n_leaves = int(path.n_leaves[0])
    first = int(np.argmax(path.n_leaves <= n_leaves // FIRST_SHARE))
    if n_leaves >= MANY_LEAVES and rule.risk == "error":
        judged = cross_validated(path, rule, rows, fold_of_row, first=first)
        assert judged.held_out is not None
        best = judged.held_out.best
        if path.n_leaves[best] * WELL_INSIDE <= path.n_leaves[first]:
            return judged
    return cross_validated(path, rule, rows, fold_of_row)


def checked_exponent(values: Floats, criterion: object) -> int:
    """The scale of a target; refused where the prices of subtrees would be infinite or zero."""
    exponent, power = exponent_of(values), power_of_loss(criterion)
    if abs(exponent * power) > LARGEST_EXPONENT and values.any():
        row = int(np.abs(values).argmax())
        limit = 2.0 ** np.copysign(LARGEST_EXPONENT / power, exponent)
        beyond = "beyond" if exponent > 0 else "the largest of all, and below"
        raise DataError(
            f"target, row {row}: {values[row]:g} is {beyond} {limit:.0e}, and the errors of such "
            "numbers cannot be compared by cross-validation",
            hint=f"{'divide' if exponent > 0 else 'multiply'} the target by a power of ten",
        )
    return exponent


def subtrees_of(  # noqa: PLR0913 -- one step of `cross_validated`
    some: IntArray,
    path: CostComplexityPath,
    rule: PathRule,
    rows: PruningRows,
    exponent: int,
    first: int,
) -> Subtrees:
    """The tree grown on some of the rows, cut at the prices of the path.

    A leaf that costs no more than the price of a leaf is never worth splitting. So growth may stop
    at nodes whose risk is below the least price that is asked for: that of step `first`.
    """
    assert rows.regrow is not None
    reached = judged_at(path.alphas) * (1 + SAME) + NOTHING * path.risks[-1]
    is_bounded = first > 0 and rule.risk == "error"
    tree = rows.regrow(some, float(reached[first]) if is_bounded else None)
    prices = node_prices(tree, rule, least=float(path.alphas[0])).price
    loss = rows.loss(tree, rows.criterion, exponent)
    return Subtrees(tree, np.searchsorted(reached, prices), len(path), loss)


def judged_at(alphas: Floats) -> Floats:
    """The price that stands for each step: midway, by ratio, to the next; infinite for the last."""
    return np.append(np.sqrt(alphas[:-1]) * np.sqrt(alphas[1:]), np.inf)


def losses_by_step(subtrees: Subtrees, rows: PruningRows, held_out: IntArray) -> Floats:
    """(2, n_steps): sums over the held out rows of weight x loss, and of weight x its square."""
    tree, cut_at, n_steps = subtrees.tree, subtrees.cut_at, subtrees.n_steps
    sums = np.zeros((2, n_steps))
    if (tree.missing_child == SPREAD).any():
        parts = predict_parts(tree, rows.table[held_out])
        is_spread = np.bincount(parts.row, minlength=len(held_out)) > 1
        sums += losses_of_spread_rows(subtrees, rows, held_out[is_spread])
        held_out = held_out[~is_spread]
    predictions = predictions_of_nodes(tree)
    start = np.zeros(len(held_out), dtype=np.intp)
    nodes = predict_leaves(tree, rows.table[held_out]).astype(np.intp)
    while len(held_out):  # each round, the node above predicts for the steps that follow
        above = tree.parent[nodes].astype(np.intp)
        end = np.where(above >= 0, cut_at[above], n_steps)
        lost = subtrees.loss(held_out, predictions[nodes])
        weighted = rows.weights[held_out] * lost
        sums[0] += amounts(start, end, weighted, n_steps)
        sums[1] += amounts(start, end, weighted * lost, n_steps)
        on_the_way = above >= 0
        held_out, nodes, start = held_out[on_the_way], above[on_the_way], end[on_the_way]
    return sums


def losses_of_spread_rows(subtrees: Subtrees, rows: PruningRows, some: IntArray) -> Floats:
    """The same for rows that several leaves predict together: every subtree is used."""
    sums = np.zeros((2, subtrees.n_steps))
    if len(some) == 0:
        return sums
    table, weights = rows.table[some], rows.weights[some]
    tree, cut_at = subtrees.tree, subtrees.cut_at
    starts = distinct(np.append(cut_at[cut_at < subtrees.n_steps], 0))
    for start, end in pairwise([*starts.tolist(), subtrees.n_steps]):
        cut = cut_at <= start
        cut_at = cut_at[~below(tree, cut)]
        tree = make_leaves(tree, cut, "pruned")
        shares = predict_values(tree, table)
        predictions = shares[:, 0] if tree.classes is None else predicted_classes(tree, shares)
        lost = subtrees.loss(some, predictions)
        sums[0, start:end] += portable.dot(weights, lost)
        sums[1, start:end] += portable.dot(weights, np.square(lost))
    return sums


def folds_for(rows: PruningRows, folds: object, generator: np.random.Generator) -> IntArray:
    """The fold of every row: dealt out class by class in the order of their hashes, or as given.

    Rows that are equal, target included, are dealt as one, so that no row is predicted by its own
    copy and a row of weight 2 does the same as two rows. The order of the rows has no effect.
    There are no more folds than different rows.
    """
    if not isinstance(folds, int):
        return checked_folds(folds, rows.n_rows)
    seed = int(generator.integers(2**64 - 1, dtype=np.uint64, endpoint=True))
    truth = rows.values if rows.codes is None else rows.codes
    assert truth is not None
    table = rows.table if isinstance(rows.table, Table) else Table.of_matrix(rows.table)
    hashes = row_hashes(table, truth, seed)
    _, first, pair_of_row = np.unique(hashes, return_index=True, return_inverse=True)
    order = np.arange(len(first))  # of the different rows, by their hashes
    if rows.codes is not None:
        order = np.argsort(rows.codes[first], kind="stable")
    fold_of_pair = np.empty(len(first), dtype=np.intp)
    fold_of_pair[order] = np.arange(len(first)) % folds
    return fold_of_pair[pair_of_row.ravel()]


def checked_folds(folds: object, n_rows: int) -> IntArray:
    """Fold numbers as the user gave them, one for each row."""
    numbers = np.asarray(folds)
    if numbers.shape != (n_rows,) or numbers.dtype.kind not in "iu":
        raise ParameterError(
            f"folds has the shape {numbers.shape} and holds {numbers.dtype}, not one whole number "
            f"for each of {n_rows} rows",
            hint="leave rows of weight 0 out, and their folds",
        )
    found, fold_of_row = np.unique(numbers, return_inverse=True)
    if len(found) < 2:
        raise ParameterError(
            f"folds puts every row into fold {found[0]}", hint="use at least two folds"
        )
    return fold_of_row.astype(np.intp)
