"""One rule for `sample_weight` in every estimator: whole numbers are counts, others are ratios."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier

import treewright as tw
from small_tables import words
from torture.models import MODELS, Model, for_every, for_every_model, learned, predictions, trees_of

N_ROWS = 90

# Rows are drawn (bags, first centers), or gradients are rounded: counts are not repeated rows.
DRAWS_OR_ROUNDS = {
    "RandomForestClassifier",
    "RandomForestRegressor",
    "IsolationForest",
    "BoostedTreesClassifier",
    "BoostedTreesRegressor",
    "KMeans",
    "KPrototypes",
}
LIMITS = {
    "as they are": {},
    "leaves of 6 rows": {"min_samples_leaf": 6},
    "splits of 25 rows": {"min_samples_split": 25},
    "leaves of a tenth of the rows": {"min_samples_leaf": 0.1},
    "leaves of a tenth of the weight": {"min_weight_fraction_leaf": 0.1},
}

pytestmark = [
    pytest.mark.filterwarnings("ignore:CandidateElimination", "ignore:FindS"),
    pytest.mark.filterwarnings("ignore:.*converge"),
]


def table_for(kind: Model, *, noisy: bool = True) -> tuple[dict[str, list], np.ndarray]:
    """Numbers, categories and missing values where the model takes them; two classes."""
    rng = np.random.default_rng(3)
    table, y = words(N_ROWS, 0)
    table["width"] = rng.normal(size=N_ROWS).round(1).tolist()
    table["depth"] = (rng.integers(0, 4, N_ROWS) / 2).tolist()
    if not kind.takes_words:
        table = {name: column for name, column in table.items() if name != "color"}
    if noisy and kind.takes_any_number_of_classes:
        y = np.where(rng.random(N_ROWS) < 0.15, 1 - y, y)
    return table, y


def importances() -> np.ndarray:
    """Weights that are not whole, a few of them 0."""
    rng = np.random.default_rng(4)
    weights = rng.random(N_ROWS) + 0.05
    weights[:3] = 0
    return weights


def assert_same_splits(one, other) -> None:
    """The same questions in every tree; thresholds may differ by rounding."""
    if not hasattr(one, "tree_") and not hasattr(one, "trees_"):
        return
    for tree, same in zip(trees_of(one), trees_of(other), strict=True):
        np.testing.assert_array_equal(tree.feature, same.feature)
        np.testing.assert_array_equal(tree.first_child, same.first_child)
        np.testing.assert_allclose(tree.threshold, same.threshold, rtol=1e-12)


def assert_same_predictions(found: np.ndarray, expected: np.ndarray) -> None:
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        return
    assert found.shape == expected.shape
    for one, other in zip(found.ravel().tolist(), expected.ravel().tolist(), strict=True):
        assert one == other or float(one) == pytest.approx(float(other), rel=1e-12, abs=1e-12)


FACTORS = {"1e-6": 1e-6, "1/n": 1 / N_ROWS, "0.37": 0.37, "1e6 + 0.5": 1e6 + 0.5}


@for_every_model
@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_importances_have_no_unit(kind, factor):
    X, y = table_for(kind)
    one = kind().fit(X, y, sample_weight=importances())
    other = kind().fit(X, y, sample_weight=importances() * factor)
    assert_same_splits(other, one)
    assert_same_predictions(predictions(other, X), predictions(one, X))


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_the_median_of_two_halves_lies_midway_in_every_unit(factor):
    """Half of the weight lies below 2 and half above 3, however the weights are rounded."""
    X, y = np.zeros((4, 1)), np.array([1.0, 2.0, 3.0, 4.0])
    for weights in ([0.5, 1.5, 1.5, 0.5], [0.1, 0.2, 0.1, 0.2], [1.3, 0.7, 0.9, 1.1]):
        model = tw.CARTRegressor(criterion="absolute_error")
        assert model.fit(X, y, sample_weight=np.array(weights) * factor).predict(X)[0] == 2.5


@for_every_model
@pytest.mark.parametrize("power", [-60, -3, 7, 40])
def test_importances_times_a_power_of_two_give_the_same_bytes(kind, power):
    X, y = table_for(kind)
    one = kind().fit(X, y, sample_weight=importances())
    other = kind().fit(X, y, sample_weight=np.ldexp(importances(), power))
    assert learned(other) == learned(one)


@for_every_model
@pytest.mark.parametrize("weight", [1 / N_ROWS, 1e-6, 0.37, 1e6 + 0.5])
def test_equal_weights_that_are_not_whole_are_no_weights(kind, weight):
    X, y = table_for(kind)
    one = kind().fit(X, y)
    other = kind().fit(X, y, sample_weight=np.full(N_ROWS, weight))
    assert learned(other) == learned(one)


def cases_of_counts() -> dict[str, tuple[Model, dict]]:
    """Every model that neither draws rows nor rounds gradients, with the limits that it has."""
    return {
        f"{kind.name}, {name}": (kind, limits)
        for kind in MODELS.values()
        if kind.name not in DRAWS_OR_ROUNDS
        for name, limits in LIMITS.items()
        if limits.keys() <= kind().get_params().keys()
        and not (name == "leaves of a tenth of the rows" and takes_no_share(kind))
    }


def takes_no_share(kind: Model) -> bool:
    table, y = table_for(kind, noisy=False)
    try:
        kind(min_samples_leaf=0.1).fit(table, y)
    except ValueError:
        return True
    return False


COUNTED = cases_of_counts()


@pytest.mark.parametrize(("kind", "limits"), COUNTED.values(), ids=COUNTED)
@pytest.mark.parametrize("holes", [False, True], ids=["complete", "with missing values"])
def test_whole_weights_are_repeated_rows(kind, limits, holes):
    X, y = table_for(kind)
    if holes:
        X = {name: list(column) for name, column in X.items()}
        rng = np.random.default_rng(5)
        for column in X.values():
            for row in np.flatnonzero(rng.random(N_ROWS) < 0.1):
                column[row] = None
    counts = np.random.default_rng(6).integers(0, 6, N_ROWS)
    if "n_neighbors" in kind().get_params():
        limits = {"n_neighbors": 7}
    rows = np.repeat(np.arange(N_ROWS), counts)
    repeated = {name: [column[row] for row in rows] for name, column in X.items()}
    one = kind(**limits).fit(X, y, sample_weight=counts)
    other = kind(**limits).fit(repeated, y[rows])
    assert_same_splits(one, other)
    assert_same_predictions(predictions(one, X), predictions(other, X))


# Admissions to Berkeley's six largest departments in 1973 (Bickel and others 1975): department,
# gender, admitted, students.
BERKELEY = [
    (department, gender, admitted, count)
    for department, counts in {
        "A": (512, 313, 89, 19),
        "B": (353, 207, 17, 8),
        "C": (120, 205, 202, 391),
        "D": (138, 279, 131, 244),
        "E": (53, 138, 94, 299),
        "F": (22, 351, 24, 317),
    }.items()
    for (gender, admitted), count in zip(
        [("male", "yes"), ("male", "no"), ("female", "yes"), ("female", "no")], counts, strict=True
    )
]
TREES = [kind for kind in MODELS.values() if kind.trees == "one" and kind.is_classifier]


@pytest.mark.parametrize("kind", TREES, ids=lambda kind: kind.name)
def test_a_table_of_counts_gives_the_tree_of_its_rows(kind):
    counts = np.array([count for *_, count in BERKELEY])
    assert (len(counts), counts.min(), counts.max(), counts.sum()) == (24, 8, 512, 4526)
    cells = [{"department": cell[0], "gender": cell[1]} for cell in BERKELEY]
    admitted = np.array([cell[2] for cell in BERKELEY])
    rows = np.repeat(np.arange(24), counts)
    one = kind().fit(cells, admitted, sample_weight=counts)
    other = kind().fit([cells[row] for row in rows], admitted[rows])
    assert_same_splits(one, other)
    np.testing.assert_array_equal(one.tree_.value, other.tree_.value)
    np.testing.assert_array_equal(one.predict_proba(cells), other.predict_proba(cells))


BOOSTABLE = ["C45Classifier", "CARTClassifier", "TreeClassifier", "ID3Classifier"]


@pytest.mark.parametrize("name", BOOSTABLE)
def test_adaboost_learns_from_trees_with_weights_that_sum_to_one(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).round(2)
    y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=400) > 0).astype(int)
    limits = {} if name == "ID3Classifier" else {"max_depth": 2}
    member = getattr(tw, name)()
    member.set_params(**{key: limits[key] for key in limits if key in member.get_params()})
    alone = member.fit(X[:300], y[:300]).score(X[300:], y[300:])
    boosted = AdaBoostClassifier(member, n_estimators=20).fit(X[:300], y[:300])
    assert boosted.score(X[300:], y[300:]) >= max(alone - 0.02, 0.8)


@for_every(lambda kind: "class_weight" in kind().get_params())
def test_class_weights_that_are_not_whole_have_no_unit(kind):
    X, y = table_for(kind)
    one = kind(class_weight={0: 0.5, 1: 1.5}).fit(X, y)
    other = kind(class_weight={0: 0.5e-6, 1: 1.5e-6}).fit(X, y)
    by_rows = kind().fit(X, y, sample_weight=np.where(y == 0, 0.5, 1.5))
    assert_same_splits(one, other)
    assert_same_splits(one, by_rows)
    assert_same_predictions(predictions(other, X), predictions(one, X))
    assert_same_predictions(predictions(by_rows, X), predictions(one, X))


@for_every(lambda kind: kind.is_classifier and kind.takes_any_number_of_classes)
@pytest.mark.parametrize("by", ["sample_weight", "class_weight"])
def test_a_class_of_weight_zero_is_absent(kind, by):
    """Boosted trees and gradient descent made a score for it, which moved the others."""
    X, y = table_for(kind)
    y = y.copy()
    y[::9] = 2
    kept = np.flatnonzero(y != 2)
    if by == "sample_weight":
        one = kind().fit(X, y, sample_weight=np.where(y == 2, 0.0, 1.0))
    elif "class_weight" in kind().get_params():
        one = kind(class_weight={2: 0}).fit(X, y)
    else:
        pytest.skip("the model has no class_weight")
    fewer = {name: [column[row] for row in kept] for name, column in X.items()}
    other = kind().fit(fewer, y[kept])
    assert one.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


REFUSED = {
    "masked": (np.ma.masked_array(np.ones(4), [False, True, False, False]), "row 1.*not a number"),
    "complex": (np.array([1, 1, 1j, 1]), "complex128"),
    "complex in a list": ([1.0, 1.0, 2j, 1.0], "row 2.*2j"),
    "text of numbers": (np.array(["1", "2", "1", "2"]), "dtype"),
    "dates": (np.array(["2020-01-01"] * 4, dtype="datetime64[ns]"), "datetime64"),
    "no number": ([1.0, None, 1.0, 1.0], "row 1.*None"),
}


@for_every_model
@pytest.mark.parametrize(("weights", "problem"), REFUSED.values(), ids=REFUSED)
def test_weights_that_are_no_numbers_are_refused(kind, weights, problem):
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    with pytest.raises((TypeError, ValueError), match=f"sample_weight.*{problem}"):
        kind.alone().fit(X, y, sample_weight=weights)


def test_weights_without_a_masked_entry_are_weights():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    one = tw.CARTClassifier().fit(X, y, sample_weight=np.ma.masked_array(weights))
    other = tw.CARTClassifier().fit(X, y, sample_weight=weights)
    assert learned(one) == learned(other)


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
def test_an_imputed_median_of_two_halves_lies_midway_in_every_unit(factor):
    X, weights = [[1.0], [2.0], [3.0], [4.0], [None]], np.array([0.1, 0.2, 0.1, 0.2, 0.7])
    model = tw.Imputer(strategy="median").fit(X, sample_weight=weights * factor)
    assert model.fill_values_["x0"] == 2.5
