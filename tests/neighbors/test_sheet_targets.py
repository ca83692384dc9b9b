"""Worksheets take the target in every form that `fit` takes it in."""

import numpy as np
import pytest

import treewright as tw
from machine import imported

pd = imported("pandas")
pl = imported("polars")

WORDS = ["no", "yes", "yes", "no", "yes", "no"] * 4
NUMBERS = [1.0, 2.5, 3.0, 1.5, 4.0, 0.5] * 4
X = [{"a": float(at % 6), "b": float(at // 6), "c": "xy"[at % 2]} for at in range(24)]
ODD_INDEX = list(range(100, 124))[::-1]

CLASS_TARGETS = {
    "list": WORDS,
    "strings": np.array(WORDS),
    "objects": np.array(WORDS, dtype=object),
    "series": pd.Series(WORDS),
    "series with an odd index": pd.Series(WORDS, index=ODD_INDEX, name="target"),
    "categorical": pd.Series(WORDS, dtype="category"),
    "string series": pd.Series(WORDS, dtype="string"),
    "polars": pl.Series("target", WORDS),
    "polars categories": pl.Series("target", WORDS, dtype=pl.Categorical),
    "booleans": np.array(WORDS) == "yes",
    "boolean objects": np.array([word == "yes" for word in WORDS], dtype=object),
    "integers": (np.array(WORDS) == "yes").astype(int),
    "integer series": pd.Series((np.array(WORDS) == "yes").astype(int), index=ODD_INDEX),
}
NUMBER_TARGETS = {
    "list": NUMBERS,
    "floats": np.array(NUMBERS),
    "objects": np.array(NUMBERS, dtype=object),
    "series with an odd index": pd.Series(NUMBERS, index=ODD_INDEX),
    "polars": pl.Series("target", NUMBERS),
}
CLASSIFIERS = {
    "neighbors": tw.KNeighborsClassifier(n_neighbors=3),
    "id3": tw.ID3Classifier(),
    "c45": tw.C45Classifier(),
    "cart": tw.CARTClassifier(prune=None),
    "boosted": tw.BoostedTreesClassifier(n_estimators=2, min_samples_leaf=2),
    "gradient descent": tw.GradientDescentClassifier(max_iter=5),
}
REGRESSORS = {
    "neighbors": tw.KNeighborsRegressor(n_neighbors=3),
    "cart": tw.CARTRegressor(prune=None),
    "m5": tw.M5Regressor(),
    "boosted": tw.BoostedTreesRegressor(n_estimators=2, min_samples_leaf=2),
    "gradient descent": tw.GradientDescentRegressor(max_iter=5),
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("kind", CLASS_TARGETS)
@pytest.mark.parametrize("model", CLASSIFIERS)
def test_a_worksheet_is_printed_for_every_kind_of_class_target(model, kind):
    y = CLASS_TARGETS[kind]
    fitted = CLASSIFIERS[model].fit(X, y)
    assert tw.worksheet(fitted, X, y).to_text().startswith("Worksheet: ")


@pytest.mark.parametrize("kind", NUMBER_TARGETS)
@pytest.mark.parametrize("model", REGRESSORS)
def test_a_worksheet_is_printed_for_every_kind_of_number_target(model, kind):
    y = NUMBER_TARGETS[kind]
    fitted = REGRESSORS[model].fit(X, y)
    assert tw.worksheet(fitted, X, y).to_text().startswith("Worksheet: ")


@pytest.mark.parametrize("kind", ["list", "objects", "series", "categorical", "polars"])
def test_the_neighbor_worksheet_names_the_true_class(kind):
    y = CLASS_TARGETS[kind]
    text = tw.worksheet(tw.KNeighborsClassifier(n_neighbors=3).fit(X, y), X, y).to_text()
    assert "the true target is no" in text
    assert "the true target is yes" in text
