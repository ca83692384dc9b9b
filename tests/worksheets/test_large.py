"""Worksheets of large tables stay small."""

import numpy as np
import pytest

import treewright as tw
from treewright.verbs.fitted_rows import training_of
from treewright.worksheets import candidates
from treewright.worksheets import stored as page_limits
from treewright.worksheets.calculate import Calculation


def a_model(n_rows: int = 400, criterion: str = "gini"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 5))
    y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
    if criterion in ("gini", "entropy"):
        return tw.TreeClassifier(criterion=criterion).fit(X, y), X, y
    return tw.TreeRegressor(criterion=criterion).fit(X, X[:, 0]), X, X[:, 0]


def a_wide_model(n_columns: int = 100, n_rows: int = 200, kind=tw.C45Classifier):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1] * X[:, 2])
    y = y if kind is tw.CARTRegressor else (y > 0).astype(int)
    settings = {} if kind is tw.C45Classifier else {"prune": None}
    return kind(**settings).fit(X, y), X, y


def without_fixed_effort(monkeypatch) -> None:
    for name in ("TO_SCORE", "TO_COMPARE", "TO_SHOW"):
        monkeypatch.setattr(page_limits, name, 0)


@pytest.fixture
def worked_out(monkeypatch) -> list[str]:
    """Names of the steps that were taken, once for each column."""
    steps = []
    for name in ("_searched", "worked_out", "_tried"):
        original = getattr(candidates, name)

        def counted(*arguments, name=name, original=original):
            steps.append(name)
            return original(*arguments)

        monkeypatch.setattr(candidates, name, counted)
    return steps


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
    without_fixed_effort(monkeypatch)
    monkeypatch.setattr(page_limits, "MOST_CELLS", 400 * 5 * 2)
    sheet = tw.worksheet(model, X, y)
    assert n_headings(sheet.to_markdown()) < 10
    assert n_headings(sheet.to_markdown(max_nodes=12)) == 12
    monkeypatch.setattr(page_limits, "MOST_CELLS", 1)
    assert n_headings(sheet.to_markdown()) == 1


def test_a_table_of_many_columns_shows_fewer_nodes_and_yet_some():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    few, many = (rng.normal(size=(300, width)) for width in (5, 200))
    shown = [
        n_headings(tw.worksheet(tw.CARTClassifier(prune=None).fit(X, y), X, y).to_markdown())
        for X in (few, many)
    ]
    assert shown[0] == 30
    assert 5 <= shown[1] < 10


def test_a_summary_has_more_nodes_than_a_page_in_full():
    model, X, y = a_wide_model()
    sheet = tw.worksheet(model, X, y)
    calculation = sheet._calculation
    assert calculation.n_nodes_at_once(in_full=False) > calculation.n_nodes_at_once(in_full=True)


def test_of_many_columns_only_those_shown_are_worked_out(worked_out):
    model, X, y = a_wide_model()
    tw.worksheet(model, X, y).to_text(steps=[0])
    assert worked_out.count("_tried") == 10
    assert worked_out.count("worked_out") == 20 + 1  # the chosen one is scored as it was made
    assert worked_out.count("_searched") == 100 + 20


def test_a_summary_of_many_columns_keeps_nothing_of_what_was_tried(worked_out):
    model, X, y = a_wide_model()
    tw.worksheet(model, X, y).to_text(steps="summary", max_nodes=1)
    assert worked_out.count("_tried") == 0
    assert worked_out.count("_searched") == 100 + 20


def test_a_default_page_works_out_a_bounded_number_of_columns(worked_out):
    for n_columns in (10, 40, 300):
        model, X, y = a_wide_model(n_columns, 400)
        worked_out.clear()
        tw.worksheet(model, X, y).to_text()
        assert worked_out.count("_searched") < 2_000
        assert worked_out.count("_tried") <= 300


@pytest.mark.parametrize("kind", [tw.C45Classifier, tw.CARTClassifier, tw.CARTRegressor])
def test_scores_alone_are_those_of_the_whole_calculation(kind):
    model, X, y = a_wide_model(kind=kind)
    nodes = tw.worksheet(model, X, y).nodes
    for number in range(0, len(nodes), 15):
        abridged, whole = nodes.on_page(number, 4), tw.worksheet(model, X, y).nodes[number]
        assert abridged.ranked[:20] == whole.ranked[:20]
        assert abridged.averaged == whole.averaged
        for short, full in zip(abridged.candidates, whole.candidates, strict=True):
            for name in ("gain", "score", "correction", "known_share"):
                assert getattr(short, name) == pytest.approx(
                    getattr(full, name), rel=1e-9, abs=1e-12, nan_ok=True
                )
            assert (short.kind, short.refused) == (full.kind, full.refused)
            assert (short.n_tried, short.n_allowed) == (full.n_tried, full.n_allowed)


def test_nodes_have_every_column_in_full_after_a_page_was_printed():
    model, X, y = a_wide_model()
    sheet = tw.worksheet(model, X, y)
    sheet.to_text(max_nodes=1)
    assert all(found.branches for found in sheet.nodes[0].candidates if found.kind)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_measures_that_take_longer_show_fewer_nodes(monkeypatch, criterion):
    model, X, y = a_model(criterion=criterion)
    by_class, *rows = a_model()
    without_fixed_effort(monkeypatch)
    monkeypatch.setattr(page_limits, "MOST_CELLS", 400 * 5 * 6)
    slow = Calculation(model.tree_, training_of(model, X, y, None))
    fast = Calculation(by_class.tree_, training_of(by_class, *rows, None))
    assert slow.n_nodes_at_once(in_full=True) < fast.n_nodes_at_once(in_full=True)


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
