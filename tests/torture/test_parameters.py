"""T25 to T28: odd settings, legal extremes, seeds, threads and misspelled names."""

import threading
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import treewright as tw
from small_tables import numbers
from torture.models import (
    MODELS,
    Model,
    for_every,
    for_every_model,
    is_sane,
    learned,
    predictions,
    trees_of,
)
from treewright.cli.main import main
from treewright.cli.settings import SETTINGS_OF
from treewright.param import Param

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

ODD = [-1, 0, 1.5, float("nan"), float("inf"), "3", True, None, [], 2**63]
COSTLY = {"n_init"}  # 2^63 starts are legal, and take as long as they say
FEW_STEPS = {"GradientDescentRegressor", "GradientDescentClassifier"}
EVERY_PARAMETER = [
    pytest.param(kind, param, id=f"{kind.name}-{param.name}")
    for kind in MODELS.values()
    for param in type(kind()).params
]


def has(kind: Model, *names: str) -> bool:
    """Whether an estimator has these settings."""
    return set(names) <= set(kind().get_params())


def quick(kind: Model, **params: object):
    """An estimator that soon gives up."""
    return kind(**{**({"max_iter": 50} if kind.name in FEW_STEPS else {}), **params})


def refusal_of(model, X, y) -> str | None:
    """What a model has against this table; None if it fits and answers."""
    try:
        predictions(model.fit(X, y), X)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("kind", "param"), EVERY_PARAMETER)
def test_T25_every_odd_value_is_refused_at_fit_or_gives_a_model(kind, param):
    """-1, 0, 1.5, nan, inf, "3", True, None, [] and 2^63 for every setting: a model, or words."""
    X, y = numbers(20)
    for value in ODD:
        if value == 2**63 and param.name in COSTLY:
            continue
        model = quick(kind, **{param.name: value})  # never refused here
        try:
            param.check(value)
        except tw.ParameterError:
            with pytest.raises(tw.ParameterError) as caught:
                model.fit(X, y)
            assert f"{param.name}=" in str(caught.value)
            assert param.allowed in str(caught.value)
            with pytest.raises(NotFittedError):
                check_is_fitted(model)
        else:
            refusal = refusal_of(model, X, y)  # right alone, but wrong for this table?
            assert refusal is None or param.name in refusal


NAN, INF = float("nan"), float("inf")
NEVER = {  # what a setting is not, by what it usually is
    int: [-1, 1.5, NAN, INF, "3", True, []],
    float: [NAN, "3", True, []],
    bool: [-1, 1.5, NAN, INF, "3", [], 2**63],
    str: [-1, 1.5, NAN, INF, "3", True, [], 2**63],
    type(None): [NAN, "3", True, []],
}
BUT = {  # settings that take other kinds of values too
    "min_samples_leaf": [1.5, INF],  # of C4.5: a weight
    "learning_rate": [1.5, 2**63],
    "gamma": [1.5, 2**63],
    "max_features": [2**63],
    "max_leaf_nodes": [2**63],
    "shrinkage": [1.5, 2**63],
    "target_encoding": [True],
    "max_samples": [2**63],
    "max_surrogates": [2**63],
    "positive": ["3", True],  # a class
    "fill_value": [NAN, "3", True],  # a cell
} | {
    lists: [[]]
    for lists in (
        "callbacks",
        "categorical_features",
        "column_order",
        "cut_points",
        "inductors",
        "interaction_cst",
        "monotonic_cst",
    )
}


@pytest.mark.parametrize(("kind", "param"), EVERY_PARAMETER)
def test_T25_what_cannot_be_meant_is_refused_with_name_and_value(kind, param):
    """By a list of its own: the declarations of settings might allow too much."""
    X, y = numbers(20)
    usual = kind().get_params()[param.name]
    for value in NEVER.get(type(usual), []):
        if not any(value is one or value == one for one in BUT.get(param.name, [])):
            with pytest.raises(tw.ParameterError) as caught:
                quick(kind, **{param.name: value}).fit(X, y)
            assert f"{param.name}={value!r}" in str(caught.value)


@for_every_model
def test_T25_numpy_scalars_are_numbers(kind):
    """np.int32(5) is 5, np.float64(0.5) is 0.5 and np.True_ is True, for all settings at once."""
    scalars = {int: np.int32, float: np.float64, bool: np.bool_}
    given = kind().get_params()
    as_scalars = {
        key: scalars.get(type(value), lambda same: same)(value) for key, value in given.items()
    }
    X, y = numbers(20)
    assert learned(kind(**as_scalars).fit(X, y)) == learned(kind().fit(X, y))


