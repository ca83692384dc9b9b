"""Training on a Dask cluster of two processes: equal bytes, whatever happens to the workers."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from machine import imported
from scanned_rows import blocks_of, made_rows
from treewright.cli import clusters, interrupts
from treewright.cli.main import main
from treewright.data.scanned_table import ScannedTable
from treewright.distributed import boosting, cluster
from treewright.distributed.boosting import run_made
from treewright.distributed.cluster import Cluster, Shared, on_cluster
from treewright.ensembles.boosting.partitions import recipes_of
from treewright.errors import (
    DataTypeError,
    ParameterError,
    TreewrightError,
    UnknownColumnError,
    warn_user,
)
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


@pytest.fixture
def scan(tmp_path):
    X, classes, _, _ = made_rows(1, 1200)
    frame = X.to_pandas().assign(target=classes)
    for at in range(4):
        frame[at * 300 : at * 300 + 300].to_parquet(tmp_path / f"{at}.parquet")
    return tw.scan(tmp_path / "*.parquet", target="target")


def kept_on_workers():
    return len(cluster.jobs)


@pytest.mark.parametrize("partitions", [None, 5])
def test_bytes_of_the_cluster_are_those_of_one_process(client, scan, partitions):
    model = tw.BoostedTreesClassifier(n_estimators=2, random_state=0)
    expected = model_bytes(model.fit(scan))
    fitted = tw.distributed.fit(model, scan, client=client, partitions=partitions)
    assert model_bytes(fitted) == expected
    assert set(client.run(kept_on_workers).values()) == {0}


FORESTS = [
    tw.RandomForestClassifier(n_estimators=9, oob_score=True),
    tw.ExtraTreesClassifier(n_estimators=3),
    tw.IsolationForest(n_estimators=9),
]


@pytest.mark.parametrize("model", FORESTS, ids=lambda model: type(model).__name__)
def test_bytes_of_forests_are_those_of_one_process(client, scan, model):
    expected = model_bytes(model.fit(scan))
    assert model_bytes(tw.distributed.fit(model, scan, client=client)) == expected
    assert set(client.run(kept_on_workers).values()) == {0}


def test_rows_of_a_dask_data_frame(client, scan):
    frames = imported("dask.dataframe")
    X, y, _ = scan.read()
    frame = frames.from_pandas(X.to_pandas().assign(target=y), npartitions=3, sort=False)
    model = tw.BoostedTreesClassifier(n_estimators=2, random_state=0)
    expected = model_bytes(model.fit(tw.scan(frame, target="target")))
    fitted = tw.distributed.fit(model, frame, target="target", client=client)
    assert model_bytes(fitted) == expected


def test_predictions_of_a_dask_data_frame_are_one(client, scan, tmp_path):
    frames = imported("dask.dataframe")
    X, y, _ = scan.read()
    model = tw.CARTClassifier().fit(X, y)
    whole = X.to_pandas().assign(other=1)
    frame = frames.from_pandas(whole, npartitions=3, sort=False)
    frame = frames.concat([frame, frame[frame["few"] > 100]])  # with partitions of no rows
    tw.distributed.predict(model, frame, proba=True).to_parquet(tmp_path / "found")
    found = frames.read_parquet(tmp_path / "found").compute()
    assert found["prediction"].tolist() == model.predict(X).tolist()
    shares = model.predict_proba(X)
    for at, label in enumerate(model.classes_):
        assert found[f"probability_{label}"].tolist() == shares[:, at].tolist()
    numbers = tw.CARTRegressor().fit(X, X["few"].values)
    assert tw.distributed.predict(numbers, frame).compute()["prediction"].dtype == np.float64
    with pytest.raises(DataTypeError, match="not a Dask DataFrame"):
        tw.distributed.predict(model, X)


def test_splits_of_a_cross_validation(client, scan):
    X, y, _ = scan.read()
    model = tw.CARTClassifier()
    expected = tw.evaluate(model, X, y, folds=3)
    with tw.distributed.workers(client):
        found = tw.evaluate(model, X, y, folds=3)
    assert found.to_dict()["measures"] == expected.to_dict()["measures"]


def test_commands_on_a_cluster(client, tmp_path, capsys):
    X, y = tw.load_sample("loans")
    table, here, there = (str(tmp_path / name) for name in ("t.csv", "here.tw", "there.tw"))
    X.to_pandas().assign(repaid=y).to_csv(table, index=False)
    on_cluster = ["--dask", client.scheduler.address]
    train = ["train", table, "--target", "repaid", "--model", "boosted", "--n-estimators", "2"]
    assert main([*train, "--no-verdict", "--out", here]) == 0
    assert "--dask" not in capsys.readouterr().err
    assert main([*train, "--no-verdict", "--out", there, *on_cluster]) == 0
    assert "rows probably trains faster without --dask" in capsys.readouterr().err
    assert Path(here).read_bytes() == Path(there).read_bytes()
    outputs = []
    for words in (
        ["predict", here, table, "--proba"],
        ["evaluate", table, "--target", "repaid", "--model", "cart", "--folds", "3"],
        ["tune", table, "--target", "repaid", "--model", "cart", "--grid", "max-depth=1,2"],
    ):
        for more in ([], on_cluster):
            capsys.readouterr()
            assert main([*words, "--quiet", *more]) == 0
            outputs.append(capsys.readouterr().out)
    assert outputs[0::2] == outputs[1::2]


def corrupt_after(monkeypatch, name, path):
    """Overwrite a file when a step begins."""
    run = Cluster.run

    def run_and_corrupt(cluster, step, tasks, progress=None):
        if step == name:
            path.write_bytes(b"PAR1" + bytes(100))
        return run(cluster, step, tasks, progress)

    monkeypatch.setattr(Cluster, "run", run_and_corrupt)


def test_a_file_that_breaks_on_the_way_is_named(client, scan, tmp_path, monkeypatch):
    corrupt_after(monkeypatch, "read-rows", tmp_path / "2.parquet")
    monkeypatch.setattr(ScannedTable, "most_rows_read", 20)
    model = tw.BoostedTreesClassifier(n_estimators=2)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(TreewrightError, match=r"2\.parquet"):
        tw.distributed.fit(model, scan, client=client, checkpoint=tmp_path / "rounds")
    assert sorted(tmp_path.iterdir()) == before
    assert not model.__sklearn_is_fitted__()


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


def test_a_killed_worker_changes_nothing(client, scan):
    model = tw.BoostedTreesClassifier(n_estimators=3, random_state=0)
    check_killed_workers(client, scan, model, n_kills=1, n_trips=12)


@pytest.mark.large
@pytest.mark.parametrize(
    ("model", "n_trips"),
    [
        (tw.BoostedTreesClassifier(n_estimators=5, random_state=0), 12),
        (tw.RandomForestClassifier(n_estimators=50), 2),
    ],
)
def test_twenty_killed_workers_change_nothing(client, scan, model, n_trips):
    check_killed_workers(client, scan, model, 20, n_trips)


@pytest.mark.full
def test_a_worker_that_hangs_is_replaced(client, scan, monkeypatch):
    model = tw.BoostedTreesClassifier(n_estimators=3, random_state=0)
    expected = model_bytes(model.fit(scan))
    pid = kill_at(monkeypatch, client, 5, 0.0, signal.SIGSTOP)
    try:
        fitted = tw.distributed.fit(model, scan, client=client, timeout=3)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert model_bytes(fitted) == expected


def pause(dask_worker=None):
    dask_worker.memory_manager.memory_pause_fraction = False  # nor does it resume by itself
    dask_worker.status = distributed.Status.paused


def resume(dask_worker=None):
    dask_worker.memory_manager.memory_pause_fraction = 0.8
    dask_worker.status = distributed.Status.running


def loaded_word(word, n_threads):
    return word


def with_number(word, number):
    return f"{word}{number}"


@pytest.mark.full
def test_a_worker_that_pauses_never_works_with_what_it_had_before(client):
    client.wait_for_workers(2, timeout=300)
    with on_cluster(client, timeout=2) as cluster:

        def spread(word):
            return cluster.spread("word", Shared(loaded_word, (word,), with_number), range(6))

        assert spread("a") == [f"a{number}" for number in range(6)]
        paused = next(iter(client.run(os.getpid)))
        client.run(pause, workers=[paused])
        try:
            assert spread("b") == [f"b{number}" for number in range(6)]
        finally:
            client.run(resume, workers=[paused])
        assert spread("c") == [f"c{number}" for number in range(6)]
    assert set(client.run(kept_on_workers).values()) == {0}


@pytest.mark.full
def test_a_partition_moves_from_a_worker_that_pauses(client, scan, monkeypatch):
    client.wait_for_workers(2, timeout=300)
    model = tw.BoostedTreesClassifier(n_estimators=3, random_state=0)
    expected = model_bytes(model.fit(scan))
    paused, run, begun, made = next(iter(client.run(os.getpid))), Cluster.run, [], []

    def run_and_pause(cluster, name, tasks, progress=None):
        begun.append(name)
        made.extend(task.workers[0] for task in tasks if task.work is run_made)
        if len(begun) == 8:
            client.run(pause, workers=[paused])
        return run(cluster, name, tasks, progress)

    monkeypatch.setattr(Cluster, "run", run_and_pause)
    try:
        fitted = tw.distributed.fit(model, scan, client=client, timeout=2)
    finally:
        client.run(resume, workers=[paused])
    assert model_bytes(fitted) == expected
    assert len(made) == 3  # two at first, and once for the worker that pauses
    assert set(client.run(kept_on_workers).values()) == {0}


@pytest.mark.full
def test_a_worker_that_goes_while_rows_are_divided(client, scan, monkeypatch):
    client.wait_for_workers(2, timeout=300)
    model = tw.BoostedTreesClassifier(n_estimators=2, random_state=0)
    expected = model_bytes(model.fit(scan))
    pid = next(iter(client.run(os.getpid).values()))

    def divide(*given, **more):
        os.kill(pid, signal.SIGKILL)
        while len(client.nthreads()) == 2:
            time.sleep(0.01)
        return recipes_of(*given, **more)

    monkeypatch.setattr(boosting, "recipes_of", divide)
    fitted = tw.distributed.fit(model, scan, client=client)
    assert model_bytes(fitted) == expected
    client.wait_for_workers(2, timeout=300)


def test_what_a_lost_client_leaves_is_forgotten(monkeypatch):
    monkeypatch.setattr(cluster, "FORGET_AFTER", 0.2)
    assert cluster.worked(tw.__version__, "job", keep, "job")
    assert cluster.kept_for("job") == {"thing": 1}
    until = time.monotonic() + 10
    while "job" in cluster.jobs and time.monotonic() < until:
        time.sleep(0.05)
    assert cluster.kept_for("job") == {}


def keep(job):
    cluster.kept_for(job)["thing"] = 1
    return True


def test_what_ends_while_it_loads_leaves_nothing():
    def load_and_end(job):
        cluster.end_job(job)
        return keep(job)

    cluster.worked(tw.__version__, "ended job", load_and_end, "ended job")
    assert "ended job" not in cluster.jobs
    with pytest.raises(TreewrightError, match="canceled"):
        cluster.worked(tw.__version__, "ended job", keep, "ended job")


def test_a_checkpoint_that_cannot_be_written_is_an_error_at_once(scan, tmp_path):
    model = tw.BoostedTreesClassifier(n_estimators=2)
    for path, message in (
        (tmp_path / "none" / "rounds.npz", "there is no folder"),
        (tmp_path, "is a folder"),
    ):
        with pytest.raises(ParameterError, match=message):
            tw.distributed.fit(model, tw.scan(never_read), checkpoint=path)
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(TreewrightError, match="not a checkpoint"):
        tw.distributed.fit(model, scan, checkpoint=tmp_path / "array.npy")


def never_read():
    raise AssertionError


def test_a_dask_data_frame_without_a_column_is_refused(scan):
    frames = imported("dask.dataframe")
    X, y, _ = scan.read()
    model = tw.CARTClassifier().fit(X, y)
    frame = frames.from_pandas(X.to_pandas().drop(columns="few"), npartitions=2)
    with pytest.raises(UnknownColumnError, match="no column `few` in the Dask DataFrame"):
        tw.distributed.predict(model, frame)


def interrupted_fit(client, scan):
    """Seconds until a fit has ended after Ctrl-C."""
    pressed = []

    def press():
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    model = tw.BoostedTreesClassifier(n_estimators=10_000, random_state=0)
    timer = threading.Timer(1.0, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tw.distributed.fit(model, scan, client=client)
    return time.monotonic() - pressed[0]


def test_an_interrupt_ends_the_work_of_the_cluster(client, scan):
    assert interrupted_fit(client, scan) < 2
    until = time.monotonic() + 2
    while any(client.processing().values()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(client.processing().values())
    assert set(client.run(kept_on_workers).values()) == {0}
    model = tw.BoostedTreesClassifier(n_estimators=1)
    tw.distributed.fit(model, scan, client=client)  # the cluster is as good as before


def test_no_workers_is_an_error_in_time(scan):
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(TreewrightError, match=r"no workers: waited for 0.5 s"),
    ):
        tw.distributed.fit(
            tw.BoostedTreesClassifier(n_estimators=2), scan, client=client, timeout=0.5
        )


@pytest.mark.full
@pytest.mark.parametrize("dies", ["scheduler", "workers"])
def test_a_cluster_that_dies_is_an_error_in_time(tmp_path, scan, dies):
    options = ["--host", "127.0.0.1", "--no-dashboard"]
    file = str(tmp_path / "scheduler.json")
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", *options]
    scheduler = subprocess.Popen([*command, "--port", "0", "--scheduler-file", file])
    command = [sys.executable, "-m", "distributed.cli.dask_worker", *options, "--no-nanny"]
    worker = subprocess.Popen([*command, "--scheduler-file", file])
    model = tw.BoostedTreesClassifier(n_estimators=8, random_state=0)
    expected = model_bytes(model.fit(scan))
    victim = scheduler if dies == "scheduler" else worker
    checkpoint = tmp_path / "checkpoint"

    def kill(done):
        if done.number == 2:
            victim.kill()

    try:
        with distributed.Client(scheduler_file=file, timeout=30) as client:
            client.wait_for_workers(1, timeout=60)
            began = time.monotonic()
            message = "scheduler at .* is gone" if dies == "scheduler" else "no worker"
            with pytest.raises(TreewrightError, match=message):
                tw.distributed.fit(
                    model.set_params(callbacks=[kill]),
                    scan,
                    client=client,
                    timeout=10,
                    checkpoint=checkpoint,
                    checkpoint_every=1,
                )
            assert time.monotonic() - began < 60
        assert checkpoint.exists()
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
    tw.distributed.fit(model.set_params(callbacks=None), scan, checkpoint=checkpoint)
    assert model_bytes(model) == expected


MODELS = {
    "classes": tw.BoostedTreesClassifier(n_estimators=3, subsample=0.7, target_encoding=False),
    "numbers": tw.BoostedTreesRegressor(n_estimators=3, loss="huber"),
    "forest": tw.RandomForestClassifier(n_estimators=5),
    "extra trees": tw.ExtraTreesRegressor(n_estimators=5),
    "isolation": tw.IsolationForest(n_estimators=5),
}


@pytest.mark.large
@pytest.mark.parametrize("n_categories", [3, 30_000])
@pytest.mark.parametrize("n_workers", [1, 2, 3, 4])
def test_bytes_do_not_depend_on_the_cluster(n_workers, n_categories):
    n_rows = 3_000 if n_categories == 3 else 40_000
    X, classes, numbers, weights = made_rows(n_workers, n_rows, n_categories)
    cluster = distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1 + n_workers % 3,
        host="127.0.0.1",
        dashboard_address=None,
    )
    with cluster, distributed.Client(cluster) as client:
        for name, model in MODELS.items():
            y = numbers if name in ("numbers", "extra trees") else classes
            expected = model_bytes(model.fit(X, y, weights))
            for block_rows in (1_000, 100_000):
                scan = tw.scan(blocks_of((X, y, weights), block_rows))
                is_boosted = name in ("classes", "numbers")
                for partitions in (1, 2, 7, 64) if is_boosted else (None,):
                    how = {"client": client, "partitions": partitions}
                    found = model_bytes(tw.distributed.fit(model, scan, **how))
                    assert found == expected, (name, block_rows, partitions)


@pytest.mark.full
def test_a_job_that_ends_leaves_no_thread(client, scan):
    model = tw.BoostedTreesClassifier(n_estimators=1)
    tw.distributed.fit(model, scan, client=client)
    before = client.run(threading.active_count)
    for _ in range(3):
        tw.distributed.fit(model, scan, client=client)
    assert client.run(threading.active_count) == before


def fitted_in_a_task(scan):
    model = tw.BoostedTreesClassifier(n_estimators=1)
    return model_bytes(tw.distributed.fit(model, scan, client=distributed.get_client(), timeout=5))


def test_a_task_can_fit_on_its_own_cluster(client, scan):
    expected = model_bytes(tw.BoostedTreesClassifier(n_estimators=1).fit(scan))
    tasks = [client.submit(fitted_in_a_task, scan, pure=False) for _ in range(2)]
    assert [task.result(timeout=120) for task in tasks] == [expected, expected]


class StopsWorkerWhenSent:
    """A result whose worker hangs while it sends it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        if not self.path.exists():
            self.path.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)
        return str, ("sent",)


