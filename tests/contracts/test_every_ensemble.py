"""What must be true of every forest and of boosted trees."""

import contextlib
import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    parametrize_with_checks,
)

import treewright as tw
from contracts.ensembles import (
    PREDICTORS,
    for_every_ensemble,
    for_every_predictor,
    predictions,
    small,
)
from treewright.persistence.container import HASHED, HEAD, checksum
from treewright.tree.tree import Tree
from treewright.verbs.load import model_bytes, model_from_bytes

WEIGHTS_AS_ROWS = {"check_sample_weight_equivalence_on_dense_data": "rows are drawn"}
FITTED_ON_ROWS = [kind() for kind in PREDICTORS.values()]


def excused(estimator):
    draws = getattr(estimator, "bootstrap", False) or getattr(estimator, "subsample", 1) == "auto"
    return WEIGHTS_AS_ROWS if draws else {}


@parametrize_with_checks(FITTED_ON_ROWS, expected_failed_checks=excused)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@for_every_ensemble
def test_column_names_are_kept_as_scikit_learn_does(kind):
    check_dataframe_column_names_consistency(kind.__name__, kind())


def mixed_table(n_rows: int = 200, seed: int = 0) -> tuple[pd.DataFrame, pd.Series, np.ndarray]:
    """Words with few and many levels, numbers, a boolean and holes; classes and numbers."""
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
    score = score + rng.normal(scale=0.3, size=n_rows)
    y = pd.Series(np.where(score > 2, "high", np.where(score > 1, "mid", "low")))
    frame.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "color"] = None
    return frame, y, score.to_numpy()


def target_for(kind: type, labels: pd.Series, values: np.ndarray):
    return labels.to_numpy() if is_classifier(kind()) else values


def fitted(kind: type, **params: object):
    frame, labels, values = mixed_table()
    return small(kind, **params).fit(frame, target_for(kind, labels, values)), frame


@for_every_ensemble
def test_an_unfitted_model_says_so(kind, tmp_path):
    model = kind()
    for call in (
        lambda: model.predict([[1.0]]),
        lambda: model.apply([[1.0]]),
        lambda: model.summary(),
        lambda: model.save(tmp_path / "model"),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            call()
    assert not list(tmp_path.iterdir())


@for_every_ensemble
def test_P14_a_saved_model_is_the_same_model(kind, tmp_path):
    model, frame = fitted(kind)
    model.save(tmp_path / "model")
    loaded = tw.load(tmp_path / "model")
    assert type(loaded) is kind
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(predictions(loaded, frame), predictions(model, frame))
    np.testing.assert_array_equal(loaded.feature_names_in_, model.feature_names_in_)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    one, other = model.trees_[3], loaded.trees_[3]
    assert one.same_as(other)


@for_every_ensemble
def test_P14_a_pickled_or_copied_model_is_the_same_model(kind, tmp_path):
    model, frame = fitted(kind, n_jobs=2)
    model.own_note_ = "kept"
    joblib.dump(model, tmp_path / "model.joblib")
    copies = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    for other in (*copies, joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(predictions(other, frame), predictions(model, frame))
        assert model_bytes(other) == model_bytes(model)
        assert other.n_jobs == 2
        assert other.own_note_ == "kept"


@for_every_ensemble
def test_P14_a_clone_has_the_parameters_and_nothing_else(kind):
    model, _ = fitted(kind, random_state=3)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "trees_")


def a_table_worth_threads(kind: type, n_rows: int = 6000):
    """Numbers, words with few and many levels, holes; enough rows for several threads."""
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(n_rows, 6)).round(2)
    numbers[rng.random(numbers.shape) < 0.02] = np.nan
    frame = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(6)])
    frame["few"] = pd.Categorical(rng.choice(list("abcde"), n_rows))
    frame["many"] = pd.Categorical([f"level {code}" for code in rng.integers(0, 900, n_rows)])
    score = frame["x0"].fillna(0) + frame["x1"].fillna(0) * frame["x2"].fillna(0)
    score = score + (frame["few"] == "b") + frame["many"].cat.codes % 7 / 4
    return frame, np.digitize(score, [-1, 0, 1]) if is_classifier(kind()) else score.to_numpy()


@for_every_ensemble
def test_T68_the_same_bytes_and_predictions_for_any_number_of_threads(kind):
    X, y = a_table_worth_threads(kind)
    weights = np.random.default_rng(2).random(len(y))
    models = [small(kind, n_jobs=n).fit(X, y, sample_weight=weights) for n in (1, 2, 3, None)]
    assert len({model_bytes(model) for model in models}) == 1
    assert len({predictions(model, X).tobytes() for model in models}) == 1


@for_every_ensemble
def test_P15_fitting_twice_gives_the_same_bytes_and_changes_no_input(kind):
    frame, labels, values = mixed_table()
    y = labels if is_classifier(kind()) else pd.Series(values)
    before = frame.copy(), y.copy()
    model = small(kind)
    first = model_bytes(model.fit(frame, y))
    assert model_bytes(model.fit(frame, y)) == first
    pd.testing.assert_frame_equal(frame, before[0])
    pd.testing.assert_series_equal(y, before[1])


