"""Odd values, odd weights, odd targets: T01 to T13."""

import numpy as np

from benchmarks.robustness_cases.case import case
from benchmarks.robustness_cases.libraries import NUMBERS

TARGET = r"\by\b|target|label"
MISSING = r"nan|missing|null|none|\bna\b"
INFINITE = r"infinit|`inf`|too large|out of range"
WEIGHT = "weight"
NOT_POSITIVE = "negative|positive|zero|>= ?0"
CLASS = "class|label"
ROW = r"\b(row|index) \d"
COUNT = "number of|size|shape|length|rows|samples"

X = np.column_stack([np.arange(40.0), np.tile([3.0, 1.0, 4.0, 1.5], 10)])
CLASSES = (X[:, 0] > 17).astype(int)


def learns(model, x, y) -> bool:
    """Whether a model gives back the targets it was taught."""
    return np.array_equal(np.asarray(model.fit(x, y).predict(x)), y)


@case("T01", "a hole in the classes", names=(TARGET, MISSING), place=ROW)
def hole_in_the_classes(library):
    labels = np.array(["yes", "no"] * 20, dtype=object)
    labels[7] = None
    library.tree().fit(X, labels)
    return False


@case("T01", "a hole in the numbers to learn", names=(TARGET, MISSING), place=ROW)
def hole_in_the_numbers(library):
    y = X[:, 0].copy()
    y[7] = np.nan
    library.tree(NUMBERS).fit(X, y)
    return False


@case("T01", "an infinity in the numbers to learn", names=(TARGET, INFINITE), place=ROW)
def infinity_in_the_numbers(library):
    y = X[:, 0].copy()
    y[7] = np.inf
    library.tree(NUMBERS).fit(X, y)
    return False


@case("T02", "infinities among the features", names=(INFINITE,), place="column|feature")
def infinities(library):
    x = X.copy()
    x[:3, 0] = -np.inf
    x[30:, 0] = np.inf
    return learns(library.tree(), x, CLASSES)


@case("T03", "a column without a value in training, with values later", names=(MISSING,))
def column_of_holes(library):
    holes = np.column_stack([X[:, 0], np.full(40, np.nan)])
    model = library.tree().fit(holes, CLASSES)
    return np.array_equal(model.predict(X), CLASSES)


@case("T04", "a first hole when predicting", names=(MISSING,), place="column|feature|row")
def first_hole_when_predicting(library):
    model = library.tree().fit(X, CLASSES)
    asked = np.array([[np.nan, 3.0], [39.0, np.nan], [0.0, np.nan]])
    return model.predict(asked).tolist()[1:] == [1, 0]


@case(
    "T05",
    "every mark of a missing value in one column of words",
    names=("string|object|categor|missing",),
    place="color",
)
def marks_of_missing(library):
    import pandas as pd

    marks = [None, float("nan"), pd.NA, pd.NaT]
    colors = pd.Series((["red", "blue"] * 18) + marks, dtype=object)
    frame = pd.DataFrame({"color": colors})
    y = (colors == "red").fillna(value=False).astype(int).to_numpy()
    return learns(library.boosted(), frame, y)


@case("T06", "constant columns: the shares of the classes")
def constant_columns(library):
    y = np.repeat([0, 1], [10, 30])
    shares = library.tree().fit(np.ones((40, 3)), y).predict_proba(np.ones((1, 3)))
    return np.allclose(shares, [[0.25, 0.75]], atol=1e-5)


@case("T07", "features close to the largest double", names=(INFINITE,), place="column|feature")
def largest_numbers(library):
    x = np.repeat([-1.7e308, 1.7e308, 1.79e308], 10)[:, None]
    return learns(library.tree(), x, np.repeat([0, 1, 2], 10))


@case("T08", "the smallest doubles are values of their own")
def smallest_numbers(library):
    x = np.repeat([-1e-310, 0.0, 5e-324, 1e-310], 10)[:, None]
    return learns(library.tree(), x, np.repeat([0, 1, 0, 1], 10))


@case("T09", "values that differ in the twelfth digit")
def doubles_not_singles(library):
    x = np.repeat([1.0, 1.0 + 1e-12], 20)[:, None]
    return learns(library.tree(), x, np.repeat([0, 1], 20))


@case("T09", "values 0 and 0.0000001")
def close_to_zero(library):
    x = np.repeat([0.0, 1e-7], 20)[:, None]
    return learns(library.tree(), x, np.repeat([0, 1], 20))


