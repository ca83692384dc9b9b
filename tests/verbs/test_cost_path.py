"""tw.cost_complexity_path, and the parameters of CART that go by it."""

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.errors import DataError, ParameterError


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def test_a_price_of_the_path_is_a_price_of_prune_and_of_ccp_alpha(iris):
    model = tw.CARTClassifier(prune=None).fit(*iris)
    path = tw.cost_complexity_path(model)
    for step, alpha in enumerate(path.alphas.tolist()):
        pruned = tw.prune(model, "cost_complexity", alpha=alpha)
        assert pruned.tree_.same_as(path.tree_at(step))
        if alpha > 0:
            fitted = tw.CARTClassifier(ccp_alpha=alpha).fit(*iris)
            assert fitted.tree_.same_as(path.tree_at(step))


def test_no_price_keeps_the_grown_tree():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    model = tw.CARTClassifier(ccp_alpha=0.0).fit(X, [0, 1, 1, 0])
    assert model.get_n_leaves() == 4  # though its first split gains nothing
    assert model.pruning_ is None


def test_pruning_by_cross_validation_takes_the_simplest_tree(iris):
    grown = tw.CARTClassifier(prune=None).fit(*iris)
    path = tw.cost_complexity_path(grown, *iris, risk="error")
    fitted = tw.CARTClassifier(prune="cv").fit(*iris)
    assert fitted.tree_.same_as(path.tree_at(path.held_out.simplest()))
    assert fitted.pruning_.options["alpha"] == path.alphas[path.held_out.simplest()]
    by_hand = tw.prune(grown, "cost_complexity", *iris)
    assert by_hand.tree_.same_as(fitted.tree_)


def test_options_reach_cross_validation(iris):
    best = tw.CARTClassifier(prune="cv", prune_options={"standard_errors": 0, "folds": 5})
    best.fit(*iris)
    assert best.pruning_.options["folds"] == 5
    assert best.get_n_leaves() >= tw.CARTClassifier(prune="cv").fit(*iris).get_n_leaves()


def test_a_regression_tree_is_pruned_by_cross_validation():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 4))
    y = np.where(X[:, 0] > 0.5, 3.0, 0.0) + rng.normal(size=300)
    grown = tw.CARTRegressor(prune=None).fit(X, y)
    pruned = tw.CARTRegressor(prune="cv").fit(X, y)
    assert pruned.get_n_leaves() == 2 < grown.get_n_leaves()


def test_the_seed_chooses_the_folds(iris):
    model = tw.CARTClassifier(prune=None).fit(*iris)
    one, same, other = (
        tw.cost_complexity_path(model, *iris, risk="error", random_state=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.held_out.risks, same.held_out.risks)
    assert not np.array_equal(one.held_out.risks, other.held_out.risks)


def test_costs_move_the_path():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    dear = [[0, 1], [20, 0]]
    path = tw.cost_complexity_path(
        tw.CARTClassifier(prune=None, costs=dear).fit(X, y), X, y, risk="error"
    )
    assert path.risks[-1] == pytest.approx(np.mean(y == 0))  # the root answers 1: cost 1 each
    plain = tw.cost_complexity_path(tw.CARTClassifier(prune=None).fit(X, y), X, y, risk="error")
    assert plain.risks[-1] == pytest.approx(min(np.mean(y == 0), np.mean(y == 1)))


def test_costs_in_the_formula_of_the_measure_count_once():
    X, y = [[0], [0], [1], [1]], [0, 1, 1, 1]
    costs = [[0, 4], [1, 0]]
    model = tw.TreeClassifier(criterion="cost_gini", costs=costs).fit(X, y)
    path = tw.cost_complexity_path(model)
    np.testing.assert_allclose(path.alphas, [0, 0.3125])  # the gain of the one split
    np.testing.assert_allclose(path.risks, [0.625, 0.9375])


@pytest.mark.parametrize("risk", ["impurity", "error"])
def test_the_price_is_one_of_leaves_also_where_a_split_has_many(risk):
    X = [["a"], ["b"], ["c"], ["d"]] * 2
    model = tw.TreeClassifier(nominal="branches").fit(X, [0, 1, 1, 1] * 2)
    path = tw.cost_complexity_path(model, risk=risk)
    root = 3 / 8 if risk == "impurity" else 1 / 4
    np.testing.assert_allclose(path.alphas, [0, root / 3])


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_few_rows_are_pruned_by_as_many_folds(n_rows):
    X, y = np.arange(n_rows)[:, np.newaxis], np.arange(n_rows) % 2
    assert tw.CARTClassifier(prune="cv").fit(X, y).get_n_leaves() >= 1
    assert tw.CARTRegressor(prune="cv").fit(X, y).get_n_leaves() >= 1


def test_a_model_that_answers_by_rules_has_no_path(iris):
    with pytest.raises(ParameterError, match="predicts by rules"):
        tw.cost_complexity_path(tw.C45Rules().fit(*iris))


def test_every_row_twice_is_every_weight_doubled(iris):
    X, y = iris
    rows = np.repeat(np.arange(len(y)), 2)
    y = np.asarray(y)
    one = tw.cost_complexity_path(
        tw.CARTClassifier(prune=None).fit(X, y, sample_weight=np.full(len(y), 2))
    )
    other = tw.cost_complexity_path(tw.CARTClassifier(prune=None).fit(X[rows], y[rows]))
    np.testing.assert_allclose(one.alphas, other.alphas)
    np.testing.assert_allclose(one.risks, other.risks)


def test_models_of_every_kind_have_a_path(iris):
    for model in (tw.ID3Classifier(), tw.C45Classifier(prune=None), tw.TreeClassifier()):
        path = tw.cost_complexity_path(model.fit(*iris), *iris, risk="error")
        assert path.n_leaves[-1] == 1
        assert len(path.held_out.risks) == len(path)


def test_asking_for_two_prunings_is_an_error(iris):
    with pytest.raises(ParameterError, match="both prune the tree"):
        tw.CARTClassifier(ccp_alpha=0.1, prune="cv").fit(*iris)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ccp_alpha": -0.1}, "ccp_alpha=-0.1 is not allowed"),
        ({"ccp_alpha": np.inf}, "ccp_alpha=inf is not allowed"),
        ({"ccp_alpha": np.nan}, "ccp_alpha=nan is not allowed"),
        ({"prune": "cvv"}, 'did you mean "cv"'),
        ({"prune": "cv", "prune_options": {"fold": 3}}, "did you mean `folds`"),
    ],
)
def test_settings_that_cannot_be_are_refused(iris, settings, message):
    with pytest.raises(ParameterError, match=message):
        tw.CARTClassifier(**settings).fit(*iris)


def test_questions_that_make_no_sense_are_refused(iris):
    model = tw.CARTClassifier(prune=None).fit(*iris)
    with pytest.raises(ParameterError, match='did you mean "impurity"'):
        tw.cost_complexity_path(model, risk="impurty")
    with pytest.raises(DataError, match="needs both X and y"):
        tw.cost_complexity_path(model, iris[0])
    with pytest.raises(ParameterError, match="needs rows: give X and y"):
        tw.prune(model, "cost_complexity")
    with pytest.raises(ParameterError, match="only a fitted tree estimator"):
        tw.cost_complexity_path("model")


def test_a_pruned_model_can_be_cloned_and_saved(iris, tmp_path):
    model = tw.CARTClassifier(prune="cv").fit(*iris)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.pruning_.options == model.pruning_.options
    assert clone(model).fit(*iris).tree_.same_as(model.tree_)
