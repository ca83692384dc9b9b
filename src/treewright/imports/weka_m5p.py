"""Model trees of Weka's M5P: below the tree, an equation for each leaf.

    M5 pruned model tree:
    (using smoothed linear models)

    vendor=ibm,nas <= 0.5 : LM1 (165/12.903%)
    vendor=ibm,nas >  0.5 : LM2 (44/20.5%)

    LM num: 1
    class =
        -0.0055 * MYCT
        + 5.4303 * vendor=ibm,nas
        + 11.0971

M5P orders the categories of a column by their mean target, and asks whether a row has one of the
last ones: `vendor=ibm,nas` is 1 for these and 0 for the others. It replaces missing values by the
mean of the column, or the most frequent category. Neither the other categories nor the means are
printed, so both come from a table. `M5P -R` has a number in place of each equation.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.fill_statistics import fill_of
from treewright.data.schema import Schema
from treewright.data.sources import table_from_any
from treewright.data.table import Table
from treewright.errors import DataError, ModelFileError
from treewright.imports.foreign import (
    ForeignModelTree,
    ForeignTree,
    Ints,
    Source,
    UnsupportedError,
)
from treewright.imports.printed_tree import (
    NUMBER,
    Line,
    PrintedTree,
    below,
    midpoints,
    number_in,
    set_mean_values,
    written,
)
from treewright.model_trees.coding import Coding
from treewright.model_trees.node_models import NodeModels
from treewright.tree.tree import Tree

LIBRARY = "Weka M5P"
THRESHOLD_ROUNDING = 0.5000001e-3
EQUATION_ROUNDING = 0.5000001e-4  # of coefficients
PREDICTION_ROUNDING = 0.5000001e-3  # of predictions as Weka prints them
IS_ONE_OF = "0.5"  # the threshold of a question for categories
REPLACED = (
    "M5P replaces missing values by means that are not printed; here they go to the larger branch"
)
NO_MISSING = (
    "M5P replaces missing values by means that are not printed, so missing values are refused; "
    "with the training rows as a table they are replaced as by M5P"
)
FILLED = "missing values are replaced by the means and most frequent categories of the table"
ROUNDED = "numbers of leaves are rounded as printed"
EQUATIONS_ROUNDED = "coefficients of the equations have 4 decimals, as printed"
SMOOTHED = "the equations are printed with smoothing, and used as they are"


@dataclass(frozen=True, slots=True)
class PrintedEquation:
    """target = intercept + coefficient * term + ..., terms as they are printed."""

    target: str
    intercept: float
    terms: Mapping[str, float]


def m5_tree(root: Line, after: Sequence[str], *, is_smoothed: bool) -> PrintedTree:
    """A tree of M5P with the models below it."""
    lines = below(root)
    leaves = [line for line in lines if not line.children]
    equations = equations_of(after)
    names = [f"LM{at}" for at in range(1, len(leaves) + 1)]
    if sorted(line.label for line in leaves) != sorted(names) or {*equations} != {*names}:
        raise ModelFileError("the leaves are other than the models below the tree")
    if not any(re.fullmatch(rf"Number of Rules : +{len(leaves)}", text) for text in after):
        raise ModelFileError(f"{len(leaves)} leaves, other than `Number of Rules` says")
    if not all(line.column for line in lines[1:]):
        raise ModelFileError("a branch of the tree has no condition")
    targets = {one.target for one in equations.values()}
    if len(targets) > 1:
        raise ModelFileError("the equations are of different targets")
    has_terms = any(one.terms for one in equations.values())
    if has_terms:
        for line in leaves:  # where a leaf is in the tree: its value is the number of its model
            line.label = line.label.removeprefix("LM")
        notes = [EQUATIONS_ROUNDED, *([SMOOTHED] if is_smoothed else [])]
    else:
        for line in leaves:
            line.label = repr(equations[line.label].intercept)
        notes = [ROUNDED]
    set_mean_values(root)
    return PrintedModels(
        library=LIBRARY,
        root=root,
        classes=None,
        missing="majority",
        rounding=lambda _: THRESHOLD_ROUNDING,
        from_values=midpoints,
        notes=tuple(notes),
        target_name=targets.pop(),
        equations=tuple(equations[name] for name in names) if has_terms else (),
    )


def equations_of(after: Sequence[str]) -> dict[str, PrintedEquation]:
    """The equation of each model, by its name."""
    found: dict[str, PrintedEquation] = {}
    at = 0
    while at < len(after) and not after[at].startswith("Number of Rules"):
        number = re.fullmatch(r"LM num: (\d{1,7})", after[at])
        at += 1
        if number is None:
            if after[at - 1]:
                raise ModelFileError(f"`{after[at - 1][:50]}` is not known below a tree of M5P")
            continue
        name = f"LM{number[1]}"
        end = next((one for one in range(at, len(after)) if not after[one]), len(after))
        if name in found:
            raise ModelFileError(f"{name} occurs twice")
        found[name] = equation_in(after[at:end], name)
        at = end
    return found


def equation_in(texts: Sequence[str], name: str) -> PrintedEquation:
    """An equation: its target, then a line for each term, and the intercept last."""
    if len(texts) < 2 or not texts[0].endswith(" ="):
        raise ModelFileError(f"{name} has no equation")
    terms: dict[str, float] = {}
    for text in texts[1:-1]:
        term = re.fullmatch(rf"\t?(?:([-+]) )?({NUMBER}) \* (.+)", text)
        if term is None or (term[1] is None) == bool(terms) or term[3] in terms:
            raise ModelFileError(f"{name}: `{text[:50]}` is not a term of its equation")
        terms[term[3]] = signed(term[1], term[2], name)
    last = re.fullmatch(rf"\t?([-+]) ({NUMBER})", texts[-1])
    if last is None:
        raise ModelFileError(f"{name}: `{texts[-1][:50]}` is not the number at its end")
    return PrintedEquation(texts[0].removesuffix(" ="), signed(last[1], last[2], name), terms)


def signed(sign: str | None, digits: str, name: str) -> float:
    size = number_in(digits, name)
    return -size if sign == "-" else size


# ---------------------------------------------------------------------------- names of terms


def categories_in(text: str, levels: Sequence[str]) -> tuple[str, ...]:
    """The categories in `Rome,Ulm`; empty unless it can be read in exactly one way.

    A category may itself hold a comma.
    """
    known, pieces = {*levels}, text.split(",")
    n_pieces = [level.count(",") + 1 for level in known]
    longest = max(n_pieces, default=0)
    if len(pieces) > sum(n_pieces):
        return ()
    found: list[list[tuple[str, ...]]] = [[()]]  # by the number of pieces
    for end in range(1, len(pieces) + 1):
        ways = [
            (*way, one)
            for begin in range(max(end - longest, 0), end)
            if found[begin] and (one := ",".join(pieces[begin:end])) in known
            for way in found[begin]
            if one not in way
        ]
        found.append(ways[:2])
    return found[-1][0] if len(found[-1]) == 1 else ()


def column_of_term(text: str, table: Table) -> tuple[str, tuple[str, ...]]:
    """The column of a term or condition, and its categories if it asks for these."""
    columns = {column.name: column for column in table.columns}
    if isinstance(columns.get(text), NumericColumn):
        return text, ()
    found = []
    for at in [place for place, letter in enumerate(text) if letter == "="]:
        column = columns.get(text[:at])
        if isinstance(column, NominalColumn):
            own = categories_in(text[at + 1 :], [str(one) for one in column.levels])
            found += [(column.name, own)] if own else []
    if len(found) != 1:
        raise DataError(
            f"the table has no column of numbers or categories for `{text[:80]}`",
            hint="give the training rows, as M5P had them",
        )
    return found[0]


# ---------------------------------------------------------------------------- the model


@dataclass(frozen=True, eq=False, kw_only=True)
class PrintedModels(PrintedTree):
    """A tree of M5P: conditions may ask for categories, and leaves may have equations."""

    target_name: str
    equations: tuple[PrintedEquation, ...] = ()  # LM1, LM2, ...; empty if leaves are numbers
    terms: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    table: Table | None = None  # of the training rows

    @property
    def may_be_leaf(self) -> bool:
        return bool(self.equations)  # which name their columns

    def source(self, X: Any = None) -> Source:
        lines = below(self.root)
        named = {line.column for line in lines if line.column}
        named |= {term for one in self.equations for term in one.terms}
        asking = next((name for name in sorted(named) if "=" in name), None)
        if X is None and asking is not None:
            raise UnsupportedError(
                f"the text does not name all categories of `{asking.partition('=')[0][:50]}`",
                hint="give the training rows: `import_model(..., X=rows)`, or --table",
            )
        if X is None:
            terms: dict[str, tuple[str, tuple[str, ...]]] = {name: (name, ()) for name in named}
            notes = (*self.notes, NO_MISSING if self.equations else REPLACED)
            own = replace(self, terms=terms, notes=notes)
            found = PrintedTree.source(own)
        else:
            table = rows_with_target(table_from_any(X), self.target_name)
            terms = {name: column_of_term(name, table) for name in sorted(named)}
            for line in lines[1:]:
                ask_for_categories(line, terms[line.column])
            own = replace(
                self,
                terms=terms,
                table=table,
                notes=(*self.notes, FILLED),
                has_unnamed=any(levels for _, levels in terms.values()),
            )
            found = PrintedTree.source(own, table)
        if isinstance(found.model, ForeignModelTree):
            return replace(found, rounding=own.rounding_of)
        return replace(found, rounding=lambda X: np.full(len(X), PREDICTION_ROUNDING))

    def rounding_of(self, X: Any) -> Floats:
        """How far predictions may be off because coefficients are printed with 4 decimals."""
        table = table_from_any(X)
        columns = {column for column, levels in self.terms.values() if not levels}
        size = np.full(table.n_rows, 1.0 + sum(bool(levels) for _, levels in self.terms.values()))
        for column in columns & {*table.names}:
            own = np.abs(np.asarray(table[column].values, dtype=np.float64))
            known = own[np.isfinite(own)]  # a missing value is replaced by no larger one
            size += np.where(np.isfinite(own), own, known.max(initial=0.0))
        return size * EQUATION_ROUNDING + PREDICTION_ROUNDING

    def more_columns(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for column, levels in self.terms.values():
            found[column] = (*found.get(column, ()), *levels)
        return found

    def tree(
        self,
        restored: dict[int, float],
        known: dict[str, tuple[str, ...]],
        notes: tuple[str, ...],
    ) -> ForeignTree:
        found = super().tree(restored, known, notes)
        coding = self.coding(found.schema)
        tree = found.tree
        if self.table is not None:
            tree = replace(tree, missing_child=filled_child(tree, coding))
        if not self.equations:
            return replace(found, tree=tree)
        models = self.models(tree, coding)
        return ForeignModelTree(
            library=found.library,
            tree=replace(tree, **values_of(tree, models, coding)),
            classes=None,
            notes=found.notes,
            models=models,
            coding=coding,
            target_name=self.target_name,
            is_filled=self.table is not None,
        )

    def coding(self, schema: Schema) -> Coding:
        """The order of categories that all terms keep, and what replaces missing values."""
        fills = np.zeros(schema.n_columns)
        ranks: list[Ints] = []
        for at, spec in enumerate(schema.columns):
            fill = None
            if self.table is not None:
                column = self.table[spec.name]
                fill = fill_of(column, np.ones(self.table.n_rows), "mean")
            if spec.is_numeric:
                fills[at] = 0.0 if fill is None else float(fill)
                ranks.append(np.zeros(0, dtype=np.int64))
                continue
            codes = {written(level): code for code, level in enumerate(spec.levels)}
            fills[at] = 0 if fill is None else codes[str(fill)]
            sets = {frozenset(levels) for name, levels in self.terms.values() if name == spec.name}
            nested = sorted(sets, key=len)
            if any(not small <= large for small, large in pairwise(nested)):
                raise ModelFileError(f"no order of the categories of `{spec.name}` fits all terms")
            n_sets = np.array([sum(level in one for one in nested) for level in codes])
            rank = np.empty(len(codes), dtype=np.int64)
            rank[np.argsort(n_sets, kind="stable")] = np.arange(len(codes))
            ranks.append(rank)
        starts = np.cumsum([0, *map(len, ranks)], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        return Coding(schema, fills, starts, np.concatenate([none, *ranks]))

    def models(self, tree: Tree, coding: Coding) -> NodeModels:
        """The equations of all nodes; those of inner nodes are not printed."""
        intercepts = np.zeros(tree.n_nodes)
        starts, entries = [0], []
        for node in range(tree.n_nodes):
            if tree.n_children[node] == 0:
                equation = self.equations[int(tree.value[node, 0]) - 1]
                intercepts[node] = equation.intercept
                sums: dict[tuple[int, int], float] = {}
                for name, coefficient in equation.terms.items():
                    column, levels = self.terms[name]
                    at = coding.schema.position(column)
                    cut = len(coding.ranks(at)) - len(levels) if levels else 0
                    sums[at, cut] = sums.get((at, cut), 0.0) + coefficient
                    if levels and cut == 0:
                        raise UnsupportedError(f"`{name[:80]}` is every category of its column")
                entries += [(*term, coefficient) for term, coefficient in sorted(sums.items())]
            starts.append(len(entries))
        columns, cuts, coefficients = zip(*entries, strict=True)
        return NodeModels(
            intercepts,
            np.array(starts, dtype=np.int64),
            np.array(columns, dtype=np.int64),
            np.array(cuts, dtype=np.int64),
            np.array(coefficients, dtype=np.float64),
        )


def rows_with_target(table: Table, name: str) -> Table:
    """The rows that M5P learned from: it leaves out those without a target."""
    if name not in table.names:
        return table
    return table.take(np.flatnonzero(~np.asarray(table[name].is_missing)))


def ask_for_categories(line: Line, term: tuple[str, tuple[str, ...]]) -> None:
    """Make `town=Rome,Ulm <= 0.5` ask for the categories."""
    column, levels = term
    if not levels:
        return
    if line.bound != IS_ONE_OF:
        raise ModelFileError(f"{line.where}: whether a row has a category is compared with 0.5")
    line.column, line.levels, line.bound = column, levels, ""
    line.sign = "!=" if line.sign == "<=" else "="


def filled_child(tree: Tree, coding: Coding) -> NDArray[np.int32]:
    """The child for missing values, which are replaced before they are asked."""
    found = tree.missing_child.copy()
    for node in np.flatnonzero(tree.n_children > 0).tolist():
        at = int(tree.feature[node])
        fill = coding.fills[at]
        if coding.schema.columns[at].is_numeric:
            found[node] = fill > tree.threshold[node]
            continue
        own = slice(tree.level_start[node], tree.level_start[node + 1])
        found[node] = tree.level_child[own][tree.level_code[own] == int(fill)][0]
    return found


def values_of(tree: Tree, models: NodeModels, coding: Coding) -> dict[str, Any]:
    """The prediction of each node for a row of the replacements of missing values."""
    fills = np.array([coding.fill_number(at) for at in range(coding.schema.n_columns)])
    values = models.intercepts.copy()
    node = np.repeat(np.arange(tree.n_nodes), np.diff(models.starts))
    numbers = np.where(models.cuts > 0, fills[models.columns] >= models.cuts, fills[models.columns])
    np.add.at(values, node, models.coefficients * numbers)
    for inner in range(tree.n_nodes - 1, -1, -1):
        if tree.n_children[inner]:
            first = int(tree.first_child[inner])
            own = slice(first, first + int(tree.n_children[inner]))
            values[inner] = np.average(values[own], weights=tree.weight[own])
    unknown = np.zeros(tree.n_nodes)
    return {"value": values[:, None], "impurity": unknown, "gain": unknown, "score": unknown}
