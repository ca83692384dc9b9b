"""Scans: every source, read block by block, is the table that is read at once."""

import json
import os
import pickle
import subprocess
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.dataset
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from machine import imported
from treewright.data.scanned_table import ScannedTable
from treewright.data.sources import blocks as reading_blocks
from treewright.data.sources import from_columnar, scan_sources
from treewright.data.survey import survey
from treewright.ensembles import packed
from treewright.errors import DataError, DataTypeError


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n_rows = 50
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(3),
            "count": rng.integers(0, 9, n_rows),
            "color": np.array(["red", "green", None, "blue"], dtype=object)[
                rng.integers(0, 4, n_rows)
            ],
            "sold": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 99, n_rows), "D"),
            "paid": rng.random(n_rows) < 0.5,
            "weight": rng.choice([1.0, 2.5], n_rows),
            "kind": rng.choice(["a", "b"], n_rows),
        }
    )


def check_same(scan, X, y, weights=None):
    """The scan has the rows of this table."""
    table, target, own = scan.read()
    assert table.same_as(X)
    np.testing.assert_array_equal(target, y)
    assert (own is None) == (weights is None)
    if weights is not None:
        np.testing.assert_array_equal(own, weights)


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow", "csv.gz"])
@pytest.mark.parametrize("block_rows", [7, None])
def test_a_file(frame, tmp_path, ending, block_rows):
    path = tmp_path / f"t.{ending}"
    {"parquet": frame.to_parquet, "arrow": frame.to_feather}.get(
        ending, lambda path: frame.to_csv(path, index=False)
    )(path)
    X, y = tw.read_table(path, target="kind")
    weights = X["weight"].values
    scan = tw.scan(path, target="kind", weights="weight", block_rows=block_rows)
    check_same(scan, X.drop("weight"), y, weights)


def test_many_files(frame, tmp_path):
    for at in range(0, 50, 20):
        frame[at : at + 20].to_parquet(tmp_path / f"part-{at:02}.parquet")
        frame[at : at + 20].to_csv(tmp_path / f"part-{at:02}.csv", index=False)
    frame[:0].to_parquet(tmp_path / "part-10.parquet")  # no rows
    for path in (tmp_path, tmp_path / "*.csv"):
        X, y = tw.read_table(path, target="kind")
        check_same(tw.scan(path, target="kind", block_rows=6), X, y)


def test_libraries(frame, tmp_path):
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    X, y = tw.table_from(frame).split_target("kind")
    parts = [frame[at : at + 9] for at in range(0, 50, 9)]
    polars_frame = pl.from_pandas(frame)
    for source in (
        parts,
        lambda: iter(parts),
        frame,
        polars_frame,
        polars_frame.lazy(),
        pl.scan_parquet(path),
        pyarrow.dataset.dataset(path),
        duckdb.read_parquet(str(path)),
    ):
        check_same(tw.scan(source, target="kind", block_rows=9), X, y)


def test_blocks_can_be_looped_over(frame):
    scan = tw.scan(frame, target="kind", block_rows=20)
    assert [len(X) for X, _, _ in scan.blocks()] == [20, 20, 10]
    assert [list(y[:1]) for _, y, _ in scan.blocks()] == [[frame["kind"][at]] for at in (0, 20, 40)]
    assert repr(scan) == "<Scan of the DataFrame, target `kind`>"


def test_a_column_of_numbers_and_text_is_text_in_all_blocks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,y\n" + "12,a\n" * 10 + "x7,b\n" * 10)
    lines = path.read_text().splitlines(keepends=True)
    for at, part in enumerate((lines[1:11], lines[11:])):
        (tmp_path / f"part{at}.csv").write_text("".join([lines[0], *part]))
    X, _, _ = tw.scan(tmp_path / "part*.csv", target="y").read()
    assert X["code"].levels == ("12", "x7")
    _, code, _ = tw.scan(tmp_path / "part*.csv", target="code").read()
    assert code.tolist() == ["12"] * 10 + ["x7"] * 10


