"""Rules as JSON for other programs to read."""

import json
import math
from typing import Any

from treewright.data.schema import Schema
from treewright.rulesets.condition import Condition, Question
from treewright.rulesets.rule import Rule
from treewright.rulesets.sheet import RuleSheet


def rules_json(sheet: RuleSheet, schema: Schema, classes: tuple[Any, ...] | None) -> str:
    """Columns, classes and rules as JSON text, one line for each rule."""
    known: dict[int, dict[str, Any]] = {}  # rules share most of their conditions
    head = {
        "schema": schema.to_json(),
        "classes": None if classes is None else list(classes),
        "ordered": sheet.is_ordered,
        "otherwise": sheet.otherwise,
    }
    lists = {"rules": sheet.rules, "fallbacks": sheet.fallbacks}
    parts = [f"{json.dumps(name)}: {as_json(value)}" for name, value in head.items()]
    for name, rules in lists.items():
        lines = ",\n".join(as_json(rule_json(rule, known)) for rule in rules)
        parts.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(parts) + "\n}"


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def rule_json(rule: Rule, known: dict[int, dict[str, Any]]) -> dict[str, Any]:
    for condition in rule.conditions:
        if id(condition) not in known:
            known[id(condition)] = condition_json(condition)
    return {
        "rule": rule.name,
        "conditions": [known[id(condition)] for condition in rule.conditions],
        "answer": rule.answer,
        "probabilities": list(rule.probabilities) or None,
        "weight": rule.weight,
        "rows": rule.n_rows,
        "errors": number(rule.errors),
        "confidence": number(rule.confidence),
        "interval": None if math.isnan(rule.interval[0]) else list(rule.interval),
        "lift": number(rule.lift),
    }


def condition_json(condition: Condition) -> dict[str, Any]:
    """Bounds or levels of known values, and one entry for each missing route on the way."""
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
    """How much of a row passes without the value, and what is asked before."""
    route: dict[str, Any] = {"share": question.share}
    if question.stand_ins:
        route["ask_first"] = [stand_in_json(one) for one in question.stand_ins]
    if question.unlisted is not None:
        n_levels = len(condition.column.levels)
        levels = condition.column.levels
        route["levels_as_missing"] = [levels[code] for code in question.unlisted.within(n_levels)]
    if question.unseen_passes is not None:
        route["unseen_passes"] = question.unseen_passes
    return route


def stand_in_json(condition: Condition) -> dict[str, Any]:
    entry = condition_json(condition)
    del entry["if_missing"]  # the next stand-in is asked
    return entry


def number(value: float) -> float | None:
    return None if math.isnan(value) else value
