"""M5Regressor as people use it: tables with words and holes, odd tables, files, threads."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import treewright as tw
from changed_arrays import with_number
from model_trees.tables import mixed, seeds
from treewright.persistence.container import container_bytes, read_container
from treewright.verbs.load import model_bytes, model_from_bytes

HOUSES = {
    "area": [50.0, 60, 70, 80, 90, 100, 110, 120, None, 140, 150, 160],
    "town": ["Ulm", "Ulm", "Rom", "Rom", "Ulm", "Rom", "Ulm", "Rom", "Ulm", None, "Rom", "Rom"],
}
PRICES = [105.0, 125, 240, 270, 181, 330, 222, 390, 260, 281, 480, 510]


@pytest.fixture
def houses():
    return tw.M5Regressor().fit(HOUSES, PRICES)


def test_missing_values_count_as_the_mean_or_the_most_frequent_level(houses):
    mean_area = np.mean([area for area in HOUSES["area"] if area is not None])
    filled = houses.predict({"area": [mean_area, 70.0], "town": ["Ulm", "Rom"]})
    assert houses.predict({"area": [None, 70.0], "town": ["Ulm", None]}).tolist() == filled.tolist()


@pytest.mark.parametrize("unseen", ["missing", "majority"])
def test_a_level_that_training_never_met_gets_an_answer(unseen):
    model = tw.M5Regressor(handle_unknown=unseen).fit(HOUSES, PRICES)
    row = {"area": [80.0], "town": ["Bonn"]}
    if unseen == "missing":
        with pytest.warns(UserWarning, match="Bonn"):
            assert np.isfinite(model.predict(row)).all()
    else:
        assert np.isfinite(model.predict(row)).all()


def test_an_unknown_level_is_refused_where_that_is_asked_for():
    model = tw.M5Regressor(handle_unknown="error").fit(HOUSES, PRICES)
    with pytest.raises(tw.DataError, match="Bonn"):
        model.predict({"area": [80.0], "town": ["Bonn"]})


@pytest.mark.parametrize("when", ["fit", "predict"])
def test_an_infinite_value_is_refused_by_column_and_row(houses, when):
    wrong = HOUSES | {"area": [*HOUSES["area"][:3], np.inf, *HOUSES["area"][4:]]}
    with pytest.raises(tw.DataError, match=r"`area`, row 3: inf"):
        houses.predict(wrong) if when == "predict" else houses.fit(wrong, PRICES)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0]], [2.0]),
        ([[1.0], [1.0], [1.0], [1.0], [1.0]], [1.0, 2.0, 3.0, 4.0, 10.0]),
        ([[1.0], [2.0], [3.0], [4.0], [5.0]], [7.0] * 5),
        ([[None]] * 5, [1.0, 2.0, 3.0, 4.0, 10.0]),
    ],
    ids=["one row", "constant column", "constant target", "no value"],
)
@pytest.mark.filterwarnings("ignore:column")
def test_a_table_that_teaches_nothing_gives_the_mean(X, y):
    model = tw.M5Regressor().fit(X, y)
    assert model.get_n_leaves() == 1
    np.testing.assert_allclose(model.predict(X), np.mean(y), rtol=1e-12)


def test_ordered_levels_keep_their_order():
    order = ("low", "middle", "high")
    words = [order[i % 3] for i in range(30)]
    table = tw.table_from({"level": words}).with_order("level", order)
    y = [[5.0, 1.0, 9.0][i % 3] for i in range(30)]
    model = tw.M5Regressor(models=False, smoothing=False).fit(table, y)
    assert model.predict(table[:3]).tolist() == [5.0, 1.0, 9.0]
    assert model.tree_.node(0).question == "level <= middle"


def test_dates_are_told_of_in_the_equations():
    days = np.datetime64("2024-01-01") + np.arange(40)
    model = tw.M5Regressor().fit({"day": days}, np.arange(40) * 2.0)
    np.testing.assert_allclose(model.predict({"day": days}), np.arange(40) * 2.0, atol=1e-6)
    assert "day (datetime64[D])" in str(model)


def test_a_regression_tree_answers_by_means():
    model = tw.M5Regressor(models=False, smoothing=False, prune=False).fit(HOUSES, PRICES)
    leaves = model.apply(HOUSES)
    for leaf in np.unique(leaves):
        mean = np.mean(np.array(PRICES)[leaves == leaf])
        np.testing.assert_allclose(model.predict(HOUSES)[leaves == leaf], mean)


@settings(max_examples=10)
@given(generator=seeds)
def test_a_saved_model_answers_alike(generator):
    table, y = mixed(generator, 60)
    model = tw.M5Regressor().fit(table, y)
    content = model_bytes(model)
    for again in (model_from_bytes(content), pickle.loads(pickle.dumps(model))):
        assert model_bytes(again) == content
        assert again.predict(table).tolist() == model.predict(table).tolist()


HOSTILE = {
    "fills_": lambda a: a[:-1],
    "rank_starts_": lambda a: a + 1,
    "level_ranks_": lambda a: a * 0,
    "intercepts_": lambda a: a[:-1],
    "term_starts_": lambda a: a[::-1].copy(),
    "term_columns_": lambda a: a + 100,
    "term_cuts_": lambda a: a + 100,
    "coefficients_": lambda a: np.append(a, 1.0),
    "model_errors_": lambda a: a[:-1],
    "subtree_errors_": lambda a: a[:-1],
    "subtree_parameters_": lambda a: a[:-1],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_whose_parts_do_not_fit_together_is_refused(houses, name):
    found = read_container(model_bytes(houses))
    found.arrays[name] = HOSTILE[name](found.arrays[name])
    with pytest.raises(tw.ModelFileError):
        model_from_bytes(container_bytes(found.model, found.arrays))


@pytest.fixture(scope="module")
def grown():
    """A tree with splits, over columns of numbers and of words."""
    return tw.M5Regressor().fit(*mixed(np.random.default_rng(3), 60))


NO_TERMS_OF_NODES = "the terms do not belong to the nodes"


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("rank_starts_", lambda a: a + 1, "fills and ranks are not those"),
        ("level_ranks_", lambda a: np.append(a, 0), "a category has no rank"),
        ("level_ranks_", lambda a: a + 1, "have no order"),
        ("intercepts_", lambda a: np.append(a, 1.0), "one model for each node"),
        ("term_starts_", lambda a: np.append(a, a[-1]), "one model for each node"),
        ("term_starts_", with_number(0, 1), NO_TERMS_OF_NODES),
        ("term_starts_", lambda a: np.minimum(a, a[-1] - 1), NO_TERMS_OF_NODES),
        ("term_starts_", with_number(1, 10_000), NO_TERMS_OF_NODES),
        ("term_columns_", lambda a: a[:-1], "without a column"),
        ("term_cuts_", lambda a: a[:-1], "without a column"),
        ("term_columns_", with_number(0, -1), "a column that the table does not have"),
        ("term_cuts_", with_number(0, -1), "a category that its column does not have"),
        ("model_errors_", lambda a: np.append(a, 1.0), "`model_errors_` is not one number"),
        ("subtree_parameters_", with_number(0, -1), "below 0"),
    ],
)
def test_a_file_says_which_part_does_not_fit(grown, name, change, words):
    assert grown.tree_.n_nodes > 1
    found = read_container(model_bytes(grown))
    found.arrays[name] = change(found.arrays[name])
    with pytest.raises(tw.ModelFileError, match=words):
        model_from_bytes(container_bytes(found.model, found.arrays))


def test_terms_and_fills_of_a_file_are_those_of_its_columns(grown):
    found = read_container(model_bytes(grown))
    n_columns = grown.schema_.n_columns
    n_levels = np.array([len(spec.levels) for spec in grown.schema_.columns])
    of_words = int(np.flatnonzero(n_levels)[0])
    of_term = n_levels[found.arrays["term_columns_"]]
    spoilt = [
        ("term_columns_", 0, n_columns, "a column that the table does not have"),
        ("term_cuts_", int(of_term.argmin()), 1, "a category that its column does not have"),
        ("term_cuts_", int(of_term.argmax()), of_term.max(), "a category that its column"),
        ("fills_", of_words, float(n_levels[of_words]), "filled by no category of it"),
        ("fills_", of_words, 0.5, "filled by no category of it"),
    ]
    assert of_term.min() == 0 < of_term.max()
    for name, at, number, words in spoilt:
        arrays = {**found.arrays, name: with_number(at, number)(found.arrays[name])}
        with pytest.raises(tw.ModelFileError, match=words):
            model_from_bytes(container_bytes(found.model, arrays))


def test_the_tree_of_a_file_is_one_of_its_columns(grown):
    found = read_container(model_bytes(grown))
    found.model["learned"]["tree_"]["schema"]["columns"][0]["name"] += "?"
    with pytest.raises(tw.ModelFileError, match="the tree is not one of these columns"):
        model_from_bytes(container_bytes(found.model, found.arrays))


@pytest.mark.parametrize("towns", [HOUSES["town"], ["Ulm"] * 12], ids=["two", "one"])
def test_a_file_with_words_as_factors_is_refused(towns):
    model = tw.M5Regressor().fit(HOUSES | {"town": towns}, PRICES)
    found = read_container(model_bytes(model))
    assert len(found.arrays["term_columns_"])
    found.arrays["term_columns_"] = np.ones_like(found.arrays["term_columns_"])
    found.arrays["term_cuts_"] = np.zeros_like(found.arrays["term_cuts_"])
    with pytest.raises(tw.ModelFileError, match="categories cannot"):
        model_from_bytes(container_bytes(found.model, found.arrays))


def test_it_takes_part_in_searches():
    table, y = mixed(np.random.default_rng(5), 120)
    search = GridSearchCV(tw.M5Regressor(), {"smoothing": [True, False]}, cv=3).fit(table, y)
    assert set(search.best_params_) == {"smoothing"}
    assert cross_val_score(clone(search.best_estimator_), table, y, cv=3).mean() > 0.3


def test_an_interrupted_fit_leaves_the_model_as_it_was(houses, monkeypatch):
    before = copy.deepcopy(houses.predict(HOUSES))

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.model_trees.m5.grow_models", interrupted)
    with pytest.raises(KeyboardInterrupt):
        houses.fit([[1.0], [2.0]], [1.0, 2.0])
    assert houses.predict(HOUSES).tolist() == before.tolist()


@pytest.mark.parametrize(
    ("setting", "value"),
    [("criterion", "gini"), ("terms", "some"), ("penalty", -1), ("min_leaf_share", 0.5)],
)
def test_a_setting_out_of_range_is_refused(setting, value):
    with pytest.raises(tw.ParameterError, match=setting):
        tw.M5Regressor(**{setting: value}).fit(HOUSES, PRICES)


def test_an_equation_of_no_node_is_refused(houses):
    with pytest.raises(tw.ParameterError, match="node 99"):
        houses.equation(99)