def hanging_result(path, number):
    return StopsWorkerWhenSent(path)


@pytest.mark.full
def test_a_worker_that_hangs_while_it_sends_a_result_is_lost(client, tmp_path):
    client.wait_for_workers(2, timeout=300)
    path = tmp_path / "pid"
    try:
        with on_cluster(client, timeout=3) as cluster:
            shared = Shared(loaded_word, (path,), hanging_result)
            assert cluster.spread("hang", shared, [0]) == ["sent"]
    finally:
        os.kill(int(path.read_text()), signal.SIGCONT)


@pytest.mark.full
def test_a_cluster_without_workers_yet_is_told_of_work(scan):
    with (
        distributed.LocalCluster(
            n_workers=0, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        cluster.adapt(minimum=0, maximum=1)
        tw.distributed.fit(tw.BoostedTreesClassifier(n_estimators=1), scan, client=client)


@pytest.mark.full
def test_jobs_at_the_same_time_leave_the_client_as_it_was(client, scan):
    interval, filters = client.scheduler_comm.interval, [*warnings.filters]
    model = tw.BoostedTreesClassifier(n_estimators=2)
    expected = model_bytes(model.fit(scan))

    def fit(_):
        own = tw.BoostedTreesClassifier(n_estimators=2)
        return model_bytes(tw.distributed.fit(own, scan, client=client))

    with ThreadPoolExecutor(3) as pool:
        assert {*pool.map(fit, range(6))} == {expected}
    assert client.scheduler_comm.interval == interval
    assert warnings.filters == filters


def test_clients_and_settings_that_cannot_work_are_named(client, scan):
    model = tw.BoostedTreesClassifier(n_estimators=1)
    closed = distributed.Client(client.scheduler.address, set_as_default=False)
    closed.close()
    with pytest.raises(TreewrightError, match="the Dask client is closed"):
        tw.distributed.fit(model, scan, client=closed)
    for timeout in ("60s", 0, float("inf"), float("nan")):
        with pytest.raises(ParameterError, match="timeout is"):
            tw.distributed.fit(model, scan, client=client, timeout=timeout)
    with pytest.raises(ParameterError, match=r"partitions is 2\.5"):
        tw.distributed.fit(model, scan, partitions=2.5)


def test_a_worker_of_another_version_is_an_error():
    with pytest.raises(TreewrightError, match="but the client runs"):
        cluster.worked("0.1", "job", keep, "job")


def test_a_source_that_cannot_be_sent_is_an_error(client, monkeypatch):
    monkeypatch.setattr(ScannedTable, "most_rows_read", 20)
    lock, (X, classes, _, _) = threading.Lock(), made_rows(1, 100)

    def blocks():
        with lock:
            yield X, classes

    model = tw.BoostedTreesClassifier(n_estimators=1)
    with pytest.raises(DataTypeError, match="cannot be sent to them"):
        tw.distributed.fit(model, tw.scan(blocks), client=client)


def warning_number(word, number):
    warn_user(f"{word} {number % 2}")
    return number


def test_warnings_of_workers_reach_the_user_once(client, recwarn):
    with on_cluster(client, timeout=60) as cluster:
        shared = Shared(loaded_word, ("number",), warning_number)
        assert cluster.spread("warn", shared, range(4)) == [0, 1, 2, 3]
    told = [str(one.message) for one in recwarn.list if "number" in str(one.message)]
    assert told == ["number 0", "number 1"]


def test_predictions_warn_here(client):
    model = tw.CARTClassifier().fit({"color": ["red", "blue"]}, [0, 1])
    blocks = [{"color": ["red"]}, {"color": ["green"]}]
    with pytest.warns(UserWarning, match="'green'"):
        found = [*tw.distributed.predictions(model, blocks, client=client)]
    assert len(found) == 2


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (" ", "--dask is empty"),
        ("local:0", "needs a number of processes"),
        ("nowhere", "cannot connect to a scheduler at nowhere"),
        ("localhost:1", "cannot connect to a scheduler at localhost:1"),
        ("tcp://127.0.0.1:1", "cannot connect to a scheduler at tcp://127.0.0.1:1"),
    ],
)
def test_addresses_where_no_scheduler_is(address, message, monkeypatch, capsys):
    monkeypatch.setattr(clusters, "SECONDS_TO_CONNECT", 0.5)
    monkeypatch.setattr(interrupts, "GRACE_SECONDS", interrupts.GRACE_SECONDS)  # is set with --dask
    assert main(["train", "golf", "--dask", address]) != 0
    assert message in capsys.readouterr().err
