"""The same work on many things at once, in order; progress is told as each is done."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from treewright._kernels.shared_work import shared_work
from treewright.errors import ParameterError
from treewright.estimators.threads import become_worker, n_threads
from treewright.evaluation.arguments import is_whole

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
    if n_workers == 1:  # here, where Ctrl-C is heard at once
        return told(map(work, things), len(things), progress)
    with shared_work(work, things, n_workers, become_worker) as results:
        return told(results, len(things), progress)


def told(results: Iterable[Result], in_all: int, progress: Progress | None) -> list[Result]:
    """All results; progress is told after each."""
    done: list[Result] = []
    for result in results:
        done.append(result)
        if progress is not None:
            progress(len(done), in_all)
    return done


def later(progress: Progress | None, before: int, in_all: int) -> Progress | None:
    """The progress of work that begins after `before` of `in_all` steps."""
    if progress is None:
        return None
    whole = progress
    return lambda done, _: whole(before + done, in_all)
