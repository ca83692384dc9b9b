"""T01 to T09: odd values, in every estimator that meets them."""

import math
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from small_tables import numbers
from torture.models import (
    for_every,
    for_every_classifier,
    for_every_model,
    for_every_predictor,
    is_sane,
    learned,
    predictions,
    problem_of,
    table_for,
    trees_of,
)

POLICIES = ["fractional", "surrogate", "learned", "branch", "majority", "stop"]

for_every_tree = for_every(lambda kind: kind.trees != "none")
for_every_exact_splitter = for_every(
    lambda kind: kind.splits_at == "any two values" and kind.has_target
)
# No conjunction tells the rows of most tables here apart, and concepts say so.
pytestmark = pytest.mark.filterwarnings("ignore:CandidateElimination", "ignore:FindS")
ignore_warnings = pytest.mark.filterwarnings("ignore::UserWarning")


def rights(kind, model, X) -> np.ndarray:
    """Zeros and ones, as a classifier or a regressor answers a target of zeros and ones."""
    found = model.predict(X)
    return found if kind.is_classifier else (found > 0.5).astype(int)


def without_sampling(kind, **params):
    """An estimator that looks at every row, and boosts long enough to be sure."""
    if kind.trees == "many":
        is_boosted = "learning_rate" in kind().get_params()
        sure = {"n_estimators": 40, "learning_rate": 0.5} if is_boosted else {"bootstrap": False}
        if "shrinkage" in kind().get_params():
            sure["shrinkage"] = 0
        params = {**sure, **params}
    return kind(**params)


@for_every_predictor
@pytest.mark.parametrize("hole", [None, np.nan, pd.NA])
def test_T01_a_hole_in_the_target_is_counted_and_placed(kind, hole):
    """Missing values in y: an error with the target's name, how many, and the first row."""
    X, _ = numbers(6)
    target = pd.Series([1.0, 0.0, hole, 1.0, hole, 0.0], name="income", dtype=object)
    with pytest.raises(ValueError, match=r"`income`.*2 missing values.*first in row 2"):
        kind.alone().fit(X, target)


@for_every_predictor
def test_T01_holes_among_words_and_plain_arrays_are_told_too(kind):
    X, _ = numbers(6)
    with pytest.raises(ValueError, match=r"1 missing value.*row 3"):
        kind.alone().fit(X, [1.0, 0.0, 1.0, float("nan"), 0.0, 1.0])
    if kind.is_classifier:
        with pytest.raises(ValueError, match=r"2 missing values.*first in row 1"):
            kind.alone().fit(X, ["a", None, "b", None, "a", "b"])


@for_every(lambda kind: kind.takes_infinities)
def test_T02_infinities_are_the_extreme_values(kind):
    """Infinities in X: trees take them as the extreme values, and thresholds stay finite."""
    X = np.array([[-np.inf], [-1.0], [0.0], [1.0], [np.inf], [np.inf]] * 8)
    y = np.array([0, 1, 1, 0, 1, 1] * 8)
    model = without_sampling(kind).fit(X, y)
    assert is_sane(predictions(model, X))
    if kind.trees == "none":
        return
    for tree in trees_of(model):
        assert np.isfinite(tree.threshold).all()
        assert np.isfinite(tree.cut).all()
    if kind.splits_at == "any two values" and kind.has_target:
        deep_enough = kind.name != "OptimalTreeClassifier"
        found = rights(kind, model, X)
        assert (found == y).all() if deep_enough else (found == y).mean() > 0.8


@for_every(lambda kind: not kind.takes_infinities)
@pytest.mark.parametrize("value", [np.inf, -np.inf], ids=str)
def test_T02_models_that_multiply_name_column_row_and_value(kind, value):
    """Linear models, k-means, neighbors: an error; not that of a hole, which they take."""
    X, y = numbers()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = kind().fit(frame, y)
    odd = frame.copy()
    odd.loc[17, "b"] = value
    for attempt in (lambda: kind().fit(odd, y), lambda: predictions(model, odd)):
        with pytest.raises(tw.DataError, match=rf"{value}\b") as told:
            attempt()
        assert "`b`" in str(told.value)
        assert "row 17" in str(told.value)
        assert "nan" not in str(told.value).lower()
    odd.loc[17, "b"] = np.nan
    assert is_sane(predictions(kind().fit(odd, y), odd))


