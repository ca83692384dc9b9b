"""The linear models of all nodes of a tree, and their predictions."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.schema import Schema
from treewright.errors import ModelFileError
from treewright.model_trees.coding import Coding, Int64Array, Rows
from treewright.plain_text import number_text, plain
from treewright.tree.conditions import level_condition
from treewright.tree.tree import Tree


class Term(NamedTuple):
    """A column in an equation: its value, or whether its category has rank `cut` or above."""

    column: int
    cut: int = 0  # 0: the value itself

    def text(self, coding: Coding, *, max_levels: int | None = None) -> str:
        """`age`, or `(town in {Rome, Ulm})`, which is 1 if true and 0 if not."""
        name = plain(coding.schema.columns[self.column].name)
        if not self.cut:
            return name
        levels = coding.upper_levels(self.column, self.cut)
        return f"({level_condition(name, levels, max_levels)})"


@dataclass(frozen=True, slots=True)
class Equation:
    """intercept + coefficient * term + ..."""

    intercept: float
    coefficients: dict[Term, float]

    def plus(self, other: "Equation", weight: float) -> "Equation":
        """This equation and `weight` times another, as one."""
        sums = dict(self.coefficients)
        for term, coefficient in other.coefficients.items():
            sums[term] = sums.get(term, 0.0) + weight * coefficient
        return Equation(self.intercept + weight * other.intercept, dict(sorted(sums.items())))

    def parts(
        self, coding: Coding, decimals: int | None = None, *, max_levels: int | None = None
    ) -> list[str]:
        """`45.89`, `- 0.0063 Weight`, `+ 1.08 (Type = Small)`, `+ Type [Van, Bus: 2; Small: 3]`.

        For a column with several terms, the total of each category is shown. Lists are truncated
        to `max_levels` categories.
        """
        parts = [number_text(self.intercept, decimals)]
        for column, found in groupby(self.coefficients.items(), lambda item: item[0].column):
            terms = dict(found)
            if len(terms) > 1:
                name = plain(coding.schema.columns[column].name)
                steps = list(steps_of(terms, coding, decimals, max_levels))
                n_more = 0 if max_levels is None else len(steps) - max_levels
                if n_more > 0:
                    steps[max_levels:] = [f"... {n_more} more"]
                parts.append(f"+ {name} [{'; '.join(steps)}]")
                continue
            for term, coefficient in terms.items():
                sign = "-" if coefficient < 0 else "+"
                size = number_text(abs(coefficient), decimals)
                parts.append(f"{sign} {size} {term.text(coding, max_levels=max_levels)}")
        return parts

    def text(self, coding: Coding, target: str, *, max_levels: int | None = None) -> str:
        """The equation in one line."""
        return f"{plain(target)} = {' '.join(self.parts(coding, max_levels=max_levels))}"


def steps_of(
    terms: dict[Term, float], coding: Coding, decimals: int | None, max_levels: int | None
) -> Iterator[str]:
    """`Van, Bus: 2`: categories between two cuts, and the sum of their terms."""
    total = 0.0
    cuts = sorted(terms)
    for term, above in zip(cuts, [*cuts[1:], None], strict=True):
        total += terms[term]
        levels = coding.upper_levels(*term)
        if above is not None:
            beyond = set(coding.upper_levels(*above))
            levels = tuple(level for level in levels if level not in beyond)
        shown = [plain(str(level)) for level in levels[:max_levels]]
        if len(shown) < len(levels):
            shown.append(f"... {len(levels) - len(shown)} more")
        yield f"{', '.join(shown)}: {number_text(total, decimals)}"


def unit_remark(schema: Schema) -> str:
    """The units of dates in equations; "" without any."""
    dates = [spec for spec in schema.columns if spec.unit]
    if not dates:
        return ""
    units = ", ".join(f"{plain(spec.name)} ({spec.unit})" for spec in dates)
    return f"dates and durations are in units of their column: {units}"


TERMS_AT_ONCE = 64  # for which a dense table of coefficients is made


@dataclass(frozen=True, slots=True, eq=False)
class NodeModels:
    """An intercept for each node; entries `starts[i]` to `starts[i + 1]` are its terms."""

    intercepts: Floats
    starts: Int64Array
    columns: Int64Array
    cuts: Int64Array  # 0: the value itself; else whether the rank is at least this
    coefficients: Floats

    def of_node(self, node: int) -> Equation:
        """The model that was fitted to the rows of a node."""
        entries = slice(self.starts[node], self.starts[node + 1])
        terms = tuple(map(Term, self.columns[entries].tolist(), self.cuts[entries].tolist()))
        return Equation(
            float(self.intercepts[node]),
            dict(zip(terms, self.coefficients[entries].tolist(), strict=True)),
        )

    def smoothed(self, tree: Tree, node: int, k: float) -> Equation:
        """The equation of a leaf as one sum: its model and those above it."""
        if k == 0:
            return self.of_node(node)
        path = tree.path_to(node)
        total = Equation(0.0, {})
        for above, weight in zip(path, path_weights(tree, path, k), strict=True):
            total = total.plus(self.of_node(above), weight)
        return total

    def predictions(
        self, tree: Tree, coding: Coding, rows: Rows, nodes: NDArray[np.int32], k: float
    ) -> Floats:
        """The prediction of the node's equation for each row."""
        predicted: Floats = smooth(tree, self.intercepts[:, None], k)[nodes, 0]
        numbers: dict[int, Floats] = {}
        for terms, own in self._coefficient_tables():
            table = smooth(tree, own, k)
            for place, (column, cut) in enumerate(terms):
                if column not in numbers:
                    numbers[column] = coding.numbers(rows, column)
                values = numbers[column]
                predicted += table[nodes, place] * (values >= cut if cut else values)
        return predicted

    def coefficients_of(self, tree: Tree, k: float) -> tuple[list[tuple[int, int]], Floats]:
        """All terms as (column, cut), and for each node its intercept and their coefficients."""
        terms: list[tuple[int, int]] = []
        tables = [smooth(tree, self.intercepts[:, None], k)]
        for some, own in self._coefficient_tables():
            terms += some
            tables.append(smooth(tree, own, k))
        return terms, np.concatenate(tables, axis=1)

    def _coefficient_tables(self) -> Iterator[tuple[list[tuple[int, int]], Floats]]:
        """Terms and their coefficients at every node, in chunks."""
        n_nodes = len(self.intercepts)
        pairs = np.column_stack([self.columns, self.cuts])
        terms, place = np.unique(pairs, axis=0, return_inverse=True)
        place = place.reshape(-1)
        node = np.repeat(np.arange(n_nodes), np.diff(self.starts))
        for first in range(0, len(terms), TERMS_AT_ONCE):
            some = terms[first : first + TERMS_AT_ONCE]
            table = np.zeros((n_nodes, len(some)))
            here = (place >= first) & (place < first + len(some))
            table[node[here], place[here] - first] = self.coefficients[here]
            yield [(int(column), int(cut)) for column, cut in some], table

    def check(self, tree: Tree, coding: Coding) -> None:
        """Raise unless these are models of such a tree."""
        n_terms = len(self.coefficients)
        starts = self.starts
        if len(self.intercepts) != tree.n_nodes or len(starts) != tree.n_nodes + 1:
            raise ModelFileError("learned: not one model for each node")
        if starts[0] != 0 or starts[-1] != n_terms or (np.diff(starts) < 0).any():
            raise ModelFileError("learned: the terms do not belong to the nodes")
        if len(self.columns) != n_terms or len(self.cuts) != n_terms:
            raise ModelFileError("learned: terms without a column, a cut or a coefficient")
        n_columns = coding.schema.n_columns
        if n_terms and (self.columns.min() < 0 or self.columns.max() >= n_columns):
            raise ModelFileError("learned: a term of a column that the table does not have")
        n_levels = np.diff(coding.rank_starts)[self.columns]
        if ((self.cuts < 0) | (self.cuts >= np.maximum(n_levels, 1))).any():
            raise ModelFileError("learned: a term of a category that its column does not have")
        if ((self.cuts == 0) & (n_levels > 0)).any():
            raise ModelFileError("learned: categories cannot be multiplied by a coefficient")


