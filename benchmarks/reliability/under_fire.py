"""What is interrupted again and again, and what must hold after every interrupt."""

import hashlib
import os
import pickle
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

from benchmarks.reliability.long_calls import LONG_CALLS
from benchmarks.reliability.long_fits import LONG_FITS, LongFit

MOMENT = 5.0  # seconds that threads of other work have to end
LOOK = 10  # interrupts of a call between two looks at what it returns

# A call to interrupt, and what is wrong afterwards.
Target = tuple[Callable[[], Any], Callable[[], Iterator[str]]]

# Of a model: each attribute, as bytes.
Content = dict[str, bytes]


class Surroundings:
    """What an interrupted call must leave as it was: threads, files, signal handlers.

    Threads that judge models side by side end when the piece of work is done that they are at, a
    moment after the call.
    """

    def __init__(self) -> None:
        time.sleep(MOMENT / 10)  # for what the calls before have left to end
        self.before = self._now()

    def _now(self) -> dict[str, Any]:
        return {
            "Python threads": threading.active_count(),
            "open files": len(os.listdir("/proc/self/fd")),
            "temporary files": sorted(os.listdir(tempfile.gettempdir())),
            "signal handler": signal.getsignal(signal.SIGINT),
        }

    def changes(self) -> Iterator[str]:
        """What is not as it was, a moment later either."""
        end = time.monotonic() + MOMENT
        while self._has_more() and time.monotonic() < end:
            time.sleep(0.01)
        now = self._now()
        for what in self._has_more():
            yield f"{what}: {self.before[what]} before, {now[what]} after"

    def _has_more(self) -> list[str]:
        now = self._now()
        counts = ("Python threads", "open files")
        more = [what for what in counts if now[what] > self.before[what]]
        others = ("temporary files", "signal handler")
        return more + [what for what in others if now[what] != self.before[what]]


def n_native_threads() -> int:
    return len(os.listdir("/proc/self/task"))


def content_of(model: Any) -> Content:
    """All that a model holds: as a whole, and by its attributes, of which that leaves some out."""
    content = dict.fromkeys(vars(model), b"known by the whole only")
    for name, value in {"the whole": model, **vars(model)}.items():
        with suppress(TypeError, KeyError, AttributeError):  # a mixture may lack what is asked for
            content[name] = pickle.dumps(value)
    return content


class FitUnderFire:
    """A fit that is interrupted again and again.

    Afterwards the model is what it was; or the whole new one, if the interrupt came when all had
    been learned; never a mixture.
    """

    n_turns = 4  # by one thread and by two, before and after another fit

    def __init__(self, fit: LongFit, scale: float) -> None:
        self.fit, self.rows = fit, fit.many(scale)
        self.expected = self._small_fit()
        self.whole: dict[tuple[int, bool], Content] = {}  # models of fits that nobody interrupted

    def _small_fit(self) -> bytes:
        return pickle.dumps(self.fit.made(2, small=True).fit(*self.fit.few()))

    def calls(self) -> Iterator[Target]:
        """Fits to interrupt, fresh and fitted in turn, each with what must hold afterwards."""
        while True:
            for turn in product((1, 2), (False, True)):
                model = self._model(*turn)
                before = content_of(model)
                yield partial(model.fit, *self.rows), partial(self._after, model, before, turn)

    def _model(self, n_jobs: int, was_fitted: bool) -> Any:
        if not was_fitted:
            return self.fit.made(n_jobs)
        small = self.fit.made(n_jobs, small=True).fit(*self.fit.few())
        return small.set_params(**self.fit.settings)

    def _after(self, model: Any, before: Content, turn: tuple[int, bool]) -> Iterator[str]:
        after = content_of(model)
        if after == before:
            if model.__sklearn_is_fitted__() != turn[1]:
                yield "a model that did not change says otherwise"
        elif after != self._whole_new(turn):
            learned = ", ".join(name for name in vars(model) if name.endswith("_"))
            was = "one that was fitted" if turn[1] else "a fresh one"
            yield f"a fit that was interrupted made a mixture of {was}, with {learned or 'nothing'}"
        yield from self._usual()

    def _whole_new(self, turn: tuple[int, bool]) -> Content:
        if turn not in self.whole:
            self.whole[turn] = content_of(self._model(*turn).fit(*self.rows))
        return self.whole[turn]

    def _usual(self) -> Iterator[str]:
        if self._small_fit() != self.expected:
            yield "the next fit gave another model"


class CallUnderFire:
    """Some other long call; what it returns must be the same after interrupts as before."""

    n_turns = 1

    def __init__(self, prepare: Callable[[float], Callable[[], Any]], scale: float) -> None:
        self.call = prepare(scale)
        self.expected = self._digest()

    def _digest(self) -> bytes:
        return hashlib.sha256(pickle.dumps(self.call())).digest()

    def calls(self) -> Iterator[Target]:
        """The call to interrupt; what it returns is looked at now and then, since that is slow."""
        while True:
            yield self.call, self._same
            for _ in range(LOOK - 1):
                yield self.call, lambda: iter(())

    def _same(self) -> Iterator[str]:
        if self._digest() != self.expected:
            yield "after an interrupt the call returns something else"


def under_fire(name: str, scale: float) -> FitUnderFire | CallUnderFire:
    """A kind of call, by name."""
    if name in LONG_FITS:
        return FitUnderFire(LONG_FITS[name], scale)
    return CallUnderFire(LONG_CALLS[name], scale)