@for_every(lambda kind: kind.gives == "numbers")
def test_T02_infinite_targets_are_told_in_other_words_than_holes(kind):
    X, y = numbers()
    said = []
    for value in (np.inf, np.nan):
        target = np.where(np.arange(len(y)) == 5, value, y)
        with pytest.raises(ValueError, match="row 5") as told:
            kind().fit(X, target)
        said.append(str(told.value))
    assert "inf" in said[0]
    assert "missing" not in said[0].splitlines()[0]
    assert "missing" in said[1]


@for_every_model
def test_T03_a_column_without_a_value_is_never_used(kind):
    """A column of holes alone: a warning, no split, importance 0; values may come later."""
    X, y = numbers()
    X[:, 2] = np.nan
    with pytest.warns(UserWarning, match="column `x2` without any value"):
        model = kind().fit(X, y)
    later = X.copy()
    later[:, 2] = 1.0
    if kind.gives == "tables":
        np.testing.assert_array_equal(
            predictions(model, later)[:, :2], predictions(model, X)[:, :2]
        )
    else:
        np.testing.assert_array_equal(predictions(model, later), predictions(model, X))
    if kind.trees != "none":
        assert all(2 not in tree.feature for tree in trees_of(model))
    if kind.has_importances:
        assert model.feature_importances_[2] == 0


@for_every_model
def test_T04_a_first_hole_at_predict_is_answered_alone_as_among_others(kind):
    """A column without holes in training may have one later."""
    table, y = table_for(kind)
    model = kind().fit(table, y)
    for name in table:
        holes = {**table, name: [None] * len(y)}
        found = predictions(model, holes)
        assert is_sane(found)
        one = {column: cells[:1] for column, cells in holes.items()}
        np.testing.assert_array_equal(predictions(model, one)[0], found[0])


@for_every(lambda kind: kind.has_missing_policies)
@pytest.mark.parametrize("missing", POLICIES)
def test_T04_a_first_hole_follows_the_policy(kind, missing):
    X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [14.0]])
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    model = kind(missing=missing).fit(X, y)
    spreads = missing in ("fractional", "stop")
    if kind.is_classifier:
        assert model.predict([[np.nan]])[0] == 1  # the heavier side, or the node itself
        expected = [3 / 8, 5 / 8] if spreads else [0.0, 1.0]
        np.testing.assert_allclose(model.predict_proba([[np.nan]])[0], expected)
    else:
        assert model.predict([[np.nan]])[0] == pytest.approx(5 / 8 if spreads else 1.0)


@for_every(lambda kind: kind.trees != "none" and kind.has_target)
def test_T04_a_first_hole_goes_with_the_heavier_side(kind):
    X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [14.0]] * 4)
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1] * 4)
    assert kind().fit(X, y).predict([[np.nan]])[0] > 0.5


@for_every(lambda kind: kind.has_missing_policies)
@pytest.mark.parametrize("missing", POLICIES)
def test_T04_rules_and_exported_code_answer_holes_as_the_model_does(kind, missing):
    table, y = table_for(kind, 80)
    holes = {**table, "size": [None if at % 3 else 0.5 for at in range(80)]}
    holes["color"] = [None if at % 4 == 0 else color for at, color in enumerate(table["color"])]
    model = kind(missing=missing, max_depth=3).fit(table, y)
    code = tw.export(model, to="python")
    assert tw.verify_export(model, code, to="python")
    if missing not in ("fractional", "surrogate"):  # one rule for each leaf holds for such a row
        rules = tw.rules(model)
        np.testing.assert_array_equal(rules.predict(holes), model.predict(holes))


@for_every(lambda kind: kind.takes_words)
def test_T05_every_mark_of_missing_is_missing_and_words_stay_words(kind):
    """None, nan, NA, NaT and masked are holes in one column; "nan" and "None" are words."""
    marks = [None, float("nan"), pd.NA, pd.NaT, np.ma.masked]
    column = [*marks, "nan", "None", "red", "red", "blue"]
    levels = tw.table_from({"color": column})["color"]
    assert levels.n_missing == len(marks)
    assert set(levels.levels) == {"nan", "None", "red", "blue"}
    plain = [None] * 5 + column[5:]
    one = kind.alone().fit({"color": column}, [0, 1] * 5)
    other = kind.alone().fit({"color": plain}, [0, 1] * 5)
    assert learned(one) == learned(other)
    expected = predictions(other, {"color": plain})
    np.testing.assert_array_equal(predictions(one, {"color": column}), expected)
    categories = pd.DataFrame({"color": pd.Categorical(plain)})
    np.testing.assert_array_equal(predictions(other, categories), expected)


