"""How a fit would scale on more cores than this machine has: a recording and a model.

    python -m benchmarks.scaling boost_100k tree_1m --workers 1 2 4 16 64
    python -m benchmarks.scaling boost_1m --region 4 --bandwidth 80 --caches 64
    python -m benchmarks.scaling --check > benchmarks/results/scaling.md

A fit is recorded on one thread: what every parallel region was asked to do for so many workers,
the processor time of each task, the time of the caller between regions, the bytes of large arrays
that tasks say they touch. The model then gives tasks to workers as the thread pool does, each to
the first that is free, and adds what a machine charges:

- the start and end of a region, which costs more the more workers there are;
- each task that a worker takes from the others' list;
- memory: a region that touches more than the caches hold takes at least its bytes over the
  bandwidth of the machine.

The cost of a region is measured here with two threads unless given. Caches and bandwidth are
inputs, with those of a common 16-core machine as defaults. Record on an idle machine: tasks are
timed by the processor time of their thread, but other programs still take caches and bandwidth.
"""

import argparse
import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.ensemble_libraries import ENSEMBLES, EnsembleTask
from benchmarks.libraries import LIBRARIES, Task
from benchmarks.workloads import WORKLOADS, Workload

TIMED = ("boost_5k", "boost_100k", "boost_1m", "boost_deep_500k", "forest_100k")
GROWN = ("tree_100k", "tree_1m", "tree8_1m", "regtree_500k")


@dataclass(frozen=True, slots=True)
class Machine:
    """What is not in a recording."""

    region: float  # seconds to start and end a region on two threads
    claim: float = 1e-7  # seconds to take a task, with many workers who do
    bandwidth: float = 60e9  # bytes a second from memory to all cores together
    caches: float = 48e6  # bytes that need not come from memory

    def cost_of_region(self, workers: int) -> float:
        """Twice as much on 16 workers as on two: all read one word, and each writes another."""
        return self.region * (workers - 1).bit_length() ** 0.5


@dataclass(frozen=True, slots=True)
class Region:
    """A call of run_tasks."""

    before: float  # seconds of the caller since the last
    workers: int  # at most
    n_bytes: float
    tasks: Sequence[float]  # seconds


@dataclass(slots=True)
class Predicted:
    """Where the time of a fit goes, in seconds."""

    serial: float = 0.0  # the caller alone
    starts: float = 0.0  # of regions
    work: float = 0.0  # tasks, were they divided equally
    uneven: float = 0.0  # waiting for the last task
    memory: float = 0.0  # waiting for memory
    n_regions: int = 0

    @property
    def seconds(self) -> float:
        return self.serial + self.starts + self.work + self.uneven + self.memory

    def limits(self) -> list[tuple[str, float]]:
        """What keeps the fit from being as fast as it has workers, the worst first."""
        named = {
            "between regions on one thread": self.serial,
            "starts of regions": self.starts,
            "waiting for the last task": self.uneven,
            "waiting for memory": self.memory,
        }
        return sorted(named.items(), key=lambda item: -item[1])


def recorded(fit: Any) -> list[Region]:
    """The parallel regions of a fit."""
    from treewright._kernels import _native

    _native.start_recording()
    try:
        fit()
    finally:
        regions = _native.end_recording()
    return [
        Region(before * 1e-9, workers, n_bytes, [task * 1e-9 for task in tasks])
        for before, workers, n_bytes, tasks in regions
    ]


def finish_time(tasks: Sequence[float], workers: int) -> float:
    """When the last task ends, if each is given to the first worker that is free."""
    free = [0.0] * min(workers, len(tasks))
    for task in tasks:
        heapq.heapreplace(free, free[0] + task)
    return max(free)


def predict(regions: Sequence[Region], machine: Machine, workers: int) -> Predicted:
    """The time of a recorded fit on a machine with so many workers."""
    predicted = Predicted()
    for region in regions:
        predicted.serial += region.before
        if not region.tasks:
            continue
        predicted.n_regions += 1
        n = min(workers, region.workers)
        equal, end = sum(region.tasks) / n, finish_time(region.tasks, n)
        if n > 1:
            predicted.starts += machine.cost_of_region(n) + machine.claim * len(region.tasks) / n
        predicted.work += equal
        predicted.uneven += end - equal
        if region.n_bytes > machine.caches:
            predicted.memory += max(0.0, region.n_bytes / machine.bandwidth - end)
    return predicted


