"""Every parameter of an estimator is a flag, from the one declaration."""

import inspect

import pytest

import treewright as tw
from treewright.cli.algorithms import ESTIMATORS
from treewright.cli.app import LEARNING, command_named
from treewright.cli.flags import as_value, learning_command
from treewright.cli.settings import NOT_FLAGS, every_setting, parameter_of, settings_of


@pytest.mark.parametrize(("model", "task"), ESTIMATORS)
def test_the_settings_are_the_parameters(model, task):
    estimator = getattr(tw, ESTIMATORS[model, task])()
    flags = {parameter_of(flag) for flag in settings_of(model, task)}
    assert flags == set(estimator.get_params()) - NOT_FLAGS


@pytest.mark.parametrize("command", LEARNING)
def test_every_setting_is_a_flag_of_every_command_that_learns(treewright, command):
    made = learning_command(command_named(command), with_settings=True)
    flags = set(inspect.signature(made).parameters)
    assert {param.name for param in every_setting()} <= flags
    text = treewright(command, "--help-all").out
    for param in every_setting():
        assert f"--{param.name.replace('_', '-')}" in text


@pytest.mark.parametrize(("model", "task"), ESTIMATORS)
def test_the_default_of_every_setting_can_be_typed(model, task):
    estimator = getattr(tw, ESTIMATORS[model, task])()
    for flag, param in settings_of(model, task).items():
        default = estimator.get_params()[parameter_of(flag)]
        typed = default if isinstance(default, bool) else str(default).lower()
        assert as_value(param, typed) == default


def test_what_is_not_a_flag_has_one_of_its_own(treewright):
    of_refits = {"warm_start", "callbacks", "verbose"}  # a command fits once, and shows progress
    assert NOT_FLAGS - of_refits == {"categorical_features"}
    assert "--categorical " in treewright("train", "--help").out
