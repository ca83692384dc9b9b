"""Rules as a table of data: one row per rule, for data frames and CSV files."""

import csv
import io
import math

import numpy as np

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.harmless import harmless
from treewright.data.table import Table
from treewright.rulesets.rule import Rule, answer_text
from treewright.rulesets.sheet import RuleSheet


def rules_table(sheet: RuleSheet) -> Table:
    """The rules as columns: rule, if, then, weight ... and what missing values do."""
    rules = sheet.rules
    numbers = {
        "weight": [rule.weight for rule in rules],
        "rows": [float(rule.n_rows) for rule in rules],
    }
    if sheet.is_classifier:
        numbers |= {
            "errors": [rule.errors for rule in rules],
            "confidence": [rule.confidence for rule in rules],
            "confidence_low": [rule.interval[0] for rule in rules],
            "confidence_high": [rule.interval[1] for rule in rules],
            "lift": [rule.lift for rule in rules],
        }
        answers: Column = texts("then", [answer_text(rule.answer) for rule in rules])
    else:
        answers = NumericColumn("then", np.array([rule.answer for rule in rules], dtype=float))
    return Table(
        [
            texts("rule", [rule.name for rule in rules]),
            texts("if", [body_text(rule, sheet) for rule in rules]),
            answers,
            *(NumericColumn(name, np.array(values)) for name, values in numbers.items()),
            texts("missing", [missing_text(rule, sheet) for rule in rules]),
        ]
    )


def rules_csv(sheet: RuleSheet, *, raw: bool = False) -> str:
    """The table of rules as CSV; text that a spreadsheet would run is made harmless.

    Such a cell gets an apostrophe in front; `raw` leaves every cell as it is.
    """
    table = rules_table(sheet)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.names)
    for row in range(len(table)):
        writer.writerow([cell(column, row, raw=raw) for column in table.columns])
    return out.getvalue()


def cell(column: Column, row: int, *, raw: bool) -> str:
    value = column.value(row)
    if isinstance(value, str):
        return value if raw else harmless(value)
    if value is None or not isinstance(value, float) or math.isnan(value):
        return ""
    return repr(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def body_text(rule: Rule, sheet: RuleSheet) -> str:
    return " and ".join(sheet.words(condition)[0] for condition in rule.conditions)


def missing_text(rule: Rule, sheet: RuleSheet) -> str:
    told = [sheet.words(condition) for condition in rule.conditions]
    return "; ".join(f"{text}: {route}" for text, route in told if route)


def texts(name: str, values: list[str]) -> NominalColumn:
    levels = tuple(dict.fromkeys(values))
    code = {level: at for at, level in enumerate(levels)}
    return NominalColumn(name, np.array([code[v] for v in values], dtype=np.int32), levels)
