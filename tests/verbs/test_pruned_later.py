"""Pruning after a fit is told from pruning by settings, and can be done to other models."""

import warnings

import pytest

import treewright as tw
from treewright.verbs.prune import later_pruning

BY_SETTINGS = (
    tw.CARTClassifier(prune=None),
    tw.CARTClassifier(ccp_alpha=0.01),
    tw.CARTClassifier(prune="cv"),
    tw.CARTClassifier(prune="cv", cp=0.001),
    tw.CARTClassifier(prune="cost_complexity", prune_options={"folds": [0, 1, 2, 3] * 100}),
    tw.C45Classifier(),
    tw.C45Classifier(prune="reduced_error", prune_options={"fraction": 0.2}),
    tw.TreeClassifier(prune="minimum_error"),
    tw.ID3Classifier(prune="critical_value", prune_options={"value": 0.1}),
    tw.C45Rules(prune=True),
)
METHODS = (
    ("pessimistic", {}),
    ("minimum_error", {"m": 3}),
    ("mdl", {}),
    ("critical_value", {"value": 0.2}),
    ("cost_complexity", {"alpha": 0.02}),
    ("error_based", {"subtree_raising": False, "confidence": 0.02}),
)
METHODS_WITH_ROWS = (("error_based", {}), ("cost_complexity", {"standard_errors": 0.5}))


@pytest.fixture(scope="module")
def loans():
    table, y = tw.load_sample("loans")
    return table.drop("loan"), y


@pytest.mark.parametrize("model", BY_SETTINGS, ids=repr)
def test_pruning_by_settings_is_no_later_one(model, loans):
    assert later_pruning(model) is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert later_pruning(model.fit(*loans)) is None


@pytest.mark.parametrize(("method", "options"), [*METHODS, *METHODS_WITH_ROWS])
def test_it_is_found_and_repeated_exactly(method, options, loans, tmp_path):
    model = tw.CARTClassifier(prune=None).fit(*loans)
    rows = loans if (method, options) in METHODS_WITH_ROWS else ()
    pruned = tw.prune(model, method, *rows, **options)
    pruned.save(tmp_path / "pruned.json")
    for one in (pruned, tw.load(tmp_path / "pruned.json")):
        found = later_pruning(one)
        assert str(found) == method
        assert found.can_be_repeated
        assert found.of(model, *loans, None).tree_.same_as(pruned.tree_)


def test_other_options_than_those_of_the_settings_are_a_later_pruning(loans):
    model = tw.TreeClassifier(prune="minimum_error").fit(*loans)
    assert later_pruning(tw.prune(model, "minimum_error", m=40)) is not None


def test_rows_of_its_own_cannot_be_had_again(loans):
    pruned = tw.prune(tw.CARTClassifier(prune=None).fit(*loans), "reduced_error", *loans)
    assert not later_pruning(pruned).can_be_repeated
