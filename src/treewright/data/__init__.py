"""Data: whatever the user has becomes a table of typed columns.

Names that only some uses need load on first use, so that importing one module stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources import table_from
from treewright.data.table import Table

if TYPE_CHECKING:
    from treewright.data.report import ColumnReport
    from treewright.data.samples import load_sample, sample_names
    from treewright.data.sources.from_files import read_table

__all__ = [
    "ColumnReport",
    "ColumnSpec",
    "NominalColumn",
    "NumericColumn",
    "Schema",
    "Table",
    "load_sample",
    "read_table",
    "sample_names",
    "table_from",
]

_HOMES = {
    "ColumnReport": "treewright.data.report",
    "load_sample": "treewright.data.samples",
    "read_table": "treewright.data.sources.from_files",
    "sample_names": "treewright.data.samples",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `{__name__}` has no name `{name}`")
    return getattr(import_module(_HOMES[name]), name)
