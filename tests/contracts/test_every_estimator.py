"""What must be true of every tree estimator."""

import copy
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    parametrize_with_checks,
)

import treewright as tw
from treewright import registry
from treewright.single_trees.base import TreeEstimator
from treewright.verbs.load import model_bytes, model_from_bytes

ESTIMATORS = {
    name: kind
    for name in registry.ESTIMATORS
    if issubclass(kind := registry.estimator_type(name), TreeEstimator)
}
QUICK = {  # settings that keep a fit short
    tw.OptimalTreeClassifier: {"max_depth": 2},
    tw.ReadableTreeClassifier: {"distil": False, "max_leaf_nodes": 4},
    tw.ReadableTreeRegressor: {"distil": False, "max_leaf_nodes": 16},
}
VARIANTS = {
    "ID3 by Gini, missing values spread": tw.ID3Classifier(criterion="gini", missing="fractional"),
    "C4.5 with subsets and midpoints": tw.C45Classifier(nominal="subset", midpoint_thresholds=True),
    "C4.5 with Laplace": tw.C45Classifier(laplace=True),
    "C4.5 rules in the notes' form": tw.C45Rules(simple=True, nominal="subset"),
    "C4.5 rules of the pruned tree": tw.C45Rules(prune=True, confidence=0.1),
    "CART by entropy, cut": tw.CARTClassifier(criterion="entropy", cp=0.01),
    "CART, best first": tw.CARTRegressor(max_leaf_nodes=8),
    "CART by absolute error": tw.CARTRegressor(criterion="absolute_error", max_depth=4),
    "Tree by gain ratio": tw.TreeClassifier(criterion="gain_ratio", missing="fractional"),
    "Tree with intervals": tw.TreeClassifier(numeric="intervals", nominal="branches"),
    "Tree with a branch for missing": tw.TreeRegressor(missing="branch", nominal="one_vs_rest"),
    "ID3, pruned": tw.ID3Classifier(prune="pessimistic"),
    "Tree, pruned by bits": tw.TreeClassifier(prune="mdl"),
    "Tree, branches raised": tw.TreeClassifier(prune="error_based"),
    "Tree, pruned by value": tw.TreeRegressor(
        prune="critical_value", prune_options={"value": 0.01}
    ),
}
for_every_estimator = pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=ESTIMATORS)
TREES = {name: kind for name, kind in ESTIMATORS.items() if not kind.predicts_by_rules}
for_every_tree = pytest.mark.parametrize("kind", TREES.values(), ids=TREES)


def made(kind: type, **params: object):
    return kind(**{**QUICK.get(kind, {}), **params})


def test_no_tree_estimator_is_left_out():
    public = [getattr(tw, name) for name in tw.__all__]
    trees = {one for one in public if isinstance(one, type) and issubclass(one, TreeEstimator)}
    imported = {getattr(tw, name) for name in registry.IMPORTED}  # which nobody fits
    assert trees - imported == {*ESTIMATORS.values()}


@parametrize_with_checks(
    [made(kind) for kind in ESTIMATORS.values()], xfail_strict=True
)  # no expected failures
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", VARIANTS.values(), ids=VARIANTS)
def test_scikit_learn_accepts_other_settings_too(estimator):
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(estimator)


@for_every_estimator
def test_column_names_are_kept_as_scikit_learn_does(kind):
    check_dataframe_column_names_consistency(kind.__name__, made(kind))


