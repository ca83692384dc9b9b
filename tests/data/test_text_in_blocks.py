"""Text files in blocks mean what they mean when they are read at once."""

import json
import warnings
import zipfile

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.scan import stored_rows
from treewright.data.sources import blocks
from treewright.data.sources.from_csv import ReadSettings

CELLS = (
    *("", "1", "2.5", "x", "NA", "unknown", "007", "Y", "yes", "no", "-", "true", "beta", "inf"),
    *("(13)", "1.5 kg", "2 lb", "5 ms", "5 m", "$5", "5%", "1k", "1e3", "10:30", "€1.251,50"),
    *("1.234", "2.000", "1.234,5", "1,234.5", "1,26", "01,5", "01000", "1 234", "1.1"),
    *("2024-01-05", "2024-01-05 10:00", "2024-01-05 10:00:00.5"),
    *("13.01.2024", "1.2.2024", "01/02/2024", "Mar 2020"),
)
Runs = list[tuple[str, int]]


def runs(*, most):
    """Cells, and how often each occurs one after the other."""
    return st.lists(st.tuples(st.sampled_from(CELLS), st.integers(1, 9)), min_size=1, max_size=most)


def table_or_error(read):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read()
        except tw.DataError:
            return None


@given(
    st.lists(runs(most=5), min_size=1, max_size=2),
    st.sampled_from(",;"),
    st.sampled_from([24, 40, 100]),
    st.booleans(),
)
@example([[("1", 9), ("unknown", 9)]], ",", 40, True)
@example([[("x", 5), ("NA", 9), ("x", 1)]], ",", 40, False)
@example([[("Y", 3), ("no", 3), ("yes", 9)]], ",", 40, True)
@example([[("2.000", 30), ("1.234,5", 6)]], ";", 100, False)
@example([[("1.1", 30), ("beta", 6)]], ",", 100, True)
@example([[("1.234", 8), ("1e3", 9), ("(13)", 8)]], ";", 40, False)
@example([[("NA", 3), ("2024-01-05 10:00", 6)]], ";", 24, False)
@example([[("2.000", 30), ("1.234,5", 6)], [("5", 9)]], ";", 100, False)
@example([[("01,5", 6), ("", 9)]], ";", 24, True)
def test_they_are_the_table_that_is_read_at_once(
    tmp_path_factory, files, delimiter, size, is_target
):
    folder = tmp_path_factory.mktemp("text")
    for at, cells in enumerate(files):
        quoted = [(f'"{cell}"' if delimiter in cell else cell, n) for cell, n in cells]
        lines = [f"{cell}{delimiter}1\n" * n for cell, n in quoted]
        (folder / f"{at}.csv").write_text(f"a{delimiter}b\n" + "".join(lines))
    path = folder / ("0.csv" if len(files) == 1 else "*.csv")
    target = "a" if is_target else None
    at_once = table_or_error(lambda: tw.read_table(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", size)
        scanned = table_or_error(lambda: tw.scan(path, target=target).read())
    assert (scanned is None) == (at_once is None)
    if scanned is not None and is_target:
        found, expected = pd.Series(scanned[1]), pd.Series(at_once.split_target("a")[1])
        assert found.isna().equals(expected.isna())
        assert found.dropna().tolist() == expected.dropna().tolist()
    elif scanned is not None:
        assert scanned[0].same_as(at_once), (scanned[0]["a"], at_once["a"])


def test_a_class_target_that_begins_with_numbers(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("x,version\n" + "1,1.1\n2,1.2\n" * 30 + "3,beta\n" * 9)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 100)
    model = tw.CARTClassifier().fit(tw.scan(path, target="version"))
    assert model.classes_.tolist() == ["1.1", "1.2", "beta"]
    (tmp_path / "2.csv").write_text("x,version\n" + "1,1.1\n2,1.2\n" * 30)
    with pytest.raises(tw.DataError, match=r"2\.csv, block 1: Unknown label type: continuous"):
        tw.CARTClassifier().fit(tw.scan(tmp_path / "2.csv", target="version"))
    classes = tw.CARTClassifier().fit(tw.scan(tmp_path / "*.csv", target="version")).classes_
    assert classes.tolist() == ["1.1", "1.2", "beta"]


def test_warnings_are_those_of_the_types_that_are_used(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "5%\n7%\n" * 75 + "bad\n" + "5%\n" * 349)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 40)
    with pytest.warns(UserWarning, match="not fit") as warned:
        tw.scan(path).read()
    (message,) = [str(one.message) for one in warned if "fit" in str(one.message)]
    assert "1 cell does not fit and counts as missing, first `bad` in row 150" in message


def test_an_archive_with_blocks_of_rows(tmp_path):
    text = "a,b\n" + "x,1\n" * 5 + ",2\n" * 5 + "y,3\n" * 5
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", text)
    (tmp_path / "t.csv").write_text(text)
    scan = tw.scan(tmp_path / "t.zip", block_rows=5)
    assert scan.read()[0].same_as(tw.read_table(tmp_path / "t.csv"))


@pytest.mark.parametrize("size", [60, 10**6])
def test_late_keys_of_one_file_are_not_keys_of_another(tmp_path, monkeypatch, size):
    rows = [{"a": 1}] * 9 + [{"a": 2, "b": 3}]
    (tmp_path / "1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "2.jsonl").write_text('{"a": 1}\n' * 9)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    assert tw.scan(tmp_path / "1.jsonl").read()[0].names == ("a", "b")
    with pytest.raises(tw.DataError, match=r"2\.jsonl has no column `b`"):
        tw.scan(tmp_path / "*.jsonl").read()


@pytest.mark.parametrize(("name", "text"), [("2.csv", "\n"), ("2.csv", "a\n"), ("2.jsonl", "\n")])
def test_empty_files_are_skipped(tmp_path, name, text):
    first = tmp_path / name.replace("2", "1")
    first.write_text("a\n1\n2\n" if name.endswith("csv") else '{"a": 1}\n{"a": 2}\n')
    (tmp_path / name).write_text(text)
    (tmp_path / name.replace("2", "3")).write_text(text)
    pattern = tmp_path / f"*.{name.partition('.')[2]}"
    for table in (tw.read_table(pattern), tw.scan(pattern).read()[0]):
        assert table["a"].values.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("1 ms", "1 m"), "is in `ms` in some rows, but in `m` in others"),
        (("5 MW", "5 mW"), "is in `MW` in some rows, but in `mW` in others"),
        (("€1,251.50", "€1,26"), "is written as €1234,5 in some rows, but as €1,234.5 in others"),
    ],
)
def test_files_in_other_units_or_formats_are_refused(tmp_path, cells, message):
    for at, cell in enumerate(cells):
        (tmp_path / f"{at}.csv").write_text("a\n" + f'"{cell}"\n' * 9)
    for read in (tw.read_table, lambda path: tw.scan(path).read()):
        with pytest.raises(tw.DataError, match=message):
            read(tmp_path / "*.csv")