# The settings that T26 names, and what a model is then.
NO_SPLIT = [
    {"min_samples_leaf": 10**6},
    {"min_samples_split": 10**9},
    {"min_gain": float("inf")},
    {"max_leaf_nodes": 1},
    {"max_splits": 0},
]
AS_BEFORE = [
    {"max_depth": 10**9},
    {"max_depth": 1e9},
    {"max_depth": 2**63},
    {"max_leaf_nodes": 2**63},
    {"max_iter": 2**63},
]
STILL_A_MODEL = [
    {"n_estimators": 1},
    {"n_estimators": 1, "max_bins": 2},
    {"learning_rate": 1e-300},
    {"n_clusters": 40},
    {"n_neighbors": 40},
    {"n_bins": 10_000},
    {"n_jumps": 10**3},
    {"l2": 1e300},
    {"tol": 1e300},
]


def is_allowed(kind: Model, params: dict[str, object]) -> bool:
    """Whether an estimator has these settings and lets them be so."""
    declared = {param.name: param for param in type(kind()).params}
    for name, value in params.items():
        if name not in declared:
            return False
        with suppress(tw.ParameterError):
            declared[name].check(value)
            continue
        return False
    return True


@for_every(lambda kind: kind.trees != "none")
def test_T26_a_limit_that_nothing_meets_leaves_single_leaves(kind):
    """min_samples_leaf above the rows, max_leaf_nodes=1, min_gain=inf ...: one leaf."""
    X, y = numbers(40)
    met = [params for params in NO_SPLIT if is_allowed(kind, params)]
    for params in met:
        model = kind(**params).fit(X, y)
        assert all(tree.n_leaves == 1 for tree in trees_of(model)), params
        assert is_sane(predictions(model, X))
    assert met or kind.name == "IsolationForest"  # that one has no limits


@for_every_model
def test_T26_a_limit_that_is_never_reached_changes_nothing(kind):
    """max_depth=1e9 and 2^63 rounds give the same model, and take no memory in advance."""
    X, y = numbers(40)
    expected = predictions(kind().fit(X, y), X)
    for params in AS_BEFORE:
        if is_allowed(kind, params) and kind().get_params()[next(iter(params))] is None:
            np.testing.assert_array_equal(predictions(kind(**params).fit(X, y), X), expected)


@for_every_model
def test_T26_legal_extremes_give_a_sane_model(kind):
    """One tree, two bins, a rate of 1e-300, as many clusters as rows ...: finite answers."""
    X, y = numbers(40)
    for params in STILL_A_MODEL:
        if is_allowed(kind, params):
            assert is_sane(predictions(quick(kind, **params).fit(X, y), X)), params


@for_every(lambda kind: has(kind, "random_state"))
def test_T27_random_states_of_every_kind(kind):
    """An integer, a NumPy integer, None, RandomState and Generator; -1 and 1.5 are refused."""
    X, y = numbers(100)
    for seed in (0, np.int64(3), None, np.random.RandomState(0), np.random.default_rng(0)):
        assert is_sane(predictions(kind(random_state=seed).fit(X, y), X))
    assert learned(kind(random_state=np.int64(3)).fit(X, y)) == learned(
        kind(random_state=3).fit(X, y)
    )
    for odd in (-1, 1.5):
        with pytest.raises(tw.ParameterError, match=f"random_state={odd}"):
            kind(random_state=odd).fit(X, y)


@for_every(lambda kind: has(kind, "n_jobs"))
def test_T27_any_number_of_threads_gives_the_same_model(kind):
    """n_jobs=10000 makes the model of one thread, and no more threads than cores can use."""
    X, y = numbers(1200, 6)
    before = threading.active_count()
    contents = {learned(kind(n_jobs=n).fit(X, y)) for n in (None, 1, 2, -1, 10_000)}
    assert len(contents) == 1
    assert threading.active_count() == before
    assert n_threads_of_this_process() < 100
    with pytest.raises(tw.ParameterError, match="n_jobs=0"):
        kind(n_jobs=0).fit(X, y)


def n_threads_of_this_process() -> int:
    """Threads of any language."""
    try:
        with open("/proc/self/status") as status:
            return int(next(line for line in status if line.startswith("Threads:")).split()[1])
    except FileNotFoundError:
        pytest.skip("this system does not list the threads of a process")


@for_every_model
def test_T28_an_unknown_parameter_gets_the_nearest_name(kind):
    name = type(kind()).params[0].name
    typo = name[:-1]
    with pytest.raises(tw.ParameterError, match=rf"`{typo}`(.*\n)*.*did you mean `{name}`"):
        kind().set_params(**{typo: 3})
    with pytest.raises(TypeError, match=typo):
        kind(**{typo: 3})


@for_every(lambda kind: has(kind, "categorical_features"))
def test_T28_columns_that_the_table_lacks_are_named(kind):
    X, y = numbers(20)
    with pytest.raises(ValueError, match=r"categorical_features.*7.*3 columns"):
        kind(categorical_features=[7]).fit(X, y)
    with pytest.raises(ValueError, match=r"`siez`(.*\n)*.*did you mean `size`"):
        kind(categorical_features=["siez"]).fit({"size": [1.0, 2.0]}, [0, 1])


