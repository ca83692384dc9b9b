"""JSON: many trees, each a list of nodes as in the document of one tree, and how they add up.

docs/export.md describes the keys.
"""

import json
from typing import Any

import numpy as np

from treewright.data.table import Table
from treewright.exports.json_program import (
    Follower,
    Record,
    column_record,
    document,
    step_record,
)
from treewright.exports.program import Predictions, Program, row_dicts
from treewright.exports.sums.program import LinearTerm, SumProgram, refuse_divided_votes

FORMAT = "treewright trees"
FORMAT_VERSION = 1


def write(program: SumProgram) -> str:
    """The document: one line for each column and each tree."""
    refuse_divided_votes(program)
    head = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "title": program.title,
        "classes": None if program.classes is None else list(program.classes),
        "costs": None if program.costs is None else program.costs.tolist(),
        "unseen": program.unseen,
        "start": program.start.tolist(),
        "divisor": program.divisor,
        "scale": program.scale,
        "in_float32": program.in_float32,
        "link": program.link,
    }
    if program.link == "isolation":
        head |= {"usual_depth": program.usual_depth, "offset": program.offset}
    if program.terms:
        head["terms"] = [term_record(program, term) for term in program.terms]
    columns = [column_record(program, column) for column in program.used_columns]
    trees = [tree_record(program, one) for one in program.programs()]
    return document(head, {"columns": columns, "trees": trees})


def term_record(program: SumProgram, term: LinearTerm) -> Record:
    """A number that a score is multiplied by; `fill` is that of a missing value."""
    spec = program.columns[term.column]
    if not term.sides:
        return {"column": spec.name, "fill": term.fill}
    own = [level for level, side in zip(spec.levels, term.sides[1:], strict=True) if side == "1"]
    return {"column": spec.name, "fill": float(term.sides[0]), "levels": own}


def term_value(record: Record, levels: list[Any], value: Any) -> float:
    """What a row has for a term; `levels` are all of its column."""
    if "levels" not in record:
        return float(record["fill"] if value is None else value)
    return float(value in record["levels"]) if value in levels else float(record["fill"])


def tree_record(program: SumProgram, one: Program) -> list[Record]:
    """The nodes of one tree; `prediction` is what is added to the scores."""
    values = np.asarray(program.leaf_values(one.tree), dtype=np.float64)
    records = []
    for node in range(one.tree.n_nodes):
        step = one.step(node)
        record: Record = {} if step is None else step_record(one, step)
        if step is None or not step.missing:
            record["prediction"] = values[node].tolist()
        records.append(record)
    return records


def run(code: str | bytes, program: SumProgram, rows: Table) -> Predictions:
    """Predict every row from the trees of the document."""
    data = json.loads(code)
    followers = [Follower({**data, "nodes": nodes}) for nodes in data["trees"]]
    n_scores = len(data["start"])
    scores = np.full((len(rows), n_scores), np.nan)
    refused = np.zeros(len(rows), dtype=np.bool_)
    for at, row in enumerate(row_dicts(rows)):
        total: list[float] = list(data["start"])
        for tree, follower in enumerate(followers):
            values = follower.values(row)
            if values is None:
                refused[at] = True
                break
            takes_turns = len(values) < n_scores
            for place, value in enumerate(values):
                at_score = tree % n_scores if takes_turns else place
                total[at_score] += value
                if data.get("in_float32"):
                    total[at_score] = float(np.float32(total[at_score]))
        scores[at] = total
    values_of = np.full((len(rows), program.n_values), np.nan)
    labels: list[Any] = [None] * len(rows)
    known = np.flatnonzero(~refused)
    if data["link"] == "linear":
        levels = {one["name"]: one.get("levels", []) for one in data["columns"]}
        for at, row in enumerate(row_dicts(rows)):
            total = scores[at, :1].tolist()
            for factor, term in zip(scores[at, 1:].tolist(), data["terms"], strict=True):
                name = term["column"]
                total[0] += factor * term_value(term, levels[name], row[name])
            values_of[at] = total
        values_of[refused] = np.nan
        return Predictions(None, values_of)
    values_of[known] = program.predictions(scores[known] / data["divisor"])
    for at, label in zip(known.tolist(), program.labels(values_of[known]) or (), strict=False):
        labels[at] = label
    return Predictions(None if program.classes is None else labels, values_of)
