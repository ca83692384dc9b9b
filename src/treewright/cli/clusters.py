"""`--dask`: commands that work on a Dask cluster."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from treewright.cli import interrupts
from treewright.cli.groups import flag
from treewright.errors import ParameterError, TreewrightError

DaskOption = Annotated[
    str | None,
    flag("Dask cluster; local:N starts N processes.", "ADDRESS|local:N"),
]
SECONDS_TO_CONNECT = 30
SECONDS_TO_END = 2.0  # after Ctrl-C, which workers have to hear of


@contextmanager
def dask_client(wanted: str | None) -> Iterator[Any]:
    """A client of the cluster that `--dask` names; None without the flag."""
    if wanted is None:
        yield None
        return
    from treewright.optional import optional_module

    distributed = optional_module("distributed", extra="dask", purpose="--dask")
    interrupts.GRACE_SECONDS = SECONDS_TO_END
    local = re.fullmatch(r"local:([1-9]\d*)", wanted)
    if wanted.startswith("local") and local is None:
        raise ParameterError(
            f"--dask {wanted!r} needs a number of processes after `local:`",
            hint="use for instance --dask local:2",
        )
    if local is not None:
        import dask

        # A busy machine may need longer than the usual 15 s to start a lost worker again.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "10m"})
        with (
            distributed.LocalCluster(
                n_workers=int(local[1]),
                threads_per_worker=1,
                host="127.0.0.1",  # nobody else's code
                dashboard_address="127.0.0.1:0",
                silence_logs=50,
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
def work_on(wanted: str | None) -> Iterator[None]:
    """Splits of cross-validation and tuning are done by the cluster that `--dask` names, if any."""
    with dask_client(wanted) as client:
        if client is None:
            yield
            return
        from treewright import distributed

        with distributed.workers(client):
            yield
