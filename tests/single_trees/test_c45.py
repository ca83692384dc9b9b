"""C4.5: what its options change."""

import numpy as np
import pytest

import treewright as tw


def hypothyroid_like(n_rows: int = 400, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = {
        "tsh": np.round(rng.gamma(2.0, 2.0, n_rows), 1),
        "sex": rng.choice(["f", "m"], n_rows),
        "source": rng.choice(list("abcdef"), n_rows),
    }
    y = np.where((X["tsh"] > 5) & (X["source"] != "a"), "sick", "well")
    y[rng.random(n_rows) < 0.1] = "sick"
    return X, y


def test_a_threshold_is_a_value_of_the_table_or_the_midpoint():
    X = [[1.0], [2.0], [5.0], [6.0]] * 3
    y = [0, 0, 1, 1] * 3
    assert tw.C45Classifier().fit(X, y).tree_.threshold[0] == 2.0
    assert tw.C45Classifier(midpoint_thresholds=True).fit(X, y).tree_.threshold[0] == 3.5


@pytest.mark.parametrize("kind", [tw.C45Classifier, tw.C45Rules])
def test_a_dense_column_is_split_at_its_boundary(kind):
    """Neighboring values are closer than 1e-5: that is no reason not to separate them."""
    X = np.arange(200_001)[:, np.newaxis] / 200_000
    model = kind().fit(X, X[:, 0] > 0.5)
    assert model.tree_.n_leaves == 2
    assert model.tree_.threshold[0] == 0.5
    assert model.score(X, X[:, 0] > 0.5) == 1.0


@pytest.mark.parametrize("kind", [tw.C45Classifier, tw.C45Rules])
def test_a_concentration_in_small_units_is_as_good_as_in_large_ones(kind):
    """Values around 1e-6, as of mol/l."""
    rng = np.random.default_rng(0)
    in_micromoles = rng.uniform(0.1, 9.0, size=(400, 2))
    y = (in_micromoles[:, 0] > 3) ^ (in_micromoles[:, 1] > 5)
    in_moles = in_micromoles * 2.0**-20
    large, small = kind().fit(in_micromoles, y), kind().fit(in_moles, y)
    assert small.score(in_moles, y) == large.score(in_micromoles, y) > 0.95
    np.testing.assert_array_equal(small.tree_.threshold, large.tree_.threshold * 2.0**-20)


@pytest.mark.parametrize("kind", [tw.C45Classifier, tw.C45Rules])
def test_j48_gaps_keeps_the_rule_of_weka(kind):
    """No threshold between values within 1e-5 of each other, whatever the unit."""
    X = np.array([1.0, 1.000001, 1.000002, 1.000003, 1.00005, 1.000051] * 4)[:, np.newaxis]
    y = X[:, 0] > 1.0000025
    assert kind().fit(X, y).tree_.threshold[0] == 1.000002
    assert kind(j48_gaps=True).fit(X, y).tree_.threshold[0] == 1.000003
    assert kind(j48_gaps=True).fit(X * 1e6, y).tree_.threshold[0] == 1.000002 * 1e6
    assert kind(j48_gaps=True).fit(X / 1e6, y).tree_.n_leaves == 1


def test_collapse_takes_subtrees_away_that_gain_nothing():
    X, y = hypothyroid_like()
    whole = tw.C45Classifier(collapse=False, prune=None).fit(X, y)
    collapsed = tw.C45Classifier(prune=None).fit(X, y)
    assert collapsed.tree_.n_nodes < whole.tree_.n_nodes
    assert collapsed.score(X, y) == whole.score(X, y)


def test_laplace_counts_every_class_once_more():
    X, y = tw.load_sample("tennis")
    plain = tw.C45Classifier().fit(X, y)
    smooth = tw.C45Classifier(laplace=True).fit(X, y)
    # The first day falls into the leaf of three days without play.
    np.testing.assert_allclose(plain.predict_proba(X)[0], [1, 0])
    np.testing.assert_allclose(smooth.predict_proba(X)[0], [4 / 5, 1 / 5])
    np.testing.assert_array_equal(smooth.predict(X), plain.predict(X))
    assert smooth.tree_.same_as(plain.tree_)


def test_a_missing_value_is_spread_over_the_branches():
    X, y = tw.load_sample("tennis")
    model = tw.C45Classifier().fit(X, y)
    row = {"outlook": [None], "temperature": ["Hot"], "humidity": ["High"], "wind": ["Weak"]}
    # Sunny and High says No (5 of 14), Overcast Yes (4 of 14), Rain and Weak Yes (5 of 14).
    np.testing.assert_allclose(model.predict_proba(row), [[5 / 14, 9 / 14]])
    assert model.predict(row) == ["Yes"]


def test_weight_two_is_the_row_twice_with_holes_and_limits():
    X, y = hypothyroid_like(150)
    X["tsh"][::7] = np.nan
    twice = {name: np.repeat(column, 2) for name, column in X.items()}
    weighted = tw.C45Classifier().fit(X, y, sample_weight=np.full(150, 2.0))
    repeated = tw.C45Classifier().fit(twice, np.repeat(y, 2))
    assert weighted.export_text() == repeated.export_text()


def test_limits_are_weights_so_fractions_are_allowed():
    X, y = hypothyroid_like()
    light = tw.C45Classifier(min_samples_leaf=0.2).fit(X, y, sample_weight=np.full(400, 0.1))
    plain = tw.C45Classifier(min_samples_leaf=2, collapse=False).fit(X, y)
    assert light.tree_.n_nodes <= plain.tree_.n_nodes
    assert light.tree_.n_nodes > 1


def test_the_default_prunes_by_errors_with_raising():
    X, y = hypothyroid_like()
    default = tw.C45Classifier().fit(X, y)
    assert default.pruning_.method == "error_based"
    assert default.pruning_.options == {"confidence": 0.25, "subtree_raising": True}
    by_hand = tw.prune(tw.C45Classifier(prune=None).fit(X, y), "error_based", X, y)
    assert default.tree_.same_as(by_hand.tree_)


def test_a_smaller_confidence_prunes_more():
    X, y = tw.load_sample("iris")
    sizes = [
        tw.C45Classifier(confidence=confidence, min_samples_leaf=1).fit(X, y).get_n_leaves()
        for confidence in (0.5, 0.25, 0.05)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_without_raising_no_branch_moves():
    X, y = hypothyroid_like()
    model = tw.C45Classifier(subtree_raising=False).fit(X, y)
    assert not model.pruning_.raised.any()


def test_rows_held_back_prune_by_their_errors():
    X, y = hypothyroid_like()
    model = tw.C45Classifier(prune="reduced_error", prune_options={"fraction": 0.5}).fit(X, y)
    assert model.pruning_.method == "reduced_error"
    assert model.tree_.n_rows[0] == len(y) / 2
    other = tw.C45Classifier(
        prune="reduced_error", prune_options={"fraction": 0.5}, random_state=1
    ).fit(X, y)
    assert not other.tree_.same_as(model.tree_)


@pytest.mark.parametrize("value", [True, False, "errors"])
def test_pruning_by_an_unknown_method_is_refused(value):
    with pytest.raises(tw.ParameterError, match=f"prune={value!r}"):
        tw.C45Classifier(prune=value).fit(*tw.load_sample("tennis"))


def test_class_weights_multiply_row_weights():
    X, y = hypothyroid_like()
    by_class = tw.C45Classifier(class_weight={"sick": 3}).fit(X, y)
    by_row = tw.C45Classifier().fit(X, y, sample_weight=np.where(y == "sick", 3.0, 1.0))
    assert by_class.tree_.same_as(by_row.tree_)
