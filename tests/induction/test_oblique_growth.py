"""Trees whose questions may sum up columns, node by node."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from machine import imported
from reference.oblique_reference import gain_of
from treewright.induction.oblique.node_search import threshold_between
from treewright.tree.check import check_tree
from treewright.tree.layout import OBLIQUE


def slanted_rows(n_rows=300, seed=0, n_columns=4, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).round(2)
    score = X[:, 0] + 2 * X[:, 1] + noise * rng.normal(size=n_rows)
    return X, np.digitize(score, [-1.0, 1.5])


def grown(X, y, **settings):
    return tw.ObliqueTreeClassifier(prune=None, **settings).fit(X, y)


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.sampled_from(["gini", "entropy"]), st.booleans())
def test_every_node_is_sound_and_every_sum_earns_its_columns(seed, criterion, has_holes):
    X, y = slanted_rows(120, seed)
    if has_holes:
        X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    model = grown(X, y, criterion=criterion, random_state=seed)
    tree = model.tree_
    check_tree(tree)
    path = [set(tree.path_to(int(leaf))) for leaf in model.apply(X)]
    for node in np.flatnonzero(tree.kind == OBLIQUE):
        rows = np.array([row for row in range(len(X)) if node in path[row]])
        assert len(rows) == tree.n_rows[node]
        first = int(tree.first_child[node])
        sides = np.array([first + 1 in path[row] for row in rows], dtype=int)
        gain = gain_of(sides, y[rows], np.ones(len(rows)), 3, criterion)
        assert tree.gain[node] == pytest.approx(gain, abs=1e-9)
        n_terms = int(tree.term_start[node + 1] - tree.term_start[node])
        assert 2 <= n_terms <= 3
        assert len(rows) >= 10 * n_terms
        weights = tree.term_weight[tree.term_start[node] : tree.term_start[node + 1]]
        assert weights[0] > 0
        assert (weights != 0).all()
        for rival in tree.node(int(node)).competitors:
            assert gain > rival.gain * 1.05


def test_a_sum_is_found_where_columns_alone_say_little():
    X, y = slanted_rows(noise=0.0)
    tree = grown(X, y, max_depth=2).tree_
    assert tree.node(0).kind == "oblique"
    assert set(tree.term_feature[: tree.term_start[1]].tolist()) == {0, 1}


def test_with_one_term_the_tree_is_the_ordinary_one():
    X, y = slanted_rows()
    ours = grown(X, y, max_terms=1).tree_
    theirs = tw.TreeClassifier().fit(X, y).tree_
    assert ours.n_leaves == theirs.n_leaves
    assert (
        tw.ObliqueTreeClassifier(max_terms=1, prune=None).fit(X, y).export_text()
        == tw.TreeClassifier().fit(X, y).export_text()
    )


def test_weight_two_equals_the_row_twice():
    X, y = slanted_rows(150)
    weights = np.where(np.arange(150) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(150), weights.astype(int))
    by_weight = tw.ObliqueTreeClassifier().fit(X, y, weights)
    by_rows = tw.ObliqueTreeClassifier().fit(X[twice], y[twice])
    assert by_weight.export_text() == by_rows.export_text()


def test_the_best_splits_come_first_where_leaves_are_limited():
    X, y = slanted_rows()
    limited = grown(X, y, max_leaf_nodes=4)
    assert limited.get_n_leaves() == 4
    assert limited.export_text() == grown(X, y).to_leaves(4).export_text()
    reasons = {node.stop_reason for node in limited.tree_.nodes() if node.is_leaf}
    assert "max_leaf_nodes" in reasons
    assert grown(X, y, max_splits=2).get_n_leaves() == 3


def test_limits_of_depth_and_rows_hold():
    X, y = slanted_rows()
    tree = grown(X, y, max_depth=2, min_samples_leaf=20).tree_
    assert tree.depth <= 2
    assert tree.n_rows[tree.is_leaf].min() >= 20
    heavy = grown(X, y, min_weight_fraction_leaf=0.2).tree_
    assert heavy.weight[heavy.is_leaf].min() >= 0.2 * 300


def test_rows_with_holes_go_where_they_gain_and_predictions_follow():
    X, y = slanted_rows()
    X[y == 2, 0] = np.where(np.arange((y == 2).sum()) % 2, X[y == 2, 0], np.nan)
    model = grown(X, y)
    tree = model.tree_
    assert (tree.kind == OBLIQUE).any()
    assert np.array_equal(
        np.bincount(model.apply(X), minlength=tree.n_nodes)[tree.is_leaf], tree.n_rows[tree.is_leaf]
    )
    assert model.score(X, y) == 1.0


def test_words_are_split_by_level_sets_and_dates_and_infinities_are_not_summed():
    pd = imported("pandas")
    X, _ = slanted_rows(200)
    word = np.where(np.arange(200) % 3 == 0, "x", "y")
    y = np.where(word == "x", 2, X[:, 0] + X[:, 1] > 0)
    frame = pd.DataFrame(
        {
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(200), "D"),
            "a": X[:, 0],
            "b": X[:, 1],
            "endless": np.where(np.arange(200) % 50 == 0, np.inf, X[:, 0]),
            "word": word,
        }
    )
    tree = grown(frame, y).tree_
    asked = {tree.schema.columns[at].name for at in tree.term_feature}
    assert tree.node(0).kind == "subset"
    assert asked == {"a", "b"}


def test_seed_and_threads():
    X, y = slanted_rows(400, n_columns=6)
    texts = {grown(X, y, n_jobs=n, random_state=3).export_text() for n in (1, 2, 3)}
    assert len(texts) == 1


def test_large_nodes_are_searched_by_some_of_their_rows():
    X, y = slanted_rows(5_000, noise=0.0)
    model = grown(X, y, max_depth=1)
    node = model.tree_.node(0)
    assert node.kind == "oblique"
    counts = np.zeros((2, 3))
    np.add.at(counts, (model.apply(X) - 1, y), 1)
    assert node.gain == pytest.approx(tw.measures.gini_gain(counts.tolist()))


def test_weights_of_any_size_are_taken():
    X, y = slanted_rows(150)
    plain = tw.ObliqueTreeClassifier().fit(X, y, np.ones(150)).export_text()
    for size in (1e300, 1e-300):
        model = tw.ObliqueTreeClassifier(prune=None, max_depth=2).fit(X, y, np.full(150, size))
        assert np.isfinite(model.predict_proba(X)).all()
    assert "*" in plain


@given(
    st.floats(-1e9, 1e9, allow_nan=False),
    st.floats(1e-6, 1e6),
)
def test_a_threshold_lies_well_inside_the_gap(below, gap):
    above = below + gap
    threshold = threshold_between(below, above)
    assert below <= threshold < above


@pytest.mark.parametrize(
    ("below", "above", "wanted"),
    [(88.0, 94.0, 90.0), (2.4, 2.5, 2.45), (-3.0, 5.0, 1.0), (0, 1, 0.5)],
)
def test_thresholds_have_few_digits(below, above, wanted):
    assert threshold_between(below, above) == wanted
