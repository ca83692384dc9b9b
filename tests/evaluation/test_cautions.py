"""Warnings of evaluations: which leaks the splits let through."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

import treewright as tw

N = 200


def rows(seed=0):
    generator = np.random.default_rng(seed)
    X = {"a": generator.random(N), "b": generator.choice(["u", "v"], N)}
    return X, np.where(generator.random(N) < 0.2 + 0.6 * (X["a"] > 0.5), "yes", "no")


def subjects(found):
    return [one.subject for one in found.warnings]


def test_a_sound_table_raises_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tw.evaluate(tw.C45Classifier(), *rows())
    assert found.warnings == ()


def test_a_leak_is_raised_at_the_line_of_the_user_and_kept():
    X, y = rows()
    with pytest.warns(UserWarning, match="`leak` is a copy of the target") as seen:
        found = tw.evaluate(tw.C45Classifier(), {**X, "leak": y}, y, folds=3)
    assert seen[0].filename == __file__
    assert subjects(found) == ["copy"]
    assert found.to_dict()["warnings"][0]["column"] == "leak"


def test_compare_raises_it_once():
    X, y = rows()
    models = [tw.C45Classifier(), tw.CARTClassifier()]
    with pytest.warns(UserWarning, match="`leak` is a copy of the target") as seen:
        found = tw.compare(models, {**X, "leak": y}, y, folds=3)
    assert len(seen) == 1
    assert subjects(found) == ["copy"]


def dated():
    X, y = rows()
    return pd.DataFrame({**X, "day": np.datetime64("2020-01-01") + np.arange(N)}), y


@pytest.mark.filterwarnings("ignore:the model uses the dates")
def test_dates_matter_only_where_rows_are_shuffled():
    X, y = dated()
    model = tw.C45Classifier()
    with pytest.warns(UserWarning, match='times=X."day". tests on later rows only'):
        assert subjects(tw.evaluate(model, X, y, folds=3)) == ["date"]
    in_time = tw.evaluate(model, X.drop(columns="day"), y, times=X["day"], folds=3)
    assert in_time.warnings == ()
    own = tw.evaluate(model, X, y, folds=np.arange(N) * 4 // N)
    assert own.warnings == ()


def test_dates_in_the_index_of_a_frame_count():
    X, y = dated()
    with pytest.warns(UserWarning, match="times=X.index tests on later rows only"):
        tw.evaluate(tw.C45Classifier(), X.set_index("day"), y, folds=3)


def copied():
    X, y = rows()
    twice = np.concatenate([np.arange(N), np.arange(50)])
    return {name: column[twice] for name, column in X.items()}, y[twice], twice


def test_copies_matter_only_if_folds_split_them():
    X, y, twice = copied()
    with pytest.warns(UserWarning, match="50 of 250 rows"):
        assert subjects(tw.evaluate(tw.C45Classifier(), X, y, folds=3)) == ["duplicates"]
    together = tw.evaluate(tw.C45Classifier(), X, y, groups=twice, folds=3)
    assert together.warnings == ()


def test_groups_matter_only_if_folds_split_them():
    generator = np.random.default_rng(0)
    school = np.repeat(np.arange(40), 5)
    y = np.where(generator.random(40) < 0.5, "a", "b")[school]
    X = {"x": generator.random(200), "school": school}
    with pytest.warns(UserWarning, match='groups=X."school". keeps each group in one fold'):
        found = tw.evaluate(tw.C45Classifier(), X, y, folds=3)
    assert subjects(found) == ["groups"]
    by_school = tw.evaluate(tw.C45Classifier(), X, y, groups=school, folds=3)
    assert by_school.warnings == ()


def test_models_of_other_packages_are_warned_of_too():
    X, y = rows()
    frame = pd.DataFrame({"a": X["a"], "leak": (y == "yes") * 1.0})
    with pytest.warns(UserWarning, match="`leak` is a copy"):
        tw.evaluate(DecisionTreeClassifier(), frame, y, folds=3)


def test_a_table_that_only_other_packages_read_is_not_looked_at():
    X, y = rows()
    matrix = sparse.csr_matrix(np.column_stack([X["a"], y == "yes"]).astype(float))
    assert tw.evaluate(DecisionTreeClassifier(), matrix, y, folds=3).warnings == ()


# ---------------------------------------------------------------------------- raw dates


def days_that_decide():
    day = np.datetime64("2020-01-01") + np.arange(60)
    return pd.DataFrame({"day": day, "size": np.arange(60) % 7}), np.arange(60) >= 30


@pytest.mark.parametrize(
    "model", [tw.C45Classifier(), tw.RandomForestClassifier(n_estimators=3), tw.ID3Classifier()]
)
def test_a_model_that_uses_dates_as_numbers_says_so(model):
    with pytest.warns(UserWarning, match="uses the dates of `day` as numbers") as seen:
        model.fit(*days_that_decide())
    assert seen[0].filename == __file__


def test_a_tree_that_does_not_split_on_the_date_is_silent():
    X, _ = days_that_decide()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.C45Classifier().fit(X, X["size"] > 3)
