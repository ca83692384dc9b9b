"""Odd tables and settings for models that are no tree: an answer, or words that name the place."""

import contextlib
import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from contracts.neighbours import (
    CLUSTERINGS,
    MIXED,
    NUMBERS_ONLY,
    PREDICTORS,
    answers,
    fitted,
    for_every_mixed_model,
    for_every_model,
    for_every_predictor,
    made,
    mixed_table,
    plain_table,
    table_for,
    target_for,
)
from treewright.any_model.saved_model import model_bytes

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# k beyond the few rows of these tests
ALONE = {"n_clusters": 1, "n_neighbors": 1}


def for_few_rows(name: str):
    """An estimator that one row is enough for."""
    model = made(name)
    known = model.get_params()
    return model.set_params(**{key: value for key, value in ALONE.items() if key in known})


@for_every_predictor
def test_holes_in_the_target_are_told_with_their_row(name):
    frame, y = table_for(name)
    holes = pd.Series(y, name="wanted").astype(object)
    holes[[4, 7]] = None
    with pytest.raises(ValueError, match=r"wanted|y|target") as found:
        made(name).fit(frame, holes)
    assert "4" in str(found.value)


@for_every_model
def test_infinite_numbers_are_answered_or_told_with_column_and_row(name):
    frame, score = plain_table()
    frame.loc[17, "b"] = np.inf
    try:
        model = made(name).fit(frame, target_for(name, score))
    except tw.DataError as error:
        told = str(error)
        assert "`b`" in told
        assert "17" in told
        assert "inf" in told
    else:  # concepts cut numbers into intervals
        assert np.isfinite(answers(model, frame)).all()


@for_every_model
def test_a_column_of_holes_alone_does_no_harm(name):
    frame, y = table_for(name)
    frame = frame.assign(empty=np.nan)
    model = made(name).fit(frame, y)
    assert np.isfinite(answers(model, frame)).all()
    assert np.isfinite(answers(model, frame.assign(empty=3.5))).all()


@for_every_model
def test_what_was_known_in_training_may_be_missing_later(name):
    frame, y = table_for(name)
    model = made(name).fit(frame.fillna({"size": 0.0}), y)
    assert np.isfinite(answers(model, frame.assign(size=np.nan))).all()
    assert np.isfinite(answers(model, frame.assign(count=np.nan))).all()


@for_every_model
def test_constant_columns_leave_an_answer(name):
    frame, y = table_for(name)
    constant = frame[["count"]].assign(count=1.0)
    model = for_few_rows(name).fit(constant, y)
    found = answers(model, constant)
    assert np.isfinite(found).all()
    assert (found == found[0]).all()


@for_every_model
def test_columns_of_other_sizes_are_numbers_too(name):
    X = np.array([[1e150, 1e-300], [-1e150, 5e-324], [0.0, 0.0], [1.0, -1e-310]] * 5)
    y = target_for(name, np.arange(20.0))
    with contextlib.suppress(tw.DataError):  # too large for squares, and told
        assert np.isfinite(answers(made(name).fit(X, y), X)).all()


@for_every_model
def test_rows_of_weight_zero_are_rows_left_out(name):
    frame, y = table_for(name)
    weights = np.arange(len(y)) % 3
    kept = weights > 0
    one = made(name).fit(frame, y, sample_weight=weights.astype(float))
    other = made(name).fit(frame[kept], y[kept], sample_weight=weights[kept].astype(float))
    np.testing.assert_allclose(answers(one, frame), answers(other, frame), rtol=1e-6, atol=1e-9)


@for_every_model
@pytest.mark.parametrize("wrong", [-1.0, np.nan, np.inf, 0.0], ids=str)
def test_wrong_weights_are_told(name, wrong):
    frame, y = table_for(name)
    weights = np.zeros(len(y)) if wrong == 0 else np.ones(len(y))
    weights[3] = wrong
    with pytest.raises(ValueError, match="weight"):
        made(name).fit(frame, y, sample_weight=weights)


@for_every_predictor
def test_one_row_and_one_class_are_enough_or_told(name):
    frame, y = mixed_table(n_rows=30)[0], np.full(30, "yes")
    rows = frame.iloc[:1]
    if name in ("KNeighborsRegressor", "GradientDescentRegressor", "M5Regressor"):
        y = np.full(30, 2.5)
    for X, target in ((rows, y[:1]), (frame, y)):
        model, problem = for_few_rows(name), ""
        try:
            model.fit(X, target)
        except tw.TreewrightError as error:
            problem = str(error)
        if problem:
            assert "class" in problem
        elif hasattr(model, "predict_proba"):
            assert (model.predict(X) == target).all()
            assert model.predict_proba(X).tolist() == [[1.0]] * len(X)
        else:
            assert model.predict(X) == pytest.approx(target)


