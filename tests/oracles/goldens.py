"""The tables and the outputs of Weka, rpart and scikit-learn that our trees are held against.

What the files hold and where they come from is said in tests/files/oracles/README.md.
"""

import gzip
import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.table import Table

FILES = Path(__file__).parents[1] / "files" / "oracles"


@dataclass(frozen=True)
class Problem:
    """A table with its target; class targets are numbers in the declared order of the classes.

    So the classes stand in the same order here and there, and ties fall the same way.
    """

    table: Table
    y: np.ndarray
    classes: list[str] | None
    masked: Table | None  # the same rows with a fifth of the cells blanked
    folds: np.ndarray | None

    def rows(self, kept: np.ndarray) -> "Problem":
        return replace(self, table=self.table[kept], y=self.y[kept])


@cache
def contents(name: str) -> dict[str, Any]:
    """One golden file: data set -> variant -> what the program said."""
    return json.loads(gzip.decompress((FILES / f"{name}.json.gz").read_bytes()))


def cases(tool: str, *parts: str) -> list[tuple[str, str]]:
    """(data set, variant) of all goldens that have all `parts`, for parametrize."""
    return [
        (name, variant)
        for name, by_variant in contents(tool).items()
        for variant, golden in by_variant.items()
        if all(part in golden for part in parts)
    ]


def golden_of(tool: str, name: str, variant: str) -> dict[str, Any]:
    return contents(tool)[name][variant]


@cache
def problem(name: str, *, ordered: bool = True) -> Problem:
    """One table; `ordered=False` takes ordered factors as plain levels, as Weka does."""
    stored = contents("tables")[name]
    folds = stored.get("folds")
    masked = stored.get("masked")
    kind = np.float64 if stored["classes"] is None else np.int64
    return Problem(
        table=_table(stored["columns"], stored["values"], ordered=ordered),
        y=np.array(stored["target"], dtype=kind),
        classes=stored["classes"],
        masked=None if masked is None else _table(stored["columns"], masked, ordered=ordered),
        folds=None if folds is None else np.array(folds),
    )


def _table(specs: list[dict[str, Any]], values: list[list[Any]], *, ordered: bool) -> Table:
    columns = [
        _column(spec, cells, ordered=ordered) for spec, cells in zip(specs, values, strict=True)
    ]
    return Table(tuple(columns), len(values[0]))


def _column(spec: dict[str, Any], cells: list[Any], *, ordered: bool) -> Column:
    if "levels" not in spec:
        return NumericColumn(spec["name"], np.array(cells, dtype=np.float64))
    return NominalColumn(
        spec["name"],
        np.array(cells, dtype=np.int32),
        tuple(spec["levels"]),
        ordered=ordered and spec.get("ordered", False),
        declared=True,
    )


def unpacked(distributions: dict[str, Any]) -> np.ndarray:
    """Class shares, one line per row."""
    return np.array(distributions["distinct"], dtype=np.float64)[distributions["of_row"]]


def with_all_classes(data: Problem) -> tuple[Table, np.ndarray, np.ndarray | None]:
    """Table, target and weights; a declared class without rows gets one of weight 0.

    The programs count declared classes, ours counts the classes of the target; a row of weight 0
    leaves no other trace than its class.
    """
    absent = np.setdiff1d(np.arange(len(data.classes or ())), data.y)
    if data.classes is None or len(absent) == 0:
        return data.table, data.y, None
    rows = np.concatenate([np.arange(len(data.y)), np.zeros(len(absent), dtype=np.int64)])
    weights = np.concatenate([np.ones(len(data.y)), np.zeros(len(absent))])
    return data.table[rows], np.concatenate([data.y, absent]), weights
