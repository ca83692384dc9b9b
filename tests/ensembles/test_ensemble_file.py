"""The file of an ensemble holds the whole estimator, and only what it may hold."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import treewright as tw
from fitted_states import with_learned
from treewright.errors import ModelFileError
from treewright.persistence.container import container_bytes, read_container
from treewright.verbs.load import model_bytes, model_from_bytes

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # some levels are unseen
NUMBERS = np.random.default_rng(0)
SIZE = NUMBERS.normal(size=300)
X = {
    "size": np.where(NUMBERS.random(300) < 0.1, np.nan, SIZE),
    "color": NUMBERS.choice(["red", "blue", "green", None], 300),
    "code": [f"c{number}" for number in NUMBERS.integers(0, 40, 300)],
}
Y = np.where((SIZE > 0) ^ (X["color"] == "red"), "yes", "no")
THREE = np.where(SIZE > 1, "high", Y)
NEW = {"size": [0.5, np.nan, -3.0], "color": ["red", None, "pink"], "code": ["c1", "c2", "new"]}

MODELS = {
    "forest": tw.RandomForestClassifier(n_estimators=5).fit(X, THREE),
    "hard forest": tw.RandomForestClassifier(n_estimators=4, voting="hard").fit(X, Y),
    "forest of numbers": tw.RandomForestRegressor(n_estimators=5).fit(X, SIZE**2),
    "forest with out-of-bag": tw.RandomForestClassifier(n_estimators=9, oob_score=True).fit(X, Y),
    "random cuts": tw.ExtraTreesClassifier(n_estimators=4).fit(X, THREE),
    "ID3 and C4.5": tw.RandomForestClassifier(
        n_estimators=4, inductors=[tw.ID3Classifier(max_depth=3), "c45"]
    ).fit(X, THREE),
    "exact splits": tw.RandomForestClassifier(n_estimators=3, splits="exact").fit(X, THREE),
    "exact numbers": tw.RandomForestRegressor(n_estimators=3, splits="exact").fit(X, SIZE**2),
    "boosted": tw.BoostedTreesClassifier(n_estimators=5).fit(X, Y),
    "boosted for three": tw.BoostedTreesClassifier(n_estimators=4).fit(X, THREE),
    "forest that keeps targets": tw.RandomForestRegressor(n_estimators=3, keep_targets=True).fit(
        X, SIZE**2
    ),
    "boosted numbers": tw.BoostedTreesRegressor(n_estimators=5).fit(X, SIZE**2),
}
for_every_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def predictions(model, table=NEW):
    proba = model.predict_proba(table) if hasattr(model, "predict_proba") else 0
    return model.predict(table), proba


def assert_predictions_alike(one, other):
    for left, right in zip(predictions(one), predictions(other), strict=True):
        np.testing.assert_array_equal(left, right)


@for_every_model
def test_a_saved_model_predicts_as_before(model, tmp_path):
    path = tmp_path / "model.tw"
    model.save(path)
    loaded = tw.load(path)
    assert type(loaded) is type(model)
    assert str(loaded.get_params(deep=False)) == str(model.get_params(deep=False))
    assert_predictions_alike(loaded, model)
    assert [str(tree) for tree in loaded.trees_] == [str(tree) for tree in model.trees_]
    np.testing.assert_array_equal(loaded.feature_importances_, model.feature_importances_)


@for_every_model
def test_load_and_save_gives_the_same_bytes(model):
    content = model_bytes(model)
    assert model_bytes(model_from_bytes(content)) == content


@for_every_model
def test_a_pickled_model_predicts_as_before(model):
    again = pickle.loads(pickle.dumps(model))
    assert_predictions_alike(again, model)
    assert model_bytes(again) == model_bytes(model)


@for_every_model
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_the_number_of_threads_changes_no_byte(model, n_jobs):
    y = SIZE**2 if not hasattr(model, "classes_") else THREE if len(model.classes_) == 3 else Y
    again = clone(model).set_params(n_jobs=n_jobs).fit(X, y)
    assert model_bytes(again) == model_bytes(model)


def test_a_forest_of_outliers_comes_back():
    model = tw.IsolationForest(n_estimators=5).fit(X)
    for again in (model_from_bytes(model_bytes(model)), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.score_samples(NEW), model.score_samples(NEW))
        np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))


def own_loss(y, scores):
    return scores - y, np.ones_like(y)


def test_a_loss_of_ones_own_is_kept_by_name_only():
    model = tw.BoostedTreesRegressor(loss=own_loss, n_estimators=2).fit(X, SIZE)
    loaded = model_from_bytes(model_bytes(model))
    assert_predictions_alike(loaded, model)
    with pytest.raises(tw.ParameterError, match="own_loss"):
        loaded.fit(X, SIZE)


class OwnLink:
    """Squared error of logarithms."""

    def gradients(self, y, scores):
        return scores - np.log(y), np.ones_like(y)

    def predictions(self, scores):
        return np.exp(scores)


def test_a_link_of_ones_own_is_asked_for_by_name():
    model = tw.BoostedTreesRegressor(loss=OwnLink(), n_estimators=2).fit(X, SIZE**2 + 1)
    loaded = model_from_bytes(model_bytes(model))
    with pytest.raises(tw.ParameterError, match="OwnLink") as refused:
        loaded.predict(NEW)
    assert "`loss`" in refused.value.hint
    loaded.set_params(loss=OwnLink())
    np.testing.assert_array_equal(loaded.predict(NEW), model.predict(NEW))


def test_a_link_of_ones_own_has_a_score_for_each_class():
    model = tw.BoostedTreesRegressor(loss=OwnLink(), n_estimators=2).fit(X, SIZE**2 + 1)
    held = read_container(model_bytes(model))
    arrays = {**held.arrays, "learned.start_": np.zeros(2)}
    with pytest.raises(ModelFileError, match="2 scores with the link `own` fit no such model"):
        model_from_bytes(container_bytes(held.model, arrays))


def test_groups_may_be_sets():
    model = tw.BoostedTreesClassifier(n_estimators=2, interaction_cst=[{"size", "color"}]).fit(X, Y)
    loaded = model_from_bytes(model_bytes(model))
    assert loaded.interaction_cst == [["color", "size"]]
    assert_predictions_alike(loaded, model)


@pytest.mark.parametrize("name", ["validation_losses_", "oob_score_"])
@pytest.mark.parametrize("odd", [np.inf, np.nan])
def test_losses_beyond_all_numbers_are_kept(name, odd):
    model = tw.RandomForestRegressor(n_estimators=2, oob_score=True).fit(X, SIZE)
    model = with_learned(model, oob_score_=odd)
    if name == "validation_losses_":
        model = tw.BoostedTreesRegressor(n_estimators=2, validation_fraction=0.2).fit(X, SIZE)
        model = with_learned(model, validation_losses_=np.array([1.0, odd]))
    for again in (model_from_bytes(model_bytes(model)), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))


def test_what_no_file_may_hold_is_not_saved():
    model = tw.BoostedTreesRegressor(n_estimators=2).fit(X, SIZE)
    model = with_learned(model, start_=np.array([np.inf]))
    with pytest.raises(ModelFileError, match="start_"):
        model_bytes(model)


def test_an_unfitted_model_is_pickled_by_its_parameters():
    again = pickle.loads(pickle.dumps(tw.RandomForestClassifier(n_estimators=7)))
    assert again.n_estimators == 7
    assert not again.__sklearn_is_fitted__()


def test_an_unfitted_model_has_no_file(tmp_path):
    with pytest.raises(Exception, match="not fitted"):
        tw.BoostedTreesRegressor().save(tmp_path / "model.tw")


class Own(tw.RandomForestRegressor):
    """A user's subclass."""


