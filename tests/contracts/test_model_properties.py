"""What must hold for every estimator, whatever the table: nothing but the data shapes the model.

The numbers are those of the project's list of properties. Each test fits an estimator to a table
and to the same table written in another way, and compares what it predicts for rows that it has not
met. Rows have weights of their own, so that no two splits are equally good. Who is left out of a
test is named beside it with the reason.
"""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from examples import share_of_examples
from torture.models import MODELS, Model, for_every, predictions, trees_of
from treewright.tree.layout import LEAF, SPREAD, STOP

# Nothing is drawn: what draws rows or columns by their number depends on their order.
NOTHING_DRAWN: dict[str, dict[str, object]] = {
    "RandomForestClassifier": {"bootstrap": False, "max_features": 1.0},
    "RandomForestRegressor": {"bootstrap": False, "max_features": 1.0},
    "BoostedTreesClassifier": {"max_features_node": 1.0},
    "BoostedTreesRegressor": {"max_features_node": 1.0},
    "CandidateElimination": {"positive": "q"},
    "FindS": {"positive": "q"},
}
DRAWN: dict[str, dict[str, object]] = {
    "RandomForestClassifier": {"bootstrap": True},
    "RandomForestRegressor": {"bootstrap": True},
    "BoostedTreesClassifier": {"subsample": 0.7},
    "BoostedTreesRegressor": {"subsample": 0.7},
}
# Else two of the models of this table are a single leaf.
UNPRUNED: dict[str, dict[str, object]] = {
    "M5Regressor": {"prune": False},
    "ObliqueTreeClassifier": {"prune": None},
}
# By default, CART is pruned by folds of the rows, which follow the values of the rows; forests
# choose their shrinkage by such folds.
NO_FOLDS: dict[str, dict[str, object]] = {
    "CARTClassifier": {"prune": None},
    "CARTRegressor": {"prune": None},
    "RandomForestClassifier": {"shrinkage": 0},
    "RandomForestRegressor": {"shrinkage": 0},
    "ExtraTreesClassifier": {"shrinkage": 0},
    "ExtraTreesRegressor": {"shrinkage": 0},
}
# The same for readable trees, which cannot do without folds.
CHOOSES = ("ReadableTreeClassifier", "ReadableTreeRegressor")
# Rows with a hole go to all branches, or later another way than by the surrogates of the time.
LEADS_HOLES_ELSEWHERE = ("C45Classifier", "CARTClassifier", "CARTRegressor")
DRAWS = ("IsolationForest", "ExtraTreesClassifier", "ExtraTreesRegressor")
CLIMBS = ("ObliqueTreeClassifier",)  # the last digits of sums over rows decide where to
STARTS_AT_ROWS = ("KMeans", "KPrototypes")
BY_DISTANCE = ("KNeighborsClassifier", "KNeighborsRegressor", *STARTS_AT_ROWS)
BY_SLOPES = ("M5Regressor", "GradientDescentClassifier", "GradientDescentRegressor")
DESCENDS = ("GradientDescentClassifier", "GradientDescentRegressor")

# One table in a normal run: all estimators are fitted to each, twice.
N_SEEDS = share_of_examples(1)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # concepts that are none

Rows = dict[str, np.ndarray]


def for_all_but(*left_out: str, gives: str = "") -> pytest.MarkDecorator:
    return for_every(
        lambda kind: (
            kind.name not in left_out
            and kind.gives != "tables"
            and (not gives or kind.gives == gives)
        )
    )


