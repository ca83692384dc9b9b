"""Properties on many random tables: `python -m benchmarks.reliability.properties --examples 1000`.

Runs every test that has a number P1 to P18 of the project's list in its name. Those that make up
their own tables take so many examples instead of the thirty of the test-suite, or the share of them
that the test takes there: one that is run for every estimator takes fewer. Prints and writes to
benchmarks/results/reliability/properties.md how many tests of each property ran; fails if one does
not hold, and then says how to get the table again, or if a property has no test that ran.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.reliability.amounts import at_least_one
from benchmarks.reliability.figures import write_figures

ROOT = Path(__file__).parents[2]
NUMBERS = range(1, 19)
DEFINED = re.compile(r"^\s*(?:def test_|class Test)P\d", re.MULTILINE)
NUMBERED = re.compile(r"::(?:test_|Test)P(\d+)")
OUTCOME = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED) .*", re.MULTILINE)
ALL_SIZES = ("-m", "large or not large")


def pytest(*words: str, examples: int = 1) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "pytest", *ALL_SIZES, *words],
        cwd=ROOT,
        env={**os.environ, "TREEWRIGHT_EXAMPLES": str(examples)},
        capture_output=True,
        text=True,
        check=False,
    )


def tests() -> list[str]:
    """Every test of a property, once for all its parameters."""
    files = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if is_numbered(path)]
    listed = pytest("--collect-only", "-n", "0", *(str(path.relative_to(ROOT)) for path in files))
    names = (line.partition("[")[0] for line in listed.stdout.splitlines())
    return list(dict.fromkeys(name for name in names if NUMBERED.search(name)))


def is_numbered(path: Path) -> bool:
    return bool(DEFINED.search(path.read_text(encoding="utf-8")))


def outcomes(output: str) -> dict[int, dict[str, int]]:
    """Of each property: how many tests passed, failed and were skipped, by pytest's summary."""
    found: dict[int, dict[str, int]] = {number: defaultdict(int) for number in NUMBERS}
    for line in OUTCOME.finditer(output):
        if number := NUMBERED.search(line[0]):
            found[int(number[1])][line[1]] += 1
    return found


def table(found: dict[int, dict[str, int]]) -> list[str]:
    rows = [
        f"| P{number} | {counts['PASSED'] + failed} | {failed} |"
        for number, counts in found.items()
        for failed in [counts["FAILED"] + counts["ERROR"]]
    ]
    return ["| property | tests | do not hold |", "|---|---:|---:|", *rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--examples", type=at_least_one, default=1000)
    parser.add_argument("--processes", type=at_least_one, default=2)
    parser.add_argument("--only", help="the tests whose names hold this, without a page")
    arguments = parser.parse_args()
    start = time.perf_counter()
    chosen = [name for name in tests() if (arguments.only or "") in name]
    if not chosen:  # pytest would run everything
        sys.exit("there is no such test of a property")
    options = ("-n", str(arguments.processes), "--timeout", "3600", "--tb", "short", "-rap")
    ran = pytest(*options, *chosen, examples=arguments.examples)
    found = outcomes(ran.stdout)
    n_run = sum(counts["PASSED"] + counts["FAILED"] for counts in found.values())
    lines = [
        f"{n_run} tests with up to {arguments.examples:,} random tables each, "
        f"{time.perf_counter() - start:.0f} s on {os.cpu_count()} cores.",
        "",
        *table(found),
    ]
    print("\n".join(lines))
    if ran.returncode:
        print(ran.stdout[-20_000:], ran.stderr[-2000:], sep="\n")
    if arguments.only:
        return ran.returncode or int(n_run == 0)
    write_figures("properties", f"--examples {arguments.examples}", lines)
    not_run = [f"P{number}" for number, counts in found.items() if not counts["PASSED"]]
    print("not run:" if not_run else "all were run", *not_run)
    return ran.returncode or int(bool(not_run))


if __name__ == "__main__":
    sys.exit(main())
