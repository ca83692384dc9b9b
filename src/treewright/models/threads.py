"""How many threads `n_jobs` stands for. Results never depend on the answer."""

import multiprocessing
import os
from functools import cache

import joblib
from joblib.parallel import get_active_backend

MOST_PER_CORE = 4  # a larger wish is cut: threads that wait gain nothing

_OWN_PROCESS = os.getpid()  # a forked child has another


@cache
def usable_cores() -> int:
    """Cores this process may use, by affinity and by the quota of its container."""
    return max(1, int(joblib.cpu_count()))


def is_worker() -> bool:
    """Whether this is a forked or spawned child or a thread of joblib: others use the cores too."""
    return (
        os.getpid() != _OWN_PROCESS
        or multiprocessing.parent_process() is not None
        or (get_active_backend()[0].nesting_level or 0) > 0
    )


def n_threads(n_jobs: int | None, *, worth_it: bool) -> int:
    """Threads for one task: None is all cores when the work is worth it, -1 all, -2 all but one."""
    if n_jobs is None:
        return usable_cores() if worth_it and not is_worker() else 1
    if n_jobs < 0:
        return max(1, usable_cores() + 1 + max(int(n_jobs), -usable_cores()))
    return min(int(n_jobs), MOST_PER_CORE * usable_cores())
