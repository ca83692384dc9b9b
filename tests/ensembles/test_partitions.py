"""Boosted trees from partitions: the model file is that of all rows in one memory."""

from dataclasses import replace

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from scanned_rows import blocks_of, made_rows
from treewright._kernels.learners import BinnedTable
from treewright.data.column import NominalColumn
from treewright.data.scanned_table import ScannedTable
from treewright.data.table import Table
from treewright.ensembles import packed
from treewright.ensembles.boosting import partitions as boosting_partitions
from treewright.ensembles.boosting.partitions import (
    PartitionRecipe,
    RowPartition,
    combined,
)
from treewright.errors import DataTypeError, ModelFileError, ParameterError, TreewrightError
from treewright.induction.growth import native_columns
from treewright.persistence.model_file import model_bytes

pytestmark = pytest.mark.filterwarnings("ignore:.*")

TARGETS = {
    "two classes": lambda classes, numbers: classes == "yes",
    "three classes": lambda classes, numbers: classes,
    "squared_error": lambda classes, numbers: numbers,
    "poisson": lambda classes, numbers: np.abs(numbers),
    "absolute_error": lambda classes, numbers: numbers,
    "quantile": lambda classes, numbers: numbers,
    "huber": lambda classes, numbers: numbers,
}


@pytest.fixture
def few_rows_are_many(monkeypatch):
    """Tables of more than 20 rows are read in blocks, as otherwise those of 200,000."""
    monkeypatch.setattr(ScannedTable, "most_rows_read", 20)
    monkeypatch.setattr(packed, "MOST_ROWS_OF_BINS", 20)
    monkeypatch.setattr(packed, "FEW_ROWS", 20)


def model_for(target, **params):
    if "classes" in target:
        return tw.BoostedTreesClassifier(n_estimators=2, **params)
    return tw.BoostedTreesRegressor(n_estimators=2, loss=target, **params)


def scan_for(target, seed, n_rows, has_weights):
    X, classes, numbers, weights = made_rows(seed, n_rows)
    y = TARGETS[target](classes, numbers)
    return tw.scan(blocks_of((X, y, weights if has_weights else None), 100))


@given(
    target=st.sampled_from(sorted(TARGETS)),
    growth=st.sampled_from(["leaf", "level", "symmetric"]),
    seed=st.integers(0, 2**16),
    n_rows=st.integers(30, 200),
    has_weights=st.booleans(),
    subsample=st.sampled_from([1.0, 0.6]),
    partitions=st.sampled_from([1, 2, 7, 64]),
    few_rows=st.sampled_from([0, 20, 60, 10_000]),
)
@settings(max_examples=60, deadline=None)
def test_bytes_do_not_depend_on_partitions(
    target, growth, seed, n_rows, has_weights, subsample, partitions, few_rows
):
    params = {"max_depth": 5, "min_samples_leaf": 3, "random_state": seed, "growth": growth}
    model = model_for(target, **params, subsample=subsample)
    scan = scan_for(target, seed, n_rows, has_weights)
    expected = model_bytes(model.fit(scan))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boosting_partitions, "few_rows_of", lambda least: few_rows)
        assert model_bytes(tw.distributed.fit(model, scan, partitions=partitions)) == expected


def test_rows_of_large_nodes_are_counted_only_where_a_split_depends_on_it(monkeypatch):
    scan = scan_for("two classes", 5, 900, has_weights=False)
    asked = []

    def noted(partition, nodes):
        asked.append(len(nodes))
        return count_rows(partition, nodes)

    count_rows = RowPartition.count_rows
    monkeypatch.setattr(RowPartition, "count_rows", noted)
    monkeypatch.setattr(boosting_partitions, "few_rows_of", lambda least: 0)
    for least, is_asked in ((1, False), (40, True)):
        model = model_for("two classes", min_samples_leaf=least)
        expected = model_bytes(model.fit(scan))
        assert model_bytes(tw.distributed.fit(model, scan, partitions=3)) == expected
        assert bool(asked) == is_asked
    assert len(asked) < 20 * model.n_estimators_  # one trip for all nodes of a batch


@pytest.mark.parametrize("target", ["two classes", "three classes", "squared_error"])
@pytest.mark.usefixtures("few_rows_are_many")
def test_rows_that_are_read_in_blocks(target):
    directions = None if target == "three classes" else {"few": 1}
    model = model_for(target, monotonic_cst=directions, interaction_cst=[[0, 1]], random_state=1)
    scan = scan_for(target, 1, 350, has_weights=True)
    expected = model_bytes(model.fit(scan))
    assert model_bytes(tw.distributed.fit(model, scan, partitions=4)) == expected


