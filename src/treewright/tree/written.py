"""Trees written by hand: from conditions and predictions to a `Tree`.

A written tree has no training rows. Every leaf counts as one row unless it says otherwise, so
that inner nodes predict too: what most leaves below them do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.comparison import Comparison
from treewright.data.printed_thresholds import exact_text
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ParameterError
from treewright.measures import gini
from treewright.tree.conditions import Clause, Level
from treewright.tree.drafting import Draft, drafted_arrays, in_order
from treewright.tree.layout import BRANCHES, INTERVALS, SPREAD, STOP, STOP_REASONS, THRESHOLD
from treewright.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class WrittenLeaf:
    """A prediction: a class or a number."""

    prediction: Any
    weight: float | None = None  # None: it counts as one, without training rows
    errors: float = 0.0  # weight of other classes


@dataclass(frozen=True, slots=True)
class WrittenSplit:
    """A question: conditions on one column, and what follows from each."""

    branches: "tuple[tuple[Clause, Written], ...]"

    @property
    def column(self) -> str:
        return self.branches[0][0].column


Written = WrittenLeaf | WrittenSplit

ROUTES = {"stop": STOP, "fractional": SPREAD}  # of missing values; "majority" depends on the node


def written_tree(
    written: Written, *, columns: Sequence[str] | None, numbers: bool, missing: str, unseen: str
) -> tuple[Tree, list[Any] | None]:
    """The tree, and its classes in sorted order; None where it predicts numbers."""
    nodes = nodes_of(written)
    predictions = [node.prediction for node in nodes if isinstance(node, WrittenLeaf)]
    classes = None if numbers else classes_of(predictions)
    # What was grown has counts, and has said elsewhere what it does with missing values.
    is_grown = any(isinstance(node, WrittenLeaf) and node.weight is not None for node in nodes)
    schema = schema_of(nodes, columns)
    drafts: dict[int, Draft] = {}
    for node in reversed(nodes):
        if isinstance(node, WrittenLeaf):
            drafts[id(node)] = draft_leaf(node, classes)
        else:
            children = [drafts[id(child)] for _, child in node.branches]
            drafts[id(node)] = draft_split(node, children, schema, missing, is_grown=is_grown)
    root = drafts[id(written)]
    inner = [draft for draft in in_order(root) if draft.children]
    for order, draft in enumerate(inner):
        draft.split_order = order
    arrays = drafted_arrays(root)
    return Tree.from_arrays(arrays, schema=schema, classes=classes, unseen=unseen), classes


def nodes_of(written: Written) -> list[Written]:
    """All nodes, parents before their children."""
    nodes = [written]
    for node in nodes:  # grows while it is read
        if isinstance(node, WrittenSplit):
            nodes.extend(child for _, child in node.branches)
    return nodes


def classes_of(predictions: Sequence[Any]) -> list[Any] | None:
    """The different predictions in order; None if they are numbers with a point."""
    kinds = {type(prediction) for prediction in predictions}
    if kinds == {float}:
        return None
    if len(kinds) > 1 or not kinds <= {str, int, bool}:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ParameterError(
            f"the predictions of the tree are of these types: {names}",
            hint="use one of str, int and bool for classes; numbers=True takes all as numbers",
        )
    return sorted(set(predictions))


# ---------------------------------------------------------------------------- columns


def schema_of(nodes: Sequence[Written], columns: Sequence[str] | None) -> Schema:
    """The columns that the tree asks, in the order of `columns` or of their first question."""
    clauses: dict[str, list[Clause]] = {name: [] for name in columns or ()}
    splits = [node for node in nodes if isinstance(node, WrittenSplit)]
    for clause in (clause for node in splits for clause, _ in node.branches):
        if columns is not None and clause.column not in clauses:
            raise ParameterError(
                f"the tree asks for `{clause.column}`, which is not in `columns`",
                hint=f"columns are: {', '.join(columns)}",
            )
        clauses.setdefault(clause.column, []).append(clause)
    if not clauses:
        raise ParameterError("the tree asks nothing", hint="name the columns: columns=[...]")
    specs = tuple(spec_of(name, asked) for name, asked in clauses.items())
    return Schema(specs, by_name=True)


def spec_of(name: str, clauses: Sequence[Clause]) -> ColumnSpec:
    levels = tuple(dict.fromkeys(level for clause in clauses for level in clause.levels))
    if not levels:
        bounded = [clause for clause in clauses if clause.is_numeric]
        strict = bool(bounded) and all(clause.strict for clause in bounded)
        return ColumnSpec(name, "numeric", comparison=Comparison(strict=strict))
    if any(clause.is_numeric for clause in clauses):
        raise ParameterError(f"`{name}` is compared with a number here and with a level there")
    return ColumnSpec(name, "nominal", as_integers(levels))


def as_integers(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    """Levels that were all written as integers are integers, as in a table that was read."""
    if all(isinstance(level, str) and level.lstrip("-").isdecimal() for level in levels):
        numbers = tuple(int(level) for level in levels)
        return numbers if len(set(numbers)) == len(numbers) else levels
    return levels


# ---------------------------------------------------------------------------- nodes


def draft_leaf(leaf: WrittenLeaf, classes: list[Any] | None) -> Draft:
    weight = 1.0 if leaf.weight is None else leaf.weight
    if classes is None:
        value = np.array([as_number(leaf.prediction)])
    else:
        value = np.full(len(classes), leaf.errors / max(len(classes) - 1, 1))
        value[classes.index(leaf.prediction)] = weight - leaf.errors or 1.0  # also of an empty leaf
    n_rows = 0 if leaf.weight is None else round(leaf.weight)
    return Draft(
        value, weight, n_rows, impurity_of(value), stop_reason=STOP_REASONS.index("written")
    )


def as_number(prediction: Any) -> float:
    try:
        found = float(prediction)
    except (TypeError, ValueError):
        found = inf
    if not isfinite(found):
        raise ParameterError(f"the prediction {prediction!r} is not a number")
    return found


def impurity_of(value: Floats) -> float:
    return 0.0 if len(value) == 1 else float(gini(value))


def draft_split(
    split: WrittenSplit, children: list[Draft], schema: Schema, missing: str, *, is_grown: bool
) -> Draft:
    """An inner node over `children`, which come in the order of the branches."""
    clauses = [clause for clause, _ in split.branches]
    if len(clauses) < 2:
        raise ParameterError(
            f"`{split.column}` has one branch only", hint="a split needs two or more"
        )
    if sum(map(takes_the_rest, clauses)) > 1:
        raise ParameterError(f"two branches of `{split.column}` take what no other one names")
    spec = schema.columns[schema.position(split.column)]
    spell_out_the_rest(clauses, children, spec, with_missing=not is_grown)
    node = pooled(children)
    node.feature = schema.position(split.column)
    order = set_question(node, clauses, spec)
    node.children = [children[i] for i in order]
    words = [clauses[i].word for i in order]
    if "missing" in words:
        node.missing_child = words.index("missing")
    elif missing == "majority":
        node.missing_child = int(np.argmax([child.weight for child in node.children]))
    else:
        node.missing_child = ROUTES[missing]
    return node


def spell_out_the_rest(
    clauses: list[Clause], children: list[Draft], spec: ColumnSpec, *, with_missing: bool
) -> None:
    """Give the branch for the rest what it takes: numbers between the others, missing values."""
    for clause, child in list(zip(clauses, children, strict=True)):
        if not takes_the_rest(clause):
            continue
        taken = [Clause(spec.name, low, high) for low, high in gaps_between(clauses)]
        if with_missing and not any(other.word == "missing" for other in clauses):
            taken.append(Clause(spec.name, word="missing"))
        if spec.is_numeric:
            place = clauses.index(clause)
            del clauses[place], children[place]
        else:
            taken = [one for one in taken if one.word]
        clauses += taken
        children += [copied(child) for _ in taken]


def gaps_between(clauses: Sequence[Clause]) -> list[tuple[float, float]]:
    """The intervals that no clause takes."""
    taken = sorted((clause.low, clause.high) for clause in clauses if clause.is_numeric)
    ends = [-inf, *(high for _, high in taken)]
    starts = [*(low for low, _ in taken), inf]
    return [(end, start) for end, start in zip(ends, starts, strict=True) if end < start]


def takes_the_rest(clause: Clause) -> bool:
    """Whether a branch is for all that no branch beside it names."""
    return clause.word == "other" or clause.excluded


def copied(draft: Draft) -> Draft:
    """The same subtree once more."""
    return replace(draft, children=[copied(child) for child in draft.children])


def pooled(children: list[Draft]) -> Draft:
    """A node that holds what its children hold, and gains what they are purer."""
    reached = [child for child in children if child.weight > 0] or children
    weights = np.array([child.weight for child in reached])
    values = np.stack([child.value for child in reached])
    shares = weights / weights.sum() if weights.any() else np.full(len(weights), 1 / len(weights))
    below = portable.dot(shares, np.array([child.impurity for child in reached]))
    if values.shape[1] == 1:
        value = portable.weighted_sum(shares, values)
        impurity = below + portable.dot(shares, np.square(values - value)[:, 0])
    else:
        value = values.sum(axis=0)
        impurity = impurity_of(value)
    gain = max(impurity - below, 0.0)
    n_rows = sum(child.n_rows for child in reached)
    return Draft(value, float(weights.sum()), n_rows, impurity, gain=gain, score=gain)


def set_question(node: Draft, clauses: list[Clause], spec: ColumnSpec) -> list[int]:
    """Write the question of the clauses into `node`; the order of the children it asks for."""
    known = [i for i, clause in enumerate(clauses) if clause.word != "missing"]
    last = [i for i, clause in enumerate(clauses) if clause.word == "missing"]
    if len(last) > 1:
        raise ParameterError(f"`{spec.name} missing` stands on two branches")
    if spec.is_numeric:
        known.sort(key=lambda i: clauses[i].low)
        node.cut = cuts_between([clauses[i] for i in known], spec.name)
        node.kind = INTERVALS
        if len(node.cut) == 1:
            node.kind, node.threshold, node.cut = THRESHOLD, node.cut[0], []
        return known + last
    rest = [i for i in known if takes_the_rest(clauses[i])]
    listed = [i for i in known if i not in rest]
    code_of = {str(level): code for code, level in enumerate(spec.levels)}
    child_of: dict[int, int] = {}
    for child, i in enumerate(listed):
        for level in clauses[i].levels:
            if child_of.setdefault(code_of[str(level)], child) != child:
                raise ParameterError(f"`{spec.name} = {level}` stands on two branches")
    if not listed:
        raise ParameterError(f"no branch of `{spec.name}` names a level")
    node.kind = BRANCHES
    node.level_code = sorted(child_of)
    node.level_child = [child_of[code] for code in node.level_code]
    return listed + rest + last


def cuts_between(clauses: list[Clause], name: str) -> list[float]:
    """The cuts between intervals that leave no number out and take none twice."""
    ends = [-inf, *(clause.high for clause in clauses)]
    starts = [*(clause.low for clause in clauses), inf]
    for end, start in zip(ends, starts, strict=True):
        if start > end:
            raise ParameterError(f"no branch of `{name}` takes {numbers_between(end, start)}")
        if start < end:
            raise ParameterError(f"two branches of `{name}` take {numbers_between(start, end)}")
    return ends[1:-1]


def numbers_between(low: float, high: float) -> str:
    """The numbers above `low` up to `high`, in words.

    >>> numbers_between(3.0, 4.0), numbers_between(nextafter(2.5, -inf), 2.5)
    ('numbers above 3 up to 4', '2.5')
    """
    if nextafter(low, inf) == high:  # `x < 2.5` and `x > 2.5`
        return exact_text(high)
    return f"numbers above {exact_text(low)} up to {exact_text(high)}"
