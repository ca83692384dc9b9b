"""Models that predict a constant plus a sum over trees, and the Shapley values of the sum."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright._kernels.shap import ShapTree
from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.data.table import Table
from treewright.tree.predict import build_predictor, column_levels, kernel_rows
from treewright.tree.tree import Tree

Rows = Table | NDArray[Any]
# For one row, the number of an output and the number of threads: base value and Shapley values
# (n_columns,); None if the trees have to be asked one by one.
OneRow = Callable[[Rows, int, int], tuple[float, Floats] | None]


def own_predictions(tree: Tree) -> Floats:
    """(n_nodes, n_values): class shares, or means."""
    return tree.value if tree.classes is None else tree.probabilities


@dataclass(frozen=True, slots=True)
class TreeSum:
    """Trees over the same columns whose values add up to the prediction of a model."""

    schema: Schema
    trees: Sequence[Tree]
    outputs: tuple[Any, ...]  # what the numbers of a prediction stand for: classes, or one name
    scale: str  # what they are, in words
    start: Floats  # (n_outputs,): what is added to the trees' predictions
    predictions: Callable[[Tree], Floats] = own_predictions  # (n_nodes, n_values) of one tree
    takes_turns: bool = False  # tree i predicts output i modulo n_outputs alone
    one_row: OneRow | None = None  # all trees at once, without `start`

    @property
    def n_outputs(self) -> int:
        return len(self.outputs)

    def values(self, rows: Rows, n_threads: int = 1) -> Floats:
        """(n_rows, n_outputs): what the model says."""
        given, total = kernel_rows(rows), np.tile(self.start, (len(rows), 1))
        for at, tree in enumerate(self.trees):
            predictions = build_predictor(tree, self.predictions(tree)).values(given, n_threads)
            total[:, self._outputs_of(at)] += predictions
        return total

    def by_weight(self, rows: Rows, n_threads: int = 1) -> tuple[Floats, Floats]:
        """(n_outputs,) and (n_rows, n_columns, n_outputs): base value and Shapley values.

        The base value is what the model says when it knows no column, the mean by training weight.
        Both come from one pass, because unpacking and arranging the trees takes longer than a row.
        """
        given, base = kernel_rows(rows), self.start.copy()

        def add(at: int, tree: ShapTree, out: Floats) -> None:
            base[self._outputs_of(at)] += tree.expected()
            tree.add_by_weight(given, out, n_threads)

        return base, self._added_up((len(rows), self._n_columns()), add)

    def of_row(self, row: Rows, output: int, n_threads: int = 1) -> tuple[float, Floats]:
        """Base value and Shapley values (n_columns,) of one row for one of the outputs."""
        found = None if self.one_row is None else self.one_row(row, output, n_threads)
        if found is None:
            base, values = self.by_weight(row, n_threads)
            return float(base[output]), values[0, :, output]
        return float(self.start[output]) + found[0], found[1]

    def against(self, rows: Rows, background: Rows, n_threads: int = 1) -> Floats:
        """(n_rows, n_columns, n_outputs): Shapley values against background rows."""
        given, others = kernel_rows(rows), kernel_rows(background)

        def add(_: int, tree: ShapTree, out: Floats) -> None:
            tree.add_against(given, others, out, n_threads)

        return self._added_up((len(rows), self._n_columns()), add)

    def pairs(self, rows: Rows, n_threads: int = 1) -> Floats:
        """(n_rows, n_columns, n_columns, n_outputs): half of each interaction by weight."""
        given, n_columns = kernel_rows(rows), self._n_columns()

        def add(_: int, tree: ShapTree, out: Floats) -> None:
            tree.add_of_pairs(given, out, n_threads)

        return self._added_up((len(rows), n_columns, n_columns), add)

    def _n_columns(self) -> int:
        return self.schema.n_columns

    def _added_up(
        self, shape: tuple[int, ...], add: Callable[[int, ShapTree, Floats], None]
    ) -> Floats:
        """The sum of what `add` adds for each tree, by its number: `shape`, then n_outputs."""
        if not self.takes_turns:
            out = np.zeros((*shape, self.n_outputs))
            for at, tree in enumerate(self.trees):
                add(at, self._shap_tree(tree), out)
            return out
        each = [np.zeros((*shape, 1)) for _ in self.outputs]
        for at, tree in enumerate(self.trees):
            add(at, self._shap_tree(tree), each[at % self.n_outputs])
        return np.concatenate(each, axis=-1)

    def _shap_tree(self, tree: Tree) -> ShapTree:
        return ShapTree(
            tree,
            self.predictions(tree),
            column_levels(tree),
            unseen_to_majority=tree.unseen == "majority",
        )

    def _outputs_of(self, at: int) -> slice:
        if not self.takes_turns:
            return slice(None)
        output = at % self.n_outputs
        return slice(output, output + 1)


def sum_of_tree(tree: Tree) -> TreeSum:
    """One tree, explained by its probabilities or its predicted number."""
    if tree.classes is None:
        return TreeSum(tree.schema, (tree,), ("prediction",), "prediction", np.zeros(1))
    return TreeSum(tree.schema, (tree,), tree.classes, "probability", np.zeros(len(tree.classes)))
