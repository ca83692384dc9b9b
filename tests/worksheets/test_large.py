"""Worksheets of large tables stay small."""

import numpy as np
import pytest

import treewright as tw
from treewright.models.fitted_rows import training_of
from treewright.worksheets import calculate
from treewright.worksheets.calculate import Calculation


def a_model(n_rows: int = 400, criterion: str = "gini"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 5))
    y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
    if criterion in ("gini", "entropy"):
        return tw.TreeClassifier(criterion=criterion).fit(X, y), X, y
    return tw.TreeRegressor(criterion=criterion).fit(X, X[:, 0]), X, X[:, 0]


def n_headings(text: str) -> int:
    return text.count("## Node ")


def test_a_page_has_thirty_nodes_unless_more_are_asked_for():
    model, X, y = a_model()
    sheet = tw.worksheet(model, X, y)
    assert model.tree_.n_nodes > 30
    assert n_headings(sheet.to_markdown()) == 30
    assert n_headings(sheet.to_markdown(max_nodes=40)) == 40
    assert f"{model.tree_.n_nodes - 30} more nodes" in sheet.to_text()


def test_a_huge_table_is_gone_through_only_a_few_times(monkeypatch):
    model, X, y = a_model()
    monkeypatch.setattr(calculate, "MOST_CELLS", 400 * 5 * 2)
    sheet = tw.worksheet(model, X, y)
    assert n_headings(sheet.to_markdown()) < 10
    assert n_headings(sheet.to_markdown(max_nodes=12)) == 12
    monkeypatch.setattr(calculate, "MOST_CELLS", 1)
    assert n_headings(sheet.to_markdown()) == 1


def test_a_table_of_many_columns_shows_fewer_nodes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    few, many = (rng.normal(size=(300, width)) for width in (5, 200))
    shown = [
        n_headings(tw.worksheet(tw.CARTClassifier().fit(X, y), X, y).to_markdown())
        for X in (few, many)
    ]
    assert shown[0] == 30
    assert 1 <= shown[1] < 3


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_measures_that_take_longer_show_fewer_nodes(monkeypatch, criterion):
    model, X, y = a_model(criterion=criterion)
    by_class, *rows = a_model()
    monkeypatch.setattr(calculate, "MOST_CELLS", 400 * 5 * 6)
    monkeypatch.setattr(calculate, "CELLS_OF_A_COLUMN", 0)
    slow = Calculation(model.tree_, training_of(model, X, y, None))
    fast = Calculation(by_class.tree_, training_of(by_class, *rows, None))
    assert slow.n_nodes_at_once < fast.n_nodes_at_once


def test_only_the_nodes_that_are_shown_are_worked_out():
    model, X, y = a_model()
    sheet = tw.worksheet(model, X, y)
    assert sheet.nodes._done == {}
    sheet.to_markdown(steps=[3])
    assert set(sheet.nodes._done) == {3}
    sheet.nodes[0]
    assert set(sheet.nodes._done) == {0, 3}


def test_of_very_many_thresholds_the_best_are_kept():
    model, X, y = a_model(2000)
    root = tw.worksheet(model, X, y).nodes[0]
    assert root.candidates[0].n_tried == 1999
    gains = [tried.gain for tried in root.candidates[0].tried]
    assert len(gains) == 30
    assert max(gains) == pytest.approx(root.candidates[0].gain)


def test_very_many_levels_are_cut_in_order():
    rng = np.random.default_rng(1)
    X = [[f"level {rng.integers(0, 300)}"] for _ in range(3000)]
    y = [f"{len(cell[0]) % 3}{rng.integers(0, 2)}" for cell in X]
    model = tw.TreeClassifier(max_depth=2).fit(X, y)
    sheet = tw.worksheet(model, X, y)
    root = sheet.nodes[0]
    assert root.chosen.gain == pytest.approx(model.tree_.gain[0], abs=1e-12)
    assert len(root.chosen.tried) <= 30
    assert len(sheet.to_html()) < 1_000_000
