"""Trees beside a slow exact reference: `python -m benchmarks.reliability.differential`.

Random small tables with holes, levels, weights, costs and priors are grown and pruned by the
package and by the reference of tests/reference, which is written in fractions from the documented
rules and shares no code with it. Every node of every tree is compared: question, counts, gain,
where missing values go, surrogates, answers. Where two splits are equally good by exact arithmetic
the documented rule says which one stands. Prints and writes the figures to
benchmarks/results/reliability/differential.md, and fails on a difference.

Seeds start where those of the test-suite end.
"""

import argparse
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path

from benchmarks.reliability.amounts import at_least_one
from benchmarks.reliability.figures import write_figures

ROOT = Path(__file__).parents[2]
FIRST_SEED = 1_000_000
PRUNED = "pruned by every method"

# One of eight tables is pruned by every method: that compares some thirty trees.
PRUNED_SHARE = 8

sys.path.insert(0, str(ROOT / "tests"))
os.environ["TREEWRIGHT_PRUNING_SEEDS"] = str(2**40)

from contracts import test_core_matches_reference as growing  # noqa: E402
from contracts import test_pruning_matches_reference as pruning  # noqa: E402
from reference.grown_cases import CASES, CHUNK, grown_model  # noqa: E402
from reference.random_problems import (  # noqa: E402
    FAMILIES,
    longer_problem,
    random_problem,
    wide_problem,
    with_close_values,
    with_extreme_values,
)


def grow_plain(family: str, seed: int) -> None:
    growing.check_problem(random_problem(seed, FAMILIES[family]))


def grow_longer(family: str, seed: int) -> None:
    growing.check_problem(longer_problem(seed, FAMILIES[family], 40))


def grow_extreme(family: str, seed: int) -> None:
    growing.check_problem(with_extreme_values(random_problem(seed, FAMILIES[family]), seed))


def grow_close(family: str, seed: int) -> None:
    growing.check_problem(with_close_values(random_problem(seed, FAMILIES[family]), seed))


def grow_wide(family: str, seed: int) -> None:
    """The first table from a seed on that the reference can grow in time."""
    tables = (wide_problem(at, FAMILIES[family]) for at in count(100 * seed))
    growing.check_problem(next(filter(growing.can_be_tried, tables)))


GROWN: dict[str, Callable[[str, int], None]] = {
    "grown": grow_plain,
    "grown, longer tables": grow_longer,
    "grown, extreme numbers": grow_extreme,
    "grown, close numbers": grow_close,
    "grown, any numbers, levels and holes": grow_wide,
}
OF_CLASSES: dict[str, Callable[[str, int], None]] = {
    "counts": pruning.test_the_grown_trees_are_counted_alike,
    **{
        f"pessimistic, {order}": lambda family, first, order=order: (
            pruning.test_pessimistic_pruning_is_that_of_the_reference(family, first, order)
        )
        for order in ("top_down", "bottom_up")
    },
    **{
        f"minimum error, m {m}": lambda family, first, m=m: (
            pruning.test_minimum_error_pruning_is_that_of_the_reference(family, first, m)
        )
        for m in (None, 0.0, 2.5)
    },
    **{
        f"description length, {s}": lambda family, first, s=s: (
            pruning.test_mdl_pruning_is_that_of_the_reference(family, first, s)
        )
        for s in (1.0, 0.3)
    },
    **{
        f"critical value by {by}": lambda family, first, by=by: (
            pruning.test_critical_value_pruning_is_that_of_the_reference(family, first, by)
        )
        for by in ("score", "gain")
    },
    **{
        f"error based, raising {raising}": lambda family, first, raising=raising: (
            pruning.test_error_based_pruning_is_that_of_the_reference(family, first, raising)
        )
        for raising in (False, True)
    },
    "reduced error": pruning.test_reduced_error_pruning_is_that_of_the_reference,
    "cost complexity": pruning.test_the_tree_for_a_price_is_the_best_of_all_subtrees,
}
OF_NUMBERS: dict[str, Callable[[str, int], None]] = {
    "reduced error": lambda _family, first: (
        pruning.test_reduced_error_pruning_of_numbers_is_that_of_the_reference(first)
    ),
}
OF_ALL: dict[str, Callable[[str, int], None]] = {
    "path by impurity": pruning.test_paths_by_impurity_have_the_weakest_links_of_the_reference,
    "path by error": pruning.test_paths_by_error_are_those_of_rpart,
}


