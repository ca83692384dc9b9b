"""The figures as a page: losses of every table, ranks, and who is within noise of the best."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.quality.contestants import CONTESTANTS, TREES
from benchmarks.quality.problems import CHOSEN_BY, N_FOLDS, REPORTED, TREE_TABLES
from benchmarks.quality.unseen import UNSEEN

Row = dict[str, Any]
LEVEL = 0.05
OURS = "treewright boosted"


def within_noise(losses: NDArray[Any], best: NDArray[Any]) -> bool:
    """Whether the paired differences over the folds may be chance, at the level of five percent.

    Training sets overlap, so the variance of the mean difference is not 1/n of the folds' but
    1/n + n_test/n_train of it (Nadeau and Bengio 2003): with five folds twice 1/10 + 1/4.
    """
    difference = losses - best
    if difference.mean() <= 0:
        return True
    n = len(difference)
    variance = difference.var(ddof=1) * (1 / n + 1 / (N_FOLDS - 1))
    if variance == 0:
        return False
    return bool(difference.mean() / variance**0.5 <= stats.t.ppf(1 - LEVEL / 2, n - 1))


def table_lines(name: str, rows: list[Row]) -> list[str]:
    """One table for the terminal."""
    lines = [name]
    for row in rows:
        text = row.get("skipped") or row.get("failed")
        if text is None:
            text = f"loss {np.mean(row['loss']):.4f}  {score_name(row)} {np.mean(row['score']):.4f}"
            text += f"  {row['seconds']:7.1f} s"
        lines.append(f"  {row['contestant']:34} {text}")
    return lines


def score_name(row: Row) -> str:
    return {0: "R2", 2: "AUC"}.get(row["n_classes"], "accuracy")


def as_markdown(rows: list[Row]) -> str:
    """Ranks and losses of both groups of tables, then the single trees."""
    of_field = [row for row in rows if row["contestant"] in CONTESTANTS]
    lines = ["# How good, with nothing set", "", *introduction(rows)]
    for title, tables in (
        ("Tables that did not choose the defaults", REPORTED),
        ("Tables that Python packages ship, run once", UNSEEN),
        ("Tables that chose the defaults", CHOSEN_BY),
    ):
        group = [row for row in of_field if row["table"] in tables]
        lines += ["", f"## {title}", "", *ranks(group), "", *without_the_late(group)]
        lines += [*loss_table(group)]
    of_trees = [row for row in rows if row["contestant"] in TREES and row["table"] in TREE_TABLES]
    lines += [
        "",
        "## Single trees on tables of numbers",
        "",
        "ID3 knows categories only: its numbers are discretized first, by MDL or into five",
        "intervals. The others look for a threshold at every node. Trees are treewright's unless",
        "the name says otherwise. Accuracy, mean and standard deviation over the folds.",
        "",
        *accuracy_table(of_trees),
    ]
    return "\n".join(lines) + "\n"


def introduction(rows: list[Row]) -> list[str]:
    lines = [
        "Written by `python -m benchmarks.quality`; do not edit. Five folds and two seeds, the",
        "same for all. Every library has its default settings and gets nominal columns and missing",
        "values in the way that suits it best. Larger tables are sampled: 10,000 rows.",
        "",
        "The loss is log loss, or for numbers the root mean squared error as a share of the",
        "standard deviation; lower is better. A rank is the mean over the tables that all",
        "contestants have finished, 1 is best; who has the lower loss is counted on all tables",
        "that both have finished. Seconds are of one processor, over all folds.",
    ]
    for word in ("skipped", "failed"):
        reasons: dict[str, list[str]] = {}
        for row in rows:
            if word in row:
                reasons.setdefault(f"{row['contestant']}: {row[word]}", []).append(row["table"])
        for reason, tables in reasons.items():
            where = "" if word == "skipped" else f" ({', '.join(tables)})"
            lines += ["", f"{word.capitalize()}: {reason}{where}."]
    return lines


def by_table(rows: list[Row]) -> dict[str, dict[str, Row]]:
    """The rows with figures, by table and contestant."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if "loss" in row:
            found.setdefault(row["table"], {})[row["contestant"]] = row
    return found


