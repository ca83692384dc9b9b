"""tw.stability: any model, the nodes asked for, and errors that help."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw


def two_kinds(n_rows: int = 60):
    rng = np.random.default_rng(0)
    X = {
        "number": rng.normal(size=n_rows),
        "letter": ["abc"[at] for at in rng.integers(0, 3, n_rows)],
        "hole": np.where(rng.random(n_rows) < 0.3, np.nan, rng.random(n_rows)),
        "day": np.datetime64("2024-01-01") + rng.integers(0, 99, n_rows),
    }
    return X, np.where(X["number"] + rng.normal(size=n_rows) > 0, "p", "q")


def lesser_share(counts):
    """An impurity of the user's own."""
    return counts.min() / counts.sum()


MODELS = [
    tw.ID3Classifier(),
    tw.C45Classifier(),
    tw.C45Rules(),
    tw.CARTClassifier(prune=None, priors=[0.3, 0.7], costs=[[0, 2], [1, 0]]),
    tw.CARTClassifier(prune="reduced_error"),
    tw.TreeClassifier(validation_fraction=0.3, max_leaf_nodes=6),
    tw.TreeClassifier(criterion=lesser_share, max_depth=2),
    tw.TreeClassifier(numeric="intervals", class_weight="balanced"),
    tw.TreeClassifier(significance=0.2),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_model_has_it(model):
    X, y = two_kinds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(model).fit(X, y)
        found = tw.stability(model, X, y, n=10)
    for split in found:
        assert model.tree_.node(split.node).column.name == split.column
        assert split.n_resamples == 10
        total = split.share + split.without_split + sum(win.share for win in split.others)
        assert total == pytest.approx(1)


def test_thresholds_of_dates_are_told_as_dates():
    X, _ = two_kinds()
    y = np.where(X["day"] < np.datetime64("2024-02-20"), 1.0, 2.0)
    found = tw.stability(tw.CARTRegressor(prune=None, max_depth=1).fit(X, y), X, y, n=50)
    assert found[0].column == "day"
    assert all(text.startswith("2024-02-") for text in (found[0].threshold_text, *found[0].bounds))


def test_weights_are_those_of_the_fit():
    X = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["b", "x"]]
    y = list("ppqqp")
    weights = [3, 3, 3, 3, 0]
    model = tw.ID3Classifier().fit(X, y, sample_weight=weights)
    found = tw.stability(model, X, y, weights)
    assert found[0].n_rows == 4
    assert found[0].share == pytest.approx(1 - found[0].without_split - found[0].share_of("x1"))


def test_only_the_nodes_asked_for_are_looked_at_and_their_figures_are_the_same():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    every = tw.stability(model, X, y, n=20)
    some = tw.stability(model, X, y, n=20, nodes=[5, 2])
    assert [split.node for split in some] == [5, 2]
    assert [*some] == [every[5], every[2]]


def test_seeds():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    shares = [tw.stability(model, X, y, random_state=seed)[0].share for seed in (1, 1, 2)]
    assert shares[0] == shares[1] != shares[2]
    by_generator = tw.stability(model, X, y, random_state=np.random.default_rng(1))
    assert by_generator[0].share == shares[0]


def test_rows_drawn_twice_favor_a_column_of_many_levels_and_rows_drawn_once_do_not():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    X = {"name": [f"n{at}" for at in range(60)], "sign": np.where(rng.random(60) < 0.2, 1 - y, y)}
    model = tw.C45Classifier(categorical_features=["sign"], average_gain_filter=False)
    with pytest.warns(UserWarning, match="name"):
        model.fit(X, y)
    with_replacement = tw.stability(model, X, y)[0]
    assert with_replacement.column == "sign"
    assert with_replacement.share < 1
    assert with_replacement.many_levels == ("name",)
    each_once = tw.stability(model, X, y, fraction=0.5)[0]
    assert each_once.share == 1
    assert each_once.many_levels == ()


def test_of_a_handful_of_rows_no_column_is_said_to_have_many_levels():
    X, y = tw.load_sample("tennis")
    found = tw.stability(tw.ID3Classifier().fit(X, y), X, y, n=20)
    assert [split.n_rows for split in found] == [14, 5, 5]
    assert not any(split.many_levels for split in found)


def test_a_split_that_pruning_raised_is_told():
    rng = np.random.default_rng(0)
    for _ in range(60):
        X = rng.integers(0, 4, (80, 4)).astype(str)
        y = np.where(rng.random(80) < 0.35, "p", np.where(X[:, 0] == "0", "q", "r"))
        model = tw.C45Classifier().fit(X, y)
        raised = [cut.node for cut in model.pruning_.cuts if cut.became == "branch"]
        if raised:
            break
    found = tw.stability(model, X, y, n=5)
    assert {split.node for split in found if split.is_raised} >= {*raised} - {
        cut.node for cut in model.pruning_.cuts if cut.became == "leaf"
    }
    for split in found:
        above = model.tree_.path_to(split.node)
        assert split.is_raised == bool({*raised} & {*above})
        assert split.is_raised == ("growth chose it with other rows" in split.in_words())
    assert "Pruning raised the splits" in str(found)


def test_of_a_large_tree_the_heaviest_nodes_are_looked_at():
    X = np.arange(200.0)[:, None]
    model = tw.CARTClassifier(prune=None).fit(X, np.arange(200) % 2)
    found = tw.stability(model, X, np.arange(200) % 2, n=1)
    assert len(found) == 30
    assert 0 in found


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"nodes": [2]}, "not a node that splits"),
        ({"nodes": [99]}, "nodes names 99"),
        ({"n": 0}, "0 resamples"),
        ({"n": 2.5}, "2.5 resamples"),
        ({"fraction": 1}, "fraction is 1"),
        ({"random_state": "x"}, "random_state is 'x', which is not a seed"),
        ({"random_state": -1}, "random_state is -1"),
        ({"random_state": 1.5}, "random_state is 1.5"),
        ({"fraction": "half"}, "fraction is 'half'"),
    ],
)
def test_mistakes_are_told(options, told):
    X, y = tw.load_sample("tennis")
    with pytest.raises(tw.ParameterError, match=told):
        tw.stability(tw.ID3Classifier().fit(X, y), X, y, **options)


def test_rows_that_are_not_those_of_the_fit_are_an_error():
    X, y = tw.load_sample("tennis")
    with pytest.raises(tw.DataError):
        tw.stability(tw.ID3Classifier().fit(X, y), X[:10], y[:10])


def test_only_tree_estimators_have_splits():
    with pytest.raises(tw.ParameterError, match="list"):
        tw.stability([], None, None)