def test_dates_of_other_units_are_counted_in_the_finest():
    days = pd.DataFrame({"at": pd.Series(["2024-01-01", "2024-01-02"], dtype="datetime64[s]")})
    fine = pd.DataFrame({"at": pd.Series(["2024-01-01 00:00:00.5"], dtype="datetime64[ms]")})
    X, _, _ = tw.scan([days, fine]).read()
    expected = [*days["at"].to_numpy(), *fine["at"].to_numpy()]
    assert list(X["at"].to_numpy()) == expected


def test_a_block_with_other_columns_is_named(frame):
    parts = [frame[:20], frame[20:40].drop(columns="size"), frame[40:]]
    with pytest.raises(tw.DataError, match="block 2 has no column `size`, which block 1 has"):
        tw.scan(parts, target="kind").read()


def test_a_block_with_another_type_is_named(frame):
    other = frame[20:].assign(size="large")
    with pytest.raises(tw.DataError, match="block 2: column `size` holds strings, but numbers"):
        tw.scan([frame[:20], other], target="kind").read()


def test_a_damaged_file_is_named(frame, tmp_path):
    for at in range(3):
        frame.to_parquet(tmp_path / f"part-{at}.parquet")
    content = (tmp_path / "part-1.parquet").read_bytes()
    (tmp_path / "part-1.parquet").write_bytes(content[:60] + b"\0" * 500 + content[560:])
    for source in (tmp_path, pyarrow.dataset.dataset(tmp_path)):
        with pytest.raises(tw.DataError, match=r"part-1\.parquet"):
            tw.scan(source, target="kind").read()
    with pytest.raises(tw.DataError, match=r"part-1\.parquet, block 1: column `size` cannot be"):
        tw.scan(tmp_path, target="kind").read()
    with pytest.raises(tw.DataError, match=r"the LazyFrame, block \d: parquet"):
        tw.scan(pl.scan_parquet(tmp_path / "*.parquet"), target="kind").read()


def test_a_missing_target_names_block_and_row(frame):
    late = frame[20:].assign(kind=["b"] * 29 + [None])
    with pytest.raises(tw.DataError, match=r"block 2: target `kind`.*first in row 29"):
        tw.RandomForestClassifier().fit(tw.scan([frame[:20], late], target="kind"))


def test_what_cannot_be_read_twice_is_refused(frame):
    with pytest.raises(tw.DataError, match="a list_iterator, which can be read only once"):
        tw.scan(iter([frame]), target="kind")
    with pytest.raises(tw.ParameterError, match="stream"):
        tw.scan("-", target="kind")
    with pytest.raises(tw.DataError, match="cannot read an int"):
        tw.scan(3)
    with pytest.raises(tw.DataError, match="no rows"):
        tw.scan([]).read()
    with pytest.raises(tw.DataError, match=r"^no column `kinds` in block 1\n"):
        tw.scan([frame], target="kinds").read()
    with pytest.raises(tw.DataError, match="block 2: a block is an int"):
        tw.scan([frame, 3], target="kind").read()
    with pytest.raises(FileNotFoundError, match="no file matches the pattern"):
        tw.scan("no-such-*.csv", target="kind").read()
    with pytest.raises(tw.ParameterError, match="there is no folder `no-such`"):
        tw.scan([frame], target="kind", memory_map="no-such")
    with pytest.raises(tw.ParameterError, match="memory_map=3 is not True, False or a folder"):
        tw.scan([frame], target="kind", memory_map=3)
    for size in (0, 2.5, True):
        with pytest.raises(tw.ParameterError, match=f"block_rows is {size}"):
            tw.scan([frame], target="kind", block_rows=size)
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 1 AS kind")
    with pytest.raises(tw.DataError, match="the relation: Connection"):
        tw.scan(relation, target="kind").read()


def test_a_missing_target_in_a_file_is_called_by_its_name(frame, tmp_path):
    for at, kind in enumerate(("b", None)):
        part = frame[20 * at : 20 * at + 20].assign(kind=["b"] * 19 + [kind])
        part.to_csv(tmp_path / f"{at}.csv", index=False)
    with pytest.raises(tw.DataError, match=r"1\.csv, block 1: target `kind` contains"):
        tw.CARTClassifier().fit(tw.scan(tmp_path / "*.csv", target="kind"))


