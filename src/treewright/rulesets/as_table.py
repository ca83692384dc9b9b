"""Rules as a table of data: one row per rule, for data frames and CSV files."""

import csv
import io
import math
from typing import Any

import numpy as np

from treewright.data.column import Column, NominalColumn, NumericColumn
from treewright.data.schema import Schema
from treewright.data.sources.from_arrow import polars_frame
from treewright.data.table import Table
from treewright.plain_text import escape_formula
from treewright.rulesets.condition import Condition, Question
from treewright.rulesets.rule import Rule, prediction_text
from treewright.rulesets.sheet import RuleSheet


def rules_table(sheet: RuleSheet) -> Table:
    """The rules as columns: rule, if, then, weight ... and the treatment of missing values."""
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
        predictions: Column = texts("then", [prediction_text(rule.prediction) for rule in rules])
    else:
        predictions = NumericColumn(
            "then", np.array([rule.prediction for rule in rules], dtype=float)
        )
    return Table(
        [
            texts("rule", [rule.name for rule in rules]),
            texts("if", [sheet.body(rule) for rule in rules]),
            predictions,
            *(NumericColumn(name, np.array(values)) for name, values in numbers.items()),
            texts("missing", [missing_text(rule, sheet) for rule in rules]),
        ]
    )


def rules_csv(sheet: RuleSheet, *, raw: bool = False) -> str:
    """The table of rules as CSV.

    Text that a spreadsheet would take for a formula gets a leading apostrophe, unless `raw`.
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
        return value if raw else escape_formula(value)
    if value is None or not isinstance(value, float) or math.isnan(value):
        return ""
    return repr(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def missing_text(rule: Rule, sheet: RuleSheet) -> str:
    texts = [sheet.texts(condition) for condition in rule.conditions]
    return "; ".join(f"{text}: {route}" for text, route in texts if route)


def texts(name: str, values: list[str]) -> NominalColumn:
    levels = tuple(dict.fromkeys(values))
    code = {level: at for at, level in enumerate(levels)}
    return NominalColumn(name, np.array([code[v] for v in values], dtype=np.int32), levels)


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


def rules_values(
    sheet: RuleSheet, schema: Schema, classes: tuple[Any, ...] | None
) -> dict[str, Any]:
    """Columns, classes and rules as JSON has them."""
    known: dict[int, dict[str, Any]] = {}  # rules share most of their conditions
    return {
        "schema": schema.to_json(),
        "classes": None if classes is None else list(classes),
        "ordered": sheet.is_ordered,
        "otherwise": sheet.otherwise,
        "rules": [rule_json(rule, known) for rule in sheet.rules],
        "fallbacks": [rule_json(rule, known) for rule in sheet.fallbacks],
    }


def rule_json(rule: Rule, known: dict[int, dict[str, Any]]) -> dict[str, Any]:
    for condition in rule.conditions:
        if id(condition) not in known:
            known[id(condition)] = condition_json(condition)
    return {
        "rule": rule.name,
        "conditions": [known[id(condition)] for condition in rule.conditions],
        "prediction": rule.prediction,
        "probabilities": list(rule.probabilities) or None,
        "weight": rule.weight,
        "rows": rule.n_rows,
        "errors": number(rule.errors),
        "confidence": number(rule.confidence),
        "interval": None if math.isnan(rule.interval[0]) else list(rule.interval),
        "lift": number(rule.lift),
    }


def condition_json(condition: Condition) -> dict[str, Any]:
    """Bounds or levels of known values, and the treatment of missing values by each question."""
    what: dict[str, Any] = {"column": condition.column.name}
    if condition.is_sum:
        names = [column.name for column in condition.columns]
        what = {"sum": [list(pair) for pair in zip(condition.factors, names, strict=True)]}
    levels = condition.levels
    bounds = {"above": condition.low, "at_most": condition.high}
    return {
        **what,
        **{name: bound for name, bound in bounds.items() if bound is not None},
        **({} if levels is None else {"levels": list(levels)}),
        **({"missing_only": True} if condition.wants_missing else {}),
        "if_missing": [route_json(question, condition) for question in condition.questions],
    }


def route_json(question: Question, condition: Condition) -> dict[str, Any]:
    """How much of a row passes if the value is missing, and which surrogates are asked first."""
    route: dict[str, Any] = {"share": question.share}
    if question.surrogates:
        route["ask_first"] = [
            {key: value for key, value in condition_json(one).items() if key != "if_missing"}
            for one in question.surrogates
        ]
    if question.unlisted is not None:
        levels = condition.column.levels
        unlisted = question.unlisted.within(len(levels))
        route["levels_as_missing"] = [levels[code] for code in unlisted]
    if question.unseen_passes is not None:
        route["unseen_passes"] = question.unseen_passes
    return route


def number(value: float) -> float | None:
    return None if math.isnan(value) else value