@for_every_model
@ignore_warnings
def test_T06_constant_columns_give_the_shares_and_no_importance(kind):
    """Nothing to split: one leaf, importances of 0 (not 0/0), the shares of the classes."""
    X: dict[str, list] = {"number": [3.0] * 8, "word": ["same"] * 8}
    if not kind.takes_words:
        X["word"] = [1.5] * 8
    y = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    model = without_sampling(kind) if kind.trees == "many" and kind.has_target else kind.alone()
    found = predictions(model.fit(X, y), X)
    assert is_sane(found)
    assert (found == found[0]).all()
    if kind.trees != "none":
        assert all(tree.n_leaves == 1 for tree in trees_of(model))
    if kind.has_importances:
        np.testing.assert_array_equal(model.feature_importances_, [0, 0])
        shares = [0.25, 0.75] if kind.is_classifier else 0.75
        np.testing.assert_allclose(found[0], shares, rtol=1e-6)


TWO_VALUES = {
    "far apart": (-1.7e308, 1.7e308),
    "the largest": (-1.7976931348623157e308, 1.7976931348623157e308),
    "both huge": (1.7e308, 1.79e308),
    "one step apart": (float(np.nextafter(1.0, 0)), 1.0),
}
for_two_values = pytest.mark.parametrize("values", TWO_VALUES.values(), ids=TWO_VALUES)


@for_every_exact_splitter
@for_two_values
def test_T07_thresholds_of_any_two_values_are_finite_and_part_them(kind, values):
    """Values near the largest double: a <= threshold < b, and rows land where they counted."""
    low, high = values
    X, y = np.array([[low], [high]] * 20), np.array([0, 1] * 20)
    model = without_sampling(kind).fit(X, y)
    for tree in trees_of(model):
        threshold = tree.threshold[0]
        assert math.isfinite(threshold)
        assert low <= threshold < high
    np.testing.assert_array_equal(rights(kind, model, X), y)


@for_every_model
@for_two_values
@ignore_warnings
def test_T07_huge_values_are_answered_or_told(kind, values):
    X, y = np.array([[low] for low in values * 20]), np.array([0, 1] * 20)
    problem = problem_of(lambda: kind().fit(X, y))
    if problem:
        assert not kind.takes_infinities
        assert "`x0`" in problem
        assert "e+308" in problem
    else:
        assert is_sane(predictions(kind().fit(X, y), X))


@for_every_model
@ignore_warnings
def test_T07_columns_of_very_different_sizes_are_answered_or_told(kind):
    X = np.array([[1e150, 1e-300], [-1e150, 5e-324], [0.0, 0.0], [1.0, -1e-310]] * 5)
    model = kind.alone()
    problem = problem_of(lambda: model.fit(X, [0, 1] * 10))
    assert ("`x0`" in problem or "`x1`" in problem) if problem else is_sane(predictions(model, X))


@for_every(lambda kind: kind.splits_at == "any two values" and kind.is_classifier)
def test_T08_the_smallest_numbers_are_distinct_values(kind):
    """0, 5e-324, 1e-310 and -1e-310 are four values that can be parted."""
    X, y = np.array([[0.0], [5e-324], [1e-310], [-1e-310]] * 8), np.array([0, 1, 2, 3] * 8)
    model = without_sampling(kind).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)


@for_every_exact_splitter
@pytest.mark.parametrize(("low", "high"), [(0.0, 1e-7), (1.0, 1 + 1e-12)])
def test_T09_doubles_are_not_cut_to_singles(kind, low, high):
    """Values that differ as doubles only are parted."""
    X, y = np.array([[low], [high]] * 20), np.array([0, 1] * 20)
    model = without_sampling(kind).fit(X, y)
    np.testing.assert_array_equal(rights(kind, model, X), y)


@for_every_model
def test_T09_singles_are_answered_as_the_doubles_that_they_are(kind):
    """Fitted on doubles, asked by the same values as singles."""
    X, y = numbers()
    model = kind().fit(X, y)
    singles = X.astype(np.float32)
    found = predictions(model, singles)
    np.testing.assert_array_equal(found, predictions(model, singles.astype(np.float64)))


LONG = [2**53 + 1, 2**53 + 2, 5, 2**53 + 3]
LONG_IDS = {
    "array": np.array(LONG)[:, None],
    "unsigned": np.array(LONG, dtype=np.uint64)[:, None],
    "rows": [[one] for one in LONG],
    "list": {"x0": LONG},
    "list with a hole": {"x0": [*LONG[:3], None]},
    "frame": pd.DataFrame({"x0": LONG}),
    "frame of many types": pd.DataFrame({"x0": LONG, "word": list("abab")}),
    "Int64": pd.DataFrame({"x0": pd.array(LONG, dtype="Int64")}),
    "polars": pl.DataFrame({"x0": LONG}),
    "arrow": pa.table({"x0": LONG}),
}


