"""Rule sets predict as their models do, and can be sorted, filtered, explained and saved."""

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from exports.export_models import EXPORT_MODELS, fitted
from treewright.errors import DataError, ModelFileError, ParameterError, UnknownColumnError
from treewright.exports.witnesses import witnesses
from treewright.persistence.file_text import document, model_in
from treewright.single_trees.as_tree import tree_of
from treewright.single_trees.rule_set import RuleSet
from treewright.verbs.load import model_bytes, model_from_bytes

MODELS = [name for name in EXPORT_MODELS if not isinstance(fitted(name), tw.Tree)]


def tennis(model=None):
    X, y = tw.load_sample("tennis")
    return tw.rules((model or tw.C45Classifier()).fit(X, y)), X, y


@pytest.mark.filterwarnings("ignore:categories not seen")
@pytest.mark.parametrize("name", MODELS)
def test_predictions_are_those_of_the_model_to_the_last_bit(name):
    model = fitted(name)
    rules, rows = tw.rules(model), witnesses(tree_of(model))
    if model.tree_.unseen == "error":
        with pytest.raises(DataError, match="has not seen this category"):
            rules.predict(rows)
        return
    predicted = rules.predict(rows)
    assert predicted.dtype == model.predict(rows).dtype
    np.testing.assert_array_equal(predicted, model.predict(rows))
    if rules.classes_ is not None:
        np.testing.assert_array_equal(rules.predict_proba(rows), model.predict_proba(rows))


def test_columns_that_are_nominal_by_the_users_word_are_read_so():
    X, y = np.array([[1.5], [2.5], [1.5], [3.5]] * 5), ["a", "b", "a", "b"] * 5
    model = tw.C45Classifier(categorical_features=[0]).fit(X, y)
    rules = tw.rules(model)
    np.testing.assert_array_equal(rules.predict(X), model.predict(X))
    loaded = model_from_bytes(model_bytes(rules))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_smoothed_probabilities_do_not_count_as_rows():
    rules, X, _ = tennis(tw.C45Classifier(laplace=True))
    assert [rule.weight for rule in rules] == [3.0, 2.0, 4.0, 3.0, 2.0]
    assert [rule.errors for rule in rules] == [0.0] * 5
    assert rules.predict_proba(X).max() == pytest.approx(5 / 6)


def test_a_bare_tree_has_rules_too():
    _, X, y = tennis()
    tree = tw.CARTClassifier().fit(X, y).tree_
    assert (tw.rules(tree).predict(X) == y).all()


def test_the_rules_of_rules_are_themselves():
    rules, X, y = tennis()
    assert tw.rules(rules) is rules
    model = tw.C45Rules().fit(X, y)
    assert str(tw.rules(model)) == str(model.rules_)


@pytest.mark.parametrize("model", [None, 3, "tree", pd.DataFrame()])
def test_what_is_no_tree_is_refused(model):
    with pytest.raises(ParameterError, match="is not a model of treewright"):
        tw.rules(model)


def test_an_unfitted_model_is_refused():
    with pytest.raises(ValueError, match="not fitted yet"):
        tw.rules(tw.C45Classifier())


# ---------------------------------------------------------------------------- choosing rules


def test_places_slices_lists_and_masks_choose_rules():
    rules, *_ = tennis()
    assert rules[-1].name == "R5"
    assert [rule.name for rule in rules[1:3]] == ["R2", "R3"]
    assert [rule.name for rule in rules[[4, 0]]] == ["R5", "R1"]
    assert [rule.name for rule in rules[np.array([True, False, False, False, True])]] == [
        "R1",
        "R5",
    ]
    with pytest.raises(IndexError, match="no rule 5 in a set of 5"):
        rules[5]


def test_sorting_changes_the_order_and_no_answer():
    rules, X, _ = tennis()
    by_weight = rules.sort("weight")
    assert [rule.name for rule in by_weight] == ["R3", "R1", "R4", "R2", "R5"]
    np.testing.assert_array_equal(by_weight.predict_proba(X), rules.predict_proba(X))
    assert [rule.name for rule in by_weight.sort("name")] == ["R1", "R2", "R3", "R4", "R5"]
    in_order = rules.sort("prediction")
    assert [rule.prediction for rule in in_order] == ["No", "No", "Yes", "Yes", "Yes"]
    assert [len(rule.conditions) for rule in rules.sort("length")] == [1, 2, 2, 2, 2]
    assert rules.sort("lift", descending=False)[0].prediction == "Yes"


def test_rules_without_rows_are_sorted_to_the_end():
    X = {"color": ["red", "blue", "green"] * 4, "x": [0.0] * 6 + [1.0] * 6}
    y = ["a", "b", "c"] * 2 + ["a", "a", "b"] * 2
    X["color"][6:] = ["red", "blue", "blue"] * 2
    rules = tw.rules(tw.TreeClassifier(nominal="branches").fit(X, y)).sort("confidence")
    known = ~np.isnan([rule.confidence for rule in rules])
    assert (np.diff(known.astype(int)) <= 0).all()


