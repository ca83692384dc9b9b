"""Data: whatever the user has becomes a table of typed columns."""

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.samples import load_sample, sample_names
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources import table_from
from treewright.data.table import Table

__all__ = [
    "ColumnSpec",
    "NominalColumn",
    "NumericColumn",
    "Schema",
    "Table",
    "load_sample",
    "sample_names",
    "table_from",
]
