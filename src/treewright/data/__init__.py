"""Data: whatever the user has becomes a table of typed columns."""

from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.report import ColumnReport
from treewright.data.samples import load_sample, sample_names
from treewright.data.schema import ColumnSpec, Schema
from treewright.data.sources import table_from
from treewright.data.sources.from_files import read_table
from treewright.data.table import Table

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
