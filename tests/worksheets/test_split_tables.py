"""The tables of one column."""

import re

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def many_levels(kind):
    rng = np.random.default_rng(0)
    levels = [f"district {number:02d}" for number in range(30)]
    X = [[levels[at]] for at in rng.integers(0, 30, 900)]
    noise = rng.normal(size=900)
    y = np.array([int(cell[0][-2:]) % 7 for cell in X]) + noise
    y = y if kind is tw.CARTRegressor else np.where(y > 3, "high", "low")
    return kind(prune=None, max_depth=1).fit(X, y), X, y


@pytest.mark.parametrize("kind", [tw.CARTRegressor, tw.CARTClassifier])
def test_long_sets_are_told_by_their_place_in_the_order_of_levels(kind):
    model, X, y = many_levels(kind)
    sheet = tw.worksheet(model, X, y)
    page = sheet.to_markdown(steps=[0])
    told = re.findall(r"(\d+), to (district \d\d)", page)
    assert len(told) == 12
    assert len(set(told)) == 12
    levels = [level.condition for level in sheet.nodes[0].chosen.levels]
    assert all(levels[int(number) - 1] == level for number, level in told)


def test_levels_stand_in_the_order_of_their_means():
    model, X, y = many_levels(tw.CARTRegressor)
    levels = tw.worksheet(model, X, y).nodes[0].chosen.levels
    means = [level.mean for level in levels]
    assert means == sorted(means)
    column = np.array([cell[0] for cell in X])
    for level in levels:
        assert level.mean == pytest.approx(y[column == level.condition].mean())


def test_the_chosen_set_is_told_in_full():
    model, X, y = many_levels(tw.CARTRegressor)
    sheet = tw.worksheet(model, X, y)
    chosen = sheet.nodes[0].chosen
    page = sheet.to_markdown(steps=[0]).replace("\\", "")
    for branch in chosen.branches:
        assert page.count(branch.condition) == 2  # among the branches, and where they lead


def test_short_sets_are_listed():
    X, y = [["a"], ["b"], ["c"], ["d"]] * 5, [1.0, 2.0, 4.0, 8.0] * 5
    page = (
        tw.worksheet(tw.CARTRegressor(prune=None).fit(X, y), X, y)
        .to_markdown(steps=[0])
        .replace("\\", "")
    )
    assert "in {a, b, c}" in page
    assert "Levels in the order" not in page


def test_very_long_names_do_not_widen_tables():
    long = "x" * 300
    X = pd.DataFrame({long: ["a", "b"] * 5})
    y = [long, "b"] * 5
    text = tw.worksheet(tw.CARTClassifier(prune=None).fit(X, y), X, y).to_markdown(steps=[0])
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert tables
    assert all(long not in line for line in tables)
