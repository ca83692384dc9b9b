"""T62 to T67: arithmetic at its limits, for every measure and every estimator."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from small_tables import numbers
from torture.models import MODELS, Model, for_every, for_every_classifier, learned, trees_of
from treewright import measures
from treewright.data.weights import scaled_importances

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CLASS_CRITERIA = ("information_gain", "gain_ratio", "gini", "entropy", "cost_gini", "chi2")
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")
BOOSTED_LOSSES = ("squared_error", "absolute_error", "huber", "quantile")

for_every_regressor = for_every(lambda kind: kind.gives == "numbers")
for_every_grower = for_every(lambda kind: kind.trees != "none" and kind.has_target)


def steps(n_rows: int = 80, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, a target of small whole numbers that depends on them, and whole weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(3)
    y = rng.integers(0, 3, n_rows) + 4.0 * (X[:, 0] > 0) + 2.0 * (X[:, 1] > 0.5)
    return X, y, rng.integers(1, 4, n_rows).astype(float)


def splits_of(model) -> list[tuple[list[int], list[float]]]:
    """Which columns a model asks, and where it cuts them."""
    return [(tree.feature.tolist(), tree.threshold.tolist()) for tree in trees_of(model)]


@for_every_regressor
@pytest.mark.parametrize("far", [1e9, -1e12])
def test_T62_a_target_far_from_zero_gives_the_same_splits(kind, far):
    """y + 1e9 and y - 1e12, with and without weights: the splits of y, and its answers."""
    X, y, weights = steps()
    y = np.minimum(y, 2.0)
    for heavy in (None, weights):
        near = kind().fit(X, y, sample_weight=heavy)
        away = kind().fit(X, y + far, sample_weight=heavy)
        if kind.trees != "none":
            assert splits_of(away) == splits_of(near)
            assert all((tree.impurity >= 0).all() for tree in trees_of(away))
        np.testing.assert_allclose(away.predict(X) - far, near.predict(X), atol=8e-16 * abs(far))


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@pytest.mark.parametrize("kind", [tw.CARTRegressor, tw.TreeRegressor])
def test_T62_every_measure_of_numbers_stands_a_far_target(kind, criterion):
    """Poisson deviance depends on the mean, but between 1e9 and 1e12 it changes no order."""
    X, y, weights = steps()
    one = kind(criterion=criterion, prune=None).fit(X, y + 1e9, sample_weight=weights)
    other = kind(criterion=criterion, prune=None).fit(X, y + 1e12, sample_weight=weights)
    assert splits_of(one) == splits_of(other)
    assert one.tree_.n_leaves > 20
    for model in (one, other):
        assert (model.tree_.impurity >= 0).all()
        assert (model.tree_.gain >= 0).all()


@for_every_regressor
@pytest.mark.parametrize("size", [1e308, 1.7e308])
def test_T63_targets_near_the_largest_number_are_exact_or_refused(kind, size):
    """Means of targets of both signs near 1e308 are right to the last digit; else the limit."""
    X, y, _ = steps()
    huge = (y / 4 - 1) * size
    try:
        model = kind().fit(X, huge)
    except tw.DataError as error:
        told = str(error)
        assert "row 0" in told
        assert "divide the target" in told
        return
    scaled = kind().fit(X, np.ldexp(huge, -100))  # the same target, in another unit
    np.testing.assert_allclose(
        np.ldexp(model.predict(X), -100), scaled.predict(X), rtol=2**-51, atol=0
    )


@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(2, 60),
    exponent=st.sampled_from([0, 1022, -900]),
    weighted=st.booleans(),
)
def test_T63_means_of_leaves_are_exact_to_the_last_digit(seed, n_rows, exponent, weighted):
    """Against fractions: numbers of both signs, near the largest one, with weights of any size.

    The weights are those that count: importances are first scaled to a mean of 1.
    """
    rng = np.random.default_rng(seed)
    y = np.ldexp(rng.uniform(-1.99, 1.99, n_rows) * 10.0 ** -rng.integers(0, 4, n_rows), exponent)
    weights = 10.0 ** rng.uniform(-6, 6, n_rows) if weighted else np.ones(n_rows)
    X = rng.normal(size=(n_rows, 2))
    model = tw.CARTRegressor(prune=None, max_depth=2, min_samples_leaf=1).fit(
        X, y, sample_weight=weights
    )
    counted = scaled_importances(weights)
    for prediction in (predictions := model.predict(X)):
        own = predictions == prediction
        parts = [Fraction(w) for w in counted[own]]
        exact = sum(w * Fraction(n) for w, n in zip(parts, y[own], strict=True)) / sum(parts)
        assert abs(Fraction(prediction) - exact) <= Fraction(math.ulp(prediction))


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@pytest.mark.parametrize("exponent", [1019, -1068])
def test_T63_every_measure_of_numbers_stands_huge_and_tiny_targets(criterion, exponent):
    X, y, weights = steps()
    plain = tw.CARTRegressor(prune=None, criterion=criterion).fit(X, y, sample_weight=weights)
    model = tw.CARTRegressor(prune=None, criterion=criterion).fit(
        X, np.ldexp(y, exponent), sample_weight=weights
    )
    assert splits_of(model) == splits_of(plain)
    assert np.isfinite(model.tree_.value).all()
    assert (model.tree_.impurity >= 0).all()


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
@pytest.mark.parametrize("exponent", [485, 660, 1000, -660])
def test_T63_importances_and_pruning_do_not_depend_on_the_unit(criterion, exponent):
    """Gains whose numbers doubles cannot hold keep their ratios."""
    X = np.random.default_rng(0).normal(size=(400, 3))
    y = 1 + (X > 0) @ [3.0, 0.3, 0.03]
    for params in ({"prune": None}, {"cp": 0.01}):
        plain = tw.CARTRegressor(criterion=criterion, **params).fit(X, y)
        model = tw.CARTRegressor(criterion=criterion, **params).fit(X, np.ldexp(y, exponent))
        assert splits_of(model) == splits_of(plain)
        np.testing.assert_allclose(
            model.feature_importances_, plain.feature_importances_, rtol=1e-12
        )


@pytest.mark.parametrize("loss", BOOSTED_LOSSES)
def test_T63_boosting_takes_targets_up_to_its_limit(loss):
    X, y, _ = steps()
    scale = 2.0**990
    plain = tw.BoostedTreesRegressor(loss=loss, n_estimators=8).fit(X, y).predict(X)
    huge = tw.BoostedTreesRegressor(loss=loss, n_estimators=8).fit(X, y * scale).predict(X)
    np.testing.assert_allclose(huge / scale, plain, rtol=1e-12)
    with pytest.raises(tw.DataError, match=r"row 0.*1e\+300"):
        tw.BoostedTreesRegressor(loss=loss).fit(X, (y + 1) * 1e307)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "tweedie"])
def test_T63_losses_of_logarithms_name_their_limit(loss):
    X, y, _ = steps()
    with pytest.raises(tw.DataError, match=r"1e\+200.*row 0"):
        tw.BoostedTreesRegressor(loss=loss).fit(X, (y + 1) * 1e250)


def halves(n_rows: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Every row twice, once in each class: no question tells the classes apart."""
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(n_rows // 2, 3)).round(1), 2, axis=0)
    return X, np.tile([0, 1], n_rows // 2)


def growers() -> dict[str, tuple[Model, dict[str, object]]]:
    """Every grower of trees, with every measure that it has."""
    found = {}
    for kind in MODELS.values():
        if kind.trees == "none" or not kind.has_target:
            continue
        declared = {param.name: param for param in type(kind()).params}
        choices = declared["criterion"].choices if "criterion" in declared else ("",)
        for choice in choices:
            found[f"{kind.name}-{choice}"] = (kind, {"criterion": choice} if choice else {})
    return found


GROWERS = growers()
for_every_measure = pytest.mark.parametrize(("kind", "params"), GROWERS.values(), ids=list(GROWERS))


@for_every_measure
def test_T64_rounding_is_no_gain(kind, params):
    """Rows that no question tells apart: min_gain=0 splits nothing, whatever rounding leaves."""
    X, y = halves()
    given = {"bootstrap": False} if "bootstrap" in kind().get_params() else {}
    if "min_gain" in kind().get_params():
        given["min_gain"] = 0.0
    weights = np.repeat(np.random.default_rng(0).uniform(0.1, 3.0, len(y) // 2), 2)
    for sample_weight in (None, weights):
        model = kind(**params, **given).fit(X, y, sample_weight=sample_weight)
        for tree in trees_of(model):
            assert tree.n_leaves == 1, tree
            assert (tree.gain >= 0).all()


@for_every_measure
def test_T64_gains_and_impurities_are_never_negative(kind, params):
    """Pure noise with weights of many sizes; growth ends, and no gain is below zero."""
    X, _, weights = steps(200, seed=1)
    y = np.random.default_rng(5).integers(0, 3, 200)
    y = np.minimum(y, 1) if not kind.takes_any_number_of_classes else y
    model = kind(**params).fit(X, y, sample_weight=weights / 3)
    for tree in trees_of(model):
        assert (tree.gain >= 0).all()
        assert (tree.impurity >= 0).all()
        assert np.isfinite(tree.gain).all()


def tied() -> tuple[np.ndarray, np.ndarray]:
    """Three equal columns, and two thresholds of equal gain in each."""
    values = np.array([0.0] * 4 + [1.0] * 8 + [2.0] * 4)
    return np.column_stack([values] * 3), np.array([0] * 4 + [0, 1] * 4 + [1] * 4)


def tied_words() -> tuple[pd.DataFrame, np.ndarray]:
    """Three equal columns of categories, and several sets of levels of equal gain in each."""
    numbers_of, y = tied()
    words = pd.Categorical.from_codes(numbers_of[:, 0].astype(int), ["c", "a", "b"])
    return pd.DataFrame({"p": words, "q": words, "r": words}), y


def tied_kinds(first: str) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of numbers and one of two categories that part the rows alike."""
    values = np.repeat([0.0, 1.0], 8)
    words = pd.Categorical.from_codes(values.astype(int), ["low", "high"])
    columns = {"number": values, "word": words}
    names = sorted(columns, reverse=first == "word")
    return pd.DataFrame({name: columns[name] for name in names}), values.astype(int)


TIED = {
    "numbers": tied,
    "words": tied_words,
    "number and word": partial(tied_kinds, "number"),
    "word and number": partial(tied_kinds, "word"),
}
# Extra trees draw their thresholds, and M5 says nothing of so few different rows.
for_every_fixed_grower = for_every(
    lambda kind: kind.trees != "none" and kind.has_target and not kind.name.startswith("Extra")
)


def with_everything(kind: Model, **more: object):
    """An estimator that looks at all rows and columns at every node."""
    everything = {"max_features": 1.0, "max_features_node": 1.0, "bootstrap": False, **more}
    if kind.name.startswith("CART"):
        everything["prune"] = None
    known = kind().get_params()
    return kind(**{key: value for key, value in everything.items() if key in known})


def shape_of(tree: tw.Tree) -> list[list[float]]:
    """All that leads rows to leaves; the last digits of gains may depend on the order of rows."""
    arrays = (tree.feature, tree.threshold, tree.first_child, tree.level_code, tree.level_child)
    return [array.tolist() for array in arrays]


@for_every_fixed_grower
@pytest.mark.parametrize("made", TIED.values(), ids=TIED)
@pytest.mark.parametrize("times", [4, 400], ids=["few rows", "several chunks"])
def test_T65_ties_go_to_the_first_column_and_the_lowest_threshold(kind, made, times):
    """Whatever the order and the number of rows and the number of threads, for every grower."""
    X, y = made()
    rows = np.tile(np.arange(len(y)), times)
    table, target = pd.DataFrame(X).iloc[rows], y[rows]
    table.columns = [f"x{at}" for at in range(table.shape[1])]
    shuffled = np.random.default_rng(0).permutation(len(rows))
    orders = [np.arange(len(rows)), np.arange(len(rows))[::-1], shuffled]
    models = [with_everything(kind).fit(table.iloc[at], target[at]) for at in orders]
    shapes = {str([shape_of(tree) for tree in trees_of(model)]) for model in models}
    assert len(shapes) == 1
    model = with_everything(kind).fit(table, target)
    for columns, thresholds in splits_of(model):
        assert set(columns) <= {-1, 0}
        if columns[0] == 0 and made is tied and kind.splits_at == "any two values":
            assert thresholds[0] == 0.5
    if made is not tied and kind.name != "M5Regressor":
        assert splits_of(model)[0][0][0] == 0
    if "n_jobs" in kind().get_params():
        jobs = [with_everything(kind, n_jobs=n).fit(table, target) for n in (1, 2, 3)]
        assert len({learned(one) for one in jobs}) == 1


def test_T65_sets_of_words_are_tried_in_the_order_of_their_first_rows():
    """Plain words have no other order; categories have, whatever the rows."""
    table, y = tied_words()
    back = np.arange(len(y))[::-1]

    def levels_of(X):
        model = tw.CARTClassifier(prune=None).fit(X, y if X is table else y[back])
        return model.schema_.columns[0].levels

    assert levels_of(table) == levels_of(table.iloc[back]) == ("c", "a", "b")
    words = table.astype(str)
    assert tw.CARTClassifier(prune=None).fit(words, y).schema_.columns[0].levels == ("c", "a", "b")
    reverse = tw.CARTClassifier(prune=None).fit(words.iloc[back], y[back])
    assert reverse.schema_.columns[0].levels == ("b", "a", "c")


def test_T65_ties_among_close_targets_far_from_the_mean_are_not_decided_by_rounding():
    """P4 where it is hard: sums of weights and of copies are rounded otherwise."""
    to_the_end = {"min_samples_leaf": 1, "min_samples_split": 2, "cp": 0.0}
    for seed in range(40):
        draw = np.random.default_rng(seed)
        is_far = np.arange(12) > 5
        y = np.where(is_far, 50 + draw.integers(0, 4, 12) * 0.01, draw.normal(size=12))
        X = draw.integers(0, 3, (12, 5)) + 5.0 * is_far[:, np.newaxis]
        times = draw.integers(1, 4, 12)
        rows = np.repeat(np.arange(12), times)
        weighted = tw.CARTRegressor(**to_the_end).fit(X, y, sample_weight=times.astype(float))
        copied = tw.CARTRegressor(**to_the_end).fit(X[rows], y[rows])
        assert splits_of(weighted) == splits_of(copied)


def test_T66_measures_of_empty_classes_and_sides_are_finite():
    """0 log 0 is 0, and a column of one value has no split information to divide by."""
    assert measures.entropy([4, 0, 0]) == 0.0
    assert measures.entropy([0, 3, 3]) == 1.0
    assert measures.gini([0, 0, 5]) == 0.0
    empty_side = [[3, 0, 2], [0, 0, 0]]
    for name in ("information_gain", "gain_ratio", "gini_gain", "chi_square"):
        assert math.isfinite(getattr(measures, name)(empty_side)), name


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_T66_trees_of_empty_classes_are_finite(criterion):
    """A class without weight, a column of one value, a level for each row."""
    rng = np.random.default_rng(0)
    X = {
        "same": [1.0] * 40,
        "id": [f"r{row}" for row in range(40)],
        "level": rng.choice(["a", "b"], 40).tolist(),
        "x": rng.normal(size=40).tolist(),
    }
    y = np.arange(40) % 3
    model = tw.TreeClassifier(criterion=criterion, nominal="branches")
    tree = model.fit(X, y, sample_weight=np.where(y == 1, 0.0, 1.0)).tree_
    assert not tree.is_leaf.all()
    for values in (tree.gain, tree.impurity, tree.score[~tree.is_leaf]):
        assert np.isfinite(values).all()
    assert (tree.impurity >= 0).all()


@for_every_classifier
def test_T66_probabilities_lie_between_0_and_1_and_add_up_to_1(kind):
    """Within two units of the last place, with weights of sixteen sizes."""
    X, y = numbers(150)
    many = np.arange(150) % 7
    rng = np.random.default_rng(0)
    targets = [y, many] if kind.takes_any_number_of_classes else [y]
    for target in targets:
        for weights in (None, 10.0 ** rng.integers(-8, 8, 150)):
            found = kind().fit(X, target, sample_weight=weights).predict_proba(X)
            assert (found >= 0).all()
            assert (found <= 1).all()
            assert (np.abs(found.sum(axis=1) - 1) <= 2 * 2**-52).all()


@for_every(lambda kind: "laplace" in kind().get_params())
def test_T66_smoothing_by_laplace_of_classes_without_rows_is_finite(kind):
    """A leaf without rows of a class gives it a share; a class without any row is absent."""
    X, _ = numbers(60)
    weights = np.where(np.arange(60) % 3 == 2, 0.0, 1.0)
    model = kind(laplace=True)
    found = model.fit(X, np.arange(60) % 3, sample_weight=weights).predict_proba(X)
    assert found.shape == (60, 2)
    assert (found > 0).all()
    assert (np.abs(found.sum(axis=1) - 1) <= 2 * 2**-52).all()


def separable(n_rows: int = 40) -> tuple[np.ndarray, np.ndarray]:
    X = np.arange(float(n_rows))[:, np.newaxis]
    return X, (X[:, 0] >= n_rows / 2).astype(int)


def boosted_on_separable_rows(n_rounds: int) -> None:
    """Boost without restraint, and look for what is not finite."""
    X, y = separable()
    bold = {"n_estimators": n_rounds, "learning_rate": 1.0, "min_samples_leaf": 1}
    for target in (y, np.repeat([0, 1, 2, 3], 10)):
        model = tw.BoostedTreesClassifier(**bold).fit(X, target)
        found = model.predict_proba(X)
        assert np.isfinite(found).all()
        assert np.isfinite(np.log(found[np.arange(40), target])).all()
        assert (model.predict(X) == target).all()
        assert all(np.isfinite(tree.value).all() for tree in trees_of(model)[-20:])
    for loss in ("poisson", "gamma", "tweedie"):
        model = tw.BoostedTreesRegressor(loss=loss, **bold).fit(X, 1e-3 + 1e3 * y)
        assert np.isfinite(model.predict(X)).all()


def test_T67_boosting_on_separable_rows_stays_finite():
    """learning_rate=1 and nothing that holds it back: finite leaves, finite log loss."""
    boosted_on_separable_rows(150)


@pytest.mark.large
def test_T67_boosting_on_separable_rows_stays_finite_for_5000_rounds():
    boosted_on_separable_rows(5000)


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
def test_T67_no_squared_distance_is_negative_and_equal_rows_are_at_zero(offset):
    """Far from the origin |x|^2 - 2xy + |y|^2 would lose all digits: distances here do not."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 6, (40, 3)).astype(float), 2, axis=0) + offset
    for scale in (None, "standard"):
        model = tw.KNeighborsClassifier(n_neighbors=2, scale=scale).fit(X, np.arange(80) % 2)
        distances, _ = model.kneighbors(X)
        assert (distances == 0).all()
    clusters = tw.KMeans(n_clusters=5, n_init=1).fit(X)
    found = clusters.transform(X)
    assert (found >= 0).all()
    assert clusters.inertia_ >= 0
    plain = tw.KMeans(n_clusters=5, n_init=1).fit(X - offset)
    np.testing.assert_array_equal(clusters.labels_, plain.labels_)
    assert clusters.inertia_ == pytest.approx(plain.inertia_)


@for_every(lambda kind: kind.gives == "groups")
def test_T67_a_row_that_is_a_center_is_at_distance_zero(kind):
    X = np.array([[1e8 + 1, 0.1], [1e8 - 1, 0.3], [1e8, 0.7]])
    found = kind(n_clusters=3).fit(X).transform(X)
    assert (found.min(axis=1) == 0).all()


CLOSE = np.array([1.0, 2.0, 9.0, 9.1])
SIDES = np.array([0, 0, 1, 1])
UNITS = [1e-120, 1e-138, 1e-141, 1e-170, 1e-200, 1e-305]


@pytest.mark.parametrize("unit", UNITS)
@for_every(lambda kind: "Neighbors" in kind.name)
def test_T67_near_rows_whose_squared_distance_vanishes_are_refused(kind, unit):
    """Without a scale; where it does not vanish, and with a scale, the nearest is found."""
    rows, asked = CLOSE[:, None] * unit, np.array([[9.05 * unit]])
    for scale in (None, "range", "standard"):
        for distance in ("euclidean", "heom", "manhattan"):
            model = kind(n_neighbors=1, scale=scale, metric=distance)
            if scale is None and distance != "manhattan" and unit < 1e-140:
                with pytest.raises(tw.DataError, match=r"`x0`: its numbers .* (is|are) 0\n"):
                    model.fit(rows, SIDES)
            else:
                assert model.fit(rows, SIDES).predict(asked) == [1]


@pytest.mark.parametrize("unit", UNITS)
@for_every(lambda kind: kind.gives == "groups")
def test_T67_clusters_whose_squared_distance_vanishes_are_refused(kind, unit):
    """If no column tells the rows apart; beside one that does, such a column counts nothing."""
    rows = CLOSE[:, None] * unit
    beside = np.column_stack([rows[::-1], CLOSE])
    for scale in (None, "range", "standard"):
        model = kind(n_clusters=2, scale=scale)
        if scale is None and unit < 1e-140:
            with pytest.raises(tw.DataError, match=r"`x0`: its numbers .* (is|are) 0\n"):
                model.fit(rows)
        else:
            assert len({*zip(model.fit(rows).labels_, SIDES, strict=True)}) == 2
        if scale is None:
            assert len({*zip(model.fit(beside).labels_, SIDES, strict=True)}) == 2
