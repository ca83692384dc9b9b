"""How soon Ctrl-C ends every kind of fit and of other long calls, and what it leaves behind.

    python -m benchmarks.reliability.interrupts --times 200

Each fit is interrupted so often, other calls a quarter as often, at random moments from the
beginning of the call to its end; a signal that comes too late does not count, and another is sent.
After every interrupt: an estimator that was not fitted is not, one that was is as it was (its
bytes), no thread and no file is left, the user's signal handler is in place, and the next fit gives
the usual bytes. What other calls return is compared after every tenth. Calls that take longer than
0.4 s on this machine are made smaller first: 200 interrupts of each then take some twenty minutes.
So each call is also made once at a size at which it takes seconds, with one thread and with two,
while a timer knocks all the time: the longest silence is what Ctrl-C would have waited at worst.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from itertools import cycle

import numpy as np

from benchmarks.reliability.calls_of_seconds import longest_silence
from benchmarks.reliability.figures import write_figures
from benchmarks.reliability.long_calls import LONG_CALLS
from benchmarks.reliability.long_fits import LONG_FITS
from benchmarks.reliability.silences import Silence
from benchmarks.reliability.strikes import Striker
from benchmarks.reliability.under_fire import (
    CallUnderFire,
    FitUnderFire,
    Surroundings,
    n_native_threads,
    under_fire,
)

OTHERS = 4  # calls other than fits are interrupted less often by this
LONGEST = 0.4  # seconds of a call; longer ones are made smaller
BEYOND = 1.05  # the last moment, in durations of the call: its end is to be met as well
AGAIN = 3  # times as many signals may come too late before a kind of call is given up


@dataclass
class Outcome:
    """What all interrupts of one kind of call came to."""

    name: str
    duration: float
    wanted: int
    seconds: list[float] = field(default_factory=list)
    latest: float = 0.0  # seconds into a call at which one was interrupted
    n_over: int = 0
    long: Silence | None = None  # of a call of seconds
    faults: list[str] = field(default_factory=list)

    def line(self) -> str:
        """As a row of the table."""
        late = np.array(self.seconds or [np.nan]) * 1000
        p50, p99 = np.quantile(late, [0.5, 0.99])
        long = f"{self.long.duration:.1f} | {1000 * self.long.longest:.0f}" if self.long else " | "
        return (
            f"| {self.name} | {self.duration:.2f} | {self.latest:.2f} "
            f"| {len(self.seconds)} | {self.n_over} | {p50:.0f} | {p99:.0f} | {late.max():.0f} "
            f"| {long} | {len(self.faults)} |"
        )

    def failed(self, soon: float) -> bool:
        """Whether something was wrong, too slow, or not interrupted often enough."""
        if self.faults or len(self.seconds) < self.wanted:
            return True
        if self.long and self.long.longest >= soon:
            return True
        return float(np.quantile(self.seconds, 0.99)) >= soon


HEAD = (
    "| call | takes s | latest s | interrupted | too late | p50 ms | p99 ms | max ms "
    "| long call s | its longest silence ms | faults |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|"
)


def interrupted(name: str, times: int, scale: float, seed: int) -> Outcome:
    """Interrupt one kind of call so often, at moments of its whole length."""
    target, durations = prepared(name, scale)
    outcome = Outcome(name, float(np.mean(durations)), times)
    draw = random.Random(f"{name} {seed}")
    turns = zip(target.calls(), cycle(durations), strict=False)
    with Striker() as striker:
        surroundings, n_threads = Surroundings(), n_native_threads()
        while len(outcome.seconds) < times and outcome.n_over < max(AGAIN * times, 20):
            (call, faults_after), duration = next(turns)
            moment = draw.uniform(0, BEYOND * duration)
            strike = striker.strike(call, moment)
            if strike.was_over:
                outcome.n_over += 1
                continue
            outcome.seconds.append(strike.seconds)
            outcome.latest = max(outcome.latest, moment)
            if strike.was_deaf:
                outcome.faults.append("the interrupt was lost")
                continue
            outcome.faults += [*faults_after(), *surroundings.changes()]
        if n_native_threads() > n_threads + (os.cpu_count() or 1):
            outcome.faults.append(f"{n_native_threads()} threads after, {n_threads} before")
    if len(outcome.seconds) < times:
        outcome.faults.append(f"only {len(outcome.seconds)} of {times} interrupts were in time")
    return outcome


def prepared(name: str, scale: float) -> tuple[FitUnderFire | CallUnderFire, list[float]]:
    """Something to interrupt, made smaller if it takes long on this machine; seconds of a turn."""
    target = under_fire(name, scale)
    durations = usual_durations(target)
    if max(durations) > LONGEST:
        target = under_fire(name, scale * LONGEST / max(durations))
        durations = usual_durations(target)
    return target, durations


def usual_durations(target: FitUnderFire | CallUnderFire) -> list[float]:
    """Seconds of the calls of one turn that nobody interrupts."""
    calls = target.calls()
    next(calls)[0]()  # what a first call imports is no part of it
    calls = target.calls()
    seconds = []
    for _ in range(target.n_turns):
        call, _after = next(calls)
        begin = time.monotonic()
        call()
        seconds.append(time.monotonic() - begin)
    return seconds


def interrupt_all(
    names: list[str], times: int, scale: float, seed: int, long: float
) -> list[Outcome]:
    """Interrupt these kinds of calls, and print each line when it is there."""
    outcomes = []
    with tempfile.TemporaryDirectory() as own:
        tempfile.tempdir = own
        for name in names:
            n_strikes = times if name in LONG_FITS else max(1, times // OTHERS)
            outcome = interrupted(name, n_strikes, scale, seed)
            outcome.long = longest_silence(name, long) if long else None
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
    shared += ["--seed", str(arguments.seed), "--soon", str(arguments.soon)]
    shared += ["--long", str(arguments.long), "--alone"]
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
        size = f"--times {arguments.times}"
        size += f" --scale {arguments.scale:g}" if arguments.scale != 1.0 else ""
        rows = [lines.get(name, f"| {name} | failed |") for name in names]
        write_figures("interrupts", size, [*HEAD.splitlines(), *rows])
    print(f"{time.monotonic() - begin:.0f} s", "failed" if failed else "all ended soon and cleanly")
    return int(failed)


def main() -> int:
    """Read the command line, interrupt, tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="kinds of calls; all unless given")
    parser.add_argument("--times", type=int, default=200, help="interrupts of each kind of fit")
    parser.add_argument("--scale", type=float, default=1.0, help="how much longer calls take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--soon", type=float, default=1.0, help="seconds that p99 stays below")
    parser.add_argument("--long", type=float, default=4.0, help="seconds of a long call; 0: none")
    parser.add_argument("--alone", action="store_true", help="in this process, one by one")
    arguments = parser.parse_args()
    names = arguments.names or [*LONG_FITS, *LONG_CALLS]
    if not arguments.alone:
        return in_two_processes(arguments, names)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    outcomes = interrupt_all(
        names, arguments.times, arguments.scale, arguments.seed, arguments.long
    )
    return int(any(outcome.failed(arguments.soon) for outcome in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
