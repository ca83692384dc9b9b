"""Work in a forked child: what it answers, how long it takes and how much memory, under a limit."""

import os
import pickle
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MEGABYTE = 2**20


@dataclass(frozen=True)
class Outcome:
    """How some work ended."""

    result: Any  # what it returned; None if it raised
    error: str  # the type of what it raised; "" if nothing
    told: str
    seconds: float  # of processors, all threads together
    megabytes: float  # at most at once, beyond what there was before


def done_in_a_child(work: Callable[[], Any], *, more_megabytes: float | None = None) -> Outcome:
    """`work()` done by a forked child, which may take so much more memory than it has."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(_measured(work, more_megabytes), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(child, 0)
    if status != 0 or not content:
        raise AssertionError(f"the child ended with status {status}")
    return pickle.loads(content)


def _measured(work: Callable[[], Any], more_megabytes: float | None) -> Outcome:
    if more_megabytes is not None:
        limit = int(bytes_in_use("VmSize") + more_megabytes * MEGABYTE)
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    before, began = bytes_in_use("VmRSS"), time.process_time()
    result, error, told = None, "", ""
    try:
        result = work()
    except Exception as problem:
        error, told = type(problem).__name__, str(problem)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Outcome(
        result, error, told, time.process_time() - began, max(0, peak - before) / MEGABYTE
    )


def bytes_in_use(field: str) -> int:
    """VmSize: addresses, VmRSS: memory of this process."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith(field + ":"))
    return int(line.split()[1]) * 1024


def available_megabytes() -> float:
    """What this machine can give without taking it from somebody: more would end the process."""
    with open("/proc/meminfo") as memory:
        line = next(line for line in memory if line.startswith("MemAvailable:"))
    return int(line.split()[1]) / 1024


can_limit_memory = sys.platform == "linux"
