"""The Imputer: a step of a pipeline that fills holes, and says with what."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.preprocessing.imputer import Imputer

EVERY_STRATEGY = [
    Imputer(),
    Imputer(strategy="median", add_indicator=True),
    Imputer(strategy="mode", by_class=True),
    Imputer(strategy="constant", fill_value=-1),
]


@parametrize_with_checks(EVERY_STRATEGY)
def test_the_imputer_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def people():
    return pd.DataFrame(
        {
            "age": [20.0, None, 70.0, 30.0, None],
            "town": ["Ulm", "Ulm", None, "Rom", "Rom"],
            "size": pd.Categorical(["S", "M", "L", None, "L"], ["S", "M", "L"], ordered=True),
            "smokes": [True, None, False, False, None],
        }
    )


def cells(table, name):
    return [table[name].value(row) for row in range(len(table))]


def test_every_kind_of_column_is_filled_by_its_own_means():
    filled = Imputer().fit_transform(people())
    assert isinstance(filled, Table)
    assert cells(filled, "age") == [20.0, 40.0, 70.0, 30.0, 40.0]
    assert cells(filled, "town") == ["Ulm", "Ulm", "Ulm", "Rom", "Rom"]
    assert cells(filled, "size") == ["S", "M", "L", "L", "L"]
    assert cells(filled, "smokes") == [True, False, False, False, False]


def test_the_median_of_ordered_levels_is_a_level():
    filler = Imputer(strategy="median").fit(people())
    assert filler.fill_values_["age"] == 30.0
    assert filler.fill_values_["size"] == "M"
    assert Imputer(strategy="mode").fit(people()).fill_values_["age"] == 20.0


@given(
    values=st.lists(st.one_of(st.just(np.nan), st.floats(-1e6, 1e6)), min_size=2, max_size=20),
    strategy=st.sampled_from(["mean", "median", "mode"]),
)
def test_numbers_are_filled_as_scikit_learn_fills_them(values, strategy):
    X = np.array([*values, 1.0])[:, None]
    theirs = SimpleImputer(strategy={"mode": "most_frequent"}.get(strategy, strategy))
    expected = theirs.fit_transform(X)
    np.testing.assert_allclose(np.asarray(Imputer(strategy=strategy).fit_transform(X)), expected)


def test_training_rows_are_filled_by_class_and_new_rows_by_all():
    X = {"x": [1.0, 3.0, None, 10.0, None, 20.0], "w": ["a", "a", None, "b", "b", None]}
    y = ["no", "no", "no", "yes", "yes", "yes"]
    filler = Imputer(by_class=True)
    assert cells(filler.fit_transform(X, y), "x") == [1.0, 3.0, 2.0, 10.0, 15.0, 20.0]
    assert cells(filler.fit_transform(X, y), "w") == ["a", "a", "a", "b", "b", "b"]
    assert filler.class_fill_values_["x"] == {"no": 2.0, "yes": 15.0}
    assert cells(filler.transform(X), "x") == [1.0, 3.0, 8.5, 10.0, 8.5, 20.0]


def test_a_class_without_a_value_is_filled_by_all_rows():
    X = {"x": [1.0, 3.0, None]}
    assert cells(Imputer(by_class=True).fit_transform(X, ["a", "a", "b"]), "x")[2] == 2.0


def test_a_target_of_very_many_classes_is_told():
    X = np.arange(200.0)[:, None]
    with pytest.warns(UserWarning, match="200 classes in 200 rows"):
        Imputer(by_class=True).fit(X, np.arange(200))


def test_in_a_pipeline_any_estimator_gets_whole_rows():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0] > 0
    X[::7, 1] = np.nan
    for settings in ({}, {"by_class": True}, {"add_indicator": True}):
        pipeline = make_pipeline(Imputer(**settings), LogisticRegression())
        assert pipeline.fit(X, y).score(X, y) > 0.9
    assert make_pipeline(Imputer(), tw.C45Classifier()).fit(X, y).score(X, y) > 0.9


def test_indicators_stand_beside_the_columns_with_holes():
    filler = Imputer(add_indicator=True).fit(people())
    filled = filler.transform(people())
    assert filled.names[4:] == (
        "age is missing",
        "town is missing",
        "size is missing",
        "smokes is missing",
    )
    assert filled["age is missing"].values.tolist() == [0, 1, 0, 0, 1]
    assert filler.get_feature_names_out().tolist() == list(filled.names)
    whole = Imputer(add_indicator=True).fit(people().drop(columns="age").dropna())
    assert whole.transform(people().drop(columns="age")).n_columns == 3


def test_levels_that_are_new_stay_and_holes_get_the_level_learned():
    filler = Imputer().fit(pd.DataFrame({"town": ["Ulm", "Ulm", "Rom"]}))
    filled = filler.transform(pd.DataFrame({"town": ["Oslo", None]}))
    assert cells(filled, "town") == ["Oslo", "Ulm"]


def test_a_column_of_holes_alone_is_filled_at_predict_time():
    filler = Imputer().fit(people())
    alone = pd.DataFrame({"age": [None], "town": [None], "size": [None], "smokes": [None]})
    filled = filler.transform(alone)
    assert [filled[name].value(0) for name in filled.names] == [40.0, "Ulm", "L", False]


def test_a_column_without_any_value_stays_as_it_is_with_a_warning():
    with pytest.warns(UserWarning, match="`x` without any value cannot be filled"):
        filler = Imputer().fit(pd.DataFrame({"x": [None, None], "y": [1.0, 2.0]}))
    assert filler.transform(pd.DataFrame({"x": [None, None], "y": [1.0, None]}))["x"].n_missing == 2


def test_infinities_alone_have_no_mean():
    X = np.array([[np.inf], [np.nan]])
    with pytest.warns(UserWarning, match="`x0` without any value cannot be filled"):
        assert Imputer().fit(X).fill_values_ == {}
    assert Imputer(strategy="median").fit(X).fill_values_ == {"x0": np.inf}


def test_constants_by_column_or_for_all_that_can_hold_them():
    usual = Imputer(strategy="constant").fit(people()[["age", "town"]])
    assert usual.fill_values_ == {"age": 0.0, "town": "missing"}
    by_name = Imputer(strategy="constant", fill_value={"age": -1, "smokes": True}).fit(people())
    filled = by_name.transform(people())
    assert cells(filled, "age")[1] == -1.0
    assert cells(filled, "smokes")[1] is True
    assert filled["town"].n_missing == 1
    words = Imputer(strategy="constant", fill_value="?").fit(people())
    assert list(words.fill_values_) == ["town", "size"]


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"strategy": "meen"}, ParameterError, 'did you mean "mean"'),
        ({"fill_value": 1}, ParameterError, 'strategy="constant"'),
        ({"strategy": "constant", "by_class": True}, ParameterError, "every class"),
        ({"strategy": "constant", "fill_value": {"agee": 1}}, UnknownColumnError, "`age`"),
        ({"strategy": "constant", "fill_value": {"age": "old"}}, ParameterError, "holds numbers"),
        ({"strategy": "constant", "fill_value": float("nan")}, ParameterError, "fits no column"),
        ({"strategy": "constant"}, ParameterError, "`smokes` holds True and False"),
        ({"by_class": True}, DataError, "requires y to be passed"),
    ],
)
def test_a_mistake_is_named(settings, error, message):
    with pytest.raises(error, match=message):
        Imputer(**settings).fit(people())


def test_an_indicator_never_takes_the_name_of_a_column():
    X = pd.DataFrame({"a": [1.0, None], "a is missing": [0.0, 1.0]})
    with pytest.raises(DataError, match="`a is missing`"):
        Imputer(add_indicator=True).fit(X)


def test_text_where_a_number_was_learned_is_named():
    filler = Imputer().fit(pd.DataFrame({"age": [1.0, 2.0]}))
    with pytest.raises(DataError, match="`age`, row 0"):
        filler.transform(pd.DataFrame({"age": ["old"]}))


def test_a_failed_fit_leaves_the_imputer_as_it_was():
    filler = Imputer().fit(people())
    with pytest.raises(DataError):
        filler.set_params(by_class=True).fit(people()[["age"]])
    assert filler.n_features_in_ == 4


def test_dates_are_filled_by_whole_dates():
    days = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", None, "2020-01-04"])})
    filled = Imputer().fit_transform(days)
    assert str(filled["day"].value(1)).startswith("2020-01-02")


def test_means_of_the_largest_numbers_are_finite():
    X = np.array([[1.7e308], [1.7e308], [np.nan], [np.inf]])
    assert Imputer().fit(X).fill_values_["x0"] == pytest.approx(1.7e308)


def test_data_frames_come_back_as_asked_for():
    X = people().iloc[1:3]
    frame = Imputer().set_output(transform="pandas").fit(people()).transform(X)
    assert frame.index.equals(X.index)
    assert frame["size"].cat.ordered
    rows = Imputer().set_output(transform="polars").fit_transform(pl.from_pandas(people()))
    assert rows["town"].to_list() == ["Ulm", "Ulm", "Ulm", "Rom", "Rom"]


def test_pickles_and_numbers_that_stand_for_words():
    X = pd.DataFrame({"code": [1, 2, 2, None]})
    filler = Imputer(categorical_features=["code"]).fit(X)
    again = pickle.loads(pickle.dumps(filler))
    assert cells(again.transform(X), "code") == [1, 2, 2, 2]


def test_dates_are_filled_by_a_date():
    days = pd.DataFrame({"d": pd.to_datetime(["2024-01-05", None]), "n": [None, 2.0]})
    for date in (pd.Timestamp("2024-03-01"), np.datetime64("2024-03-01")):
        filled = Imputer(strategy="constant", fill_value={"d": date}).fit_transform(days)
        assert filled["d"].value(1) == np.datetime64("2024-03-01")
        assert np.isnan(filled["n"].values[0])
    alone = Imputer(strategy="constant", fill_value=date).fit_transform(days)
    assert alone["d"].value(1) == np.datetime64("2024-03-01")
    for wrong in (3, "2024-03-01", pd.Timedelta(days=1), pd.NaT):
        with pytest.raises(ParameterError, match="holds dates"):
            Imputer(strategy="constant", fill_value={"d": wrong}).fit(days)


def test_numbers_of_numpy_fill_whole_number_levels():
    X = pd.DataFrame({"c": pd.Categorical([1, 2, None])})
    filler = Imputer(strategy="constant", fill_value=np.int64(3)).fit(X)
    assert filler.fill_values_ == {"c": 3}


def test_rows_of_weight_zero_have_no_say():
    X = {"a": [1.0, None, 3.0], "b": [None, None, 2.0]}
    filler = Imputer(add_indicator=True).fit(X, sample_weight=[1.0, 0.0, 1.0])
    assert filler.indicators_ == ("b",)


def test_columns_that_a_constant_does_not_fit_are_told():
    with pytest.warns(UserWarning, match="`age` cannot hold fill_value='x'"):
        Imputer(strategy="constant", fill_value="x").fit(people()[["age", "town"]])