@for_every_ensemble
def test_every_kind_of_table_gives_the_same_trees(kind):
    frame, labels, values = mixed_table()
    frame = frame.drop(columns="flag")
    y = target_for(kind, labels, values)
    as_objects = frame.astype(object).where(frame.notna(), None)
    expected = model_bytes(small(kind).fit(frame, y))
    sources = {
        "polars": pl.DataFrame(as_objects.to_dict("list"), strict=False),
        "dict": as_objects.to_dict("list"),
        "dicts": as_objects.to_dict("records"),
        "table": tw.table_from(frame),
    }
    for name, source in sources.items():
        assert model_bytes(small(kind).fit(source, y)) == expected, name


@for_every_ensemble
def test_T70_predictions_are_the_same_one_by_one_and_all_at_once(kind):
    model, frame = fitted(kind)
    at_once = predictions(model, frame)
    for row in range(0, len(frame), 7):
        np.testing.assert_array_equal(predictions(model, frame.iloc[[row]])[0], at_once[row])


@for_every_ensemble
def test_predictions_are_the_same_for_single_and_double_numbers_in_any_layout(kind):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 5)).astype(np.float32)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) > np.nan_to_num(X[:, 1])
    model = small(kind).fit(X, y.astype(int))
    expected = predictions(model, X)
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    for other in (X.astype(float), np.asfortranarray(X), backwards, X.tolist(), pd.DataFrame(X)):
        np.testing.assert_array_equal(predictions(model, other), expected)
        assert model_bytes(small(kind).fit(other, y.astype(int))) == model_bytes(model)


@pytest.mark.full
@for_every_predictor
def test_it_works_in_cross_validation_and_grid_search(kind):
    frame, labels, values = mixed_table()
    y = target_for(kind, labels, values)
    assert cross_val_score(small(kind, n_estimators=30), frame, y, cv=3).mean() > 0.5
    search = GridSearchCV(small(kind), {"max_depth": [1, 3]}, cv=3, n_jobs=2).fit(frame, y)
    assert search.best_params_["max_depth"] in (1, 3)


@for_every_ensemble
def test_it_is_displayed_and_summed_up(kind):
    model, _ = fitted(kind)
    assert model.summary().startswith(f"{kind.__name__}: {len(model.trees_)} trees, ")
    assert model.summary().partition("\n")[0] in model._repr_html_()
    assert kind.__name__ in repr(model)
    assert "predict" in dir(model)


@for_every_predictor
def test_importances_are_shares(kind):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        _ = kind().feature_importances_
    model, frame = fitted(kind)
    importances = model.feature_importances_
    assert importances.shape == (frame.shape[1],)
    assert (importances >= 0).all()
    assert importances.sum() == pytest.approx(1)


@for_every_ensemble
def test_members_are_ordinary_trees(kind):
    model, _ = fitted(kind)
    n_trees = len(model.trees_)
    assert n_trees == 10 * (3 if kind is tw.BoostedTreesClassifier else 1)
    tree = model.trees_[-1]
    assert isinstance(tree, Tree)
    assert tree.same_as(model.trees_[n_trees - 1])
    with pytest.raises(IndexError):
        model.trees_[n_trees]


@for_every_predictor
def test_a_failed_fit_leaves_the_fitted_model_as_it_was(kind):
    model, frame = fitted(kind)
    before = model_bytes(model)
    with pytest.raises(ValueError):
        model.fit(frame, np.full(len(frame), np.nan))
    assert model_bytes(model) == before


@for_every_ensemble
def test_metadata_routing_knows_sample_weight_and_survives_pickling(kind):
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        model = kind().set_fit_request(sample_weight=True)
        request = pickle.loads(pickle.dumps(model)).get_metadata_routing()
        assert request.fit.requests["sample_weight"] is True


@for_every_ensemble
def test_the_tags_tell_what_it_takes(kind):
    tags = kind().__sklearn_tags__()
    assert tags.input_tags.allow_nan
    assert tags.input_tags.categorical
    assert tags.input_tags.string
    assert not tags.input_tags.sparse


@for_every_ensemble
def test_files_cut_short_or_changed_are_refused(kind):
    model, frame = fitted(kind, n_estimators=2)
    content = model_bytes(model)
    for end in range(0, len(content), max(1, len(content) // 60)):
        with pytest.raises(tw.ModelFileError):
            model_from_bytes(content[:end])
    rng = np.random.default_rng(0)
    for _ in range(60):
        changed = bytearray(content)
        changed[rng.integers(len(changed))] ^= 1 << int(rng.integers(8))
        with pytest.raises(tw.ModelFileError):
            model_from_bytes(bytes(changed))
        changed[HASHED:HEAD] = checksum(bytes(changed[:HASHED]), bytes(changed[HEAD:]))
        with contextlib.suppress(tw.TreewrightError):  # refused, or other columns, or a sound model
            assert len(model_from_bytes(bytes(changed)).predict(frame)) == len(frame)


@for_every_ensemble
def test_what_only_single_trees_have_is_refused_with_a_hint(kind):
    model, frame = fitted(kind, n_estimators=2)
    for name in ("tree_", "path_of", "export_text", "draw", "to_depth", "to_leaves", "simplify"):
        with pytest.raises(AttributeError, match=f"no `{name}`; use"):
            getattr(model, name)
        assert not hasattr(model, name)
    assert model.apply(frame).shape == (len(frame), len(model.trees_))
    assert model.get_depth() == max(tree.depth for tree in model.trees_)
