"""Models that the real libraries fit are imported without a difference."""

import os
import warnings

import numpy as np
import pytest
from sklearn import ensemble, tree

import treewright as tw
from machine import imported as library
from treewright.imports.foreign import UnsupportedError

N_ROWS = 600


def numbers(*, missing=True):
    """Rows with ties, whole numbers, tiny and huge values, and missing ones."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_ROWS, 5))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] = rng.integers(0, 9, N_ROWS)
    X[:, 3] *= 10.0 ** rng.integers(-30, 30, N_ROWS)
    if missing:
        X[rng.random(X.shape) < 0.08] = np.nan
    known = np.nan_to_num(X)
    score = known[:, 0] + known[:, 1] * (known[:, 2] % 3) + (known[:, 3] > 1)
    return X, score + 0.3 * rng.normal(size=N_ROWS)


def target(score, kind):
    if kind == "two":
        return np.where(score > 0.2, "yes", "no")
    if kind == "four":
        return np.digitize(score, [-1.0, 0.2, 1.2])
    return np.abs(score) + 0.1 if kind == "positive" else score


N_RANDOM = int(os.environ.get("IMPORT_ROWS", "2000"))  # see test_files.py


def random_rows(n=N_RANDOM):
    """Rows around those of the training, with missing values."""
    rng = np.random.default_rng(5)
    X, _ = numbers()
    rows = X[rng.integers(0, len(X), n)]
    return np.where(rng.random(rows.shape) < 0.3, rows.astype(np.float32), rows)


def imported(model, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tw.import_model(model, **options)


def reloaded(model, folder):
    model.save(folder / "m.tw")
    return tw.load(folder / "m.tw")


def check_saved(model, rows, folder):
    again = reloaded(model, folder)
    assert np.array_equal(again.predict(rows), model.predict(rows))
    assert again.import_report_ == model.import_report_


# ---------------------------------------------------------------------------- LightGBM

LIGHTGBM = {
    "two classes": ("two", {}),
    "another sigmoid": ("two", {"sigmoid": 2.0}),
    "zero is missing": ("two", {"zero_as_missing": True}),
    "no missing values": ("two", {"use_missing": False}),
    "four classes": ("four", {}),
    "one against all": ("four", {"objective": "multiclassova"}),
    "categories": ("two", {"categorical_feature": [2], "cat_smooth": 0, "min_data_per_group": 2}),
    "numbers": ("number", {}),
    "poisson": ("positive", {"objective": "poisson"}),
    "square root": ("number", {"reg_sqrt": True}),
    "dart": ("number", {"boosting": "dart"}),
    "forest": ("two", {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5}),
    "many thresholds": ("number", {"max_bin": 600, "min_data_in_leaf": 1, "num_leaves": 200}),
}


@pytest.mark.parametrize("name", LIGHTGBM)
def test_lightgbm(name, tmp_path):
    lightgbm = library("lightgbm")
    kind, settings = LIGHTGBM[name]
    X, score = numbers()
    common = {"verbosity": -1, "n_jobs": 1, "n_estimators": 8}
    is_class = kind in ("two", "four")
    made = lightgbm.LGBMClassifier if is_class else lightgbm.LGBMRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = made(**common | settings).fit(X, target(score, kind))
    found = imported(model)
    assert found.import_report_.status == "verified"
    assert found.import_report_.largest_difference == 0.0
    rows = random_rows()
    raw = model.booster_.predict(rows, raw_score=True).reshape(len(rows), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = found.raw_scores(rows)
        assert np.array_equal(ours, raw / found.state_.divisor)
        if is_class:
            np.testing.assert_allclose(found.predict_proba(rows), model.predict_proba(rows), 1e-12)
            assert (found.predict(rows) == model.predict(rows)).all()
        else:
            np.testing.assert_allclose(found.predict(rows), model.predict(rows), 1e-12)
        check_saved(found, rows, tmp_path)
    text = imported(model.booster_.model_to_string().encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(text.raw_scores(rows), ours)


def test_lightgbm_categories_of_pandas():
    lightgbm = library("lightgbm")
    pandas = library("pandas")
    X, score = numbers()
    words = np.array(["low", "mid", "high"])[np.digitize(np.nan_to_num(X[:, 0]), [-0.5, 0.5])]
    frame = pandas.DataFrame({"a": X[:, 1], "size": pandas.Categorical(words)})
    frame.loc[::9, "size"] = None
    model = lightgbm.LGBMRegressor(
        n_estimators=5, min_data_per_group=2, cat_smooth=0, verbosity=-1, n_jobs=1
    ).fit(frame, score)
    found = imported(model)
    assert found.schema_.columns[1].levels == ("high", "low", "mid")
    assert np.array_equal(found.predict(frame), model.predict(frame))


def test_lightgbm_linear_leaves_are_refused():
    lightgbm = library("lightgbm")
    X, score = numbers(missing=False)
    model = lightgbm.LGBMRegressor(linear_tree=True, n_estimators=2, verbosity=-1, n_jobs=1)
    with pytest.raises(UnsupportedError, match="linear leaves"):
        tw.import_model(model.fit(X, score))


# ---------------------------------------------------------------------------- XGBoost

XGBOOST = {
    "two classes": ("two", {}),
    "another base score": ("two", {"base_score": 0.3}),
    "four classes": ("four", {}),
    "parallel trees": ("four", {"num_parallel_tree": 2, "subsample": 0.5}),
    "hinge": ("two", {"objective": "binary:hinge"}),
    "numbers": ("number", {}),
    "exact thresholds": ("number", {"tree_method": "exact"}),
    "gamma": ("positive", {"objective": "reg:gamma"}),
    "poisson": ("positive", {"objective": "count:poisson"}),
    "absolute error": ("number", {"objective": "reg:absoluteerror"}),
    "dart": ("number", {"booster": "dart", "rate_drop": 0.3}),
}


@pytest.mark.parametrize("name", XGBOOST)
def test_xgboost(name, tmp_path):
    xgboost = library("xgboost")
    kind, settings = XGBOOST[name]
    X, score = numbers()
    is_class = kind in ("two", "four")
    y = np.unique(target(score, kind), return_inverse=True)[1] if is_class else target(score, kind)
    made = xgboost.XGBClassifier if is_class else xgboost.XGBRegressor
    model = made(n_jobs=1, n_estimators=8, **settings).fit(X, y)
    found = imported(model)
    assert found.import_report_.status == "verified"
    rows = random_rows()
    booster = model.get_booster()
    margins = booster.predict(xgboost.DMatrix(rows), output_margin=True)
    assert np.array_equal(found.raw_scores(rows), margins.reshape(len(rows), -1))
    if is_class:
        theirs, ours = model.predict_proba(rows), found.predict_proba(rows)
        if kind == "two":  # the other one is the rest
            theirs, ours = theirs[:, 1], ours[:, 1]
        two_steps = 2 * np.spacing(np.maximum(theirs, np.float32(1e-30)))
        assert (np.abs(ours - theirs) <= two_steps).all()
        assert np.array_equal(found.predict(rows), model.predict(rows))
    check_saved(found, rows, tmp_path)
    for form in ("json", "ubj"):
        again = imported(bytes(booster.save_raw(form)), verify=False)
        assert np.array_equal(again.raw_scores(rows), found.raw_scores(rows))


def test_xgboost_categories():
    xgboost = library("xgboost")
    pandas = library("pandas")
    X, score = numbers()
    words = np.array(["low", "mid", "high", "top"])[
        np.digitize(np.nan_to_num(X[:, 0]), [-0.5, 0.3, 0.6])
    ]
    frame = pandas.DataFrame({"a": X[:, 1], "size": pandas.Categorical(words)})
    frame.loc[::9, "size"] = None
    model = xgboost.XGBRegressor(
        n_estimators=5, enable_categorical=True, max_cat_to_onehot=2, n_jobs=1
    ).fit(frame, score)
    found = imported(model)
    assert np.array_equal(found.predict(frame), model.predict(frame))
    unknown = pandas.DataFrame({"a": [0.0], "size": ["never seen"]})
    with pytest.raises(tw.DataError, match="never seen"):
        found.predict(unknown)


# ---------------------------------------------------------------------------- CatBoost

CATBOOST = {
    "two classes": ("two", {}),
    "four classes": ("four", {}),
    "one against all": ("four", {"loss_function": "MultiClassOneVsAll"}),
    "free trees": ("four", {"grow_policy": "Lossguide"}),
    "numbers": ("number", {}),
    "missing is large": ("number", {"nan_mode": "Max"}),
    "level by level": ("number", {"grow_policy": "Depthwise", "l2_leaf_reg": 1}),
    "poisson": ("positive", {"loss_function": "Poisson"}),
    "median": ("number", {"loss_function": "MAE"}),
    "weights": ("two", {"auto_class_weights": "Balanced"}),
}


@pytest.mark.parametrize("name", CATBOOST)
def test_catboost(name, tmp_path):
    catboost = library("catboost")
    kind, settings = CATBOOST[name]
    X, score = numbers()
    is_class = kind in ("two", "four")
    made = catboost.CatBoostClassifier if is_class else catboost.CatBoostRegressor
    common = {"iterations": 8, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    model = made(**common, **settings).fit(X, target(score, kind))
    found = imported(model, X=X)
    assert found.import_report_.status == "verified"
    rows = random_rows()
    if is_class:
        ours, theirs = found.predict_proba(rows), model.predict_proba(rows)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
        assert (found.predict(rows) == model.predict(rows).ravel()).all()
    else:
        np.testing.assert_allclose(found.predict(rows), model.predict(rows), rtol=1e-12)
    check_saved(found, rows, tmp_path)
    model.save_model(str(tmp_path / "m.json"), format="json")
    again = imported(tmp_path / "m.json", verify=False)
    assert np.array_equal(again.raw_scores(rows), found.raw_scores(rows))


def rows_of_categories():
    """Texts of all lengths, whole numbers, and numbers that may be missing."""
    rng = np.random.default_rng(8)
    words = np.array(["", "Ulm", "São Paulo", "é" * 12, "y" * 40, "z" * 70 + "é"])
    a = np.where(rng.random(N_ROWS) < 0.1, np.nan, rng.normal(size=N_ROWS))
    town, floor = words[rng.integers(0, 6, N_ROWS)], rng.integers(-1, 4, N_ROWS)
    score = np.nan_to_num(a) + (town == "Ulm") - (town == words[4]) + (floor == 2)
    return {"a": a, "town": town, "floor": floor}, score


@pytest.mark.parametrize("policy", ["SymmetricTree", "Lossguide"])
@pytest.mark.parametrize("kind", ["two", "four", "number"])
def test_catboost_categories_one_by_one(kind, policy, tmp_path):
    catboost = library("catboost")
    pandas = library("pandas")
    columns, score = rows_of_categories()
    frame = pandas.DataFrame(columns)
    is_class = kind in ("two", "four")
    made = catboost.CatBoostClassifier if is_class else catboost.CatBoostRegressor
    model = made(
        iterations=8,
        one_hot_max_size=10,
        cat_features=["town", "floor"],
        grow_policy=policy,
        verbose=0,
        thread_count=1,
        allow_writing_files=False,
    ).fit(frame, target(score, kind))
    rows = frame.iloc[np.random.default_rng(1).integers(0, N_ROWS, N_RANDOM)].copy()
    rows.loc[rows.index[::7], "town"] = "never seen"
    table = tw.table_from(columns, categorical_features=["town", "floor"])
    model.save_model(str(tmp_path / "m.json"), format="json")
    for source in (model, tmp_path / "m.json"):
        found = imported(source, X=table)
        assert found.import_report_.status == "verified"
        assert "unknown categories" in found.import_report_.checked[0]
        given = tw.table_from(rows, categorical_features=["town", "floor"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if is_class:
                np.testing.assert_allclose(
                    found.predict_proba(given), model.predict_proba(rows), rtol=1e-12
                )
            else:
                np.testing.assert_allclose(found.predict(given), model.predict(rows), rtol=1e-12)
            check_saved(found, given, tmp_path)
    with pytest.raises(UnsupportedError, match="hashes of the categories of column `town`"):
        tw.import_model(tmp_path / "m.json")
    with pytest.raises(UnsupportedError, match="lacks a category of column `town`"):
        tw.import_model(
            tmp_path / "m.json", X=tw.table_from({"a": [0.5], "town": ["Rome"], "floor": [0]})
        )


def test_catboost_statistics_of_categories_are_refused():
    catboost = library("catboost")
    columns, score = rows_of_categories()
    rows = np.array([columns["town"], columns["floor"]], dtype=object).T
    model = catboost.CatBoostClassifier(
        iterations=2, verbose=0, cat_features=[0, 1], one_hot_max_size=1, allow_writing_files=False
    ).fit(rows, score > 0.2)
    with pytest.raises(UnsupportedError, match="CTR"):
        tw.import_model(model)


# ---------------------------------------------------------------------------- scikit-learn

SKLEARN = {
    "tree": (tree.DecisionTreeClassifier(criterion="entropy"), "four"),
    "small tree": (tree.DecisionTreeClassifier(max_depth=3), "two"),
    "extra tree": (tree.ExtraTreeClassifier(max_depth=6, random_state=0), "four"),
    "regression tree": (tree.DecisionTreeRegressor(max_depth=6), "number"),
    "absolute error": (
        tree.DecisionTreeRegressor(max_depth=3, criterion="absolute_error"),
        "number",
    ),
    "forest": (ensemble.RandomForestClassifier(8, random_state=0), "four"),
    "small forest": (ensemble.RandomForestClassifier(8, max_depth=4, random_state=0), "two"),
    "regression forest": (ensemble.RandomForestRegressor(8, max_depth=5, random_state=0), "number"),
    "extra trees": (ensemble.ExtraTreesClassifier(8, max_depth=5, random_state=0), "four"),
    "histogram": (ensemble.HistGradientBoostingClassifier(max_iter=6), "two"),
    "histogram of four": (ensemble.HistGradientBoostingClassifier(max_iter=6), "four"),
    "histogram of numbers": (
        ensemble.HistGradientBoostingRegressor(max_iter=6, loss="poisson"),
        "positive",
    ),
    "boosting": (ensemble.GradientBoostingClassifier(n_estimators=8), "two"),
    "boosting of four": (ensemble.GradientBoostingClassifier(n_estimators=4), "four"),
    "exponential": (
        ensemble.GradientBoostingClassifier(n_estimators=8, loss="exponential"),
        "two",
    ),
    "boosting of numbers": (
        ensemble.GradientBoostingRegressor(n_estimators=8, loss="huber"),
        "number",
    ),
    "AdaBoost": (ensemble.AdaBoostClassifier(n_estimators=6), "two"),
    "AdaBoost of four": (
        ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=2), n_estimators=6),
        "four",
    ),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SKLEARN)
def test_scikit_learn(name, weighted, tmp_path):
    model, kind = SKLEARN[name]
    takes_missing = not type(model).__name__.startswith(("Gradient", "AdaBoost"))
    X, score = numbers(missing=takes_missing)
    X[:, 3] = np.clip(X[:, 3], -1e30, 1e30)  # they are rounded to float32
    y = target(score, kind)
    weights = np.random.default_rng(0).random(N_ROWS) if weighted else None
    model = model.fit(X, y, sample_weight=weights)
    found = imported(model, X=X)
    assert found.import_report_.status == "verified"
    rows = random_rows() if takes_missing else np.nan_to_num(random_rows())
    if kind in ("two", "four"):
        np.testing.assert_allclose(
            found.predict_proba(rows), model.predict_proba(rows), rtol=1e-12, atol=1e-15
        )
        assert (found.predict(rows) == model.predict(rows)).all()
    else:
        np.testing.assert_allclose(found.predict(rows), model.predict(rows), rtol=1e-12)
    check_saved(found, rows, tmp_path)


@pytest.mark.parametrize("kind", ["two", "four", "number"])
def test_scikit_learn_categories(kind, tmp_path):
    X, score = numbers()
    is_class = kind in ("two", "four")
    made = (
        ensemble.HistGradientBoostingClassifier
        if is_class
        else ensemble.HistGradientBoostingRegressor
    )
    score = score + 2 * np.isin(X[:, 2], (2, 5, 7))
    model = made(max_iter=6, categorical_features=[2], min_samples_leaf=3)
    model.fit(X, target(score, kind))
    found = imported(model, X=X)
    assert "unknown categories" in found.import_report_.checked[0]
    assert found.schema_.columns[2].levels == tuple(range(9))
    rows = random_rows()
    rows[::5, 2] = 77.0  # a category that was not seen
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (found.predict(rows) == model.predict(rows)).all()
        check_saved(found, rows, tmp_path)


def test_scikit_learn_categories_of_pandas():
    pandas = library("pandas")
    X, score = numbers()
    words = np.array(["low", "mid", "high"])[np.digitize(np.nan_to_num(X[:, 0]), [-0.5, 0.5])]
    frame = pandas.DataFrame({"a": X[:, 1], "size": pandas.Categorical(words), "c": X[:, 2]})
    frame.loc[::9, "size"] = None
    model = ensemble.HistGradientBoostingRegressor(max_iter=5).fit(frame, score)
    found = imported(model, X=frame)
    assert found.schema_.columns[1].levels == ("high", "low", "mid")
    assert np.array_equal(found.predict(frame), model.predict(frame))


def test_a_median_of_trees_is_refused():
    X, score = numbers(missing=False)
    X[:, 3] = 0.0
    with pytest.raises(UnsupportedError, match="median"):
        tw.import_model(ensemble.AdaBoostRegressor(n_estimators=3).fit(X, score))


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(UnsupportedError, match="not fitted"):
        tw.import_model(tree.DecisionTreeClassifier())
    with pytest.raises(tw.ParameterError, match="can be imported"):
        tw.import_model(object())
    of_ydf = type("IsolationForestModel", (), {"__module__": "ydf.model.model"})
    with pytest.raises(UnsupportedError, match="of YDF is not imported"):
        tw.import_model(of_ydf())
