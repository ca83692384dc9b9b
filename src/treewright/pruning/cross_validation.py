"""How the subtrees of a cost-complexity path do on rows they were not grown on.

The tree is grown again without the rows of each fold. The subtree for a price is then looked up in
that tree's own path: a row passes one node after another, each predicts it for a range of
prices, and so one pass over the folds gives the loss at every price. As in rpart, a subtree of the
path stands for the prices from its alpha up to the next, and is judged at their geometric mean.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright._kernels.shared_work import shared_work
from treewright.arrays import Floats, distinct
from treewright.data.row_hash import row_hashes
from treewright.data.table import Table
from treewright.data.weights import are_counts
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


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """A path, and the folds that its subtrees are judged by."""

    path: CostComplexityPath
    rule: PathRule
    rows: PruningRows
    fold_of_row: IntArray
    exponent: int  # of the scale of losses

    @classmethod
    def of(
        cls, path: CostComplexityPath, rule: PathRule, rows: PruningRows, fold_of_row: IntArray
    ) -> Self:
        exponent = 0 if rows.values is None else checked_exponent(rows.values, rows.criterion)
        return cls(path, rule, rows, fold_of_row, exponent)

    @property
    def folds(self) -> list[int]:
        found: list[int] = distinct(self.fold_of_row).tolist()
        return found

    def losses(self, folds: list[int], *firsts: int) -> list[list[Floats]]:
        """For each fold, the losses by step as `losses_of_fold` gives them."""
        if self.rows.folds_elsewhere is not None:
            return self.rows.folds_elsewhere(self, folds, firsts)

        def work(fold: int) -> list[Floats]:
            return self.losses_of_fold(fold, *firsts)

        return in_threads(work, folds, self.rows.folds_at_once)

    def losses_of_fold(self, fold: int, *firsts: int) -> list[Floats]:
        """The losses of one fold at the steps of the path, for each of `firsts`, the last least.

        Those from step `first` on are right. A tree for high prices only is grown in much less
        time: a leaf that costs no more than the price of a leaf is never worth splitting, so growth
        may stop at nodes whose risk is below the least price that is asked for.
        """
        rows = self.rows
        assert rows.regrow is not None
        others = np.flatnonzero(self.fold_of_row != fold)
        held_out = np.flatnonzero(self.fold_of_row == fold)
        tree = rows.regrow(others, self.least_risk(firsts[-1]))
        found = []
        for first in firsts:
            stopped = tree
            if first != firsts[-1]:
                assert rows.stopped is not None
                stopped = rows.stopped(tree, self.least_risk(first))
            found.append(losses_by_step(self.subtrees(stopped), rows, held_out))
        return found

    @property
    def reached(self) -> Floats:
        """The price of each step, a little above it, so that equal prices are reached."""
        prices = judged_at(self.path.alphas)
        reached: Floats = prices * (1 + SAME) + NOTHING * self.path.risks[-1]
        return reached

    def least_risk(self, first: int) -> float | None:
        """Nodes of no more risk are not split, where only the steps from `first` on count."""
        is_bounded = first > 0 and self.rule.risk == "error"
        return float(self.reached[first]) if is_bounded else None

    def subtrees(self, tree: Tree) -> Subtrees:
        """The tree grown without a fold, cut at the prices of the path."""
        prices = node_prices(tree, self.rule, least=float(self.path.alphas[0])).price
        loss = self.rows.loss(tree, self.rows.criterion, self.exponent)
        return Subtrees(tree, np.searchsorted(self.reached, prices), len(self.path), loss)

    def judged(self, of_folds: Sequence[Floats], first: int = 0) -> CostComplexityPath:
        """The path with the risks that the losses of folds add up to, infinite before `first`."""
        path, criterion = self.path, self.rows.criterion
        losses, squares = sum(of_folds, np.zeros((2, len(path))))
        weight = float(self.rows.weights.sum())
        variance = np.maximum(squares - losses * (losses / weight), 0.0)
        unit = 2.0 ** (self.exponent * power_of_loss(criterion))
        root = float(node_risk(path.tree)[0] / path.tree.weight[0])
        risks, errors = losses / weight * unit, np.sqrt(variance) / weight * unit
        risks[:first] = np.inf
        return replace(path, held_out=HeldOutRisks(risks, errors, root))


def cross_validated(
    path: CostComplexityPath,
    rule: PathRule,
    rows: PruningRows,
    fold_of_row: IntArray,
    *,
    first: int = 0,
) -> CostComplexityPath:
    """The path with the cross-validated risks of its subtrees from step `first` on.

    Those of larger subtrees are infinite: they are not needed if the best tree is much smaller.
    """
    folds = CrossValidation.of(path, rule, rows, fold_of_row)
    return folds.judged([losses for (losses,) in folds.losses(folds.folds, first)], first)


def in_threads(
    work: Callable[[int], list[Floats]], folds: list[int], n_threads: int
) -> list[list[Floats]]:
    """The result for each fold, in their order."""
    if n_threads == 1 or len(folds) < 2:  # in this thread, where Ctrl-C works at once
        return [work(fold) for fold in folds]
    with shared_work(work, folds, min(n_threads, len(folds))) as results:
        return list(results)


MANY_LEAVES = 1600  # of a grown tree; below this, all subtrees are judged at once ...
FIRST_SHARE = 16  # ... and else first those with at most one leaf in so many
WELL_INSIDE = 2  # the best tree is smaller than the largest judged by at least this factor


N_TRIED = 2  # folds whose trees are grown in full, to see whether those of others must be
MOST_IN_TURN = 4  # with more threads, all folds are grown in full at once


def judged_where_needed(
    path: CostComplexityPath, rule: PathRule, rows: PruningRows, fold_of_row: IntArray
) -> CostComplexityPath:
    """The path with the cross-validated risks of all subtrees among which the best may be.

    Small subtrees are judged first. If the best of them is much smaller than the largest, the
    larger ones are left out: growing the trees of the folds in full would take most of the time.
    Which trees are grown in full beforehand affects the time only: a small one is part of it.
    """
    n_leaves = int(path.n_leaves[0])
    first = int(np.argmax(path.n_leaves <= n_leaves // FIRST_SHARE))
    all_folds = CrossValidation.of(path, rule, rows, fold_of_row)
    folds = all_folds.folds
    if n_leaves < MANY_LEAVES or rule.risk != "error" or first == 0:
        return cross_validated(path, rule, rows, fold_of_row)
    found: list[list[Floats]] = []  # for each fold: losses from `first` on, and all if known
    if rows.stopped is not None:
        n_tried = len(folds) if rows.folds_at_once > MOST_IN_TURN else min(N_TRIED, len(folds))
        found = all_folds.losses(folds[:n_tried], first, 0)
        if not looks_small(path, sum(losses[0][0] for losses in found), first):
            found += all_folds.losses(folds[n_tried:], first, 0)
    found += all_folds.losses(folds[len(found) :], first)
    judged = all_folds.judged([losses[0] for losses in found], first)
    if is_well_inside(judged, first):
        return judged
    n_full = sum(len(losses) > 1 for losses in found)
    in_full = [losses[1] for losses in found[:n_full]]
    in_full += [losses for (losses,) in all_folds.losses(folds[n_full:], 0)]
    return all_folds.judged(in_full)


def looks_small(path: CostComplexityPath, losses: Floats, first: int) -> bool:
    """Whether the errors of a few folds make it likely that the best subtree is well inside."""
    is_small = path.n_leaves * WELL_INSIDE <= path.n_leaves[first]
    is_small[:first] = False
    least, others = losses[is_small].min(initial=np.inf), losses[first:][~is_small[first:]]
    return bool(least + np.sqrt(least) / 2 < others.min())


def is_well_inside(judged: CostComplexityPath, first: int) -> bool:
    """Whether the best subtree is much smaller than the largest one that was judged."""
    assert judged.held_out is not None
    n_leaves = judged.n_leaves
    return bool(n_leaves[judged.held_out.best] * WELL_INSIDE <= n_leaves[first])


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


def judged_at(alphas: Floats) -> Floats:
    """The price that stands for each step: midway, by ratio, to the next; infinite for the last."""
    return np.append(np.sqrt(alphas[:-1]) * np.sqrt(alphas[1:]), np.inf)


def losses_by_step(subtrees: Subtrees, rows: PruningRows, held_out: IntArray) -> Floats:
    """(2, n_steps): sums over the held out rows of weight x loss, and of weight x its square."""
    tree, cut_at, n_steps = subtrees.tree, subtrees.cut_at, subtrees.n_steps
    sums = np.zeros((2, n_steps))
    if counts_errors(tree, rows):
        sums[:] = errors_by_step(subtrees, rows, held_out)
        return sums
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


def counts_errors(tree: Tree, rows: PruningRows) -> bool:
    """Whether losses are integers: their sum is the same in any order."""
    return (
        rows.codes is not None
        and tree.costs is None
        and bool((tree.class_factor == 1).all())
        and are_counts(rows.weights)
        and not (tree.missing_child == SPREAD).any()
    )


def errors_by_step(subtrees: Subtrees, rows: PruningRows, held_out: IntArray) -> Floats:
    """(n_steps,): the errors among held out rows, which are their own squares, added up by node.

    A node predicts the rows that come to it from the step at which it is a leaf to the step at
    which the node above is one; rows that end there, from the beginning.
    """
    assert rows.codes is not None
    tree, cut_at, n_steps = subtrees.tree, subtrees.cut_at, subtrees.n_steps
    predictions = predictions_of_nodes(tree)
    nodes = predict_leaves(tree, rows.table[held_out]).astype(np.intp)
    truth, weights = rows.codes[held_out], rows.weights[held_out]
    end = np.where(tree.parent >= 0, cut_at[tree.parent], n_steps)
    ended, passing = np.zeros((2, tree.n_nodes))  # errors among the rows of each node
    errors = ended
    while len(nodes):
        wrong = predictions[nodes] != truth
        errors += np.bincount(nodes[wrong], weights[wrong], minlength=tree.n_nodes)
        errors = passing
        above = tree.parent[nodes].astype(np.intp)
        if above.min() < 0:
            inner = above >= 0
            above, truth, weights = above[inner], truth[inner], weights[inner]
        nodes = above
    at_once = amounts(np.zeros_like(cut_at), end, ended, n_steps)
    return at_once + amounts(cut_at, end, passing, n_steps)


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
    hashes = row_hashes(table, truth, seed, rows.ranks_of)
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