def measured_region(repeats: int = 2_000) -> float:
    """Seconds for a parallel region of two threads that has almost nothing to do."""
    import numpy as np

    from treewright._kernels.learners import Loss, loss_gradients

    y, scores, first = (np.zeros(8192) for _ in range(3))

    def run(threads: int) -> float:
        best = float("inf")
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(repeats // 20):
                loss_gradients(Loss.squared_error, 0.0, y, scores, None, first, None, threads)
            best = min(best, time.perf_counter() - start)
        return best / (repeats // 20)

    alone = run(1)
    return max(0.0, run(2) - alone / 2)


def trainer(workload: Workload, workers: int) -> Any:
    """Treewright's model of a workload."""
    settings = {"n_threads": workers, **workload.settings}
    if workload.measure == "ensemble":
        return ENSEMBLES["treewright"](EnsembleTask(**settings))
    return LIBRARIES["treewright"](Task(**settings))


def arrays_of(workload: Workload) -> tuple[Any, Any]:
    assert workload.make is not None
    x, y = workload.make()
    return x[: len(x) - workload.n_test], y[: len(y) - workload.n_test]


def report(workload: Workload, options: argparse.Namespace, machine: Machine) -> None:
    """Predicted times for every number of workers, and what limits the largest."""
    from treewright.estimators import threads

    threads.most_threads = lambda: max(64, *options.workers)
    x, y = arrays_of(workload)
    trainer(workload, 1).fit(x[:1000], y[:1000])
    print(f"\n## {workload.name}\n")
    print("| workers | predicted | speed-up | regions | serial | starts | uneven | memory |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    base, last = None, Predicted()
    for workers in sorted(options.workers):
        model = trainer(workload, workers)
        runs = [recorded(lambda model=model: model.fit(x, y)) for _ in range(options.repeat)]
        last = min((predict(run, machine, workers) for run in runs), key=lambda run: run.seconds)
        base = base or last.seconds
        shares = (last.serial, last.starts, last.uneven, last.memory)
        print(
            f"| {workers} | {last.seconds:.3f} s | {base / last.seconds:.1f} | {last.n_regions} | "
            + " | ".join(f"{100 * share / last.seconds:.1f} %" for share in shares)
            + " |",
            flush=True,
        )
    limits = ", ".join(f"{1e3 * seconds:.1f} ms {name}" for name, seconds in last.limits())
    print(f"\nWhat limits {max(options.workers)} workers, the worst first: {limits}.")
    if options.check:
        check(workload, machine, x, y, options.repeat)


def check(workload: Workload, machine: Machine, x: Any, y: Any, repeat: int) -> None:
    """The prediction for two threads beside the clock."""
    for workers in (1, 2):
        model = trainer(workload, workers)
        seconds = []
        for _ in range(max(3, repeat)):
            start = time.perf_counter()
            model.fit(x, y)
            seconds.append(time.perf_counter() - start)
        runs = [recorded(lambda model=model: model.fit(x, y)) for _ in range(repeat)]
        expected = min(predict(run, machine, workers).seconds for run in runs)
        print(
            f"\nThreads: {workers}, predicted {expected:.3f} s, measured {min(seconds):.3f} s "
            f"({100 * (expected / min(seconds) - 1):+.1f} %)."
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        "benchmarks.scaling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("workloads", nargs="*", default=list(TIMED + GROWN), metavar="WORKLOAD")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--repeat", type=int, default=2, help="best of so many recordings")
    parser.add_argument("--region", type=float, help="microseconds for a region on two threads")
    parser.add_argument("--bandwidth", type=float, default=60, help="of memory, GB a second")
    parser.add_argument("--caches", type=float, default=48, help="of all cores together, MB")
    parser.add_argument("--check", action="store_true", help="compare with the clock on two cores")
    options = parser.parse_args()
    unknown = [name for name in options.workloads if name not in TIMED + GROWN]
    if unknown:
        parser.error(f"no workload {', '.join(unknown)}; there are {', '.join(TIMED + GROWN)}")
    region = measured_region() if options.region is None else options.region * 1e-6
    machine = Machine(region, bandwidth=options.bandwidth * 1e9, caches=options.caches * 1e6)
    print(
        "# More cores than this machine has\n\n"
        "What `python -m benchmarks.scaling` predicts from recordings on one thread. A parallel "
        f"region costs {machine.region * 1e6:.1f} µs on two threads; the model takes "
        f"{machine.cost_of_region(16) * 1e6:.1f} µs on 16, {options.bandwidth:g} GB/s from memory "
        f"and {options.caches:g} MB of caches. Shares are of the predicted time."
    )
    for name in options.workloads:
        report(WORKLOADS[name], options, machine)


if __name__ == "__main__":
    main()
