"""Single trees that other programs print as text: lines become a `Tree`.

A text says less than a model file. Numbers are rounded, and what happens to missing values is not
printed; so the notes of the import say what was assumed. A table restores the thresholds.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.comparison import Comparison
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources import table_from_any
from treewright.errors import ModelFileError, UnknownColumnError
from treewright.imports.foreign import MOST_DEPTH, ForeignTree, Source, UnsupportedError
from treewright.measures import gini
from treewright.tree.check import check_tree
from treewright.tree.drafting import Draft, drafted_arrays, in_order
from treewright.tree.layout import BRANCHES, SPREAD, STOP, SUBSET, THRESHOLD
from treewright.tree.tree import Tree

MOST_BYTES = 2**26  # of a text
MOST_DIGITS = 40
MOST_ROWS = 2.0**53
WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?"
SIDES: dict[str, Any] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
MISSING_STOP = -1  # the node itself predicts
NO_ORIGINAL = "the file cannot be run; give a table and the original's predictions for it"


@dataclass(slots=True, eq=False)
class Line:
    """A line of a printed tree: the condition that leads to a node, and what the node holds."""

    number: int  # in the file, from 1
    column: str = ""
    sign: str = ""  # "<", "<=", ">", ">=", "=" or "!="
    bound: str = ""  # a number as printed
    levels: tuple[str, ...] = ()
    label: str = ""  # what is predicted, as printed
    weight: float = 0.0
    errors: float = 0.0  # weight of other classes
    impurity: float = 0.0
    value: Floats | None = None
    missing_at: int = MISSING_STOP  # the child for missing values, where that is stated
    children: "list[Line]" = field(default_factory=list)

    @property
    def where(self) -> str:
        return f"line {self.number}"


def lines_of(content: bytes) -> list[str]:
    """The lines of a text."""
    if len(content) > MOST_BYTES:
        raise ModelFileError(f"the text is larger than {MOST_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ModelFileError(f"byte {error.start} is not UTF-8 text") from None


def number_in(text: str, where: str) -> float:
    """A finite number."""
    if len(text) > MOST_DIGITS or not re.fullmatch(NUMBER, text) or not isfinite(float(text)):
        raise ModelFileError(f"{where}: `{text[:50]}` is not a finite number")
    return float(text)


def hang_by_depth(root: Line, nodes: Sequence[tuple[int, Line]]) -> None:
    """Give lines to their parents; each comes with its depth, 1 for children of the root."""
    path = [root]
    for depth, line in nodes:
        if not 1 <= depth <= len(path) or depth > MOST_DEPTH:
            raise ModelFileError(f"{line.where}: it is indented too far")
        del path[depth:]
        path[-1].children.append(line)
        path.append(line)


def below(root: Line) -> list[Line]:
    """All lines, parents before children."""
    found = [root]
    for line in found:
        found.extend(line.children)
    return found


def typed(labels: Sequence[str]) -> list[Any]:
    """The labels as whole numbers if all of them are such, otherwise as they are."""
    if all(WHOLE.fullmatch(one) for one in labels):
        return [int(one) for one in labels]
    return list(labels)


# ---------------------------------------------------------------------------- values


def set_class_values(root: Line, classes: Sequence[str]) -> str:
    """Weights of classes from the label, weight and errors of each leaf; a note on what is missing.

    The text says how many rows are of other classes, not of which: these share them equally.
    """
    n, code_of = len(classes), {label: at for at, label in enumerate(classes)}
    lines = below(root)
    for line in lines:
        if line.children:
            continue
        line.value = np.zeros(n)
        if line.errors > 0:
            line.value += line.errors / (n - 1)
        line.value[code_of[line.label]] = max(line.weight - line.errors, 0.0)
        if line.weight <= 0:
            line.value[code_of[line.label]] = 1.0  # no training row: the label alone is known
    add_up(lines)
    has_errors = n > 2 and any(line.errors > 0 and not line.children for line in lines)
    if not has_errors:
        return ""
    return (
        "the text does not say of which classes the errors of a leaf are: probabilities of "
        "other classes are equal shares"
    )


def set_mean_values(root: Line) -> None:
    """Means from the label of each leaf."""
    lines = below(root)
    for line in lines:
        if not line.children:
            line.value = np.array([number_in(line.label, line.where)])
    add_up(lines, mean=True)


def add_up(lines: Sequence[Line], *, mean: bool = False) -> None:
    """Weights and values of inner nodes from those of their children."""
    for line in reversed(lines):
        if not line.children:
            continue
        own = [child for child in line.children if child.weight > 0]
        line.weight = float(sum(child.weight for child in own))
        used = own or line.children
        values = np.array([child.value for child in used])
        if mean:
            weights = [child.weight for child in own] or None
            line.value = np.average(values, axis=0, weights=weights)
            within = np.array([child.impurity for child in used])
            between = np.square(values[:, 0] - line.value[0])
            line.impurity = float(np.average(within + between, weights=weights))
        else:
            line.value = values.sum(axis=0) if own else values[0]


# ---------------------------------------------------------------------------- the tree


@dataclass(frozen=True, eq=False, kw_only=True)
class PrintedTree:
    """All that is known of a printed tree."""

    library: str
    root: Line
    classes: Sequence[str] | None
    missing: str  # where missing values go: "majority", "spread" or as "stated" at each node
    words: str = "printed tree"
    is_exact: bool = False  # thresholds are not rounded
    text_columns: frozenset[str] = frozenset()  # whose categories are texts, also `1` and `2`
    boolean_columns: frozenset[str] = frozenset()  # whose categories are true and false
    classes_are_text: bool = False
    has_unnamed: bool = False  # categories that the text does not name are refused
    criterion: str = ""
    # How far thresholds may be off, and from which neighboring values of a column they are made.
    rounding: Callable[[str], float]
    from_values: Callable[[Floats, Floats], Floats]
    from_all_rows: bool = False  # or from those of the node
    notes: tuple[str, ...] = ()

    @property
    def may_be_leaf(self) -> bool:
        """Whether the columns are known although no node asks them."""
        return False

    def more_columns(self) -> dict[str, tuple[str, ...]]:
        """Columns that leaves use, with their categories."""
        return {}

    def source(self, X: Any = None) -> Source:
        """The model; the rows of X, if given, restore its thresholds and categories."""
        if not self.root.children and not self.may_be_leaf:
            raise UnsupportedError("the tree is a single leaf, so that its columns are not known")
        note = "thresholds are as printed, which may be rounded; the training table restores them"
        if X is not None and not self.is_exact:
            model = self.with_table(X)
        else:
            is_rounded = not self.is_exact and any(line.bound for line in below(self.root))
            model = self.tree({}, {}, (note,) if is_rounded else ())
        return Source(self.words, model, why_no_original=NO_ORIGINAL, uses_table=not self.is_exact)

    def with_table(self, X: Any) -> ForeignTree:
        """The model whose thresholds and categories are those of a table."""
        table = table_from_any(X)
        known = {
            column.name: tuple(map(str, column.levels))
            for column in table.columns
            if isinstance(column, NominalColumn)
        }
        restored: dict[int, float] = {}
        rows = {id(self.root): np.arange(table.n_rows)}
        asking = [line for line in below(self.root) if line.children]
        asked = [line.children[0].column for line in asking]
        if asked and not {*asked} & {*table.names}:
            raise UnknownColumnError.among(asked[0], table.names, source="the table")
        for line in asking:
            name, own = line.children[0].column, rows.pop(id(line))
            column = table[name] if name in table.names else None
            if isinstance(column, NumericColumn) and line.children[0].bound:
                values = column.values if self.from_all_rows else column.values[own]
                self.restore(line, values, restored)
            for child in line.children:
                rows[id(child)] = own[goes_to(child, column, own, restored.get(id(line)))]
        n_bounds = sum(bool(line.children[0].bound) for line in asking)
        note = f"{len(restored)} of {n_bounds} thresholds are restored from the table; others are "
        return self.tree(restored, known, (note + "as printed",) if n_bounds else ())

    def restore(self, line: Line, values: Floats, restored: dict[int, float]) -> None:
        """Find the one threshold between values of a node's rows that is printed like its own."""
        bound = line.children[0].bound
        own = np.unique(values[~np.isnan(values)])
        found = self.from_values(own[:-1], own[1:])
        near = np.unique(found[np.abs(found - float(bound)) <= self.rounding(bound)])
        if len(near) == 1:
            restored[id(line)] = float(near[0])

    def tree(
        self,
        restored: dict[int, float],
        known: dict[str, tuple[str, ...]],
        notes: tuple[str, ...],
    ) -> ForeignTree:
        """The model with these thresholds and further categories."""
        lines = below(self.root)
        schema, has_others = columns_of(
            lines, known, self.text_columns, self.boolean_columns, self.more_columns()
        )
        has_others |= self.has_unnamed
        if has_others:
            notes = (*notes, "categories that neither the text nor the table names are refused")
        drafts = {id(line): draft_of(line) for line in lines}
        if self.classes is not None:
            for draft in drafts.values():
                draft.impurity = float(gini(draft.value))
        for line in lines:
            if line.children:
                ask(line, drafts, schema, restored)
                missing_child(line, drafts, self.missing)
        for number, draft in enumerate(in_order(drafts[id(self.root)])):
            if draft.children:
                draft.gain = draft.score = gain_of(draft)
                draft.split_order = number
        classes = None
        if self.classes is not None:
            labels = list(self.classes)
            classes = np.array(labels if self.classes_are_text else typed(labels))
        tree = Tree.from_arrays(
            drafted_arrays(drafts[id(self.root)]),
            schema=schema,
            classes=classes,
            unseen="error" if has_others else "missing",
        )
        check_tree(tree)
        return ForeignTree(
            library=self.library,
            tree=tree,
            classes=classes,
            criterion=self.criterion,
            notes=(*self.notes, *notes),
        )


