"""Thresholds: chosen on held-out rows as a search over all of them would, applied as costs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import treewright as tw
from treewright.evaluation.threshold import GOALS, thresholds_between


def rows(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    y = np.where(X[:, 0] + rng.normal(size=n) > 1.2, "sick", "well")
    return X, y


MODEL = tw.GradientDescentClassifier(solver="newton")
COSTS = {"sick": 8, "well": 1}


def scores_by_definition(shares, is_class, weights, goal, threshold):
    """Every measure from the rows themselves."""
    above = shares > threshold
    hits, alarms = weights[above & is_class].sum(), weights[above & ~is_class].sum()
    misses, passed = weights[~above & is_class].sum(), weights[~above & ~is_class].sum()
    recall, specificity = hits / (hits + misses), passed / (passed + alarms)
    return {
        "cost": -(8 * misses + alarms) / weights.sum(),
        "f1": 2 * hits / (2 * hits + alarms + misses),
        "balanced_accuracy": (recall + specificity) / 2,
        "youden": recall + specificity - 1,
        "accuracy": (hits + passed) / weights.sum(),
        "recall": recall,
        "precision": hits / (hits + alarms) if hits + alarms else -1.0,
    }[goal]


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 5),
    goal=st.sampled_from(sorted({*GOALS} - {"recall", "precision"})),
    weighted=st.booleans(),
)
def test_no_other_threshold_does_better(seed, goal, weighted):
    X, y = rows(80, seed)
    weights = np.arange(1.0, 81) % 3 + 1 if weighted else None
    wish = {"folds": 4, "costs": COSTS, "label": "sick"}
    choice = tw.choose_threshold(MODEL, X, y, weights, goal=goal, **wish)
    found = tw.evaluate(MODEL, X, y, weights, folds=4)
    shares, is_class, each = np.empty(80), y == "sick", weights if weighted else np.ones(80)
    for one in found.judgments:
        shares[one.split.test] = one.shares[:, 0]
    own = scores_by_definition(shares, is_class, each, goal, choice.threshold)
    tried = [*shares, *np.linspace(0.001, 0.999, 50)]
    best = max(scores_by_definition(shares, is_class, each, goal, one) for one in tried)
    assert own == pytest.approx(best)
    assert choice.score == pytest.approx(-own if goal == "cost" else own)


@settings(max_examples=15, deadline=None)
@given(threshold=st.integers(1, 99), label=st.sampled_from(["sick", "well"]))
def test_a_threshold_is_costs_of_t_and_1_minus_t(threshold, label):
    X, _ = rows()
    model = FITTED
    code = model.classes_.tolist().index(label)
    t = threshold / 100
    costs = np.zeros((2, 2))
    costs[1 - code, code], costs[code, 1 - code] = t, 1 - t
    predicted = model.with_costs(costs).predict(X) == label
    np.testing.assert_array_equal(predicted, model.predict_proba(X)[:, code] > t)


FITTED = tw.GradientDescentClassifier(solver="newton").fit(*rows())


@pytest.mark.parametrize(
    "model",
    [
        tw.CARTClassifier(),
        tw.C45Rules(),
        tw.RandomForestClassifier(n_estimators=10),
        tw.BoostedTreesClassifier(n_estimators=10),
        tw.KNeighborsClassifier(),
        MODEL,
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_chosen_threshold_is_applied_and_kept_in_files(model, tmp_path):
    X, y = rows()
    choice = tw.choose_threshold(model, X, y, costs=COSTS, label="sick", folds=3)
    fitted = model.fit(X, y)
    applied = choice.apply(fitted)
    shares = fitted.predict_proba(X)
    np.testing.assert_array_equal(applied.predict_proba(X), shares)
    expected = np.where(shares[:, 0] > choice.threshold, "sick", "well")
    np.testing.assert_array_equal(applied.predict(X), expected)
    applied.save(tmp_path / "m.tw")
    np.testing.assert_array_equal(tw.load(tmp_path / "m.tw").predict(X), expected)
    assert choice.score <= choice.score_at_half


def test_limits_are_kept_and_the_other_measure_is_the_best_within_them():
    X, y = rows()
    for limits, reached in (({"min_recall": 0.8}, "recall"), ({"min_precision": 0.6}, "precision")):
        choice = tw.choose_threshold(MODEL, X, y, label="sick", **limits)
        assert choice.at[reached] >= next(iter(limits.values()))
        other = {"recall": "precision", "precision": "recall"}[reached]
        allowed = choice.curve[reached] >= next(iter(limits.values()))
        assert choice.at[other] == np.nanmax(choice.curve[other][allowed])


def test_the_same_rows_give_the_same_threshold_for_any_number_of_jobs():
    X, y = rows()
    model = tw.RandomForestClassifier(n_estimators=10)
    one, two = (tw.choose_threshold(model, X, y, n_jobs=n, folds=3) for n in (1, 2))
    assert one.to_json() == two.to_json()


def test_the_score_on_folds_that_did_not_choose_is_no_better_on_average():
    worse = 0
    for seed in range(6):
        choice = tw.choose_threshold(MODEL, *rows(80, seed), costs=COSTS, folds=4)
        worse += choice.held_out_score >= choice.score
    assert worse == 6


def test_models_of_other_packages_have_thresholds_too():
    X, y = rows()
    model = LogisticRegression()
    choice = tw.choose_threshold(model, X, y, costs=COSTS)
    assert 0 < choice.threshold < 1
    with pytest.raises(tw.ParameterError, match="FixedThresholdClassifier"):
        choice.apply(model.fit(X, y))


def test_thresholds_are_short_and_between():
    low = np.array([0.0, 0.3, 0.333333333, 0.5, 0.999999998])
    high = np.array([0.3, 0.333333333, 0.5, 0.500000001, 1.0])
    found = thresholds_between(low, high)
    assert ((low < found) & (found < high)).all()
    assert found[:3].tolist() == [0.2, 0.32, 0.4]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"goal": "f2"}, ["goal='f2' is not known", "goals are: cost, f1"]),
        ({"goal": "youdan"}, ["did you mean `youden`?"]),
        ({"goal": "cost"}, ["needs costs"]),
        ({"goal": "recall"}, ["all rows", "min_precision"]),
        ({"goal": "precision"}, ["min_recall"]),
        ({"min_recall": 0}, ["min_recall=0"]),
        ({"min_recall": float("nan")}, ["min_recall=nan"]),
        ({"min_precision": "much"}, ["min_precision='much'"]),
        ({"min_precision": 1.0, "min_recall": 1.0}, ["recall of at least 1 and a precision"]),
        ({"label": "sik"}, ["no class 'sik'", "sick"]),
        ({"costs": [[0, -1], [1, 0]]}, ["costs[0][1]=-1.0"]),
        ({"costs": {"sik": 3}}, ["did you mean `sick`?"]),
        ({"folds": 1}, ["folds"]),
    ],
)
def test_odd_wishes_are_refused(wish, words):
    with pytest.raises(tw.TreewrightError) as caught:
        tw.choose_threshold(MODEL, *rows(), **wish)
    assert all(word in str(caught.value) for word in words), caught.value


def test_odd_targets_are_refused():
    X, y = rows()
    three = np.where(X[:, 1] > 1, "other", y)
    for target, words in ((three, "3 classes"), (np.full(len(y), "well"), "one class")):
        with pytest.raises(tw.DataError, match=words):
            tw.choose_threshold(MODEL, X, target)
    with pytest.raises(tw.ParameterError, match="numbers are predicted"):
        tw.choose_threshold(tw.CARTRegressor(), X, X[:, 0])
    choice = tw.choose_threshold(MODEL, X, y, folds=3)
    with pytest.raises(tw.DataError, match="not those of the model"):
        choice.apply(tw.CARTClassifier().fit(X, three))


def test_the_report_has_a_section_for_rare_classes_and_for_costs():
    X, y = rows()
    page = str(tw.report(tw.CARTClassifier().fit(X, y), X, y, folds=3))
    assert "Decision threshold" in page
    assert "predicts it above 0.5." in page
    even = np.where(X[:, 0] > 0, "sick", "well")
    model = tw.KNeighborsClassifier().fit(X, even)
    assert "Decision threshold" not in str(tw.report(model, X, even, folds=3))
    costly = str(tw.report(model.with_costs({"sick": 4}), X, even, folds=3))
    assert "Decision threshold" in costly
    assert "predicts it above 0.2." in costly or "predicts it above 0.8." in costly
