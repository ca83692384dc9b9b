"""Training on a Dask cluster: the model file is that of `model.fit`, byte for byte."""

import os
from contextlib import nullcontext
from typing import Any, TypeVar

from treewright.distributed.boosting import Partitioning, fit_boosted_trees
from treewright.distributed.cluster import on_cluster
from treewright.distributed.forests import fit_forest, fit_isolation_forest
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.isolation import IsolationForest
from treewright.errors import DataTypeError, ParameterError

AnyModel = TypeVar("AnyModel", bound=Any)


def fit(  # noqa: PLR0913
    model: AnyModel,
    scan: Any,
    *,
    client: Any = None,
    partitions: int | None = None,
    validation: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    timeout: float = 60.0,
) -> AnyModel:
    """Train boosted trees or a forest on a cluster, to the bytes of `model.fit(scan)`.

    Parameters
    ----------
    model
        Boosted trees, a random forest, extremely randomized trees or an isolation forest.
    scan
        What `tw.scan` returns. Workers read the source themselves, so its files must be where
        they are, too.
    client
        A `dask.distributed.Client`. None trains in this process, partition by partition.
    partitions
        The number of parts that the rows are divided into; by default one for each worker. The
        model does not depend on it.
    validation
        Validation rows: (X, y) or (X, y, sample_weight). They stay in this process.
    checkpoint
        A file for the rounds so far. If it exists, training goes on from there, to the same bytes.
        It is removed when training ends.
    checkpoint_every
        The number of rounds between two checkpoints.
    timeout
        How many seconds to wait for workers if there are none. A worker that is not heard of for
        so long is taken for lost.

    Returns
    -------
    The fitted model.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("golf")
    >>> model = tw.BoostedTreesClassifier(n_estimators=5, random_state=0)
    >>> model = tw.distributed.fit(model, tw.scan([(X, y)]), partitions=3)
    >>> model.n_estimators_
    5
    """
    if not isinstance(model, BoostedTrees | Forest | IsolationForest):
        raise DataTypeError(
            f"{type(model).__name__} cannot be trained on a cluster",
            hint="boosted trees and forests can; train others without a cluster",
        )
    for name, value in (("partitions", partitions), ("checkpoint_every", checkpoint_every)):
        if value is not None and value < 1:
            raise ParameterError(f"{name}={value} is below 1")
    how = Partitioning(partitions, checkpoint, checkpoint_every)
    if isinstance(model, BoostedTrees):
        with nullcontext() if client is None else on_cluster(client, timeout) as cluster:
            fit_boosted_trees(model, scan, validation, cluster, how)
        return model
    refuse_for_forests(partitions, validation, checkpoint)
    if client is None:
        model.fit(scan)
        return model
    with on_cluster(client, timeout) as cluster:
        if isinstance(model, Forest):
            fit_forest(model, scan, cluster)
        else:
            fit_isolation_forest(model, scan, cluster)
    return model


def refuse_for_forests(*given: Any) -> None:
    """Raise for what only boosted trees use."""
    for name, value in zip(("partitions", "validation", "checkpoint"), given, strict=True):
        if value is not None:
            raise ParameterError(
                f"{name} has no effect on forests, whose trees grow on all rows",
                hint="leave it out",
            )
