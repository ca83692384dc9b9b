"""What a worksheet works out is what growth has found, to the last digits."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw

POLICIES = ("fractional", "surrogate", "learned", "branch", "majority", "stop")
NOMINAL = ("branches", "subset", "one_vs_rest")


def a_table(rng: np.random.Generator, n_rows: int, holes: float) -> list[dict]:
    def cell(value):
        return None if rng.random() < holes else value

    return [
        {
            "whole": cell(float(rng.integers(0, 9))),
            "real": cell(float(rng.normal())),
            "letter": cell("abcd"[rng.integers(0, 4)]),
            "two": cell("xy"[rng.integers(0, 2)]),
        }
        for _ in range(n_rows)
    ]


def half_gini(counts: np.ndarray) -> float:
    """A measure of somebody's own."""
    return float(1 - (counts**2).sum() / counts.sum() ** 2) / 2


def an_estimator(rng: np.random.Generator, n_classes: int):
    def pick(*choices):
        return choices[rng.integers(0, len(choices))]

    criteria = ("information_gain", "gain_ratio", "gini", "chi2")
    priors = (rng.dirichlet(np.ones(n_classes)) * 0.8 + 0.2 / n_classes).tolist()
    costs = rng.integers(1, 5, (n_classes, n_classes)) * (1.0 - np.eye(n_classes))
    by_class = dict(zip("pqr", rng.integers(1, 5, n_classes).tolist(), strict=False))
    makers = [
        lambda: tw.ID3Classifier(criterion=pick(*criteria)),
        lambda: tw.C45Classifier(
            prune=pick(None, "error_based"),
            average_gain_filter=pick(True, False),
            mdl_correction=pick(True, False),
            nominal=pick(*NOMINAL),
            missing=pick(*POLICIES),
        ),
        lambda: tw.CARTClassifier(
            criterion=pick("gini", "entropy"),
            priors=pick(None, priors),
            costs=pick(None, costs),
            class_weight=pick(None, "balanced", by_class),
            cp=pick(None, 0.01),
        ),
        lambda: tw.TreeClassifier(
            criterion=pick(*criteria),
            missing=pick(*POLICIES),
            nominal=pick(*NOMINAL),
            min_samples_leaf=pick(1, 1, 3),
            min_weight_fraction_leaf=pick(0.0, 0.1),
            priors=pick(None, priors),
        ),
        lambda: tw.TreeClassifier(
            criterion=pick("cost_gini", half_gini),
            costs=costs,
            missing=pick(*POLICIES),
            nominal=pick(*NOMINAL),
            priors=pick(None, priors),
        ),
        lambda: tw.TreeClassifier(
            numeric="intervals",
            max_intervals=pick(None, 2, 4),
            criterion=pick(*criteria),
            missing=pick(*POLICIES),
            priors=pick(None, priors),
        ),
        lambda: tw.TreeRegressor(
            criterion=pick("squared_error", "absolute_error", "poisson"),
            missing=pick(*POLICIES),
            nominal=pick(*NOMINAL),
            min_samples_leaf=pick(1, 1, 3),
            numeric=pick("threshold", "threshold", "intervals"),
            max_intervals=3,
        ),
    ]
    return pick(*makers)()


def a_model_and_rows(rng, most_rows: int):
    """A random estimator, and a random table with missing values: X, y and weights or None."""
    n_rows, n_letters = int(rng.integers(4, most_rows)), int(rng.integers(2, 4))
    X = a_table(rng, n_rows, rng.choice([0.0, 0.15, 0.3]))
    y = ["pqr"[rng.integers(0, n_letters)] for _ in range(n_rows)]
    y[:2] = "pq"
    model = an_estimator(rng, len(set(y)))
    if isinstance(model, tw.TreeRegressor):
        y = rng.integers(0, 6, n_rows).astype(float) + 0.25
    weights = rng.integers(1, 9, n_rows) / 4 if rng.random() < 0.5 else None
    return model, (X, y, weights)