def columns_of(
    lines: Sequence[Line],
    known: dict[str, tuple[str, ...]],
    texts: frozenset[str],
    booleans: frozenset[str],
    more: dict[str, tuple[str, ...]],
) -> tuple[Schema, bool]:
    """The columns that are asked, and whether a condition is on categories that are not named."""
    levels: dict[str, dict[str, None]] = {}
    signs: dict[str, set[str]] = {}
    for line in lines[1:]:
        levels.setdefault(line.column, {}).update(dict.fromkeys(line.levels))
        signs.setdefault(line.column, set()).add(line.sign)
    for name, named in more.items():
        levels.setdefault(name, {}).update(dict.fromkeys(named))
        signs.setdefault(name, {"="} if named else {"<="})
    has_others = any("!=" in own for own in signs.values())
    specs = []
    for name, own in levels.items():
        is_strict, is_usual = bool(signs[name] & {"<", ">="}), bool(signs[name] & {"<=", ">"})
        if is_strict + is_usual + bool(own) != 1:
            raise UnsupportedError(f"column `{name[:50]}` is compared in several ways")
        if own:
            all_levels = [*own, *(one for one in known.get(name, ()) if one not in own)]
            levels_of_type = all_levels if name in texts else typed(all_levels)
            if name in booleans and {*all_levels} <= {"true", "false"}:
                levels_of_type = [level == "true" for level in all_levels]
            specs.append(ColumnSpec(name, "nominal", tuple(levels_of_type)))
        else:
            specs.append(ColumnSpec(name, "numeric", comparison=Comparison(strict=is_strict)))
    return Schema(tuple(specs), has_names=True, by_name=True), has_others