def test_some_rows_open_only_the_parts_that_have_them(tmp_path, monkeypatch):
    monkeypatch.setattr(scan_sources, "ROWS_OF_PART", 40)
    whole = pd.DataFrame({"x": np.arange(120.0), "word": ["a", "b", "c"] * 40})
    whole[:100].to_parquet(tmp_path / "1.parquet")  # 40, 40 and 20 rows
    whole[100:].to_parquet(tmp_path / "2.parquet")
    opened = []
    reading = scan_sources.tables_of_file

    def noting(file, settings, of_many, meanings, begin=None):
        opened.append((file.name, begin))
        yield from reading(file, settings, of_many, meanings, begin)

    monkeypatch.setattr(scan_sources, "tables_of_file", noting)
    table = ScannedTable(survey(tw.scan(tmp_path), lambda y, name, n_rows: None))
    assert table.survey.ends == (40, 80, 100, 120)
    for rows in (slice(50, 70), slice(79, 101), np.array([3, 119]), slice(None), slice(9, 2, -3)):
        some = pickle.loads(pickle.dumps(table[rows]))
        opened.clear()
        assert some.read().to_pandas().astype(str).values.tolist() == (
            whole.iloc[rows].astype(str).values.tolist()
        )
        parts = {
            ("1.parquet", at // 40 * 40) if at < 100 else ("2.parquet", None)
            for at in np.arange(120)[rows].tolist()
        }
        assert set(opened) == parts


def test_a_part_that_changes_between_passes_is_an_error():
    blocks = [([[1.0], [2.0]], ["a", "b"]), ([[3.0]], ["a"])]
    table = ScannedTable(survey(tw.scan(blocks), lambda y, name, n_rows: None))
    blocks[1] = [[3.0], [4.0]], ["a", "b"]
    assert table[:2].read().n_rows == 2
    for rows in (slice(2, 3), slice(None)):
        with pytest.raises(DataError, match="did not return the same 3 rows as in the first pass"):
            table[rows].read()
    blocks.append(blocks[1])
    with pytest.raises(DataError, match="did not return the same 3 rows as in the first pass"):
        table[:1].read()


def graded(values, order="abcd"):
    """Ordered categories, of which perhaps not all occur."""
    return pd.Series(pd.Categorical([*values], categories=[*order], ordered=True), name="grade")


def scan_of_grades(*columns):
    return tw.scan([pd.DataFrame({"grade": block}) for block in columns])


@pytest.mark.parametrize("blocks", ["abc ab bc", "bc ab d", "d c b a", "dd a"])
def test_ordered_categories_keep_their_order(blocks):
    scan = scan_of_grades(*map(graded, blocks.split()))
    all_rows = graded(blocks.replace(" ", "")).to_frame()
    assert scan.read()[0].same_as(tw.table_from(all_rows))


@pytest.mark.parametrize("blocks", ["bc ab", "ab bc abc", "abd bcd"])
def test_the_order_of_categories_is_that_of_all_blocks(blocks):
    scan = scan_of_grades(*(graded(block, block) for block in blocks.split()))
    assert "".join(scan.read()[0]["grade"].levels) == "".join(sorted({*blocks} - {" "}))


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (
            "ab ac",
            "categories 'b' and 'c' of column `grade` is unknown: no block has both",
        ),
        ("abc ca", "no common order: a < b < c in some blocks, c < a in others"),
    ],
)
def test_categories_without_a_common_order_are_refused(blocks, message):
    with pytest.raises(DataError, match=message):
        scan_of_grades(*(graded(block, block) for block in blocks.split())).read()


def test_columns_that_turn_into_text_together_take_one_more_pass(tmp_path, monkeypatch):
    (tmp_path / "0.csv").write_text("a,b,c,y\n1,2,3,0\n4,5,6,1\n")
    (tmp_path / "1.csv").write_text("a,b,c,y\nu,v,w,0\n")
    opened = []
    tables_of_file = scan_sources.tables_of_file

    def noted(file, *others):
        opened.append(file.name)
        return tables_of_file(file, *others)

    monkeypatch.setattr(scan_sources, "tables_of_file", noted)
    scan = tw.scan(tmp_path / "*.csv", target="y")
    survey(scan, lambda y, **_: y)
    assert opened == ["0.csv", "1.csv"] * 2