@case("T10", "rows of weight 0 are rows left out")
def weightless_rows(library):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 12, (300, 3)).astype(float)  # as few values as any library has bins
    y = rng.integers(0, 2, 300)
    weights = rng.integers(0, 2, 300).astype(float)
    kept = weights > 0
    flat = {"max_depth": 3}  # by which all agree; grown fully, some let such rows have a say
    with_them = library.tree(**flat).fit(x, y, sample_weight=weights).predict_proba(x[kept])
    without = library.tree(**flat).fit(x[kept], y[kept]).predict_proba(x[kept])
    return np.allclose(with_them, without, atol=1e-5)


@case("T10", "all weights 0", names=(WEIGHT,))
def no_weight_at_all(library):
    library.tree().fit(X, CLASSES, sample_weight=np.zeros(40))
    return False


@case(
    "T10",
    "a negative weight",
    names=(WEIGHT, NOT_POSITIVE),
    place=rf"{ROW}|-2",
    legal={"scikit-learn": "documents which splits its trees ignore where weights are negative"},
)
def negative_weight(library):
    weights = np.ones(40)
    weights[3] = -2
    library.tree().fit(X, CLASSES, sample_weight=weights)
    return False


@case("T10", "a weight that is no number", names=(WEIGHT, f"{MISSING}|{NOT_POSITIVE}"), place=ROW)
def weight_that_is_no_number(library):
    weights = np.ones(40)
    weights[3] = np.nan
    library.tree().fit(X, CLASSES, sample_weight=weights)
    return False


@case("T10", "more weights than rows", names=(COUNT,), place=r"41\D+40|40\D+41")
def too_many_weights(library):
    library.tree().fit(X, CLASSES, sample_weight=np.ones(41))
    return False


@case("T10", "weights times 1e-300: the same tree", names=(WEIGHT,))
def tiny_weights(library):
    same = library.tree().fit(X, CLASSES, sample_weight=np.full(40, 1e-300)).predict(X)
    return np.array_equal(same, CLASSES)


@case("T10", "weights times 1e300: the same tree", names=(WEIGHT,))
def giant_weights(library):
    same = library.tree().fit(X, CLASSES, sample_weight=np.full(40, 1e300)).predict(X)
    return np.array_equal(same, CLASSES)


@case("T11", "10,000 equal rows of contradicting classes: their shares")
def contradictions(library):
    y = np.repeat([0, 1], [3000, 7000])
    shares = library.tree().fit(np.zeros((10_000, 2)), y).predict_proba(np.zeros((1, 2)))
    return np.allclose(shares, [[0.3, 0.7]], atol=1e-5)


@case("T12", "one row", names=("sample|row",))
def one_row(library):
    return library.tree(NUMBERS).fit(X[:1], np.array([5.0])).predict(X[:1]).tolist() == [5.0]


@case("T12", "one class: certain of it", names=("class",))
def one_class(library):
    model = library.tree().fit(X, np.zeros(40, dtype=int))
    shares = np.asarray(model.predict_proba(X[:2]))
    return not model.predict(X).any() and bool((shares[:, 0] > 0.999).all())


@case("T13", "classes that are words", names=(CLASS,))
def classes_of_words(library):
    labels = np.where(CLASSES == 1, "yes", "no")
    return learns(library.tree(), X, labels)


@case(
    "T13",
    "classes of words and numbers mixed",
    names=("str|string|type",),
    place="str.*int|int.*str",
)
def mixed_classes(library):
    """Right is each class under its name, be it text for all of them."""
    labels = np.array([1, "yes"] * 20, dtype=object)
    predictions = library.tree().fit(X, labels).predict(X)
    return [str(prediction) for prediction in predictions] == [str(label) for label in labels]


@case("T13", "whole numbers beyond 2^31 as classes", names=(CLASS,))
def large_classes(library):
    labels = np.where(CLASSES == 1, 2**40 + 1, 2**40)
    return learns(library.tree(), X, labels)


@case("T13", "real numbers as classes", names=("continuous|regress|class|floating",))
def numbers_as_classes(library):
    labels = X[:, 0] + 0.5
    return np.allclose(np.asarray(library.tree().fit(X, labels).predict(X), dtype=float), labels)


@case("T21", "fewer targets than rows", names=(COUNT,), place=r"30\D+40|40\D+30")
def too_few_targets(library):
    library.tree().fit(X, CLASSES[:30])
    return False


@case("T13", "a target of one column", names=("dimension|shape|1-?d",), place="40, ?1")
def target_of_one_column(library):
    return np.array_equal(library.tree().fit(X, CLASSES[:, None]).predict(X).ravel(), CLASSES)
