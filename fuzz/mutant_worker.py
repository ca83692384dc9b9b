"""One process that judges many mutants of model files; `benchmarks.reliability.mutants` starts it.

The number of the mutant that it is at, and its counts, stand in a small shared file: whoever
started this process knows them when it died or got stuck.
"""

import json
import mmap
import os
import sys
from pathlib import Path

from fuzz.apart import keep_arrays_apart
from fuzz.judging import judged
from fuzz.mutants import Mutator
from fuzz.seeds import seed_files

SORTS = (
    "bytes, accepted",
    "bytes, refused",
    "not changed, accepted",
    "not changed, refused",
    "right checksum, accepted",
    "right checksum, refused",
    "failed",
)
N_NUMBERS = 1 + len(SORTS)  # of 8 bytes: the mutant, then the counts


def judge_mutants(seed: int, indices: range, progress: memoryview) -> None:
    """Count what becomes of mutants, and print a line for each failure."""
    files = seed_files()
    mutator = Mutator(files)
    for index in indices:
        progress[0] = index
        mutant = mutator.mutant(seed, index)
        is_changed = mutant.content != files[mutant.origin]
        sort = "right checksum" if not mutant.is_raw else "bytes" if is_changed else "not changed"
        try:
            is_accepted = judged(mutant.content, must_be_refused=mutant.is_raw and is_changed)
            sort += ", accepted" if is_accepted else ", refused"
        except Exception as error:
            told = {"index": index, "error": f"{type(error).__name__}: {str(error)[:300]}"}
            print(json.dumps(told), flush=True)
            sort = "failed"
        progress[1 + SORTS.index(sort)] += 1


def main() -> None:
    if os.environ.get("TREEWRIGHT_WATCHED"):
        keep_arrays_apart()
    seed, first, end, step = map(int, sys.argv[1:5])
    with (
        Path(sys.argv[5]).open("r+b") as file,
        mmap.mmap(file.fileno(), 8 * N_NUMBERS) as shared,
        memoryview(shared) as as_bytes,
        as_bytes.cast("q") as progress,
    ):
        judge_mutants(seed, range(first, end, step), progress)


if __name__ == "__main__":
    main()