def test_a_column_that_a_file_lacks_is_named_with_the_file_that_has_it(tmp_path):
    for number, columns in enumerate(["a", "ab", "a"]):
        frame = pd.DataFrame({name: [1.0, 2.0] for name in columns})
        frame.to_parquet(tmp_path / f"{number}.parquet")
    parts = tw.scan(tmp_path / "*.parquet").parts()
    next(parts[1])  # another worker may have read the first file
    with pytest.raises(DataError, match=r"2\.parquet has no column `b`, which 1\.parquet has"):
        next(parts[2])


def test_a_type_that_no_tree_can_use_is_no_damage(tmp_path, monkeypatch):
    pl.DataFrame({"a": [1, 2], "b": [[1], [2]]}).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(from_columnar, "first_damage", None)  # which would read the whole file
    with pytest.raises(DataError, match=r"column `b`"):
        tw.scan(tmp_path / "t.parquet").read()


def test_a_partition_that_cannot_be_computed_is_named(tmp_path):
    frames = imported("dask.dataframe")
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    for number in range(2):
        frame.to_parquet(tmp_path / f"{number}.parquet")
    scan = tw.scan(frames.read_parquet(tmp_path, split_row_groups=False))
    (tmp_path / "1.parquet").write_bytes(b"PAR1" + bytes(20))
    with pytest.raises(DataError, match=r"partition 2: "):
        scan.read()


def test_more_rows_than_bins_can_have_are_an_error_at_once(frame, monkeypatch):
    monkeypatch.setattr(packed, "MOST_ROWS", 49)
    X, y = frame.drop(columns="kind"), frame["kind"]
    for most_read in (20, 200):
        monkeypatch.setattr(ScannedTable, "most_rows_read", most_read)
        with pytest.raises(DataError, match=r"50 rows: .* take at most 49"):
            tw.BoostedTreesClassifier().fit(tw.scan([(X, y)]))


@pytest.mark.full
@pytest.mark.parametrize("wanted", ["no-such", "."])
def test_a_temporary_folder_that_cannot_be_used_is_a_warning(wanted, tmp_path):
    """A new process, because Python looks for the folder once."""
    code = "import treewright as tw\ntw.scan([[[1.0], [2.0]]], memory_map=True).read()\n"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path / wanted)},
        capture_output=True,
        text=True,
        check=True,
    )
    is_warned = "TMPDIR names `" in done.stderr and "temporary files go to `" in done.stderr
    assert is_warned == (wanted == "no-such"), done.stderr


WITH_ORDER = {
    "booleans": lambda rows: pd.Series(np.array(rows) > "b"),
    "nullable booleans": lambda rows: pd.Series(np.array(rows) > "b").astype("boolean"),
    "objects": lambda rows: pd.Series(np.array(rows) > "b").astype(object),
    "categories": lambda rows: pd.Series(pd.Categorical(rows, categories=[*"dbac"])),
    "whole categories": lambda rows: pd.Series(
        pd.Categorical([ord(one) for one in rows], categories=[ord(one) for one in "dbac"])
    ),
    "Enum": lambda rows: pl.Series(rows, dtype=pl.Enum([*"dbac"])),
    "Categorical": lambda rows: pl.Series(rows, dtype=pl.Categorical),
    "dictionary": lambda rows: pyarrow.DictionaryArray.from_arrays(
        pyarrow.array(["dbac".index(one) for one in rows]), pyarrow.array([*"dbac"])
    ),
}


@pytest.mark.parametrize("kind", WITH_ORDER)
@pytest.mark.parametrize("rows", ["ccaabd", "cccabb", "bbbaac"])
def test_categories_keep_the_order_of_the_source_wherever_blocks_begin(kind, rows):
    column = WITH_ORDER[kind]([*rows])
    if kind == "dictionary":
        whole = pyarrow.table({"x": column})
    else:
        whole = (pl if kind in ("Enum", "Categorical") else pd).DataFrame({"x": column})
    for size in (1, 3, 4):
        cuts = range(0, len(rows), size)
        slices = [whole[at : at + size] for at in cuts]
        if kind == "dictionary":
            slices = [whole.slice(at, size) for at in cuts]
        assert tw.scan(slices).read()[0].same_as(tw.table_from(whole)), size