def test_a_subclass_of_the_users_cannot_be_saved_but_pickled():
    model = Own(n_estimators=2).fit(X, SIZE)
    with pytest.raises(ModelFileError, match=r"cannot hold a .*Own"):
        model_bytes(model)
    assert_predictions_alike(pickle.loads(pickle.dumps(model)), model)


@pytest.mark.parametrize(
    "labels", [Y, Y == "yes", (Y == "yes").astype(np.int8), np.where(Y, 2, 1.5)]
)
def test_classes_come_back_in_their_type(labels):
    model = tw.RandomForestClassifier(n_estimators=2).fit(X, labels)
    loaded = model_from_bytes(model_bytes(model))
    assert loaded.classes_.dtype == model.classes_.dtype


def test_the_name_of_the_target_is_kept():
    model = tw.RandomForestClassifier(n_estimators=2).fit(X, Y)
    model.name_target("answer")
    assert model_from_bytes(model_bytes(model)).target_name_ == "answer"


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "model.tw"
    path.write_bytes(model_bytes(MODELS["forest"])[:-64])
    with pytest.raises(ModelFileError, match=r"model\.tw: the content does not fit its checksum"):
        tw.load(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"estimator": "Popen"}, "not known"),
        ({"estimator": ["RandomForestClassifier"]}, "not known"),
        ({"estimator": "RandomForestRegressor", "params": {}}, "different things"),
        ({"estimator": "BoostedTreesClassifier", "params": {}}, "not known|different things"),
        ({"params": {"evil": 1}}, "no parameter `evil`"),
        ({"params": {"n_estimators": -1}}, "n_estimators=-1"),
        ({"params": {"inductors": [{"estimator": ["os.system", {}]}]}}, "not known|no parameter"),
        ({"notes": "x"}, "notes"),
        ({"target": 1}, "target"),
        ({"classes": ["a", "a", "b"]}, "class"),
        ({"classes": ["a", "b"]}, "n_values"),
        ({"classes": None}, "class_type"),
        ({"class_type": "int64"}, "type int64"),
        ({"learned": {}}, "is missing"),
        ({"learned": []}, "not an object"),
        ({"trees": None}, "trees"),
        ({"extra": 1}, "extra"),
    ],
)
def test_what_no_model_would_write_is_refused(changes, words):
    held = read_container(model_bytes(MODELS["forest"]))
    with pytest.raises(ModelFileError, match=words):
        model_from_bytes(container_bytes({**held.model, **changes}, held.arrays))


