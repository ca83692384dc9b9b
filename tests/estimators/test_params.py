"""Parameters are declared once; the declaration judges every value."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError
from treewright.param import Param, SavedFunction

MAX_DEPTH = tw.TreeClassifier.param_named("max_depth")
MIN_SAMPLES_LEAF = tw.TreeClassifier.param_named("min_samples_leaf")
MIN_GAIN = tw.TreeClassifier.param_named("min_gain")
MAX_SURROGATES = tw.TreeClassifier.param_named("max_surrogates")
N_JOBS = tw.TreeClassifier.param_named("n_jobs")
RANDOM_STATE = tw.TreeClassifier.param_named("random_state")
CLASS_WEIGHT = tw.TreeClassifier.param_named("class_weight")
HANDLE_UNKNOWN = tw.TreeClassifier.param_named("handle_unknown")
CRITERION = tw.ObliqueTreeClassifier.param_named("criterion")
CRITERION_OR_FUNCTION = tw.TreeClassifier.param_named("criterion")
LAPLACE = tw.C45Classifier.param_named("laplace")


@pytest.mark.parametrize(
    ("param", "value"),
    [
        (MAX_DEPTH, None),
        (MAX_DEPTH, 1),
        (MAX_DEPTH, 1e9),
        (MAX_DEPTH, 2**63),
        (MAX_DEPTH, 10**400),
        (MAX_DEPTH, np.int8(3)),
        (MAX_DEPTH, np.uint64(3)),
        (MIN_SAMPLES_LEAF, 0.1),
        (MIN_SAMPLES_LEAF, np.float32(0.5)),
        (MIN_GAIN, float("inf")),
        (MIN_GAIN, 0),
        (MAX_SURROGATES, "auto"),
        (MAX_SURROGATES, 0),
        (N_JOBS, -1),
        (N_JOBS, 10_000),
        (RANDOM_STATE, None),
        (RANDOM_STATE, np.random.RandomState(0)),
        (RANDOM_STATE, np.random.default_rng(0)),
        (CLASS_WEIGHT, "balanced"),
        (CLASS_WEIGHT, {"a": 2}),
        (HANDLE_UNKNOWN, "error"),
        (LAPLACE, np.True_),
        (CRITERION_OR_FUNCTION, max),
    ],
)
def test_allowed_values_pass(param, value):
    param.check(value)


@pytest.mark.parametrize(
    ("param", "value", "allowed"),
    [
        (MAX_DEPTH, 0, "an integer of at least 1 or None"),
        (MAX_DEPTH, -1, "an integer of at least 1 or None"),
        (MAX_DEPTH, 1.5, "an integer of at least 1 or None"),
        (MAX_DEPTH, float("nan"), "an integer"),
        (MAX_DEPTH, float("inf"), "an integer"),
        (MAX_DEPTH, "3", "an integer"),
        (MAX_DEPTH, True, "an integer"),
        (MAX_DEPTH, np.True_, "an integer"),
        (MAX_DEPTH, [], "an integer"),
        (MIN_SAMPLES_LEAF, None, "an integer of at least 1 or a share of the rows"),
        (MIN_SAMPLES_LEAF, 1.0, "a share of the rows between 0 and 1"),
        (MIN_GAIN, -1e-9, "a number of at least 0 or None"),
        (MIN_GAIN, float("nan"), "a number of at least 0 or None"),
        (N_JOBS, 0, "an integer other than 0 or None"),
        (RANDOM_STATE, -1, "an integer from 0 to 4294967295"),
        (CLASS_WEIGHT, "balance", '"balanced", a dict from class to weight or None'),
        (HANDLE_UNKNOWN, "skip", '"missing", "majority" or "error"'),
        (HANDLE_UNKNOWN, np.zeros(3), '"missing", "majority" or "error"'),
        (MAX_SURROGATES, "all", '"auto" or an integer of at least 0'),
        (LAPLACE, 1, "True or False"),
        (CRITERION, max, '"gini" or "entropy"'),
    ],
)
def test_refused_values_name_parameter_value_and_what_is_allowed(param, value, allowed):
    with pytest.raises(ParameterError) as caught:
        param.check(value)
    message = str(caught.value)
    assert message.startswith(f"{param.name}=")
    assert allowed in message


def test_a_near_miss_is_offered():
    with pytest.raises(ParameterError, match='did you mean "gini"'):
        CRITERION.check("Gini")


def test_a_long_value_is_shortened_in_the_message():
    with pytest.raises(ParameterError) as caught:
        MAX_DEPTH.check(list(range(10_000)))
    assert len(str(caught.value)) < 200


def test_limits_may_be_open():
    share = Param("share", float, 0.5, "a share", above=0, below=1)
    share.check(0.999)
    for value in (0, 1):
        with pytest.raises(ParameterError, match="above 0 and below 1"):
            share.check(value)


def test_another_default_leaves_the_rest_alone():
    param = MIN_GAIN.but(default=0.0)
    assert param.default == 0.0
    assert param.help == MIN_GAIN.help
    assert MIN_GAIN.default is None


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Number of trees.", "Number of trees"),
        ("Number of threads: -1 uses all cores.", "Number of threads"),
        ("Maximum depth; None for no limit. See `prune`.", "Maximum depth"),
        ("At least 0.5 of the `rows`. No more.", "At least 0.5 of the rows"),
    ],
)
def test_the_summary_is_the_first_clause(text, summary):
    assert Param("one", int, 1, text).summary == summary


def test_a_function_known_by_name_only_cannot_be_used_again():
    with pytest.raises(
        ParameterError, match=r"`mine\.impurity`, which a model file holds by name only"
    ):
        CRITERION_OR_FUNCTION.check(SavedFunction("mine.impurity"))
