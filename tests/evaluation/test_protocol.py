"""How the user says which rows are held out."""

from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.errors import DataError
from treewright.evaluation.protocol import moments

DAYS = st.lists(st.dates(date(1000, 1, 1)), min_size=1, max_size=30)


@given(DAYS)
def test_dates_as_text_have_the_order_of_the_dates(days):
    as_text = moments(np.array([str(day) for day in days]))
    order = np.argsort(as_text, kind="stable")
    assert order.tolist() == sorted(range(len(days)), key=lambda at: days[at])
    assert as_text.astype("datetime64[D]").tolist() == days


@pytest.mark.parametrize("text", ["05.01.2023", "1/5/2023", "9", "Jan 2023", "2023-13-01", ""])
def test_text_without_an_order_in_time_is_refused(text):
    times = [*(f"2023-01-{day:02}" for day in range(1, 20)), text]
    with pytest.raises(DataError, match="is not a date or time"):
        tw.evaluate(
            tw.CARTClassifier(prune=None), np.arange(20.0)[:, None], list("ab") * 10, times=times
        )


def test_text_and_dates_of_the_same_days_give_the_same_folds():
    X, y = tw.load_sample("iris")
    days = pd.Series(pd.date_range("2022-12-20", periods=150)).sample(frac=1, random_state=1)
    found = [
        tw.evaluate(tw.CARTClassifier(prune=None), X, y, times=times, folds=4)
        for times in (days, days.dt.strftime("%Y-%m-%d"), days.dt.strftime("%Y-%m-%d %H:%M"))
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.plan.fold_of_row, found[0].plan.fold_of_row)


@pytest.mark.parametrize("factor", [1, 2**31, 2**40 + 7])
def test_fold_numbers_may_be_of_any_size(factor):
    X, y = tw.load_sample("iris")
    folds = np.arange(150) % 5
    large = folds.astype(np.uint64) * np.uint64(factor) + np.uint64(2**63)
    small = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=folds)
    for given_numbers in (folds.astype(np.int64) * factor, large):
        found = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=given_numbers)
        np.testing.assert_array_equal(found.predictions, small.predictions)
        assert found.n_splits == 5


def test_rows_of_negative_folds_are_only_learned_from():
    X, y = tw.load_sample("iris")
    folds = np.where(np.arange(150) % 3 == 0, -7, np.arange(150) % 2)
    found = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=folds)
    assert found.n_splits == 2
    for split in found.plan:
        assert (folds[split.test] >= 0).all()
        assert set(np.flatnonzero(folds < 0)) <= set(split.train)
