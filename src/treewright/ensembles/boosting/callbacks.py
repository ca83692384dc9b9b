"""Callbacks after each round of boosting."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.errors import ParameterError
from treewright.optional import optional_module


class AskedLoss:
    """A mean loss, computed when first needed and only during its round."""

    def __init__(self, find: Callable[[], float]) -> None:
        self._find: Callable[[], float] | None = find
        self._found: float | None = None

    def __call__(self) -> float:
        if self._found is None:
            if self._find is None:
                raise ParameterError(
                    "the training loss of this round is no longer available",
                    hint="read `training_loss` within the callback",
                )
            self._found = self._find()
        return self._found

    def end(self) -> None:
        """Let the rows go: later rounds change their scores."""
        self._find = None


@dataclass(frozen=True, slots=True)
class Round:
    """A finished round, as passed to callbacks."""

    number: int  # from 1
    n_rounds: int  # asked for
    seconds: float  # since the first round began
    validation_loss: float | None  # mean over the validation rows; None without any
    _training_loss: AskedLoss = field(repr=False, compare=False)

    @property
    def training_loss(self) -> float:
        """Mean loss over the training rows, computed only when a callback reads it."""
        return self._training_loss()

    def end(self) -> None:
        """All callbacks have run."""
        self._training_loss.end()


Callback = Callable[[Round], Any]


def is_callback_list(value: object) -> bool:
    """Whether a value is a sequence of things that can be called."""
    return isinstance(value, Sequence) and all(map(callable, value))


class Callbacks:
    """All callbacks; closed when training ends or is interrupted."""

    def __init__(self, callbacks: Sequence[Callback], *, shows_progress: bool) -> None:
        self._callbacks = [*callbacks]
        self._bar: ProgressBar | NotebookLine | None = None
        if shows_progress and sys.stderr.isatty():
            self._bar = ProgressBar()
        elif shows_progress and "ipykernel" in sys.modules:
            self._bar = NotebookLine()
        if self._bar is not None:
            self._callbacks.append(self._bar)
        self._began = time.perf_counter()

    def __bool__(self) -> bool:
        return bool(self._callbacks)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def want_to_stop(self, finished: Round, note: str = "") -> bool:
        """Call all of them; whether one returned True. Progress shows the note."""
        if self._bar is not None:
            self._bar.note = note
        predictions = [callback(finished) for callback in self._callbacks]
        finished.end()
        return any(
            isinstance(prediction, bool | np.bool_) and bool(prediction)
            for prediction in predictions
        )

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class ProgressBar:
    """A line on the terminal: rounds done, time left, and the loss on the validation rows.

    It appears once training has taken a second.
    """

    DELAY = 1.0

    def __init__(self, console: Any = None) -> None:
        progress = optional_module("rich.progress", extra="cli", purpose="a progress bar")
        console = console or optional_module(
            "rich.console", extra="cli", purpose="a progress bar"
        ).Console(stderr=True)
        self._progress = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeRemainingColumn(),
            progress.TextColumn("{task.fields[text]}"),
            console=console,
        )
        self._task: Any = None
        self.note = ""

    def __call__(self, finished: Round) -> None:
        if self._task is None and finished.seconds < self.DELAY:
            return
        if self._task is None:
            self._progress.start()
            self._task = self._progress.add_task("boosting", total=finished.n_rounds, text="")
        text = progress_text(finished, self.note)
        self._progress.update(self._task, completed=finished.number, text=text)

    def close(self) -> None:
        """Leave the terminal as it was, whatever happened."""
        self._progress.stop()


class NotebookLine:
    """The same as one line in the output of a notebook."""

    def __init__(self) -> None:
        self._show = optional_module("IPython.display", extra="cli", purpose="progress").display
        self._line: Any = None
        self.note = ""

    def __call__(self, finished: Round) -> None:
        left = finished.seconds / finished.number * (finished.n_rounds - finished.number)
        rest = progress_text(finished, self.note)
        text = f"round {finished.number} of {finished.n_rounds}, {left:.0f} s left"
        bundle = {"text/plain": f"{text}, {rest}" if rest else text}
        if self._line is None:
            self._line = self._show(bundle, raw=True, display_id=True)
        else:
            self._line.update(bundle, raw=True)

    def close(self) -> None:
        """The line stays."""


def progress_text(finished: Round, note: str) -> str:
    """What is known of a round beside its number."""
    loss = finished.validation_loss
    words = [] if loss is None else [f"validation loss {loss:.5g}"]
    return ", ".join([*words, note] if note else words)