@pytest.mark.parametrize("target", ["two classes", "three classes"])
def test_a_partition_is_made_again_after_some_trees(target, monkeypatch):
    made = []

    def remembered(recipe, trees):
        made.append((recipe, make(recipe, trees)))
        return made[-1][1]

    make = PartitionRecipe.made
    monkeypatch.setattr(PartitionRecipe, "made", remembered)
    scan = scan_for(target, 3, 300, has_weights=True)
    model = tw.distributed.fit(model_for(target, random_state=0), scan, partitions=3)
    n_outputs = len(model.state_.start)
    last = model.state_.packed.packed.head((model.n_estimators_ - 1) * n_outputs)
    for recipe, partition in made[:3]:  # these have done everything but the last addition
        again = make(recipe, last)._rows.scores
        before = partition._rows.scores
        np.testing.assert_array_equal(again[-1], before[-1])


def test_results_of_parts_combine_in_any_order():
    rng = np.random.default_rng(0)
    parts = [
        ((*rng.random(3).tolist(),), int(rng.integers(2**40)), int(rng.integers(2**40)))
        for _ in range(4)
    ]
    assert combined("survey", parts) == combined("survey", parts[::-1])
    nested = [combined("survey", parts[:1]), combined("survey", parts[1:])]
    assert combined("survey", nested) == combined("survey", parts)


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"drop_rate": 0.1}, "drop_rate"),
        ({"warm_start": True}, "warm_start"),
    ],
)
def test_what_partitions_cannot_do_is_refused(params, named):
    scan = scan_for("squared_error", 0, 50, has_weights=False)
    with pytest.raises(ParameterError, match=named):
        tw.distributed.fit(tw.BoostedTreesRegressor(n_estimators=2, **params), scan)


def test_a_loss_of_your_own_is_refused():
    def loss(y, scores):
        return scores - y.mean(), np.ones(len(y))

    scan = scan_for("squared_error", 0, 50, has_weights=False)
    with pytest.raises(ParameterError, match="a loss function of your own"):
        tw.distributed.fit(tw.BoostedTreesRegressor(n_estimators=2, loss=loss), scan)


@pytest.mark.parametrize("growth", ["leaf", "symmetric"])
def test_columns_of_many_categories(growth):
    X, classes, _, weights = made_rows(0, 2000, n_categories=1000)
    scan = tw.scan(blocks_of((X, classes, weights), 500))
    model = tw.BoostedTreesClassifier(
        n_estimators=2, growth=growth, smoothing=0.0, target_encoding=False
    )
    expected = model_bytes(model.fit(scan))
    assert model.feature_importances_[X.names.index("id")] > 0
    assert model_bytes(tw.distributed.fit(model, scan, partitions=3)) == expected


def test_categories_encoded_by_the_target_need_no_sets():
    X, classes, _, _ = made_rows(0, 2000, n_categories=1000)
    scan = tw.scan(blocks_of((X, classes), 500))
    model = tw.BoostedTreesClassifier(n_estimators=2)
    expected = model_bytes(model.fit(X, classes))
    assert model_bytes(tw.distributed.fit(model, scan, partitions=7)) == expected


def test_other_models_are_refused():
    with pytest.raises(DataTypeError, match="OptimalTreeClassifier"):
        tw.distributed.fit(tw.OptimalTreeClassifier(), tw.scan([([[1.0]], ["a"])]))


class InterruptedFitError(Exception):
    """Ends a training as a crash would."""


def interrupt_at(number):
    def callback(done):
        if done.number == number:
            raise InterruptedFitError

    return callback


@pytest.mark.parametrize("params", [{}, {"n_iter_no_change": 2}])
def test_training_goes_on_from_a_checkpoint(tmp_path, params):
    scan = scan_for("three classes", 1, 300, has_weights=True)
    model = model_for("three classes", random_state=1, **params).set_params(n_estimators=7)
    expected = model_bytes(model.fit(scan))
    how = {"partitions": 2, "checkpoint": tmp_path / "rounds", "checkpoint_every": 2}
    for number in (3, 5):
        model.set_params(callbacks=[interrupt_at(number)])
        with pytest.raises(InterruptedFitError):
            tw.distributed.fit(model, scan, **how)
    seen = []
    model.set_params(callbacks=[lambda done: seen.append(done.number)])
    tw.distributed.fit(model, scan, **how)
    assert seen[0] == 5
    assert model_bytes(model.set_params(callbacks=None)) == expected
    assert [*tmp_path.iterdir()] == []


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    scan = scan_for("squared_error", 1, 100, has_weights=False)
    path = tmp_path / "rounds"
    model = model_for("squared_error", callbacks=[interrupt_at(2)])
    with pytest.raises(InterruptedFitError):
        tw.distributed.fit(model, scan, checkpoint=path, checkpoint_every=1)
    other = model_for("squared_error", max_depth=3)
    with pytest.raises(
        ParameterError, match="another training run: its max_depth is None, but this run has"
    ):
        tw.distributed.fit(other, scan, checkpoint=path)
    other_rows = scan_for("squared_error", 2, 100, has_weights=False)
    with pytest.raises(ParameterError, match="another training run: its data is"):
        tw.distributed.fit(model, other_rows, checkpoint=path)
    with pytest.raises(ParameterError, match="its values of the columns are"):
        tw.distributed.fit(model, with_two_values_exchanged(scan), checkpoint=path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelFileError, match="is not a checkpoint"):
        tw.distributed.fit(model, scan, checkpoint=path)


