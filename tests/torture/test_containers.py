"""T21 to T24: what a table is given as, in every estimator."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import treewright as tw
from small_tables import numbers
from torture.models import for_every, for_every_model, learned, predictions

# No conjunction tells the rows of most tables here apart, and concepts say so.
pytestmark = pytest.mark.filterwarnings("ignore:CandidateElimination", "ignore:FindS")

ODD_SHAPES = {
    "no rows": (np.empty((0, 3)), [], r"0 sample.*\(0, 3\)"),
    "no columns": (np.empty((3, 0)), [0, 1, 0], r"0 feature.*\(3, 0\)"),
    "a frame of no rows": (pd.DataFrame({"a": [], "b": []}), [], r"0 sample.*\(0, 2\)"),
    "a frame of no columns": (pd.DataFrame(index=[0, 1]), [0, 1], r"0 feature.*\(2, 0\)"),
    "columns of no rows": ({"a": [], "b": []}, [], r"0 sample.*\(0, 2\)"),
    "no column at all": ({}, [0, 1], r"0 sample.*\(0, 0\)"),
    "no row at all": ([], [], r"0 sample.*\(0,\)"),
    "empty rows": ([[], []], [0, 1], r"0 feature.*\(2, 0\)"),
    "a single number": (np.array(3.0), [0], r"2D.*0D.*\(\)"),
    "one axis": (np.arange(3.0), [0, 1, 0], r"2D.*1D.*\(3,\)"),
    "a plain list": ([1.0, 2.0], [0, 1], r"2D.*1D.*\(2,\)"),
    "a series": (pd.Series([1.0, 2.0]), [0, 1], "1D series of 2 rows"),
    "three axes": (np.zeros((2, 2, 2)), [0, 1], r"2D.*3D.*\(2, 2, 2\)"),
    "a column of two axes": ({"a": np.zeros((2, 3))}, [0, 1], r"`a` has the shape \(2, 3\)"),
    "ragged": ([[1.0, 2.0], [1.0]], [0, 1], "row 1 has 1 cells, row 0 has 2"),
    "ragged columns": ({"a": [1.0, 2.0], "b": [1.0]}, [0, 1], "`b` has 1 rows, others have 2"),
}


@for_every_model
@pytest.mark.parametrize(("X", "y", "told"), ODD_SHAPES.values(), ids=ODD_SHAPES)
def test_T21_shapes_that_do_not_fit_get_one_line(kind, X, y, told):
    """One line with the shapes, in training and later."""
    model = kind.alone().fit(*numbers())
    for attempt in (lambda: kind.alone().fit(X, y), lambda: predictions(model, X)):
        with pytest.raises(ValueError, match=told) as caught:
            attempt()
        assert len(str(caught.value).split("\nhint:")[0].splitlines()) == 1


@for_every(lambda kind: kind.has_target)
def test_T21_a_target_of_another_length_is_told_with_both(kind):
    for X in (np.zeros((3, 2)), {"a": [1.0, 2.0, 3.0]}, pd.DataFrame({"a": list("xyz")})):
        for y in ([0, 1], np.zeros(4), pd.Series([0, 1, 0, 1, 0], name="y")):
            with pytest.raises(ValueError, match=f"X has 3 rows, target `y` has {len(y)}"):
                kind.alone().fit(X, y)


@for_every_model
def test_T22_the_layout_in_memory_is_no_information(kind, tmp_path):
    """The same model and answers from every layout; and no input is changed."""
    X, y = numbers(50, 4)
    model = kind().fit(X, y)
    expected, found = learned(model), predictions(model, X)
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
        "frame": pd.DataFrame(X),
        "frame by column": pd.DataFrame({at: X[:, at] for at in range(4)}),
    }
    for name, layout in layouts.items():
        assert learned(kind().fit(layout, y)) == expected, name
        np.testing.assert_array_equal(predictions(model, layout), found, name)
    np.testing.assert_array_equal(wide[::-1, ::-2], X)
    np.testing.assert_array_equal(layouts["memmap"], X)


@for_every_model
def test_T22_fitting_changes_no_input(kind):
    X, y = numbers()
    X[::7, 1] = np.nan
    weights = np.random.default_rng(0).random(len(y))
    before = [given.copy() for given in (X, y, weights)]
    predictions(kind().fit(X, y, sample_weight=weights), X)
    for given, kept in zip((X, y, weights), before, strict=True):
        np.testing.assert_array_equal(given, kept)


Z = [1j, 2j]
BYTES = [b"a", b"b"]
ODD_TYPES = {  # what is told: the column, and what to do instead
    "complex array": (np.array([[1.0], [2j]]), "(?s)omplex.*`x0`.*real and .*imag"),
    "complex column": ({"z": np.array(Z)}, "(?s)omplex.*`z`.*real and .*imag"),
    "complex cells": ({"z": [1.0, 2j]}, "(?s)omplex.*`z`, row 1.*real and .*imag"),
    "complex frame": (pd.DataFrame({"z": Z}), "(?s)omplex.*`z`.*real and .*imag"),
    "complex objects": (
        pd.DataFrame({"z": [1, 2j]}, dtype=object),
        "(?s)omplex.*`z`, row 1.*real and .*imag",
    ),
    "complex rows": ([[1.0, 2j], [1.0, 1.0]], "(?s)omplex.*`x1`, row 0.*real and .*imag"),
    "bytes array": (np.array([[b"a"], [b"b"]]), "(?s)`x0`.*decode"),
    "bytes column": ({"z": np.array(BYTES)}, "(?s)`z`.*decode"),
    "bytes": ({"z": BYTES}, "(?s)`z`, row 0.*bytes.*decode"),
    "bytearrays": ({"z": ["a", bytearray(b"b")]}, "(?s)`z`, row 1.*bytearray.*decode"),
    "bytes frame": (pd.DataFrame({"z": BYTES}), "(?s)`z`, row 0.*bytes.*decode"),
    "bytes categories": (pd.DataFrame({"z": pd.Categorical(BYTES)}), "(?s)`z`.*b'a'.*decode"),
    "bytes polars": (pl.DataFrame({"z": BYTES}), "(?s)`z` holds bytes.*decode.*cast"),
    "bytes arrow": (pa.table({"z": BYTES}), "(?s)`z` holds bytes.*decode.*cast"),
    "lists": ({"z": [[1], [2]]}, "(?s)`z`, row 0 holds a list.*one string, number"),
    "lists frame": (pd.DataFrame({"z": ["a", [2]]}), "(?s)`z`, row 1 holds a list.*one string"),
    "lists polars": (pl.DataFrame({"z": [[1], [2]]}), "(?s)`z` holds lists.*one string, number"),
    "lists arrow": (pa.table({"z": [[1], [2]]}), "(?s)`z` holds lists.*supported are numbers"),
    "lists pandas on arrow": (
        pa.table({"z": [[1], [2]]}).to_pandas(types_mapper=pd.ArrowDtype),
        "(?s)`z` holds lists.*supported are numbers",
    ),
    "lists in rows": ([[1.0, 2.0], [1.0, [2.0]]], "(?s)`x1`, row 1 holds a list.*one string"),
    "tuples": ({"z": [(1,), (2,)]}, "(?s)`z`, row 0 holds a tuple.*one string, number"),
    "tuple categories": (
        pd.DataFrame({"z": pd.Categorical(pd.Index([("a", 1), ("b", 2)], tupleize_cols=False))}),
        "(?s)`z`.*tuple.*strings",
    ),
    "dicts": ({"z": [None, {"a": 1}]}, "(?s)`z`, row 1 holds a dict.*one string, number"),
    "dicts frame": (pd.DataFrame({"z": [{}, {}]}), "(?s)`z`, row 0 holds a dict.*one string"),
    "records polars": (pl.DataFrame({"z": [{"a": 1}, {"a": 2}]}), "(?s)`z` holds records.*one st"),
    "sets": ({"z": [{1}, {2}]}, "(?s)`z`, row 0 holds a set.*one string, number"),
    "arrays": ({"z": [np.zeros(2)] * 2}, "(?s)`z`, row 0 holds a ndarray.*one string, number"),
    "arrays frame": (pd.DataFrame({"z": [np.zeros(2)] * 2}), "(?s)`z`, row 0 .*one string"),
    "objects": ({"z": [object(), "a"]}, "(?s)`z`, row 0 holds a object.*one string, number"),
    "sparse matrix": (scipy.sparse.csr_matrix(np.eye(2)), r"(?s)sparse.*X\.toarray\(\)"),
    "sparse array": (scipy.sparse.coo_array(np.eye(2)), r"(?s)sparse.*X\.toarray\(\)"),
    "sparse frame": (
        pd.DataFrame({"z": pd.arrays.SparseArray([0.0, 1.0])}),
        r"(?s)`z` is sparse.*to_dense\(\)",
    ),
}


@for_every_model
def test_T23_types_that_no_model_can_use_are_refused(kind):
    """Complex numbers, bytes, cells of many values, sparse matrices: the column and a remedy."""
    model = kind().fit(*numbers())
    for X, told in ODD_TYPES.values():
        with pytest.raises(TypeError, match=told):
            kind.alone().fit(X, [0, 1])
        with pytest.raises(TypeError, match=told):
            predictions(model, X)


@for_every_model
def test_T23_dates_are_numbers_with_a_unit(kind):
    days = [datetime.date(2024, 1, day) for day in range(1, 21)]
    frame = pd.DataFrame({"day": pd.to_datetime(days)})
    y = [0] * 10 + [1] * 10
    model = kind().fit(frame, y)
    later = pd.DataFrame({"day": pd.to_datetime(["2024-01-02", "2024-01-19"])})
    found = predictions(model, later)
    assert len(found) == 2
    if kind.has_target and kind.trees != "none" and kind.name != "M5Regressor":
        assert (model.predict(later) > 0.5).tolist() == [False, True]
    if hasattr(model, "export_text") and kind.has_missing_policies:
        assert "2024-01-1" in model.export_text()
    with pytest.raises(ValueError, match="`day`"):
        predictions(model, pd.DataFrame({"day": [3.0]}))


@for_every_model
def test_T24_nullable_and_arrow_columns_equal_plain_ones(kind):
    """Holes of pandas, Arrow and polars are the holes of Python: the same model."""
    y = np.array([0, 1, 0, 1, 1, 0, 1, 0] * 3)
    columns = {
        "count": [1, 2, None, 4, 5, 6, None, 8] * 3,
        "word": ["a", None, "b", "b", "a", "c", "c", "c"] * 3,
        "flag": [True, False, None, True, False, True, None, True] * 3,
    }
    types = {"count": "Int64", "word": "string", "flag": "boolean"}
    if not kind.takes_words:
        columns = {"count": columns["count"], "other": columns["count"][::-1]}
        types = {"count": "Int64", "other": "Int64"}
    plain = dict(columns)
    for name, dtype in types.items():
        if dtype == "Int64":
            plain[name] = [float("nan") if cell is None else float(cell) for cell in plain[name]]
    frame = pd.DataFrame({name: pd.array(columns[name], dtype=types[name]) for name in columns})
    sources = {
        "pandas": frame,
        "pandas on arrow": frame.convert_dtypes(dtype_backend="pyarrow"),
        "polars": pl.DataFrame(columns),
        "arrow": pa.table(columns),
    }
    model = kind().fit(plain, y)
    expected, found = learned(model), predictions(model, plain)
    for name, source in sources.items():
        assert learned(kind().fit(source, y)) == expected, name
        np.testing.assert_array_equal(predictions(model, source), found, name)


@for_every(lambda kind: kind.takes_words)
def test_T24_a_csv_keeps_words_that_look_missing(kind, tmp_path):
    """NA is missing among numbers and a country among words, with a word on both."""
    path = tmp_path / "countries.csv"
    path.write_text("country,area,ok\nNA,1,1\nDE,,0\nNA,3,1\nFR,NA,0\n")
    with pytest.warns(UserWarning, match="NA"):
        X, y = tw.read_table(path, target="ok")
    assert set(X["country"].levels) == {"NA", "DE", "FR"}
    assert X["area"].n_missing == 2
    assert len(predictions(kind.alone().fit(X, y), X)) == 4
    X, y = tw.read_table(path, target="ok", na=["NA", ""])
    assert set(X["country"].levels) == {"DE", "FR"}