@pytest.mark.parametrize("given", LONG_IDS.values(), ids=LONG_IDS)
def test_T09_whole_numbers_that_doubles_cannot_hold_are_told(given):
    """2^53 + 1 and 2^53 + 2 become one number: not without a word."""
    with pytest.warns(UserWarning, match=r"column `x0`, row 0.*2\^53.*strings"):
        tw.table_from(given)


def test_T09_a_csv_of_long_ids_is_told_and_of_large_numbers_is_not(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("x,id\n0.5,12\n1,9007199254740993\n")
    with pytest.warns(UserWarning, match=r"column `id`, row 1.*2\^53"):
        tw.read_table(path)
    path.write_text("x,y\n0.5,1.7e308\n1e17,12\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.read_table(path)
        tw.table_from([[1e17, 2.5], [3, 4]])
        tw.table_from({"x": np.array([1e17, 2.0])})


def test_T09_large_numbers_of_few_digits_are_not_taken_for_long_ids(tmp_path):
    """A float keeps fifteen digits, wherever the point stands."""
    path = tmp_path / "large.csv"
    path.write_text("x\n3e16\n12\n-1e17\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.read_table(path)
        tw.table_from({"nanoseconds": np.array([1_700_000_000_000_000_000, 1_700_000_003 * 10**9])})
        tw.table_from([[10**16], [123_456_789_012_345 * 10**4], [10**18]])
    with pytest.warns(UserWarning, match="column `x0`, row 1"):
        tw.table_from([[10**16], [1_234_567_890_123_456_789]])


@for_every_model
def test_T09_every_model_warns_of_whole_numbers_that_doubles_cannot_hold(kind):
    with pytest.warns(UserWarning, match=r"column `x0`, row 0.*2\^53"):
        kind.alone().fit(np.array(LONG)[:, None], [0, 1, 0, 1])


LONG_TARGETS = {
    "array": np.array(LONG),
    "unsigned": np.array(LONG, dtype=np.uint64),
    "list": LONG,
    "list of two types": [*LONG[:3], 0.5],
    "beyond 64 bits": [2**64 + 1, 1, 2, 3],
    "both ends of 64 bits": [2**64 - 1, -3, 2, 1],
    "series": pd.Series(LONG, name="y"),
    "Int64": pd.Series(LONG, name="y", dtype="Int64"),
    "polars": pl.Series("y", LONG),
}


@for_every(lambda kind: kind.gives == "numbers")
def test_T09_a_target_of_whole_numbers_that_doubles_cannot_hold_is_told_once(kind):
    X = np.arange(4.0)[:, None]
    told = r"target `y`, row 0: whole numbers beyond 2\^53 = 9007199254740992 are rounded.*subtract"
    for name, y in LONG_TARGETS.items():
        with pytest.warns(UserWarning, match=told) as caught:
            kind.alone().fit(X, y)
        ours = [one for one in caught if re.search(told, str(one.message))]
        assert len(ours) == 1, name


@for_every(lambda kind: kind.gives == "numbers")
def test_T09_a_target_that_doubles_hold_is_not_warned_of(kind):
    X = np.arange(4.0)[:, None]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*2.53")
        for y in ([2**53 - 1, 1, 2, 3], [0.5, 1e17, 2, 3], np.array([3 * 10**16, 1, 2, 3])):
            kind.alone().fit(X, y)


@for_every(lambda kind: kind.gives == "numbers")
def test_a_target_beyond_doubles_is_refused_with_its_row(kind):
    with pytest.raises(tw.DataError, match=r"target `y`, row 1.*64-bit float"):
        kind.alone().fit([[1.0], [2.0]], [1, 10**400])


@for_every_classifier
def test_T09_long_whole_numbers_stay_different_classes(kind):
    """Whole numbers are classes as they are; with a float among them they are warned of."""
    X = [[0.0], [1.0], [0.0], [1.0]]
    one, other = 2**53 + 1, 2**53 + 2
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*2.53")
        model = kind.alone().fit(X, [one, other, one, other])
    assert model.classes_.tolist() == [one, other]
    with pytest.warns(UserWarning, match=r"target `y`, row 1.*2\^53.*make classes strings"):
        kind.alone().fit(X, [1.0, one, 1.0, one])
