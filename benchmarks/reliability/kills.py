"""kill -9 while files are written: `python -m benchmarks.reliability.kills --kills 1000`.

Commands that write models, predictions, reports and other files run as processes of their own and
are killed, half of them at random moments of all their work, half when the temporary file has
appeared and is being written. A kill that comes when the command has ended does not count, and
another is drawn. After each, the file must be the whole old one or the whole new one, and what else
is left must be recognizable; the next command that is let alone must clean it up.
Prints the figures, writes them to benchmarks/results/reliability/kills.md, fails on a failure.
"""

import argparse
import contextlib
import hashlib
import io
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import treewright as tw
from benchmarks.reliability.amounts import at_least_one
from benchmarks.reliability.figures import FOLDER, write_figures
from treewright.cli.main import main as run_command
from treewright.files import TEMPORARY

N_ROWS = 3000
LONGEST_SAVE = 0.004  # seconds from the appearance of the temporary file to the end of most saves
MOST_DRAWS = 10  # kills tried for each one wanted (and so many more), before giving up

# What is written: how, in two ways that give different files.
WRITERS = {
    "model of a tree": [
        ["train", "t.csv", "-t", "y", "--model", way, "--out", "m.json", "-q"]
        for way in ("cart", "c45")
    ],
    "model of a forest": [
        ["train", "t.csv", "-t", "y", "--model", "forest", "--n-estimators", way, "--out", "f.tw"]
        for way in ("9", "12")
    ],
    "model of neighbors": [
        ["train", "t.csv", "-t", "y", "--model", "knn", "--n-neighbors", way, "--out", "k.tw"]
        for way in ("3", "5")
    ],
    "predictions": [["predict", way, "t.csv", "--out", "p.csv"] for way in ("a.json", "b.json")],
    "report": [
        ["report", way, "few.csv", "--folds", "2", "--out", "r.html"]
        for way in ("a.json", "b.json")
    ],
    "worksheet": [["worksheet", way, "few.csv", "--out", "w.html"] for way in ("a.json", "b.json")],
    "pruned model": [["prune", way, "few.csv", "--out", "s.json"] for way in ("a.json", "b.json")],
    "rules": [["rules", way, "--format", "csv", "--out", "l.csv"] for way in ("a.json", "b.json")],
    "program": [["export", way, "--to", "python", "--out", "e.py"] for way in ("a.json", "b.json")],
    "filled table": [
        ["impute", "t.csv", "--strategy", way, "--out", "i.csv"] for way in ("mean", "median")
    ],
}


@dataclass
class Found:
    """What became of the kills of one kind of file."""

    n_in_time: int = 0
    n_too_late: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)  # of kills in time
    failures: list[str] = field(default_factory=list)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--kills", type=at_least_one, default=1000)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--out", type=Path, default=FOLDER, help="folder of the page")
    chosen = words.parse_args()
    begin = time.perf_counter()
    pick = random.Random(chosen.seed)
    found = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_inputs()
        for at, (name, ways) in enumerate(WRITERS.items()):
            n_kills = chosen.kills // len(WRITERS) + (at < chosen.kills % len(WRITERS))
            found[name] = killed(ways, n_kills, pick)
            n_in_time, outcomes = found[name].n_in_time, dict(found[name].outcomes)
            print(f"{name}: {n_in_time} kills in time, {outcomes}", flush=True)
            for failure in found[name].failures:
                print(f"  FAILED: {failure}", file=sys.stderr)
    lines = figures(found, time.perf_counter() - begin)
    write_figures("kills", f"--kills {chosen.kills}", lines, chosen.out)
    print(*lines, sep="\n")
    return int(any(one.failures for one in found.values()))


def write_inputs() -> None:
    """A table with holes, its first rows, and two models."""
    pick = random.Random(0)
    lines = []
    for _ in range(N_ROWS):
        x, word = pick.randrange(100), pick.choice("abc")
        size = "" if pick.random() < 0.1 else f"{pick.random():.3f}"
        lines.append(f"{x},{size},{word},{'yes' if x > 50 or word == 'c' else 'no'}\n")
    header = "x,size,word,y\n"
    Path("t.csv").write_text(header + "".join(lines))
    Path("few.csv").write_text(header + "".join(lines[:60]))
    X, y = tw.read_table("few.csv", target="y")
    for path, model in {
        "a.json": tw.CARTClassifier(max_depth=2),
        "b.json": tw.C45Classifier(),
    }.items():
        model.fit(X, y).name_target("y").save(path)
    for ways in WRITERS.values():  # so that all modules are there before the first fork
        finished([word.replace("t.csv", "few.csv") for word in ways[0]])
        Path(target_of(ways)).unlink()


def target_of(ways: list[list[str]]) -> str:
    return ways[0][ways[0].index("--out") + 1]


