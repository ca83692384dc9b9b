"""The verdict: its arithmetic against plain sums and SciPy, and its words."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import treewright as tw
from treewright.evaluation.verdict import SizedScores, Verdict, smaller_and_as_good
from treewright.intervals import Interval


def noisy_rows(n_rows=150, seed=0, noise=0.3):
    """Two classes, one of them twice as common, and a column that tells them with some noise."""
    generator = np.random.default_rng(seed)
    y = np.where(generator.random(n_rows) < 0.65, "yes", "no")
    told = np.where(generator.random(n_rows) < noise, generator.random(n_rows) < 0.5, y == "yes")
    return {"a": told + generator.normal(0, 0.1, n_rows), "b": generator.random(n_rows)}, y


def by_hand(found, y, score):
    """Scores of model and guess on every split, with loops; the guess learns from `train`."""
    ours, theirs = [], []
    for judged in found.judgments:
        train, test = judged.split.train, judged.split.test
        if y.dtype.kind == "f":
            guess = sum(y[train]) / len(train)
            predicted = judged.predicted
        else:
            classes = sorted(set(y))
            guess = max(classes, key=lambda label: (sum(y[train] == label), label == classes[0]))
            predicted = np.array(classes)[judged.predicted]
        ours.append(score(y[test], predicted))
        theirs.append(score(y[test], np.full(len(test), guess)))
    return np.array(ours), np.array(theirs)


def accuracy(truth, predicted):
    return sum(truth == predicted) / len(truth)


def rmse(truth, predicted):
    return math.sqrt(sum((truth - predicted) ** 2) / len(truth))


def corrected_t(difference, n_test, n_train):
    """Nadeau and Bengio (2003), written out: mean, 95 % interval, two-sided p."""
    n = len(difference)
    mean = sum(difference) / n
    variance = sum((one - mean) ** 2 for one in difference) / (n - 1)
    error = math.sqrt((1 / n + n_test / n_train) * variance)
    student = stats.t(n - 1)
    half = student.ppf(0.975) * error
    return mean, mean - half, mean + half, 2 * student.sf(abs(mean / error))


@pytest.mark.parametrize("seed", range(4))
def test_the_test_of_classes_is_the_corrected_resampled_t_test(seed):
    X, y = noisy_rows(seed=seed)
    found = tw.evaluate(tw.CARTClassifier(max_depth=2), X, y, folds=10, repeats=2)
    ours, theirs = by_hand(found, y, accuracy)
    mean, low, high, p = corrected_t(ours - theirs, 15, 135)
    verdict = found.verdict
    assert (verdict.score, verdict.guess_score) == pytest.approx((ours.mean(), theirs.mean()))
    gain = verdict.gain
    assert (gain.mean, gain.low, gain.high) == pytest.approx((mean, low, high))
    assert verdict.p_value == pytest.approx(p)


def test_the_test_of_numbers_compares_with_the_mean_of_the_training_rows():
    generator = np.random.default_rng(1)
    a = generator.random(100)
    y = 3 * a + generator.normal(0, 1, 100)
    found = tw.evaluate(tw.CARTRegressor(max_depth=2), {"a": a}, y, folds=5)
    ours, theirs = by_hand(found, y, rmse)
    mean, low, high, p = corrected_t(theirs - ours, 20, 80)
    gain = found.verdict.gain
    assert (gain.mean, gain.low, gain.high) == pytest.approx((mean, low, high))
    assert found.verdict.p_value == pytest.approx(p)


def test_without_the_correction_it_would_be_the_paired_t_test_of_scipy():
    X, y = noisy_rows()
    found = tw.evaluate(tw.CARTClassifier(max_depth=2), X, y, folds=10)
    ours, theirs = by_hand(found, y, accuracy)
    plain = stats.ttest_rel(ours, theirs)
    shrunk = plain.statistic / math.sqrt(1 + 10 * (15 / 135))
    assert found.verdict.p_value == pytest.approx(2 * stats.t(9).sf(abs(shrunk)))


def test_one_test_set_is_compared_row_by_row():
    X, y = noisy_rows(300)
    found = tw.evaluate(tw.CARTClassifier(max_depth=2), X, y, hold_out=0.4)
    (judged,) = found.judgments
    test = judged.split.test
    right = (np.array(["no", "yes"])[judged.predicted] == y[test]) * 1.0
    guessed = (y[test] == "yes") * 1.0
    difference = right - guessed
    error = difference.std() / math.sqrt(len(test))
    z = difference.mean() / error
    verdict = found.verdict
    assert verdict.gain.mean == pytest.approx(difference.mean())
    assert verdict.gain.low == pytest.approx(difference.mean() - 1.959963984540054 * error)
    assert verdict.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_the_rmse_of_one_test_set_is_compared_by_squared_errors():
    generator = np.random.default_rng(2)
    a = generator.random(200)
    y = 2 * a + generator.normal(0, 1, 200)
    found = tw.evaluate(tw.CARTRegressor(max_depth=1, prune=None), {"a": a}, y, hold_out=0.5)
    (judged,) = found.judgments
    train, test = judged.split.train, judged.split.test
    gained = (y[test] - y[train].mean()) ** 2 - (y[test] - judged.predicted) ** 2
    z = gained.mean() / (gained.std() / math.sqrt(len(test)))
    assert found.verdict.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    ends = found.verdict.gain
    assert ends.low < ends.mean < ends.high
    assert (ends.low > 0) == (found.verdict.p_value < 0.05 and z > 0)


def test_weights_count_as_repeated_rows_do_in_one_test_set():
    X, y = noisy_rows(120)
    model = tw.CARTClassifier(max_depth=1).fit(X, y)
    weights = np.arange(120) % 3
    repeated = np.repeat(np.arange(120), weights)
    by_weight = tw.evaluate_fitted(model, X, y, weights).verdict
    again = {name: column[repeated] for name, column in X.items()}
    by_rows = tw.evaluate_fitted(model, again, y[repeated]).verdict
    assert by_weight.score == pytest.approx(by_rows.score)
    assert by_weight.guess_score == pytest.approx(by_rows.guess_score)


def test_with_costs_the_guess_is_the_cheapest_class():
    X, y = noisy_rows(200)
    costs = [[0, 10], [1, 0]]  # to take a `no` for a `yes` is dear
    verdict = tw.evaluate(tw.CARTClassifier(max_depth=2), X, y, costs=costs, folds=5).verdict
    assert (verdict.measure, verdict.guess) == ("cost", "`no`")
    assert verdict.guess_score == pytest.approx((y == "yes").mean(), abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_a_target_that_no_column_tells_is_no_better_than_guessing(seed):
    generator = np.random.default_rng(seed)
    X = {"a": generator.random(300), "b": generator.random(300)}
    y = generator.permutation(np.repeat(["yes", "no"], [200, 100]))
    verdict = tw.evaluate(tw.C45Classifier(), X, y).verdict
    assert not verdict.is_better
    assert verdict.words.startswith("no better than guessing (difference ")


def test_a_clear_model_is_better_in_points():
    X, y = noisy_rows(400, noise=0.1)
    verdict = tw.evaluate(tw.C45Classifier(), X, y).verdict
    assert verdict.is_better
    points = f"{100 * verdict.gain.mean:.0f} points"
    assert verdict.words.startswith(f"better than guessing by {points} (95 % CI: ")
    assert str(verdict).endswith(" vs. 60 % for always predicting `yes`")


def made(gain, low, high, p, measure="accuracy", guess=0.7):
    return Verdict(measure, guess + gain, "`no`", guess, Interval(gain, low, high), p, "folds")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (made(0.09, 0.05, 0.13, 0.001), "better than guessing by 9 points (95 % CI: 5 to 13)"),
        (
            made(0.012, 0.01, 0.014, 0.001),
            "better than guessing by 1.2 points (95 % CI: 1 to 1.4)",
        ),
        (made(-0.1, -0.15, -0.05, 0.001), "worse than guessing by 10 points (95 % CI: 5 to 15)"),
        (
            made(0.003, -0.04, 0.05, 0.9),
            "no better than guessing (difference 0 points, 95 % CI: -4 to 5)",
        ),
        (
            made(0.2, -0.1, 0.5, 0.2),
            "not clearly better than guessing (difference 20 points, 95 % CI: -10 to 50)",
        ),
        (
            made(4.0, 3.0, 5.0, 0.001, "rmse", 8.0),
            "better than guessing by 50 % (95 % CI: 38 to 62)",
        ),
        (
            made(0.2, 0.1, 0.3, 0.001, "cost", 1.0),
            "better than guessing by 0.2000 (95 % CI: 0.1000 to 0.3000)",
        ),
        (
            made(0.2, math.nan, math.nan, math.nan),
            "not compared with guessing (too few rows)",
        ),
    ],
)
def test_the_words(verdict, words):
    assert verdict.words == words


@given(gain=st.floats(-1, 1), half=st.floats(0, 1), p=st.floats(0, 1), guess=st.floats(0.01, 0.99))
def test_the_words_agree_with_the_test(gain, half, p, guess):
    verdict = made(gain, gain - half, gain + half, p, guess=guess)
    starts = "better", "worse", "no better", "not clearly better"
    (start,) = [word for word in starts if verdict.words.startswith(f"{word} than guessing")]
    assert (start == "better") == verdict.is_better
    assert (start in ("better", "worse")) == (p < 0.05)


def test_a_rare_class_that_is_never_predicted_may_still_be_told_apart():
    generator = np.random.default_rng(0)
    a = generator.random(2000)
    y = np.where(generator.random(2000) < 0.25 * (a > 0.7), "ill", "well")
    verdict = tw.evaluate(tw.CARTClassifier(max_depth=1, prune=None), {"a": a}, y).verdict
    assert verdict.words.startswith("no better than guessing")
    assert "its probabilities still separate the classes (AUC 0.8" in str(verdict)


def test_all_results_say_it():
    X, y = noisy_rows()
    found = tw.evaluate(tw.C45Classifier(), X, y)
    words = found.verdict.words
    assert str(found.verdict) in str(found).splitlines()[1]
    assert words in repr(found)
    assert found.to_dict()["verdict"]["text"] == str(found.verdict)
    compared = tw.compare({"c45": tw.C45Classifier()}, X, y)
    assert f"c45: {words}" in str(compared)
    assert words in repr(compared)
    page = tw.report(tw.C45Classifier(), X, y)
    verdict = str(page.facts.evaluation.verdict).replace("`", "")
    assert verdict in " ".join(str(page).split())


def test_a_single_class_is_no_better_than_guessing():
    found = tw.evaluate(tw.CARTClassifier(), {"a": np.arange(30.0)}, ["x"] * 30)
    assert found.verdict.words.startswith("no better than guessing (difference 0 points")


# ---------------------------------------------------------------------------- sizes


def test_a_much_smaller_tree_that_is_as_good_is_named():
    X, y = noisy_rows(600)
    models = {"small": tw.CARTClassifier(max_depth=1), "large": tw.C45Classifier(prune=None)}
    found = tw.compare(models, X, y)
    assert found.best == "small" or "the 2-leaf tree (small) is as good as" in str(found)


@settings(max_examples=50)
@given(st.lists(st.floats(-0.02, 0.02), min_size=5, max_size=10), st.floats(-0.05, 0.05))
def test_as_good_means_hardly_worse_and_not_clearly_so(noise, shift):
    scores = 0.8 + np.array(noise)
    small = SizedScores("a", 10, scores + shift)
    said = smaller_and_as_good(SizedScores("b", 100, scores), [small], "accuracy", 1 / 9)
    if shift >= 0:
        assert said == "the 10-leaf tree (a) is as good as the 100-leaf tree (b)"
    if shift < -0.011:
        assert said == ""


def test_a_tree_of_nearly_the_same_size_is_not_worth_a_word():
    scores = np.array([0.8, 0.9, 0.85])
    large, small = SizedScores("b", 100, scores), SizedScores("a", 90, scores)
    assert smaller_and_as_good(large, [small], "accuracy", 0.5) == ""


@pytest.mark.parametrize(("n_rows", "is_compared"), [(19, False), (20, True)])
def test_a_handful_of_rows_is_not_compared_with_guessing(n_rows, is_compared):
    a = np.arange(n_rows, dtype=float)
    verdict = tw.evaluate(tw.C45Classifier(), {"a": a}, np.where(a < 9, "low", "high")).verdict
    assert verdict.is_better == is_compared
    assert math.isnan(verdict.p_value) == (not is_compared)
    assert verdict.words.startswith("better") == is_compared
