"""T14 to T24: columns and levels that are not those of training."""

import datetime
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import treewright as tw
from torture.trees import (
    ESTIMATORS,
    for_every_classifier,
    for_every_estimator,
    for_every_tree,
    numbers,
    words,
)
from treewright.models.model_file import model_bytes


@for_every_estimator
def test_T14_a_new_level_counts_as_missing_with_one_warning(kind):
    table, y = words()
    model = kind().fit(table, y)
    new = {"color": ["violet", "violet", "red"], "size": [0.1, 0.2, 0.3]}
    with pytest.warns(UserWarning, match="'violet' in column `color`, row 0") as caught:
        answers = model.predict(new)
    assert len(caught) == 1
    as_missing = {"color": [None, None, "red"], "size": [0.1, 0.2, 0.3]}
    np.testing.assert_array_equal(answers, model.predict(as_missing))


@for_every_estimator
def test_T14_a_new_level_is_an_error_if_asked_for(kind):
    table, y = words()
    model = kind(unseen="error").fit(table, y)
    new = {"color": ["red", "violet"], "size": [0.1, 0.2]}
    with pytest.raises(ValueError, match="'violet' in column `color`, row 1"):
        model.predict(new)


@for_every_tree
def test_T14_a_new_level_goes_with_the_majority_if_asked_for(kind):
    y = np.array([0] * 2 + [1] * 6)
    model = kind(unseen="majority").fit({"color": ["red"] * 2 + ["blue"] * 6}, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict({"color": ["violet"]}) == [1]


@for_every_estimator
def test_T15_the_order_of_categories_is_no_information(kind):
    table, y = words()
    plain = pd.DataFrame(table)
    model = kind().fit(plain, y)
    other = plain.copy()
    other["color"] = pd.Categorical(plain["color"], ["violet", "blue", "red", "green"])
    np.testing.assert_array_equal(model.predict(other), model.predict(plain))
    few = other.iloc[:3].copy()
    few["color"] = few["color"].cat.remove_unused_categories()
    np.testing.assert_array_equal(model.predict(few), model.predict(plain.iloc[:3]))


@for_every_estimator
def test_T16_missing_extra_and_moved_columns_are_listed(kind):
    table, y = words()
    frame = pd.DataFrame(table)
    model = kind().fit(frame, y)
    with pytest.raises(ValueError, match="now missing:\n- size"):
        model.predict(frame[["color"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- weight"):
        model.predict(frame.assign(weight=1.0))
    with pytest.raises(ValueError, match="same order"):
        model.predict(frame[["size", "color"]])
    X, y = numbers()
    model = kind().fit(X, y)
    with pytest.raises(ValueError, match=r"2 features.*expecting 3"):
        model.predict(X[:, :2])


@for_every_estimator
def test_T16_names_on_one_side_only_get_a_warning(kind):
    X, y = numbers()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        kind().fit(frame, y).predict(X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        kind().fit(X, y).predict(frame)


@for_every_estimator
def test_T17_duplicate_names_are_listed_with_their_positions(kind):
    frame = pd.DataFrame([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]], columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="`a` at positions 0, 2"):
        kind().fit(frame, [0, 1])


ODD_NAMES = [
    "", " ", "größe", "体重", "🌲", "[a]<b>", '"', "\\", "new\nline", "tab\t", "a,b", "x" * 10_000,
    "nan", "1",
]  # fmt: skip


@for_every_estimator
def test_T18_any_string_is_a_name(kind, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, len(ODD_NAMES))).round(1), columns=ODD_NAMES)
    frame["color"] = rng.choice([name[:50] for name in ODD_NAMES if name], 50)
    y = (frame.iloc[:, 3] + frame.iloc[:, 7] > 0).astype(int)
    model = kind().fit(frame, y)
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.feature_names_in_.tolist() == [*ODD_NAMES, "color"]
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    assert json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert model.export_text()


@for_every_estimator
@pytest.mark.parametrize(
    "names", [["a", 1, "b"], [("a", 1), ("a", 2), ("b", 1)], [None, "a", "b"], ["1", 1, "b"]]
)
def test_T19_names_that_are_not_strings_never_collide(kind, names):
    X, y = numbers()
    frame = pd.DataFrame(X)
    frame.columns = pd.Index(names, tupleize_cols=False)
    with pytest.raises(TypeError, match="string"):
        kind().fit(frame, y)


@for_every_estimator
def test_T19_all_integer_names_are_no_names(kind):
    X, y = numbers()
    model = kind().fit(pd.DataFrame(X), y)
    assert not hasattr(model, "feature_names_in_")


@for_every_estimator
def test_T20_a_column_of_another_type_is_named_with_row_and_value(kind):
    table, y = words()
    model = kind().fit(table, y)
    with pytest.raises(ValueError, match="'12a' in column `size`, row 1"):
        model.predict({"color": ["red", "red"], "size": [None, "12a"]})
    with pytest.raises(ValueError, match="'12' in column `size`, row 0"):
        model.predict(pd.DataFrame({"color": ["red"], "size": ["12"]}))
    with pytest.raises(ValueError, match="column `color`, row 0"):
        model.predict({"color": [1.0], "size": [0.5]})
    with pytest.raises(ValueError, match="column `color`, row 0"):
        model.predict({"color": [True], "size": [0.5]})


@for_every_estimator
@pytest.mark.parametrize(
    ("X", "y", "words_in_error"),
    [
        (np.empty((0, 3)), [], "0 sample|0 rows"),
        (np.empty((3, 0)), [0, 1, 0], r"0 feature|0 columns"),
        (np.arange(3.0), [0, 1, 0], "1D|2D|1-D|2-D"),
        (np.zeros((2, 2, 2)), [0, 1], "3|dim"),
        ([[1.0, 2.0], [1.0]], [0, 1], "row 1"),
        (np.zeros((3, 2)), [0, 1], r"3.*2"),
    ],
)
def test_T21_shapes_that_do_not_fit_get_one_line(kind, X, y, words_in_error):
    with pytest.raises(ValueError, match=words_in_error) as caught:
        kind().fit(X, y)
    assert len(str(caught.value).split("\nhint:")[0].splitlines()) <= 2


@for_every_estimator
def test_T22_the_layout_in_memory_is_no_information(kind, tmp_path):
    X, y = numbers(50, 4)
    expected = model_bytes(kind().fit(X, y))
    on_disk = np.memmap(tmp_path / "X", dtype=X.dtype, mode="w+", shape=X.shape)
    on_disk[:] = X
    on_disk.flush()
    closed = X.copy()
    closed.setflags(write=False)
    wide = np.zeros((50, 8))
    wide[::-1, ::-2] = X
    layouts = {
        "fortran": np.asfortranarray(X),
        "view": wide[::-1, ::-2],
        "transposed": np.ascontiguousarray(X.T).T,
        "read-only": closed,
        "memmap": np.memmap(tmp_path / "X", dtype=X.dtype, mode="r", shape=X.shape),
        "list": X.tolist(),
        "big-endian": X.astype(">f8"),
    }
    for name, layout in layouts.items():
        model = kind().fit(layout, y)
        assert model_bytes(model) == expected, name
        np.testing.assert_array_equal(model.predict(layout), model.predict(X), name)
    np.testing.assert_array_equal(wide[::-1, ::-2], X)


@for_every_estimator
def test_T23_types_that_no_tree_can_use_are_refused(kind):
    y = [0, 1]
    with pytest.raises((TypeError, ValueError), match=r"[Cc]omplex"):
        kind().fit(np.array([[1j], [2j]]), y)
    with pytest.raises(TypeError, match="bytes"):
        kind().fit({"name": [b"a", b"b"]}, y)
    for cell in ([1], {"a": 1}, np.zeros(2)):
        with pytest.raises(TypeError, match="`cells`"):
            kind().fit(pd.DataFrame({"cells": [cell, cell]}), y)
    with pytest.raises(TypeError, match=r"sparse.*(\n.*)*toarray"):
        kind().fit(scipy.sparse.csr_matrix(np.eye(2)), y)


@for_every_estimator
def test_T23_dates_are_numbers_with_a_unit(kind):
    days = [datetime.date(2024, 1, day) for day in range(1, 21)]
    model = kind().fit(pd.DataFrame({"day": pd.to_datetime(days)}), [0] * 10 + [1] * 10)
    assert "2024-01-1" in model.export_text()
    assert model.predict(
        pd.DataFrame({"day": pd.to_datetime(["2024-01-02", "2025-01-01"])})
    ).tolist() == [0, 1]
    with pytest.raises(ValueError, match="`day`"):
        model.predict(pd.DataFrame({"day": [3.0]}))


@for_every_estimator
def test_T24_nullable_and_arrow_columns_equal_plain_ones(kind):
    y = np.array([0, 1, 0, 1, 1, 0, 1, 0] * 3)
    count = [1, 2, None, 4, 5, 6, None, 8] * 3
    word = ["a", None, "b", "b", "a", "c", "c", "c"] * 3
    flag = [True, False, None, True, False, True, None, True] * 3
    plain = {
        "count": [float("nan") if c is None else float(c) for c in count],
        "word": word,
        "flag": flag,
    }
    expected = model_bytes(kind().fit(plain, y))
    frame = pd.DataFrame(
        {
            "count": pd.array(count, dtype="Int64"),
            "word": pd.array(word, dtype="string"),
            "flag": pd.array(flag, dtype="boolean"),
        }
    )
    arrow = pa.table({"count": pa.array(count), "word": word, "flag": flag})
    sources = {
        "pandas": frame,
        "pandas on arrow": frame.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.DataFrame({"count": count, "word": word, "flag": flag}),
        "arrow": arrow,
    }
    for name, source in sources.items():
        assert model_bytes(kind().fit(source, y)) == expected, name


@for_every_classifier
def test_T24_a_csv_keeps_words_that_look_missing(kind, tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text("country,area,ok\nNA,1,yes\nDE,,no\nNA,3,yes\nFR,NA,no\n")
    with pytest.warns(UserWarning, match="NA"):
        X, y = tw.read_table(path, target="ok")
    assert set(X["country"].levels) == {"NA", "DE", "FR"}
    assert X["area"].n_missing == 2
    assert kind().fit(X, y).predict(X).shape == (4,)


def test_every_estimator_is_in_these_tests():
    assert {kind.__name__ for kind in ESTIMATORS} <= set(tw.__all__)
