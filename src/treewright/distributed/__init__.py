"""Training on a Dask cluster: the model file is that of `model.fit`, byte for byte."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from treewright._kernels.shared_work import OtherWorkers, elsewhere
from treewright.data.scan import scan
from treewright.data.sources.scan_sources import n_rows_of
from treewright.distributed.boosting import Partitioning, fit_boosted_trees
from treewright.distributed.cluster import Cluster, Shared, on_cluster
from treewright.distributed.forests import fit_forest, fit_isolation_forest
from treewright.distributed.trees import fit_tree, grows_on_cluster
from treewright.ensembles.boosting.base import BoostedTrees
from treewright.ensembles.forests.base import Forest
from treewright.ensembles.forests.isolation import IsolationForest
from treewright.errors import (
    DataTypeError,
    ParameterError,
    UnknownColumnError,
    check_whole,
    kind_of,
)
from treewright.estimators.threads import as_worker
from treewright.optional import optional_module

AnyModel = TypeVar("AnyModel", bound=Any)


def fit(  # noqa: PLR0913
    model: AnyModel,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    target: str | None = None,
    client: Any = None,
    partitions: int | None = None,
    validation: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    timeout: float = 60.0,
) -> AnyModel:
    """Train a tree, a forest or boosted trees on a cluster.

    The model file is byte for byte that of `model.fit(scan)`.

    Parameters
    ----------
    model
        Boosted trees, a random forest, extremely randomized trees, an isolation forest, or a single
        tree: ID3, C4.5, C4.5 rules, CART, `TreeClassifier` or `TreeRegressor`.
    X, y, sample_weight
        The training rows: a scan, or X, y and weights as in `model.fit`. Workers read a scan
        themselves, so its files need the same path on every worker.
    target
        The column to predict, if X is a Dask DataFrame or another source that `tw.scan` takes.
    client
        A `dask.distributed.Client`. If None, train in this process.
    partitions
        Number of partitions of the rows. On a cluster, the default and the maximum is one per
        worker. It does not change the model. Boosted trees only, like the next three.
    validation
        Validation rows: (X, y) or (X, y, sample_weight). They stay in this process.
    checkpoint
        A file for the trees grown so far. If it exists, training resumes from it and gives the
        same bytes. It is deleted when training is complete.
    checkpoint_every
        Number of rounds between two checkpoints.
    timeout
        How many seconds to wait for workers if there are none. A worker that does not respond for
        that long counts as lost.

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
    is_tree = grows_on_cluster(model)
    if not is_tree and not isinstance(model, BoostedTrees | Forest | IsolationForest):
        raise DataTypeError(
            f"{type(model).__name__} cannot be trained on a cluster",
            hint="only boosted trees, forests, isolation forests, ID3, C4.5, C4.5 rules, CART, "
            "`TreeClassifier` and `TreeRegressor` can; train other models without a cluster",
        )
    if partitions is not None:
        check_whole("partitions", partitions)
    check_whole("checkpoint_every", checkpoint_every)
    if target is not None and getattr(X, "is_scan", False):
        raise ParameterError(
            "target is given, but X is a scan",
            hint="name the target in the scan, and leave it out here",
        )
    if target is not None:
        X = scan(X, target=target)
    rows = X, y, sample_weight
    how = Partitioning(partitions, checkpoint, checkpoint_every)
    if isinstance(model, BoostedTrees):
        if client is None:
            fit_boosted_trees(model, rows, validation, None, how)
            return model
        with on_cluster(client, timeout) as cluster, spreading(cluster, "read"):
            fit_boosted_trees(model, rows, validation, cluster, how)
        return model
    kind = "single trees" if is_tree else "forests"
    refuse_for_others(kind, partitions, validation, checkpoint)
    if client is None:
        model.fit(*rows)
        return model
    with on_cluster(client, timeout) as cluster, spreading(cluster, "read"):
        if is_tree:
            fit_tree(model, rows, cluster)
        elif isinstance(model, Forest):
            fit_forest(model, rows, cluster)
        else:
            fit_isolation_forest(model, rows, cluster)
    return model


@contextmanager
def workers(client: Any, *, timeout: float = 60.0) -> Iterator[None]:
    """Run cross-validation and tuning on a cluster: `with tw.distributed.workers(client): ...`.

    Inside the block, `tw.evaluate`, `tw.compare` and `tw.tune` give each split to a worker, instead
    of a thread of this process. Every worker receives all rows.

    Parameters
    ----------
    client
        A `dask.distributed.Client`.
    timeout
        As in `fit`.
    """
    with on_cluster(client, timeout) as cluster, spreading(cluster, "split"):
        yield


@contextmanager
def spreading(cluster: Cluster, name: str) -> Iterator[None]:
    """Independent work, such as reading the parts of a scan, is done by the workers."""

    def spread(work: Any, things: Sequence[Any], progress: Any = None) -> list[Any]:
        return cluster.spread(name, Shared(as_given, (work,), call), things, progress)

    before = elsewhere.set(OtherWorkers(spread, lambda: len(cluster.workers())))
    try:
        yield
    finally:
        elsewhere.reset(before)