def with_two_values_exchanged(scan):
    """The same target and the same bins, but other rows."""
    X, y, _ = scan.read()
    frame = X.to_pandas()
    values = frame.iloc[:, 0].to_numpy(copy=True)
    low, high = np.nanargmin(values), np.nanargmax(values)
    values[[low, high]] = values[[high, low]]
    return tw.scan([(frame.assign(**{frame.columns[0]: values}), y)])


@pytest.mark.parametrize(
    "random_state", [lambda: np.random.default_rng(1), lambda: np.random.RandomState(1)]
)
def test_a_generator_that_begins_anew_resumes(tmp_path, random_state):
    scan = scan_for("squared_error", 1, 100, has_weights=False)
    how = {"checkpoint": tmp_path / "rounds", "checkpoint_every": 1}
    model = model_for("squared_error", random_state=random_state(), callbacks=[interrupt_at(1)])
    with pytest.raises(InterruptedFitError):
        tw.distributed.fit(model, scan, **how)
    seen = []
    again = [lambda done: seen.append(done.number)]
    model.set_params(random_state=random_state(), callbacks=again)
    tw.distributed.fit(model, scan, **how)
    assert seen == [2]


def test_a_random_seed_cannot_resume(tmp_path):
    scan = scan_for("squared_error", 1, 100, has_weights=False)
    how = {"checkpoint": tmp_path / "rounds", "checkpoint_every": 1}
    model = model_for("squared_error", random_state=None, callbacks=[interrupt_at(1)])
    with pytest.raises(InterruptedFitError):
        tw.distributed.fit(model, scan, **how)
    with pytest.raises(ParameterError, match="set `random_state` to a number"):
        tw.distributed.fit(model, scan, **how)


@given(
    seed=st.integers(0, 2**16),
    n_rows=st.integers(2, 60),
    n_columns=st.integers(1, 20),
    n_levels=st.sampled_from([3, 400]),
    data=st.data(),
)
def test_the_digest_of_cells_knows_every_cell(seed, n_rows, n_columns, n_levels, data):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_levels, size=(n_rows, n_columns)).astype(np.int32)
    levels = [f"level {number}" for number in range(n_levels)]
    views = [NominalColumn(str(at), codes[:, at].copy(), tuple(levels)) for at in range(n_columns)]

    def digest(first, end, first_row):
        rows = Table([replace(view, codes=view.codes[first:end].copy()) for view in views])
        return BinnedTable(native_columns(rows), end - first, None, 255, 1).digest(first_row)

    whole = digest(0, n_rows, 5)
    cut = data.draw(st.integers(1, n_rows - 1))
    assert (digest(0, cut, 5) + digest(cut, n_rows, 5 + cut)) % 2**64 == whole
    row, column = data.draw(st.integers(0, n_rows - 1)), data.draw(st.integers(0, n_columns - 1))
    changed = views[column].codes
    changed[row] = (changed[row] + 1) % n_levels
    assert digest(0, n_rows, 5) != whole


def frame_of(seed, n_rows, **columns):
    rng = np.random.default_rng(seed)
    frame = {"x": rng.normal(size=n_rows), "y": rng.normal(size=n_rows)}
    return pandas.DataFrame({**frame, "word": ["a"] * n_rows, **columns})


def test_a_category_only_in_the_last_partition_and_an_empty_one(tmp_path):
    for at in range(4):
        word = ["new"] * 50 if at == 3 else ["a", "b"] * 25
        n_rows = 0 if at == 1 else 50
        frame_of(at, n_rows, word=word[:n_rows]).to_parquet(tmp_path / f"{at}.parquet")
    scan = tw.scan(tmp_path / "*.parquet", target="y")
    model = tw.BoostedTreesRegressor(n_estimators=2, min_samples_leaf=2)
    expected = model_bytes(model.fit(scan))
    assert model_bytes(tw.distributed.fit(model, scan, partitions=3)) == expected


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        (lambda path: frame_of(2, 50, more=1.0).to_parquet(path), ["2.parquet", "`more`"]),
        (lambda path: frame_of(2, 50, x="a").to_parquet(path), ["2.parquet", "`x`"]),
        (lambda path: path.write_bytes(path.read_bytes()[:-40]), ["2.parquet"]),
        (lambda path: path.write_bytes(b""), ["2.parquet"]),
    ],
    ids=["another column", "another type", "cut off", "nothing"],
)
def test_a_broken_file_in_the_middle_is_named(tmp_path, broken, named):
    for at in range(4):
        frame_of(at, 50).to_parquet(tmp_path / f"{at}.parquet")
    broken(tmp_path / "2.parquet")
    scan = tw.scan(tmp_path / "*.parquet", target="y")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(TreewrightError) as error:
        tw.distributed.fit(
            tw.BoostedTreesRegressor(n_estimators=2), scan, checkpoint=tmp_path / "rounds"
        )
    for name in named:
        assert name in str(error.value)
    assert sorted(tmp_path.iterdir()) == before