def draft_of(line: Line) -> Draft:
    assert line.value is not None
    if not 0 <= line.weight <= MOST_ROWS:
        raise ModelFileError(f"{line.where}: a weight that is negative or too large")
    return Draft(line.value, line.weight, round(line.weight), line.impurity)


def goes_to(
    child: Line, column: Column | None, rows: NDArray[np.intp], bound: float | None
) -> NDArray[np.bool_]:
    """Which rows of a node go to a child."""
    if isinstance(column, NumericColumn) and child.bound:
        at = float(child.bound) if bound is None else bound
        return np.asarray(SIDES[child.sign](column.values[rows], at))
    if isinstance(column, NominalColumn):
        named = np.isin([*map(str, column.levels), ""], child.levels) != (child.sign == "!=")
        return np.asarray(named[column.codes[rows]] & (column.codes[rows] >= 0))
    return np.zeros(len(rows), dtype=np.bool_)


def gain_of(draft: Draft) -> float:
    """The impurity that a split takes away, per unit of weight."""
    if draft.weight <= 0:
        return 0.0
    after = sum(child.weight * child.impurity for child in draft.children) / draft.weight
    return max(draft.impurity - after, 0.0)


def ask(line: Line, drafts: dict[int, Draft], schema: Schema, restored: dict[int, float]) -> None:
    """Make the draft of an inner node ask what the lines of its children say."""
    draft, children = drafts[id(line)], line.children
    name = children[0].column
    if len(children) < 2 or any(child.column != name for child in children):
        raise ModelFileError(f"{children[0].where}: the branches of its node do not fit together")
    draft.feature = schema.position(name)
    spec = schema.columns[draft.feature]
    ordered = children
    signs = {child.sign for child in children}
    if spec.is_numeric:
        if len(children) != 2 or signs != {*spec.comparison.signs} or not same_bound(children):
            raise ModelFileError(f"{children[0].where}: the branches are not two sides of a number")
        ordered = sorted(children, key=lambda child: child.sign not in ("<", "<="))
        bound = restored.get(id(line), number_in(children[0].bound, children[0].where))
        draft.kind, draft.threshold = THRESHOLD, spec.comparison.threshold(bound)
    else:
        draft.kind = SUBSET if len(children) == 2 and sets_of(children) else BRANCHES
        sides = categories_of(children, spec)
        draft.level_code = sorted(sides)
        draft.level_child = [sides[code] for code in draft.level_code]
    draft.children = [drafts[id(child)] for child in ordered]


