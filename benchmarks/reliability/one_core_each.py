"""A plugin of pytest that keeps each worker of pytest-xdist, and what it starts, on one core.

Branches are counted by atomic additions, and threads on several cores that count the same branch
pass its cache line to and fro: a tenth of the time of a loop in four threads, on two cores that had
much else to do. The package still believes in all cores: it asks before.

    python -m pytest -n 2 -p benchmarks.reliability.one_core_each
"""

import os

from treewright.estimators.threads import usable_cores


def pytest_configure() -> None:
    """Keep to the core of this worker's number; the process that gives out the work is free."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker.startswith("gw") and hasattr(os, "sched_setaffinity"):
        usable_cores()  # is remembered
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})
