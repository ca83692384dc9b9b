"""What a model tree shows: text, rules, pictures, one row, the worksheet."""

import numpy as np
import pytest
from hypothesis import given, settings

import treewright as tw
from model_trees.tables import mixed, seeds
from treewright.model_trees.node_models import path_weights
from treewright.model_trees.node_work import NodeWorks


@pytest.fixture(scope="module")
def fitted():
    table, y = mixed(np.random.default_rng(7), 200)
    return tw.M5Regressor().fit(table, y), table, y


def test_the_text_has_a_line_for_each_branch_and_an_equation_for_each_leaf(fitted):
    model, _, _ = fitted
    tree, equations = str(model).split("\n\n")
    assert len(tree.splitlines()) == model.tree_.n_nodes - 1
    assert sum(line.startswith("model ") for line in equations.splitlines()) == (
        model.get_n_leaves()
    )
    assert str(model) in model.summary()


def test_several_terms_of_a_column_are_told_by_what_each_level_adds():
    words = ["a", "b", "c"] * 20
    x = np.arange(60.0)
    y = 10 + 2 * x + np.array([0.0, 200.0, 900.0] * 20)
    model = tw.M5Regressor(smoothing=False).fit({"x": x, "word": words}, y)
    assert str(model) == "model 1: y = 10 + 2 x + word [b: 200; c: 900]"


def test_a_model_that_is_not_fitted_shows_its_settings():
    assert str(tw.M5Regressor(prune=False)) == "M5Regressor(prune=False)"


def test_the_equation_of_the_leaf_gives_the_answer(fitted):
    model, table, _ = fitted
    coding, leaves = model.state_.coding, model.apply(table)
    for row in range(0, 200, 9):
        equation = model.equation(int(leaves[row]))
        total = equation.intercept
        for term, coefficient in equation.coefficients.items():
            value = coding.numbers(table, term.column)[row]
            total += coefficient * (value >= term.cut if term.cut else value)
        assert model.predict(table)[row] == pytest.approx(total, rel=1e-9)


def test_the_shares_of_the_models_on_a_path_add_up_to_one(fitted):
    tree = fitted[0].tree_
    for leaf in np.flatnonzero(tree.is_leaf):
        assert sum(path_weights(tree, tree.path_to(int(leaf)), 15.0)) == pytest.approx(1)


def test_there_is_a_rule_for_each_leaf(fitted):
    model, _, y = fitted
    rules = tw.rules(model)
    assert len(rules) == model.get_n_leaves() == len(rules[:])
    assert sum(rule.weight for rule in rules) == len(y)
    assert str(rules).startswith("if ")
    assert " then y = " in str(rules[0])
    for text in (rules.to_text(), rules.to_markdown(), rules.to_html(), rules.to_latex()):
        assert "error" in text


@pytest.mark.parametrize("smoothing", [True, False])
def test_the_work_of_a_row_comes_to_the_answer(fitted, smoothing):
    model, table, y = fitted
    model = tw.M5Regressor(smoothing=smoothing).fit(table, y)
    for row in range(0, 200, 23):
        work = model.explain(table[row : row + 1])
        assert work.prediction == pytest.approx(model.predict(table)[row], rel=1e-9)
        terms = sum(term.adds for term in work.terms)
        assert work.leaf_prediction == pytest.approx(work.intercept + terms, rel=1e-9, abs=1e-12)
        assert len(work.steps) == (len(work.path) - 1 if smoothing else 0)
        assert len(work.conditions) == len(work.path) - 1
    text = work.to_text()
    assert ("Smoothing" in text) == smoothing
    assert work.to_html()


def test_a_row_may_be_a_dict_with_holes(fitted):
    text = str(fitted[0].explain({"number 0": 0.5}))
    assert "a missing value is replaced by the mean" in text


def test_two_rows_are_not_explained_at_once(fitted):
    model, table, _ = fitted
    with pytest.raises(tw.DataError, match="one row"):
        model.explain(table[:2])


def test_pictures_name_the_models_at_the_leaves(fitted):
    model, table, _ = fitted
    picture = tw.draw(model, row=table[:1])
    assert "model 1: " in picture.to_svg()
    assert "model 1: " in picture.to_html()


@settings(max_examples=15)
@given(generator=seeds)
def test_the_worksheet_finds_the_splits_and_the_terms_again(generator):
    table, y = mixed(generator, int(generator.integers(5, 60)))
    model = tw.M5Regressor(terms=str(generator.choice(["akaike", "adjusted_error", "all"])))
    model.fit(table, y)
    works = NodeWorks(model, model.training_rows(table, y, None))
    tree = model.tree_
    for work in works:
        gone = {work.terms[drop.place] for drop in work.drops if drop.is_dropped}
        kept = set(model.equation(work.node, smoothed=False).coefficients)
        assert gone.isdisjoint(kept)
        assert kept <= set(work.terms)
        own, below = work.expected(model.penalty)
        if tree.is_leaf[work.node]:
            assert work.is_pruned == (bool(work.splits) and own <= below)
        else:
            assert own > below
            assert work.splits[0].column == tree.feature[work.node]
            assert work.splits[0].gain == pytest.approx(tree.score[work.node], rel=1e-6)
            assert work.splits[0].gain >= max(split.gain for split in work.splits) - 1e-9


def test_the_worksheet_prints_in_every_form(fitted):
    model, table, y = fitted
    sheet = tw.worksheet(model, table, y)
    text = sheet.to_text(decimals=2, max_steps=2)
    assert "Node 1: " in text
    assert "Node 2: " not in text
    assert "more nodes" in text
    for other in (sheet.to_markdown(), sheet.to_latex(), sheet.to_html()):
        assert "reduction" in other


@pytest.mark.parametrize("settings", [{"models": False}, {"criterion": "standard_deviation"}])
def test_the_worksheet_tells_of_other_settings(fitted, settings):
    _, table, y = fitted
    model = tw.M5Regressor(**settings).fit(table, y)
    assert "all rows" in str(tw.worksheet(model, table, y))


def test_the_worksheet_of_many_levels_names_the_first_terms():
    generator = np.random.default_rng(8)
    town = generator.integers(0, 300, 1500)
    table = {"town": [f"t{number}" for number in town]}
    y = generator.normal(size=300)[town] * 10 + generator.normal(size=1500)
    model = tw.M5Regressor().fit(table, y)
    text = tw.worksheet(model, table, y).to_text(max_steps=1)
    assert " more." in text
    assert "too many to show" in text
    assert len(text) < 10_000


def test_the_worksheet_is_of_the_rows_of_the_fit(fitted):
    model, table, y = fitted
    with pytest.raises(tw.ParameterError, match="not the training rows"):
        tw.worksheet(model, table[:50], y[:50])
    with pytest.raises(tw.ParameterError, match="give X and y"):
        tw.worksheet(model)
