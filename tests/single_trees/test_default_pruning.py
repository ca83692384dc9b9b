"""CART prunes by default, as its book does, unless something else decides the size."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier

import treewright as tw
from treewright.data.row_hash import row_hashes
from treewright.induction.growth import grow_tree, sorted_columns
from treewright.induction.settings import GrowthSettings
from treewright.pruning import cross_validation
from treewright.pruning.cost_complexity_path import PathRule, path_of
from treewright.pruning.cross_validation import cross_validated, folds_for
from treewright.single_trees import growing
from treewright.single_trees.growing import rows_to_regrow
from treewright.verbs.load import model_bytes


def noisy(n_rows=400, seed=0, *, numbers=False):
    rng = np.random.default_rng(seed)
    X = {
        "size": rng.normal(size=n_rows).round(1),
        "color": rng.choice(["red", "green", "blue"], n_rows),
        "noise": rng.normal(size=n_rows),
    }
    y = X["size"] + (X["color"] == "red") + rng.normal(size=n_rows)
    return tw.table_from(X), y if numbers else np.where(y > 0.3, "yes", "no")


@pytest.mark.parametrize("kind", [tw.CARTClassifier, tw.CARTRegressor])
def test_the_default_is_cross_validation(kind):
    X, y = noisy(numbers=kind is tw.CARTRegressor)
    model = kind().fit(X, y)
    asked = kind(prune="cv").fit(X, y)
    assert model.tree_.same_as(asked.tree_)
    assert 1 < model.get_n_leaves() < kind(prune=None).fit(X, y).get_n_leaves() / 3
    assert model.pruning_.options["folds"] == 10
    assert model.pruning_.options["standard_errors"] == 1.0


@pytest.mark.parametrize("settings", [{"prune": None}, {"cp": 0.0}, {"ccp_alpha": 1e-12}])
def test_cp_and_ccp_alpha_take_the_place_of_the_default(settings):
    X, y = noisy()
    assert tw.CARTClassifier(**settings).fit(X, y).get_n_leaves() > 50


def test_members_of_a_forest_are_not_pruned():
    X, y = noisy()
    by_name = tw.RandomForestClassifier(n_estimators=2, inductors=["cart"]).fit(X, y)
    given = tw.RandomForestClassifier(n_estimators=2, inductors=[tw.CARTClassifier()]).fit(X, y)
    full = tw.RandomForestClassifier(n_estimators=2, inductors=[tw.CARTClassifier(prune=None)]).fit(
        X, y
    )
    assert by_name.get_n_leaves() == given.get_n_leaves() == full.get_n_leaves() > 100


def test_a_small_table_is_not_pruned():
    X, y = tw.load_sample("buys_computer")
    assert tw.CARTClassifier().fit(X, y).get_n_leaves() > 2
    assert tw.CARTClassifier(prune="cv").fit(X, y).get_n_leaves() == 1


def test_members_of_bagging_take_prune_none():
    X, y = noisy()
    numbers = np.column_stack([X["size"].values, X["noise"].values])
    bag = BaggingClassifier(tw.CARTClassifier(prune=None), n_estimators=2, random_state=0)
    assert min(one.get_n_leaves() for one in bag.fit(numbers, y).estimators_) > 30


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_neither_the_order_of_rows_nor_units_nor_copies_matter(numbers, seed):
    X, y = noisy(120, seed, numbers=numbers)
    kind = tw.CARTRegressor if numbers else tw.CARTClassifier
    model = kind().fit(X, y)
    rng = np.random.default_rng(seed)
    order = rng.permutation(120)
    assert kind().fit(X[order], y[order]).get_n_leaves() == model.get_n_leaves()
    times = rng.integers(1, 4, 120)
    rows = np.repeat(np.arange(120), times)
    copied = kind().fit(X[rows], y[rows])
    weighted = kind().fit(X, y, sample_weight=times.astype(float))
    assert copied.get_n_leaves() == weighted.get_n_leaves()
    np.testing.assert_allclose(
        copied.predict(X) if numbers else copied.predict_proba(X),
        weighted.predict(X) if numbers else weighted.predict_proba(X),
    )
    columns = {"size": X["size"].values * 2.54, "color": X["color"].to_numpy()}
    other = tw.table_from(columns | {"noise": X["noise"].values / 7})
    assert kind().fit(other, y).get_n_leaves() == model.get_n_leaves()


def test_equal_rows_are_in_one_fold_and_classes_are_spread_evenly():
    X, y = noisy(300)
    rows = np.concatenate([np.arange(300), np.arange(100)])
    model = tw.CARTClassifier(prune=None).fit(X[rows], y[rows])
    pruning_rows = rows_to_regrow(model, training_rows(X[rows], y[rows]))
    fold = folds_for(pruning_rows, 10, np.random.default_rng(0))
    assert (fold[:100] == fold[300:]).all()
    for label in ("yes", "no"):
        counts = np.bincount(fold[:300][y == label], minlength=10)
        assert counts.max() - counts.min() <= 1


def training_rows(X, y):
    from treewright.data.target import encode_classes, encode_numbers
    from treewright.estimators.training import TrainingRows

    encode = encode_numbers if np.asarray(y).dtype.kind == "f" else encode_classes
    return TrainingRows(X, encode(y, n_rows=len(y)), None)


@pytest.mark.parametrize("numbers", [False, True])
def test_trees_for_high_prices_give_the_risks_of_full_ones(numbers):
    """Growth that stops at nodes not worth a split changes nothing at the prices asked for."""
    for seed in range(3):
        X, y = noisy(150, seed, numbers=numbers)
        kind = tw.CARTRegressor if numbers else tw.CARTClassifier
        model = kind(prune=None).fit(X, y)
        rows = rows_to_regrow(model, training_rows(X, y))
        rule = PathRule("error")
        path = path_of(model.tree_, rule)
        fold = folds_for(rows, 5, np.random.default_rng(seed))
        full = cross_validated(path, rule, rows, fold).held_out
        for first in range(1, len(path), max(1, len(path) // 4)):
            part = cross_validated(path, rule, rows, fold, first=first).held_out
            assert np.isinf(part.risks[:first]).all()
            np.testing.assert_allclose(part.risks[first:], full.risks[first:], rtol=1e-12)
            errors = part.standard_errors[first:], full.standard_errors[first:]
            np.testing.assert_allclose(*errors, rtol=1e-9)


def test_large_trees_are_judged_from_the_small_subtrees_on(monkeypatch):
    X, y = noisy(3000)
    expected = tw.CARTClassifier().fit(X, y)
    monkeypatch.setattr(cross_validation, "MANY_LEAVES", 100)
    monkeypatch.setattr(cross_validation, "FIRST_SHARE", 3)
    model = tw.CARTClassifier().fit(X, y)
    risks = model.pruning_.path.held_out.risks
    assert np.isinf(risks[0])
    assert np.isfinite(risks[-1])
    assert model.tree_.same_as(expected.tree_)


@pytest.mark.parametrize("first_share", [3, 8, 40])  # the best tree is, or is not, well inside
@pytest.mark.parametrize("counts", [False, True])
def test_how_trees_of_folds_are_grown_affects_the_time_only(monkeypatch, first_share, counts):
    """In full beforehand, as far as needed, or first so and then in full: the same numbers."""
    X, y = noisy(1500, seed=3)
    weights = np.arange(1500) % 3 + 1.0 if counts else None
    monkeypatch.setattr(cross_validation, "MANY_LEAVES", 100)
    monkeypatch.setattr(cross_validation, "FIRST_SHARE", first_share)
    found = set()
    for n_tried, most_in_turn, looks_small in (
        (2, 4, cross_validation.looks_small),
        (1, 4, lambda *_: True),
        (3, 4, lambda *_: False),
        (2, 0, cross_validation.looks_small),
    ):
        monkeypatch.setattr(cross_validation, "N_TRIED", n_tried)
        monkeypatch.setattr(cross_validation, "MOST_IN_TURN", most_in_turn)
        monkeypatch.setattr(cross_validation, "looks_small", looks_small)
        found.add(judged_bytes(tw.CARTClassifier().fit(X, y, sample_weight=weights)))
    monkeypatch.setattr(growing, "can_stop_afterwards", lambda *_: False)
    found.add(judged_bytes(tw.CARTClassifier().fit(X, y, sample_weight=weights)))
    assert len(found) == 1


def judged_bytes(model):
    held_out = model.pruning_.path.held_out
    return held_out.risks.tobytes() + held_out.standard_errors.tobytes() + model_bytes(model)


@pytest.mark.parametrize("seed", range(4))
def test_growth_that_stops_by_risk_is_part_of_full_growth(seed):
    X, y = noisy(400, seed)
    model = tw.CARTClassifier(prune=None)
    rows = rows_to_regrow(model, training_rows(X, y))
    some = np.flatnonzero(np.arange(400) % 10 != seed)
    for risk in (0.0, 1 / 400, 2.5 / 400, 0.05, 1.0):
        expected, found = rows.regrow(some, risk), rows.stopped(rows.regrow(some, None), risk)
        for name in ("kind", "feature", "threshold", "first_child", "missing_child", "value"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("seed", range(3))
def test_errors_added_up_by_node_are_those_added_up_by_row(monkeypatch, seed):
    X, y = noisy(600, seed)
    columns = {name: X[name].to_numpy() for name in X.names}
    rng = np.random.default_rng(seed)
    columns["size"] = np.where(rng.random(600) < 0.2, np.nan, columns["size"])  # some rows stop
    models = [tw.CARTClassifier(max_surrogates=0), tw.CARTClassifier()]
    by_node = [judged_bytes(model.fit(columns, y)) for model in models]
    monkeypatch.setattr(cross_validation, "counts_errors", lambda *_: False)
    assert [judged_bytes(model.fit(columns, y)) for model in models] == by_node


def test_surrogates_that_no_row_asks_change_nothing(monkeypatch):
    X, y = noisy(800)
    rng = np.random.default_rng(0)
    color = np.where(rng.random(800) < 0.1, None, X["color"].to_numpy())
    holes = np.where(rng.random(800) < 0.1, np.nan, X["noise"].values)
    columns = {"size": X["size"].values, "color": color, "noise": holes}
    expected = judged_bytes(tw.CARTClassifier().fit(columns, y))
    native = GrowthSettings.native

    def with_all(settings, total):
        return native(replace(settings, without_surrogates=()), total)

    monkeypatch.setattr(GrowthSettings, "native", with_all)
    assert judged_bytes(tw.CARTClassifier().fit(columns, y)) == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_hashed_by_the_ranks_of_sorted_columns(dtype):
    """Few and many values, missing ones, both zeros and infinities."""
    rng = np.random.default_rng(0)
    few = rng.choice([-0.0, 0.0, 1.5, np.nan, np.inf], 600).astype(dtype)
    many = np.where(rng.random(600) < 0.1, np.nan, rng.normal(size=600).round(2)).astype(dtype)
    lowest = np.array([-np.inf, np.finfo(np.float64).min, 0.0] * 200)
    table = tw.table_from(
        {"few": few, "many": many, "lowest": lowest, "letter": rng.choice(list("abc"), 600)}
    )
    target = rng.integers(0, 2, 600)
    expected = row_hashes(table, target, 7)
    in_order = sorted_columns(table)
    np.testing.assert_array_equal(row_hashes(table, target, 7, in_order.ranks), expected)


@pytest.mark.parametrize("seed", range(5))
def test_sorted_columns_of_some_rows_grow_the_same_tree(seed):
    X, y = noisy(200, seed)
    rng = np.random.default_rng(seed)
    some = np.flatnonzero(rng.random(200) < 0.7)
    rows = training_rows(X, y).take(some)
    settings = GrowthSettings()
    taken = sorted_columns(X).take(some)
    alone = grow_tree(rows.table, rows.target, None, settings)
    assert grow_tree(rows.table, rows.target, None, settings, 1, taken).same_as(alone)


@pytest.mark.parametrize("positions", [[], [3, 2], [1, 1], [-1, 0], [5, 200]])
def test_positions_that_are_no_rows_are_refused(positions):
    X, _ = noisy(200)
    with pytest.raises(ValueError, match="positions"):
        sorted_columns(X).take(np.array(positions, dtype=np.int64))


def test_a_node_of_little_risk_is_a_leaf():
    X, y = noisy(300)
    rows = training_rows(X, y)
    tree = grow_tree(rows.table, rows.target, None, GrowthSettings(min_risk=5 / 300))
    errors = tree.value.sum(axis=1) - tree.value.max(axis=1)
    assert (errors[~tree.is_leaf] > 5).all()
    assert (errors[tree.is_leaf] <= 5).all()


def test_a_target_too_large_to_be_squared_is_not_pruned_and_that_is_said():
    X, y = noisy(100, numbers=True)
    with pytest.warns(UserWarning, match="not pruned"):
        model = tw.CARTRegressor().fit(X, y * 1e160)
    assert model.pruning_ is None


def test_old_files_are_not_pruned_when_they_are_fitted_again(tmp_path):
    X, y = noisy()
    path = tmp_path / "m.json"
    tw.CARTClassifier(prune=None).fit(X, y).save(path)
    assert tw.load(path).prune is None
    tw.CARTClassifier().fit(X, y).save(path)
    assert tw.load(path).prune == "auto"