@given(
    st.lists(
        st.tuples(st.sampled_from([*CELLS, 1, 2.5, 1.0, None, 1e3, 1e20]), st.integers(1, 9)),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([60, 200]),
)
@example([("5%", 150), ("bad", 1)], 60)
@example([("007", 9), ("1", 9)], 60)
@example([("007", 9), (1e20, 9)], 60)
def test_text_in_json_lines_is_read_as_that_of_csv(tmp_path_factory, cells, size):
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    path.write_text("".join((json.dumps({"a": cell, "b": 1}) + "\n") * n for cell, n in cells))
    at_once = table_or_error(lambda: tw.read_table(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", size)
        scanned = table_or_error(lambda: tw.scan(path).read())
    assert (scanned is None) == (at_once is None)
    if scanned is not None:
        assert scanned[0].same_as(at_once), (scanned[0]["a"], at_once["a"])


def written(path, **columns):
    """A file separated by semicolons, of columns that are given by their cells."""
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([";".join(columns), *map(";".join, rows)]) + "\n")
    return path


THOUSANDS = ["1.000", "2.000"] * 20 + ["1.234,5", "2.234,5"] * 20


def test_scores_and_weights_have_the_formats_of_the_file(tmp_path, monkeypatch):
    numbers = [*map(str, range(80))]
    path = written(tmp_path / "t.csv", x=numbers, y=THOUSANDS, w=THOUSANDS)
    X, y = tw.read_table(path, target="y")
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 100)
    scan = tw.scan(path, target="y")
    model = tw.CARTRegressor(prune=None).fit(scan)
    assert model.score(scan) == model.score(X, y) == 1
    assert tw.scan(path, target="y", weights="w").read()[2].sum() == y.sum()


def test_weights_with_a_cell_that_is_no_number(tmp_path, monkeypatch):
    path = written(tmp_path / "t.csv", x=["1"] * 100, w=["2"] * 99 + ["abc"])
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 100)
    weights = tw.scan(path, weights="w").read()[2]
    assert weights[:99].tolist() == [2] * 99
    assert pd.isna(weights[99])


def test_predictions_of_blocks_have_the_types_of_the_model(tmp_path, monkeypatch):
    cells = ["5%", "7%"] * 30 + ["5", "7"] * 2
    path = written(tmp_path / "t.csv", a=cells, y=["u", "v"] * 32)
    X, y = tw.read_table(path, target="y")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 40)
    scan = tw.scan(path, target="y")
    assert model.predict(scan).tolist() == model.predict(X).tolist()
    assert model.score(scan) == 1


