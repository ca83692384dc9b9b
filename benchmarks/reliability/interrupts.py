"""How soon Ctrl-C ends every kind of fit and of other long calls, and what it leaves behind.

    python -m benchmarks.reliability.interrupts --times 200

Each fit is interrupted so often, other calls a quarter as often, at random moments of the call.
After every interrupt: an estimator that was not fitted is not, one that was is as it was (its
bytes), no thread and no file is left, the user's signal handler is in place, and the next fit gives
the usual bytes.
"""

import argparse
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reliability.long_calls import LONG_CALLS
from benchmarks.reliability.long_fits import LONG_FITS, LongFit
from benchmarks.reliability.strikes import Striker

RESULT = Path(__file__).parents[1] / "results" / "reliability" / "interrupts.md"
MOMENT = 5.0  # seconds that threads of other work have to end
OTHERS = 4  # calls other than fits are interrupted less often by this
LATEST = 0.6  # seconds into a call at which the signal comes at the latest


@dataclass
class Outcome:
    """What all interrupts of one kind of call came to."""

    name: str
    duration: float
    seconds: list[float] = field(default_factory=list)
    n_over: int = 0
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        """As a row of the table."""
        late = np.array(self.seconds or [0.0]) * 1000
        p50, p99 = np.quantile(late, [0.5, 0.99])
        return (
            f"| {self.name} | {self.duration:.2f} | {len(self.seconds)} | {self.n_over} "
            f"| {p50:.0f} | {p99:.0f} | {late.max():.0f} | {len(self.faults)} |"
        )

    def failed(self, soon: float) -> bool:
        """Whether something was wrong, or too slow."""
        return bool(self.faults) or float(np.quantile(self.seconds or [0.0], 0.99)) >= soon


HEAD = (
    "| call | takes s | interrupted | over before | p50 ms | p99 ms | max ms | faults |\n"
    "|---|---|---|---|---|---|---|---|"
)


class Surroundings:
    """What an interrupted call must leave as it was: threads, files, signal handlers.

    Threads that judge models side by side end when the piece of work is done that they are at, a
    moment after the call.
    """

    def __init__(self) -> None:
        time.sleep(MOMENT / 10)  # for what the calls before have left to end
        self.before = self._now()

    def _now(self) -> dict[str, Any]:
        return {
            "Python threads": threading.active_count(),
            "open files": len(os.listdir("/proc/self/fd")),
            "temporary files": sorted(os.listdir(tempfile.gettempdir())),
            "signal handler": signal.getsignal(signal.SIGINT),
        }

    def changes(self) -> Iterator[str]:
        """What is not as it was, a moment later either."""
        end = time.monotonic() + MOMENT
        while self._has_more() and time.monotonic() < end:
            time.sleep(0.01)
        now = self._now()
        for what in self._has_more():
            yield f"{what}: {self.before[what]} before, {now[what]} after"

    def _has_more(self) -> list[str]:
        now = self._now()
        counts = ("Python threads", "open files")
        more = [what for what in counts if now[what] > self.before[what]]
        others = ("temporary files", "signal handler")
        return more + [what for what in others if now[what] != self.before[what]]


def n_native_threads() -> int:
    return len(os.listdir("/proc/self/task"))


class FitUnderFire:
    """A fit that is interrupted again and again."""

    def __init__(self, fit: LongFit, scale: float) -> None:
        self.fit, self.rows = fit, fit.many(scale)
        self.expected = self._small_fit()

    def _small_fit(self) -> bytes:
        return pickle.dumps(self.fit.made(2, small=True).fit(*self.fit.few()))

    def calls(self) -> Iterator[tuple[Callable[[], Any], Callable[[], Iterator[str]]]]:
        """Fits to interrupt, fresh and fitted in turn, each with what must hold afterwards."""
        while True:
            for n_jobs in (1, 2):
                fresh = self.fit.made(n_jobs)
                yield lambda m=fresh: m.fit(*self.rows), lambda m=fresh: self._not_fitted(m)
                old = self.fit.made(n_jobs, small=True).fit(*self.fit.few())
                before = pickle.dumps(old.set_params(**self.fit.settings))
                yield (
                    lambda m=old: m.fit(*self.rows),
                    lambda m=old, b=before: self._still_fitted(m, b),
                )

    def _not_fitted(self, model: Any) -> Iterator[str]:
        learned = [name for name in vars(model) if name.endswith("_")]
        if learned or model.__sklearn_is_fitted__():
            yield f"a fit that was interrupted left {', '.join(learned)}"
        yield from self._usual()

    def _still_fitted(self, model: Any, before: bytes) -> Iterator[str]:
        if pickle.dumps(model) != before:
            yield "a fit that was interrupted changed what was fitted before"
        yield from self._usual()

    def _usual(self) -> Iterator[str]:
        if self._small_fit() != self.expected:
            yield "the next fit gave another model"


