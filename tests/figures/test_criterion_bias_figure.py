"""The study of biased measures: its choices are those of the library, and known biases show."""

import numpy as np
import pytest

from figures.text_boxes import off_paper, touching
from treewright.errors import ParameterError
from treewright.figures.criterion_bias_figure import MEASURES, criterion_bias


@pytest.fixture(scope="module")
def study():
    return criterion_bias(n_trials=400)


def of(picture, part, measure):
    return picture.data[part][MEASURES.index(measure)]


def test_information_gain_and_gini_pick_the_column_with_most_levels(study):
    for measure in ("information gain", "Gini gain, a branch per category"):
        picked = of(study, "picked", measure)
        assert picked.argmax() == len(picked) - 1
        assert picked[-1] > 0.5 > 0.05 > picked[0]


def test_gain_ratio_falls_less_often_for_many_levels_but_likes_uneven_splits(study):
    assert of(study, "fooled", "gain ratio")[-1] < of(study, "fooled", "information gain")[-1] / 2
    uneven = of(study, "uneven", "gain ratio")
    assert uneven[-1] > 2 * uneven[0]
    assert np.ptp(of(study, "uneven", "information gain")) < 0.1


def test_p_values_are_fair_within_the_noise_of_the_trials(study):
    n_levels, n_trials = len(study.data["levels"]), 400
    noise = 4 * np.sqrt(1 / n_levels * (1 - 1 / n_levels) / n_trials)
    assert of(study, "picked", MEASURES[-1]) == pytest.approx(1 / n_levels, abs=noise)


def test_each_trial_has_one_winner(study):
    assert study.data["picked"].sum(axis=1) == pytest.approx(1)
    assert study.data["uneven"].sum(axis=1) == pytest.approx(1)
    assert ((study.data["fooled"] >= 0) & (study.data["fooled"] <= 1)).all()


def test_a_column_that_agrees_with_the_class_always_wins():
    assert (criterion_bias(n_trials=50, agreement=1.0).data["fooled"] == 0).all()


def test_the_seed_decides_the_draws(study):
    assert criterion_bias(n_trials=400).data["picked"].tolist() == study.data["picked"].tolist()
    other = criterion_bias(n_trials=400, random_state=1).data["picked"]
    assert other.tolist() != study.data["picked"].tolist()


def test_nothing_in_the_figure_touches(study):
    assert touching(study.drawing) == []
    assert off_paper(study.drawing) == []


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("levels", ()),
        ("levels", (2, 1)),
        ("levels", (2, 2.5)),
        ("levels", (500,)),
        ("rare_shares", (0.5, 0.0)),
        ("rare_shares", (0.6,)),
        ("n_rows", 1),
        ("n_trials", 0),
        ("agreement", 0.4),
    ],
)
def test_a_study_that_cannot_be_made_is_refused(setting, value):
    with pytest.raises(ParameterError, match=f"{setting} is|levels is"):
        criterion_bias(**{setting: value})
