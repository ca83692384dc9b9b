"""Scans that other workers read in shares: what is learned is that of one reader."""

import pickle
import warnings
from contextlib import contextmanager
from threading import Lock

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from scanned_rows import blocks_of, made_rows
from treewright._kernels.shared_work import OtherWorkers, elsewhere
from treewright.data.scanned_table import ScannedTable
from treewright.ensembles import packed
from treewright.errors import DataError
from treewright.persistence.model_file import model_bytes


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch):
    monkeypatch.setattr(ScannedTable, "most_rows_read", 20)
    monkeypatch.setattr(packed, "MOST_ROWS_OF_BINS", 20)


@contextmanager
def readers(n_workers):
    """Workers that share no memory; the numbers of things that each call gave them."""
    given = []

    def spread(work, things, progress=None):
        given.append(len(things))
        return [pickle.loads(pickle.dumps(work(thing))) for thing in things]

    before = elsewhere.set(OtherWorkers(spread, lambda: n_workers))
    try:
        yield given
    finally:
        elsewhere.reset(before)


@given(
    seed=st.integers(0, 2**16),
    n_rows=st.integers(30, 90),
    size=st.sampled_from([1, 7, 50]),
    n_workers=st.integers(2, 9),
    has_weights=st.booleans(),
    most_values=st.sampled_from([1, 40, packed.ALL_VALUES]),
)
@settings(max_examples=60, deadline=None)
@pytest.mark.filterwarnings("ignore:.*")
def test_bytes_do_not_depend_on_who_reads(seed, n_rows, size, n_workers, has_weights, most_values):
    X, classes, _, weights = made_rows(seed, n_rows)
    rows = (X, classes, weights if has_weights else None)
    model = tw.BoostedTreesClassifier(n_estimators=2, random_state=seed)
    expected = model_bytes(model.fit(*rows))
    with readers(n_workers), pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "ALL_VALUES", most_values)  # of a pass: columns take turns
        assert model_bytes(model.fit(tw.scan(blocks_of(rows, size)))) == expected


@pytest.mark.parametrize("has_weights", [False, True])
def test_all_passes_are_shared(has_weights):
    rng = np.random.default_rng(4)
    X = rng.lognormal(sigma=3, size=(20_000, 3))
    y, weights = (X[:, 0] > X[:, 1]).astype(int), rng.random(20_000) if has_weights else None
    model = tw.BoostedTreesClassifier(n_estimators=2)
    expected = model_bytes(model.fit(X, y, weights))
    with readers(3) as given:
        found = model_bytes(model.fit(tw.scan(blocks_of((X, y, weights), 999))))
    assert found == expected
    assert given[:3] == [3, 3, 3]  # the survey, a pass that counts, and one that collects


@pytest.mark.parametrize("has_weights", [False, True])
def test_columns_take_turns_where_few_values_fit(monkeypatch, has_weights):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20_000, 7))
    y, weights = (X[:, 0] > X[:, 1]).astype(int), rng.random(20_000) if has_weights else None
    model = tw.BoostedTreesClassifier(n_estimators=2)
    expected = model_bytes(model.fit(X, y, weights))

    def n_calls(most_values):
        monkeypatch.setattr(packed, "ALL_VALUES", most_values)
        with readers(2) as given:
            assert model_bytes(model.fit(tw.scan(blocks_of((X, y, weights), 999)))) == expected
        return len(given)

    at_once = n_calls(10**9)
    assert n_calls(1) == at_once + 7  # one that counts again, and one for each column
    assert at_once + 2 < n_calls(25_000) < at_once + 7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_narrower_ranges_find_the_same_cuts(monkeypatch, dtype):
    rng = np.random.default_rng(6)
    normal = rng.normal(size=(30_000, 7))
    X = normal.astype(dtype)
    X[:, 1] = np.exp(30 * normal[:, 1])
    X[:, 2] = np.where(normal[:, 2] > 0.5, normal[:, 2], 0)  # one frequent value
    X[:, 3] = np.floor(1000 * normal[:, 3])
    X[:, 4] = np.nextafter(dtype(1), dtype(2)) ** np.floor(5 * normal[:, 4])  # neighbors of 1
    X[:, 5] = np.finfo(dtype).smallest_subnormal * np.floor(1e6 * normal[:, 5])
    X[:, 6] = np.where(normal[:, 6] > 2, np.inf, np.finfo(dtype).max * np.tanh(normal[:, 6]))
    y = (normal[:, :6].sum(axis=1) > 0).astype(int)
    model = tw.BoostedTreesClassifier(n_estimators=2, max_leaf_nodes=400, min_samples_leaf=1)
    with np.errstate(all="ignore"):
        expected = model_bytes(model.fit(X, y))
    for most_values in (1, 5_000):
        monkeypatch.setattr(packed, "ALL_VALUES", most_values)
        assert model_bytes(model.fit(tw.scan(blocks_of((X, y, None), 999)))) == expected


