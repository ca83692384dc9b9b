"""Choices tried again: on the rows as they are they are the tree's, and shares add up."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.tree.layout import LEAF, THRESHOLD
from treewright.verbs.fitted_rows import training_of
from treewright.worksheets import bootstrap as bootstrap_module
from treewright.worksheets.bootstrap import Bootstrap, RedrawnNode, winners_of
from treewright.worksheets.node_rows import NodeRows
from treewright.worksheets.training import Share

POLICIES = ("fractional", "surrogate", "learned", "branch", "majority", "stop")
NOMINAL = ("branches", "subset", "one_vs_rest")
CRITERIA = ("information_gain", "gain_ratio", "gini", "chi2")


def a_table(rng: np.random.Generator, n_rows: int, holes: float) -> list[dict]:
    def cell(value):
        return None if rng.random() < holes else value

    return [
        {
            "whole": cell(float(rng.integers(0, 9))),
            "tenth": cell(float(rng.integers(0, 50)) / 10),
            "letter": cell("abcdef"[rng.integers(0, 6)]),
            "two": cell("xy"[rng.integers(0, 2)]),
        }
        for _ in range(n_rows)
    ]


def an_estimator(rng: np.random.Generator):
    def pick(*choices):
        return choices[rng.integers(0, len(choices))]

    makers = [
        lambda: tw.ID3Classifier(
            criterion=pick(*CRITERIA), column_order=pick(None, ["two", "letter"])
        ),
        lambda: tw.C45Classifier(
            prune=None,
            collapse=False,
            average_gain_filter=pick(True, True, False),
            mdl_correction=pick(True, False),
            midpoint_thresholds=pick(True, False),
            nominal=pick(*NOMINAL),
            missing=pick("fractional", "fractional", *POLICIES),
        ),
        lambda: tw.CARTClassifier(
            prune=None, min_weight_fraction_leaf=pick(0.0, 0.1), priors=pick(None, [0.2, 0.8])
        ),
        lambda: tw.TreeClassifier(
            criterion=pick(*CRITERIA),
            missing=pick(*POLICIES),
            nominal=pick(*NOMINAL),
            numeric=pick("threshold", "threshold", "intervals"),
            min_samples_leaf=pick(1, 1, 3),
        ),
        lambda: tw.TreeRegressor(
            criterion=pick("squared_error", "absolute_error", "poisson"),
            missing=pick(*POLICIES),
            nominal=pick("branches", "subset"),
        ),
    ]
    return pick(*makers)()


def a_bootstrap(seed: int, n_resamples: int = 5) -> Bootstrap:
    """The choices of a random model on a random table, with holes and weights."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(4, 40))
    X = a_table(rng, n_rows, rng.choice([0.0, 0.15, 0.3]))
    y = ["p" if rng.random() < 0.5 else "q" for _ in range(n_rows)]
    y[:2] = "pq"
    model = an_estimator(rng)
    if isinstance(model, tw.TreeRegressor):
        y = rng.integers(0, 6, n_rows).astype(float) + 0.25
    weights = rng.integers(1, 9, n_rows) if rng.random() < 0.5 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, sample_weight=weights)
        training = training_of(model, X, y, weights)
    return Bootstrap(model.tree_, training, NodeRows(model.tree_, training), n_resamples, seed)


def inner_nodes(bootstrap: Bootstrap) -> list[int]:
    return np.flatnonzero(bootstrap.tree.kind != LEAF).tolist()


def redrawn(bootstrap: Bootstrap, node: int) -> RedrawnNode:
    return RedrawnNode.of(bootstrap.tree, bootstrap.training, bootstrap.rows, node)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_on_the_rows_as_they_are_the_split_is_that_of_the_tree(seed):
    bootstrap = a_bootstrap(seed)
    tree = bootstrap.tree
    for node in inner_nodes(bootstrap):
        place = redrawn(bootstrap, node)
        every_row_once = Share(np.arange(len(place.rows)), place.weights)
        stump = place.split_of(every_row_once)
        assert stump.feature[0] == tree.feature[node]
        assert stump.kind[0] == tree.kind[node]
        assert stump.gain[0] == pytest.approx(tree.gain[node], rel=1e-9, abs=1e-12)
        assert place.is_same_split(stump)
        if tree.kind[node] == THRESHOLD:
            (threshold,) = place.threshold_of(stump, every_row_once)
            assert threshold == tree.threshold[node]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_row_drawn_twice_is_two_rows(seed):
    bootstrap = a_bootstrap(seed)
    for node in inner_nodes(bootstrap):
        place = redrawn(bootstrap, node)
        drawn = place.draw(np.random.default_rng(seed))
        n_rows = len(place.rows)
        times = np.bincount(np.random.default_rng(seed).integers(0, n_rows, n_rows))
        rows = np.repeat(np.arange(len(times)), times)
        one_by_one = Share(rows, place.weights[rows])
        assert drawn.weight == pytest.approx(one_by_one.weight)
        stump, twice = place.split_of(drawn), place.split_of(one_by_one)
        assert winners_of(stump) == winners_of(twice)
        assert stump.threshold[0] == twice.threshold[0]
        assert stump.gain[0] == pytest.approx(twice.gain[0], rel=1e-9, abs=1e-12)
        assert place.tried(drawn) == place.tried(one_by_one)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(4_294_967_294)  # a tie with a column of so many levels that it sets no average gain
