"""The parameters `prune` and `prune_options`."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError, ParameterError
from treewright.verbs.load import model_bytes, model_from_bytes


def noisy(n_rows: int = 200, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    return X, ((X[:, 0] > 0) ^ (rng.random(n_rows) < 0.2)).astype(int)


@pytest.mark.parametrize("kind", [tw.ID3Classifier, tw.TreeClassifier])
def test_fit_prunes_and_tells(kind):
    X, y = noisy()
    X = tw.table_from({"a": X[:, 0].astype(int), "b": (X[:, 1] * 2).astype(int).astype(str)})
    grown = kind().fit(X, y)
    model = kind(prune="minimum_error", prune_options={"m": 3}).fit(X, y)
    assert model.get_n_leaves() < grown.get_n_leaves()
    assert model.pruning_.n_leaves_before == grown.get_n_leaves()
    assert model.pruning_.options == {"m": 3}
    assert grown.pruning_ is None


def test_the_options_are_kept_in_the_model_file():
    X, y = noisy()
    model = tw.TreeClassifier(prune="minimum_error", prune_options={"m": 3}).fit(X, y)
    loaded = model_from_bytes(model_bytes(model))
    assert loaded.get_params()["prune_options"] == {"m": 3}
    assert loaded.fit(X, y).tree_.same_as(model.tree_)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"prune": "mdll"}, 'did you mean "mdl"?'),
        ({"prune": True}, "prune=True is not allowed"),
        ({"prune": "mdl", "prune_options": {"structur": 1}}, "did you mean `structure`?"),
        ({"prune": "mdl", "prune_options": {"structure": -1}}, "structure=-1 is not allowed"),
        ({"prune": "mdl", "prune_options": {"fraction": 0.5}}, "has no option `fraction`"),
        ({"prune": "mdl", "prune_options": ["structure"]}, "a dict from option to value"),
    ],
)
def test_mistakes_are_told_before_growth(params, words):
    with pytest.raises(ParameterError) as caught:
        tw.TreeClassifier(**params).fit(*noisy())
    assert words in str(caught.value)


def test_a_regressor_offers_methods_for_numbers_only():
    with pytest.raises(ParameterError, match="prune='mdl' is not allowed"):
        tw.TreeRegressor(prune="mdl").fit(*noisy())


def test_options_without_a_method_are_without_effect():
    X, y = noisy()
    assert tw.TreeClassifier(prune_options={"m": 3}).fit(X, y).pruning_ is None


@pytest.mark.parametrize("fraction", [0, 1, -0.1, "a third"])
def test_the_share_held_back_has_limits(fraction):
    model = tw.TreeClassifier(prune="reduced_error", prune_options={"fraction": fraction})
    with pytest.raises(ParameterError, match="fraction="):
        model.fit(*noisy())


def test_rows_are_held_back_to_prune_by():
    X, y = noisy(90)
    model = tw.TreeClassifier(prune="reduced_error").fit(X, y)
    assert model.tree_.weight[0] == 60
    half = tw.TreeClassifier(prune="reduced_error", prune_options={"fraction": 0.5}).fit(X, y)
    assert half.tree_.weight[0] == 45
    by_class = half.tree_.value[0]
    np.testing.assert_allclose(by_class, np.bincount(y) / 2, atol=1)


def test_the_seed_chooses_the_rows_held_back():
    X, y = noisy(90)
    seeds = (0, 0, 7)
    one, again, other = (
        tw.TreeClassifier(prune="reduced_error", random_state=seed).fit(X, y) for seed in seeds
    )
    assert one.tree_.same_as(again.tree_)
    assert not one.tree_.same_as(other.tree_)


def test_too_few_rows_to_hold_back_are_named():
    X, y = noisy(4)
    model = tw.TreeClassifier(prune="reduced_error", prune_options={"fraction": 0.01})
    with pytest.raises(DataError, match=r"fraction=0\.01 of 4 rows"):
        model.fit(X, y)


def test_levels_of_held_back_rows_only_do_no_harm():
    X, y = noisy(40)
    table = {"x": X[:, 0], "level": [f"v{row}" for row in range(40)]}
    with pytest.warns(UserWarning, match="level"):
        tw.ID3Classifier(prune="reduced_error").fit(tw.table_from(table), y)


def test_a_stop_by_validation_comes_before_pruning():
    X, y = noisy(300)
    stopped = tw.TreeClassifier(validation_fraction=0.3).fit(X, y)
    both = tw.TreeClassifier(validation_fraction=0.3, prune="mdl").fit(X, y)
    assert both.pruning_.n_leaves_before == stopped.get_n_leaves()
