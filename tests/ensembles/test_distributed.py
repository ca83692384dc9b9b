"""Boosted trees on a Dask cluster of two processes."""

import os
import signal

import pytest

import treewright as tw
from machine import imported
from scanned_rows import made_rows
from treewright.persistence.model_file import model_bytes

distributed = imported("distributed")
pytestmark = pytest.mark.filterwarnings("ignore:.*")


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def scan(tmp_path):
    X, classes, _, _ = made_rows(1, 1200)
    frame = X.to_pandas().assign(target=classes)
    for at in range(4):
        frame[at * 300 : at * 300 + 300].to_parquet(tmp_path / f"{at}.parquet")
    return tw.scan(tmp_path / "*.parquet", target="target")


@pytest.mark.parametrize("partitions", [None, 5])
def test_bytes_of_the_cluster_are_those_of_one_process(client, scan, partitions):
    model = tw.BoostedTreesClassifier(n_estimators=2, random_state=0)
    expected = model_bytes(model.fit(scan))
    fitted = tw.distributed.fit(model, scan, client=client, partitions=partitions)
    assert model_bytes(fitted) == expected
    left = client.run(lambda: len(__import__("treewright").distributed.held))
    assert set(left.values()) == {0}


@pytest.mark.full
def test_a_killed_worker_changes_nothing(client, scan):
    model = tw.BoostedTreesClassifier(n_estimators=4, random_state=0)
    expected = model_bytes(model.fit(scan))
    victims = [*client.run(os.getpid).values()]

    def kill(done):
        if done.number == 2:
            os.kill(victims.pop(), signal.SIGKILL)

    tw.distributed.fit(model.set_params(callbacks=[kill]), scan, client=client)
    assert len(victims) == 1
    assert model_bytes(model.set_params(callbacks=None)) == expected
