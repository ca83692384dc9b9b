"""A process whose memory runs out: fits and asks one estimator while the n-th allocation fails.

    LD_PRELOAD=failing_new.so python out_of_memory.py ESTIMATOR STEPS

Prints how many allocations failed. The estimator must raise MemoryError or be right all the same,
and learn as ever afterwards.
"""

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from torture.models import MODELS, array_of, prediction_of
from treewright._kernels.learners import Settings

FAILING = ctypes.CDLL(None)

# nanobind keeps a table of the objects that Python holds, and does not survive that this cannot
# grow: it has grown before memory runs out.
WRAPPED = [Settings() for _ in range(4096)]


def is_same(found: Any, expected: Any) -> bool:
    """Whether two results are equal; of tables, their cells are compared."""
    found, expected = array_of(found), array_of(expected)
    return np.array_equal(found, expected, equal_nan=found.dtype.kind == "f")


def is_right(work: Callable[[], Any], expected: Any, n: int) -> bool | None:
    """Whether the result came out though allocation n failed; None if MemoryError did."""
    FAILING.fail_allocation(ctypes.c_long(n))
    try:
        found = work()
    except MemoryError:
        found = None
    has_failed = bool(FAILING.has_failed())
    if found is not None:
        assert is_same(found, expected), f"allocation {n}: another result"
    else:
        assert has_failed, f"MemoryError though allocation {n} did not fail"
    return None if found is None else not has_failed


def failures_of(work: Callable[[], Any], steps: int) -> int:
    """How often an allocation failed, from the first to the last, in ever larger steps."""
    expected = work()
    n, n_failed = 1, 0
    while not is_right(work, expected, n):
        n, n_failed = n + 1 + n // steps, n_failed + 1
        assert is_same(work(), expected), "wrong after the failure"
    return n_failed


def main() -> None:
    """Fit, ask, and keep what was learned, while memory runs out."""
    name, steps = sys.argv[1], int(sys.argv[2])
    kind = MODELS[name]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).round(1)
    y = X[:, 0] + X[:, 1]
    if kind.gives != "numbers":
        y = y > 0.3
    model = kind()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=2)
    fits = failures_of(lambda: prediction_of(model.fit(X, y), X), steps)
    print(fits + failures_of(lambda: prediction_of(model, X), steps))


if __name__ == "__main__":
    main()
