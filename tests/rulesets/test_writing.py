"""Rules as text, Markdown, LaTeX, CSV, JSON and tables, whatever names a table has."""

import csv
import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from exports.export_models import EXPORT_MODELS, ODD_NAMES, fitted
from treewright.rulesets.sheet import mark_number
from treewright.tree.escaping import latex, markdown


def tennis_rules(model=None):
    X, y = tw.load_sample("tennis")
    return tw.rules((model or tw.C45Classifier()).fit(X, y))


def risky_rules():
    """Rules whose texts begin as a formula does."""
    X = {"=cmd|' /C calc'!A0": ["+1", "-1", "@x", "＝y"] * 5, "x": np.arange(20.0)}
    y = ["=1+1", "-2", "@sum", "plain"] * 5
    return tw.rules(tw.ID3Classifier().fit(X, y))


def test_marks_go_on_after_z():
    assert [mark_number(n) for n in (0, 25, 26, 27, 701, 702)] == [
        "a",
        "z",
        "aa",
        "ab",
        "zz",
        "aaa",
    ]


def test_text_has_a_line_for_each_rule_and_footnotes():
    lines = tennis_rules().to_text().splitlines()
    assert lines[0].startswith("R1: if outlook = Sunny [a] and humidity = High [b] then No  (")
    assert lines[0].endswith("(3 rows, confidence 1.00 [0.44, 1.00], lift 2.8)")
    assert lines[5:8] == [
        "",
        "A missing value fulfills no condition unless marked.",
        "[a] if missing, 35.7 % of the row passes",
    ]


def test_nodes_that_answer_holes_stand_below_the_rules():
    text = tennis_rules(tw.ID3Classifier()).to_text()
    assert text.endswith("if outlook = Rain and wind missing then Yes")


def test_a_tree_of_one_leaf_always_answers():
    rules = tw.rules(tw.C45Classifier().fit([[1.0], [2.0]], ["a", "a"]))
    assert rules.to_text() == "R1: always a  (2 rows, confidence 1.00 [0.34, 1.00], lift 1)"
    assert "always" in rules.to_markdown()


def test_markdown_is_a_table_with_as_many_cells_in_each_line():
    table = tennis_rules().to_markdown().split("\n\n")[0].splitlines()
    assert len(table) == 7
    assert {line.count("|") for line in table} == {9}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_no_name_breaks_out_of_markdown_or_latex(name):
    assert "|" not in markdown(name).replace("\\|", "")
    escaped = latex(name)
    for sign in "&%$#_":
        assert sign not in escaped.replace(f"\\{sign}", "")


def test_latex_escapes_what_latex_would_run():
    assert latex(r"\input{x} 5% a_b <c>") == (
        r"\textbackslash{}input\{x\} 5\% a\_b \textless{}c\textgreater{}"
    )


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_every_model_can_be_written_in_every_form(name):
    rules = tw.rules(fitted(name))[:200]
    content = json.loads(rules.to_json())
    assert len(content["rules"]) == len(rules)
    assert len(rules.to_text().splitlines()) >= len(rules)
    assert len(list(csv.reader(io.StringIO(rules.to_csv())))) == len(rules) + 1
    assert len(rules.to_frame()) == len(rules.to_polars()) == len(rules)
    assert rules.to_markdown()
    assert rules.to_latex()


def test_T52_cells_that_a_spreadsheet_would_run_are_made_harmless():
    rules = risky_rules()
    rows = list(csv.DictReader(io.StringIO(rules.to_csv())))
    cells = {cell for row in rows for cell in row.values()}
    assert {"'=1+1", "'-2", "'@sum", "plain"} <= {row["then"] for row in rows}
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝")) for cell in cells)


def test_T52_raw_leaves_cells_as_they_are():
    rows = list(csv.DictReader(io.StringIO(risky_rules().to_csv(raw=True))))
    assert {"=1+1", "-2", "@sum", "plain"} <= {row["then"] for row in rows}


def test_numbers_in_csv_are_numbers():
    y = np.repeat([-3.5, 2.0], 5)
    rules = tw.rules(tw.CARTRegressor(prune=None).fit(np.arange(10.0)[:, np.newaxis], y))
    rows = list(csv.DictReader(io.StringIO(rules.to_csv())))
    assert [row["then"] for row in rows] == ["-3.5", "2"]


def test_json_tells_bounds_levels_and_missing_routes():
    X = {"x": [1.0, 2.0, 3.0, 3.0] * 5, "color": ["red", "blue"] * 10}
    y = ["a", "a", "b", "c"] * 5
    content = json.loads(tw.rules(tw.C45Classifier().fit(X, y)).to_json())
    conditions = [condition for rule in content["rules"] for condition in rule["conditions"]]
    assert {"column": "x", "at_most": 2.0, "if_missing": [{"share": 0.5}]} in conditions
    assert any(condition.get("levels") == ["blue"] for condition in conditions)


def test_frames_have_one_row_for_each_rule():
    frame = tennis_rules().to_frame()
    assert list(frame["then"]) == ["No", "Yes", "Yes", "Yes", "No"]
    assert frame["confidence"].tolist() == [1.0] * 5
    assert frame["weight"].sum() == 14


@pytest.mark.parametrize("n_rules", [0, 5])
def test_frames_hold_words_as_texts_and_rows_as_whole_numbers(n_rules):
    rules = tennis_rules()[:n_rules]
    by_polars, by_pandas = rules.to_polars(), rules.to_frame()
    for name in ("rule", "if", "then", "missing"):
        assert by_polars.schema[name] == pl.String
        assert not isinstance(by_pandas[name].dtype, pd.CategoricalDtype)
    assert by_polars.schema["rows"] == pl.Int64
    assert by_pandas["rows"].dtype == np.int64
    assert by_polars["rows"].to_list() == by_pandas["rows"].tolist()
