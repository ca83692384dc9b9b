"""The number of threads for `n_jobs`, and seeds. Results never depend on the threads."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np

from treewright.errors import ParameterError

_OWN_PROCESS = os.getpid()  # a forked child has another


@cache
def usable_cores() -> int:
    """Cores this process may use, by affinity and by the quota of its container."""
    from joblib import cpu_count  # slow to load, and a prediction of few rows never asks

    return max(1, int(cpu_count()))


def most_threads() -> int:
    """Threads beyond the cores would only wait for each other, so there are none."""
    return usable_cores()


def is_worker() -> bool:
    """Whether this is a child process or a thread that shares the cores with others."""
    return os.getpid() != _OWN_PROCESS or is_child_process() or is_inside_joblib()


def is_child_process() -> bool:
    """Whether `multiprocessing` started this process, which has then imported it."""
    if "multiprocessing" not in sys.modules:
        return False
    from multiprocessing import parent_process

    return parent_process() is not None


def is_inside_joblib() -> bool:
    """Whether joblib runs this thread beside others."""
    if "joblib" not in sys.modules:
        return False
    from joblib.parallel import get_active_backend

    return (get_active_backend()[0].nesting_level or 0) > 0


def become_worker() -> None:
    """Mark this thread as one of several that share the cores, also for joblib."""
    from joblib import parallel_config
    from joblib.parallel import ThreadingBackend

    parallel_config(ThreadingBackend(nesting_level=1))


@contextmanager
def as_worker() -> Iterator[None]:
    """What `become_worker` does, within a block."""
    from joblib import parallel_config
    from joblib.parallel import ThreadingBackend

    with parallel_config(ThreadingBackend(nesting_level=1)):
        yield


def n_threads(n_jobs: int | None, *, worth_it: bool) -> int:
    """Threads for one task: None is all cores if the work is worth it, -1 all, -2 all but one."""
    if n_jobs is None:
        return usable_cores() if worth_it and not is_worker() else 1
    if n_jobs < 0:
        return max(1, usable_cores() + 1 + max(int(n_jobs), -usable_cores()))
    return min(int(n_jobs), most_threads())


LARGEST_SEED = 2**31 - 1


def generator_from(random_state: object, name: str = "random_state") -> "np.random.Generator":
    """A generator for a seed, None (a random one), a RandomState or a Generator."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(LARGEST_SEED))
    try:
        return np.random.default_rng(random_state)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{name} is {random_state!r}, which is not a seed",
            hint="use a whole number from 0 on, None, or a NumPy RandomState or Generator",
        ) from error


def seed_of(random_state: object) -> int:
    """A whole number that everything else is drawn from."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        generator_from(random_state)  # refuses negative ones
        return int(random_state)
    return int(generator_from(random_state).integers(LARGEST_SEED))
