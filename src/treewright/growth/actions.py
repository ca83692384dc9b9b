"""What a person does to a tree: frozen values that can be stored and applied again.

A node is named by its id. The root has id 0; every other node gets a new number when an action
makes it, and the action records the first of them (`first_id`), so that the same actions on the
same table give the same ids. An id is never used for another node: not after `undo`, either.
"""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

import numpy as np

from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import DataError, ParameterError, UnknownColumnError, nearest
from treewright.tree.conditions import BOUND, Clause, level_text, read_clause

Category = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Split a node.

    A number is compared with a `threshold`, or with several `cuts`. Of a column of categories,
    `categories` are those of the first branch; without them every category has its own branch.
    """

    node: int
    column: str
    threshold: float | None = None
    categories: tuple[Category, ...] = ()
    cuts: tuple[float, ...] = ()
    reason: str = ""
    author: str = ""
    first_id: int | None = None  # of the children; None until the action is applied


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune:
    """Make a node a leaf, and remove what is below it."""

    node: int
    reason: str = ""
    author: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Regrow:
    """Grow again from a node by the settings of the model, at most `max_depth` levels."""

    node: int
    max_depth: int | None = None
    reason: str = ""
    author: str = ""
    first_id: int | None = None  # of the new nodes; None until the action is applied


Action = Split | Prune | Regrow
ACTIONS: dict[str, type[Action]] = {"split": Split, "prune": Prune, "regrow": Regrow}


def as_dict(action: Action) -> dict[str, Any]:
    """The action as plain values for JSON; what is not set is left out.

    >>> as_dict(Split(node=0, column="age", threshold=30.0, author="Ann"))
    {'action': 'split', 'node': 0, 'column': 'age', 'threshold': 30.0, 'author': 'Ann'}
    """
    found: dict[str, Any] = {"action": type(action).__name__.lower()}
    for field in fields(action):
        value = getattr(action, field.name)
        if value not in (None, "", ()):
            found[field.name] = list(value) if isinstance(value, tuple) else value
    return found


def action_from(values: dict[str, Any]) -> Action:
    """The action that `as_dict` wrote.

    >>> action_from({"action": "prune", "node": 3})
    Prune(node=3, reason='', author='')
    """
    own = dict(values)
    name = own.pop("action", None)
    if name not in ACTIONS:
        raise ParameterError(
            f"`{name}` is not an action", hint=nearest(str(name), list(ACTIONS), "actions")
        )
    kind = ACTIONS[name]
    known = [field.name for field in fields(kind)]
    for key in own:
        if key not in known:
            raise ParameterError(f"no `{key}` in `{name}`", hint=nearest(key, known, "its parts"))
    own = {key: tuple(value) if isinstance(value, list) else value for key, value in own.items()}
    try:
        return kind(**own)
    except TypeError:
        missing = ", ".join(key for key in ("node", "column") if key in known and key not in own)
        raise ParameterError(f"`{name}` lacks {missing}") from None


# ---------------------------------------------------------------- conditions as people write them


def read_split(schema: Schema, node: int, condition: object) -> Split:
    """The split that a condition asks for: `age <= 30`, `color in {red, blue}`, `outlook`.

    A column alone is a split with one branch for each category.

    >>> schema = Schema((ColumnSpec("age", "numeric"), ColumnSpec("size", "nominal", ("S", "M"))))
    >>> read_split(schema, 0, "age > 30").threshold
    30.0
    >>> read_split(schema, 0, "size = M").categories
    ('M',)
    """
    if isinstance(condition, tuple) and len(condition) == 2:
        return _from_pair(schema, node, *condition)
    if not isinstance(condition, str):
        raise ParameterError(
            f"{condition!r} is not a split",
            hint="give a candidate, a condition such as `age <= 30`, or (column, threshold)",
        )
    text = condition.strip()
    if text in schema.names:
        return Split(node=node, column=text)
    if (found := BOUND.fullmatch(text)) and _names(schema, found["name"], kind="ordered"):
        spec = spec_named(schema, found["name"])
        code = code_of(spec, found["bound"])
        below = code - 1 if found["sign"] in ("<", ">=") else code
        return Split(node=node, column=spec.name, threshold=below + 0.5)
    clause = _clause(schema, text)
    spec = spec_named(schema, clause.column)
    if spec.kind == "nominal":
        return _by_category(spec, node, clause, text)
    is_one_cut = clause.is_numeric and isfinite(clause.low) != isfinite(clause.high)
    if not is_one_cut:
        raise ParameterError(
            f"`{text}` is not a split of the numbers of `{spec.name}`",
            hint=f"write `{spec.name} <= 5`, or give ({spec.name!r}, 5.0)",
        )
    bound = clause.high if isfinite(clause.high) else clause.low
    return Split(node=node, column=spec.name, threshold=float(bound))


def spec_named(schema: Schema, name: str) -> ColumnSpec:
    """The column with this name."""
    if name not in schema.names:
        raise UnknownColumnError.among(name, schema.names, source="the table")
    return schema.columns[schema.names.index(name)]


def _names(schema: Schema, name: str, kind: str) -> bool:
    return name in schema.names and spec_named(schema, name).kind == kind


def _clause(schema: Schema, text: str) -> Clause:
    """The condition; a text that is none may be a column, misspelled."""
    try:
        return read_clause(text)
    except ParameterError as error:
        if any(sign in text for sign in "<>="):
            raise
        hint = nearest(text, schema.names, "columns")
        raise ParameterError(
            f"`{text}` is neither a condition nor a column",
            hint=hint if hint.startswith("did") else error.hint,
        ) from None


def _from_pair(schema: Schema, node: int, column: object, at: object) -> Split:
    """(column, threshold), (column, list of cuts) or (column, set of categories)."""
    spec = spec_named(schema, str(column))
    if spec.kind == "nominal":
        given = at if isinstance(at, set | frozenset | list | tuple) else (at,)
        codes = sorted({code_of(spec, category) for category in given})
        return Split(node=node, column=spec.name, categories=tuple(spec.levels[c] for c in codes))
    if spec.kind == "ordered" and not isinstance(at, int | float):
        return Split(node=node, column=spec.name, threshold=code_of(spec, at) + 0.5)
    if isinstance(at, list | tuple):
        cuts = tuple(sorted({_number(spec, cut) for cut in at}))
        return Split(node=node, column=spec.name, cuts=cuts)
    return Split(node=node, column=spec.name, threshold=_number(spec, at))


def _number(spec: ColumnSpec, value: object) -> float:
    if isinstance(value, int | float | np.number) and isfinite(value):
        return float(value)
    raise ParameterError(
        f"{value!r} is not a threshold of `{spec.name}`", hint="give a finite number"
    )


def _by_category(spec: ColumnSpec, node: int, clause: Clause, text: str) -> Split:
    if not clause.levels:
        example = level_text(spec.levels[0]) if spec.levels else "red"
        raise ParameterError(
            f"`{text}` is not a split of the categories of `{spec.name}`",
            hint=f"write `{spec.name} = {example}`, `{spec.name} in {{...}}`, or `{spec.name}` for "
            "one branch per category",
        )
    codes = sorted({code_of(spec, level) for level in clause.levels})
    return Split(node=node, column=spec.name, categories=tuple(spec.levels[c] for c in codes))


def code_of(spec: ColumnSpec, category: object) -> int:
    """The number of a category, given as it is or as it is printed."""
    if category in spec.levels:
        return spec.levels.index(category)
    texts = [level_text(level) for level in spec.levels]
    if str(category) not in texts:
        raise DataError(
            f"no category `{category}` in `{spec.name}`",
            hint=nearest(str(category), texts, "categories"),
        )
    return texts.index(str(category))
