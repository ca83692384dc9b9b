"""`--sql`: a query over whatever can be a table."""

import io
import json
import warnings

import numpy as np
import pytest

from machine import imported
from treewright import read_table
from treewright.cli.tables import TableOptions
from treewright.data.samples import sample_names

imported("duckdb")

ALL = "SELECT * FROM t"
TEXT = "size,word,ok\n1,a,yes\n2,b,no\n?,c,yes\n"


def kinds(run):
    assert run.code == 0, run.err
    return {line["name"]: line["kind"] for line in json.loads(run.out)}


@pytest.fixture
def files(tmp_path):
    import gzip

    import polars

    (tmp_path / "t.csv").write_text(TEXT)
    (tmp_path / "t.tsv").write_text(TEXT.replace(",", "\t"))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    polars.read_csv(TEXT.encode()).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.arff").write_text(
        "@relation t\n@attribute size string\n@attribute word string\n@attribute ok {yes,no}\n"
        "@data\n1,a,yes\n2,b,no\n?,c,yes\n"
    )


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.arff"])
def test_every_kind_of_file_can_be_queried(treewright, files, name):
    words = ["--sql", ALL, "--na", "?", "--numeric", "size", "--json"]
    found = kinds(treewright("columns", name, *words))
    assert found == {"size": "numeric", "word": "nominal", "ok": "nominal"}


ODD_FILES = {
    "words for missing": (
        "t.csv",
        "x,zip,y\n" + "".join(f"{n},0{n}000,a\n" for n in range(9)) + "NA,,b\n",
    ),
    "odd quotes": ("t.csv", 'pipe,n\n"a,b",1\n5" pipe,2\n"say ""hi""",3\n'),
    "decimal points": ("t.csv", "a;b;when\n1.5;x;2024-01-31\n;;\n2;y;2024-02-29\n"),
    "moments": ("t.csv", "when,b\n2024-01-31 10:15,true\n2024-01-31 10:16,false\n"),
    "tabs and a BOM": ("t.tsv", "\ufeffb\tempty\n Z \t\nA\t\n"),
    "large numbers": ("t.csv", "n,m\n9007199254740993,1\n-1,inf\n"),
    "declared levels": ("t.arff", "@relation t\n@attribute a {z,y,x}\n@data\ny\n?\nz\n"),
}


def same_tables(one, other):
    assert one.names == other.names
    for left, right in zip(one.columns, other.columns, strict=True):
        np.testing.assert_array_equal(left.to_numpy(), right.to_numpy())
        for fact in ("kind", "origin", "caution", "levels", "declared", "unit"):
            assert getattr(left, fact, None) == getattr(right, fact, None), (left, fact)


