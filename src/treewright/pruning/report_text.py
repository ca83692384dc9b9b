"""A pruning report in words: a table of its cuts, the largest first."""

import math
import reprlib

import numpy as np

from treewright.plain_text import plain
from treewright.pruning.report import PruningReport
from treewright.tree.conditions import number_text
from treewright.tree.node import Node

MOST_SHOWN = 20
LONGEST_PATH = 60  # characters


def report_text(report: PruningReport) -> str:
    """The report as a person reads it."""
    lines = [f"{report.method}: {outcome_text(report)}"]
    if report.options:
        options = ", ".join(f"{name}={option_text(v)}" for name, v in report.options.items())
        lines.append(f"options: {options}")
    if report.n_cuts:
        lines += [f"compared: {report.measure}", *table_lines(cells_of(report))]
    if report.n_cuts > MOST_SHOWN:
        lines.append(f"... {report.n_cuts - MOST_SHOWN} smaller cuts")
    return "\n".join(map(plain, lines))


def outcome_text(report: PruningReport) -> str:
    leaves = f"{report.n_leaves_before} {'leaf' if report.n_leaves_before == 1 else 'leaves'}"
    if not report.n_cuts:
        return f"{leaves}, nothing cut"
    cuts = f"{report.n_cuts} cut{'' if report.n_cuts == 1 else 's'}"
    return f"{leaves} became {report.n_leaves_after} by {cuts}"


def cells_of(report: PruningReport) -> list[list[str]]:
    """The head and one line for each cut that is shown."""
    raised = bool(report.raised.any())
    head = ["leaves", "as leaf", "as subtree", *(["as branch"] if raised else []), "became", "at"]
    largest = np.argsort(-report.n_leaves, kind="stable")[:MOST_SHOWN]
    cells = [head]
    for number in largest.tolist():
        cut = report.cut(number)
        estimates = [cut.as_leaf, cut.as_subtree, *([cut.as_branch] if raised else [])]
        place = path_text(report.tree.node(cut.node))
        cells.append([str(cut.n_leaves), *map(estimate_text, estimates), cut.became, place])
    return cells


def option_text(value: object) -> str:
    return number_text(value) if isinstance(value, float) else reprlib.repr(value)


def estimate_text(estimate: float) -> str:
    return "-" if math.isnan(estimate) else number_text(estimate)


def path_text(node: Node) -> str:
    """The conditions from the root to a node; of a long path, the last."""
    conditions: list[str] = []  # upwards
    length = 0
    while (above := node.parent) is not None:
        condition = shortened(node.condition)
        length += len(condition) + len(" and ")
        if conditions and length > LONGEST_PATH:
            return " and ".join(["...", *reversed(conditions)])
        conditions.append(condition)
        node = above
    return " and ".join(reversed(conditions)) or "root"


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_PATH else text[: LONGEST_PATH - 3] + "..."


def table_lines(cells: list[list[str]]) -> list[str]:
    """Lines with all columns but the last two set to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    last = len(widths) - 1
    return [
        "  ".join(
            cell if at == last else cell.ljust(widths[at]) if at == last - 1 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in cells
    ]