def test_dates_as_categories_in_blocks_of_different_precision():
    days = pd.DataFrame(
        {"at": pd.to_datetime(["2024-01-01", "2024-01-02"] * 4), "y": ["p", "q"] * 4}
    )
    blocks = [days.astype({"at": f"datetime64[{unit}]"}) for unit in ("s", "ms", "us")]
    model = tw.C45Classifier(categorical_features=["at"], prune=None)
    scanned = model.fit(tw.scan(blocks, target="y")).export_text()
    whole = pd.concat(blocks)
    assert scanned == model.fit(whole[["at"]], whole["y"]).export_text()
    assert scanned.count("2024-01-0") == 2


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abcd"), st.sampled_from([1, 2.5, 1.0, None, "u", "7"]), min_size=1
        ),
        min_size=1,
        max_size=6,
    )
)
def test_json_lines_in_blocks_are_those_read_at_once(tmp_path_factory, rows):
    """Keys may come late, and text may follow numbers."""
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(reading_blocks, "BLOCK_BYTES", 20)
        found = tw.scan(path).read()[0]
        assert found.same_as(tw.read_table(path)), (found, tw.read_table(path))


def test_a_list_of_files(frame, tmp_path):
    files = [tmp_path / "b.csv", tmp_path / "a.csv"]
    frame[:30].to_csv(files[0], index=False)
    frame[30:].to_csv(files[1], index=False)
    frame.to_csv(tmp_path / "whole.csv", index=False)
    X, y = tw.read_table(tmp_path / "whole.csv", target="kind")
    check_same(tw.scan(files, target="kind"), X, y)
    check_same(tw.scan([str(file) for file in files], target="kind"), X, y)
    with pytest.raises(FileNotFoundError):
        tw.scan([files[0], tmp_path / "none.csv"], target="kind").read()


def test_an_arrow_dataset_with_a_filter(frame, tmp_path):
    frame.to_parquet(tmp_path / "t.parquet")
    dataset = pyarrow.dataset.dataset(tmp_path).filter(pyarrow.dataset.field("size") > 0)
    X, y = tw.read_table(frame[frame["size"] > 0], target="kind")
    check_same(tw.scan(dataset, target="kind", block_rows=7), X, y)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (lambda: None, "the function returned a NoneType, not an iterator of blocks"),
        (lambda: pd.DataFrame({"x": [1.0]}), "the function returned a DataFrame, not an iterator"),
        ([{"x": 1.0}, {"x": 2.0}], "a block is a dict of single values, not of columns"),
    ],
)
def test_what_is_not_a_list_of_blocks_is_named(source, message):
    with pytest.raises(tw.DataError, match=message):
        tw.scan(source).read()


def test_a_column_name_must_be_a_string(frame):
    for names in ({"target": 3}, {"weights": ["w"]}):
        with pytest.raises(tw.ParameterError, match="hint: give the name of a column"):
            tw.scan([frame], **names)


def test_weights_may_be_booleans(frame):
    some = frame.assign(used=frame["size"] > 0)
    X, y = tw.read_table(some.drop(columns="used"), target="kind")
    check_same(tw.scan([some], target="kind", weights="used"), X, y, some["used"])


def test_a_target_without_values_in_a_file_is_missing_there(tmp_path):
    (tmp_path / "1.csv").write_text("x,y\n1,0.5\n2,1.5\n")
    (tmp_path / "2.csv").write_text("x,y\n1,\n2,\n")
    with pytest.raises(tw.DataError, match=r"2\.csv, block 1: target `y` contains NaN or None"):
        tw.CARTRegressor().fit(tw.scan(tmp_path / "*.csv", target="y"))


