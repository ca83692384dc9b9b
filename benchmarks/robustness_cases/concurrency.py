"""Forks, threads, Ctrl-C: T42 to T46."""

import contextlib
import os
import signal
import threading
import time

import numpy as np

from benchmarks.robustness_cases.case import NotAskableError, case

RNG = np.random.default_rng(0)
WITHIN = 1.0  # second: what a user waits for without a second Ctrl-C


def noisy(n_rows: int, n_columns: int = 10):
    x = RNG.normal(size=(n_rows, n_columns))
    return x, (x[:, :3].sum(axis=1) + RNG.normal(size=n_rows) > 0).astype(int)


@case("T42", "a forked child learns after its parent did", seconds=40, alone=True)
def forked_child(library):
    x, y = noisy(20_000)
    predictions = np.asarray(library.boosted().fit(x, y).predict_proba(x[:100]))
    child = os.fork()
    if child == 0:
        is_right = False
        try:
            again = library.boosted().fit(x, y).predict_proba(x[:100])
            is_right = np.allclose(again, predictions)
        finally:
            os._exit(0 if is_right else 1)  # an error must not be judged in two processes
    return os.waitpid(child, 0)[1] == 0


@case("T43", "8 threads learn and ask at once", alone=True)
def eight_threads(library):
    x, y = noisy(5000)
    model = library.boosted().fit(x, y)
    expected = np.asarray(model.predict_proba(x))
    right = []

    def work():
        fresh = library.boosted().fit(x, y)
        right.append(np.allclose(model.predict_proba(x), expected))
        right.append(np.allclose(fresh.predict_proba(x), expected))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(right) == 16 and all(right)


def seconds_to_stop(fit) -> float:
    """How long a fit goes on after Ctrl-C, be it then an error or a smaller model."""
    pressed = []

    def press():
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)  # a signal, since a library may have its own handler

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    timer = threading.Timer(1.0, press)
    timer.start()
    with contextlib.suppress(KeyboardInterrupt):
        fit()
    stopped = time.perf_counter()
    timer.cancel()
    if not pressed:
        raise NotAskableError("the model was learned before it could be interrupted")
    return stopped - pressed[0]


@case(
    "T44", "Ctrl-C while boosted trees are learned ends it within a second", seconds=30, alone=True
)
def ctrl_c_in_boosting(library):
    x, y = noisy(300_000, 30)
    library.boosted(n_estimators=1).fit(x[:1000], y[:1000])  # the imports are not to be interrupted
    model = library.boosted(n_estimators=2000)
    return within(seconds_to_stop(lambda: model.fit(x, y)))


@case(
    "T44", "Ctrl-C while one large tree is learned ends it within a second", seconds=30, alone=True
)
def ctrl_c_in_a_tree(library):
    x, _ = noisy(1_000_000, 40)
    y = RNG.integers(0, 2, len(x))
    model = library.tree(**({"n_estimators": 500} if library.has_bins else {}))
    model.fit(x[:1000], y[:1000])
    return within(seconds_to_stop(lambda: model.fit(x, y)))


def within(seconds: float) -> bool:
    if seconds > WITHIN:
        time.sleep(3600)  # no answer in the time that the case allows: a hang
    return True


@case("T46", "other Python threads go on while a model is learned", seconds=60, alone=True)
def heartbeat(library):
    x, y = noisy(200_000, 20)
    beats = [time.perf_counter()]
    done = threading.Event()

    def beat():
        while not done.wait(0.02):
            beats.append(time.perf_counter())

    thread = threading.Thread(target=beat)
    thread.start()
    library.boosted(n_estimators=20).fit(x, y)
    done.set()
    thread.join()
    if max(np.diff(beats)) > 1.0:
        time.sleep(3600)
    return True