def same_bound(children: Sequence[Line]) -> bool:
    return children[0].bound == children[1].bound


def sets_of(children: Sequence[Line]) -> bool:
    """Whether a branch takes several categories."""
    return any(len(child.levels) > 1 or child.sign == "!=" for child in children)


def categories_of(children: Sequence[Line], spec: ColumnSpec) -> dict[int, int]:
    """The child of each category, both by number."""
    code_of = {written(level): code for code, level in enumerate(spec.levels)}
    signs = [child.sign for child in children]
    if sorted(signs) == ["!=", "="] and children[0].levels == children[1].levels:
        own, with_own = children[0].levels, signs.index("=")
        found = {
            code: with_own if level in own else 1 - with_own for level, code in code_of.items()
        }
        if len({*found.values()}) < 2:
            raise UnsupportedError(
                f"{children[0].where}: the text names no other category of `{spec.name[:50]}`",
                hint="give a table with this column",
            )
        return found
    found = {code_of[one]: at for at, child in enumerate(children) for one in child.levels}
    n_named = sum(len(child.levels) for child in children)
    if {*signs} != {"="} or len(found) != n_named:
        raise ModelFileError(f"{children[0].where}: a category has not exactly one branch")
    return found


def written(level: Any) -> str:
    """A category as a text has it."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def missing_child(line: Line, drafts: dict[int, Draft], missing: str) -> None:
    """Where missing values go."""
    draft = drafts[id(line)]
    if missing == "spread":
        draft.missing_child = SPREAD if line.weight > 0 else STOP
    elif missing == "majority":
        draft.missing_child = int(np.argmax([child.weight for child in draft.children]))
    elif line.missing_at != MISSING_STOP:
        draft.missing_child = draft.children.index(drafts[id(line.children[line.missing_at])])


def known_classes(lines: Sequence[Line], listed: Sequence[str]) -> list[str]:
    """The classes: those that a summary lists, otherwise those that leaves name."""
    named = dict.fromkeys(line.label for line in lines if not line.children)
    if listed and {*named} <= {*listed}:
        return list(listed)
    found = sorted(named)
    has_errors = any(line.errors > 0 for line in lines if not line.children)
    return [*found, "other"] if len(found) < 2 and has_errors else found


def significant_digits(root: Line) -> Callable[[str], float]:
    """How far a threshold may be off if all are rounded to the same number of digits."""
    bounds = {line.bound for line in below(root) if line.bound}
    most = max([len(digits_of(bound)) for bound in bounds], default=0)

    def rounding(bound: str) -> float:
        number = abs(float(bound))
        return 0.5000001 * 10.0 ** (np.floor(np.log10(number)) + 1 - most) if number > 0 else 0.0

    return rounding


def digits_of(bound: str) -> str:
    """The digits of a number without leading zeros."""
    return re.split("[eE]", bound)[0].replace(".", "").lstrip("-0")


def lower(low: Floats, high: Floats) -> Floats:
    """Thresholds that are values of training rows."""
    return low


def midpoints(low: Floats, high: Floats) -> Floats:
    return low / 2 + high / 2