def smooth(tree: Tree, own: Floats, k: float) -> Floats:
    """(n_nodes, n): the numbers of all nodes mixed with those of the nodes above them.

    From a leaf to the root, the prediction p of a node of weight n becomes (n p + k q) / (n + k),
    where q is the prediction of the model above. So each ancestor has a share in the sum, and the
    shares are computed from the root down.
    """
    if k == 0:
        return own
    share = np.ones(tree.n_nodes)  # of the model of the node itself
    from_above = np.zeros_like(own)
    order = np.argsort(tree.node_depth, kind="stable")
    ends = np.cumsum(np.bincount(tree.node_depth))
    for begin, end in pairwise(ends):
        nodes = order[begin:end]
        above, weight = tree.parent[nodes], tree.weight[nodes]
        share[nodes] = share[above] * (weight / (weight + k))
        lent = share[above] * (k / (weight + k))
        from_above[nodes] = from_above[above] + lent[:, None] * own[above]
    return share[:, None] * own + from_above


def path_weights(tree: Tree, path: tuple[int, ...], k: float) -> list[float]:
    """The share of each model on a path in the prediction of its last node."""
    weights, share = [], 1.0
    for below in path[1:]:
        n = float(tree.weight[below])
        weights.append(share * (k / (n + k)))
        share *= n / (n + k)
    return [*weights, share]
