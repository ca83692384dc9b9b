"""Mutated model files, many of them: each is refused, or its model answers rows as a model does.

    python -m benchmarks.reliability.mutants --mutants 1000000 --sanitized

Anything else fails: another error than `ModelFileError`, a crash, more than five seconds, a changed
file that its checksum does not betray, answers that are not finite, no class or no probability.
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

from fuzz.mutants import Mutator
from fuzz.sanitized import sanitized_environment
from fuzz.seeds import seed_files

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "reliability" / "mutants.md"
KEPT = ROOT / "fuzz" / "regressions" / "model_file"
HANG = 5.0  # seconds of CPU time for one mutant
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
    failures: list[tuple[int, str]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    process: subprocess.Popen[bytes] | None = None
    at: int = NOT_BEGUN
    began: float = 0.0  # CPU time when it came to mutant `at`

    def file(self, what: str) -> Path:
        """Where the process leaves something."""
        return self.folder / f"{what}_{self.first % self.step}"

    def start(self) -> None:
        """Begin, or go on after a mutant that ended the process."""
        self.file("progress").write_bytes(struct.pack("<q", NOT_BEGUN))
        words = [self.seed, self.first, self.end, self.step, self.file("progress")]
        with self.file("output").open("wb") as output, self.file("errors").open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.mutant_worker", *map(str, words)],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=errors,
            )
        self.at, self.began = NOT_BEGUN, 0.0

    def is_done(self) -> bool:
        """Whether all mutants are judged; a process that died or hangs is started anew."""
        if self.process is None:
            return False
        code = self.process.poll()
        (at,) = struct.unpack("<q", self.file("progress").read_bytes())
        if code is None:
            used = cpu_seconds(self.process.pid)
            if at != self.at:
                self.at, self.began = at, used
            if at == NOT_BEGUN or used - self.began < HANG:
                return False
            self.process.kill()
            self.process.wait()
        self.collect()
        if code == 0:
            return True
        if at == NOT_BEGUN:
            sys.exit(f"a process ended before its first mutant: {self.last_words()}")
        what = f"hangs for {HANG} s" if code is None else f"ends the process with {code}"
        self.failures.append((at, f"{what}: {self.last_words()}"))
        self.counts["failed"] += 1
        self.first = at + self.step
        if self.first >= self.end:
            return True
        self.start()
        return False

    def collect(self) -> None:
        """Take on what the process printed."""
        for line in self.file("output").read_text().splitlines():
            told: dict[str, Any] = json.loads(line)
            self.counts.update(told.get("counts", {}))
            if "failure" in told:
                self.failures.append((told["failure"]["index"], told["failure"]["error"]))

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


def run_workers(seed: int, n_mutants: int, n_processes: int, environment: dict[str, str]) -> Worker:
    """Judge all mutants; counts and failures of all workers together."""
    with tempfile.TemporaryDirectory() as folder:
        workers = [
            Worker(seed, first, n_mutants, n_processes, Path(folder), environment)
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


def as_markdown(total: Worker, seconds: float, sanitizers: str, n_files: int) -> str:
    """The figure, as lines for a page."""
    rows = sorted(total.counts.items())
    n_judged = sum(total.counts.values())
    lines = [
        f"{n_judged:,} mutants of {n_files} model files, seed {total.seed}, {sanitizers}, "
        f"{seconds:.0f} s: {len(total.failures)} failures.",
        "",
        "| mutants | files |",
        "|---|---:|",
        *(f"| {name} | {count:,} |" for name, count in rows),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--sanitized", action="store_true", help="with the module of build/asan (make asan)"
    )
    parser.add_argument("--dry", action="store_true", help="write no figure")
    given = parser.parse_args()
    environment = dict(os.environ)
    if given.sanitized:
        environment = sanitized_environment()
    begin = time.monotonic()
    total = run_workers(given.seed, given.mutants, given.processes, environment)
    sanitizers = "under ASan and UBSan" if given.sanitized else "without sanitizers"
    figure = as_markdown(total, time.monotonic() - begin, sanitizers, len(seed_files()))
    print(figure)
    keep(total.failures, given.seed)
    if not given.dry:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(figure, encoding="utf-8")
    is_whole = sum(total.counts.values()) == given.mutants
    return 0 if is_whole and not total.failures else 1


if __name__ == "__main__":
    sys.exit(main())
