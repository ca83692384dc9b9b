"""How the subtrees of a cost-complexity path do on rows they were not grown on.

The tree is grown again without the rows of each fold. The subtree for a price is then looked up in
that tree's own path: a row passes one node after another, each predicts it for a range of
prices, and so one pass over the folds gives the loss at every price. As in rpart, a subtree of the
path stands for the prices from its alpha up to the next, and is judged at their geometric mean.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
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
    path: CostComplexityPath, rule: PathRule, rows: PruningRows, fold_of_row: IntArray
) -> CostComplexityPath:
    """The path with the cross-validated risks of its subtrees."""
    exponent = 0 if rows.values is None else checked_exponent(rows.values, rows.criterion)
    sums = np.zeros((2, len(path)))
    for fold in distinct(fold_of_row):
        held_out = np.flatnonzero(fold_of_row == fold)
        subtrees = subtrees_without(held_out, path, rule, rows, exponent)
        sums += losses_by_step(subtrees, rows, held_out)
    losses, squares = sums
    weight = float(rows.weights.sum())
    variance = np.maximum(squares - losses * (losses / weight), 0.0)
    unit = 2.0 ** (exponent * power_of_loss(rows.criterion))
    root = float(node_risk(path.tree)[0] / path.tree.weight[0])
    held_out_risks = HeldOutRisks(losses / weight * unit, np.sqrt(variance) / weight * unit, root)
    return replace(path, held_out=held_out_risks)


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


def subtrees_without(
    held_out: IntArray, path: CostComplexityPath, rule: PathRule, rows: PruningRows, exponent: int
) -> Subtrees:
    """The tree grown on the other rows, cut at the prices of the path."""
    assert rows.regrow is not None
    tree = rows.regrow(np.setdiff1d(np.arange(rows.n_rows), held_out))
    prices = node_prices(tree, rule, least=float(path.alphas[0])).price
    reached = judged_at(path.alphas) * (1 + SAME) + NOTHING * path.risks[-1]
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
        sums[:, start:end] += np.array([[weights @ lost], [weights @ np.square(lost)]])
    return sums


def folds_for(rows: PruningRows, folds: object, generator: np.random.Generator) -> IntArray:
    """The fold of every row: dealt out at random, class by class, or as given.

    There are no more folds than rows.
    """
    if not isinstance(folds, int):
        return checked_folds(folds, rows.n_rows)
    order = generator.permutation(rows.n_rows)
    if rows.codes is not None:
        order = order[np.argsort(rows.codes[order], kind="stable")]
    fold_of_row = np.empty(rows.n_rows, dtype=np.intp)
    fold_of_row[order] = np.arange(rows.n_rows) % folds
    return fold_of_row


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