def mixed_table(n_rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, pd.Series, np.ndarray]:
    """A frame with strings, numbers, a boolean and holes; a class target and a numeric one."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "color": rng.choice(["red", "green", "blue"], n_rows),
            "size": np.round(rng.normal(size=n_rows), 2),
            "count": rng.integers(0, 9, n_rows),
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    score = (frame["color"] == "red") * 2.0 + frame["size"] + 0.3 * frame["count"]
    noise = rng.normal(scale=0.3, size=n_rows)
    y = pd.Series(np.where(score + noise > 2, "high", np.where(score + noise > 1, "mid", "low")))
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "color"] = None
    return frame, y, (score + noise).to_numpy()


def fitted(kind: type, **params: object):
    frame, labels, numbers = mixed_table()
    model = made(kind, **params)
    return model.fit(frame, labels if is_classifier(model) else numbers), frame


@for_every_estimator
def test_an_unfitted_model_says_so(kind, tmp_path):
    model = made(kind)
    calls: list[Callable[[], object]] = [
        lambda: model.predict([[1.0]]),
        lambda: model.apply([[1.0]]),
        lambda: model.path_of([[1.0]]),
        model.get_depth,
        model.get_n_leaves,
        model.export_text,
        lambda: model.feature_importances_,
        lambda: model.save(tmp_path / "model.json"),
    ]
    for call in calls:
        with pytest.raises(NotFittedError, match="not fitted yet"):
            call()
    assert not list(tmp_path.iterdir())


@for_every_estimator
def test_P14_a_saved_model_is_the_same_model(kind, tmp_path):
    model, frame = fitted(kind)
    path = tmp_path / "model.json"
    model.save(path)
    loaded = tw.load(path)
    assert type(loaded) is kind
    assert loaded.get_params() == model.get_params()
    assert loaded.tree_.same_as(model.tree_)
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(loaded.feature_names_in_, model.feature_names_in_)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert loaded.export_text() == model.export_text()


@for_every_estimator
def test_P14_a_pickled_or_copied_model_is_the_same_model(kind):
    model, frame = fitted(kind, n_jobs=2)
    model.own_note_ = "kept"
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(other.predict(frame), model.predict(frame))
        assert model_bytes(other) == model_bytes(model)
        assert other.n_jobs == 2
        assert other.own_note_ == "kept"
    unfitted = pickle.loads(pickle.dumps(kind(max_depth=3)))
    assert unfitted.max_depth == 3
    with pytest.raises(NotFittedError):
        unfitted.get_depth()


@for_every_estimator
def test_a_pickle_holds_the_fitted_state_as_model_text(kind):
    model, _ = fitted(kind)
    state = model.__getstate__()
    assert state["_state_bytes"].startswith(b'{\n"format": "treewright model"')
    assert {*state} == {*model.get_params(), "_state_bytes"}


@for_every_estimator
def test_P14_a_clone_has_the_parameters_and_nothing_else(kind):
    model, _ = fitted(kind, max_depth=3)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "tree_")


@pytest.mark.full
@for_every_estimator
def test_T68_the_same_bytes_for_any_number_of_threads(kind):
    rng = np.random.default_rng(1)
    n_rows = 1000 if kind is tw.ObliqueTreeClassifier else 5000  # enough cells to share, and slow
    X = rng.normal(size=(n_rows, 12)).round(2)
    X[rng.random(X.shape) < 0.02] = np.nan
    score = X[:, 0] + np.nan_to_num(X[:, 3]) * np.nan_to_num(X[:, 5])
    y = np.nan_to_num(score).round(3)
    if is_classifier(made(kind)):
        y = np.digitize(y, [-1, 0, 1])
    contents = {model_bytes(made(kind, n_jobs=n).fit(X, y)) for n in (1, 2, 3, -1, None)}
    assert len(contents) == 1


@for_every_estimator
def test_P15_fitting_twice_gives_the_same_bytes_and_changes_no_input(kind):
    frame, labels, numbers = mixed_table()
    y = labels if is_classifier(made(kind)) else pd.Series(numbers)
    before = frame.copy(), y.copy()
    model = made(kind)
    first = model_bytes(model.fit(frame, y))
    assert model_bytes(model.fit(frame, y)) == first
    pd.testing.assert_frame_equal(frame, before[0])
    pd.testing.assert_series_equal(y, before[1])


@for_every_estimator
def test_every_kind_of_table_gives_the_same_tree(kind):
    frame, labels, numbers = mixed_table()
    frame = frame.drop(columns="flag")
    y = labels.to_numpy() if is_classifier(made(kind)) else numbers
    as_objects = frame.astype(object).where(frame.notna(), None)
    expected = model_bytes(made(kind).fit(frame, y))
    sources = {
        "polars": pl.DataFrame(as_objects.to_dict("list"), strict=False),
        "dict": as_objects.to_dict("list"),
        "dicts": as_objects.to_dict("records"),
        "table": tw.table_from(frame),
    }
    for name, source in sources.items():
        assert model_bytes(made(kind).fit(source, y)) == expected, name


@for_every_estimator
def test_P4_weights_count_as_rows_and_zero_as_none(kind):
    frame, labels, numbers = mixed_table(120, seed=3)
    y = labels.to_numpy() if is_classifier(made(kind)) else numbers
    if kind is not tw.C45Classifier:  # limits count rows elsewhere, those of surrogates too
        known = frame.notna().all(axis=1).to_numpy()
        frame, y = frame[known], y[known]
    weights = np.random.default_rng(5).integers(0, 3, len(frame))
    rows = np.repeat(np.arange(len(frame)), weights)
    weighted = made(kind).fit(frame, y, sample_weight=weights)
    repeated = made(kind).fit(frame.iloc[rows], y[rows])
    np.testing.assert_array_equal(weighted.predict(frame), repeated.predict(frame))
    kept = weights > 0
    left_out = made(kind).fit(frame[kept], y[kept], sample_weight=weights[kept])
    assert left_out.export_text() == weighted.export_text()


@for_every_estimator
def test_T70_predictions_are_the_same_one_by_one_and_all_at_once(kind):
    model, frame = fitted(kind)
    at_once = model.predict(frame)
    one_by_one = [model.predict(frame.iloc[[row]])[0] for row in range(len(frame))]
    np.testing.assert_array_equal(at_once, one_by_one)


@for_every_estimator
def test_it_works_in_cross_validation_pipelines_and_grid_search(kind):
    frame, labels, numbers = mixed_table()
    y = labels if is_classifier(made(kind)) else numbers
    assert cross_val_score(made(kind), frame, y, cv=3).mean() > 0.5
    X, species = tw.load_sample("iris")
    codes = np.unique(species, return_inverse=True)[1]
    folds = KFold(3, shuffle=True, random_state=0)
    assert cross_val_score(made(kind), X, codes, cv=folds).mean() > 0.8
    train, test, y_train, y_test = train_test_split(frame, y, random_state=0)
    assert make_pipeline(made(kind)).fit(train, y_train).score(test, y_test) > 0.2
    search = GridSearchCV(made(kind), {"max_depth": [1, 2]}, cv=3, n_jobs=2).fit(frame, y)
    assert search.best_params_["max_depth"] in (1, 2)


@for_every_estimator
def test_importances_are_shares(kind):
    model, frame = fitted(kind)
    importances = model.feature_importances_
    assert importances.shape == (frame.shape[1],)
    assert (importances >= 0).all()
    assert importances.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "kind", [kind for kind in ESTIMATORS.values() if not kind.predicts_by_rules]
)
def test_apply_and_path_of_lead_to_the_node_that_predicts(kind):
    model, frame = fitted(kind)
    leaves = model.apply(frame)
    assert leaves.shape == (len(frame),)
    for row in (0, 17, len(frame) - 1):
        path = model.path_of(frame, row)
        assert path[0] == 0
        assert path[-1] == leaves[row]


@for_every_estimator
def test_a_failed_fit_leaves_the_fitted_model_as_it_was(kind):
    model, frame = fitted(kind)
    before = model_bytes(model)
    with pytest.raises(ValueError):
        model.fit(frame, np.full(len(frame), np.nan))
    assert model_bytes(model) == before


@for_every_estimator
def test_metadata_routing_knows_sample_weight_and_survives_pickling(kind):
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        model = made(kind).set_fit_request(sample_weight=True)
        request = pickle.loads(pickle.dumps(model)).get_metadata_routing()
        assert request.fit.requests == {"sample_weight": True}


@for_every_estimator
def test_the_tags_tell_what_it_takes(kind):
    tags = made(kind).__sklearn_tags__()
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert not tags.input_tags.sparse


@for_every_estimator
def test_joblib_reads_its_own_dump(kind, tmp_path):
    model, frame = fitted(kind)
    joblib.dump(model, tmp_path / "model.joblib")
    other = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(other.predict(frame), model.predict(frame))


def test_a_model_of_another_process_has_the_same_bytes(tmp_path):
    X, y = load_iris(return_X_y=True)
    path = tmp_path / "model.json"
    code = (
        "import treewright as tw; from sklearn.datasets import load_iris;"
        f"tw.CARTClassifier(prune=None).fit(*load_iris(return_X_y=True)).save({str(path)!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "LC_ALL": "C"})
    assert path.read_bytes() == model_bytes(tw.CARTClassifier(prune=None).fit(X, y))
    assert model_from_bytes(path.read_bytes()).score(X, y) == 1.0