class CallUnderFire:
    """Some other long call; what it returns is small and must be the same the next time."""

    def __init__(self, prepare: Callable[[float], Callable[[], Any]], scale: float) -> None:
        self.call = prepare(scale)

    def calls(self) -> Iterator[tuple[Callable[[], Any], Callable[[], Iterator[str]]]]:
        """The call to interrupt, and nothing to look at beside the surroundings."""
        while True:
            yield self.call, lambda: iter(())


def under_fire(name: str, times: int, scale: float, seed: int) -> Outcome:
    """Interrupt one kind of call so often."""
    target: FitUnderFire | CallUnderFire
    if name in LONG_FITS:
        target = FitUnderFire(LONG_FITS[name], scale)
    else:
        target = CallUnderFire(LONG_CALLS[name], scale)
    draw = random.Random(f"{name} {seed}")
    calls = target.calls()
    duration = usual_duration(calls)
    outcome = Outcome(name, duration)
    with Striker() as striker:
        surroundings, n_threads = Surroundings(), n_native_threads()
        for _ in range(times):
            call, faults_after = next(calls)
            strike = striker.strike(call, draw.uniform(0, min(duration, LATEST)))
            if strike.was_over:
                outcome.n_over += 1
                continue
            outcome.seconds.append(strike.seconds)
            if strike.was_deaf:
                outcome.faults.append("the interrupt was lost")
                continue
            outcome.faults += [*faults_after(), *surroundings.changes()]
        if n_native_threads() > n_threads + (os.cpu_count() or 1):
            outcome.faults.append(f"{n_native_threads()} threads after, {n_threads} before")
    return outcome


def usual_duration(calls: Iterator[tuple[Callable[[], Any], Any]]) -> float:
    """Seconds of a call that nobody interrupts; the second, which need not import anything."""
    seconds = 0.0
    for _ in range(2):
        call, _after = next(calls)
        begin = time.monotonic()
        call()
        seconds = time.monotonic() - begin
    return seconds


def interrupt_all(names: list[str], times: int, scale: float, seed: int) -> list[Outcome]:
    """Interrupt these kinds of calls, and print each line when it is there."""
    outcomes = []
    with tempfile.TemporaryDirectory() as own:
        tempfile.tempdir = own
        for name in names:
            n_strikes = times if name in LONG_FITS else max(1, times // OTHERS)
            outcome = under_fire(name, n_strikes, scale, seed)
            outcomes.append(outcome)
            print(outcome.line(), flush=True)
            for fault in sorted(set(outcome.faults))[:5]:
                print(f"    {name}: {fault}", file=sys.stderr, flush=True)
        tempfile.tempdir = None
    return outcomes


def in_two_processes(arguments: argparse.Namespace, names: list[str]) -> int:
    """Half of the calls in each of two processes; the table is written when both are done."""
    begin = time.monotonic()
    shared = ["--times", str(arguments.times), "--scale", str(arguments.scale)]
    shared += ["--seed", str(arguments.seed), "--soon", str(arguments.soon), "--alone"]
    print(HEAD, flush=True)
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.reliability.interrupts", *shared, *part],
            stdout=subprocess.PIPE,
            text=True,
        )
        for part in (names[::2], names[1::2])
        if part
    ]
    lines = {}
    for worker in workers:
        for line in worker.communicate()[0].splitlines():
            lines[line.split(" | ")[0].removeprefix("| ")] = line
    print("\n".join(lines[name] for name in names if name in lines))
    failed = any(worker.returncode for worker in workers)
    if not arguments.names:
        write_result(arguments, [lines.get(name, f"| {name} | failed |") for name in names])
    print(f"{time.monotonic() - begin:.0f} s", "failed" if failed else "all ended soon and cleanly")
    return int(failed)


def write_result(arguments: argparse.Namespace, lines: list[str]) -> None:
    command = f"python -m benchmarks.reliability.interrupts --times {arguments.times}"
    if arguments.scale != 1.0:
        command += f" --scale {arguments.scale:g}"
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text("\n".join([f"`{command}`", "", HEAD, *lines]) + "\n")


def main() -> int:
    """Read the command line, interrupt, tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="kinds of calls; all unless given")
    parser.add_argument("--times", type=int, default=200, help="interrupts of each kind of fit")
    parser.add_argument("--scale", type=float, default=1.0, help="how much longer calls take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--soon", type=float, default=1.0, help="seconds that p99 stays below")
    parser.add_argument("--alone", action="store_true", help="in this process, one by one")
    arguments = parser.parse_args()
    names = arguments.names or [*LONG_FITS, *LONG_CALLS]
    if not arguments.alone:
        return in_two_processes(arguments, names)
    warnings.simplefilter("ignore")
    outcomes = interrupt_all(names, arguments.times, arguments.scale, arguments.seed)
    return int(any(outcome.failed(arguments.soon) for outcome in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
