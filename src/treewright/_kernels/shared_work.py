"""The same work on many things by several threads, none of which outlives the call for long."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from treewright._kernels import _native
from treewright._kernels._native import StopFlag

Thing = TypeVar("Thing")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class OtherWorkers:
    """Who does independent work instead of threads of this process."""

    spread: Callable[..., list[Any]]  # of the work, the things, and what to call with (done, all)
    n_workers: Callable[[], int]


elsewhere: ContextVar[OtherWorkers | None] = ContextVar("elsewhere", default=None)


@contextmanager
def shared_work(
    work: Callable[[Thing], Result],
    things: Sequence[Thing],
    n_threads: int,
    prepare: Callable[[], None] = lambda: None,
) -> Iterator[Iterator[Result]]:
    """What `work` makes of each thing, in order; each thread calls `prepare` first.

    However the block is left, nothing more is begun, and running kernels are canceled: after
    an error or Ctrl-C, neither the caller nor the end of Python waits for them.
    """
    flag = StopFlag()

    def begin() -> None:
        prepare()
        _native.heed(flag)

    pool = ThreadPoolExecutor(n_threads, initializer=begin)
    is_done = False
    try:
        try:
            results = pool.map(work, things)
        except RuntimeError:
            # Python is exiting: it starts no new threads, but this one may continue.
            results = map(work, things)
        yield results
        is_done = True
    finally:
        flag.set()
        pool.shutdown(wait=is_done, cancel_futures=True)


@contextmanager
def heeding(flag: StopFlag) -> Iterator[None]:
    """Kernels that this thread runs meanwhile end with KeyboardInterrupt when the flag is set."""
    _native.heed(flag)
    try:
        yield
    finally:
        _native.heed(None)