def grow_tables(family: str, first: int, n_tables: int) -> tuple[Counter[str], list[str]]:
    """Tables of consecutive seeds, in each of the ways in turn."""
    counted: Counter[str] = Counter()
    differences = []
    for seed in range(first, first + n_tables):
        way = list(GROWN)[seed % len(GROWN)]
        try:
            GROWN[way](family, seed)
        except BaseException as error:  # pytest.fail is no Exception
            differences.append(told(f"{way}, {family}, seed {seed}", error))
        counted[way] += 1
    return counted, differences


def prune_tables(family: str, first: int, _: int) -> tuple[Counter[str], list[str]]:
    """One chunk of tables, pruned in every way that is for their kind of target."""
    differences = []
    ways = OF_ALL | (OF_NUMBERS if family == "numbers" else OF_CLASSES)
    for way, compare in ways.items():
        try:
            compare(family, first)
        except BaseException as error:
            differences.append(told(f"{way}, {family}, seeds from {first}", error))
    n_grown = grown_model.cache_info().currsize  # as many tables as the ways have really met
    grown_model.cache_clear()
    return Counter({PRUNED: n_grown, "prunings": n_grown * len(ways)}), differences


def told(where: str, error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt | SystemExit):
        raise error
    return f"{where}: {type(error).__name__}: {str(error)[:2000]}"


def run(task: tuple[str, str, int, int]) -> tuple[Counter[str], list[str]]:
    kind, family, first, n_tables = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (grow_tables if kind == "grow" else prune_tables)(family, first, n_tables)


def tasks_for(n_tables: int) -> list[tuple[str, str, int, int]]:
    n_pruned = max(CHUNK, n_tables // PRUNED_SHARE)
    each = -(-(n_tables - n_pruned) // len(FAMILIES))
    grown = [
        ("grow", family, FIRST_SEED + at, min(CHUNK, each - at))
        for family in FAMILIES
        for at in range(0, each, CHUNK)
    ]
    families = list(CASES)
    pruned = [
        ("prune", families[at % len(families)], FIRST_SEED + at * CHUNK, CHUNK)
        for at in range(n_pruned // CHUNK)
    ]
    return pruned + grown  # the longest first


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=at_least_one, default=10_000)
    parser.add_argument("--processes", type=at_least_one, default=2)
    arguments = parser.parse_args()
    start = time.perf_counter()
    counted: Counter[str] = Counter()
    differences: list[str] = []
    with multiprocessing.get_context("spawn").Pool(arguments.processes) as pool:
        for some, more in pool.imap_unordered(run, tasks_for(arguments.tables)):
            counted += some
            differences += more
    not_tried = [way for way in (*GROWN, PRUNED) if not counted[way]]
    n_prunings = counted.pop("prunings", 0)
    took = time.perf_counter() - start
    lines = [
        f"- {counted.total():,} random tables compared with the exact reference: "
        + ", ".join(f"{n:,} {way}" for way, n in counted.items())
        + f" ({n_prunings:,} pruned trees)",
        f"- unexplained differences: {len(differences)}",
        f"- {took:.0f} s on {os.cpu_count()} cores",
    ]
    print("\n".join([*lines, *differences]))
    write_figures("differential", f"--tables {arguments.tables}", lines)
    if not_tried:
        print("not tried:", ", ".join(not_tried))
    return 1 if differences or not_tried else 0


if __name__ == "__main__":
    sys.exit(main())
