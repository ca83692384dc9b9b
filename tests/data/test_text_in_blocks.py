"""Text files in blocks mean what they mean when they are read at once."""

import json
import warnings
import zipfile

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import treewright as tw
from treewright.data.sources import blocks

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
