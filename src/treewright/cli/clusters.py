"""`--dask`: commands that work on a Dask cluster."""

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from treewright.cli import interrupts
from treewright.cli.groups import flag
from treewright.errors import ParameterError, TreewrightError

DaskOption = Annotated[
    str | None,
    flag("Dask cluster; local:N starts N processes.", "ADDRESS|local:N"),
]
SECONDS_TO_CONNECT = 10
SECONDS_TO_END = 2.0  # after Ctrl-C, which workers have to hear of


@contextmanager
def dask_client(wanted: str | None) -> Iterator[Any]:
    """A client of the cluster that `--dask` names; None without the flag."""
    if wanted is None:
        yield None
        return
    if not wanted.strip():
        raise ParameterError(
            "--dask is empty", hint="give the address that `dask scheduler` prints, or local:N"
        )
    from treewright.optional import optional_module

    distributed = optional_module("distributed", extra="dask", purpose="--dask")
    interrupts.GRACE_SECONDS = SECONDS_TO_END
    local = re.fullmatch(r"local:([1-9]\d*)", wanted)
    if re.match(r"local(:|$)", wanted) and local is None:
        raise ParameterError(
            f"--dask {wanted!r} needs a number of processes after `local:`",
            hint="use for instance --dask local:2",
        )
    if local is not None:
        import dask

        with (
            scratch_folder() as folder,
            dask.config.set(
                {
                    # A busy machine may need longer than 15 s to start a lost worker again.
                    "distributed.deploy.lost-worker-timeout": "10m",
                    "temporary-directory": folder,
                }
            ),
            loop_without_interrupts() as loop,
            distributed.LocalCluster(
                n_workers=int(local[1]),
                threads_per_worker=1,
                host="127.0.0.1",  # nobody else's code
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
                loop=loop,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = distributed.Client(wanted, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError, TypeError) as error:
        raise TreewrightError(
            f"--dask: cannot connect to a scheduler at {wanted}: {error}",
            hint="use the address that `dask scheduler` prints, or local:N",
        ) from None
    with client:
        yield client


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A folder for Dask's temporary files; Dask itself leaves some behind."""
    with TemporaryDirectory(prefix="treewright-dask-", ignore_cleanup_errors=True) as folder:
        interrupts.temporary_folders.add(folder)
        yield folder
    interrupts.temporary_folders.discard(folder)


@contextmanager
def loop_without_interrupts() -> Iterator[Any]:
    """An event loop that starts workers which Ctrl-C in the terminal does not interrupt.

    Otherwise each worker would print a traceback.
    """
    from distributed.utils import LoopRunner

    runner: Any = LoopRunner()
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        runner.start()
    else:
        from multiprocessing.resource_tracker import ensure_running

        # If Ctrl-C leaves no time to close the cluster, the tracker cleans up; it need not say so.
        sys.warnoptions.append("ignore:resource_tracker:UserWarning")
        ensure_running()  # starting it from the loop would let Ctrl-C through again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            runner.start()  # its thread inherits the blocked signals
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield runner.loop
    finally:
        runner.stop()


@contextmanager
def work_on(wanted: str | None) -> Iterator[None]:
    """Splits of cross-validation and tuning are done by the cluster that `--dask` names, if any."""
    with dask_client(wanted) as client:
        if client is None:
            yield
            return
        from treewright import distributed

        with distributed.workers(client):
            yield
