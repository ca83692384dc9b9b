"""Work on the workers of a Dask cluster that ends: with results, or with an error in time.

Dask runs a task again if its worker dies. But it waits for ever for workers that do not come, and
it cannot stop a task that runs. So the client looks at the cluster while it waits, and workers stop
the kernels of a job that is canceled.
"""

import asyncio
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright._kernels.shared_work import heeding, new_flag
from treewright.errors import DataTypeError, ParameterError, TreewrightError
from treewright.optional import optional_module

LOOK_EVERY = 1.0  # seconds, while the client waits
END_WITHIN = 1.0  # seconds that workers have to hear of the end of a job
RESUME = "start it again and call fit once more; with `checkpoint`, training goes on where it was"


@dataclass(frozen=True, slots=True)
class Task:
    """A call for a worker: one that has what the call needs, or any."""

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    worker: str | None = None


@dataclass(frozen=True, slots=True)
class Shared:
    """Work of which a part is the same for many things."""

    load: Callable[..., Any]  # of these arguments and a number of threads, once on each worker
    arguments: tuple[Any, ...]
    work: Callable[[Any, Any], Any]  # of what `load` returned, and a thing


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
    _loaded: dict[str, Shared] = field(default_factory=dict)  # by name, on the workers

    def __post_init__(self) -> None:
        self._dask = optional_module("distributed", extra="dask", purpose="a cluster")
        if not isinstance(self.client, self._dask.Client):
            raise DataTypeError(
                f"client is {self.client!r}, not a Dask client",
                hint="make one of the scheduler's address, or give none to train in this process",
            )

    @property
    def allowed_failures(self) -> int:
        """How often workers may be lost in one step: Dask's own setting."""
        dask = optional_module("dask", extra="dask", purpose="a cluster")
        return int(dask.config.get("distributed.scheduler.allowed-failures"))

    def workers(self) -> dict[str, int]:
        """The addresses of workers that are heard of, and their numbers of threads.

        Waits if there are none yet.
        """
        until = time.monotonic() + self.timeout
        while not (live := self._look()):
            if time.monotonic() > until:
                silent = " that are heard of" if self._heard else ""
                raise TreewrightError(
                    f"the cluster has no workers{silent}: waited for {self.timeout:g} s",
                    hint="start workers, or set `timeout` higher",
                )
            time.sleep(0.1)
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
        address = getattr(self.client.scheduler, "address", "the address of the client")
        return TreewrightError(f"the Dask scheduler at {address} is gone", hint=RESUME)

    def run(
        self,
        name: str,
        tasks: Sequence[Task],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """The results of tasks, which the dashboard shows by name; None where a worker was lost."""
        self.moved.n_trips += 1
        self._running = [self._submit(name, task) for task in tasks]
        results = []
        for future, task in zip(self._running, tasks, strict=True):
            results.append(self._result(future, task.worker))
            if progress is not None:
                progress(len(results), len(tasks))
        self.moved.add(results, *(task.arguments for task in tasks))
        self._running = []
        return results

    def spread(
        self,
        name: str,
        shared: "Shared",
        things: Sequence[Any],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """What `shared.work` makes of each thing, on all workers in turn.

        What is shared is sent to each worker once. Things whose worker is lost are given to others.
        """
        workers = self.workers()
        if self._loaded.get(name) is not shared:
            loads = [Task(load, (self.job, name, shared, own), one) for one, own in workers.items()]
            self.run(f"{name}-load", loads)
            self._loaded[name] = shared
        results: list[Any] = [None] * len(things)
        open_things = [*range(len(things))]
        for attempt in range(2 + self.allowed_failures):
            live = workers if attempt == 0 else self.workers()
            sent = None if attempt == 0 else shared
            tasks = [
                Task(work_loaded, (self.job, name, things[i], sent), [*live][at % len(live)])
                for at, i in enumerate(open_things)
            ]
            for i, result in zip(open_things, self.run(name, tasks, progress), strict=True):
                results[i] = result
            open_things = [i for i, result in enumerate(results) if result is None]
            if not open_things:
                return [result for (result,) in results]
        raise self.too_many_failures(name)

    def too_many_failures(self, name: str) -> TreewrightError:
        return TreewrightError(
            f"workers were lost {1 + self.allowed_failures} times in one step (`{name}`)",
            hint="look at the logs of the workers, which most often run out of memory; Dask's "
            "setting `distributed.scheduler.allowed-failures` allows more",
        )

    def _submit(self, name: str, task: Task) -> Any:
        with warnings.catch_warnings():
            # Arguments of megabytes are what is needed, and only once.
            warnings.filterwarnings("ignore", message="Sending large graph")
            return self.client.submit(
                worked,
                self.job,
                task.work,
                *task.arguments,
                key=f"treewright-{name}-{uuid.uuid4().hex}",
                workers=None if task.worker is None else [task.worker],
                allow_other_workers=task.worker is not None,
                pure=False,
            )

    def _result(self, future: Any, worker: str | None) -> Any:
        # Not `future.result(timeout)`, which would fetch a large result again and again.
        fetching = asyncio.run_coroutine_threadsafe(
            self.client.gather([future], asynchronous=True), self.client.loop.asyncio_loop
        )
        try:
            return self._fetched(fetching, worker)
        except CancelledError:
            if self.client.status != "running":
                raise self._no_scheduler() from None
            return None
        except self._dask.KilledWorker:
            return None
        finally:
            if not fetching.done():
                self._cancel([future])
                fetching.cancel()

    def _fetched(self, fetching: Future[Any], worker: str | None) -> Any:
        """The result; None if the worker is gone, hangs, or is short of memory."""
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
                    f"the cluster has had no worker that runs for {self.timeout:g} s",
                    hint="look at the logs of the workers, or set `timeout` higher",
                )
            if worker is not None and worker not in live and worker in self._heard:
                return None

    def _cancel(self, futures: Sequence[Any]) -> None:
        self._tell(lambda: self.client.cancel(futures, force=True))

    def _tell(self, call: Callable[[], Any]) -> None:
        """Make a call to the cluster, which may be gone, without waiting long for it."""

        async def told() -> None:
            await call()  # in its event loop the client does not block

        with suppress(Exception):
            loop = self.client.loop.asyncio_loop
            asyncio.run_coroutine_threadsafe(told(), loop).result(timeout=END_WITHIN)

    def close(self) -> None:
        """End the job: cancel what runs, and let workers forget what they keep for it."""
        if self._running:
            self._cancel(self._running)
        self._tell(lambda: self.client.run(end_job, self.job, on_error="ignore"))


@contextmanager
def on_cluster(client: Any, timeout: float) -> Iterator[Cluster]:
    """The workers of a client, until the job is done or interrupted."""
    if not timeout > 0:
        raise ParameterError(f"timeout={timeout} is not above 0")
    cluster = Cluster(client, float(timeout))
    try:
        yield cluster
    finally:
        cluster.close()


# What a worker process keeps for jobs: things by name, and a flag that stops their kernels.
kept: dict[str, dict[Any, Any]] = {}
flags: dict[str, Any] = {}
ended: deque[str] = deque(maxlen=1000)  # jobs whose tasks may still arrive
last_used: dict[str, float] = {}  # by job
FORGET_AFTER = 3600.0  # seconds without a task of a job, whose client may be gone


def kept_for(job: str) -> dict[Any, Any]:
    """What this worker keeps for a job between its tasks."""
    return kept.setdefault(job, {})


def worked(job: str, work: Callable[..., Any], *arguments: Any) -> Any:
    """On a worker: a call, unless its job is canceled."""
    if job in ended:
        raise TreewrightError("the job of this task was canceled")
    last_used[job] = time.monotonic()
    for old in [one for one, used in last_used.items() if used < last_used[job] - FORGET_AFTER]:
        kept.pop(old, None)
    with heeding(flags.setdefault(job, new_flag())):
        try:
            return work(*arguments)
        except KeyboardInterrupt:  # would end the worker
            raise TreewrightError("the job of this task was canceled") from None


def load(job: str, name: str, shared: Shared, n_threads: int) -> bool:
    """On a worker: make what is shared."""
    kept_for(job)[name] = shared.load(*shared.arguments, n_threads), shared.work
    return True


def work_loaded(job: str, name: str, thing: Any, shared: Shared | None) -> tuple[Any] | None:
    """On a worker: a result in a tuple; None if what is shared is not here, nor given."""
    kept = kept_for(job)
    if name not in kept:
        if shared is None:
            return None
        load(job, name, shared, 1)
    loaded, work = kept[name]
    return (work(loaded, thing),)


def end_job(job: str) -> None:
    """On a worker: stop what runs for a job, and release what is kept for it."""
    ended.append(job)
    flag = flags.pop(job, None)
    if flag is not None:
        flag.set()
    kept.pop(job, None)
    last_used.pop(job, None)
