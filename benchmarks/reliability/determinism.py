"""One table, one model, byte for byte: `python -m benchmarks.reliability.determinism`.

Fits every model to every table with 1, 2, 3, 4, 8 and 16 threads and compares sha256 of the file
and of the answers. Then the same again in fresh processes: as they come, with other libraries and
their threads first, beside busy neighbors, and with another environment. Prints what differs,
writes the figures to benchmarks/results/reliability/determinism.md, and fails on a difference, or
if a table, a model or a kind of fresh process was not compared at all.
`--part 0.1` takes a tenth of the cases, and leaves the page as it is. Numbers of threads beyond
what a machine starts are asked for, but counted once.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import time
import warnings
from collections import Counter
from functools import lru_cache

from benchmarks.reliability.amounts import at_least_one
from benchmarks.reliability.deterministic_cases import (
    MODELS,
    TABLES,
    Rows,
    every_case,
    fitted,
    predictions,
)
from benchmarks.reliability.figures import write_figures
from treewright.verbs.load import model_bytes

THREADS = (1, 2, 3, 4, 8, 16)
OTHERS = """
import contextlib, numpy, scipy.linalg, sklearn.ensemble
X = numpy.random.default_rng(0).normal(size=(400, 9)); y = X[:, 0] > 0
sklearn.ensemble.HistGradientBoostingClassifier(max_iter=3).fit(X, y); numpy.linalg.svd(X)
for name in ("polars", "pyarrow", "pandas", "torch"):
    with contextlib.suppress(ImportError): __import__(name)
with contextlib.suppress(ImportError):
    import xgboost; xgboost.XGBClassifier(n_estimators=3).fit(X, y)
with contextlib.suppress(ImportError):
    import lightgbm; lightgbm.LGBMClassifier(n_estimators=3, verbose=-1).fit(X, y)
"""
ODD_ENVIRONMENT = {
    "PYTHONHASHSEED": "7",
    "OMP_NUM_THREADS": "1",
    "OMP_SCHEDULE": "dynamic",
    "OMP_DYNAMIC": "true",
    "TZ": "Asia/Tokyo",
    "LC_ALL": "C",
    "MALLOC_PERTURB_": "165",
}
SETTINGS = ("as they come", "other libraries first", "busy machine", "other environment")

Case = tuple[str, str]


@lru_cache(maxsize=2)
def rows_of(table: str) -> Rows:
    return TABLES[table]()


def digest(case: Case, n_jobs: int | None) -> str:
    """sha256 of the model file and of its answers; empty if the model refuses the table."""
    table, name = case
    rows = rows_of(table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fitted(name, rows, n_jobs)
        if model is None:
            return ""
        content = model_bytes(model) + predictions(model, rows.X).tobytes()
    return hashlib.sha256(content).hexdigest()


def of_all_threads(case: Case) -> tuple[Case, dict[int, str]]:
    return case, {n_jobs: digest(case, n_jobs) for n_jobs in THREADS}


def some_cases(part: float) -> list[Case]:
    """Evenly spread over tables and models; neighbors share a table."""
    cases = list(every_case())
    step = max(1, round(1 / part))
    return [case for at, case in enumerate(cases) if at % step == at // step % step or step == 1]


# ------------------------------------------------------------------ fresh processes


def busy() -> list[subprocess.Popen]:
    """Two processes that do nothing but take time."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]


def in_fresh_process(cases: list[Case], setting: str) -> dict[str, str]:
    """Digests of the cases, with as many threads as there are cores."""
    first = OTHERS if setting == "other libraries first" else ""
    code = first + "from benchmarks.reliability.determinism import tell; tell()"
    changed = ODD_ENVIRONMENT if setting == "other environment" else {}
    neighbors = busy() if setting == "busy machine" else []
    try:
        ran = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            input=json.dumps(cases),
            env={**os.environ, **changed},
            capture_output=True,
            text=True,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"a fresh process ({setting}) failed:\n{error.stderr}") from error
    finally:
        for process in neighbors:
            process.kill()
            process.wait()
    return json.loads(ran.stdout.splitlines()[-1])


