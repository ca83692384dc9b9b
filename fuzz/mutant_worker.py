"""One process that judges many mutants of model files; `benchmarks.reliability.mutants` starts it.

Before each mutant its number goes into a small shared file: whoever started this process knows what
it was at when it died or got stuck.
"""

import json
import mmap
import struct
import sys
from collections import Counter
from pathlib import Path

from fuzz.judging import judged
from fuzz.mutants import Mutator
from fuzz.seeds import seed_files

NUMBER = struct.Struct("<q")


def judge_mutants(seed: int, indices: range, progress: mmap.mmap) -> None:
    """Print a line for each failure, and at the end one with how many were refused and accepted."""
    files = seed_files()
    mutator = Mutator(files)
    counts: Counter[str] = Counter()
    for index in indices:
        NUMBER.pack_into(progress, 0, index)
        mutant = mutator.mutant(seed, index)
        is_changed = mutant.content != files[mutant.origin]
        try:
            is_accepted = judged(mutant.content, must_be_refused=mutant.is_raw and is_changed)
        except Exception as error:
            told = {"index": index, "error": f"{type(error).__name__}: {str(error)[:300]}"}
            print(json.dumps({"failure": told}), flush=True)
            counts["failed"] += 1
            continue
        sort = "right checksum" if not mutant.is_raw else "bytes" if is_changed else "not changed"
        counts[f"{sort}, {'accepted' if is_accepted else 'refused'}"] += 1
    print(json.dumps({"counts": counts}), flush=True)


def main() -> None:
    seed, first, end, step = map(int, sys.argv[1:5])
    with Path(sys.argv[5]).open("r+b") as file, mmap.mmap(file.fileno(), NUMBER.size) as progress:
        judge_mutants(seed, range(first, end, step), progress)


if __name__ == "__main__":
    main()
