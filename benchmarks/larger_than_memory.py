"""Training from a scan: time, memory that cannot be given back, and bytes in files.

    python -m benchmarks.larger_than_memory --rows 10000000 --models boosted c45
    python -m benchmarks.larger_than_memory --rows 10000000 --models c45 --limit 0.8

The rows are made block by block, as float32 in a file. Each model is trained by a process of its
own. `--limit` is gigabytes of memory, page cache included, that a control group allows it (root
only): the table may be much larger.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

BLOCK_BYTES = 20_000_000
GROUPS = Path("/sys/fs/cgroup")


def block_rows(n_columns: int) -> int:
    return BLOCK_BYTES // (4 * (n_columns + 1))


def write_rows(path: Path, n_rows: int, n_columns: int, n_classes: int) -> None:
    """The rows, and a class that depends on some columns, as float32."""
    with path.open("wb") as file:
        size = block_rows(n_columns)
        for begin in range(0, n_rows, size):
            rng = np.random.default_rng(begin)
            block = rng.standard_normal((min(size, n_rows - begin), n_columns + 1), np.float32)
            signal = block[:, 0] + block[:, 1] * block[:, 2] + block[:, -1]
            block[:, -1] = np.searchsorted([0.0, 1.5][: n_classes - 1], signal)
            block.tofile(file)


def blocks_of(path: Path, n_columns: int) -> Iterator[tuple[Any, Any]]:
    """The rows in blocks: X and y."""
    n_cells = block_rows(n_columns) * (n_columns + 1)
    with path.open("rb") as file:
        while len(block := np.fromfile(file, np.float32, n_cells)):
            rows = block.reshape(-1, n_columns + 1)
            yield rows[:, :-1], rows[:, -1].astype(np.int64)


def model_named(name: str, depth: int, rounds: int) -> Any:
    import treewright as tw

    return {
        "boosted": lambda: tw.BoostedTreesClassifier(n_estimators=rounds, random_state=0),
        "c45": lambda: tw.C45Classifier(max_depth=depth),
        "cart": lambda: tw.CARTClassifier(max_depth=depth, prune=None),
    }[name]()


class MemoryWatch:
    """The most memory of this process that is no page of a file, in GB."""

    def __init__(self) -> None:
        self.peak = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            for line in Path("/proc/self/status").read_text().splitlines():
                if line.startswith("RssAnon"):
                    self.peak = max(self.peak, int(line.split()[1]) / 2**20)
            time.sleep(0.05)


@contextmanager
def control_group(limit: float | None) -> Iterator[list[str]]:
    """A control group with so many GB of memory, as arguments for the process that joins it."""
    if limit is None:
        yield []
        return
    is_old = (GROUPS / "memory").is_dir()
    group = (GROUPS / "memory" if is_old else GROUPS) / f"treewright-{os.getpid()}"
    group.mkdir()
    name = "memory.limit_in_bytes" if is_old else "memory.max"
    (group / name).write_text(str(int(limit * 2**30)))
    try:
        yield ["--group", str(group)]
    finally:
        group.rmdir()


def train(given: argparse.Namespace) -> None:
    """One model, in this process."""
    from hashlib import sha256

    import treewright as tw
    from treewright.persistence.model_file import model_bytes

    if given.group is not None:
        (given.group / "cgroup.procs").write_text(str(os.getpid()))
    watch = MemoryWatch()
    scan = tw.scan(
        lambda: blocks_of(given.file, given.columns),
        memory_map=False if given.in_memory else str(given.file.parent),
    )
    began, worked = time.perf_counter(), time.process_time()
    model = model_named(given.model, given.depth, given.rounds).fit(scan)
    found = {
        "model": given.model,
        "rows": given.rows,
        "limit GB": given.limit,
        "seconds": round(time.perf_counter() - began, 1),
        "processor seconds": round(time.process_time() - worked, 1),
        "anonymous GB": round(watch.peak, 2),
        "load": round(os.getloadavg()[0], 1),
        "sha256": sha256(model_bytes(model)).hexdigest()[:16],
    }
    print(json.dumps(found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--classes", type=int, default=2, choices=(2, 3))
    parser.add_argument("--models", nargs="+", default=["boosted", "c45"])
    parser.add_argument("--depth", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--limit", type=float)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--in-memory", action="store_true", help="without files")
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--group", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.model is not None:
        train(given)
        return
    with TemporaryDirectory(dir=given.folder) as folder:
        file = Path(folder) / "rows"
        write_rows(file, given.rows, given.columns, given.classes)
        for model in given.models:
            command = [sys.executable, "-m", "benchmarks.larger_than_memory", *sys.argv[1:]]
            with control_group(given.limit) as joined:
                of_model = ["--model", model, "--file", str(file), *joined]
                code = subprocess.run([*command, *of_model], check=False).returncode
            if code:
                print(f"{model} ended with {code}; out of memory is -9", flush=True)


if __name__ == "__main__":
    main()
