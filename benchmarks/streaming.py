"""Peak memory and rate of `treewright predict` on a table larger than memory should be.

`python benchmarks/streaming.py` writes a CSV file of 2 GB to a temporary folder, or to the path
that is given, learns a tree from its first rows, and lets the command predict all of them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT_MB = 500
ROWS_AT_ONCE = 20_000
N_BLOCKS = 5  # different ones; more would only take longer to write
WORDS = np.array(["red", "green", "blue", "deep purple", '"quoted, with comma"'])


def write_table(path: Path, n_bytes: int) -> int:
    """Write a CSV file of about `n_bytes`: ten numbers, two words, a class; its number of rows."""
    rng = np.random.default_rng(0)
    blocks = [some_rows(rng).encode() for _ in range(N_BLOCKS)]
    n_rows = n_written = 0
    with path.open("wb") as file:
        file.write(
            ",".join([*(f"x{at}" for at in range(10)), "word", "place", "y"]).encode() + b"\n"
        )
        while n_written < n_bytes:
            n_written += file.write(blocks[n_rows // ROWS_AT_ONCE % N_BLOCKS])
            n_rows += ROWS_AT_ONCE
    return n_rows


def some_rows(rng: np.random.Generator) -> str:
    numbers = rng.normal(size=(ROWS_AT_ONCE, 10)).round(4)
    words, places = (WORDS[rng.integers(0, len(WORDS), ROWS_AT_ONCE)] for _ in range(2))
    is_high = numbers[:, 0] + numbers[:, 1] + (words == "red") > 0.5
    cells = [*numbers.T.astype(str), words, places, np.where(is_high, "high", "low")]
    return "\n".join(map(",".join, zip(*cells, strict=True))) + "\n"


def treewright(*words: str) -> tuple[float, float]:
    """Run the command; seconds and the most memory that it had, in MB."""
    begin = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "treewright.cli.main", *words])
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"treewright {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def measure(path: Path, folder: Path) -> None:
    """Learn from the first rows, predict all, print what it took."""
    with path.open(encoding="utf-8") as whole, (folder / "first.csv").open("w") as first:
        first.writelines(line for line, _ in zip(whole, range(20_001), strict=False))
    model, predictions = str(folder / "model.json"), str(folder / "predictions.csv")
    treewright("train", str(folder / "first.csv"), "-t", "y", "--out", model, "--max-depth", "3")
    seconds, peak = treewright("predict", model, str(path), "--out", predictions)
    with open(predictions, "rb") as file:
        n_rows = sum(1 for _ in file) - 1
    size = path.stat().st_size / 1e6
    print(f"{size:,.0f} MB of CSV, {n_rows:,} rows: {seconds:.1f} s, {size / seconds:.0f} MB/s,")
    print(f"{n_rows / seconds:,.0f} rows/s; peak memory {peak:.0f} MB (limit {LIMIT_MB} MB)")
    if peak > LIMIT_MB:
        sys.exit("more memory than wanted")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "path", nargs="?", type=Path, help="where the table is, or is to be written"
    )
    parser.add_argument("--megabytes", type=int, default=2000, help="size of a new table")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = chosen.path or Path(name) / "large.csv"
        if not path.exists():
            n_rows = write_table(path, chosen.megabytes * 1_000_000)
            print(f"wrote {n_rows:,} rows to {path}")
        measure(path, Path(name))


if __name__ == "__main__":
    main()
