"""The printed worksheet: the lecture tables word for word, odd names, abridged where large."""

from pathlib import Path

import pytest

import treewright as tw

GOLDEN = Path(__file__).parents[1] / "files" / "worksheets"
LECTURE_TABLES = ("tennis", "golf", "weekend", "buys_computer", "shapes")


def a_sheet(name: str) -> tw.Worksheet:
    X, y = tw.load_sample(name)
    return tw.worksheet(tw.ID3Classifier().fit(X, y), X, y, measures=["gain_ratio", "gini_gain"])


@pytest.mark.parametrize("name", LECTURE_TABLES)
def test_lecture_tables_print_as_they_did(name):
    expected = (GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    assert a_sheet(name).to_markdown() + "\n" == expected


def test_decimals_are_those_asked_for():
    assert "0.2467498198" in a_sheet("tennis").to_text(decimals=10)
    assert "0.247" in a_sheet("tennis").to_text(decimals=3)


def test_steps_choose_what_is_shown():
    sheet = a_sheet("tennis")
    assert "remainder" not in sheet.to_text(steps="summary")
    assert "Node 1" not in sheet.to_text(steps=[0])
    with pytest.raises(tw.ParameterError, match="node 99"):
        sheet.to_text(steps=[99])
    with pytest.raises(tw.ParameterError, match="steps"):
        sheet.to_text(steps="everything")


def test_a_large_tree_is_abridged():
    X = [[float(number)] for number in range(200)]
    y = [number % 2 for number in range(200)]
    sheet = tw.worksheet(tw.CARTClassifier().fit(X, y), X, y)
    text = sheet.to_text()
    assert text.count("\nNode ") == 30
    assert "more nodes" in text


def test_an_unknown_measure_names_the_nearest():
    X, y = tw.load_sample("tennis")
    with pytest.raises(tw.ParameterError, match="gain_ratio"):
        tw.worksheet(tw.ID3Classifier().fit(X, y), X, y, measures=["gain_ration"])


def test_odd_names_are_never_markup():
    X = [{"<script>": "a|b"}, {"<script>": "$x_1$"}, {"<script>": "a|b"}]
    y = ["<b>", "\\end{document}", "<b>"]
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    assert "<script>" not in sheet.to_html()
    outside_of_listings = sheet.to_markdown().split("```")[::2]
    assert "<script>" not in "".join(outside_of_listings)
    assert sheet.to_latex().count(r"\end{document}") == 1