@for_every(lambda kind: has(kind, "costs"))
def test_costs_of_an_only_class_change_nothing(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = kind(costs={"only": 2}).fit(np.arange(40.0).reshape(20, 2), ["only"] * 20)
    assert (model.predict_proba([[3.0, 4.0]]) == 1).all()


@for_every(lambda kind: has(kind, "costs"))
def test_T28_numbers_of_classes_that_disagree_are_both_named(kind):
    X, y = numbers(20)
    with pytest.raises(ValueError, match=r"costs has shape \(3, 3\).*2 classes"):
        kind(costs=np.ones((3, 3)) - np.eye(3)).fit(X, y)


@for_every(lambda kind: has(kind, "priors"))
def test_T28_priors_of_other_classes_are_refused(kind):
    X, y = numbers(20)
    with pytest.raises(ValueError, match=r"priors has shape \(3,\).*2 classes"):
        kind(priors=[0.2, 0.3, 0.5]).fit(X, y)


@for_every(lambda kind: has(kind, "n_clusters") or has(kind, "n_neighbors"))
def test_T28_more_clusters_or_neighbors_than_rows_are_told_with_both_numbers(kind):
    key = "n_clusters" if has(kind, "n_clusters") else "n_neighbors"
    with pytest.raises(ValueError, match=rf"(?s){key}=7.*\b3\b|\b3\b.*{key}=7"):
        kind(**{key: 7}).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    with pytest.raises(tw.ParameterError, match=f"{key}=0"):
        kind(**{key: 0}).fit([[1.0], [2.0], [3.0]], [0, 1, 1])


@for_every(lambda kind: has(kind, "max_features"))
def test_T28_more_columns_than_the_table_has_are_told(kind):
    X, y = numbers(20)
    with pytest.raises(tw.ParameterError, match=r"(?s)max_features=7.*(3 columns|at most 1)"):
        kind(max_features=7).fit(X, y)


@for_every(lambda kind: has(kind, "max_samples") and kind.has_target)
def test_T28_more_rows_than_the_table_has_are_told(kind):
    X, y = numbers(20)
    with pytest.raises(tw.ParameterError, match=r"max_samples=700.*20 rows"):
        kind(max_samples=700).fit(X, y)


# Every flag of numbers, with an algorithm that has it; the first one of each algorithm.
WRONG_NUMBERS = ("-1", "1.5", "nan", "-7")
NUMBER_FLAGS = [
    (model, task, param)
    for (model, task), params in SETTINGS_OF.items()
    for param in params
    if param.type in (int, float)
]
EVERY_FLAG = {param.name: (model, task, param) for model, task, param in NUMBER_FLAGS}
FIRST_FLAGS = {model: (model, task, param) for model, task, param in reversed(NUMBER_FLAGS)}


def refused(param: Param) -> str | None:
    """A number in words that a setting cannot be."""
    for word in WRONG_NUMBERS:
        try:
            param.check(float(word))
        except tw.ParameterError:
            return word
    return None


@pytest.fixture
def csv_file(tmp_path):
    X, y = numbers(20)
    path = tmp_path / "rows.csv"
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.assign(group=np.where(y, "yes", "no"), size=y / 3).to_csv(path, index=False)
    return str(path)


def assert_flag_is_refused(model, task, param, table, capsys) -> None:
    """A wrong number after a flag: exit code 2, its name, and no model file."""
    word, out = refused(param), Path(table).with_name("model.tw")
    target = {"classification": ["-t", "group"], "regression": ["-t", "size"]}.get(task, [])
    flag = "--" + param.name.replace("_", "-")
    code = main(["train", table, *target, "--model", model, f"{flag}={word}", "--out", str(out)])
    told = capsys.readouterr().err
    assert code == 2
    assert word in told
    assert flag in told or param.name in told
    assert not out.exists()


@pytest.mark.parametrize(("model", "task", "param"), FIRST_FLAGS.values(), ids=FIRST_FLAGS)
def test_T25_flags_refuse_what_settings_refuse(model, task, param, csv_file, capsys):
    assert_flag_is_refused(model, task, param, csv_file, capsys)


@pytest.mark.large
@pytest.mark.parametrize(("model", "task", "param"), EVERY_FLAG.values(), ids=EVERY_FLAG)
def test_T25_every_flag_refuses_what_its_setting_refuses(model, task, param, csv_file, capsys):
    assert_flag_is_refused(model, task, param, csv_file, capsys)


@pytest.mark.parametrize("command", ["train", "tune"])
def test_T28_a_misspelled_flag_gets_the_nearest_name(command, csv_file, capsys):
    assert main([command, csv_file, "-t", "group", "--max-detph", "3"]) == 2
    told = capsys.readouterr().err
    assert "--max-detph" in told
    assert "--max-depth" in told
