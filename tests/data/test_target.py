"""Targets and weights: what is taken, what is refused, and in which words."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

import treewright as tw
from machine import imported
from treewright.data.samples import load_sample
from treewright.data.sources import table_from
from treewright.data.target import encode_classes, encode_numbers
from treewright.data.weights import check_weights
from treewright.errors import DataError, DataTypeError

LABELS = ["b", "a", "b", "c"]


@pytest.mark.parametrize(
    "y",
    [
        LABELS,
        tuple(LABELS),
        np.array(LABELS),
        np.array(LABELS, dtype=object),
        np.array(LABELS, dtype=np.dtypes.StringDType()),
        pd.Series(LABELS),
        pd.Series(LABELS, dtype=object),
        pd.Series(LABELS, dtype="category"),
        pd.Series(pd.Categorical(LABELS, categories=["c", "b", "a", "z"])),
        pl.Series(LABELS),
        pl.Series(LABELS, dtype=pl.Categorical),
        table_from({"y": LABELS})["y"],
    ],
    ids=lambda y: f"{type(y).__module__}.{type(y).__name__}-{getattr(y, 'dtype', '')}",
)
def test_strings_of_every_source_give_the_same_classes(y):
    target = encode_classes(y)
    assert target.classes.tolist() == ["a", "b", "c"]
    assert target.codes.tolist() == [1, 0, 1, 2]
    assert target.codes.dtype == np.int32


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "bool", "float32"])
def test_classes_keep_their_dtype(dtype):
    y = np.array([1, 0, 1, 1]).astype(dtype)
    target = encode_classes(y)
    assert target.classes.dtype == dtype
    assert target.classes.tolist() == [0, 1]
    assert target.codes.tolist() == [1, 0, 1, 1]


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200), min_size=1))
def test_integers_of_any_size_are_encoded_as_numpy_would(values):
    y = np.array(values, dtype=np.int64)
    classes, codes = np.unique(y, return_inverse=True)
    target = encode_classes(y)
    assert target.classes.tolist() == classes.tolist()
    assert target.codes.tolist() == codes.tolist()


@given(st.lists(st.integers(-128, 127), min_size=1))
def test_small_integers_do_not_overflow(values):
    target = encode_classes(np.array(values, dtype=np.int8))
    assert target.classes[target.codes].tolist() == values


def test_strings_in_the_byte_order_of_another_machine_are_read():
    assert encode_classes(np.array(LABELS).astype(">U7")).codes.tolist() == [1, 0, 1, 2]


def test_large_labels_are_kept():
    y = np.array([2**40, 2**31 + 1, 2**40])
    assert encode_classes(y).classes.tolist() == [2**31 + 1, 2**40]
    assert encode_classes(np.array([2**64 - 1, 0], dtype=np.uint64)).classes[1] == 2**64 - 1


@pytest.mark.parametrize("y", [["a", 1], np.array(["a", 1], dtype=object), pd.Series(["a", 1])])
def test_labels_of_mixed_types_name_both_types(y):
    with pytest.raises(TypeError, match=r"str in row 0 \('a'\), int in row 1 \(1\)"):
        encode_classes(y)


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b", None],
        np.array([1.0, np.nan, 2.0, np.nan]),
        pd.Series([1, None, 2, None], dtype="Int64", name="grade"),
        pd.Series(["a", None, "b", None], name="grade"),
        pd.Series([True, None, False, None], dtype="boolean"),
        pl.Series("grade", [1, None, 2, None]),
        np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 1]),
        [True, None, False, None],
        np.array(["a", None, "b", None], dtype=np.dtypes.StringDType(na_object=None)),
    ],
    ids=str,
)
def test_missing_labels_are_counted_and_the_first_is_named(y):
    with pytest.raises(ValueError, match=r"2 missing values, the first in row 1"):
        encode_classes(y)


@pytest.mark.parametrize("y", [[1.0, None], np.array([1.0, np.nan]), pd.Series([1, None])])
def test_missing_numbers_are_counted_too(y):
    with pytest.raises(ValueError, match=r"1 missing value, the first in row 1"):
        encode_numbers(y)


def test_the_name_of_a_series_is_used():
    with pytest.raises(ValueError, match="target `grade`"):
        encode_classes(pd.Series(["a", None], name="grade"))


def test_infinity_is_refused_in_other_words_than_missing():
    with pytest.raises(ValueError, match="contains infinity: inf in row 1"):
        encode_numbers([1.0, np.inf])
    with pytest.raises(ValueError, match="contains infinity"):
        encode_classes([1.0, np.inf])


def test_a_continuous_target_says_regression():
    with pytest.raises(ValueError, match=r"row 1 is 0\.5[\s\S]*regression"):
        encode_classes([1.0, 0.5])


def test_words_are_no_regression_target():
    with pytest.raises(ValueError, match="regression needs numbers"):
        encode_numbers(np.array(["a"]))
    with pytest.raises(ValueError, match="row 1: 'x' is not a number"):
        encode_numbers([1, "x"])


def test_a_column_vector_is_read_with_a_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        assert encode_classes(np.array([[1], [2]])).codes.tolist() == [0, 1]


@pytest.mark.parametrize("y", [np.eye(2), [[1, 2], [3, 4]], table_from(np.eye(2)), 3, "yes"])
def test_a_target_has_one_axis(y):
    with pytest.raises(ValueError):
        encode_classes(y)


def test_no_target_at_all_is_said_in_scikit_learns_words():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        encode_classes(None)


def test_both_lengths_are_named():
    for encode in (encode_classes, encode_numbers):
        with pytest.raises(ValueError, match="X has 3 rows, target `y` has 2"):
            encode([1, 2], n_rows=3)
    with pytest.raises(ValueError, match="X has 3 rows"):
        encode_classes(pd.Series(["a", "b"]), n_rows=3)


def test_labels_of_strange_types_are_refused():
    for y in (np.array([1j]), [b"a"], [{"a": 1}]):
        with pytest.raises(DataTypeError):
            encode_classes(y)


def test_numbers_become_float64():
    for y in ([1, 2], np.array([1, 2], dtype=np.int8), pd.Series([1, 2], dtype="Int64")):
        target = encode_numbers(y)
        assert target.values.dtype == np.float64
        assert target.values.tolist() == [1.0, 2.0]


def test_sample_targets_encode():
    _, y = load_sample("tennis")
    assert encode_classes(y).classes.tolist() == ["No", "Yes"]


def test_weights_of_one_are_no_weights():
    assert check_weights(None, 3) is None
    assert check_weights(np.ones(3), 3) is None
    assert check_weights(1, 3) is None
    assert check_weights([1, 2, 0], 3).tolist() == [1.0, 2.0, 0.0]
    assert check_weights(pd.Series([1, 2, 3]), 3).tolist() == [1.0, 2.0, 3.0]
    assert check_weights(2.0, 2).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_weight_that_is_none_names_its_row(bad):
    with pytest.raises(DataError, match=f"sample_weight, row 1: {bad:g}"):
        check_weights([1.0, bad, 2.0], 3)


def test_weights_must_fit_the_rows():
    with pytest.raises(DataError, match="sample_weight has 2 rows, X has 3"):
        check_weights([1.0, 2.0], 3)
    with pytest.raises(DataError, match="shape"):
        check_weights(np.ones((3, 1)), 3)
    with pytest.raises(DataError, match="every weight is zero"):
        check_weights(np.zeros(3), 3)
    with pytest.raises(DataError, match="not numbers"):
        check_weights(["a", "b", "c"], 3)


# ------------------------------------------------------------------------ pyarrow

WORDS = ["no", "yes", "no", "maybe"]


def arrow_targets():
    pyarrow = imported("pyarrow")
    texts = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]
    whole = pyarrow.array(WORDS)
    yield from (pyarrow.array(WORDS, kind) for kind in texts)
    yield from (whole.dictionary_encode(), pyarrow.chunked_array([WORDS[:1], WORDS[1:]]))
    halves = [pyarrow.array(part).dictionary_encode() for part in (WORDS[:2], WORDS[2:])]
    yield pyarrow.chunked_array(halves)
    yield whole.take(pyarrow.array([3, 0, 1, 2, 3])).slice(1)  # rows before the first


def test_pyarrow_targets_of_text_are_classes():
    """They raised ArrowInvalid: pyarrow copies them only if asked to."""
    for y in arrow_targets():
        target = encode_classes(y)
        assert target.classes.tolist() == ["maybe", "no", "yes"]
        assert target.codes.tolist() == [1, 2, 1, 0]


def test_pyarrow_targets_of_other_types_are_classes():
    pyarrow = imported("pyarrow")
    flags = encode_classes(pyarrow.array([True, False, True]))
    assert (flags.codes.tolist(), flags.classes.tolist()) == ([1, 0, 1], [False, True])
    large = encode_classes(pyarrow.array([2**60 + 1, 2**60]))
    assert large.classes.tolist() == [2**60, 2**60 + 1]
    coded = encode_classes(pyarrow.array([5, 3, 5]).dictionary_encode())
    assert (coded.codes.tolist(), coded.classes.tolist()) == ([1, 0, 1], [3, 5])


def test_pyarrow_targets_of_numbers_are_numbers():
    pyarrow = imported("pyarrow")
    amounts = pyarrow.array([Decimal("1.50"), Decimal("-2")])
    for y in (amounts, pyarrow.chunked_array([[1.5], [-2.0]]), pyarrow.array([1.5, -2.0])):
        assert encode_numbers(y).values.tolist() == [1.5, -2.0]


def test_missing_values_of_pyarrow_targets_are_named():
    pyarrow = imported("pyarrow")
    text = pyarrow.array(["a", None])
    flags, whole = pyarrow.array([True, None]), pyarrow.array([1, None])
    for y in (text, text.dictionary_encode(), flags, whole, pyarrow.chunked_array([text])):
        with pytest.raises(DataError, match=r"1 missing value, the first in row 1"):
            encode_classes(y)
    with pytest.raises(DataError, match=r"1 missing value, the first in row 1"):
        encode_numbers(pyarrow.array([1.5, None]))


def test_pyarrow_targets_that_are_no_classes_say_so():
    pyarrow = imported("pyarrow")
    for values, word in [([b"a"], "bytes"), ([[1]], "lists"), ([date(2024, 1, 1)], "datetime64")]:
        with pytest.raises(DataTypeError, match=word):
            encode_classes(pyarrow.array(values))


def test_models_take_pyarrow_for_rows_and_targets():
    pyarrow = imported("pyarrow")
    X, y = tw.load_sample("iris")
    plain = tw.CARTClassifier(prune=None, max_depth=3).fit(X, y)
    columns = {column.name: [column.values[:70], column.values[70:]] for column in X.columns}
    table = pyarrow.table({name: pyarrow.chunked_array(parts) for name, parts in columns.items()})
    words = pyarrow.array(list(y))
    for target in (words, words.dictionary_encode(), pyarrow.chunked_array([words])):
        model = tw.CARTClassifier(prune=None, max_depth=3).fit(table, target)
        assert model.predict(table).tolist() == plain.predict(X).tolist()
        assert model.score(table, target) == plain.score(X, y)
