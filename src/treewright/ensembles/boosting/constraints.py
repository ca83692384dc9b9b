"""Constraints on columns, as users write them and as growth takes them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.data.schema import Schema
from treewright.errors import ParameterError, UnknownColumnError

DIRECTIONS = (-1, 0, 1)


def is_monotone(value: Any) -> bool:
    """A dict from column to direction, or a direction for each column."""
    directions = list(value.values()) if isinstance(value, Mapping) else value
    return _is_list(directions) and all(_is_direction(one) for one in directions)


def is_list_of_groups(value: Any) -> bool:
    """A list of lists of columns."""
    return _is_list(value) and all(_is_list(group) and len(group) > 0 for group in value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray | set | frozenset) and not isinstance(value, str)


def _is_direction(value: object) -> bool:
    return (
        not isinstance(value, bool)
        and isinstance(value, int | np.integer | float)
        and (value in DIRECTIONS)
    )


def directions(monotone: Any, schema: Schema) -> list[int]:
    """The direction of each column; nothing where none is given."""
    if monotone is None:
        return []
    if isinstance(monotone, Mapping):
        given = {column_of(name, schema, "monotone"): way for name, way in monotone.items()}
        ways = [int(given.get(at, 0)) for at in range(schema.n_columns)]
    else:
        ways = [int(way) for way in monotone]
        if len(ways) != schema.n_columns:
            raise ParameterError(
                f"monotone has {len(ways)} directions, the table has {schema.n_columns} columns",
                hint="give one for each column, or a dict from column to direction",
            )
    for way, column in zip(ways, schema.columns, strict=True):
        if way and column.kind == "nominal":
            raise ParameterError(
                f"monotone: the levels of `{column.name}` have no order to rise in",
                hint="leave nominal columns out",
            )
    return ways


def groups_of_columns(interactions: Any, schema: Schema) -> list[list[int]]:
    """Groups of column numbers; columns in none of them make a further one."""
    if interactions is None:
        return []
    groups = [
        sorted({column_of(name, schema, "interactions") for name in group})
        for group in interactions
    ]
    left_over = set(range(schema.n_columns)).difference(*groups)
    return [*groups, sorted(left_over)] if left_over else groups


def column_of(name: Any, schema: Schema, setting: str) -> int:
    """The number of a column that is named, or given by its position."""
    if isinstance(name, str):
        if name not in schema.names:
            raise UnknownColumnError.among(name, schema.names, source=f"the table ({setting})")
        return schema.names.index(name)
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        raise ParameterError(
            f"{setting} names {name!r}, which is no column", hint="use names or positions"
        )
    if not 0 <= name < schema.n_columns:
        raise ParameterError(
            f"{setting} names column {name}, the table has {schema.n_columns}",
            hint=f"use positions from 0 to {schema.n_columns - 1}",
        )
    return int(name)
