"""Time treewright beside its peers.

    python -m benchmarks.run                    everything (about half an hour on two cores)
    python -m benchmarks.run tree_100k iris_fit --repeat 5

Each (workload, library) pair runs in its own process, so memory peaks and thread pools do not
mix; every library gets the same arrays and the same number of threads. Ratios hold within one
run. The figures go to benchmarks/results, a workload's old ones are replaced.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import as_markdown, headline
from benchmarks.tables import ROOT, MissingTableError, adult_arff
from benchmarks.weka import time_j48
from benchmarks.workloads import WORKLOADS, Workload

RESULTS = ROOT / "benchmarks" / "results"
Row = dict[str, Any]


def main() -> int:
    options = parse_options()
    rows: list[Row] = []
    for name in options.workloads or WORKLOADS:
        rows += run_workload(WORKLOADS[name], options)
    if not options.dry:
        keep(rows)
        print(f"written: {RESULTS / 'latest.md'}")
    return 1 if any("failed" in row for row in rows) else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "benchmarks.run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--only", default="", help="these libraries, separated by commas")
    parser.add_argument("--repeat", type=int, default=3, help="best of so many fits")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="print, but write no results")
    options = parser.parse_args()
    unknown = [name for name in options.workloads if name not in WORKLOADS]
    if unknown:
        parser.error(f"no workload {', '.join(unknown)}; there are {', '.join(WORKLOADS)}")
    return options


def run_workload(workload: Workload, options: argparse.Namespace) -> list[Row]:
    """One row per library, measured one after the other on the same arrays."""
    print(f"{workload.name}: {workload.about}", flush=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            prepare(workload, Path(folder))
        except MissingTableError as missing:
            print(f"  skipped: {missing}", flush=True)
            return []
        for library in workload.libraries:
            if options.only and library not in options.only.split(","):
                continue
            row = {
                "workload": workload.name,
                "library": library,
                "threads": options.threads,
                "when": time.strftime("%Y-%m-%d"),
                **measure(workload, library, Path(folder), options),
            }
            rows.append(row)
            print("  " + headline(row), flush=True)
    return rows


def prepare(workload: Workload, folder: Path) -> None:
    """Put what the workload trains on into `folder`."""
    if workload.make is None:
        adult_arff(folder / "adult.arff")
        return
    x, y = workload.make()
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)


def measure(workload: Workload, library: str, folder: Path, options: argparse.Namespace) -> Row:
    """The figures of one library, from a process of its own."""
    if library == "weka":
        return time_j48(folder / "adult.arff", options.repeat)
    request = {
        "workload": workload.name,
        "library": library,
        "folder": str(folder),
        "repeat": options.repeat,
        "threads": options.threads,
    }
    command = [sys.executable, "-m", "benchmarks.measure", json.dumps(request)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    result: Row = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def keep(rows: list[Row]) -> None:
    """Write the figures; those of workloads not run now stay."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "latest.json"
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    fresh = {row["workload"] for row in rows}
    merged = [row for row in old if row["workload"] not in fresh] + rows
    merged.sort(key=lambda row: list(WORKLOADS).index(row["workload"]))
    path.write_text(json.dumps(merged, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "latest.md").write_text(as_markdown(merged), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