def as_given(shared: Any, n_threads: int) -> Any:
    """What is shared, as it was sent."""
    return shared


def call(work: Callable[[Any], Any], thing: Any) -> Any:
    """On a worker, whose threads share the cores."""
    with as_worker():
        return work(thing)


def predictions(
    model: Any,
    blocks: Iterable[Any],
    *,
    proba: bool = False,
    client: Any = None,
    timeout: float = 60.0,
) -> Iterator[list[Any]]:
    """Predict tables block by block.

    The client reads as many blocks ahead as there are workers.

    Parameters
    ----------
    model
        A fitted model.
    blocks
        Tables of any kind.
    proba
        Whether to return class probabilities, too.
    client, timeout
        As in `fit`. Without a client, this process predicts.

    Yields
    ------
    For each block, a list of what `model.predict` and, with `proba`, `predict_proba` return.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("golf")
    >>> model = tw.C45Classifier().fit(X, y)
    >>> [found[0].tolist() for found in tw.distributed.predictions(model, [X[:2], X[2:3]])]
    [['No', 'No'], ['Yes']]
    """
    check_has_proba(model, proba)
    wanted = model, proba
    if client is None:
        for block in blocks:
            yield predicted(wanted, block)
        return
    with on_cluster(client, timeout) as cluster:
        shared = Shared(as_given, (wanted,), predicted)
        n_workers = len(cluster.workers())
        rest = iter(blocks)
        while some := [*islice(rest, n_workers)]:
            yield from cluster.spread("predict", shared, some)


def check_has_proba(model: Any, proba: bool) -> None:  # noqa: FBT001
    if proba and not hasattr(model, "predict_proba"):
        raise ParameterError("proba=True, but the model has no `predict_proba`")


def predicted(wanted: tuple[Any, bool], block: Any) -> list[Any]:
    """The predictions for a block, and the probabilities if wanted."""
    model, proba = wanted
    if hasattr(block, "__len__") and not n_rows_of(block):
        classes = getattr(model, "classes_", np.empty(0))
        return [classes[:0], *([np.empty((0, len(classes)))] if proba else [])]
    return [model.predict(block), *([model.predict_proba(block)] if proba else [])]


def predict(model: Any, frame: Any, *, proba: bool = False) -> Any:
    """Predict a Dask DataFrame on the workers, partition by partition.

    Parameters
    ----------
    model
        A fitted model.
    frame
        A Dask DataFrame with the columns of the training rows; others are ignored.
    proba
        Whether to add the probability of each class.

    Returns
    -------
    A Dask DataFrame with the same index and the columns `prediction` and, with `proba`,
    `probability_<class>`. Nothing is computed yet: `to_parquet` writes it from the workers.

    Examples
    --------
    >>> import dask.dataframe
    >>> import treewright as tw
    >>> X, y = tw.load_sample("golf")
    >>> model = tw.C45Classifier().fit(X, y)
    >>> frame = dask.dataframe.from_pandas(X.to_pandas(), npartitions=2)
    >>> tw.distributed.predict(model, frame).head(2)
      prediction
    0         No
    1         No
    """
    if not hasattr(frame, "map_partitions"):
        raise DataTypeError(
            f"the rows are {kind_of(frame)}, not a Dask DataFrame",
            hint="`tw.distributed.predictions` takes tables of other kinds",
        )
    dask = optional_module("dask", extra="dask", purpose="a Dask DataFrame")
    dask_frames = optional_module(
        "dask.dataframe.dispatch", extra="dask", purpose="a Dask DataFrame"
    )
    check_has_proba(model, proba)
    for name in model.schema_.names:
        if name not in frame.columns:
            raise UnknownColumnError.among(name, [*frame.columns], source="the Dask DataFrame")
    classes = getattr(model, "classes_", None)
    found = [np.zeros(0) if classes is None else classes[:0]]
    if proba:
        found.append(np.zeros((0, len(model.classes_))))
    meta = frame_of(model, found, dask_frames.make_meta(frame).index)
    return frame.map_partitions(
        predicted_partition, dask.delayed(model), meta, proba, meta=meta, enforce_metadata=False
    )


def predicted_partition(rows: Any, model: Any, no_rows: Any, proba: bool) -> Any:  # noqa: FBT001
    """The predictions for a partition as a data frame."""
    if not len(rows):
        return no_rows
    return frame_of(model, predicted((model, proba), rows[[*model.schema_.names]]), rows.index)


def frame_of(model: Any, found: list[Any], index: Any) -> Any:
    """Predictions, and probabilities if there are some, as a pandas frame."""
    pandas = optional_module("pandas", extra="dask", purpose="a Dask DataFrame")
    columns = {"prediction": found[0]}
    for shares in found[1:]:
        names = [f"probability_{label}" for label in model.classes_]
        columns |= dict(zip(names, shares.T, strict=True))
    return pandas.DataFrame(columns, index=index)


def refuse_for_others(kind: str, *given: Any) -> None:
    """Raise for what only boosted trees use."""
    for name, value in zip(("partitions", "validation", "checkpoint"), given, strict=True):
        if value is not None:
            raise ParameterError(
                f"{name} is available for boosted trees only, not for {kind}",
                hint="leave it out",
            )
