"""The Discretizer: a step of a pipeline that says where it cut."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from treewright.data.column import NominalColumn
from treewright.data.sources import table_from
from treewright.data.table import Table
from treewright.errors import DataError, ParameterError, UnknownColumnError
from treewright.preprocessing.discretizer import Discretizer

IRIS = load_iris(as_frame=True)
PETAL_WIDTH = "petal width (cm)"

EVERY_STRATEGY = [
    Discretizer(),
    Discretizer(strategy="equal_width"),
    Discretizer(strategy="equal_frequency"),
    Discretizer(strategy="kmeans"),
    Discretizer(strategy="given", cut_points=[0.0, 1.0]),
]


@parametrize_with_checks(EVERY_STRATEGY)
def test_the_discretizer_keeps_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def ages():
    return pd.DataFrame(
        {"age": [15.0, 25.0, 35.0, 45.0, None], "town": ["Ulm", "Bonn", "Ulm", None, "Ulm"]}
    )


def test_mdl_cuts_iris_where_weka_does():
    cutter = Discretizer().fit(IRIS.data, IRIS.target)
    assert cutter.cut_points_[PETAL_WIDTH].tolist() == [0.8, 1.75]
    cut = cutter.transform(IRIS.data)
    assert isinstance(cut, Table)
    assert cut[PETAL_WIDTH].levels == ("(-inf, 0.8]", "(0.8, 1.75]", "(1.75, inf)")
    assert cut[PETAL_WIDTH].ordered


def test_other_columns_and_missing_values_pass():
    cutter = Discretizer(strategy="equal_width", n_bins=3).fit(ages())
    cut = cutter.transform(ages())
    assert list(cutter.cut_points_) == ["age"]
    assert [cut["age"].value(row) for row in range(5)] == [
        "(-inf, 25]",
        "(-inf, 25]",
        "(25, 35]",
        "(35, inf)",
        None,
    ]
    assert cut["town"].levels == ("Ulm", "Bonn")
    assert cut["town"].n_missing == 1


def test_given_cuts_by_name_leave_other_columns_as_they_are():
    cutter = Discretizer(strategy="given", cut_points={PETAL_WIDTH: [1.0]}).fit(IRIS.data)
    cut = cutter.transform(IRIS.data)
    assert cut[PETAL_WIDTH].levels == ("(-inf, 1]", "(1, inf)")
    assert cut["petal length (cm)"].kind == "numeric"


def test_given_cuts_by_position_and_one_list_for_all():
    by_position = Discretizer(strategy="given", cut_points={3: [1.0]}).fit(IRIS.data)
    assert list(by_position.cut_points_) == [PETAL_WIDTH]
    for_all = Discretizer(strategy="given", cut_points=[1.0, 2.0]).fit(IRIS.data)
    assert all(cuts.tolist() == [1.0, 2.0] for cuts in for_all.cut_points_.values())


def test_new_rows_beyond_the_training_range_fall_into_the_outer_intervals():
    cutter = Discretizer(strategy="equal_width", n_bins=2).fit([[0.0], [10.0]])
    codes = np.asarray(cutter.transform([[-99.0], [5.0], [np.inf], [np.nan]]))
    np.testing.assert_array_equal(codes[:, 0], [0, 0, 1, np.nan])


def test_a_row_of_weight_zero_leaves_no_trace():
    X, y = IRIS.data.to_numpy(), IRIS.target.to_numpy()
    weights = np.arange(len(y)) % 3
    weighted = Discretizer().fit(X, y, sample_weight=weights)
    repeated = Discretizer().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for name, cuts in repeated.cut_points_.items():
        assert weighted.cut_points_[name].tolist() == cuts.tolist()


def test_in_a_pipeline_any_estimator_reads_the_interval_numbers():
    pipeline = make_pipeline(Discretizer(), LogisticRegression(max_iter=500))
    assert pipeline.fit(IRIS.data, IRIS.target).score(IRIS.data, IRIS.target) > 0.9


def test_rows_of_the_result_are_still_interval_numbers_as_an_array():
    cut = Discretizer().fit_transform(IRIS.data, IRIS.target)
    first = np.asarray(cut[:2])
    np.testing.assert_array_equal(first, np.asarray(cut)[:2])
    assert first.dtype == np.float64
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(cut))), np.asarray(cut))


def test_set_output_gives_pandas_categories_with_the_index_of_the_input():
    X = IRIS.data.iloc[10:20]
    frame = Discretizer(strategy="kmeans").set_output(transform="pandas").fit_transform(X)
    assert frame.index.equals(X.index)
    assert frame[PETAL_WIDTH].cat.ordered


def test_set_output_gives_polars_enums():
    cutter = Discretizer(strategy="equal_width", n_bins=2).set_output(transform="polars")
    frame = cutter.fit_transform(ages())
    assert frame.schema["age"] == pl.Enum(["(-inf, 30]", "(30, inf)"])
    assert frame["town"].to_list() == ["Ulm", "Bonn", "Ulm", None, "Ulm"]


def test_dates_are_cut_and_labeled_as_dates():
    days = pd.DataFrame({"day": pd.to_datetime(["1969-12-28", "1969-12-31", "2020-01-01"])})
    cut = Discretizer(strategy="equal_frequency", n_bins=3).fit_transform(days)
    column = cut["day"]
    assert isinstance(column, NominalColumn)
    assert column.levels[0].startswith("(-inf, 1969-12-29")
    assert column.codes.tolist() == [0, 1, 2]


def test_labels_take_more_digits_where_two_cuts_would_look_the_same():
    cutter = Discretizer(strategy="given", cut_points=[1.00000001, 1.00000002])
    cut = cutter.fit(table_from([[1.0]])).transform([[1.0]])
    assert len(set(cut.columns[0].levels)) == 3


def test_names_stay_as_they_are():
    cutter = Discretizer().fit(IRIS.data, IRIS.target)
    assert cutter.get_feature_names_out().tolist() == list(IRIS.data.columns)
    with pytest.raises(ValueError, match="number of features"):
        cutter.get_feature_names_out(["a"])


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"strategy": "magic"}, ParameterError, "strategy='magic'"),
        ({"strategy": "kmeans", "n_bins": 1}, ParameterError, "n_bins=1"),
        ({"strategy": "given"}, ParameterError, "needs cut_points="),
        ({"strategy": "kmeans", "cut_points": [1]}, ParameterError, "finds its own cuts"),
        ({"strategy": "given", "cut_points": {"agee": [1]}}, UnknownColumnError, "`age`"),
        ({"strategy": "given", "cut_points": {"town": [1]}}, ParameterError, "`town`"),
        ({"strategy": "given", "cut_points": {"age": [2, 1]}}, ParameterError, "rising"),
        ({}, DataError, "requires y to be passed"),
    ],
)
def test_a_mistake_is_named(settings, error, message):
    with pytest.raises(error, match=message):
        Discretizer(**settings).fit(ages())


def test_text_where_a_number_was_learned_is_named():
    cutter = Discretizer(strategy="equal_width").fit(pd.DataFrame({"age": [1.0, 2.0]}))
    with pytest.raises(DataError, match="`age`"):
        cutter.transform(pd.DataFrame({"age": ["old"]}))