@pytest.mark.parametrize(
    ("name", "other"),
    [("forest of numbers", "RandomForestClassifier"), ("boosted", "BoostedTreesRegressor")],
)
def test_a_model_of_numbers_is_none_of_classes(name, other):
    held = read_container(model_bytes(MODELS[name]))
    changed = {**held.model, "estimator": other, "params": {}}
    with pytest.raises(ModelFileError, match="predict different things"):
        model_from_bytes(container_bytes(changed, held.arrays))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed_": "x"}, "` is not "),
        ({"seed_": [1]}, "` is not "),
        ({"drawing_": ["x"]}, "` is not "),
        ({"oob_score_": "high"}, "` is not "),
        ({"rows_hash_": "x" * 32}, "` is not "),
        ({"n_drawn_": 2**60}, "cannot be drawn"),
        ({"n_drawn_": 0}, "cannot be drawn"),
        ({"__class__": 1}, "not known"),
    ],
)
def test_only_what_a_fit_learns_is_taken_on(changes, words):
    held = read_container(model_bytes(MODELS["forest"]))
    learned = {**held.model["learned"], **changes}
    with pytest.raises(ModelFileError, match=words):
        model_from_bytes(container_bytes({**held.model, "learned": learned}, held.arrays))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"form": "pickled"}, "form|trees"),
        ({"n_values": 1}, "n_values"),
        ({"n_values": 3.0}, "n_values"),
        ({"values_are_sums": False}, "values_are_sums"),
        ({"unseen": "ignore"}, "unseen"),
        ({"have_classes": False}, "n_values"),
        ({"have_classes": 1}, "have_classes"),
    ],
)
def test_what_is_said_of_the_trees_must_fit(changes, words):
    held = read_container(model_bytes(MODELS["forest"]))
    trees = {**held.model["trees"], **changes}
    with pytest.raises(ModelFileError, match=words):
        model_from_bytes(container_bytes({**held.model, "trees": trees}, held.arrays))


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("boosted", {"link_": "softmax"}, "fit no such model"),
        ("boosted for three", {"link_": "logistic"}, "fit no such model"),
        ("boosted numbers", {"link_": "logistic"}, "fit no such model"),
        ("boosted", {"learning_rate_": -1.0}, "above 0"),
        ("boosted", {"link_": None}, "link_"),
    ],
)
def test_scores_links_and_classes_must_fit(name, changes, words):
    held = read_container(model_bytes(MODELS[name]))
    learned = {**held.model["learned"], **changes}
    with pytest.raises(ModelFileError, match=words):
        model_from_bytes(container_bytes({**held.model, "learned": learned}, held.arrays))


@pytest.mark.parametrize("name", ["link_", "learning_rate_", "rows_hash_", "n_rows_"])
def test_what_every_fit_learns_is_not_missing(name):
    held = read_container(model_bytes(MODELS["boosted"]))
    learned = {other: value for other, value in held.model["learned"].items() if other != name}
    with pytest.raises(ModelFileError, match=f"`{name}` is missing"):
        model_from_bytes(container_bytes({**held.model, "learned": learned}, held.arrays))


def with_value(name, leaf, value):
    """The file of a model with another value in one leaf (or node, if its trees are not packed)."""
    held = read_container(model_bytes(MODELS[name]))
    values = held.arrays["trees.value"].copy()
    values.reshape(-1)[leaf] = value
    return container_bytes(held.model, {**held.arrays, "trees.value": values})


@pytest.mark.parametrize("name", ["forest of numbers", "boosted", "boosted numbers"])
@pytest.mark.parametrize("value", [1e308, -1e308])
def test_values_whose_sums_over_the_trees_are_infinite_are_refused(name, value):
    with pytest.raises(ModelFileError, match="tree 0: leaf 2: value: so large that sums"):
        model_from_bytes(with_value(name, 2, value))
    assert_all_finite(model_from_bytes(with_value(name, 2, value / 1e6)))