def test_an_unknown_order_names_the_nearest():
    with pytest.raises(ParameterError, match='did you mean "confidence"'):
        tennis()[0].sort("confidense")


def test_filters_go_by_answer_column_quality_and_function():
    rules, *_ = tennis()
    assert {rule.prediction for rule in rules.filter(prediction="No")} == {"No"}
    assert [rule.name for rule in rules.filter(column="wind")] == ["R4", "R5"]
    assert [rule.name for rule in rules.filter(min_weight=3)] == ["R1", "R3", "R4"]
    assert len(rules.filter(min_lift=2)) == 2
    assert len(rules.filter(min_confidence=1.01)) == 0
    assert [rule.name for rule in rules.filter(lambda rule: len(rule.conditions) == 1)] == ["R3"]
    with pytest.raises(UnknownColumnError, match="did you mean `wind`"):
        rules.filter(column="winds")


def test_a_rule_is_found_by_its_name_wherever_it_stands():
    rules, *_ = tennis()
    by_weight = rules.sort("weight")
    assert by_weight["R1"] == rules[0]
    assert [rule.name for rule in by_weight[["R5", "R2"]]] == ["R5", "R2"]
    assert len(rules[[]]) == 0
    with pytest.raises(ParameterError, match=r"(?s)no rule 'r3' in a set of 5.*did you mean `R3`"):
        rules["r3"]
    with pytest.raises(ParameterError, match=r"(?s)no rule 'x' in a set of 0.*the set is empty"):
        rules[:0]["x"]
    for key in (1.5, [0.5], [[0]], None):
        with pytest.raises(ParameterError, match="rules cannot be chosen by"):
            rules[key]


def test_an_answer_that_no_rule_could_give_names_the_nearest():
    rules, *_ = tennis()
    with pytest.raises(ParameterError, match=r"(?s)know no class 'yes'.*did you mean `Yes`"):
        rules.filter(prediction="yes")
    with pytest.raises(ParameterError, match=r"(?s)know no class 7.*classes are: No, Yes"):
        rules.filter(prediction=7)
    assert len(rules.filter(prediction="Yes").filter(prediction="No")) == 0
    numbers = tw.rules(tw.CARTRegressor().fit([[1.0], [2.0]], [3.0, 4.0]))
    assert len(numbers.filter(prediction=4)) == 1
    with pytest.raises(ParameterError, match=r"(?s)know no number 3.2.*the nearest is 3.0"):
        numbers.filter(prediction=3.2)


def test_a_set_without_all_rules_answers_its_default():
    rules, X, _ = tennis()
    some = rules.filter(prediction="No")
    assert not some.is_complete
    assert some.default == "Yes"
    np.testing.assert_array_equal(some.predict(X), rules.predict(X))
    assert some.apply(X)[2] == -1
    assert len(rules.filter(min_weight=100)) == 0
    assert set(rules.filter(min_weight=100).predict(X)) == {"Yes"}


# ---------------------------------------------------------------------------- explaining


def test_the_rule_that_fired_is_told():
    rules, X, _ = tennis()
    told = rules.explain(X, row=0)
    assert told.prediction == "No"
    assert told.rule.name == "R1"
    assert str(told) == "No, because\n  R1, if outlook = Sunny and humidity = High then No (3)"
    assert rules.explain(X, row=-14).rule.name == "R1"
    for row in (14, -15):
        with pytest.raises(IndexError, match=f"there is no row {row} in a table of 14 rows"):
            rules.explain(X, row=row)


def test_several_rules_speak_for_a_row_with_holes():
    rules, *_ = tennis()
    row = {"outlook": [None], "temperature": ["Hot"], "humidity": ["High"], "wind": ["Weak"]}
    told = rules.explain(row)
    assert [rule.name for rule, _ in told.parts] == ["R1", "R3", "R4"]
    assert sum(share for _, share in told.parts) == pytest.approx(1)
    assert "35.7 % of the row: R1" in str(told)


def test_a_fallback_and_a_rule_left_out_are_told_too():
    rules, X, _ = tennis(tw.ID3Classifier())
    hole = {"outlook": [None], "temperature": ["Hot"], "humidity": ["High"], "wind": ["Weak"]}
    assert rules.explain(hole).rule.name == "node 0"
    assert "no rule holds" in str(rules.filter(prediction="Yes").explain(X, row=0))


# ---------------------------------------------------------------------------- printing and files


