"""Eight workers, a thousand partitions, two workers killed, one paused: the same bytes.

    python -m benchmarks.cluster_rehearsal --rows 5000000
    python -m benchmarks.cluster_rehearsal --rows 5000000 --source dask

The rows are in a thousand Parquet files, which workers read themselves: as files, or as a Dask
DataFrame of a thousand partitions. The model is first trained in one process, then on the cluster;
the two model files must be equal. A paused worker is continued only after the end.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import treewright as tw
from benchmarks.distributed import local_client, write_rows
from treewright.persistence.model_file import model_bytes

N_WORKERS, N_FILES = 8, 1000
SIGNALS = (signal.SIGKILL, signal.SIGSTOP, signal.SIGKILL)


def digest(model: Any) -> str:
    return sha256(model_bytes(model)).hexdigest()[:16]


def strike_later(pids: list[int], seconds: float, said: list[str]) -> None:
    """Send the signals to some of the workers, evenly over so many seconds."""
    chosen = random.Random(0).sample(pids, len(SIGNALS))
    for at, (pid, sign) in enumerate(zip(chosen, SIGNALS, strict=True), 1):
        when = seconds * at / (len(SIGNALS) + 1)

        def strike(pid: int = pid, sign: int = sign, when: float = when) -> None:
            os.kill(pid, sign)
            said.append(f"{signal.Signals(sign).name} after {when:.0f} s")

        threading.Timer(when, strike).start()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--source", choices=("files", "dask"), default="files")
    parser.add_argument("--timeout", type=float, default=20.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder, given.rows, -(-given.rows // N_FILES))
        model = tw.BoostedTreesClassifier(n_estimators=given.rounds, random_state=0)
        began = time.perf_counter()
        expected = digest(model.fit(tw.scan(folder / "*.parquet", target="y")))
        alone = time.perf_counter() - began
        with local_client(N_WORKERS) as client:
            rows: Any = folder / "*.parquet"
            if given.source == "dask":
                import dask.dataframe

                rows = dask.dataframe.read_parquet(folder)
            pids = [*client.run(os.getpid).values()]
            said: list[str] = []
            strike_later(pids, alone, said)
            began = time.perf_counter()
            try:
                found = digest(
                    tw.distributed.fit(
                        model, rows, target="y", client=client, timeout=given.timeout
                    )
                )
            finally:
                seconds = time.perf_counter() - began
                for pid in pids:
                    try:
                        os.kill(pid, signal.SIGCONT)
                    except ProcessLookupError:
                        continue
    report = {
        "rows": given.rows,
        "source": f"{given.source}, {N_FILES} partitions",
        "workers": N_WORKERS,
        "signals": said,
        "seconds in one process": round(alone, 1),
        "seconds on the cluster": round(seconds, 1),
        "equal bytes": found == expected,
        "sha256": expected,
    }
    print(json.dumps(report, indent=1))
    return 0 if found == expected and len(said) == len(SIGNALS) else 1


if __name__ == "__main__":
    sys.exit(main())