def a_fitted_model(seed: int):
    """A model with its worksheet, on a random table with missing values and weights."""
    model, (X, y, weights) = a_model_and_rows(np.random.default_rng(seed), 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, sample_weight=weights)
        return model, tw.worksheet(model, X, y, weights)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_every_number_is_that_of_the_tree(seed):
    model, sheet = a_fitted_model(seed)
    for work in sheet.nodes:
        node = model.tree_.node(work.node)
        close = 1e-12 * max(1.0, node.impurity)
        assert work.group.n_rows == node.n_rows
        assert work.group.weight == pytest.approx(node.weight, rel=1e-12, abs=1e-12)
        if node.n_rows:
            assert work.group.impurity == pytest.approx(node.impurity, abs=close)
        if node.is_leaf or work.is_raised:
            continue
        check_split(work, node, close)


def check_split(work, node, close):
    assert not work.chosen.refused
    assert work.chosen.gain == pytest.approx(node.gain, abs=close)
    assert work.chosen.score == pytest.approx(node.score, rel=1e-12, abs=close)
    by_name = {found.column: found for found in work.candidates}
    rivals = {found.column for found in work.candidates if not found.refused}
    for competitor in node.competitors:
        found = by_name[competitor.column.name]
        assert found.gain == pytest.approx(competitor.gain, abs=close)
        assert found.score == pytest.approx(competitor.score, rel=1e-12, abs=close)
        assert (found.column in work.ties) == competitor.is_tied or found.refused
    assert rivals <= {work.chosen.column, *(c.column.name for c in node.competitors)}


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_steps_of_a_gain_add_up(seed):
    _, sheet = a_fitted_model(seed)
    criterion = sheet.nodes._calculation.training.settings.criterion
    for work in sheet.nodes:
        for found in work.candidates:
            if found.kind and criterion != "chi2":
                taken = max(found.known_share * (found.before - found.remainder), 0.0)
                assert found.gain == pytest.approx(taken - found.correction, abs=1e-11)


# Numbers of the lecture notes, worked out exactly.


def the_sheet(name: str, model=None):
    X, y = tw.load_sample(name)
    return tw.worksheet((model or tw.ID3Classifier()).fit(X, y), X, y)


@pytest.mark.parametrize(
    ("sample", "gains"),
    [
        (
            "tennis",
            {
                "outlook": 0.2467498198,
                "temperature": 0.0292225657,
                "humidity": 0.1518355014,
                "wind": 0.0481270304,
            },
        ),
        ("golf", {"outlook": 0.2467498198, "windy": 0.0481270304}),
        (
            "buys_computer",
            {
                "age": 0.2467498198,
                "income": 0.0292225657,
                "student": 0.1518355014,
                "credit_rating": 0.0481270304,
            },
        ),
        ("weekend", {"weather": 0.695462, "parents": 0.609987, "money": 0.281291}),
        ("shapes", {"shape": 0.3166890883, "color": 0.1908745047}),
        ("tiny_variable", {}),
    ],
)
def test_the_root_has_the_gains_of_the_lecture_notes(sample, gains):
    found = {c.column: c.gain for c in the_sheet(sample).nodes[0].candidates}
    for column, gain in gains.items():
        assert found[column] == pytest.approx(gain, abs=1e-6)


def test_gain_ratio_takes_parents_where_gain_takes_weather():
    by_gain = the_sheet("weekend").nodes[0]
    by_ratio = the_sheet("weekend", tw.ID3Classifier(criterion="gain_ratio")).nodes[0]
    assert (by_gain.chosen.column, by_ratio.chosen.column) == ("weather", "parents")
    assert by_ratio.chosen.score == pytest.approx(0.610, abs=5e-4)
    assert by_ratio.runner_up.score == pytest.approx(0.443, abs=5e-4)


def test_the_worksheet_finishes_what_the_notes_leave_to_the_reader():
    sheet = the_sheet("weekend")
    sunny = next(work for work in sheet.nodes if work.path == ("weather = Sunny",))
    gains = {found.column: found.gain for found in sunny.candidates}
    assert gains["parents"] == pytest.approx(0.918296, abs=1e-6)
    assert gains["money"] == 0.0