def test_classes_of_different_types_in_blocks_are_refused():
    blocks = [([[1.0], [2.0]], [True, False]), ([[1.0], [2.0]], [1, 2])]
    with pytest.raises(tw.DataError, match="target `y` holds"):
        tw.CARTClassifier().fit(tw.scan(blocks))


def test_units_of_several_files(tmp_path):
    (tmp_path / "1.csv").write_text("load\n" + "1\n2\n" * 5)
    (tmp_path / "2.csv").write_text("load\n" + "1 kg\n2 kg\n" * 5)
    for read in (tw.read_table, lambda path: tw.scan(path).read()[0]):
        assert read(tmp_path / "*.csv")["load"].format.sign == "kg"
    (tmp_path / "3.csv").write_text("load\n" + "1 lb\n2 lb\n" * 5)
    for read in (tw.read_table, lambda path: tw.scan(path).read()[0]):
        with pytest.raises(tw.DataError, match="is in `kg` in some rows, but in `lb`"):
            read(tmp_path / "*.csv")


@pytest.mark.parametrize("new", [2.5, 4.0])
def test_numbers_that_are_new_in_a_later_pass(monkeypatch, new):
    monkeypatch.setattr(ScannedTable, "most_rows_read", 0)
    values = iter([3.0, new, new, new])

    def blocks():
        yield pd.DataFrame({"a": [1.0, 2.0, next(values)], "y": ["u", "v", "u"]})

    model = tw.RandomForestClassifier(n_estimators=2, categorical_features=["a"])
    with pytest.raises(tw.DataError, match=f"column `a` holds `{new:g}`, which was not there"):
        model.fit(tw.scan(blocks, target="y"))


def test_categories_of_blocks_with_and_without_an_order():
    strings = pd.DataFrame({"c": ["x", "y"]})
    declared = pd.DataFrame({"c": pd.Categorical(["b", "a"], ["b", "a"])})
    assert tw.scan([strings, declared]).read()[0]["c"].levels == ("b", "a", "x", "y")
    ordered = pd.DataFrame({"c": pd.Categorical(["b", "a"], ["b", "a"], ordered=True)})
    with pytest.raises(tw.DataError, match="ordered in some blocks only, and `x` has no place"):
        tw.scan([ordered, strings]).read()


def test_weights_are_checked_as_in_memory():
    frame = pd.DataFrame({"a": [1.0, 2.0], "y": [1.0, 2.0]})
    dates = pd.to_datetime(["2024-01-01", "2024-01-02"])
    with pytest.raises(DataTypeError, match="block 1: the weights in `w` has dtype datetime64"):
        tw.scan([frame.assign(w=dates)], target="y", weights="w").read()
    unknown = pd.array([True, None], dtype="boolean")
    with pytest.raises(DataTypeError, match="block 1: the weights in `w`, row 1: None"):
        tw.scan([frame.assign(w=unknown)], target="y", weights="w").read()


def test_the_target_that_is_read_keeps_its_format(tmp_path):
    (tmp_path / "t.csv").write_text("a,price\n" + "".join(f"{i},${i % 3 + 1}\n" for i in range(60)))
    X, y = tw.read_table(tmp_path / "t.csv", target="price")
    scan = tw.scan(tmp_path / "t.csv", target="price", block_rows=7)
    model = tw.CARTRegressor().fit(X, y)
    assert tw.CARTRegressor().fit(*scan.read()).export_text() == model.export_text()
    assert "$" in model.export_text()


@pytest.mark.parametrize("name", ["*.csv", "."])
def test_a_pattern_in_a_list_of_files(tmp_path, name):
    (tmp_path / "1.csv").write_text("a\n1\n")
    with pytest.raises(tw.ParameterError, match="in the list of files is not one file"):
        tw.scan([tmp_path / "1.csv", tmp_path / name])


def test_only_folders_below_the_folder_are_keys(frame, tmp_path):
    folder = tmp_path / "run=1"
    folder.mkdir()
    for at in range(3):
        frame.to_parquet(folder / f"{at}.parquet")
    assert len(tw.scan(folder).parts()) == 3
    assert tw.scan(folder).read()[0].names == tw.read_table(folder).names == (*frame.columns,)
