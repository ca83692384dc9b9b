"""Tasks on the workers of a Dask cluster, which end with a result or, in time, with an error.

Dask runs a task again if its worker dies. But it waits without limit for workers that never come or
that hang, and it cannot stop a task that runs. So the client looks at the cluster while it waits,
and workers stop the kernels of a job that is canceled.
"""

import asyncio
import math
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from numbers import Real
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from treewright import __version__
from treewright._kernels._native import StopFlag
from treewright._kernels.shared_work import heeding
from treewright.errors import (
    DataTypeError,
    ParameterError,
    TreewrightError,
    keeping_warnings,
    warn_user,
)
from treewright.optional import optional_module

LOOK_EVERY = 1.0  # seconds, while the client waits
QUICKLY = 0.001  # seconds between messages
END_WITHIN = 1.0  # seconds that workers have to hear of the end of a job
RESUME = "restart it and try again; with `checkpoint`, training resumes where it stopped"


@dataclass(frozen=True, slots=True)
class Task:
    """A call that each of some workers can make."""

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    workers: Sequence[str]


@dataclass(frozen=True, slots=True)
class Shared:
    """Work of which a part is the same for many things."""

    load: Callable[..., Any]  # of these arguments and a number of threads, once on each worker
    arguments: tuple[Any, ...]
    work: Callable[[Any, Any], Any]  # of what `load` returned, and a thing


@dataclass(slots=True)
class Loaded:
    """Shared work, and the workers that have it."""

    shared: Shared
    number: int  # tells it from what had its name before
    workers: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Moved:
    """How much was moved between the client and the workers."""

    n_trips: int = 0
    n_bytes: int = 0

    def add(self, *things: Any) -> None:
        self.n_bytes += sum(map(size_of, things))


def size_of(thing: Any) -> int:
    """About how many bytes it takes to send something: those of its arrays and texts."""
    if isinstance(thing, np.ndarray):
        return int(thing.nbytes)
    if isinstance(thing, bytes | str):
        return len(thing)
    if isinstance(thing, dict):
        return sum(map(size_of, thing.values()))
    if isinstance(thing, list | tuple):
        return sum(map(size_of, thing))
    return 8


