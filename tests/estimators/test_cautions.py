"""Fit warns of columns that are of no use."""

import warnings

import numpy as np
import pytest

import treewright as tw


def test_columns_without_a_value_are_named():
    table = {"age": [None, None, None], "size": [1.0, None, 2.0], "color": [None, None, None]}
    with pytest.warns(UserWarning, match="columns `age`, `color` without any value"):
        tw.CARTClassifier(prune=None).fit(table, [0, 1, 0])


def test_a_column_that_names_the_rows_is_named():
    table = {"name": [f"person {row}" for row in range(30)], "age": np.arange(30.0)}
    with pytest.warns(
        UserWarning, match="column `name` with a different value in at least"
    ) as seen:
        tw.C45Classifier().fit(table, [0, 1] * 15)
    assert seen[0].filename == __file__


def test_numbers_taken_for_classes_are_noticed():
    X, y = np.arange(600.0).reshape(-1, 1), np.arange(600) // 2
    with pytest.warns(UserWarning, match="300 classes in 600 rows.*CARTRegressor") as seen:
        tw.CARTClassifier(prune=None, max_depth=1).fit(X, y)
    assert seen[0].filename == __file__


def test_warnings_at_predict_point_to_the_caller():
    model = tw.C45Classifier(laplace=True).fit({"a": [1.0, 2.0]}, [0, 1])
    with pytest.warns(UserWarning, match="valid feature names") as seen:
        model.predict([[1.0]])
    assert seen[0].filename == __file__


def test_the_name_of_the_target_is_not_its_values():
    with pytest.raises(ValueError, match=r"y is the string 'play'(.*\n)*.*split_target\('play'\)"):
        tw.ID3Classifier().fit(tw.load_sample("tennis")[0], "play")


def test_small_tables_of_words_are_left_in_peace():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.ID3Classifier().fit(*tw.load_sample("tiny_variable"))


def test_many_columns_are_not_all_listed():
    X = np.full((4, 9), np.nan)
    X[:, 0] = [1, 2, 3, 4]
    with pytest.warns(UserWarning, match="`x5` and 3 more"):
        tw.CARTRegressor(prune=None).fit(X, [0.0, 1.0, 0.0, 1.0])
