"""Rules as data frames: words are texts, numbers of rows whole."""

from typing import Any

from treewright.data.column import NominalColumn
from treewright.data.sources.to_polars import polars_frame
from treewright.data.table import Table
from treewright.rulesets.as_table import rules_table
from treewright.rulesets.sheet import RuleSheet


def rules_pandas(sheet: RuleSheet) -> Any:
    """The table of rules as a pandas frame."""
    table = rules_table(sheet)
    return table.to_pandas().astype({"rows": "int64"} | dict.fromkeys(text_columns(table), object))


def rules_polars(sheet: RuleSheet) -> Any:
    """The table of rules as a polars frame."""
    table = rules_table(sheet)
    return polars_frame(table, {"rows": "Int64"} | dict.fromkeys(text_columns(table), "String"))


def text_columns(table: Table) -> list[str]:
    return [column.name for column in table.columns if isinstance(column, NominalColumn)]
