"""JSON: the tree as a list of nodes that a short program can follow.

Unlike a model file it has no settings and no training statistics, only what prediction needs.
docs/export.md describes the keys.
"""

import json
import math
from typing import Any

import numpy as np

from treewright.data.table import Table
from treewright.exports.program import (
    Cuts,
    Exported,
    Predictions,
    Program,
    ProgramError,
    Question,
    Step,
    WeightedSum,
    as_levels,
    row_dicts,
)
from treewright.tree.predictions import TIE

FORMAT = "treewright program"
FORMAT_VERSION = 1

Record = dict[str, Any]


def write(program: Program) -> str:
    """The document: one line for each column and each node."""
    costs = program.tree.costs
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "title": program.title,
        "classes": None if program.classes is None else list(program.classes),
        "costs": None if costs is None else costs.tolist(),
        "unseen": program.unseen,
    }
    columns = [column_record(program, column) for column in program.used_columns]
    nodes = [node_record(program, node) for node in range(program.tree.n_nodes)]
    return document(head, {"columns": columns, "nodes": nodes})


def document(head: Record, lists: dict[str, list[Any]]) -> str:
    """The keys of the head, then the lists, with a line for each entry."""
    try:
        return document_text(head, lists, ascii_only=False)
    except UnicodeEncodeError:  # half of a surrogate pair in a name, which UTF-8 cannot encode
        return document_text(head, lists, ascii_only=True)


def document_text(head: Record, lists: dict[str, list[Any]], *, ascii_only: bool) -> str:
    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)

    lines = [f"{text(key)}: {text(value)}" for key, value in head.items()]
    for key, records in lists.items():
        lines.append(f"{text(key)}: [\n  " + ",\n  ".join(map(text, records)) + "\n]")
    whole = "{\n" + ",\n".join(lines) + "\n}\n"
    whole.encode("utf-8")
    return whole


def column_record(program: Exported, column: int) -> Record:
    spec = program.columns[column]
    record: Record = {"name": spec.name, "kind": spec.kind}
    if not spec.is_numeric:
        return record | {"levels": list(spec.levels)}
    return record | {"unit": spec.unit} if spec.unit else record


def node_record(program: Program, node: int) -> Record:
    """What one node asks, and its prediction if it may be the last."""
    step = program.step(node)
    record: Record = {} if step is None else step_record(program, step)
    if step is None or not step.missing:
        record["prediction"] = program.node_values[node].tolist()
    return record


def step_record(program: Program, step: Step) -> Record:
    record: Record = {"question": question_record(program, step.question)}
    if step.surrogates:
        record["surrogates"] = [question_record(program, question) for question in step.surrogates]
    if step.unseen is not None:
        record["unseen"] = step.unseen
    if step.missing:
        record["missing"] = [list(heir) for heir in step.missing]
    return record


def question_record(program: Program, question: Question) -> Record:
    if isinstance(question, WeightedSum):
        terms = [[program.columns[column].name, weight] for column, weight in question.terms]
        return {"sum": terms, "cuts": [question.threshold], "children": list(question.children)}
    spec = program.columns[question.column]
    if isinstance(question, Cuts) and spec.is_numeric:
        cuts, children = list(question.cuts), list(question.children)
        return {"column": spec.name, "cuts": cuts, "children": children}
    question = as_levels(question, spec)
    levels = [[spec.levels[code], child] for code, child in question.child_of.items()]
    record: Record = {"column": spec.name, "levels": levels}
    return record if question.otherwise is None else record | {"otherwise": question.otherwise}


# ---------------------------------------------------------------------------- following it


def run(code: str | bytes, program: Program, rows: Table) -> Predictions:
    """Predict every row from the document alone."""
    follower = Follower(json.loads(code))
    labels: list[Any] = []
    values = np.full((len(rows), program.tree.n_values), np.nan)
    for at, row in enumerate(row_dicts(rows)):
        predicted = follower.values(row)
        labels.append(None if predicted is None else follower.label(predicted))
        if predicted is not None:
            values[at] = predicted
    return Predictions(None if program.classes is None else labels, values)


class Follower:
    """Predicts rows from the document alone."""

    def __init__(self, document: Record) -> None:
        self.document = document
        self.nodes: list[Record] = document["nodes"]
        self.known = {
            column["name"]: set(column["levels"])
            for column in document["columns"]
            if column["kind"] != "numeric"
        }

    def values(self, row: Record) -> list[float] | None:
        """Probabilities, or the number; None for an unseen level if these are refused."""
        refuses = self.document["unseen"] == "error"
        if refuses and any(self.is_unseen(name, row) for name in self.known):
            return None
        total: list[float] = []
        waiting = [(0, 1.0)]
        while waiting:
            node, share = waiting.pop()
            heirs = self.heirs_of(self.nodes[node], row)
            if any(heir <= node for heir, _ in heirs):
                raise ProgramError(f"node {node} leads back to one before it")
            waiting += [(heir, share * part) for heir, part in reversed(heirs)]
            if not heirs:
                parts = [share * value for value in self.nodes[node]["prediction"]]
                total = [a + b for a, b in zip(total, parts, strict=True)] if total else parts
        return total

    def is_unseen(self, name: str, row: Record) -> bool:
        return row[name] is not None and row[name] not in self.known[name]

    def heirs_of(self, node: Record, row: Record) -> list[tuple[int, float]]:
        if "question" not in node:
            return []
        child = self.child_of(node["question"], row)
        if child is None and "unseen" in node and self.is_unseen(node["question"]["column"], row):
            child = node["unseen"]
        for surrogate in node.get("surrogates", []):
            child = self.child_of(surrogate, row) if child is None else child
        return node.get("missing", []) if child is None else [(child, 1.0)]

    def child_of(self, question: Record, row: Record) -> int | None:
        if "levels" in question:
            level = row[question["column"]]
            child_of = dict(question["levels"])
            if level in self.known[question["column"]]:
                return child_of.get(level, question.get("otherwise"))
            return None
        value = row[question["column"]] if "column" in question else 0.0
        for name, weight in question.get("sum", []):
            if row[name] is None:
                return None
            value += weight * row[name]
        if value is None:
            return None
        place = sum(not value <= cut for cut in question["cuts"])
        child: int = question["children"][place]
        return child

    def label(self, values: list[float]) -> Any:
        """The most probable or the cheapest class; the first of those that tie up to rounding."""
        classes, costs = self.document["classes"], self.document["costs"]
        if classes is None:
            return values[0]
        if costs is None:
            enough = max(values) * (1 - TIE)
            return next(
                label for label, value in zip(classes, values, strict=True) if value >= enough
            )
        expected = [0.0] * len(classes)
        for value, prices in zip(values, costs, strict=True):
            expected = [cost + value * price for cost, price in zip(expected, prices, strict=True)]
        enough = min(expected) + TIE * max(map(math.fabs, expected))
        return next(label for label, cost in zip(classes, expected, strict=True) if cost <= enough)
