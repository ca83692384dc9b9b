"""The worksheet of a descent: every number can be worked out again from the page."""

import re

import numpy as np
import pytest

import treewright as tw
from treewright import ParameterError

HOUSES = tw.table_from({"area": [50.0, 80.0, 100.0, 120.0, 70.0], "wall": list("abaab")})
PRICES = [200.0, 260.0, 340.0, 380.0, 250.0]


def a_sheet(model, X=HOUSES, y=PRICES, weights=None):
    return tw.worksheet(model.fit(X, y, weights), X, y, weights)


def evaluated(formula: str) -> float:
    """What a line of plain arithmetic comes to."""
    text = formula.replace("×", "*").replace("^", "**").replace("- ln", "-ln")
    return float(eval(text, {"ln": np.log}))


def calculations(text: str):
    """(left, formula, result) of every line that works something out."""
    joined = re.sub(r"\n {5,}", " ", text)
    for left, formula, result in re.findall(
        r"^    (.+?) = (.+) = (-?[\d.e+-]+)$", joined, re.MULTILINE
    ):
        if "..." not in formula and "sum over" not in formula:
            yield left, formula, float(result)


@pytest.mark.filterwarnings("ignore:the descent did not converge")
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 1.0, 1.0, 1.0]])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"momentum": 0.5},
        {"l2": 0.5},
        {"method": "stochastic"},
        {"method": "mini_batch", "batch_size": 2, "momentum": 0.5},
        {"standardize": False, "max_iter": 5},
    ],
    ids=str,
)
def test_every_line_comes_to_what_it_says(settings, weights):
    sheet = a_sheet(tw.GradientDescentRegressor(**settings), weights=weights)
    found = list(calculations(sheet.to_text(decimals=12, width=100_000, max_steps=3)))

    assert {"new b", "slope by w_1", "new w_3"} <= {left for left, _, _ in found}
    for left, formula, result in found:
        assert evaluated(formula) == pytest.approx(result, rel=1e-5, abs=1e-9), (left, formula)


def test_lines_of_classes_come_to_what_they_say():
    sheet = a_sheet(tw.GradientDescentClassifier(l2=0.1), HOUSES, ["yes", "no", "yes", "no", "no"])
    found = list(calculations(sheet.to_text(decimals=12, width=100_000, max_steps=3)))

    assert {left for left, _, _ in found} >= {"J", "slope by b", "new w_2"}
    for left, formula, result in found:
        assert evaluated(formula) == pytest.approx(result, rel=1e-5, abs=1e-9), (left, formula)


def test_steps_are_those_that_the_fit_took():
    model = tw.GradientDescentRegressor(momentum=0.3)
    sheet = a_sheet(model)
    steps, trace = sheet.steps(4), model.trace_

    for work in steps:
        assert work.step.cost == pytest.approx(trace.costs[work.number - 1])
        points = sheet.problem.in_units(work.step.next_point)[0]
        np.testing.assert_allclose(points[1:], trace.coefficients[work.number, 0])
    assert len(steps) == 4


def test_the_other_way_stands_beside_the_descent():
    text = a_sheet(tw.GradientDescentRegressor()).to_text()
    assert "The same without descent, by normal equations:" in text
    differences = [float(one) for one in re.findall(r"(\d\.\de-\d+)$", text, re.MULTILINE)]
    assert differences
    assert max(differences) < 1e-8
    solved = a_sheet(tw.GradientDescentRegressor(solver="normal_equations")).to_text()
    assert "right side" in solved
    assert "Step 1" not in solved


def test_several_classes_have_a_section_each_in_every_form():
    X, y = tw.load_sample("iris")
    sheet = tw.worksheet(tw.GradientDescentClassifier().fit(X, y), X, y)

    text = sheet.to_text(max_steps=1)
    assert text.count("class versicolor") == 1
    assert "130 more rows" in text
    assert "by newton" in text
    for written in (sheet.to_html(), sheet.to_latex(), sheet.to_markdown()):
        assert "petal width" in written
    assert "DescentSheet" in repr(sheet)


def test_rows_that_are_not_those_of_the_fit_are_refused():
    model = tw.GradientDescentRegressor().fit(HOUSES, PRICES)

    with pytest.raises(ParameterError, match="give X and y"):
        tw.worksheet(model)
    with pytest.raises(ParameterError, match="not the rows"):
        tw.worksheet(model, HOUSES[:4], PRICES[:4])
    with pytest.raises(ParameterError, match="not the rows"):
        tw.worksheet(model, HOUSES[[4, 3, 2, 1, 0]], PRICES)  # the first cost is that of the target
    with pytest.raises(ParameterError, match="max_steps=0"):
        tw.worksheet(model, HOUSES, PRICES).to_text(max_steps=0)


@pytest.mark.parametrize("method", ["batch", "stochastic"])
def test_a_sheet_of_classes_is_of_the_rows_of_the_fit(method):
    X, y = tw.load_sample("iris")
    model = tw.GradientDescentClassifier(method=method, tol=1e-3, random_state=None).fit(X, y)
    assert "150 rows" in tw.worksheet(model, X, y).to_text(max_steps=1)
    for rows in (slice(0, 140), [*range(1, 150), 0]):
        with pytest.raises(ParameterError, match="not the rows"):
            tw.worksheet(model, X[rows], y[: len(X[rows])])