def without_the_late(rows: list[Row]) -> list[str]:
    """The ranks without those who have finished fewer tables than boosted trees."""
    n_tables = Counter(row["contestant"] for row in rows if "loss" in row)
    late = [name for name in CONTESTANTS if 0 < n_tables[name] < n_tables[OURS]]
    rest = [row for row in rows if row["contestant"] not in late]
    if not late or len(late) + 1 >= len(n_tables):
        return []
    return [f"Without {' and '.join(late)}, on more tables:", "", *ranks(rest), ""]


def ranks(rows: list[Row]) -> list[str]:
    """A line for each contestant: mean ranks, worst table, and how often boosted trees win."""
    tables = every = by_table(rows)
    shown = [name for name in CONTESTANTS if any(name in group for group in tables.values())]
    tables = {name: group for name, group in tables.items() if set(shown) <= set(group)}
    if not tables:
        return ["No table was finished by all."]
    loss = np.array([[np.mean(group[name]["loss"]) for name in shown] for group in tables.values()])
    score = np.array(
        [[np.mean(group[name]["score"]) for name in shown] for group in tables.values()]
    )
    loss_rank = stats.rankdata(loss, axis=1).mean(axis=0)
    score_rank = stats.rankdata(-score, axis=1).mean(axis=0)
    ratio = loss / loss.min(axis=1, keepdims=True)
    seconds = np.sum([[group[name]["seconds"] for name in shown] for group in tables.values()], 0)
    lines = [
        f"{len(tables)} tables: {', '.join(tables)}.",
        "",
        f"| contestant | rank by loss | rank by AUC, accuracy, R2 | loss / best, geometric mean "
        f"| largest (table) | {OURS} has the lower loss | seconds |",
        "|---|---:|---:|---:|---|---:|---:|",
    ]
    ours = shown.index(OURS) if OURS in shown else None
    for at in np.argsort(loss_rank, kind="stable"):
        worst = int(ratio[:, at].argmax())
        wins = "" if ours in (None, at) else head_to_head(every, shown[at])
        lines.append(
            f"| {shown[at]} | {loss_rank[at]:.2f} | {score_rank[at]:.2f} "
            f"| {np.exp(np.log(ratio[:, at]).mean()):.3f} "
            f"| {ratio[worst, at]:.2f} ({list(tables)[worst]}) | {wins} | {seconds[at]:.0f} |"
        )
    return lines


def head_to_head(tables: dict[str, dict[str, Row]], other: str) -> str:
    """On how many of the tables that both have finished boosted trees have the lower loss."""
    pairs = [
        (np.mean(group[OURS]["loss"]), np.mean(group[other]["loss"]))
        for group in tables.values()
        if OURS in group and other in group
    ]
    return f"{sum(ours < theirs for ours, theirs in pairs)} of {len(pairs)}"


def loss_table(rows: list[Row]) -> list[str]:
    """The loss of each contestant on each table; the best and what is within noise are marked."""
    tables = by_table(rows)
    shown = [name for name in CONTESTANTS if any(name in group for group in tables.values())]
    lines = [
        "**Bold** is the lowest loss of a row, *italic* what is within noise of it: the paired",
        "differences over the folds are no more than chance gives at the level of five percent, by",
        "the t test with the variance corrected for training rows that folds share (Nadeau and",
        "Bengio 2003). An empty cell was not run.",
        "",
        "| table | classes | " + " | ".join(shown) + " |",
        "|---|---:|" + "---:|" * len(shown),
    ]
    for name, group in tables.items():
        losses = {contestant: np.array(row["loss"]) for contestant, row in group.items()}
        best = min(losses, key=lambda contestant: float(losses[contestant].mean()))
        cells = []
        for contestant in shown:
            if contestant not in losses:
                cells.append("")
                continue
            noise = "*" if within_noise(losses[contestant], losses[best]) else ""
            mark = "**" if contestant == best else noise
            cells.append(f"{mark}{losses[contestant].mean():.4f}{mark}")
        n_classes = next(iter(group.values()))["n_classes"] or "number"
        lines.append(f"| {name} | {n_classes} | " + " | ".join(cells) + " |")
    return lines


def accuracy_table(rows: list[Row]) -> list[str]:
    tables = by_table(rows)
    lines = ["| table | " + " | ".join(TREES) + " |", "|---|" + "---:|" * len(TREES)]
    for name, group in tables.items():
        scores = [np.array(group[tree]["score"]) if tree in group else None for tree in TREES]
        cells = [
            "" if values is None else f"{values.mean():.4f} ± {values.std(ddof=1):.4f}"
            for values in scores
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines
