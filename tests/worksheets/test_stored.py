"""A worksheet without rows says what the tree keeps, and that is what the rows say."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from worksheets.test_calculate import a_fitted_model


@pytest.mark.full
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_is_known_without_rows_is_what_the_rows_say(seed):
    model, sheet = a_fitted_model(seed)
    for stored, work in zip(tw.worksheet(model).nodes, sheet.nodes, strict=True):
        assert (stored.path, stored.stop_reason) == (work.path, work.stop_reason)
        assert stored.group.n_rows == work.group.n_rows
        assert stored.group.counts == pytest.approx(work.group.counts, abs=1e-9)
        assert stored.group.impurity == pytest.approx(work.group.impurity, abs=1e-9)
        assert (stored.chosen is None) == (work.chosen is None) or work.stop_reason
        if stored.chosen is not None and not work.is_raised:
            assert stored.chosen.gain == pytest.approx(work.chosen.gain, abs=1e-9)
            assert stored.chosen.threshold == work.chosen.threshold
            check_the_calculation(stored.chosen)


def check_the_calculation(chosen):
    """It is told only where it leads to the gain."""
    if chosen.kind:
        assert chosen.before - chosen.remainder == pytest.approx(chosen.gain, abs=1e-9)
        assert len(chosen.branches) > 1
    else:
        assert chosen.branches == ()
        assert math.isnan(chosen.remainder)


def test_the_calculation_of_tennis_needs_no_rows():
    X, y = tw.load_sample("tennis")
    root = tw.worksheet(tw.ID3Classifier().fit(X, y)).nodes[0]
    assert [branch.counts for branch in root.chosen.branches] == [(3, 2), (0, 4), (2, 3)]
    assert root.chosen.remainder == pytest.approx(0.6935361389)
    assert {found.column: round(found.gain, 4) for found in root.candidates} == {
        "outlook": 0.2467,
        "temperature": 0.0292,
        "humidity": 0.1518,
        "wind": 0.0481,
    }
    assert (root.runner_up.column, round(root.margin, 4)) == ("humidity", 0.0949)


def test_priors_count_in_the_stored_calculation():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None, priors=[0.2, 0.3, 0.5]).fit(X, y)
    root = tw.worksheet(model).nodes[0]
    assert root.chosen.before - root.chosen.remainder == pytest.approx(root.chosen.gain, abs=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        tw.ID3Classifier(),
        tw.C45Classifier(),
        tw.CARTClassifier(prune=None),
        tw.CARTRegressor(prune=None),
    ],
    ids=repr,
)
def test_a_model_from_a_file_has_a_worksheet(model, tmp_path):
    X, y = tw.load_sample("iris")
    if isinstance(model, tw.CARTRegressor):
        y = [float(len(name)) for name in y]
    model.fit(X, y).save(tmp_path / "model.json")
    sheet = tw.worksheet(tw.load(tmp_path / "model.json"))
    for text in (sheet.to_text(), sheet.to_markdown(), sheet.to_html(), sheet.to_latex()):
        assert "without the training rows" in text
        assert "nan" not in text


def test_resamples_need_rows():
    X, y = tw.load_sample("tennis")
    with pytest.raises(tw.ParameterError, match="stability= resamples rows"):
        tw.worksheet(tw.ID3Classifier().fit(X, y), stability=100)


def test_x_without_y_is_an_error():
    X, y = tw.load_sample("tennis")
    with pytest.raises(tw.DataError, match="X and y, both"):
        tw.worksheet(tw.ID3Classifier().fit(X, y), X)
