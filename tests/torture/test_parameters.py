"""T25 to T28: odd settings, and legal extremes."""

import threading

import numpy as np
import pytest

import treewright as tw
from torture.trees import ESTIMATORS, for_every_estimator, for_every_tree, is_classifier, numbers
from treewright.models.model_file import model_bytes

ODD = [-1, 0, 1.5, float("nan"), float("inf"), "3", True, None, [], 2**63]
EVERY_PARAMETER = [
    pytest.param(kind, param, id=f"{kind.__name__}-{param.name}")
    for kind in ESTIMATORS
    for param in kind.params
]


def refusal_of(model, X, y) -> str | None:
    """What fit has against this table; None if it fits."""
    try:
        model.fit(X, y)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("kind", "param"), EVERY_PARAMETER)
def test_T25_every_odd_value_is_refused_at_fit_or_gives_a_tree(kind, param):
    X, y = numbers(20)
    for value in ODD:
        model = kind(**{param.name: value})  # never refused here
        try:
            param.check(value)
        except tw.ParameterError:
            with pytest.raises(tw.ParameterError) as caught:
                model.fit(X, y)
            assert f"{param.name}=" in str(caught.value)
            assert param.allowed in str(caught.value)
            assert not hasattr(model, "tree_")
        else:
            refusal = refusal_of(model, X, y)  # right alone, but wrong for this table?
            assert refusal is None or param.name in refusal


@pytest.mark.parametrize(("kind", "param"), EVERY_PARAMETER)
def test_T25_numpy_scalars_are_numbers(kind, param):
    X, y = numbers(20)
    default = param.default
    scalars = {int: np.int32, float: np.float64, bool: np.bool_}
    if type(default) in scalars:
        scalar = scalars[type(default)](default)
        one, other = kind(**{param.name: scalar}).fit(X, y), kind().fit(X, y)
        assert model_bytes(one) == model_bytes(other)


@for_every_tree
def test_T26_legal_extremes_give_a_correct_tree(kind):
    X, y = numbers(40)
    whole = kind().fit(X, y)
    leaf_limit = {} if kind is tw.C45Classifier else {"min_samples_split": 10**9}
    for params in ({"min_samples_leaf": 10**6}, {"min_gain": float("inf")}, leaf_limit):
        if params:
            assert kind(**params).fit(X, y).get_n_leaves() == 1
    assert kind(max_leaf_nodes=1).fit(X, y).get_n_leaves() == 1
    assert kind(max_splits=0).fit(X, y).get_n_leaves() == 1
    for params in ({"max_depth": 10**9}, {"max_depth": 1e9}, {"max_depth": 2**63}):
        assert kind(**params).fit(X, y).tree_.same_as(whole.tree_)
    assert kind(max_leaf_nodes=2**63).fit(X, y).get_n_leaves() == whole.get_n_leaves()


@pytest.mark.parametrize(
    "seed",
    [0, np.int64(3), None, np.random.RandomState(0), np.random.default_rng(0)],
)
def test_T27_random_states_of_every_kind(seed):
    X, y = numbers(100)
    for kind in (tw.TreeClassifier, tw.TreeRegressor):
        kind(random_state=seed, validation_fraction=0.3).fit(X, y)
        for odd in (-1, 1.5):
            with pytest.raises(ValueError, match=f"random_state={odd}"):
                kind(random_state=odd).fit(X, y)


@for_every_estimator
def test_T27_any_number_of_threads_gives_the_same_model(kind):
    X, y = numbers(3000, 8)
    before = threading.active_count()
    contents = {model_bytes(kind(n_jobs=n).fit(X, y)) for n in (None, 1, 2, -1, 10_000)}
    assert len(contents) == 1
    assert threading.active_count() == before
    with pytest.raises(ValueError, match="n_jobs=0"):
        kind(n_jobs=0).fit(X, y)


@for_every_estimator
def test_T28_an_unknown_parameter_gets_the_nearest_name(kind):
    with pytest.raises(ValueError, match=r"`max_detph`(.*\n)*.*did you mean `max_depth`"):
        kind().set_params(max_detph=3)
    with pytest.raises(TypeError, match="max_detph"):
        kind(max_detph=3)


@for_every_estimator
def test_T28_conflicts_name_both_sides(kind):
    X, y = numbers(20)
    if is_classifier(kind) and "costs" in {param.name for param in kind.params}:
        with pytest.raises(ValueError, match=r"costs has shape \(3, 3\).*2 classes"):
            kind(costs=np.ones((3, 3)) - np.eye(3)).fit(X, y)
        with pytest.raises(ValueError, match=r"priors has shape \(3,\).*2 classes"):
            kind(priors=[0.2, 0.3, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match=r"categorical_features.*7.*3 columns"):
        kind(categorical_features=[7]).fit(X, y)
    with pytest.raises(ValueError, match=r"`siez`(.*\n)*.*did you mean `size`"):
        kind(categorical_features=["siez"]).fit({"size": [1.0, 2.0]}, [0, 1])