def a_table(kind: Model, seed: int, n_rows: int = 90) -> tuple[Rows, np.ndarray, np.ndarray]:
    """Three columns of numbers, one of levels; classes or quarters that depend on all; weights."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, n_rows))
    levels = rng.integers(0, 4, n_rows)
    score = a + b * c + (levels == 1) + 0.3 * rng.normal(size=n_rows)
    words = np.array(["level 0", "level 1", "level 2", "level 3"], dtype=object)
    X = {"a": a, "b": b, "c": c, "level": words[levels] if kind.takes_words else levels * 1.0}
    if not kind.is_classifier:
        return X, np.round(4 * score) / 4, rng.random(n_rows) + 0.5
    n_classes = 3 if kind.takes_any_number_of_classes else 2
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    return X, np.array(["p", "q", "r"])[np.digitize(score, cuts)], rng.random(n_rows) + 0.5


def new_rows(kind: Model) -> Rows:
    return a_table(kind, seed=1000, n_rows=40)[0]


def fitted(
    kind: Model, X: Rows, y: np.ndarray, weights: np.ndarray, *, min_rows: int = 0, **params: object
):
    """The model, nothing drawn by default; with `min_rows`, no leaf of a tree has fewer."""
    model = kind(**{**NOTHING_DRAWN.get(kind.name, {}), **params})
    if min_rows and "min_samples_leaf" in model.get_params():
        model.set_params(min_samples_leaf=min_rows)
    takes_weights = "sample_weight" in inspect.signature(model.fit).parameters
    return model.fit(X, y, sample_weight=weights) if takes_weights else model.fit(X, y)


def taken(X: Rows, rows: np.ndarray) -> Rows:
    return {name: values[rows] for name, values in X.items()}


def with_holes(X: Rows, seed: int) -> Rows:
    """The table with every seventh number or so missing."""
    rng = np.random.default_rng(seed)
    holed = {name: np.where(rng.random(len(X[name])) < 1 / 7, np.nan, X[name]) for name in "abc"}
    return {**X, **holed}


def assert_same_predictions(kind: Model, one: np.ndarray, other: np.ndarray) -> None:
    """Equal but for rounding; a descent ends where a step is small, which rounding decides too."""
    if one.dtype.kind in "OU":
        np.testing.assert_array_equal(one, other)
    else:
        near = 1e-5 if kind.name in DESCENDS else 1e-9
        np.testing.assert_allclose(one, other, rtol=near, atol=near)


# Distances and slopes are not of the order alone, and isolation cuts at random. C4.5 minds gaps,
# and a branch that it raises is given other rows, which may lie between the values of its cuts.
@for_all_but(*BY_DISTANCE, *BY_SLOPES, *CLIMBS, "C45Classifier", "C45Rules", "IsolationForest")
def test_P1_a_rising_map_of_numbers_keeps_the_predictions_for_training_rows(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        mapped = {k: v if k == "level" else v**3 + 2 * v for k, v in X.items()}
        one, other = fitted(kind, X, y, weights), fitted(kind, mapped, y, weights)
        assert_same_predictions(kind, predictions(one, X), predictions(other, mapped))


@for_all_but(*DRAWS, *STARTS_AT_ROWS, *CLIMBS)
def test_P2_the_order_of_rows_is_no_information(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        order = np.random.default_rng(seed).permutation(len(y))
        one = fitted(kind, X, y, weights)
        other = fitted(kind, taken(X, order), y[order], weights[order])
        assert_same_predictions(
            kind, predictions(one, new_rows(kind)), predictions(other, new_rows(kind))
        )


# Rules that are worth the same bits are taken in the order of the columns.
@for_all_but(*DRAWS, *CHOOSES, "C45Rules")
def test_P3_the_order_of_columns_is_no_information(kind):
    """Two rows are parted by any column as well; eight hardly ever by two alike."""
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        names = ["level", "c", "a", "b"]
        other = fitted(
            kind,
            {name: X[name] for name in names},
            y,
            weights,
            min_rows=8,
            **NO_FOLDS.get(kind.name, {}),
        )
        asked = new_rows(kind)
        moved = {name: asked[name] for name in names}
        one = fitted(kind, X, y, weights, min_rows=8, **NO_FOLDS.get(kind.name, {}))
        assert_same_predictions(kind, predictions(one, asked), predictions(other, moved))


# Drawn rows are not drawn twice as often, and gradients are rounded once for a row.
@for_all_but(*DRAWS, *CLIMBS, "BoostedTreesClassifier", "BoostedTreesRegressor")
def test_P4_a_whole_weight_is_so_many_copies_of_the_row(kind):
    for seed in range(N_SEEDS):
        X, y, _ = a_table(kind, seed)
        times = np.random.default_rng(seed).integers(1, 4, len(y))
        rows = np.repeat(np.arange(len(y)), times)
        one = fitted(kind, X, y, times.astype(float))
        other = fitted(kind, taken(X, rows), y[rows], np.ones(len(rows)))
        assert_same_predictions(
            kind, predictions(one, new_rows(kind)), predictions(other, new_rows(kind))
        )


@for_all_but()
def test_P4_a_row_of_weight_0_is_no_row(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        kept = np.flatnonzero(np.arange(len(y)) % 4)
        one = fitted(kind, X, y, np.where(np.arange(len(y)) % 4, weights, 0.0))
        other = fitted(kind, taken(X, kept), y[kept], weights[kept])
        if "sample_weight" in inspect.signature(one.fit).parameters:
            asked = new_rows(kind)
            np.testing.assert_array_equal(predictions(one, asked), predictions(other, asked))


# They draw subsets of categories in the order of their names, so new names must keep it.
DRAWS_LEVELS = {"ExtraTreesClassifier", "ExtraTreesRegressor", "IsolationForest"}


@for_every(lambda kind: kind.takes_words and kind.gives != "tables" and kind.name not in CHOOSES)
def test_P5_names_of_levels_are_no_information(kind):
    names = ["z", "b", "y", "a"]
    if kind.name in DRAWS_LEVELS:
        names.sort()
    renamed = {f"level {i}": name for i, name in enumerate(names)}

    def with_new_names(X: Rows) -> Rows:
        return {**X, "level": np.array([renamed[level] for level in X["level"]], dtype=object)}

    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        settings = NO_FOLDS.get(kind.name, {})
        one, other = (
            fitted(kind, X, y, weights, **settings),
            fitted(kind, with_new_names(X), y, weights, **settings),
        )
        asked = new_rows(kind)
        assert_same_predictions(
            kind, predictions(one, asked), predictions(other, with_new_names(asked))
        )


# A concept is of the class that is called positive.
@for_all_but("CandidateElimination", "FindS", gives="classes")
def test_P6_names_of_classes_are_no_information(kind):
    renamed = {"p": "z", "q": "b", "r": "m"}
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        one = fitted(kind, X, y, weights)
        other = fitted(kind, X, np.array([renamed[label] for label in y]), weights)
        place = [other.classes_.tolist().index(renamed[label]) for label in one.classes_]
        asked = new_rows(kind)
        assert_same_predictions(kind, predictions(one, asked), predictions(other, asked)[:, place])


@for_all_but(gives="numbers")
def test_P7_stretching_and_moving_the_target_stretches_and_moves_the_predictions(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        one, other = fitted(kind, X, y, weights), fitted(kind, X, 4.0 * y + 8.0, weights)
        asked = new_rows(kind)
        assert_same_predictions(
            kind, 4.0 * predictions(one, asked) + 8.0, predictions(other, asked)
        )


@for_every(lambda kind: kind.trees != "none")
def test_P8_counts_of_children_add_up_to_the_parent(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        params = {**UNPRUNED.get(kind.name, {}), **DRAWN.get(kind.name, {})}
        model = fitted(kind, with_holes(X, seed), y, weights, **params)
        for tree in trees_of(model):
            assert tree.n_nodes > 1
            assert (tree.impurity >= 0).all()
            assert (tree.gain >= 0).all()
            for node in np.flatnonzero(tree.kind != LEAF):
                children = tree.first_child[node] + np.arange(tree.n_children[node])
                if tree.missing_child[node] not in (SPREAD, STOP):
                    assert tree.n_rows[children].sum() == tree.n_rows[node]
                if tree.missing_child[node] != STOP:
                    together = tree.weight[children].sum()
                    assert together == pytest.approx(tree.weight[node], rel=1e-12)


# What rows of C4.5's rules reach is a rule.
@for_every(lambda kind: kind.trees != "none" and kind.name != "C45Rules")
def test_P8_every_training_row_reaches_the_leaf_that_counted_it(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        if kind.name not in LEADS_HOLES_ELSEWHERE:
            X = with_holes(X, seed)
        model = fitted(kind, X, y, weights, **UNPRUNED.get(kind.name, {}))
        reached = model.apply(X).reshape(len(y), -1)
        for tree, leaves in zip(trees_of(model), reached.T, strict=True):
            counts = np.bincount(leaves, minlength=tree.n_nodes)
            is_leaf = tree.kind == LEAF
            np.testing.assert_array_equal(counts[is_leaf], tree.n_rows[is_leaf])


# Bits of a rule and of a sum are counted by the number of columns, and clusters start anew with
# each column.
@for_all_but(*DRAWS, *CLIMBS, *CHOOSES, "C45Rules", "KPrototypes")
def test_P9_a_constant_column_changes_nothing(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        settings = NO_FOLDS.get(kind.name, {})
        asked = new_rows(kind)
        one = fitted(kind, X, y, weights, **settings)
        other = fitted(kind, {**X, "constant": np.full(len(y), 3.0)}, y, weights, **settings)
        more = {**asked, "constant": np.full(len(asked["a"]), 3.0)}
        assert_same_predictions(kind, predictions(one, asked), predictions(other, more))


# A copy counts in C4.5's average gain, and may be a term of a sum.
COUNTS_COPIES = ("C45Classifier", "C45Rules", *CLIMBS)
UNTIED = (*DRAWS, *COUNTS_COPIES, *CHOOSES)


@for_every(lambda kind: kind.trees != "none" and kind.name not in UNTIED)
def test_P9_a_copy_of_a_column_loses_every_tie(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        settings = NO_FOLDS.get(kind.name, {})
        asked = new_rows(kind)
        one, other = (
            fitted(kind, X, y, weights, **settings),
            fitted(kind, {**X, "z": X["a"]}, y, weights, **settings),
        )
        assert_same_predictions(
            kind, predictions(one, asked), predictions(other, {**asked, "z": asked["a"]})
        )


@pytest.mark.parametrize("name", ["BoostedTreesClassifier", "BoostedTreesRegressor"])
def test_P10_every_round_of_boosting_lowers_the_training_loss(name):
    kind = MODELS[name]
    X, y, _ = a_table(kind, seed=0)
    model = kind(n_estimators=30, learning_rate=0.3, max_features_node=1.0).fit(X, y)
    if kind.is_classifier:
        codes = np.searchsorted(model.classes_, y)
        stages = model.staged_predict_proba(X)
        losses = [-np.log(stage[np.arange(len(y)), codes]).mean() for stage in stages]
    else:
        losses = [np.square(stage - y).mean() for stage in model.staged_predict(X)]
    assert len(losses) == 30
    assert (np.diff(losses) <= 1e-6).all()


@pytest.mark.parametrize(
    "name", ["CARTClassifier", "TreeClassifier", "TreeRegressor", "M5Regressor"]
)
def test_P10_a_deeper_tree_is_right_on_no_fewer_training_rows(name):
    kind = MODELS[name]
    X, y, weights = a_table(kind, seed=3)
    scores = []
    for depth in range(1, 7):
        settings = {"prune": False, "smoothing": False} if name == "M5Regressor" else {}
        model = kind(max_depth=depth, **settings).fit(X, y, sample_weight=weights)
        scores.append(model.score(X, y, sample_weight=weights))
    assert (np.diff(scores) >= -1e-9).all()


@for_all_but(gives="classes")
def test_P13_shares_of_classes_are_shares_and_the_largest_is_the_prediction(kind):
    for seed in range(N_SEEDS):
        X, y, weights = a_table(kind, seed)
        model = fitted(kind, X, y, weights)
        if not hasattr(model, "predict_proba"):
            continue
        asked = new_rows(kind)
        shares = model.predict_proba(asked)
        assert ((shares >= 0) & (shares <= 1)).all()
        assert shares.sum(axis=1) == pytest.approx(1, abs=4e-16)
        largest = model.classes_[shares.argmax(axis=1)]
        np.testing.assert_array_equal(model.predict(asked), largest)


@pytest.mark.parametrize("name", ["BoostedTreesClassifier", "BoostedTreesRegressor"])
def test_P13_the_last_stage_of_boosting_is_the_prediction(name):
    kind = MODELS[name]
    X, y, weights = a_table(kind, seed=0)
    model = kind().fit(X, y, sample_weight=weights)
    *_, last = model.staged_predict(new_rows(kind))
    np.testing.assert_array_equal(last, model.predict(new_rows(kind)))


@for_all_but()
def test_P15_fit_changes_no_input_and_no_setting(kind):
    X, y, weights = a_table(kind, seed=0)
    before = {name: values.copy() for name, values in X.items()}, y.copy(), weights.copy()
    model = kind()
    settings = clone(model).get_params()
    if "sample_weight" in inspect.signature(model.fit).parameters:
        model.fit(X, y, sample_weight=weights)
    else:
        model.fit(X, y)
    assert model.get_params() == settings
    for name, values in before[0].items():
        np.testing.assert_array_equal(X[name], values)
    np.testing.assert_array_equal(y, before[1])
    np.testing.assert_array_equal(weights, before[2])
