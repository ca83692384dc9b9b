"""Errors of predicted numbers: quantiles that are true of the rows, and a picture of both."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright.reports.scores_section import MOST_POINTS, SHARES, error_table, residual_figure


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_so_many_rows_are_off_by_at_most_so_much(errors):
    limits = np.quantile(errors, SHARES)
    table = error_table(np.array(errors))
    assert [row[0] for row in table.rows] == ["50 %", "75 %", "90 %", "95 %", "all"]
    for share, limit in zip(SHARES, limits, strict=True):
        assert np.mean(np.array(errors) <= limit + 1e-6) >= share - 1 / len(errors) - 1e-9


def test_numbers_have_a_report_too():
    rng = np.random.default_rng(0)
    X = rng.random((80, 3))
    page = tw.report(tw.CARTRegressor(prune=None, max_depth=3), X, X[:, 0], folds=4)
    html = page.to_html()
    assert "root mean squared error" in html
    assert "RMSE of always predicting the mean" in html
    assert "Predicted by true value" in html


def test_of_many_rows_a_sample_is_drawn_and_the_figure_says_so():
    rng = np.random.default_rng(0)
    true = rng.normal(size=5 * MOST_POINTS)
    picture = residual_figure(true, true + 1)
    assert len(picture.data["true"]) == MOST_POINTS
    assert np.allclose(picture.data["error"], 1)
    assert f"A sample of {MOST_POINTS} of 3,000 rows" in picture.to_svg()


def test_one_number_for_all_rows_is_drawn_too():
    assert "<svg" in residual_figure(np.ones(5), np.ones(5)).to_svg()
