"""Which branches of the C++ core were taken, from the counts of clang's source-based coverage.

A branch is a condition in the text (each operand of && and || is one); it counts twice, once for
each way that was taken. Of a template, a way is taken if any instantiation takes it. Conditions
that the compiler decides are no branches. All files of `native/core` count.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CORE = ROOT / "native" / "core"

Place = tuple[str, int, int, int, int]  # file, first line and column, last line and column
Ways = tuple[bool, bool]  # whether it was true, and whether it was false


def exported(folder: Path, profdata: str, cov: str) -> dict[str, Any]:
    """What llvm-cov knows of every function of the core."""
    merged = folder / "counts" / "all.profdata"
    raw = sorted(map(str, merged.parent.glob("*.profraw")))
    subprocess.run([profdata, "merge", "-o", str(merged), *raw], check=True)
    module = next(folder.glob("_native*.so"))
    objects = [str(module), "-object", str(folder / "treewright_core_tests")]
    text = subprocess.run(
        [cov, "export", "-instr-profile", str(merged), *objects, str(CORE)],
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    data: dict[str, Any] = json.loads(text)["data"][0]
    return data


def branches_of(function: dict[str, Any]) -> Iterator[tuple[Place, Ways]]:
    """The branches of one function, without those that the compiler has decided."""
    for *span, yes, no, file, _, _ in function["branches"]:
        if yes or no or not was_reached(function, span, file):
            yield (function["filenames"][file], *span), (yes > 0, no > 0)


def was_reached(function: dict[str, Any], span: list[int], file: int) -> bool:
    """Whether the piece of code around a branch ran."""
    start = tuple(span[:2])
    around = [
        region
        for region in function["regions"]
        if region[5] == file and region[7] == 0 and tuple(region[:2]) <= start < tuple(region[2:4])
    ]
    innermost = max(around, key=lambda region: (region[0], region[1], -region[2], -region[3]))
    return innermost[4] > 0


def ways_taken(data: dict[str, Any]) -> dict[Place, Ways]:
    """Of every branch of the core, which of its two ways were taken."""
    taken: dict[Place, Ways] = {}
    for function in data["functions"]:
        for place, (yes, no) in branches_of(function):
            if not Path(place[0]).is_relative_to(CORE):
                continue
            before = taken.get(place, (False, False))
            taken[place] = (before[0] or yes, before[1] or no)
    return taken


def by_file(taken: dict[Place, Ways]) -> dict[str, tuple[int, int]]:
    """Of each file: ways taken, and ways there are."""
    files: dict[str, tuple[int, int]] = {}
    for place, ways in taken.items():
        name = str(Path(place[0]).relative_to(CORE))
        taken_there, all_there = files.get(name, (0, 0))
        files[name] = (taken_there + sum(ways), all_there + 2)
    return files


def missing_lines(taken: dict[Place, Ways]) -> Iterator[str]:
    """One line for each branch that was not taken both ways."""
    for place, (yes, no) in sorted(taken.items()):
        if yes and no:
            continue
        what = "never run" if not (yes or no) else "never true" if no else "never false"
        line = Path(place[0]).read_text().splitlines()[place[1] - 1].strip()
        yield f"{Path(place[0]).relative_to(CORE)}:{place[1]}:{place[2]}: {what}: {line}"
