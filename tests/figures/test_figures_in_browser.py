"""Figures as Chromium draws them: no text lies on another, nothing is asked of the network."""

from itertools import combinations

import numpy as np
import pytest

import treewright as tw
from browser import ROUNDING

SLACK = 1.0  # pixels: the area of a text reaches a little above and below its letters
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script>",
    "{{7*7}}",
    "שלום עולם",
    "🌳🌳🌳",
    "漢字 漢字",
]


def moons():
    X, y = tw.load_sample("two_moons")
    return tw.figures.partition(tw.CARTClassifier(prune=None).fit(X, y), X, y, title="Two moons")


def iris_growth():
    X, y = tw.load_sample("iris")
    return tw.figures.growth(tw.CARTClassifier(prune=None).fit(X, y), X, y)


def hostile_names():
    rng = np.random.default_rng(0)
    X = {HOSTILE[3]: rng.choice(HOSTILE, size=60), HOSTILE[0]: rng.normal(size=60)}
    y = np.where(X[HOSTILE[0]] > 0, HOSTILE[1], HOSTILE[4])
    model = tw.C45Classifier().fit(X, y)
    return tw.figures.growth(model, X, y, columns=(HOSTILE[3], HOSTILE[0]), title=HOSTILE[1])


def falling_price():
    year = np.linspace(1957, 2015, 90)
    table = {"year": year, "price": 10 ** (8 - 0.17 * (year - 1957))}
    return tw.figures.regression_fit(table, "year", "price", until=2000, log=True)


def dates():
    days = np.datetime64("2020-01-01T00:00") + np.arange(50) * np.timedelta64(7, "h")
    table = {"day": days, "load": np.sin(np.arange(50) / 9) * 1e6}
    return tw.figures.regression_fit(table, "day", "load", title="Load")


def hostile_columns():
    rng = np.random.default_rng(0)
    X = {name: rng.normal(size=80).round(1) for name in HOSTILE}
    y = np.where(X[HOSTILE[0]] + 0.5 * X[HOSTILE[3]] > 0, HOSTILE[1], HOSTILE[4])
    return tw.CARTClassifier(prune=None).fit(X, y), X, y


def iris_pruning():
    X, y = tw.load_sample("iris")
    return tw.figures.pruning_path(tw.CARTClassifier(prune=None).fit(X, y), X, y)


FIGURES = {
    "partition": moons,
    "growth": iris_growth,
    "hostile names": hostile_names,
    "curves": lambda: tw.figures.impurity_curves([9, 5]),
    "gain": lambda: tw.figures.impurity_curves(branches=[[3, 4], [6, 1]]),
    "regression": falling_price,
    "dates": dates,
    "cuts": lambda: tw.figures.cut_gains(*hostile_columns(), HOSTILE[0]),
    "importances": lambda: tw.figures.feature_importance(*hostile_columns()),
    "pruning path": iris_pruning,
    "biased measures": lambda: tw.figures.criterion_bias(n_trials=50),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_lies_on_another(browser, name):
    picture = FIGURES[name]()
    opened = browser.open(picture.to_svg(), ".svg")
    texts = [text for text in opened.texts() if text[4].strip()]
    assert len(texts) > 5
    touching = [(a[4], b[4]) for a, b in combinations(texts, 2) if overlap(a, b)]
    assert touching == []
    for left, top, right, bottom, _ in texts:
        assert -ROUNDING <= left < right <= picture.drawing.width + ROUNDING
        assert -ROUNDING <= top < bottom <= picture.drawing.height + ROUNDING
    assert [request for request in opened.requests if not request.startswith("file:")] == []
    assert opened.errors == []


def overlap(a, b):
    is_beside = a[2] - SLACK <= b[0] or b[2] - SLACK <= a[0]
    is_above = a[3] - SLACK <= b[1] or b[3] - SLACK <= a[1]
    return not (is_beside or is_above)
