"""The calculation of each round of a boosted model, recomputed from its training rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, distinct
from treewright.data.column import NominalColumn
from treewright.documents.math import Fraction, Letter, Math, Name, Number, Square, Sum, Term
from treewright.documents.page import Block, Formula, Paragraph, SheetTable
from treewright.ensembles.boosting.losses import HuberError, weighted_mean, weighted_quantile
from treewright.ensembles.boosting.model import BoostingModel
from treewright.ensembles.boosting.rounds import target_numbers
from treewright.errors import DataError, ParameterError
from treewright.estimators.fitted import ABSENT
from treewright.estimators.training import TrainingRows
from treewright.plain_text import shortened
from treewright.tree.conditions import conditions_of
from treewright.tree.layout import SUBSET
from treewright.tree.predict import predict_leaves
from treewright.tree.short_thresholds import with_thresholds_shown
from treewright.tree.tree import Tree
from treewright.worksheets.digits import Digits

SAME = 1e-6  # relative: what sums in another order may change


@dataclass(frozen=True, slots=True)
class LeafWork:
    """How a leaf of a round's tree comes to its prediction."""

    node: int
    path: tuple[str, ...]  # conditions from the root
    rows: NDArray[np.intp]
    residual_sum: float  # of the rows, by weight: the first derivatives with the other sign
    hessian_sum: float  # of the second derivatives
    adds: float  # to the score of each row


@dataclass(frozen=True, slots=True)
class TreeWork:
    """One tree of a round: scores before and after, and what lies between."""

    round: int  # from 1
    output: int  # the class whose score it adds to; 0 where there is one score
    tree: Tree
    before: Floats  # (n_rows,) scores
    residual: Floats  # what the tree is grown on
    leaf: NDArray[np.int32]  # where each row ends
    after: Floats
    leaves: tuple[LeafWork, ...]
    loss_before: float  # mean over the rows
    loss_after: float  # of the whole round


class RoundWorks:
    """The rounds of a fitted model with the rows that it was fitted to."""

    def __init__(self, model: BoostingModel, rows: TrainingRows) -> None:
        refuse_drawn_rows(model)
        self.model = model
        self.rows = rows
        self.y = target_numbers(rows)
        self.loss = model.loss_for(rows)

    def __iter__(self) -> Iterator[TreeWork]:
        """All trees in the order of growth."""
        model, n_outputs = self.model, len(self.model.start_)
        scores = np.repeat(model.start_[:, np.newaxis], len(self.y), axis=1)
        self.loss.settle(self.y, self._as_taken(scores), self.rows.weights)
        for number in range(model.n_estimators_):
            self.loss.adapt(self.y, self._as_taken(scores), self.rows.weights)
            first, second = self.loss.gradients(self.y, self._as_taken(scores))
            residuals, seconds = -np.atleast_2d(first), np.atleast_2d(second)
            after = scores.copy()
            grown = [
                self._leaves(number * n_outputs + output, scores, residuals, seconds, after)
                for output in range(n_outputs)
            ]
            losses = self._mean_loss(scores), self._mean_loss(after)
            for output, (tree, leaf, leaves) in enumerate(grown):
                yield TreeWork(
                    number + 1,
                    output,
                    tree,
                    scores[output],
                    residuals[output],
                    leaf,
                    after[output],
                    leaves,
                    *losses,
                )
            scores = after

    def _as_taken(self, scores: Floats) -> Floats:
        single: Floats = scores[0]
        return single if len(scores) == 1 else scores

    def _mean_loss(self, scores: Floats) -> float:
        try:
            losses = self.loss.row_losses(self.y, self._as_taken(scores))
        except ParameterError:  # a custom loss without row losses
            return float("nan")
        return weighted_mean(losses, self.rows.weights)

    def _leaves(
        self, at: int, scores: Floats, residuals: Floats, seconds: Floats, after: Floats
    ) -> tuple[Tree, NDArray[np.int32], tuple[LeafWork, ...]]:
        """The leaves of tree number `at`; their predictions go to `after`."""
        output = at % len(scores)
        tree = with_thresholds_shown(self.model.trees_[at])
        leaf = predict_leaves(tree, self.rows.table)
        weights = np.ones(len(self.y)) if self.rows.weights is None else self.rows.weights
        works = []
        for node in np.flatnonzero(tree.feature < 0).tolist():
            rows = np.flatnonzero(leaf == node)
            total = float(weights[rows] @ residuals[output, rows])
            hessian = float(weights[rows] @ seconds[output, rows])
            adds = float(tree.value[node, 0])
            self._check(at, rows, self._leaf_value(rows, scores[output], total, hessian), adds)
            after[output, rows] += adds
            path = tuple(step.condition for step in tree.node(node).path if step.condition)
            works.append(LeafWork(node, path, rows, total, hessian, adds))
        return tree, leaf, tuple(works)

    def _leaf_value(
        self, rows: NDArray[np.intp], scores: Floats, total: float, hessian: float
    ) -> float:
        """What a leaf with these rows predicts by its definition, before the learning rate."""
        if self.loss.renewal == "none":
            shrunk = np.sign(total) * max(abs(total) - self.model.l1, 0.0)
            below = hessian + self.model.l2
            return float(shrunk / below) if below > 0 else 0.0
        left = (self.y - scores)[rows]
        weights = None if self.rows.weights is None else self.rows.weights[rows]
        if not isinstance(self.loss, HuberError):
            return weighted_quantile(left, weights, self.loss.parameter)
        median = weighted_quantile(left, weights, 0.5)
        near = np.clip(left - median, -self.loss.parameter, self.loss.parameter)
        return median + weighted_mean(near, weights)

    def _check(self, at: int, rows: NDArray[np.intp], prediction: float, adds: float) -> None:
        """Raise if the rows are not those that the tree was grown on."""
        expected = self.model.learning_rate_ * prediction
        is_same = abs(expected - adds) <= SAME * max(abs(expected), abs(adds), 1)
        # Leaves of few rows in a symmetric tree predict as the node above does, and constraints
        # bound what leaves may predict.
        if is_plain(self.model) and not (is_same and len(rows)):
            raise DataError(
                f"tree {at} of the model was not grown on these rows, or not with these settings",
                hint="give the X, y and sample_weight that `fit` was given; rounds that were grown "
                "with another learning rate or regularization (warm_start) cannot be worked out",
            )


