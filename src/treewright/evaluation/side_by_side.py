"""The same work on many things at once, in order; progress is told as each is done."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from treewright.errors import ParameterError
from treewright.evaluation.arguments import is_whole
from treewright.models.threads import become_worker, n_threads

Progress = Callable[[int, int], None]  # (done, all)
Thing = TypeVar("Thing")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Thing], Result],
    things: Sequence[Thing],
    n_jobs: int | None,
    progress: Progress | None = None,
) -> list[Result]:
    """What `work` makes of each thing; threads share them out.

    >>> side_by_side(abs, [-1, 2, -3], n_jobs=2)
    [1, 2, 3]
    """
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise ParameterError(
            f"n_jobs={n_jobs!r} is not allowed", hint="use 1 or more, or None for all cores"
        )
    n_workers = max(1, min(n_threads(n_jobs, worth_it=True), len(things)))
    done: list[Result] = []
    for result in results_of(work, things, n_workers):
        done.append(result)
        if progress is not None:
            progress(len(done), len(things))
    return done


def results_of(
    work: Callable[[Thing], Result], things: Sequence[Thing], n_workers: int
) -> Iterator[Result]:
    """What `work` makes of each thing, in order.

    After an error or an interrupt nothing more is begun, and threads end with what they are at.
    """
    if n_workers == 1:  # here, where Ctrl-C is heard at once
        yield from map(work, things)
        return
    pool = ThreadPoolExecutor(n_workers, initializer=become_worker)
    try:
        yield from pool.map(work, things)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def later(progress: Progress | None, before: int, in_all: int) -> Progress | None:
    """The progress of work that begins after `before` of `in_all` steps."""
    if progress is None:
        return None
    whole = progress
    return lambda done, _: whole(before + done, in_all)