def finished(words: list[str]) -> None:
    """Run a command here, which must not fail."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()) as said,
    ):
        code = run_command(words)
    if code != 0:
        raise RuntimeError(f"{' '.join(words)}: {said.getvalue()}")


def killed(ways: list[list[str]], n_kills: int, pick: random.Random) -> Found:
    """Kill the command as often as asked for while it runs, then let it finish."""
    target = Path(target_of(ways))
    known = {path.name for path in Path().iterdir()} | {target.name}
    other_way, seconds = whole_files(ways, target)
    found = Found()
    for _ in range(MOST_DRAWS * (n_kills + 1)):
        if found.n_in_time == n_kills:
            break
        before = digest(target)
        process = started(other_way.get(before, ways[0]))
        if found.n_in_time % 2:
            wait_for_temporary_file(process)
            time.sleep(pick.uniform(0, LONGEST_SAVE))
        else:
            time.sleep(pick.uniform(0, seconds))
        os.kill(process, signal.SIGKILL)
        code = exit_code(process)
        if code not in (0, -signal.SIGKILL):
            found.failures.append(f"exit code {code}")
        judge(target, before, set(other_way), known, found, in_time=code == -signal.SIGKILL)
    if found.n_in_time < n_kills:
        found.failures.append(f"only {found.n_in_time} of {n_kills} kills came in time")
    if exit_code(started(ways[1])) != 0:
        found.failures.append("a run that is let alone after the kills fails")
    left = {path.name for path in Path().iterdir()} - known
    if left:
        found.failures.append(f"{', '.join(left)} is left after a whole run")
    return found


def whole_files(ways: list[list[str]], target: Path) -> tuple[dict[str, list[str]], float]:
    """By the digest of what one way writes, the other way; the seconds that a way takes."""
    digests = []
    seconds = 0.0
    for words in [*ways, ways[0]]:
        begin = time.perf_counter()
        if exit_code(started(words)) != 0:
            raise RuntimeError(f"failed: {' '.join(words)}")
        seconds = max(seconds, time.perf_counter() - begin)
        digests.append(digest(target))
    if len({*digests}) != 2 or digests[0] != digests[2]:
        raise RuntimeError(f"{target} is not the same every time, or both ways give the same")
    return {digests[0]: ways[1], digests[1]: ways[0]}, seconds


def judge(
    target: Path, before: str, whole: set[str], known: set[str], found: Found, *, in_time: bool
) -> None:
    """What a kill left: a whole file, and temporary files that can be told as such."""
    after = digest(target) if target.exists() else "nothing"
    if after not in whole:
        found.failures.append(f"{target} is neither the old file nor the new one")
    left = {path.name for path in Path().iterdir()} - known
    found.failures += [f"{name} is left" for name in left if not TEMPORARY.fullmatch(name)]
    if not in_time:
        found.n_too_late += 1
        return
    found.n_in_time += 1
    found.outcomes["the file is the new one" if after != before else "the file is the old one"] += 1
    found.outcomes["a temporary file is left"] += bool(left)


def started(words: list[str]) -> int:
    """A process that runs the command and says nothing."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.stdout = sys.stderr = io.StringIO()
        code = run_command(words)
    finally:
        os._exit(code)


def wait_for_temporary_file(process: int) -> None:
    """Until a file of this process is being written, or it has ended."""
    while os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if any(TEMPORARY.fullmatch(name) and is_open_in(process, name) for name in os.listdir()):
            return


def is_open_in(process: int, name: str) -> bool:
    """Whether the process has a file of this folder open."""
    with contextlib.suppress(OSError):  # the process or the file is gone
        files = Path(f"/proc/{process}/fd")
        return any(os.path.samefile(files / one, name) for one in os.listdir(files))
    return False


def exit_code(process: int) -> int:
    """How a process ended; a negative number is a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def figures(found: dict[str, Found], seconds: float) -> list[str]:
    """The figures as a table in Markdown."""
    columns = (
        "a temporary file is left",
        "the file is the old one",
        "the file is the new one",
    )
    lines = [
        f"| file | kills in time | {' | '.join(columns)} | broken or not cleaned up | too late |",
        f"|---|{'--:|' * (len(columns) + 3)}",
    ]
    everything = Found()
    for name, one in found.items():
        lines.append(f"| {name} | {figures_of(one, columns)} |")
        everything.n_in_time += one.n_in_time
        everything.n_too_late += one.n_too_late
        everything.outcomes += one.outcomes
        everything.failures += one.failures
    lines.append(f"| all | {figures_of(everything, columns)} |")
    return [*lines, "", f"{seconds:.0f} s."]


def figures_of(one: Found, columns: tuple[str, ...]) -> str:
    counts = [one.outcomes[column] for column in columns]
    return " | ".join(map(str, [one.n_in_time, *counts, len(one.failures), one.n_too_late]))


if __name__ == "__main__":
    sys.exit(main())
