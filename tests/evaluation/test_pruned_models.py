"""A model that `tw.prune` pruned is judged by copies that are pruned, too."""

import warnings

import pytest

import treewright as tw


@pytest.fixture(scope="module")
def loans():
    table, y = tw.load_sample("loans")
    return table.drop("loan"), y


def test_copies_are_as_small_as_the_pruned_model(loans):
    whole = tw.CARTClassifier(prune=None).fit(*loans)
    pruned = tw.prune(whole, "pessimistic")
    found = tw.evaluate(pruned, *loans, folds=5)
    assert whole.get_n_leaves() > 70
    assert found.mean_leaves < 2 * pruned.get_n_leaves()
    assert str(found).startswith("CARTClassifier, pruned by pessimistic: stratified 5-fold")
    assert tw.evaluate(whole, *loans, folds=5).mean_leaves > 50


def test_a_later_pruning_and_the_same_by_settings_are_judged_alike(loans):
    pruned = tw.prune(tw.CARTClassifier(prune=None).fit(*loans), "cost_complexity", *loans)
    by_settings = tw.CARTClassifier(prune="cost_complexity")
    later, settled = (tw.evaluate(one, *loans, folds=3) for one in (pruned, by_settings))
    assert later.scores["accuracy"].tolist() == settled.scores["accuracy"].tolist()
    assert (later.pruned, settled.pruned) == ("cost_complexity", "")


def test_comparisons_and_learning_curves_prune_as_well(loans):
    whole = tw.CARTClassifier(prune=None).fit(*loans)
    pruned = tw.prune(whole, "pessimistic")
    found = tw.compare({"whole": whole, "pruned": pruned}, *loans, folds=3)
    assert found.evaluations["pruned"].mean_leaves < found.evaluations["whole"].mean_leaves / 2
    curve = tw.learning_curve(pruned, *loans, folds=3, shares=(1.0,))
    assert curve.mean_leaves[0] == found.evaluations["pruned"].mean_leaves


def test_pruning_by_rows_held_back_cannot_be_repeated_and_is_told(loans):
    pruned = tw.prune(tw.CARTClassifier(prune=None).fit(*loans), "reduced_error", *loans)
    with pytest.warns(UserWarning, match="pruned by reduced_error with separate rows"):
        assert tw.evaluate(pruned, *loans, folds=2).pruned == ""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.evaluate(tw.CARTClassifier(prune="reduced_error"), *loans, folds=2)
