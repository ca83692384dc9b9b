"""What an ensemble makes of a table does not depend on the order of its rows."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def frame(n_rows: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    city = rng.choice(["Oslo", "Łódź", "aachen", "10", "9", ""], n_rows)
    many = rng.integers(0, 400, n_rows).astype(str)
    number = rng.standard_normal(n_rows)
    X = pd.DataFrame({"city": city, "many": many, "number": number})
    X.loc[rng.random(n_rows) < 0.1, ["city", "number"]] = None
    y = (number + (city == "Oslo") + 0.3 * rng.standard_normal(n_rows) > 0.3).astype(int)
    return X, y


def shuffled(X, y, seed=1):
    order = np.random.default_rng(seed).permutation(len(X))
    return X.iloc[order].reset_index(drop=True), y[order]


@pytest.mark.parametrize(
    "model",
    [
        tw.RandomForestClassifier(n_estimators=5, bootstrap=False, random_state=0),
        tw.ExtraTreesClassifier(n_estimators=5, bootstrap=False, random_state=0),
        tw.RandomForestRegressor(n_estimators=5, bootstrap=False, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_forest_of_all_rows_is_the_same_to_the_byte(model):
    X, y = frame()
    one = {name: a.copy() for name, a in model.fit(X, y).trees_.arrays().items()}
    schema = model.schema_
    other = model.fit(*shuffled(X, y))
    assert other.schema_ == schema
    assert one.keys() == other.trees_.arrays().keys()
    for name, array in other.trees_.arrays().items():
        np.testing.assert_array_equal(array, one[name], err_msg=name)


def test_boosted_trees_have_the_same_categories_and_bins():
    """Their gradients are rounded by row number, so trees may differ where gains are close."""
    X, y = frame()
    model = tw.BoostedTreesClassifier(
        n_estimators=3, max_features_node=1.0, target_encoding=False, random_state=0
    )
    one = model.fit(X, y)
    schema, arrays, first = one.schema_, one.trees_.arrays(), one.predict_proba(X)
    other = model.fit(*shuffled(X, y))
    assert other.schema_ == schema
    np.testing.assert_array_equal(other.trees_.arrays()["cuts"], arrays["cuts"])
    np.testing.assert_allclose(other.predict_proba(X), first, atol=0.02)


def test_categories_stand_in_the_order_of_their_values():
    X, y = frame()
    for model in (tw.RandomForestClassifier(n_estimators=1), tw.IsolationForest(n_estimators=1)):
        model.fit(X, y)
        assert model.schema_.columns[0].levels == ("", "10", "9", "Oslo", "aachen", "Łódź")
    numbers = pd.DataFrame({"shop": [10, 9, 2, 9], "open": [True, False, True, True]})
    model = tw.RandomForestClassifier(n_estimators=1, categorical_features=["shop"])
    model.fit(numbers, [0, 1, 0, 1])
    assert model.schema_.columns[0].levels == (2, 9, 10)
    assert model.schema_.columns[1].levels == (False, True)


def test_an_order_that_the_table_declares_stays():
    sizes = pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L"], ordered=True)
    model = tw.RandomForestClassifier(n_estimators=1).fit(
        pd.DataFrame({"size": sizes}), [0, 1, 0, 1]
    )
    assert model.schema_.columns[0].levels == ("S", "M", "L")


@pytest.mark.filterwarnings("ignore")
def test_categories_of_a_class_without_weight_are_gone_in_any_order():
    X = pd.DataFrame({"x": ["b", "c", "a", "c"]})
    model = tw.BoostedTreesClassifier(n_estimators=1, class_weight={0: 1, 1: 1, 2: 0})
    assert model.fit(X, [0, 1, 2, 0]).schema_.columns[0].levels == ("b", "c")


def test_a_row_of_the_training_table_finds_its_path_in_a_tree():
    table, y = tw.table_from(frame()[0]), frame()[1]
    model = tw.RandomForestClassifier(n_estimators=1, random_state=0).fit(table, y)
    leaves = model.apply(table)[:, 0]
    assert [model.trees_[0].path_of(table, row)[-1] for row in range(50)] == leaves[:50].tolist()
