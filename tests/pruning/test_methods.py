"""The table of methods: options are checked, rows are asked for or refused."""

import importlib

import numpy as np
import pytest

import treewright as tw
from builders import a_number_tree, a_tennis_tree
from treewright.errors import ParameterError
from treewright.pruning.method import Method
from treewright.pruning.methods import (
    CLASS_METHODS,
    METHODS,
    NUMBER_METHODS,
    method_named,
    prune_tree,
)
from treewright.pruning.row_loss import PruningRows

SOME_ROWS = PruningRows(np.zeros((2, 3)), np.array([0, 1], dtype=np.int32), None, np.ones(2))


def refusal(call):
    with pytest.raises(ParameterError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_is_a_documented_function_of_its_own_module(method):
    module = importlib.import_module(f"treewright.pruning.{method.name}")
    assert method.function is getattr(module, method.name)
    assert method.function.__doc__
    assert method.summary
    for option in method.options:
        assert option.summary


def test_numbers_have_some_of_the_methods():
    assert set(NUMBER_METHODS) < set(CLASS_METHODS)


def test_an_unknown_method_is_told_the_nearest():
    assert "did you mean `pessimistic`?" in refusal(lambda: method_named("pessimist"))
    assert "methods are: " in refusal(lambda: method_named(None))


def test_an_unknown_option_is_told_the_nearest():
    method = METHODS["pessimistic"]
    assert "did you mean `standard_errors`?" in refusal(
        lambda: method.checked({"standard_error": 2})
    )
    assert "it has no options" in refusal(lambda: Method("plain", "").checked({"x": 1}))


def test_an_option_that_would_be_ignored_is_refused():
    method = METHODS["cost_complexity"]
    for name in ("folds", "standard_errors", "random_state"):
        given = {"alpha": 0.01, name: 5}
        message = refusal(lambda: method.refuse_idle(given, method.checked(given)))  # noqa: B023
        assert f"`{name}` has no effect where `alpha` is given" in message
        method.refuse_idle(["alpha"], method.checked(given))  # nobody asked for the other
        method.refuse_idle([name], method.checked({name: 5}))
    for given in ({"alpha": 0.1, "min_cp": 0.1}, {"risk": "impurity", "min_cp": 0.1}):
        message = refusal(lambda: method.refuse_idle(given, method.checked(given)))  # noqa: B023
        assert "`min_cp` has no effect" in message
    given = {"alpha": 0.1, "risk": "error", "min_cp": 0.1}
    method.refuse_idle(given, method.checked(given))


def test_options_are_held_to_their_limits():
    message = refusal(lambda: METHODS["minimum_error"].checked({"m": -1}))
    assert "m=-1 is not allowed" in message
    assert "use a number of at least 0 or None" in message


def test_an_infinite_option_is_refused():
    for method, option in (("critical_value", "value"), ("pessimistic", "standard_errors")):
        message = refusal(lambda: METHODS[method].checked({option: np.float64("inf")}))  # noqa: B023
        assert "use a finite number" in message


@pytest.mark.parametrize("model", [tw.C45Classifier(prune=None), tw.CARTClassifier(prune=None)])
def test_one_loop_tries_every_method(model):
    X, y = tw.load_sample("iris")
    model.fit(X, y)
    for method in METHODS:
        assert tw.prune(model, method, X, y).get_n_leaves() <= model.get_n_leaves()


def test_options_come_out_complete_and_plain():
    values = METHODS["pessimistic"].checked({"standard_errors": np.float64(2.0)})
    assert values == {"standard_errors": 2.0, "order": "top_down"}
    assert type(values["standard_errors"]) is float


def test_a_method_for_classes_refuses_numbers():
    message = refusal(lambda: prune_tree(a_number_tree(), METHODS["mdl"], None, {}))
    assert "`mdl` is for classes, this tree predicts numbers" in message
    assert "critical_value" in message


def test_rows_that_a_method_does_not_need_are_ignored():
    tree = a_tennis_tree()
    with_rows = prune_tree(tree, METHODS["mdl"], SOME_ROWS, {})
    assert with_rows.tree.same_as(prune_tree(tree, METHODS["mdl"], None, {}).tree)


@pytest.mark.parametrize("needs", ["training rows", "validation rows"])
def test_rows_are_asked_for_where_some_are_needed(needs):
    method = Method("mdl", "", METHODS["mdl"].options, needs=lambda options: needs)
    message = refusal(lambda: prune_tree(a_tennis_tree(), method, None, {}))
    assert "`mdl` needs rows: give X and y" in message


def test_a_way_without_rows_is_offered():
    message = refusal(lambda: prune_tree(a_tennis_tree(), METHODS["error_based"], None, {}))
    assert "the rows that the tree was grown on; subtree_raising=False needs none" in message
