"""What must be true of clusterings, neighbors, linear models, concepts and model trees."""

import contextlib
import copy
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    parametrize_with_checks,
)

import treewright as tw
from contracts.neighbors import (
    CLUSTERINGS,
    EVERY,
    NUMBERS_ONLY,
    fitted,
    for_every_mixed_model,
    for_every_model,
    for_every_predictor,
    made,
    plain_table,
    predictions,
    table_for,
    target_for,
)
from treewright.persistence.container import HASHED, HEAD, checksum
from treewright.verbs.load import model_bytes, model_from_bytes

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # concepts that fit no conjunction

# The check deals the rows out anew, and starts are drawn in their order.
EXCUSED = {"check_sample_weight_equivalence_on_dense_data": "starts are drawn row by row"}


def excused(estimator):
    return EXCUSED if type(estimator).__name__ in CLUSTERINGS else {}


@parametrize_with_checks([made(name) for name in EVERY], expected_failed_checks=excused)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@for_every_model
def test_column_names_are_kept_as_scikit_learn_does(name):
    check_dataframe_column_names_consistency(name, made(name))


@for_every_model
def test_an_unfitted_model_says_so(name, tmp_path):
    model = made(name)
    for call in (
        lambda: model.predict([[1.0]]),
        lambda: model.summary(),
        lambda: model.explain([1.0]),
        lambda: tw.worksheet(model, [[1.0]], [1.0]),
        lambda: model.save(tmp_path / "model"),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            call()
    assert not list(tmp_path.iterdir())


@for_every_model
def test_P14_a_saved_model_is_the_same_model(name, tmp_path):
    model, frame = fitted(name)
    model.save(tmp_path / "model")
    loaded = tw.load(tmp_path / "model")
    assert type(loaded) is type(model)
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(predictions(loaded, frame), predictions(model, frame))
    np.testing.assert_array_equal(loaded.feature_names_in_, model.feature_names_in_)
    assert loaded.summary() == model.summary()
    assert str(loaded.explain(frame.iloc[0])) == str(model.explain(frame.iloc[0]))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


@for_every_model
def test_P14_a_pickled_or_copied_model_is_the_same_model(name, tmp_path):
    model, frame = fitted(name)
    model.own_note_ = "kept"
    joblib.dump(model, tmp_path / "model.joblib")
    copies = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    for other in (*copies, joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(predictions(other, frame), predictions(model, frame))
        assert model_bytes(other) == model_bytes(model)
        assert other.own_note_ == "kept"


@for_every_model
def test_P14_a_clone_has_the_parameters_and_nothing_else(name):
    model, _ = fitted(name)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "schema_")


@for_every_model
def test_T68_the_same_bytes_and_predictions_for_any_number_of_threads(name):
    X, y = table_for(name, n_rows=2500, seed=1)
    if "n_jobs" not in made(name).get_params():
        pytest.skip("has no threads")
    weights = np.random.default_rng(2).random(len(y))
    models = [made(name, n_jobs=n).fit(X, y, sample_weight=weights) for n in (1, 2, 3)]
    assert len({model_bytes(model) for model in models}) == 1
    assert len({predictions(model, X).tobytes() for model in models}) == 1


@for_every_model
def test_P15_fitting_twice_gives_the_same_bytes_and_changes_no_input(name):
    frame, y = table_for(name)
    before, y_before = frame.copy(), y.copy()
    model = made(name)
    first = model_bytes(model.fit(frame, y))
    assert model_bytes(model.fit(frame, y)) == first
    predictions(model, frame)
    pd.testing.assert_frame_equal(frame, before)
    np.testing.assert_array_equal(y, y_before)


@for_every_model
def test_every_kind_of_table_gives_the_same_model(name):
    frame, y = table_for(name)
    frame = frame.drop(columns="flag", errors="ignore")
    as_objects = frame.astype(object).where(frame.notna(), None)
    expected = model_bytes(made(name).fit(frame, y))
    polars = pl.DataFrame(as_objects.to_dict("list"), strict=False)
    sources = {
        "polars": polars,
        "arrow": polars.to_arrow(),
        "dicts": as_objects.to_dict("records"),
        "table": tw.table_from(frame),
    }
    for kind, source in sources.items():
        assert model_bytes(made(name).fit(source, y)) == expected, kind


@for_every_mixed_model
def test_categories_are_their_names_whatever_their_order(name):
    frame, y = table_for(name)
    frame = frame.astype({"color": "category"})
    model = made(name).fit(frame, y)
    turned = frame.copy()
    turned["color"] = turned["color"].cat.reorder_categories(["red", "blue", "green"])
    np.testing.assert_array_equal(predictions(model, turned), predictions(model, frame))


@for_every_model
def test_T70_predictions_are_the_same_one_by_one_and_all_at_once(name):
    model, frame = fitted(name)
    at_once = predictions(model, frame)
    for row in range(0, len(frame), 13):
        np.testing.assert_array_equal(predictions(model, frame.iloc[[row]])[0], at_once[row])


@for_every_model
def test_predictions_are_the_same_in_any_layout(name):
    frame, score = plain_table()
    X, y = frame.to_numpy().astype(np.float32), target_for(name, score)
    model = made(name).fit(X, y)
    expected = predictions(model, X)
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    for other in (X.astype(float), np.asfortranarray(X), backwards, X.tolist()):
        np.testing.assert_array_equal(predictions(model, other), expected)
        assert model_bytes(made(name).fit(other, y)) == model_bytes(model)


@for_every_predictor
def test_it_works_in_pipelines_and_searches(name):
    frame, y = table_for(name)
    pipeline = make_pipeline(tw.Imputer(), made(name)).fit(frame, y)
    assert len(pipeline.predict(frame)) == len(frame)
    search = GridSearchCV(made(name), {"handle_unknown": ["missing", "error"]}, cv=2).fit(frame, y)
    assert search.best_params_["handle_unknown"] in ("missing", "error")


@for_every_predictor
def test_it_is_judged_compared_reported_and_looked_into(name):
    frame, y = table_for(name)
    found = tw.evaluate(made(name), frame, y, folds=2)
    measure = "accuracy" if y.dtype.kind == "U" else "r2"
    assert np.isfinite(found.mean(measure))
    importance = tw.importance(made(name).fit(frame, y), frame, y, n_repeats=1)
    assert importance.values.shape == (frame.shape[1],)
    page = tw.report(made(name), frame, y, evaluation=found)
    assert "## The model" in page.to_markdown()
    assert page.facts.learned_here


@for_every_predictor
def test_settings_are_tried(name):
    frame, y = table_for(name)
    found = tw.tune(made(name), frame, y, {"handle_unknown": ["missing", "error"]}, folds=2)
    assert found.settings["handle_unknown"] in ("missing", "error")


@for_every_model
def test_a_tree_says_what_it_says(name):
    model, frame = fitted(name)
    small = tw.distil(model, frame, max_leaf_nodes=3)
    assert small.model.get_n_leaves() <= 3
    assert f"with the {name} on" in str(small)


@for_every_model
def test_it_is_displayed_and_summed_up(name):
    model, _ = fitted(name)
    assert name in model.summary().partition("\n")[0]
    assert "<pre>" in model._repr_html_()
    assert name in repr(model)


@for_every_model
def test_pages_are_written_in_every_form(name, tmp_path):
    frame, y = table_for(name)
    model = made(name).fit(frame, y)
    for page in (model.explain(frame.iloc[0]), tw.worksheet(model, frame, y)):
        for kind in ("text", "markdown", "latex", "html"):
            assert len(getattr(page, f"to_{kind}")()) > 40
        assert page.to_text(width=60)
        page.save(tmp_path / "page.html")


@for_every_model
def test_two_rows_are_not_explained_at_once(name):
    model, frame = fitted(name)
    with pytest.raises(tw.DataError, match="explain takes one row, not 2"):
        model.explain(frame.iloc[:2])


@for_every_model
def test_a_failed_fit_leaves_the_fitted_model_as_it_was(name):
    model, frame = fitted(name)
    before = model_bytes(model)
    with pytest.raises(ValueError):
        model.fit(frame, sample_weight=-np.ones(len(frame)), y=np.arange(len(frame)) % 2)
    assert model_bytes(model) == before


@for_every_model
def test_metadata_routing_knows_sample_weight(name):
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        model = made(name).set_fit_request(sample_weight=True)
        request = pickle.loads(pickle.dumps(model)).get_metadata_routing()
        assert request.fit.requests["sample_weight"] is True


@for_every_model
def test_the_tags_tell_what_it_takes(name):
    tags = made(name).__sklearn_tags__().input_tags
    assert not tags.sparse
    takes_words = name not in NUMBERS_ONLY
    assert (tags.allow_nan, tags.categorical, tags.string) == (True, takes_words, takes_words)


@for_every_model
def test_files_cut_short_or_changed_are_refused(name):
    model, frame = fitted(name)
    content = model_bytes(model)
    for end in range(0, len(content), max(1, len(content) // 40)):
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
