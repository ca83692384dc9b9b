"""Splits: rows are held out as often as promised, and the seed alone decides which."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import DataError, ParameterError
from treewright.evaluation.splits import (
    given_folds,
    grouped_folds,
    hold_out,
    k_folds,
    ordered_folds,
)

labels = st.lists(st.sampled_from("abc"), min_size=6, max_size=60).map(np.array)


@given(labels, st.integers(2, 6), st.integers(1, 3), st.integers(0, 10))
def test_each_repeat_holds_out_every_row_once(strata, n_folds, n_repeats, seed):
    plan = k_folds(len(strata), n_folds, n_repeats=n_repeats, strata=strata, seed=seed)
    assert len(plan) == n_folds * n_repeats
    for repeat in range(n_repeats):
        held = np.concatenate([s.test for s in plan if s.repeat == repeat])
        assert sorted(held) == list(range(len(strata)))
    for split in plan:
        together = np.concatenate([split.train, split.test])
        assert sorted(together) == list(range(len(strata)))


@given(labels, st.integers(2, 6), st.integers(0, 10))
def test_folds_have_their_share_of_each_class_and_of_all_rows(strata, n_folds, seed):
    plan = k_folds(len(strata), n_folds, strata=strata, seed=seed)
    sizes = [len(split.test) for split in plan]
    assert max(sizes) - min(sizes) <= 1
    for label in np.unique(strata):
        counts = [int((strata[split.test] == label).sum()) for split in plan]
        assert max(counts) - min(counts) <= 1


@given(labels, st.integers(0, 5))
def test_the_same_seed_gives_the_same_folds_and_another_gives_others(strata, seed):
    first, again = (k_folds(len(strata), 3, strata=strata, seed=seed) for _ in range(2))
    assert (first.fold_of_row == again.fold_of_row).all()
    many = [k_folds(60, 3, seed=number).fold_of_row.tobytes() for number in range(5)]
    assert len(set(many)) == 5


@given(st.lists(st.integers(0, 8), min_size=10, max_size=60).map(np.array), st.integers(0, 5))
def test_groups_are_never_divided(groups, seed):
    n_groups = len(np.unique(groups))
    if n_groups < 3:
        with pytest.raises(DataError, match="groups"):
            grouped_folds(groups, 3, seed=seed)
        return
    plan = grouped_folds(groups, 3, seed=seed)
    for split in plan:
        assert not {*groups[split.train]} & {*groups[split.test]}
    assert sorted(np.concatenate([split.test for split in plan])) == list(range(len(groups)))


@given(st.lists(st.integers(0, 30), min_size=10, max_size=80).map(np.array))
def test_the_future_is_never_learned_from(times):
    if len(np.unique(times)) <= 3:
        return
    plan = ordered_folds(times, 3)
    assert len(plan) == 3
    for split in plan:
        assert times[split.train].max() < times[split.test].min()


def test_hold_out_takes_each_class_by_its_share():
    strata = np.array(["a"] * 30 + ["b"] * 60)
    for split in hold_out(90, 1 / 3, n_repeats=4, strata=strata, seed=3):
        assert [(strata[split.test] == label).sum() for label in "ab"] == [10, 20]
        assert len(split.train) == 60


def test_fold_numbers_that_are_given_are_kept():
    plan = given_folds([0, 1, 2, 0, 1, 2], 6)
    assert [split.test.tolist() for split in plan] == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: k_folds(5, 1), "folds=1"),
        (lambda: k_folds(5, 6), "5 rows cannot make 6 folds"),
        (lambda: k_folds(5, 2, n_repeats=0), "repeats=0"),
        (lambda: hold_out(5, 0.01), "one side empty"),
        (lambda: hold_out(5, 1.0), "one side empty"),
        (lambda: given_folds([0, 1], 3), "2 fold numbers for 3 rows"),
        (lambda: given_folds([0, 0, 0], 3), "one fold"),
        (lambda: given_folds([0.5, 1, 2], 3), "whole numbers"),
        (lambda: ordered_folds(np.array([1, 1, 2, 2]), 2), "moments"),
    ],
)
def test_wrong_wishes_are_named(make, words):
    with pytest.raises((DataError, ParameterError), match=words):
        make()
