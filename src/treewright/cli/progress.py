"""A progress bar with rate and remaining time, shown on a terminal after one second."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

Progress = Callable[[int, int], None]  # (done, all)
DELAY = 1.0  # seconds before a bar is shown


@contextmanager
def progress_bar(what: str, *, quiet: bool = False) -> Iterator[Progress]:
    """A function to call with (done, all); it draws on stderr, and only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, every: None
        return
    bar = LateBar(what)
    try:
        yield bar.show
    finally:
        bar.close()


class LateBar:
    """A bar that appears once the work has taken a while."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.start = perf_counter()
        self.bar: Any = None
        self.task: Any = None

    def show(self, done: int, every: int) -> None:
        if self.bar is None:
            if perf_counter() - self.start < DELAY or done >= every:
                return
            self.open(every)
        self.bar.update(self.task, completed=done, total=every, rate=self.rate(done))

    def open(self, every: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.bar.start()
        self.task = self.bar.add_task(self.what, total=every, rate="")

    def rate(self, done: int) -> str:
        return f"{done / max(perf_counter() - self.start, 1e-9):.1f} / s"

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
