"""Figures as text: one line for the terminal, a page of tables for readers."""

import math
import os
import platform
from typing import Any

from benchmarks.workloads import SCALING, WORKLOADS, Wanted

Row = dict[str, Any]
OURS = "treewright"
WHAT = {
    "seconds": "{0.times:g} x as fast as {0.peer}",
    "batch_seconds": "batch predictions {0.times:g} x as fast as {0.peer}",
    "row_seconds": "single predictions {0.times:g} x as fast as {0.peer}",
    "peak_mb": "no more than 1 / {0.times:g} of the peak memory of any peer",
}


def headline(row: Row) -> str:
    """One row for the terminal."""
    if "skipped" in row or "failed" in row:
        word = "skipped" if "skipped" in row else "FAILED"
        return f"{row['library']:14} {word}: {row.get('skipped') or row.get('failed')}"
    parts = [f"{row['library']:14} {duration(row['seconds']):>9}"]
    if "quality" in row:
        parts.append(f"{row['quality_is']} {row['quality']:.4f}")
        parts.append(f"batch {duration(row['batch_seconds'])}")
        parts.append(f"row {duration(row['row_seconds'])}")
    if "peak_mb" in row:
        parts.append(f"+{row['peak_mb']:.0f} MB")
    if "leaves" in row:
        parts.append(f"{row['leaves']} leaves")
    return "  ".join(parts)


def as_markdown(rows: list[Row]) -> str:
    """All figures, as a page."""
    by_workload: dict[str, list[Row]] = {}
    for row in rows:
        by_workload.setdefault(row["workload"], []).append(row)
    lines = ["# Last figures", "", *introduction()]
    for name, group in by_workload.items():
        lines += ["", f"## {name}", "", f"{WORKLOADS[name].about}.", "", *table_of(group)]
        lines += promises(name, group)
    lines += scaling(by_workload)
    return "\n".join(lines) + "\n"


def introduction() -> list[str]:
    return [
        "Written by `python -m benchmarks.run`; do not edit. Seconds are the best of several fits",
        "(the median of many calls where they are short). A ratio says how many times the time of",
        "treewright the other took, in the same run, on the same arrays and threads.",
        "",
        f"Machine of the last run: {platform.machine()}, {os.cpu_count()} cores,"
        f" Python {platform.python_version()}.",
    ]


def table_of(rows: list[Row]) -> list[str]:
    ours = next((r["seconds"] for r in rows if r["library"] == OURS and "seconds" in r), None)
    lines = [
        "| library | seconds | ratio | batch predict | one row | quality | peak memory |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        if "seconds" not in row:
            lines.append(f"| {row['library']} | {row.get('skipped') or 'failed'} | | | | | |")
            continue
        cells = [
            row["library"],
            duration(row["seconds"]),
            f"{row['seconds'] / ours:.1f}" if ours else "",
            duration(row.get("batch_seconds")),
            duration(row.get("row_seconds")),
            f"{row['quality']:.4f} ({row['quality_is']})" if "quality" in row else "",
            f"{row['peak_mb']:.0f} MB" if "peak_mb" in row else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def promises(name: str, rows: list[Row]) -> list[str]:
    """What is wanted of this workload and what was measured."""
    lines = [
        f"- wanted: {WHAT[wanted.figure].format(wanted)}; measured: {factor:.2g} x"
        for wanted in WORKLOADS[name].wanted
        if (factor := measured(wanted, rows)) is not None
    ]
    ours = next((row for row in rows if row["library"] == OURS), {})
    if "peak_per_input" in ours:
        lines.append(f"- peak memory above the input: {ours['peak_per_input']:.1f} x its size")
    return ["", *lines] if lines else []


def measured(wanted: Wanted, rows: list[Row]) -> float | None:
    """How many times ours the figure of the peer is.

    The peer is named, or the "fastest peer", the "fastest other" than scikit-learn, the "fastest
    general" one: all but CatBoost, whose trees are symmetric.
    """
    times = {row["library"]: row[wanted.figure] for row in rows if wanted.figure in row}
    peers = {name: time for name, time in times.items() if name != OURS}
    if wanted.peer == "fastest other":
        peers.pop("scikit-learn", None)
    if wanted.peer == "fastest general":
        peers.pop("catboost", None)
    if not wanted.peer.startswith("fastest"):
        peers = {name: time for name, time in peers.items() if name == wanted.peer}
    if OURS not in times or not peers:
        return None
    return min(peers.values()) / times[OURS]


def scaling(by_workload: dict[str, list[Row]]) -> list[str]:
    """Seconds, and nanoseconds per row x log2 rows, at each size."""
    lines = [
        "| rows | treewright | ns per row x log2 rows | scikit-learn | ns per row x log2 rows |",
        "|---:|---:|---:|---:|---:|",
    ]
    for name, n_rows in SCALING.items():
        times = {r["library"]: r["seconds"] for r in by_workload.get(name, []) if "seconds" in r}
        if OURS not in times:
            return []
        cells = [f"{n_rows:,}"]
        for library in (OURS, "scikit-learn"):
            time = times.get(library, math.nan)
            cells += [duration(time), f"{time / (n_rows * math.log2(n_rows)) * 1e9:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return ["", "## Cost by rows", "", "28 columns, fully grown.", "", *lines]


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
