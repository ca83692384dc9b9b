"""Mutated model files, many of them: each is refused, or its model answers rows as a model does.

    python -m benchmarks.reliability.mutants --mutants 1000000 --sanitized

Anything else fails: another error than `ModelFileError`, a crash, more than five seconds of work or
two minutes of waiting, a changed file that its checksum does not betray, answers that are not
finite, no class or no probability. Under sanitizers each array lies in memory of its own.
Mutants are made from the golden files (`fuzz/mutants.py` says how) and have numbers, so a failure
can be made again; its file is kept among the regression files, which the tests replay.
"""

import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.mutant_worker import N_NUMBERS, SORTS
from fuzz.mutants import Mutator
from fuzz.sanitized import PYTHON, sanitized_environment
from fuzz.seeds import seed_files

from benchmarks.reliability.amounts import at_least_one
from benchmarks.reliability.figures import write_figures

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "fuzz" / "regressions" / "model_file"
HANG = 5.0  # seconds of CPU time for one mutant
WAIT = 120.0  # seconds for one that does nothing, or waits for what does not come
NUMBERS = struct.Struct(f"={N_NUMBERS}q")
NOT_BEGUN = -1  # the number of the mutant that a process is at before its first
LOOK = 0.2  # seconds between two looks at the workers


@dataclass
class Worker:
    """A process that judges the mutants first, first + step ... before end."""

    seed: int
    first: int
    end: int
    step: int
    folder: Path
    environment: dict[str, str]
    python: tuple[str, ...] = (sys.executable,)
    failures: list[tuple[int, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    process: subprocess.Popen[bytes] | None = None
    at: int = NOT_BEGUN
    began: float = 0.0  # CPU time when it came to mutant `at`
    since: float = 0.0  # and the time of the clock

    def file(self, what: str) -> Path:
        """Where the process leaves something."""
        return self.folder / f"{what}_{self.first % self.step}"

    def start(self) -> None:
        """Begin, or go on after a mutant that ended the process."""
        self.file("progress").write_bytes(NUMBERS.pack(NOT_BEGUN, *[0] * len(SORTS)))
        words = [self.seed, self.first, self.end, self.step, self.file("progress")]
        with self.file("output").open("wb") as output, self.file("errors").open("wb") as errors:
            self.process = subprocess.Popen(
                [*self.python, "-m", "fuzz.mutant_worker", *map(str, words)],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=errors,
            )
        self.at, self.began, self.since = NOT_BEGUN, 0.0, time.monotonic()

    def is_done(self) -> bool:
        """Whether all mutants are judged; a process that died or hangs is started anew."""
        if self.process is None:
            return False
        code = self.process.poll()
        at, *counts = NUMBERS.unpack(self.file("progress").read_bytes())
        if code is None:
            if not self.hangs(at):
                return False
            self.process.kill()
            self.process.wait()
        self.collect(counts)
        if code == 0:
            return True
        if at == NOT_BEGUN:
            sys.exit(f"a process ended before its first mutant: {self.last_words()}")
        what = "hangs" if code is None else f"ends the process with {code}"
        self.failures.append((at, f"{what}: {self.last_words()}"))
        self.counts["failed"] += 1
        self.first = at + self.step
        if self.first >= self.end:
            return True
        self.start()
        return False

    def hangs(self, at: int) -> bool:
        """Whether the process has been at mutant `at` for too long, at work or waiting."""
        used, now = cpu_seconds(self.process.pid), time.monotonic()
        if at != self.at:
            self.at, self.began, self.since = at, used, now
        works_long = at != NOT_BEGUN and used - self.began >= HANG
        return works_long or now - self.since >= WAIT

    def collect(self, counts: list[int]) -> None:
        """Take on what the process counted and printed."""
        self.counts.update({sort: n for sort, n in zip(SORTS, counts, strict=True) if n})
        for line in self.file("output").read_text().splitlines():
            told: dict[str, Any] = json.loads(line)
            self.failures.append((told["index"], told["error"]))

    def last_words(self) -> str:
        """The line of standard error that names the cause, or the last one."""
        lines = self.file("errors").read_text(errors="replace").strip().splitlines()
        named = [line for line in lines if "ERROR" in line or "runtime error" in line]
        return (named or lines or [""])[0 if named else -1][:300]


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def run_workers(seed: int, n_mutants: int, n_processes: int, *, sanitized: bool) -> Worker:
    """Judge all mutants; counts and failures of all workers together."""
    environment = sanitized_environment() if sanitized else dict(os.environ)
    python = PYTHON if sanitized else (sys.executable,)
    with tempfile.TemporaryDirectory() as folder:
        workers = [
            Worker(seed, first, n_mutants, n_processes, Path(folder), environment, python)
            for first in range(n_processes)
        ]
        for worker in workers:
            worker.start()
        running = workers
        while running:
            time.sleep(LOOK)
            running = [worker for worker in running if not worker.is_done()]
    total = Worker(seed, 0, n_mutants, 1, Path(), environment)
    for worker in workers:
        total.counts.update(worker.counts)
        total.failures += worker.failures
    return total


def keep(failures: list[tuple[int, str]], seed: int) -> None:
    """Put a file for each kind of failure among the regression files."""
    mutator = Mutator(seed_files())
    KEPT.mkdir(parents=True, exist_ok=True)
    by_kind: dict[str, list[int]] = {}
    for index, error in failures:
        by_kind.setdefault(re.sub(r"[-+\d.]+", "#", error), []).append(index)
    for error, indices in by_kind.items():
        mutant = mutator.mutant(seed, indices[0])
        path = KEPT / f"{mutant.origin}_{seed}_{indices[0]}"
        path.write_bytes(mutant.content)
        print(f"{error}\n  {len(indices)} times; mutant {indices[0]} is kept as {path.name}")


def as_markdown(total: Worker, seconds: float, sanitizers: str, n_files: int) -> list[str]:
    """The figure, as lines for a page."""
    rows = sorted(total.counts.items())
    n_judged = sum(total.counts.values())
    return [
        f"{n_judged:,} mutants of {n_files} model files, seed {total.seed}, {sanitizers}, "
        f"{seconds:.0f} s: {len(total.failures)} failures.",
        "",
        "| mutants | files |",
        "|---|---:|",
        *(f"| {name} | {count:,} |" for name, count in rows),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=at_least_one, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=at_least_one, default=os.cpu_count() or 1)
    parser.add_argument(
        "--sanitized",
        action="store_true",
        help="with the module that `cmake/sanitized asan build` made of these sources",
    )
    given = parser.parse_args()
    begin = time.monotonic()
    total = run_workers(given.seed, given.mutants, given.processes, sanitized=given.sanitized)
    sanitizers = "under ASan and UBSan" if given.sanitized else "without sanitizers"
    figure = as_markdown(total, time.monotonic() - begin, sanitizers, len(seed_files()))
    print(*figure, sep="\n")
    keep(total.failures, given.seed)
    is_whole = sum(total.counts.values()) == given.mutants
    if given.sanitized and is_whole:
        write_figures("mutants", f"--mutants {given.mutants} --sanitized", figure)
    return 0 if is_whole and not total.failures else 1


if __name__ == "__main__":
    sys.exit(main())
