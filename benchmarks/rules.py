"""Time of `C45Rules` on the Adult table, with and without weights of rows.

    python -m benchmarks.rules

Seconds of wall clock and of processor time for one fit. The weights are random numbers from 0.5 to
1.5. The table is looked for as in the other benchmarks.
"""

import time

import numpy as np

import treewright as tw
from benchmarks.tables import real_table


def main() -> None:
    """Print one line for each kind of weights."""
    X, y = tw.read_table(real_table("adult.csv.gz"), target="income")
    uneven = np.random.default_rng(0).uniform(0.5, 1.5, len(X))
    tw.C45Rules().fit(X[:500], y[:500])  # imports
    for name, weights in (("no weights", None), ("uneven weights", uneven)):
        wall, cpu = time.perf_counter(), time.process_time()
        model = tw.C45Rules().fit(X, y, sample_weight=weights)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{name:<16} {wall:6.1f} s, {cpu:6.1f} s of CPU, {len(model.rules_)} rules")


if __name__ == "__main__":
    main()
