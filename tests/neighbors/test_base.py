"""What both models of nearest neighbors share: kneighbors, files, fitting anew."""

import pickle

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

import treewright as tw
from treewright.persistence.container import container_bytes, read_container
from treewright.verbs.load import model_bytes, model_from_bytes

X, Y = tw.load_sample("iris")


@pytest.fixture(scope="module")
def model():
    return tw.KNeighborsClassifier(3, scale=None).fit(X, Y)


def test_neighbors_of_new_rows_are_those_of_scikit_learn(model):
    rng = np.random.default_rng(0)
    new = rng.uniform(0, 8, (40, 4))
    theirs = NearestNeighbors(n_neighbors=6).fit(np.asarray(X)).kneighbors(new)
    ours = model.kneighbors(tw.Table.of_matrix(new, X.names), 6)
    np.testing.assert_allclose(ours[0], theirs[0])
    assert (model.kneighbors(tw.Table.of_matrix(new, X.names), return_distance=False)).shape == (
        40,
        3,
    )


def test_training_rows_are_not_their_own_neighbors(model):
    distances, rows = model.kneighbors()
    assert (rows != np.arange(150)[:, np.newaxis]).all()
    theirs = NearestNeighbors(n_neighbors=3).fit(np.asarray(X)).kneighbors()[0]
    np.testing.assert_allclose(distances, theirs)


def test_neighbors_among_many_rows_with_ties_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    rows = rng.random((30_000, 2)).round(2)  # three rows at each place
    new = rng.random((30, 2)).round(3)
    model = tw.KNeighborsClassifier(7, scale=None).fit(rows, rows[:, 0] > 0.5)
    found, places = model.kneighbors(new)
    apart = ((new[:, np.newaxis] - rows) ** 2).sum(axis=2)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :7]
    np.testing.assert_array_equal(places, nearest)
    np.testing.assert_array_equal(found, np.sqrt(np.take_along_axis(apart, nearest, axis=1)))


def test_the_fit_arranges_the_rows_and_predictions_do_not(model):
    assert "search" in vars(model.state_)


def test_more_neighbors_than_there_are_rows_are_refused(model):
    with pytest.raises(tw.ParameterError, match="from 1 to 149"):
        model.kneighbors(n_neighbors=150)


@pytest.mark.parametrize("n_neighbors", [0, 2.5, "3", True])
def test_a_number_of_neighbors_is_a_whole_number_from_one(model, n_neighbors):
    with pytest.raises(tw.ParameterError, match="use an integer of at least 1"):
        model.kneighbors(n_neighbors=n_neighbors)


def test_settings_of_the_prediction_may_change_after_the_fit_but_not_the_distance():
    model = tw.KNeighborsClassifier(1).fit(X, Y)
    fifty = tw.KNeighborsClassifier(50).fit(X, Y)
    model.set_params(n_neighbors=50, metric="gower")
    assert (model.predict_proba(X) == fifty.predict_proba(X)).all()
    model.set_params(n_neighbors=-1)
    with pytest.raises(tw.ParameterError, match="n_neighbors"):
        model.predict(X)


def test_files_and_pickles_predict_as_the_model_does():
    table = tw.table_from({"color": ["red", "blue", None, "red"], "size": [1.0, None, 3.0, 4.0]})
    weights = [1.0, 2.0, 0.0, 1.0]
    for model, y in (
        (tw.KNeighborsClassifier(2, metric="gower"), ["a", "b", "c", "a"]),
        (tw.KNeighborsRegressor(2, weights="distance"), [1.0, 2.0, 3.0, 4.0]),
    ):
        model.fit(table, y, sample_weight=weights)
        for again in (model_from_bytes(model_bytes(model)), pickle.loads(pickle.dumps(model))):
            assert (again.predict(table) == model.predict(table)).all()
            assert model_bytes(again) == model_bytes(model)


def changed(model, change):
    found = read_container(model_bytes(model))
    arrays = {name: array.copy() for name, array in found.arrays.items()}
    change(arrays)
    return container_bytes(found.model, arrays)


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: arrays.update(rows_=arrays["rows_"][:, :1]),
        lambda arrays: arrays.update(rows_=arrays["rows_"][:0], targets_=arrays["targets_"][:0]),
        lambda arrays: arrays.update(targets_=arrays["targets_"][:-1]),
        lambda arrays: arrays.update(targets_=arrays["targets_"] + 1),
        lambda arrays: arrays.update(targets_=arrays["targets_"] - 1),
        lambda arrays: arrays.update(weights_=np.array([1.0, 1.0])),
        lambda arrays: arrays.update(weights_=np.array([1.0, 1.0, -1.0])),
        lambda arrays: arrays.update(weights_=np.array([1.0, 1.0, 0.0])),
        lambda arrays: arrays.update(width_=np.array([1.0, -1.0])),
        lambda arrays: arrays.update(width_=np.array([1.0])),
        lambda arrays: arrays.update(origin_=np.array([0.0])),
        lambda arrays: arrays["origin_"].__setitem__(0, 1.0),
        lambda arrays: arrays["width_"].__setitem__(0, 2.0),
        lambda arrays: arrays["rows_"].__setitem__((0, 0), 2.0),
        lambda arrays: arrays["rows_"].__setitem__((0, 0), -1.0),
        lambda arrays: arrays["rows_"].__setitem__((0, 0), 0.5),
        lambda arrays: arrays["rows_"].__setitem__((0, 1), np.inf),
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused(change):
    table = {"color": ["red", "blue", "red"], "size": [1.0, 2.0, 3.0]}
    model = tw.KNeighborsClassifier(2).fit(table, ["a", "b", "b"])
    with pytest.raises(tw.ModelFileError):
        model_from_bytes(changed(model, change))


def test_the_column_whose_levels_a_scale_would_change_is_named():
    table = {"size": [1.0, 2.0, 3.0], "color": ["red", "blue", "red"]}
    model = tw.KNeighborsRegressor(2).fit(table, [1.0, 2.0, 3.0])
    with pytest.raises(tw.ModelFileError, match=r"`width_` of `color` change codes of categories"):
        model_from_bytes(changed(model, lambda arrays: arrays["width_"].__setitem__(1, 0.0)))


def test_more_neighbors_than_rows_are_saved_as_set_params_took_them():
    model = tw.KNeighborsRegressor(2).fit([[1.0], [2.0]], [1.0, 2.0])
    again = model_from_bytes(model_bytes(model.set_params(n_neighbors=3)))
    with pytest.raises(tw.DataError, match="n_neighbors=3, but there are n_samples=2 rows"):
        again.predict([[1.0]])
    assert again.set_params(n_neighbors=1).predict([[1.0]]).tolist() == [1.0]


def test_a_file_with_holes_for_plain_numbers_is_refused():
    model = tw.KNeighborsClassifier(1, metric="euclidean").fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(tw.ModelFileError, match="Euclidean distance"):
        model_from_bytes(changed(model, lambda arrays: arrays["rows_"].fill(np.nan)))


def test_a_file_with_words_for_plain_numbers_is_refused():
    found = read_container(model_bytes(tw.KNeighborsClassifier(1).fit({"a": ["x", "y"]}, [1, 2])))
    found.model["learned"]["distance_"] = "euclidean"
    with pytest.raises(tw.ModelFileError, match="Euclidean distance"):
        model_from_bytes(container_bytes(found.model, found.arrays))


def test_the_summary_says_what_predicts(model):
    assert model.summary() == (
        "KNeighborsClassifier: the 3 nearest of 150 rows, equal weights; distance heom of 4 columns"
    )
