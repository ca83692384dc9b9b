"""How long a call hears nothing: the longest time for which Ctrl-C would have had to wait.

A timer sends a signal every few milliseconds, and Python calls its handler as soon as the call
looks for signals, which is when Ctrl-C would end it. So one call shows the worst of all moments.
"""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

EVERY = 0.005  # seconds between two signals


@dataclass(frozen=True)
class Silence:
    """What a call was like for somebody who knocks all the time."""

    duration: float  # of the whole call, in seconds
    longest: float  # between two moments at which it heard a signal
    longest_work: float  # the same in CPU time of its thread, whatever else the machine does


def silence_of(call: Callable[[], Any]) -> Silence:
    """Call once in the main thread, and listen."""
    heard: list[tuple[float, float]] = []

    def listen(*_: object) -> None:
        heard.append((time.monotonic(), time.thread_time()))

    before = signal.signal(signal.SIGALRM, listen)
    listen()
    timer_before = signal.setitimer(signal.ITIMER_REAL, EVERY, EVERY)
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        listen()
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer_before)
    by_clock, by_work = (
        [later - earlier for earlier, later in pairwise(times)]
        for times in zip(*heard, strict=True)
    )
    return Silence(heard[-1][0] - heard[0][0], max(by_clock), max(by_work))