@dataclass(slots=True)
class Cluster:
    """A client's workers, as one job sees them."""

    client: Any
    timeout: float  # seconds to wait for a worker, or for a sign of life of one
    moved: Moved = field(default_factory=Moved)
    job: str = field(default_factory=lambda: uuid.uuid4().hex)
    _dask: Any = None
    _heard: dict[str, tuple[float, float]] = field(default_factory=dict)  # sign of life, and when
    _running: list[Any] = field(default_factory=list)
    _loaded: dict[str, Loaded] = field(default_factory=dict)  # by name

    def __post_init__(self) -> None:
        self._dask = optional_module("distributed", extra="dask", purpose="a cluster")
        if not isinstance(self.client, self._dask.Client):
            raise DataTypeError(
                f"client is {self.client!r}, not a Dask client",
                hint="create a `distributed.Client` with the address of the scheduler",
            )
        if self.client.asynchronous:
            raise DataTypeError(
                "the Dask client is asynchronous", hint="create it without `asynchronous=True`"
            )
        if self.client.status in ("closing", "closed"):
            raise TreewrightError("the Dask client is closed", hint="create a new one")

    @property
    def allowed_failures(self) -> int:
        """How often workers may be lost in one step: Dask's own setting."""
        dask = optional_module("dask", extra="dask", purpose="a cluster")
        return int(dask.config.get("distributed.scheduler.allowed-failures"))

    def workers(self) -> dict[str, int]:
        """The addresses of workers that are heard of, and their numbers of threads.

        Waits if there are none yet.
        """
        if live := self._look():
            return live
        until = time.monotonic() + self.timeout
        demand = self.client.submit(uuid.uuid4)  # a cluster that adapts starts workers for a task
        try:
            while not (live := self._look()):
                if time.monotonic() > until:
                    raise TreewrightError(
                        f"no worker of the cluster responded for {self.timeout:g} s"
                        if self._heard
                        else f"the cluster has no workers: waited for {self.timeout:g} s",
                        hint="start workers, or increase `timeout`",
                    )
                time.sleep(0.1)
        finally:
            self._cancel([demand])
        return live

    def _look(self) -> dict[str, int]:
        """The workers that ran within the time limit; an error without the scheduler."""
        try:
            found = self.client.sync(
                self.client.scheduler.identity, n_workers=-1, callback_timeout=self.timeout
            )
        except (OSError, TimeoutError, RuntimeError, AttributeError):
            raise self._no_scheduler() from None
        now = time.monotonic()
        for address, worker in found["workers"].items():
            sign = worker["last_seen"]
            is_new = self._heard.get(address, (None,))[0] != sign
            if is_new and (worker["status"] == "running" or address not in self._heard):
                self._heard[address] = sign, now
        return {
            address: int(worker["nthreads"])
            for address, worker in sorted(found["workers"].items())
            if now - self._heard[address][1] <= self.timeout
        }

    def _no_scheduler(self) -> TreewrightError:
        address = getattr(self.client.scheduler, "address", None)
        if address is None:
            return TreewrightError(
                "the client is no longer connected to the Dask scheduler",
                hint=f"create a new client. If the scheduler is gone, {RESUME}",
            )
        return TreewrightError(f"the Dask scheduler at {address} is gone", hint=RESUME)

    def run(
        self,
        name: str,
        tasks: Sequence[Task],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """The results of tasks, which the dashboard shows by name; None where a worker was lost."""
        self.moved.n_trips += 1
        before = self._running  # to release them takes a message, which would come first
        self._running = [self._submit(name, task) for task in tasks]
        del before
        fetching = [*map(self._fetch, self._running)]
        results = []
        for one, future, task in zip(fetching, self._running, tasks, strict=True):
            results.append(self._result(one, future, task.workers))
            if progress is not None:
                progress(len(results), len(tasks))
        self.moved.add(results, *(task.arguments for task in tasks))
        return results

    def spread(
        self,
        name: str,
        shared: Shared,
        things: Sequence[Any],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """What `shared.work` makes of each thing, on all workers.

        What is shared is sent to each worker once. Things whose worker is lost are given to others.
        """
        if name not in self._loaded or self._loaded[name].shared is not shared:
            number = self._loaded[name].number + 1 if name in self._loaded else 0
            self._loaded[name] = Loaded(shared, number)
        loaded = self._loaded[name]
        results: list[Any] = [None] * len(things)
        open_things = [*range(len(things))]
        for _ in range(2 + self.allowed_failures):
            workers = self._load(name, loaded)
            tasks = [
                Task(work_loaded, (self.job, name, loaded.number, things[i]), workers)
                for i in open_things
            ]
            for i, result in zip(open_things, self.run(name, tasks, progress), strict=True):
                if isinstance(result, str):
                    loaded.workers.discard(result)
                else:
                    results[i] = result
            open_things = [i for i, result in enumerate(results) if result is None]
            if not open_things:
                for message in dict.fromkeys(chain.from_iterable(kept for _, kept in results)):
                    warn_user(message)
                return [result for result, _ in results]
        raise self.too_many_failures(name)

    def _load(self, name: str, loaded: Loaded) -> list[str]:
        """The workers that have what is shared, after all were told to load it."""
        for _ in range(2 + self.allowed_failures):
            live = self.workers()
            new = [worker for worker in live if worker not in loaded.workers]
            given = self.job, name, loaded.number, loaded.shared
            loads = [Task(load, (*given, live[worker]), [worker]) for worker in new]
            done = self.run(f"{name}-load", loads) if loads else []
            loaded.workers.update(
                worker for worker, is_done in zip(new, done, strict=True) if is_done
            )
            if workers := [worker for worker in live if worker in loaded.workers]:
                return workers
        raise self.too_many_failures(name)

    def too_many_failures(self, name: str) -> TreewrightError:
        return TreewrightError(
            f"workers were lost again and again in one step (`{name}`)",
            hint="check the logs of the workers: the usual cause is too little memory. Dask's "
            "setting `distributed.scheduler.allowed-failures` allows more losses",
        )

    def _submit(self, name: str, task: Task) -> Any:
        try:
            with without_size_warning():
                return self.client.submit(
                    worked,
                    __version__,
                    self.job,
                    task.work,
                    *task.arguments,
                    key=f"treewright-{name}-{uuid.uuid4().hex}",
                    workers=[*task.workers],
                    pure=False,
                )
        except TypeError as error:
            raise DataTypeError(
                "something that the workers need cannot be sent to them, such as the source of the "
                f"rows: {error.__cause__ or error}",
                hint="scan files, which the workers read themselves; write the rows to Parquet "
                "files first",
            ) from error

    def _fetch(self, future: Any) -> Future[Any]:
        """Begin to wait for a result, and to fetch it when it is there.

        `future.result(timeout)` would fetch a large result again and again.
        """
        return asyncio.run_coroutine_threadsafe(
            self.client.gather([future], asynchronous=True), self.client.loop.asyncio_loop
        )

    def _result(self, fetching: Future[Any], future: Any, workers: Sequence[str]) -> Any:
        """The result of a task; None if its worker was lost."""
        try:
            result = self._fetched(fetching, future, workers)
            if isinstance(result, ReturnedError):
                raise result.error
            return result
        except CancelledError:
            if self.client.status != "running":
                raise self._no_scheduler() from None
            return None
        except self._dask.KilledWorker:
            return None
        finally:
            if not fetching.done():
                self._cancel([future])  # which ends the fetching

    def _fetched(self, fetching: Future[Any], future: Any, workers: Sequence[str]) -> Any:
        """The result; None if its worker is gone, hangs, or is short of memory."""
        last_live = time.monotonic()
        while True:
            try:
                return fetching.result(timeout=LOOK_EVERY)[0]
            except TimeoutError:
                if fetching.done():  # this moment, or it is the task's own error
                    return fetching.result()[0]
            if live := self._look():
                last_live = time.monotonic()
            elif time.monotonic() - last_live > self.timeout:
                raise TreewrightError(
                    f"no worker of the cluster responded for {self.timeout:g} s",
                    hint="check the logs of the workers, or increase `timeout`",
                )
            if not live.keys() >= {*workers} and live and self._is_lost(future, workers, live):
                return None

    def _is_lost(self, future: Any, workers: Sequence[str], live: dict[str, int]) -> bool:
        """Whether a task waits for a worker that is not live: to run it, or to send its result."""
        if live.keys().isdisjoint(workers):
            return True
        try:
            running = self.client.processing()
            holders = self.client.who_has([future]).get(future.key, ())
        except (OSError, RuntimeError):
            raise self._no_scheduler() from None
        runs = any(future.key in keys for worker, keys in running.items() if worker not in live)
        return runs or (bool(holders) and live.keys().isdisjoint(holders))

    def _cancel(self, futures: Sequence[Any]) -> None:
        self._tell(lambda: self.client.cancel(futures, force=True))

    def _tell(self, call: Callable[[], Any]) -> None:
        """Make a call to the cluster, which may be gone, without waiting long for it."""

        async def told() -> None:
            await call()  # in its event loop the client does not block

        loop = self.client.loop.asyncio_loop
        if loop.is_running():
            with suppress(Exception):
                asyncio.run_coroutine_threadsafe(told(), loop).result(timeout=END_WITHIN)

    def forget(self, key: Any, worker: str) -> None:
        """Let a worker that may come back forget what it keeps by some key."""
        self._tell(
            lambda: self.client.run(drop, self.job, key, workers=[worker], on_error="ignore")
        )

    def close(self) -> None:
        """End the job: cancel what runs, and let workers forget what they keep for it."""
        if self._running:
            self._cancel(self._running)
        self._tell(lambda: self.client.run(end_job, self.job, on_error="ignore"))


@contextmanager
def on_cluster(client: Any, timeout: float) -> Iterator[Cluster]:
    """The workers of a client, until the job is done or interrupted."""
    if not isinstance(timeout, Real) or not 0 < timeout < math.inf:
        raise ParameterError(
            f"timeout is {timeout!r}", hint="give the seconds as a number above 0, such as 60"
        )
    cluster = Cluster(client, float(timeout))
    try:
        with giving_up_thread(), quick_messages(client):
            yield cluster
    finally:
        cluster.close()


@contextmanager
def giving_up_thread() -> Iterator[None]:
    """In a task of Dask, let its worker run other tasks: the job may wait for them."""
    dask: Any = optional_module("distributed", extra="dask", purpose="a cluster")
    is_given_up = False
    with suppress(ValueError, KeyError):  # not in a task, or in one that has done so
        dask.secede()
        is_given_up = True
    try:
        yield
    finally:
        if is_given_up:
            dask.rejoin()


streams_lock = threading.Lock()
quick_streams: WeakKeyDictionary[Any, tuple[int, float]] = WeakKeyDictionary()


@contextmanager
def quick_messages(client: Any) -> Iterator[None]:
    """Send messages after 1 ms, not 10: a round trip takes 7 ms instead of 14."""
    stream: Any = getattr(client, "scheduler_comm", None)
    if getattr(stream, "interval", None) is None:
        yield
        return
    with streams_lock:
        n_jobs, before = quick_streams.get(stream, (0, stream.interval))
        quick_streams[stream] = n_jobs + 1, before
        stream.interval = min(before, QUICKLY)
    try:
        yield
    finally:
        with streams_lock:
            n_jobs, before = quick_streams.pop(stream)
            if n_jobs > 1:
                quick_streams[stream] = n_jobs - 1, before
            else:
                stream.interval = before


filters_lock = threading.Lock()


@contextmanager
def without_size_warning() -> Iterator[None]:
    """Without Dask's warning of large arguments: they are needed, and are sent only once."""
    with filters_lock, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield


@dataclass(slots=True)
class Job:
    """What a worker process has of a job."""

    flag: StopFlag = field(default_factory=StopFlag)  # stops its kernels
    kept: dict[Any, Any] = field(default_factory=dict)  # between tasks
    n_running: int = 0
    last_used: float = field(default_factory=time.monotonic)
    timer: threading.Timer | None = None  # forgets the job if its client never ends it


@dataclass(frozen=True, slots=True)
class ReturnedError:
    """An error of a task, returned as its result so that Dask logs no traceback."""

    error: Exception


jobs: dict[str, Job] = {}
ended: deque[str] = deque(maxlen=1000)  # jobs whose tasks may still arrive
jobs_lock = threading.Lock()
FORGET_AFTER = 3600.0  # seconds without a task of a job, whose client may be gone


def kept_for(job: str) -> dict[Any, Any]:
    """What this worker keeps for a job between its tasks."""
    return jobs[job].kept if job in jobs else {}


def worked(version: str, job: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """On a worker: a call, unless its job is canceled."""
    if version != __version__:
        raise TreewrightError(
            f"a worker runs Treewright {__version__}, but the client runs {version}",
            hint="install the same version everywhere",
        )
    with jobs_lock:
        if job in ended:
            raise TreewrightError("the job of this task was canceled")
        if job not in jobs:
            jobs[job] = Job()
            look_later(job, FORGET_AFTER)
        own = jobs[job]
        own.n_running += 1
    try:
        with heeding(own.flag):
            return work(*arguments)
    except (TreewrightError, OSError) as error:  # as a result, which Dask does not log
        return ReturnedError(error)
    except KeyboardInterrupt:  # would end the worker
        raise TreewrightError("the job of this task was canceled") from None
    finally:
        with jobs_lock:
            own.n_running -= 1
            own.last_used = time.monotonic()


def look_later(job: str, seconds: float) -> None:
    timer = jobs[job].timer = threading.Timer(seconds, forget_unused, [job])
    timer.daemon = True
    timer.start()


def forget_unused(job: str) -> None:
    """Release what is kept for a job that has had no task for long."""
    with jobs_lock:
        if (own := jobs.get(job)) is None:
            return
        left = FORGET_AFTER if own.n_running else own.last_used + FORGET_AFTER - time.monotonic()
        if left <= 0:
            del jobs[job]
        else:
            look_later(job, left)


def load(job: str, name: str, number: int, shared: Shared, n_threads: int) -> bool:
    """On a worker: make what is shared."""
    kept = kept_for(job)
    kept.pop(name, None)  # what had the name before
    kept[name] = number, shared.load(*shared.arguments, n_threads), shared.work
    return True


def work_loaded(job: str, name: str, number: int, thing: Any) -> tuple[Any, list[str]] | str:
    """On a worker: a result and warnings; the worker's address if it lacks what is shared."""
    held, loaded, work = kept_for(job).get(name, (None, None, None))
    if held != number or work is None:
        from distributed import get_worker

        return str(get_worker().address)
    with keeping_warnings() as kept:
        result = work(loaded, thing)
    return result, kept


def drop(job: str, key: Any) -> None:
    """On a worker: forget a thing of a job."""
    with jobs_lock:
        if job in jobs:
            jobs[job].kept.pop(key, None)


def end_job(job: str) -> None:
    """On a worker: stop what runs for a job, and release what is kept for it."""
    with jobs_lock:
        ended.append(job)
        own = jobs.pop(job, None)
    if own is not None:
        own.flag.set()
        if own.timer is not None:
            own.timer.cancel()