def test_shares_add_up_to_all_resamples(seed):
    bootstrap = a_bootstrap(seed)
    for node in inner_nodes(bootstrap):
        found = bootstrap.node(node)
        shares = [found.share, found.without_split, *(win.share for win in found.others)]
        assert min(shares) >= 0
        assert sum(shares) == pytest.approx(1)
        assert found.same_split <= found.share
        assert (found.low is None) == (found.kind != "threshold" or found.share == 0)
        if found.low is not None:
            assert found.low <= found.high


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_figures_of_a_node_depend_on_nothing_but_the_seed(seed):
    bootstrap = a_bootstrap(seed)
    found = [bootstrap.node(node) for node in inner_nodes(bootstrap)]
    again = replace(bootstrap, rows=NodeRows(bootstrap.tree, bootstrap.training), n_threads=3)
    assert [again.node(made.node) for made in reversed(found)] == found[::-1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_draws_shared_among_threads_come_out_the_same(seed):
    alone = a_bootstrap(seed, n_resamples=45)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bootstrap_module, "CELLS_WORTH_THREADS", 0)
        for node in inner_nodes(alone)[:3]:
            assert replace(alone, n_threads=3).node(node) == alone.node(node)


def the_bootstrap(model, X, y, n_resamples=100, seed=0) -> Bootstrap:
    training = training_of(model.fit(X, y), X, y, None)
    return Bootstrap(model.tree_, training, NodeRows(model.tree_, training), n_resamples, seed)


def test_the_only_column_wins_whenever_anything_can():
    X = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]]
    found = the_bootstrap(tw.ID3Classifier(), X, list("pppqqq"), n_resamples=2000).node(0)
    assert found.others == ()
    assert found.share + found.without_split == 1
    # A resample without one of the two classes: 2 x (1/2)^6.
    assert found.without_split == pytest.approx(2 / 64, abs=0.015)


def test_copies_of_a_column_share_its_wins():
    X = [[letter, letter, letter] for letter in "aabbccdd"]
    found = the_bootstrap(tw.ID3Classifier(), X, list("ppqqppqq")).node(0)
    assert found.share == pytest.approx((1 - found.without_split) / 3)
    assert [win.share for win in found.others] == [found.share] * 2


def test_a_clearer_choice_is_more_stable():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    shares = []
    for noise in (0.05, 0.25, 0.45):
        strong = np.where(rng.random(60) < noise, 1 - y, y)
        weak = np.where(rng.random(60) < 0.4, 1 - y, y)
        X = {"strong": strong.astype(bool), "weak": weak.astype(bool)}
        found = the_bootstrap(
            tw.CARTClassifier(prune=None, max_depth=1), X, y, n_resamples=200
        ).node(0)
        shares.append(found.share_of("strong"))
    assert shares[0] == 1
    assert shares == sorted(shares, reverse=True)
    assert shares[2] < 0.9


def test_the_interval_holds_nine_tenths_of_the_thresholds():
    rng = np.random.default_rng(1)
    values = rng.random(80)
    y = (values + rng.normal(0, 0.1, 80) > 0.5).astype(int)
    bootstrap = the_bootstrap(tw.CARTClassifier(prune=None, max_depth=1), values[:, None], y, 500)
    found = bootstrap.node(0)
    place = redrawn(bootstrap, 0)
    random = np.random.default_rng([bootstrap.seed, 0])
    thresholds = [
        float(stump.threshold[0])
        for stump in (place.split_of(place.draw(random)) for _ in range(500))
        if winners_of(stump)
    ]
    inside = np.mean([found.low <= threshold <= found.high for threshold in thresholds])
    assert 0.9 <= inside < 0.96
    assert found.low <= found.threshold <= found.high


def test_a_column_asked_above_is_not_asked_again_where_the_tree_may_not():
    X, y = tw.load_sample("tennis")
    found = the_bootstrap(tw.ID3Classifier(), X, y).node(1)
    assert found.path == ("outlook = Sunny",)
    assert found.share_of("outlook") == 0


def test_leaves_have_no_stability():
    X, y = tw.load_sample("tennis")
    assert the_bootstrap(tw.ID3Classifier(), X, y).node(2) is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(50, 400))
def test_a_large_node_is_drawn_until_its_shares_are_as_sure_as_they_would_be_at_worst(seed, n):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bootstrap_module, "LARGE_NODE", 0)
        bootstrap = a_bootstrap(seed, n_resamples=n)
        for node in inner_nodes(bootstrap)[:2]:
            found = bootstrap.node(node)
            assert found.n_resamples == n or found.n_resamples % 20 == 0
            for share in (found.share, found.same_split):
                assert share * (1 - share) / found.n_resamples <= 0.25 / n * 1.1


def test_where_nothing_is_in_doubt_a_large_node_is_drawn_a_few_times():
    X = {"tells": np.arange(5_000) % 2 == 0, "does not": np.arange(5_000) % 3 == 0}
    model, y = tw.CARTClassifier(prune=None), np.arange(5_000) % 2
    found = the_bootstrap(model, X, y, n_resamples=200).node(0)
    assert (found.share, found.same_split, found.n_resamples) == (1, 1, 40)
    smaller = {name: values[:-1] for name, values in X.items()}
    assert the_bootstrap(model, smaller, y[:-1], n_resamples=50).node(0).n_resamples == 50


@pytest.mark.parametrize("limits", [{"min_samples_leaf": 3}, {"min_samples_split": 30}])
def test_limits_that_count_rows_count_each_draw_of_a_row(limits):
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 2)), np.arange(40) % 2
    place = redrawn(the_bootstrap(tw.CARTClassifier(prune=None, **limits), X, y), 0)
    drawn = place.draw(rng)
    assert len(drawn.rows) == 40
    assert len(np.unique(drawn.rows)) < 40