def test_numbers_have_no_probabilities():
    rules = tw.rules(tw.CARTRegressor().fit([[1.0], [2.0]], [3.0, 4.0]))
    assert repr(rules) == "<RuleSet: 2 rules for numbers>"
    assert [rule.prediction for rule in rules.sort("prediction", descending=True)] == [4.0, 3.0]
    with pytest.raises(ParameterError, match="no probabilities"):
        rules.predict_proba([[1.0]])


def test_a_long_set_is_printed_in_part():
    rng = np.random.default_rng(0)
    rules = tw.rules(tw.CARTClassifier().fit(rng.normal(size=(800, 3)), rng.integers(0, 2, 800)))
    assert len(str(rules).splitlines()) < 110 < len(rules) < len(rules.to_text().splitlines())
    assert str(rules).endswith(f"... {len(rules) - 100} more rules: `to_text()` shows all")


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_saved_rules_are_the_same_rules(name, tmp_path):
    rules = tw.rules(fitted(name))
    some = rules[::2].sort("weight")
    for number, every in enumerate((rules, some)):
        every.save(tmp_path / f"{number}.json")
        loaded = tw.load(tmp_path / f"{number}.json")
        assert isinstance(loaded, RuleSet)
        assert loaded.is_complete == every.is_complete
        assert loaded[:50].to_text() == every[:50].to_text()
        assert model_bytes(loaded) == model_bytes(every)


def test_rules_can_be_pickled_and_copied():
    rules, X, _ = tennis()
    rules[:3].predict(X)  # makes what a pickle must not hold
    for some in (rules, rules[:3], tw.C45Rules().fit(*tw.load_sample("tennis")).rules_):
        for other in (pickle.loads(pickle.dumps(some)), copy.deepcopy(some)):
            np.testing.assert_array_equal(other.predict(X), some.predict(X))
            assert other.to_text() == some.to_text()


def spoilt(model, **changes):
    content = model_in(model_bytes(model))
    content["rules"] |= {key: value for key, value in changes.items() if key in content["rules"]}
    content |= {key: value for key, value in changes.items() if key not in content["rules"]}
    return document(json.loads(json.dumps(content)))


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": [4, 5, 2, 6, 99]},
        {"nodes": [4, 4, 2, 6, 7]},
        {"nodes": [0, 5, 2, 6, 7]},
        {"nodes": [4, 5, 2]},
        {"nodes": "all"},
        {"numbers": [0, 0, 1, 2, 3]},
        {"fallbacks": [4]},
        {"fallbacks": None},
        {"weight": [1.0]},
        {"weight": [-1.0] * 5},
        {"n_rows": [1.5] * 5},
        {"right": [100.0] * 5},
        {"right": None},
        {"base": [2.0] * 5},
        {"class_type": "int64"},
        {"class_type": None},
        {"categorical_features": 7},
        {"odd": 1},
    ],
)
def test_a_spoilt_file_is_refused(changes):
    rules, *_ = tennis()
    with pytest.raises(ModelFileError):
        model_from_bytes(spoilt(rules, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"conditions": [[{"column": 99, "levels": [0]}]] * 2},
        {"conditions": [[{"column": 0}]] * 2},
        {"conditions": [[{"column": 0, "levels": [7]}]] * 2},
        {"conditions": [[{"column": 0, "levels": [0], "not_levels": [1]}]] * 2},
        {"conditions": [[{"column": 0, "above": 1.0}]] * 2},
        {"conditions": [{"column": 0}] * 2},
        {"conditions": [[{"column": 0, "levels": 3}]] * 2},
        {"answers": [0, 2]},
        {"answers": [0]},
        {"default": -1},
        {"default": True},
        {"shares": [[0.5, 0.5]]},
        {"shares": [[2.0, -1.0]] * 3},
        {"shares": [[0.5, 0.5], [0.5, 0.49], [0.5, 0.5]]},
        {"classes": ["No", "No"]},
        {"classes": None},
        {"unseen": "majority"},
        {"schema": {}},
    ],
)
def test_a_spoilt_list_of_rules_is_refused(changes):
    X, y = tw.load_sample("tennis")
    with pytest.raises(ModelFileError):
        model_from_bytes(spoilt(tw.C45Rules().fit(X, y).rules_[:2], **changes))


@pytest.mark.parametrize(
    ("at", "words"), [(1, "rule 1 sum to 2, not to 1"), (2, "no rule covers sum to 2, not to 1")]
)
def test_the_rule_whose_shares_are_no_probabilities_is_named(at, words):
    X, y = tw.load_sample("tennis")
    shares = [[0.25, 0.75], [0.1, 0.9], [1.0, 0.0]]
    shares[at] = [1.0, 1.0]
    with pytest.raises(ModelFileError, match=words):
        model_from_bytes(spoilt(tw.C45Rules().fit(X, y).rules_[:2], shares=shares))