@for_every_mixed_model
def test_a_level_that_training_never_met_counts_as_missing_or_is_told(name):
    model, frame = fitted(name)
    strange = frame.assign(color="violet")
    with pytest.warns(UserWarning, match="violet"):
        np.testing.assert_array_equal(
            answers(model, strange), answers(model, frame.assign(color=None))
        )
    strict, _ = fitted(name, unseen="error")
    with pytest.raises(tw.DataError, match="violet"):
        strict.predict(strange)


@for_every_model
def test_columns_that_are_moved_missing_or_of_another_kind_are_told(name):
    model, frame = fitted(name)
    with pytest.raises(ValueError, match="order"):
        model.predict(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="count"):
        model.predict(frame.drop(columns="count"))
    with pytest.raises(ValueError, match="other"):
        model.predict(frame.assign(other=1))
    with pytest.raises(tw.DataError, match="count"):
        model.predict(frame.assign(count="many"))


@for_every_model
@pytest.mark.parametrize("odd", [np.empty((0, 2)), np.empty((3, 0)), np.ones(3)], ids=str)
def test_tables_without_rows_or_columns_are_told(name, odd):
    with pytest.raises(ValueError):
        made(name).fit(odd, target_for(name, np.arange(float(len(odd)))) if len(odd) else [])


@for_every_model
def test_odd_names_of_columns_are_only_names(name):
    names = ["größe", "[a]<b>", 'x"\\\n,y']
    frame, score = plain_table()
    frame.columns = names
    y = target_for(name, score)
    model = made(name).fit(frame, y)
    assert list(model.feature_names_in_) == names
    for page in (model.explain(frame.iloc[0]), tw.worksheet(model, frame, y)):
        assert "<b>" not in page.to_html()
        assert page.to_latex()


def refused_by(param):
    """Whether a declaration refuses a value."""

    def is_refused(value: object) -> bool:
        try:
            param.check(value)
        except tw.ParameterError:
            return True
        return False

    return is_refused


@for_every_model
def test_every_parameter_refuses_what_it_cannot_be(name):
    frame, y = table_for(name)
    for param in type(made(name)).params:
        for value in filter(refused_by(param), (object(), float("nan"), "no such word", -1, [])):
            with pytest.raises(tw.ParameterError, match=param.name):
                made(name).set_params(**{param.name: value}).fit(frame, y)
    with pytest.raises(tw.ParameterError, match="did you mean"):
        made(name).set_params(**{type(made(name)).params[0].name + "s": 1})


@pytest.mark.parametrize("name", [*CLUSTERINGS, "KNeighborsClassifier", "KNeighborsRegressor"])
def test_more_clusters_or_neighbours_than_rows_are_told_with_both_numbers(name):
    X, y = [[1.0], [2.0], [3.0]], target_for(name, np.arange(3.0))
    key = "n_clusters" if name in CLUSTERINGS else "n_neighbors"
    with pytest.raises(ValueError, match=r"(?s)7.*3|3.*7"):
        made(name).set_params(**{key: 7}).fit(X, y).predict(X)


@for_every_model
def test_many_threads_are_asked_for_and_none_is_refused(name):
    if "n_jobs" not in made(name).get_params():
        pytest.skip("has no threads")
    frame, y = table_for(name)
    expected = model_bytes(made(name).fit(frame, y))
    assert model_bytes(made(name, n_jobs=10_000).fit(frame, y)) == expected
    with pytest.raises(tw.ParameterError, match="n_jobs"):
        made(name, n_jobs=0).fit(frame, y)


@for_every_model
def test_threads_may_fit_and_answer_at_once(name):
    frame, y = table_for(name)
    expected = answers(made(name).fit(frame, y), frame).tobytes()
    shared = made(name).fit(frame, y)
    found: list[bytes] = []

    def work() -> None:
        found.append(answers(made(name).fit(frame, y), frame).tobytes())
        found.append(answers(shared, frame).tobytes())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {expected}
    assert len(found) == 8


# Fits of many seconds, unless somebody ends them.
LONG = {
    "KMeans": {"n_clusters": 60, "n_init": 500},
    "KPrototypes": {"n_clusters": 60, "n_init": 500},
    "GradientDescentClassifier": {"max_iter": 10**7, "tol": 0.0, "l2": 0.0},
    "GradientDescentRegressor": {"max_iter": 10**7, "tol": 0.0, "learning_rate": 1e-9},
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_fit_soon_and_leaves_the_old_one(name):
    frame, y = table_for(name, n_rows=4000)
    model = for_few_rows(name).fit(frame.iloc[:50], y[:50])
    before = model_bytes(model)
    params = model.get_params()
    start = time.monotonic()
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.set_params(**LONG[name]).fit(frame, y)
    timer.join()
    assert time.monotonic() - start < 8  # a second, on a machine that has nothing else to do
    assert model_bytes(model.set_params(**params)) == before


def test_every_model_is_in_some_list():
    assert {*PREDICTORS, *CLUSTERINGS} == {*MIXED, *NUMBERS_ONLY}