def tell() -> None:
    """In a fresh process: digests of the cases that come on standard input."""
    cases = [tuple(case) for case in json.load(sys.stdin)]
    print(json.dumps({" | ".join(case): digest(case, None) for case in cases}))


# ------------------------------------------------------------------ the figures


def threads_agree(cases: list[Case], n_processes: int) -> tuple[dict[Case, str], list[str]]:
    """The digest of every case that a model takes, and what differs."""
    known, differences = {}, []
    with multiprocessing.get_context("spawn").Pool(n_processes) as pool:
        for case, found in pool.imap_unordered(of_all_threads, cases, chunksize=4):
            if len(set(found.values())) > 1:
                differences.append(f"{case[1]} on {case[0]}: {found}")
            if found[1]:
                known[case] = found[1]
    return known, differences


def processes_agree(known: dict[Case, str], repeats: int) -> tuple[Counter[str], list[str]]:
    """Every repeat is a process of its own with some of the cases, in one of the settings."""
    counted: Counter[str] = Counter()
    differences = []
    cases = sorted(known)
    for repeat in range(repeats):
        setting = SETTINGS[repeat % len(SETTINGS)]
        turn = repeat // len(SETTINGS)
        share = [case for at, case in enumerate(cases) if (at + turn) % 13 == 0]
        for name, found in in_fresh_process(share, setting).items():
            table, model = name.split(" | ")
            counted[setting] += 1
            if found != known[table, model]:
                differences.append(f"{model} on {table}, {setting}: {found}")
    return counted, differences


def not_tried(known: dict[Case, str], counted: Counter[str], *, has_all: bool) -> list[str]:
    """Settings without a case; of all cases, tables and models too of which none was compared."""
    settings = [name for name in SETTINGS if not counted[name]]
    tables, models = {case[0] for case in known}, {case[1] for case in known}
    left_out = [*(TABLES.keys() - tables), *(MODELS.keys() - models)] if has_all else []
    return settings + sorted(left_out)


def n_distinct(model: str) -> int:
    """Numbers of threads that this machine tells apart; a model without threads knows one."""
    if "n_jobs" not in MODELS[model]().get_params():
        return 1
    most = max(8, 2 * (os.cpu_count() or 1))  # more are not started
    return len({min(n_threads, most) for n_threads in THREADS})


def page(known: dict[Case, str], counted: Counter[str], differences: list[str], took: float) -> str:
    models, tables = {case[1] for case in known}, {case[0] for case in known}
    n_combined = sum(n_distinct(case[1]) for case in known)
    lines = [
        f"- {n_combined:,} combinations of {len(tables)} tables, {len(models)} models and "
        f"numbers of threads ({', '.join(map(str, THREADS))}, as far as they differ here): file "
        "and answers have the same sha256 for every number of threads",
        *(f"- fresh process, {name}: {n:,} models compared" for name, n in counted.items()),
        f"- differences: {len(differences)}",
        f"- {took:.0f} s on {os.cpu_count()} cores",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", type=float, default=1.0, help="share of the cases")
    parser.add_argument(
        "--repeats", type=at_least_one, default=52, help="fresh processes, 4 or more"
    )
    parser.add_argument("--processes", type=at_least_one, default=2)
    arguments = parser.parse_args()
    start = time.perf_counter()
    known, differences = threads_agree(some_cases(arguments.part), arguments.processes)
    counted, more = processes_agree(known, arguments.repeats)
    differences += more
    text = page(known, counted, differences, time.perf_counter() - start)
    print("\n".join([text, *differences]))
    if arguments.part == 1.0:
        write_figures("determinism", f"--repeats {arguments.repeats}", text.splitlines())
    untried = not_tried(known, counted, has_all=arguments.part == 1.0)
    if untried:
        print("not tried:", ", ".join(untried))
    return 1 if differences or untried else 0


if __name__ == "__main__":
    sys.exit(main())