@pytest.mark.parametrize("wish", [{}, {"na": ["2", "NA"]}, {"categorical": 1}])
@pytest.mark.parametrize("name", ODD_FILES)
def test_a_query_for_all_rows_changes_nothing(tmp_path, name, wish):
    file, text = ODD_FILES[name]
    path = tmp_path / file
    path.write_text(text)
    if wish == {"categorical": 1}:
        wish = {"categorical": [read_table(path).names[-1]]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = TableOptions(**wish).read(str(path))
        asked = TableOptions(**wish, sql=ALL).read(str(path))
    same_tables(asked, whole)


@pytest.mark.parametrize("name", sample_names())
def test_a_query_for_all_rows_of_a_sample_changes_nothing(name):
    same_tables(TableOptions(sql=ALL).read(name), TableOptions().read(name))


def test_a_parquet_file_is_the_same_by_a_query(tmp_path):
    polars = imported("polars")
    frame = {
        "size": polars.Series(["s", "l", None], dtype=polars.Enum(["l", "m", "s"])),
        "ok": [True, None, False],
        "when": polars.Series([0, 1, None]).cast(polars.Date),
        "nothing": [None, None, None],
    }
    polars.DataFrame(frame).write_parquet(tmp_path / "t.parquet")
    source = str(tmp_path / "t.parquet")
    same_tables(TableOptions(sql=ALL).read(source), TableOptions().read(source))


def test_columns_that_a_query_makes_are_what_it_makes_of_them(tmp_path):
    (tmp_path / "t.csv").write_text("x,word\n1,b\n2,a\nNA,b\n")
    query = "SELECT x // 2 AS half, word || '!' AS word, x::VARCHAR AS x FROM t WHERE x IS NOT NULL"
    options = TableOptions(sql=query, categorical=["half"], numeric=["x"])
    table = options.read(str(tmp_path / "t.csv"))
    assert table["half"].levels == (0, 1)
    assert table["word"].levels == ("b!", "a!")
    assert table["x"].values.tolist() == [1.0, 2.0]


def test_a_model_reads_the_words_that_it_knows_by_a_query_too(treewright, tmp_path):
    rows = "".join(f"0{n}000,{'no' if n < 5 else 'yes'}\n" for n in range(1, 9)) * 3
    (tmp_path / "t.csv").write_text("zip,y\n" + rows)
    treewright("train", "t.csv", "-t", "y", "--categorical", "zip", "--out", "m.json")
    whole = treewright("predict", "m.json", "t.csv", "--proba")
    asked = treewright("predict", "m.json", "t.csv", "--proba", "--sql", ALL)
    assert (asked.out, asked.err) == (whole.out, whole.err)


def test_samples_and_the_standard_input_can_be_queried(treewright, monkeypatch):
    query = "SELECT outlook, count(*) AS n, sum(1.5) AS s FROM t GROUP BY outlook"
    found = kinds(treewright("columns", "tennis", "--sql", query, "--json"))
    assert found == {"outlook": "nominal", "n": "numeric", "s": "numeric"}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert kinds(treewright("columns", "-", "--sql", "SELECT word FROM t", "--json")) == {
        "word": "nominal"
    }


def test_yes_and_no_stay_the_classes_that_they_are(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,ok\n" + "1,yes\n2,no\n" * 10)
    by_query = treewright("train", "t.csv", "--sql", ALL, "-t", "ok", "--json")
    assert json.loads(by_query.out)["classes"] == ["no", "yes"]
    treewright("train", "t.csv", "-t", "ok", "--out", "m.json")
    run = treewright("predict", "m.json", "t.csv", "--sql", "SELECT * FROM t WHERE x > 1")
    assert run.out == "prediction\n" + "no\n" * 10


@pytest.mark.parametrize("query", ["SELEC x FROM t", "SELECT nosuch FROM t", "SELECT * FROM u"])
def test_a_wrong_query_gets_one_line(treewright, tmp_path, query):
    (tmp_path / "t.csv").write_text(TEXT)
    run = treewright("columns", "t.csv", "--sql", query)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("error: --sql: ")
    assert run.err.count("\n") == 2


@pytest.mark.parametrize("query", ["SELECT * FROM t WHERE word = 'z'", "DROP TABLE rows"])
def test_a_query_without_rows_is_no_table(treewright, tmp_path, query):
    (tmp_path / "t.csv").write_text(TEXT)
    run = treewright("columns", "t.csv", "--sql", query)
    assert (run.code, run.out) == (3, "")
    assert "the query returns no rows" in run.err


FORBIDDEN = {
    "write": "COPY t TO 'stolen.csv'",
    "write over the input": "COPY t TO 't.csv' (use_tmp_file false)",
    "write all": "EXPORT DATABASE 'stolen'",
    "write a database": "ATTACH 'stolen.db'",
    "write a log": "CALL enable_logging(storage_path='stolen')",
    "write a profile": "PRAGMA profiling_output='stolen'",
    "write a secret": "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'a')",
    "write to the terminal": "COPY t TO '/dev/stdout'",
    "read text": "SELECT * FROM read_text('t.csv')",
    "read bytes": "SELECT * FROM read_blob('t.csv')",
    "read a table": "SELECT * FROM 't.csv'",
    "read through a query": "SELECT * FROM query('SELECT * FROM read_text(''t.csv'')')",
    "list files": "SELECT * FROM glob('*')",
    "read the environment": "SELECT getenv('HOME')",
    "read a variable of Python": "SELECT * FROM table",
    "the network": "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
    "the network with an extension": "SELECT * FROM read_parquet('s3://bucket/x.parquet')",
    "get an extension": "INSTALL httpfs",
    "load an extension": "LOAD httpfs",
    "open it again": "SET enable_external_access = true",
    "unlock it": "SET lock_configuration = false",
    "allow a path": "SET allowed_paths = ['t.csv']",
    "several statements": "SELECT 1; COPY t TO 'stolen.csv'",
}


@pytest.mark.parametrize("query", FORBIDDEN.values(), ids=FORBIDDEN)
def test_a_query_reaches_no_file_no_network_and_no_setting(treewright, tmp_path, query):
    (tmp_path / "t.csv").write_text(TEXT)
    run = treewright("columns", "t.csv", "--sql", query)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("error: --sql: ")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    assert (tmp_path / "t.csv").read_text() == TEXT


def test_a_query_opens_no_connection(treewright, tmp_path):
    """A server of our own hears nothing, whichever way it is asked for."""
    import socket

    (tmp_path / "t.csv").write_text(TEXT)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        for reader in ("read_csv", "read_parquet", "read_json", "read_text"):
            run = treewright("columns", "t.csv", "--sql", f"SELECT * FROM {reader}('{address}')")
            assert run.code == 2
            assert "hint: a query reads the table `t` only" in run.err
        with pytest.raises(TimeoutError):
            server.accept()


def test_a_query_may_sort_more_than_fits_in_memory_and_leaves_nothing(tmp_path, monkeypatch):
    """What does not fit goes to a folder of its own, which is gone afterwards."""
    from treewright.cli import queries

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(queries, "CLOSED", {"memory_limit": "'60MB'", **queries.CLOSED})
    table = read_table(io.StringIO("x\n" + "".join(f"{n}\n" for n in range(1000))))
    query = "SELECT max(s) AS s FROM (SELECT a.x || repeat('y', 60) AS s FROM t a, t b ORDER BY s)"
    assert queries.query_result(query, table).n_rows == 1
    assert list(tmp_path.iterdir()) == []
