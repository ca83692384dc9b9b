"""`--sql`: a query over whatever can be a table."""

import io
import json

import pytest

pytest.importorskip("duckdb")

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


@pytest.mark.parametrize("query", ["SELECT * FROM t WHERE word = 'z'", "DROP VIEW t"])
def test_a_query_without_rows_is_no_table(treewright, tmp_path, query):
    (tmp_path / "t.csv").write_text(TEXT)
    run = treewright("columns", "t.csv", "--sql", query)
    assert (run.code, run.out) == (3, "")
    assert "the query returns no rows" in run.err
