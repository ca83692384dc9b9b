"""Every way to judge takes every way to divide rows, prints itself and is plain JSON."""

import inspect
import json

import numpy as np
import pytest

import treewright as tw
from evaluation.random_rows import rows_from
from treewright.errors import ParameterError

N_ROWS = 60
COSTS = [[0, 1, 5], [1, 0, 1], [1, 1, 0]]
WAYS = {
    "folds": {"folds": 3},
    "repeated folds": {"folds": 3, "repeats": 2},
    "not stratified": {"folds": 3, "stratified": False},
    "held out": {"hold_out": 0.4},
    "groups": {"groups": np.arange(N_ROWS) // 4, "folds": 3},
    "times": {"times": np.arange(N_ROWS)[::-1], "folds": 3},
    "given folds": {"folds": np.arange(N_ROWS) % 4 - 1},
    "weights": {"folds": 3, "sample_weight": np.arange(N_ROWS) % 3},
}


def judged(model, rows, y, **wish):
    yield tw.evaluate(model, rows.table, y, **wish)
    yield tw.compare([model, model], rows.table, y, **wish)
    yield tw.tune(model, rows.table, y, {"max_depth": [1, 3]}, **wish)
    yield tw.learning_curve(model, rows.table, y, shares=(0.5, 1.0), **wish)
    yield tw.scaling_study(model, rows.table, y, values=(3,), **wish)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "model", [tw.CARTClassifier(), tw.CARTRegressor()], ids=["classes", "numbers"]
)
def test_it_runs_and_prints_and_is_json(model, way):
    rows = rows_from(4, n_rows=N_ROWS)
    of_classes = isinstance(model, tw.CARTClassifier)
    y = rows.y if of_classes else rows.y * 1.5
    found = list(judged(model, rows, y, **WAYS[way]))
    if of_classes:
        model = tw.TreeClassifier(max_depth=3)
        found.append(tw.missing_study(model, rows.table, y, policies=["learned"], **WAYS[way]))
    for one in found:
        assert "nan" not in str(one)
        assert json.loads(json.dumps(one.to_dict(), allow_nan=False))


FUNCTIONS = [
    tw.evaluate,
    tw.compare,
    tw.tune,
    tw.learning_curve,
    tw.scaling_study,
    tw.missing_study,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_all_take_the_arguments_of_evaluate(function):
    own = inspect.signature(function).parameters
    for name, parameter in inspect.signature(tw.evaluate).parameters.items():
        if name not in ("model", "X", "y", "cv", "scoring"):
            assert own[name] == parameter
    assert next(iter(own)) in ("model", "models")
    assert {"X", "y"} < set(own)


def test_the_costs_of_the_models_are_used_everywhere():
    rows = rows_from(1)
    wish = {"measure": "cost", "folds": 3}
    model = tw.CARTClassifier(costs=COSTS)
    mean = tw.evaluate(model, rows.table, rows.y, folds=3).mean("cost")
    both = tw.compare([tw.CARTClassifier(), model], rows.table, rows.y, **wish)
    assert both.evaluations["CARTClassifier 2"].mean("cost") == mean
    assert "cost" in both.evaluations["CARTClassifier"].scores
    tuned = tw.tune(model, rows.table, rows.y, {"max_depth": [None, 1]}, **wish)
    assert tuned.means[0] == pytest.approx(mean)
    curve = tw.learning_curve(model, rows.table, rows.y, shares=(0.5, 1.0), **wish)
    assert curve.held_out[-1].mean == pytest.approx(mean)
    study = tw.scaling_study(model, rows.table, rows.y, values=(1,), **wish)
    assert study.evaluations[1, "none"].mean("cost") == pytest.approx(mean)
    policies = {"policies": ["learned"], "costs": COSTS}
    missing = tw.missing_study(tw.TreeClassifier(), rows.table, rows.y, **wish, **policies)
    assert "cost" in str(missing)
    assert missing.compared("learned", "filled by mean", rope=0.5).rope == 0.5


def test_models_that_disagree_on_costs_have_none_in_common():
    rows = rows_from(1)
    models = [tw.CARTClassifier(costs=COSTS), tw.CARTClassifier(costs=np.array(COSTS) * 2)]
    with pytest.raises(ParameterError, match="costs="):
        tw.compare(models, rows.table, rows.y, measure="cost")


@pytest.mark.parametrize("wish", [{"folds": 4}, {"hold_out": 0.3}])
def test_a_learning_curve_ends_with_the_interval_of_the_evaluation(wish):
    rows = rows_from(2)
    curve = tw.learning_curve(tw.CARTClassifier(), rows.table, rows.y, shares=[1.0], **wish)
    found = tw.evaluate(tw.CARTClassifier(), rows.table, rows.y, **wish).interval("accuracy")
    assert curve.held_out[0] == found
    assert found.low < found.mean < found.high


def test_one_split_tells_nothing_about_differences():
    rows = rows_from(3)
    models = [tw.CARTClassifier(), tw.CARTClassifier(max_depth=1)]
    text = str(tw.compare(models, rows.table, rows.y, hold_out=0.3))
    assert "one split cannot show" in text
    assert "too close" not in text


ROWS = rows_from(0)
WRONG = {
    "shares=0.5": lambda model: tw.learning_curve(model, ROWS.table, ROWS.y, shares=0.5),
    r"shares=\('a',\)": lambda model: tw.learning_curve(model, ROWS.table, ROWS.y, shares=["a"]),
    "n_jobs='2'": lambda model: tw.evaluate(model, ROWS.table, ROWS.y, n_jobs="2"),
    "n_jobs=1.5": lambda model: tw.evaluate(model, ROWS.table, ROWS.y, n_jobs=1.5),
    "no measure `3`": lambda model: tw.compare([model], ROWS.table, ROWS.y, measure=3),
    "max_depth='x'": lambda model: tw.tune(model, ROWS.table, ROWS.y, {"max_depth": [1, "x"]}),
    "values has no": lambda model: tw.scaling_study(model, ROWS.table, ROWS.y, values=()),
    "scalings has no": lambda model: tw.scaling_study(model, ROWS.table, ROWS.y, scalings=()),
    "no scaling 'mean'": lambda model: tw.scaling_study(
        model, ROWS.table, ROWS.y, scalings=("mean",)
    ),
    "holds lists": lambda model: tw.scaling_study(
        model, ROWS.table, ROWS.y, setting="costs", values=(COSTS,)
    ),
    "policies='learned'": lambda model: tw.missing_study(
        tw.TreeClassifier(), ROWS.table, ROWS.y, policies="learned"
    ),
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_arguments_are_named(words):
    with pytest.raises(ParameterError, match=words):
        WRONG[words](tw.CARTClassifier())


def test_hints_of_many_classes_say_that_there_are_more():
    y = [f"c{at % 12:02}" for at in range(48)]
    with pytest.raises(ParameterError, match=r"c06, c07, \.\.\."):
        tw.evaluate(tw.CARTClassifier(), np.arange(48.0)[:, None], y, costs=[[1]])