def write_files(folder, *texts):
    for number, text in enumerate(texts):
        (folder / f"{number}.csv").write_text(text)
    return tw.scan(folder / "*.csv", target="y")


def test_columns_in_another_order(tmp_path):
    rows = [f"{at},{'uvw'[at % 3]},{at % 2}\n" for at in range(40)]
    swapped = [f"{'uvz'[at % 3]},{at % 2},{at}\n" for at in range(40)]
    scan = write_files(tmp_path, "a,b,y\n" + "".join(rows), "b,y,a\n" + "".join(swapped))
    model = tw.BoostedTreesClassifier(n_estimators=2)
    expected = model_bytes(model.fit(scan))
    with readers(2):
        assert model_bytes(model.fit(scan)) == expected


@pytest.mark.filterwarnings("ignore:.*")
def test_shares_without_rows():
    X, classes, _, _ = made_rows(2, 60)
    model = tw.BoostedTreesClassifier(n_estimators=2)
    expected = model_bytes(model.fit(X, classes))
    nothing = (X[:0], classes[:0])
    blocks = [nothing, nothing, (X[:40], classes[:40]), nothing, (X[40:], classes[40:])]
    with readers(5):
        assert model_bytes(model.fit(tw.scan(blocks))) == expected


def test_a_column_of_numbers_that_another_share_has_as_text(tmp_path):
    numbers = "a,y\n" + "".join(f"{at},{at % 2}\n" for at in range(30))
    words = "a,y\n" + "".join(f"{'uv'[at % 2]},{at % 2}\n" for at in range(30))
    scan = write_files(tmp_path, numbers, words)
    model = tw.RandomForestClassifier(n_estimators=2)
    expected = model_bytes(model.fit(scan))
    with readers(2):
        assert model_bytes(model.fit(scan)) == expected


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("c,y\n1,0\n", r"1\.csv.* has no column `a`"),
        ("a,y\n1,\n", r"1\.csv.*missing"),
        ("a,y\n1\n2,0\n", r"1\.csv"),
    ],
)
def test_errors_name_the_file(tmp_path, second, message):
    first = "a,y\n" + "".join(f"{at},{at % 2}\n" for at in range(30))
    scan = write_files(tmp_path, first, second)
    with readers(2), pytest.raises(DataError, match=message):
        tw.BoostedTreesClassifier(n_estimators=1).fit(scan)


def test_warnings_of_other_workers_reach_the_user(tmp_path):
    long = "a,id,y\n" + "".join(f"{at},{2**53 + 1 + 2 * at},{at % 2}\n" for at in range(30))
    scan = write_files(tmp_path, long, long)

    def messages():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tw.BoostedTreesClassifier(n_estimators=1).fit(scan)
        return {str(one.message) for one in caught}

    expected = messages()
    with readers(2):
        assert messages() == expected


def test_what_another_pass_read_is_refused():
    sample = tw.table_from({"a": np.arange(30.0), "b": np.arange(30.0) % 7})
    start = packed.PlanStart(sample, 30, 1.0, 255, packed.ALL_VALUES)
    plan = start.plan(1)
    for others in ([], plan.take_out()[:1], [(b"\0" * 8, b"")] * 2, [(b"", b"\0" * 16)] * 2):
        with pytest.raises(ValueError, match="others"):
            plan.add(others)


def test_a_source_of_one_part_is_read_here():
    X, classes, _, _ = made_rows(3, 60)
    lock = Lock()  # which cannot be sent

    def blocks():
        with lock:
            yield from blocks_of((X, classes, None), 7)

    model = tw.BoostedTreesClassifier(n_estimators=2, random_state=0)
    expected = model_bytes(model.fit(X, classes))
    with readers(4) as given:
        assert model_bytes(model.fit(tw.scan(blocks))) == expected
    assert given == []


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_the_order_of_categories_does_not_depend_on_the_shares(n_workers):
    def block(levels):
        codes = np.arange(20) % len(levels)
        grade = pandas.Categorical.from_codes(codes, [*levels], ordered=True)
        return pandas.DataFrame({"grade": grade, "y": codes % 2})

    scan = tw.scan([*map(block, ("abc", "ab", "bc"))], target="y")
    with readers(n_workers):
        model = tw.BoostedTreesClassifier(n_estimators=1).fit(scan)
    assert model.schema_.columns[0].levels == ("a", "b", "c")


def test_a_plan_refuses_what_is_not_its_own():
    sample = tw.table_from({"a": np.arange(30.0)})
    plan = packed.PlanStart(sample, 30, 1.0, 255, packed.ALL_VALUES).plan(1)
    with pytest.raises(ValueError, match="asked"):  # while it counts
        plan.ask([(0, bytes(8192))])
    plan.end_pass()
    for asked in ([(1, bytes(8192))], [(0, bytes(8191))]):
        with pytest.raises(ValueError, match="asked"):
            plan.ask(asked)