def used(model: BoostingModel, name: str) -> Any:
    """A parameter, or what "auto" came to."""
    value = getattr(model, name)
    return getattr(model.state_, name) if value == "auto" else value


def refuse_drawn_rows(model: BoostingModel) -> None:
    """Raise if rounds have left rows, or each other, out of account."""
    for name, plain in (("subsample", 1.0), ("drop_rate", 0.0), ("validation_fraction", None)):
        if used(model, name) != plain:
            raise ParameterError(
                f"{name}={used(model, name)!r}: what rounds did with rows drawn at random "
                "cannot be shown row by row",
                hint=f"fit a model with {name}={plain!r}",
            )
    if model.state_.encoded_columns is not ABSENT:
        raise ParameterError(
            "target_encoding: trees grew on means that leave out some rows, different ones for "
            "each row, so their calculation cannot be shown row by row",
            hint="fit a model with target_encoding=False",
        )


FEW_LEVELS = 4  # of more categories at a node, sets of them pay for `smoothing` too
LONGEST_CONDITION = 60


def is_plain(model: BoostingModel) -> bool:
    """Whether each split was chosen by the gain of its own node alone."""
    return used(model, "growth") != "symmetric" and model.monotonic_cst is None


def split_rule(works: RoundWorks) -> Iterator[Block]:
    """By what splits are chosen."""
    model = works.model
    if not is_plain(model):
        return
    first, second, node = (_part(index, model.l2) for index in ("1", "2", ""))
    gain = Sum((Term(first), Term(second), Term(node, is_added=False)))
    yield Formula(Name("gain"), (gain,))
    drawn = model.max_features < 1 or used(model, "max_features_node") < 1
    text = (
        " that of the second derivatives; without an index they are those of the node. At each "
        f"node the split with the largest gain is taken{', of the columns drawn' if drawn else ''}"
    )
    least = used(model, "min_samples_leaf")
    text += f"; each side needs {least:g} rows or more." if least > 1 else "."
    if any(not spec.is_numeric for spec in model.schema_.columns) and model.smoothing:
        text += (
            f" A set of more than {FEW_LEVELS} categories pays for its choice: with it "
            f"{model.l2 + model.smoothing:g} is added to H_1 and H_2 in place of {model.l2:g}."
        )
    sums = " is the sum of the residuals on a side of a split and "
    yield Paragraph.of("Here ", Letter("G"), sums, Letter("H"), text)


def _part(index: str, l2: float) -> Math:
    below: Math = Letter("H", index)
    if l2:
        below = Sum.of(below, Number(f"{l2:g}"))
    return Fraction(Square(Letter("G", index)), below)


def split_table(works: RoundWorks, work: TreeWork, digits: Digits) -> Iterator[Block]:
    """The splits of a tree with the sums on both sides and what they gain."""
    tree = work.tree
    if not is_plain(works.model) or tree.n_nodes == 1:
        return
    sums = {leaf.node: np.array([leaf.residual_sum, leaf.hessian_sum]) for leaf in work.leaves}
    rows = {leaf.node: leaf.rows for leaf in work.leaves}
    lines = []
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.is_leaf[node]:
            continue
        first = int(tree.first_child[node])
        sums[node] = sums[first] + sums[first + 1]
        rows[node] = np.concatenate([rows[first], rows[first + 1]])
        paid = _paid(works, work, node, rows[node])
        gain = (
            _score(works, sums[first], paid)
            + _score(works, sums[first + 1], paid)
            - _score(works, sums[node], works.model.l2)
        )
        sides = [digits.text(float(one)) for side in (first, first + 1) for one in sums[side]]
        condition = shortened(conditions_of(tree, node)[0], LONGEST_CONDITION)
        lines.append((str(node), condition, *sides, digits.text(gain)))
    columns = ("node", "first side", "G_1", "H_1", "G_2", "H_2", "gain")
    yield SheetTable(columns, tuple(reversed(lines)), "rlrrrrr")


def _score(works: RoundWorks, sums: Floats, l2: float) -> float:
    """What a side is worth: G^2 / (H + l2), G nearer to 0 by l1."""
    residual = max(abs(float(sums[0])) - works.model.l1, 0.0)
    below = float(sums[1]) + l2
    return residual**2 / below if below > 0 else 0.0


def _paid(works: RoundWorks, work: TreeWork, node: int, rows: NDArray[np.intp]) -> float:
    """The l2 of the sides of a split, with `smoothing` where it is a set of many categories."""
    model = works.model
    column = works.rows.table.columns[int(work.tree.feature[node])]
    if work.tree.kind[node] != SUBSET or not isinstance(column, NominalColumn):
        return float(model.l2)
    codes = column.codes[rows]
    is_many = len(distinct(codes[codes >= 0])) > FEW_LEVELS
    return float(model.l2 + (model.smoothing if is_many else 0.0))