def test_values_of_trees_that_are_not_packed_are_looked_at_as_well():
    name = "exact numbers"
    with pytest.raises(ModelFileError, match="tree 0: node 2: value: so large that sums"):
        model_from_bytes(with_value(name, 2, 1e308))
    assert_all_finite(model_from_bytes(with_value(name, 2, 1e302)))


def assert_all_finite(model):
    predictions = model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)
    assert np.isfinite(predictions).all()
    assert all(np.isfinite(tree.value).all() for tree in model.trees_)


def test_isolation_trees_have_no_fewer_splits_than_none():
    held = read_container(model_bytes(tw.IsolationForest(n_estimators=3).fit(SIZE[:, None])))
    values = held.arrays["trees.value"].copy()
    values[1] = -5e-324
    with pytest.raises(ModelFileError, match="tree 0: node 1: value: a number of splits below 0"):
        model_from_bytes(container_bytes(held.model, {**held.arrays, "trees.value": values}))


def test_means_of_nodes_are_finite_where_values_times_weights_are_not():
    held = read_container(model_bytes(MODELS["forest of numbers"]))
    values, weights = held.arrays["trees.value"], held.arrays["trees.weight"]
    arrays = {
        **held.arrays,
        "trees.value": np.full_like(values, 1e301),
        "trees.weight": weights * 1e100,
    }
    model = model_from_bytes(container_bytes(held.model, arrays))
    for tree in model.trees_:
        np.testing.assert_allclose(tree.value, 1e301)


def test_a_start_beyond_all_sums_is_refused():
    held = read_container(model_bytes(MODELS["boosted numbers"]))
    arrays = {**held.arrays, "learned.start_": np.array([-1e308])}
    with pytest.raises(ModelFileError, match="`start_` is so large that sums"):
        model_from_bytes(container_bytes(held.model, arrays))


def test_kept_targets_must_lie_in_leaves():
    held = read_container(model_bytes(MODELS["forest that keeps targets"]))
    leaves = held.arrays["learned.training_leaves_"]
    for wrong in (leaves[:-1], leaves * 0, leaves + 10_000):
        arrays = {**held.arrays, "learned.training_leaves_": np.ascontiguousarray(wrong)}
        with pytest.raises(ModelFileError, match="training row"):
            model_from_bytes(container_bytes(held.model, arrays))


def test_arrays_that_belong_to_nothing_are_refused():
    held = read_container(model_bytes(MODELS["boosted"]))
    for name in ("other", "trees.other", "learned.other"):
        with pytest.raises(ModelFileError):
            model_from_bytes(container_bytes(held.model, {**held.arrays, name: np.zeros(1)}))
    for name in held.arrays:
        without = {other: array for other, array in held.arrays.items() if other != name}
        with pytest.raises(ModelFileError):
            model_from_bytes(container_bytes(held.model, without))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_changed_numbers_make_another_sound_model_or_are_refused(data):
    held = read_container(data.draw(st.sampled_from(CONTENTS)))
    arrays = {name: array.copy() for name, array in held.arrays.items()}
    name = data.draw(st.sampled_from([name for name in arrays if arrays[name].size]))
    for _ in range(data.draw(st.integers(1, 3))):
        change_one(data, arrays[name].reshape(-1))
    try:
        model = model_from_bytes(container_bytes(held.model, arrays))
    except ModelFileError:
        return
    assert len(model.predict(X)) == 300
    for tree in model.trees_:
        assert str(tree)
    assert model_from_bytes(model_bytes(model)) is not None


CONTENTS = [model_bytes(model) for model in MODELS.values()]


def change_one(data, flat):
    at = data.draw(st.integers(0, len(flat) - 1))
    if flat.dtype.kind == "f":
        flat[at] = data.draw(st.floats(width=8 * flat.itemsize))
        return
    info = np.iinfo(flat.dtype)
    near = st.integers(max(int(info.min), int(flat[at]) - 3), min(int(info.max), int(flat[at]) + 3))
    flat[at] = data.draw(near | st.integers(int(info.min), int(info.max)))


def test_a_node_takes_as_many_bytes_as_the_page_says():
    table = {"size": SIZE, "other": SIZE**2}
    boosted = tw.BoostedTreesRegressor(n_estimators=5).fit(table, SIZE)
    forest = tw.RandomForestClassifier(n_estimators=5).fit(table, Y)
    for model, per_leaf in ((boosted, 20), (forest, 28)):
        packed = model.trees_.packed
        cuts = len(packed.arrays()["cuts"]) * 8
        assert packed.nbytes == 12 * packed.n_nodes + per_leaf * model.get_n_leaves() + cuts
