"""The longest silence of each kind of fit and of other calls, at a size that takes seconds."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.reliability.long_calls import LONG_CALLS
from benchmarks.reliability.long_fits import LONG_FITS
from benchmarks.reliability.silences import Silence, silence_of

STEPS, LARGEST_STEP = 4, 8.0  # toward the wanted size
PATIENCE = 30.0  # seconds for what a call needs before it, such as the tree that it writes down


def calls_of(name: str, scale: float) -> Iterator[Callable[[], Any]]:
    """The call at a size; a fit by one thread, then by two."""
    if name not in LONG_FITS:
        yield LONG_CALLS[name](scale)
        return
    fit = LONG_FITS[name]
    rows = fit.many(scale)
    for n_jobs in (1, 2):
        yield partial(fit.made(n_jobs).fit, *rows)


def longest_silence(name: str, seconds: float) -> Silence:
    """Of calls that take about so long, the one with the longest silence."""
    scale = 1.0
    for _ in range(STEPS):
        begin = time.monotonic()
        calls = calls_of(name, scale)
        call = next(calls)
        preparation = time.monotonic() - begin
        first = silence_of(call)
        if first.duration >= seconds / 2 or preparation >= PATIENCE / 2:
            break
        scale *= min(LARGEST_STEP, seconds / first.duration, PATIENCE / preparation)
    return max([first, *map(silence_of, calls)], key=lambda silence: silence.longest)
