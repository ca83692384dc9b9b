"""All fuzzers for some seconds: `python -m fuzz.run --seconds 600`, which is `make fuzz`.

The time is shared out among the targets, as many at once as there are processors. An input that
breaks something ends its target, is kept in `fuzz/regressions/<target>`, and the exit code is 1. So
it is if a target tried no input, or cannot run here, which is told with the reason; without
`--targets`, `--allow-skips` takes those that can run for all.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fuzz.native_build import NATIVE_NAMES, native_programs
from fuzz.seeds import seed_files
from fuzz.targets import NAMES

ROOT = Path(__file__).parents[1]
FOUND = ROOT / "out" / "fuzz"  # inputs that reach new code, kept from run to run
RUNS = re.compile(r"Done (\d+) runs|#(\d+)\s+DONE")
TIMEOUT = 20  # seconds for one input
GRACE = 120  # seconds beyond its share after which a target is taken to hang


@dataclass(frozen=True, slots=True)
class Job:
    """A target and the command that runs it, without the options of libFuzzer."""

    name: str
    command: tuple[str, ...]

    @property
    def kept(self) -> Path:
        return ROOT / "fuzz" / "regressions" / self.name

    def folders(self) -> list[Path]:
        """Where inputs are: the first is written to."""
        own = FOUND / self.name
        own.mkdir(parents=True, exist_ok=True)
        self.kept.mkdir(parents=True, exist_ok=True)
        committed = ROOT / "fuzz" / "corpus" / self.name
        if self.name == "model_file":
            committed = FOUND / "sound_model_files"
            committed.mkdir(exist_ok=True)
            for name, content in seed_files().items():
                (committed / name).write_bytes(content)
        return [folder for folder in (own, committed, self.kept) if folder.is_dir()]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a target did."""

    name: str
    n_runs: int
    seconds: float
    output: str
    broke: bool

    @property
    def state(self) -> str:
        if self.broke:
            return "BROKE"
        return "fine" if self.n_runs else "TRIED NOTHING"


def jobs(chosen: Sequence[str]) -> list[Job]:
    """The targets of these names that can run here; a line about each of the others."""
    found = []
    in_python = [name for name in NAMES if name in chosen]
    if importlib.util.find_spec("atheris"):
        found += [Job(name, (sys.executable, "-m", "fuzz.atheris_run", name)) for name in in_python]
    elif in_python:
        skipped(in_python, "the package `atheris` is not installed")
    native = [name for name in NATIVE_NAMES if name in chosen]
    if native:
        programs, reason = native_programs()
        found += [Job(name, (str(programs[name]),)) for name in native if name in programs]
        if reason:
            skipped(native, reason)
    return found


def skipped(names: Sequence[str], reason: str) -> None:
    print(f"skipped: {', '.join(names)}: {reason}", flush=True)


def run(job: Job, seconds: int) -> Outcome:
    """Let a target run for so long."""
    options = [f"-max_total_time={seconds}", f"-timeout={TIMEOUT}", "-rss_limit_mb=4096"]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [*job.command, *options, f"-artifact_prefix={job.kept}/", *map(str, job.folders())],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds + GRACE,
            check=False,
        )
        written, broke = done.stdout, done.returncode != 0
    except subprocess.TimeoutExpired as hang:
        written, broke = (hang.output or b"") + b"\nit hangs", True
    output = written.decode(errors="replace")
    counts = [int(one or other) for one, other in RUNS.findall(output)]
    n_runs = max(counts, default=0)
    return Outcome(job.name, n_runs, time.monotonic() - begin, output, broke)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=600, help="for all targets together")
    every = (*NAMES, *NATIVE_NAMES)
    parser.add_argument("--targets", nargs="+", choices=every, default=[], help="only these")
    parser.add_argument(
        "--allow-skips",
        action="store_true",
        help="no error if some targets cannot run here, unless they are named by --targets",
    )
    given = parser.parse_args()
    chosen = jobs(given.targets or every)
    if not chosen:
        print("no target can run here")
        return 1
    n_at_once = os.cpu_count() or 1
    share = max(1, given.seconds * min(n_at_once, len(chosen)) // len(chosen))
    with ThreadPoolExecutor(n_at_once) as pool:
        outcomes = list(pool.map(lambda job: run(job, share), chosen))
    for outcome in outcomes:
        if outcome.state != "fine":
            print(outcome.output[-4000:])
        figures = f"{outcome.n_runs:>12,} runs {outcome.seconds:>6.0f} s"
        print(f"{outcome.name:<14} {figures}  {outcome.state}")
    wanted = given.targets or (() if given.allow_skips else every)
    left_out = sorted({*wanted} - {job.name for job in chosen})
    if left_out:
        print(f"not run: {', '.join(left_out)}")
    return int(bool(left_out) or any(outcome.state != "fine" for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
