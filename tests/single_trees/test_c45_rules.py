"""C4.5's rules: what they promise beside what every estimator does."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import treewright as tw
from treewright.errors import ModelFileError, ParameterError
from treewright.persistence.file_text import document, model_in
from treewright.verbs.load import model_bytes, model_from_bytes


def noughts_and_crosses(n_rows=600, seed=0):
    """Random boards; the class is whether x has three in a row. Trees repeat subtrees for it."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(["x", "o", "b"], size=(n_rows, 9))
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    won = np.array([any((row[list(line)] == "x").all() for line in lines) for row in cells])
    return {f"cell {at}": cells[:, at] for at in range(9)}, np.where(won, "won", "not")


def test_rules_are_fewer_and_better_where_a_tree_must_repeat_itself():
    X, y = noughts_and_crosses(1500)
    new, expected = noughts_and_crosses(1000, seed=1)
    tree, rules = tw.C45Classifier().fit(X, y), tw.C45Rules().fit(X, y)
    assert len(rules.rules_) < tree.get_n_leaves()
    assert rules.score(new, expected) > tree.score(new, expected) + 0.05


def test_a_line_of_three_is_found_as_a_rule():
    X, y = noughts_and_crosses(2000)
    texts = [rule.text() for rule in tw.C45Rules().fit(X, y).rules_]
    assert "if cell 0 = x and cell 4 = x and cell 8 = x then won" in sorted(
        " ".join(["if", " and ".join(sorted(text[3:-9].split(" and "))), "then won"])
        for text in texts
        if text.endswith("then won")
    )


def test_the_notes_form_gives_the_rules_that_002_lists():
    X, y = tw.load_sample("golf")
    rules = tw.C45Rules(simple=True, min_samples_leaf=1).fit(X, y).rules_
    assert {rule.text() for rule in rules} == {
        "if outlook = Overcast then Yes",
        "if outlook = Rainy and humidity = High then No",
        "if outlook = Rainy and humidity = Normal then Yes",
        "if outlook = Sunny and windy = FALSE then Yes",
        "if outlook = Sunny and windy = TRUE then No",
    }


def test_the_first_rule_that_holds_answers_and_the_default_where_none_does():
    X, y = tw.load_sample("tennis")
    model = tw.C45Rules().fit(X, y)
    fired = model.apply(X)
    for row, place in enumerate(fired):
        holds = [at for at, rule in enumerate(model.rules_) if rule.shares(X)[row] == 1]
        assert place == (holds[0] if holds else -1)
        expected = model.rules_[place].prediction if place >= 0 else model.rules_.default
        assert model.predict(X)[row] == expected


def test_a_missing_or_unseen_value_fulfills_no_condition():
    X, y = tw.load_sample("tennis")
    model = tw.C45Rules().fit(X, y)
    rows = {"outlook": [None, "Fog"], "temperature": [None] * 2, "humidity": [None] * 2}
    rows["wind"] = [None, None]
    with pytest.warns(UserWarning, match="'Fog'"):
        assert model.apply(rows).tolist() == [-1, -1]
    strict = tw.C45Rules(handle_unknown="error").fit(X, y)
    with pytest.raises(ValueError, match="'Fog'"):
        strict.predict(rows)


def test_the_rule_set_and_the_estimator_answer_alike():
    X, y = noughts_and_crosses()
    X["cell 0"] = [None if at % 7 == 0 else cell for at, cell in enumerate(X["cell 0"])]
    model = tw.C45Rules().fit(X, y)
    np.testing.assert_array_equal(model.rules_.predict(X), model.predict(X))
    np.testing.assert_array_equal(model.rules_.predict_proba(X), model.predict_proba(X))


def test_a_table_of_one_class_needs_no_rule():
    model = tw.C45Rules().fit([[1.0], [2.0]], ["a", "a"])
    assert len(model.rules_) == 0
    assert model.predict([[5.0]]).tolist() == ["a"]
    assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
    assert model.feature_importances_.tolist() == [0.0]
    assert model.export_text() == "otherwise a"


def test_a_smaller_confidence_drops_more():
    X, y = noughts_and_crosses()
    n_conditions = [
        sum(len(rule.conditions) for rule in tw.C45Rules(confidence=c).fit(X, y).rules_)
        for c in (0.5, 0.01)
    ]
    assert n_conditions[0] >= n_conditions[1]


def test_bounds_of_one_column_are_dropped_apart():
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 10, 300))
    y = np.where(x > 7, "high", "low")
    rules = tw.C45Rules().fit(x[:, np.newaxis], y).rules_
    assert all(len(rule.conditions) == 1 for rule in rules)


@pytest.mark.filterwarnings("ignore:.*min_samples_leaf")
@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e100, 1e300])
def test_weights_of_any_size_give_rules(scale):
    X, y = noughts_and_crosses(100)
    weights = np.random.default_rng(0).uniform(1, 2, 100) * scale
    model = tw.C45Rules().fit(X, y, sample_weight=weights)
    assert np.isfinite(model.predict_proba(X)).all()
    assert model_bytes(model_from_bytes(model_bytes(model))) == model_bytes(model)


def test_it_can_begin_with_the_pruned_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] > 0) ^ (rng.random(400) < 0.15)
    whole = tw.C45Rules(mdl_correction=False).fit(X, y)
    pruned = tw.C45Rules(mdl_correction=False, prune=True).fit(X, y)
    assert pruned.tree_.n_leaves < whole.tree_.n_leaves
    assert pruned.pruning_ is not None


@pytest.mark.parametrize(
    "use",
    [
        lambda model: tw.prune(model, "pessimistic"),
        lambda model: model.to_depth(1),
        lambda model: model.simplify(),
        lambda model: model.path_of([[1.0]]),
    ],
)
def test_what_needs_a_tree_that_answers_is_refused(use):
    model = tw.C45Rules().fit([[1.0], [2.0], [1.0], [2.0]], ["a", "b", "a", "b"])
    with pytest.raises(ParameterError, match="predicts by rules, not by a tree"):
        use(model)


@pytest.mark.parametrize("use", [tw.rules, lambda model: tw.export(model, to="python")])
def test_without_a_fit_there_are_no_rules(use):
    with pytest.raises(NotFittedError, match="C45Rules instance is not fitted"):
        use(tw.C45Rules())


def test_a_file_must_have_rules_exactly_where_they_answer():
    X, y = tw.load_sample("tennis")
    with_rules = model_in(model_bytes(tw.C45Rules().fit(X, y)))
    without = {key: value for key, value in with_rules.items() if key != "rules"}
    with pytest.raises(ModelFileError, match="rules"):
        model_from_bytes(document(without))
    tree = model_in(model_bytes(tw.C45Classifier().fit(X, y)))
    with pytest.raises(ModelFileError, match="with rules"):
        model_from_bytes(document(tree | {"rules": with_rules["rules"]}))