def test_several_files_with_late_keys(tmp_path, monkeypatch):
    for at in range(4):
        rows = [{"a": 1}] * 12 + [{"a": 1, "x": at}] * 8 + [{}]
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    at_once = tw.read_table(tmp_path / "*" / "t.jsonl")
    n_opened = []
    reading = blocks.table_from_json
    monkeypatch.setattr(
        blocks,
        "table_from_json",
        lambda block, *args, **named: n_opened.append(1) or reading(block, *args, **named),
    )
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 60)
    assert tw.scan(tmp_path / "*" / "t.jsonl").read()[0].same_as(at_once)
    assert len(n_opened) < 4 * len(at_once)


def test_booleans_beside_nulls_are_booleans(tmp_path, monkeypatch):
    path = tmp_path / "t.jsonl"
    rows = [{"b": None, "c": 1}] * 20 + [{"b": True, "c": 1}, {"b": False, "c": 1}] * 9
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 60)
    assert tw.scan(path).read()[0]["b"].levels == (False, True)


def test_columns_that_need_all_cells_one_after_the_other(tmp_path, monkeypatch):
    n = 30
    a = ["1"] * n + ["x"] * n + ["1"] * n
    b = ["13.01.2024"] * 2 * n + ["01.14.2024"] * n
    path = written(tmp_path / "t.csv", a=a, b=b)
    at_once = tw.read_table(path)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 100)
    assert tw.scan(path).read()[0].same_as(at_once)


@pytest.mark.parametrize(
    ("cells", "n_passes"),
    [
        ([str(at / 4) for at in range(199)] + ["-"], 2),  # plain numbers mean the same beside it
        ([""] * 20 + ["2024-01-05"] * 180, 2),
        ([str(at) for at in range(199)] + ["x"], 4),
    ],
)
def test_files_are_not_read_more_often_than_needed(tmp_path, monkeypatch, cells, n_passes):
    path = tmp_path / "t.csv"
    names = [f"c{at}" for at in range(5)]
    shifted = [cells[at:] + cells[:at] for at in range(5)]
    rows = zip(*shifted, strict=True)
    path.write_text("\n".join([",".join(names), *map(",".join, rows)]) + "\n")
    opened = []
    reading = blocks.stream_blocks
    monkeypatch.setattr(blocks, "stream_blocks", lambda *args: opened.append(1) or reading(*args))
    at_once = tw.read_table(path)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 200)
    assert tw.scan(path).read()[0].same_as(at_once)
    assert len(opened) == n_passes


def test_columns_of_a_model_keep_their_types(tmp_path, monkeypatch):
    cells = ["yes", "no"] * 9
    X, y = tw.read_table(written(tmp_path / "a.csv", n=cells, y=["u", "v"] * 9), target="y")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    path = written(tmp_path / "b.csv", n=["Yes"] * 9 + [""] * 9 + ["NO"] * 9, y=["u"] * 27)
    expected = model.predict(tw.read_table(path, target="y", schema=model.state_.schema)[0])
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 30)
    rows = stored_rows(str(path), ReadSettings(schema=model.state_.schema)).drop("y")
    assert model.predict(rows).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("one", "other"), [("Euro", "euro"), ("kr", "kr."), ("Rs", "Rs."), ("lb", "lbs"), ("MB", "mb")]
)
def test_spellings_of_one_unit_are_one(tmp_path, one, other):
    for at, unit in enumerate((one, other)):
        (tmp_path / f"{at}.csv").write_text("a\n" + "".join(f"{i} {unit}\n" for i in range(9)))
    for table in (tw.read_table(tmp_path / "*.csv"), tw.scan(tmp_path / "*.csv").read()[0]):
        assert table["a"].values.tolist() == [*range(9), *range(9)]


def test_round_thousands_have_the_format_of_the_model(tmp_path):
    price = ["1.250,5", "2.000", "3.125,5", "900"] * 5
    path = written(tmp_path / "train.csv", price=price, y=["u", "v"] * 10)
    model = tw.CARTClassifier().fit(*tw.read_table(path, target="y"))
    schema = model.state_.schema
    new = written(tmp_path / "new.csv", price=["1.250", "2.000"], y=["u", "v"])
    assert tw.read_table(new, schema=schema)["price"].values.tolist() == [1250, 2000]
    plain = written(tmp_path / "plain.csv", price=["1250.5", "900"], y=["u", "v"])
    assert tw.read_table(plain, schema=schema)["price"].values.tolist() == [1250.5, 900]
