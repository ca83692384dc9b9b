"""Properties on many random tables: `python -m benchmarks.reliability.properties --examples 5000`.

Runs the tests P1 to P18 of the project's list that make up their own tables, with so many examples
each instead of the hundred of the test-suite. Prints and writes the figures to
benchmarks/results/reliability/properties.md; fails if a property does not hold, and then says how
to get the table again. 20,000 examples take some twenty minutes on two cores.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULT = Path(__file__).parents[1] / "results" / "reliability" / "properties.md"
TESTS = (
    "tests/contracts/test_growth_properties.py",
    "tests/contracts/test_model_properties.py",
    "tests/contracts/test_stateful_properties.py",
    "tests/rulesets/test_tree_rules.py",
    "tests/kernels/test_neighbours.py",
    "tests/linear/test_least_squares.py",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--examples", type=int, default=5000)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "pytest", "-n", str(arguments.processes), "--timeout", "3600"]
    choice = ["-k", "test_P or TestP18", "-m", "large or not large", "--tb", "short"]
    start = time.perf_counter()
    ran = subprocess.run(
        [*command, *choice, *TESTS],
        cwd=ROOT,
        env={**os.environ, "TREEWRIGHT_EXAMPLES": str(arguments.examples)},
        capture_output=True,
        text=True,
        check=False,
    )
    took = time.perf_counter() - start
    marks = "".join(re.findall(r"^[.FEsx]+(?= |$)", ran.stdout, re.MULTILINE))
    failed = marks.count("F") + marks.count("E")
    lines = [
        f"- {marks.count('.') + failed} tests of the properties P1 to P18 with up to "
        f"{arguments.examples:,} random tables each: {failed} do not hold",
        f"- {took:.0f} s on {os.cpu_count()} cores",
    ]
    print("\n".join(lines))
    if ran.returncode:
        print(ran.stdout[-20_000:], ran.stderr[-2000:], sep="\n")
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text("\n".join(lines) + "\n")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
