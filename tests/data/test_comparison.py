"""Comparisons of other libraries, as `<=` of doubles."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.comparison import NEAR_ZERO, ORDINARY, Comparison
from treewright.data.schema import Schema
from treewright.data.sources import table_from_any
from treewright.errors import ExportError, ModelFileError, ParameterError

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.floats(allow_nan=False)
LARGEST = float(np.finfo(np.float32).max)
COMPARISONS = [
    Comparison(strict=strict, float32=float32)
    for strict in (False, True)
    for float32 in (False, True)
]
for_every_comparison = pytest.mark.parametrize("comparison", COMPARISONS, ids=str)


def as_written(comparison, value, bound):
    """What the comparison means, word for word."""
    if comparison.float32:
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    return value < bound if comparison.strict else value <= bound


def around(number):
    """Doubles and float32 next to a number, and those halfway between float32."""
    with np.errstate(over="ignore"):
        single = np.float32(number)
    singles = [np.nextafter(single, np.float32(end)) for end in (-math.inf, math.inf)]
    found = [number, *map(float, [single, *singles])]
    found += [(float(single) + float(other)) / 2 for other in singles]
    found = [one for one in found if not math.isnan(one)]
    return found + [math.nextafter(one, end) for one in found for end in (-math.inf, math.inf)]


@for_every_comparison
@given(bound=DOUBLES, value=VALUES)
@example(bound=LARGEST, value=LARGEST * (1 + 2**-25))
@example(bound=-LARGEST, value=-LARGEST * (1 + 2**-25))
@example(bound=1e300, value=1e299)
@example(bound=-1e300, value=-1e299)
@example(bound=0.0, value=-1e-60)
@example(bound=1.401298464324817e-45, value=7e-46)
def test_a_threshold_sends_every_value_where_the_comparison_sends_it(comparison, bound, value):
    threshold = comparison.threshold(bound)
    for one in (value, *around(bound), *around(value)):
        assert (one <= threshold) == as_written(comparison, one, bound)


@for_every_comparison
@given(bound=st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_the_bound_is_shown_that_was_written(comparison, bound):
    threshold = comparison.threshold(bound)
    if math.isfinite(threshold) and math.isfinite(comparison.bound(threshold)):
        assert comparison.bound(threshold) == bound
        assert comparison.fits(threshold)


def test_nothing_is_compared_with_infinity():
    with pytest.raises(ParameterError, match="inf"):
        Comparison(strict=True).threshold(math.inf)


# ---------------------------------------------------------------------------- in trees

STRICT = "x < 2.5: yes\nx >= 2.5\n|   y < 3: no\n|   y >= 3: yes"


def test_strict_conditions_are_printed_as_they_were_written(tmp_path):
    model = tw.tree_from(STRICT)
    assert str(model.tree_) == STRICT
    assert model.predict({"x": [2.5, 2.4999999999999996], "y": [0, 0]}).tolist() == ["no", "yes"]
    assert "x >= 2.5 and y < 3 then no" in str(tw.rules(model))
    explained = str(model.explain({"x": 2.5, "y": 1}))
    assert "x >= 2.5 and y < 3" in explained
    assert "x from 2.5 to less than 2.5" in explained
    assert ["&lt; 2.5" in tw.draw(model).to_svg(), "≥ 2.5" in tw.draw(model).to_svg()] == [True] * 2
    model.save(tmp_path / "strict.json")
    assert str(tw.load(tmp_path / "strict.json").tree_) == STRICT
    verified = tw.verify_export(model, tw.export(model, "python"), "python")
    assert verified


def test_between_two_strict_bounds():
    model = tw.tree_from("x < 2: b\n2 <= x < 3: a\nx >= 3: c")
    assert str(model.tree_) == "x < 2: b\n2 <= x < 3: a\nx >= 3: c"
    assert model.predict({"x": [1.9, 2, 2.9, 3]}).tolist() == ["b", "a", "a", "c"]


def test_rules_with_strict_bounds():
    model = tw.tree_from(["if x < 2 then p", "if x >= 2 and x < 5 then q", "otherwise r"])
    assert str(model.tree_) == "x < 2: p\nx >= 2\n|   x < 5: q\n|   x >= 5: r"


def test_both_comparisons_of_one_column_are_shown_exactly():
    model = tw.tree_from("x < 2.5: yes\nx >= 2.5\n|   x <= 3: no\n|   x > 3: yes")
    assert str(model.tree_).splitlines()[0] == "x <= 2.4999999999999996: yes"
    assert str(model.tree_).splitlines()[2] == "|   x <= 3: no"


def compared(model, comparison, bound):
    """A model whose first split compares `x` in another way."""
    tree = model.tree_
    columns = (replace(tree.schema.columns[0], comparison=comparison), *tree.schema.columns[1:])
    threshold = tree.threshold.copy()
    threshold[0] = comparison.threshold(bound)
    schema = replace(tree.schema, columns=columns)
    return replace(tree, schema=schema, threshold=threshold)


def test_float32_bounds_are_shown_with_the_digits_of_a_float32():
    model = tw.tree_from("x <= 0.5: yes\nx > 0.5: no")
    tree = compared(model, Comparison(strict=True, float32=True), float(np.float32(0.1)))
    assert str(tree) == "x < 0.1: yes\nx >= 0.1: no"
    assert 0.09999999 < tree.threshold[0] < float(np.float32(0.1))


@pytest.fixture
def zero_is_missing():
    """Zero in `x` counts as missing, which goes to the branch of large values."""
    model = tw.tree_from("x <= 0.5: small\nx > 0.5: large\nx missing: none")
    return compared(model, Comparison(zero_is_missing=True), 0.5)


def test_zero_counts_as_missing_where_the_column_says_so(zero_is_missing):
    schema = zero_is_missing.schema
    numbers = np.array([0.0, -0.0, 1e-36, NEAR_ZERO, 1e-34, -1.0, np.nan])
    for rows in ({"x": numbers}, numbers[:, np.newaxis]):
        encoded = schema.encode(table_from_any(rows))
        missing = encoded.columns[0].is_missing.tolist()
        assert missing == [True, True, True, True, False, False, True]
        leaves = [zero_is_missing.leaf_of(encoded, row) for row in range(7)]
        assert leaves == [3, 3, 3, 3, 1, 1, 3]


def test_no_export_forgets_that_zero_is_missing(zero_is_missing):
    with pytest.raises(ExportError, match="zero counts as missing in column `x`"):
        tw.export(zero_is_missing, "python")


def test_comparisons_are_kept_in_schemas():
    tree = tw.tree_from(STRICT).tree_
    columns = tuple(
        replace(spec, comparison=one)
        for spec, one in zip(
            tree.schema.columns,
            [Comparison(float32=True, zero_is_missing=True), ORDINARY],
            strict=True,
        )
    )
    schema = replace(tree.schema, columns=columns)
    data = schema.to_json()
    assert Schema.from_json(data) == schema
    assert "comparison" not in data["columns"][1]
    for damaged in ({}, {"strict": True}, {**data["columns"][0]["comparison"], "strict": 1}, 3):
        data["columns"][0]["comparison"] = damaged
        with pytest.raises(ModelFileError, match="comparison"):
            Schema.from_json(data)
