"""Trees on a Dask cluster of two processes: equal bytes, whatever happens to the workers."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from machine import imported
from scanned_rows import blocks_of, made_rows
from treewright.cli.main import main
from treewright.data.scanned_table import ScannedTable
from treewright.distributed.cluster import Cluster
from treewright.errors import DataTypeError, ParameterError, TreewrightError
from treewright.persistence.model_file import model_bytes

distributed = imported("distributed")
dask = imported("dask")
pytestmark = pytest.mark.filterwarnings("ignore:.*")


@pytest.fixture(scope="module")
def client():
    # On a busy machine, a killed worker needs longer than the usual 15 s to start again.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "10m"})
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client
    dask.config.refresh()


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    """Workers read tables of more than 20 rows themselves."""
    monkeypatch.setattr(ScannedTable, "most_rows_read", 20)


@pytest.fixture
def steps(monkeypatch):
    """The names of the steps of the cluster."""
    run, begun = Cluster.run, []

    def named(cluster, name, tasks, progress=None):
        begun.append(name)
        return run(cluster, name, tasks, progress)

    monkeypatch.setattr(Cluster, "run", named)
    return begun


def as_scan(folder, y, n_rows=10_000, n_categories=3, **options):
    """The same rows as files that workers read, and in memory."""
    X, classes, numbers, weights = made_rows(1, n_rows, n_categories)
    frame = X.to_pandas().assign(target=numbers if y == "numbers" else classes)
    if "weights" in options:
        frame = frame.assign(w=weights)
    for at, begin in enumerate(range(0, n_rows, 3_000)):
        frame[begin : begin + 3_000].to_parquet(folder / f"{at}.parquet")
    return tw.scan(folder / "*.parquet", target="target", **options)


MODELS = {
    "ID3": tw.ID3Classifier(),
    "C4.5": tw.C45Classifier(),
    "C4.5, held-out rows": tw.C45Classifier(prune="reduced_error"),
    "C4.5 rules": tw.C45Rules(max_depth=3),
    "CART": tw.CARTClassifier(max_depth=6),
    "best splits first": tw.CARTClassifier(max_leaf_nodes=9, prune=None),
    "a function": tw.ID3Classifier(criterion=lambda w: 1 - np.square(w / w.sum()).sum()),
    "validation rows": tw.TreeClassifier(validation_fraction=0.3),
}
NUMBERS = {
    "CART": tw.CARTRegressor(max_depth=6),
    "surrogates": tw.CARTRegressor(max_surrogates=2, prune=None, max_depth=6),
    "fractional": tw.TreeRegressor(missing="fractional", max_depth=7),
}
CASES = [("classes", name) for name in MODELS] + [("numbers", name) for name in NUMBERS]
GROWN_HERE = {"best splits first", "a function", "validation rows"}


@pytest.mark.parametrize("case", CASES, ids=" of ".join)
def test_bytes_are_those_of_one_process(client, tmp_path, steps, case):
    kind, name = case
    model = MODELS[name] if kind == "classes" else NUMBERS[name]
    scan = as_scan(tmp_path, kind)
    expected = model_bytes(model.fit(scan))
    assert model_bytes(tw.distributed.fit(model, scan, client=client)) == expected
    assert ("subtrees" in steps) != (name in GROWN_HERE)
    assert ("folds" in steps) == (name == "CART")
    assert set(client.run(kept_on_workers).values()) == {0}


def kept_on_workers():
    from treewright.distributed import cluster

    return len(cluster.jobs)


@pytest.mark.parametrize(
    "model",
    [tw.C45Classifier(prune=None), tw.TreeRegressor(missing="fractional", max_depth=7)],
    ids=["C4.5", "fractional numbers"],
)
def test_several_subtrees_with_weights_and_spread_rows(client, tmp_path, steps, model):
    kind = "classes" if hasattr(model, "predict_proba") else "numbers"
    scan = as_scan(tmp_path, kind, 26_000, 300, weights="w", memory_map=True)
    expected = model_bytes(model.fit(scan))
    assert model_bytes(tw.distributed.fit(model, scan, client=client)) == expected
    assert "subtrees" in steps


def test_rows_in_memory_are_sent(client):
    X, classes, _, weights = made_rows(2, 9_000)
    model = tw.C45Classifier()
    expected = model_bytes(model.fit(X, classes, weights))
    assert model_bytes(tw.distributed.fit(model, X, classes, weights, client=client)) == expected
    assert model_bytes(tw.distributed.fit(model, X, classes, weights)) == expected


@pytest.mark.parametrize(
    "model",
    [tw.ObliqueTreeClassifier(), tw.OptimalTreeClassifier(), tw.M5Regressor()],
    ids=lambda model: type(model).__name__,
)
def test_other_trees_are_refused(client, model):
    with pytest.raises(
        DataTypeError, match=r"cannot be trained on a cluster\nhint: .*isolation forests, ID3, C4.5"
    ):
        tw.distributed.fit(model, [[1.0]], [1], client=client)
    with pytest.raises(ParameterError, match="partitions is available for boosted trees only"):
        tw.distributed.fit(tw.C45Classifier(), [[1.0]], [1], client=client, partitions=2)


def test_train_on_a_cluster(client, tmp_path):
    X, y = tw.load_sample("loans")
    table, here, there = (str(tmp_path / name) for name in ("t.csv", "here.tw", "there.tw"))
    X.to_pandas().assign(repaid=y).to_csv(table, index=False)
    for model in ("c45", "cart"):
        train = ["train", table, "--target", "repaid", "--model", model, "--no-verdict"]
        assert main([*train, "--out", here]) == 0
        assert main([*train, "--out", there, "--dask", client.scheduler.address]) == 0
        assert Path(here).read_bytes() == Path(there).read_bytes()


def test_no_workers_is_an_error_in_time():
    X, y = tw.load_sample("golf")
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(TreewrightError, match=r"no workers: waited for 0.5 s"),
    ):
        tw.distributed.fit(tw.C45Classifier(), X, y, client=client, timeout=0.5)


def kill_at(monkeypatch, client, trip, delay, sign=signal.SIGKILL):
    """Send a worker a signal soon after a round trip has begun."""
    pids = [*client.run(os.getpid).values()]
    run, begun = Cluster.run, []

    def run_and_kill(cluster, name, tasks, progress=None):
        begun.append(name)
        if len(begun) == trip:
            threading.Timer(delay, os.kill, [pids[trip % len(pids)], sign]).start()
        return run(cluster, name, tasks, progress)

    monkeypatch.setattr(Cluster, "run", run_and_kill)
    return pids[trip % len(pids)]


def check_killed_workers(client, scan, model, n_kills, n_trips):
    expected = model_bytes(model.fit(scan))
    rng = np.random.default_rng(n_kills)
    for _ in range(n_kills):
        with pytest.MonkeyPatch.context() as monkeypatch:
            client.wait_for_workers(2, timeout=300)
            kill_at(monkeypatch, client, int(rng.integers(1, 1 + n_trips)), rng.random() / 20)
            fitted = tw.distributed.fit(model, scan, client=client)
        assert model_bytes(fitted) == expected
    client.wait_for_workers(2, timeout=300)


def test_a_killed_worker_changes_nothing(client, tmp_path):
    scan = as_scan(tmp_path, "classes")
    check_killed_workers(client, scan, tw.C45Classifier(), n_kills=1, n_trips=2)


@pytest.mark.large
@pytest.mark.parametrize(
    ("model", "n_trips"),
    [(tw.C45Classifier(), 2), (tw.CARTClassifier(max_depth=8), 4)],
    ids=["C4.5", "CART with folds"],
)
def test_twenty_killed_workers_change_nothing(client, tmp_path, model, n_trips):
    scan = as_scan(tmp_path, "classes", 40_000, 300)
    check_killed_workers(client, scan, model, 20, n_trips)


@pytest.mark.full
def test_a_worker_that_hangs_is_replaced(client, tmp_path, monkeypatch):
    scan, model = as_scan(tmp_path, "classes"), tw.C45Classifier()
    expected = model_bytes(model.fit(scan))
    pid = kill_at(monkeypatch, client, 2, 0.0, signal.SIGSTOP)
    try:
        fitted = tw.distributed.fit(model, scan, client=client, timeout=15)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert model_bytes(fitted) == expected


@pytest.mark.full
def test_an_interrupt_ends_the_work_of_the_cluster(client, tmp_path, monkeypatch):
    scan, model = as_scan(tmp_path, "classes"), tw.C45Classifier()
    spread = Cluster.spread
    press = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))

    def interrupted(cluster, name, *rest):
        if name == "subtrees":  # not while workers read, as a second Ctrl-C would end the tests
            press.start()
        return spread(cluster, name, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Cluster, "spread", interrupted)
        patch.setattr("treewright.distributed.trees.grown_subtrees", sleeping)
        with pytest.raises(KeyboardInterrupt):
            tw.distributed.fit(model, scan, client=client)
    until = time.monotonic() + 5
    while any(client.processing().values()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(client.processing().values())
    assert set(client.run(kept_on_workers).values()) == {0}
    tw.distributed.fit(model, scan, client=client)  # the cluster is as good as before


def sleeping(table, nodes):
    time.sleep(2)


@pytest.mark.large
@pytest.mark.parametrize("n_categories", [3, 30_000])
@pytest.mark.parametrize("n_workers", [1, 2, 3, 4])
def test_bytes_do_not_depend_on_the_cluster(n_workers, n_categories):
    X, classes, numbers, weights = made_rows(n_workers, 60_000, n_categories)
    models = {
        "ID3": tw.ID3Classifier(),
        "C4.5": tw.C45Classifier(),
        "CART of classes": tw.CARTClassifier(max_depth=6),
        "CART of numbers": tw.CARTRegressor(max_depth=6),
        "fractional": tw.TreeRegressor(missing="fractional", max_depth=7),
    }
    cluster = distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1 + n_workers % 3,
        host="127.0.0.1",
        dashboard_address=None,
    )
    with cluster, distributed.Client(cluster) as client:
        for name, model in models.items():
            y = numbers if name in ("CART of numbers", "fractional") else classes
            for own in (None, weights):
                expected = model_bytes(model.fit(X, y, own))
                for block_rows in (7_000, 100_000):
                    scan = tw.scan(blocks_of((X, y, own), block_rows))
                    found = model_bytes(tw.distributed.fit(model, scan, client=client))
                    assert found == expected, (name, block_rows, own is None)
