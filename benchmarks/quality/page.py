"""The figures as a page, and who is within noise of the best."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.quality.contestants import CONTESTANTS, OURS, TREES
from benchmarks.quality.problems import N_FOLDS, TABLES, TREE_TABLES

Row = dict[str, Any]
LEVEL = 0.05


def within_noise(ours: NDArray[Any], best: NDArray[Any]) -> bool:
    """Whether the paired differences over the folds may be chance, at the level of five percent.

    Training sets overlap, so the variance of the mean difference is not 1/k of the folds' but
    1/k + n_test/n_train of it (Nadeau and Bengio 2003): with five folds 1/5 + 1/4.
    """
    difference = best - ours
    if difference.mean() <= 0:
        return True
    variance = difference.var(ddof=1) * (1 / N_FOLDS + 1 / (N_FOLDS - 1))
    if variance == 0:
        return False
    return bool(difference.mean() / variance**0.5 <= stats.t.ppf(1 - LEVEL / 2, N_FOLDS - 1))


def judged(rows: list[Row]) -> dict[str, str]:
    """For each contestant of a table: "best", "within noise" or ""."""
    folds = {row["contestant"]: np.array(row["qualities"]) for row in rows if "qualities" in row}
    if not folds:
        return {}
    best = max(folds, key=lambda name: folds[name].mean())
    verdicts = {
        name: "within noise" if within_noise(values, folds[best]) else ""
        for name, values in folds.items()
    }
    return {**verdicts, best: "best"}


def table_line(name: str, rows: list[Row]) -> str:
    """One table for the terminal."""
    verdicts = judged(rows)
    lines = [f"{name}: {(TABLES | TREE_TABLES)[name]}"]
    for row in rows:
        text = row.get("skipped") or row.get("failed")
        if text is None:
            text = f"{figure(row)}  {row['seconds']:7.1f} s  {verdicts[row['contestant']]}"
        lines.append(f"  {row['contestant']:34} {text}")
    return "\n".join(lines)


def figure(row: Row) -> str:
    values = np.array(row["qualities"])
    return f"{values.mean():.4f} ± {values.std(ddof=1):.4f}"


def as_markdown(rows: list[Row]) -> str:
    """All tables, a row for each, a column for each contestant."""
    good: dict[str, int] = dict.fromkeys(("any of them", *OURS), 0)
    judged_tables = [name for name in TABLES if any(row["table"] == name for row in rows)]
    for name in judged_tables:
        verdicts = judged([row for row in rows if row["table"] == name])
        good["any of them"] += any(verdicts.get(ours) for ours in OURS)
        for ours in OURS:
            good[ours] += bool(verdicts.get(ours))
    counts = ", ".join(f"{name} {count}" for name, count in good.items())
    lines = [
        "# How good, with nothing set",
        "",
        *introduction(rows),
        "",
        *table(rows, list(TABLES), list(CONTESTANTS)),
        "",
        f"Best or within noise, of {len(judged_tables)} tables: {counts}.",
        "",
        *(f"- {name}: {about}" for name, about in TABLES.items()),
        "",
        "## Single trees on tables of numbers",
        "",
        "ID3 knows levels only: its numbers are cut in advance, by MDL or into five intervals. The",
        "others look for a threshold at every node. Trees are treewright's unless the name says",
        "otherwise.",
        "",
        *table(rows, list(TREE_TABLES), list(TREES)),
        "",
        *(f"- {name}: {about}" for name, about in TREE_TABLES.items()),
    ]
    return "\n".join(lines) + "\n"


def table(rows: list[Row], tables: list[str], contestants: list[str]) -> list[str]:
    """The figures of some tables and contestants, without those that have none."""
    of_tables = [row for row in rows if row["table"] in tables]
    ran = {row["contestant"] for row in of_tables if "qualities" in row}
    shown = [name for name in contestants if name in ran]
    lines = [
        "| table | measure | " + " | ".join(shown) + " |",
        "|---|---|" + "---:|" * len(shown),
    ]
    for name in tables:
        group = {row["contestant"]: row for row in of_tables if row["table"] == name}
        if not group:
            continue
        verdicts = judged(list(group.values()))
        cells = [cell(group.get(contestant), verdicts) for contestant in shown]
        measure = next(iter(group.values()))["measure"]
        lines.append(f"| {name} | {measure} | " + " | ".join(cells) + " |")
    return lines


def cell(row: Row | None, verdicts: dict[str, str]) -> str:
    if row is None or "qualities" not in row:
        return ""
    mark = {"best": "**", "within noise": "*"}.get(verdicts[row["contestant"]], "")
    return f"{mark}{figure(row)}{mark}"


def introduction(rows: list[Row]) -> list[str]:
    reasons = {row["contestant"]: row["skipped"] for row in rows if "skipped" in row}
    lines = [
        "Written by `python -m benchmarks.quality`; do not edit. Mean and standard deviation",
        "over five folds, the same for all; larger is better. Every library has its default",
        "settings and gets words and holes in its own best way. **Bold** is the best of a row,",
        "*slanted* what is within noise of it: the paired differences over the folds are no more",
        "than chance gives at the level of five percent, by the t test with the variance",
        "corrected for the training rows that folds share (Nadeau and Bengio 2003). An empty",
        "cell was not run.",
        "",
        "Read it with care: the defaults of treewright's boosted trees and forests were chosen",
        "by looking at these very tables and folds, those of the peers were not; and the rule is",
        "mild where folds differ much.",
    ]
    if reasons:
        skipped = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        lines += ["", f"Skipped: {skipped}."]
    return lines
