"""The printed worksheet: the lecture tables word for word, odd names, abridged where large."""

import io
import re
from pathlib import Path

import pytest

import treewright as tw
from machine import imported
from treewright.documents.page import Heading, Listing

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


def test_a_summary_lists_its_leaves_in_one_table():
    text = a_sheet("weekend").to_markdown(steps="summary")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Node 0: root",
        "## Node 1: weather = Sunny",
        "## Node 2: weather = Windy",
        "## Node 3: weather = Rainy",
        "## Node 7: weather = Windy and parents = No",
        "## Leaves",
        "## The tree",
        "## As rules",
    ]
    assert "| 5 | weather = Sunny and parents = No | 2 rows: 2 Tennis | Tennis |" in text


@pytest.mark.parametrize("steps", [[True], [1.0], ["0"], [-1], -1, 8])
def test_nodes_that_are_not_there_are_named(steps):
    with pytest.raises(tw.ParameterError, match="steps names"):
        a_sheet("tennis").to_text(steps=steps)


@pytest.mark.parametrize("decimals", [-1, 16, 2.0, True, "4"])
def test_impossible_decimals_are_refused(decimals):
    with pytest.raises(tw.ParameterError, match="decimals"):
        a_sheet("tennis").to_text(decimals=decimals)


@pytest.mark.parametrize("decimals", [0, 1, 7, 15])
def test_decimals_reach_into_tables_and_weights(decimals):
    X = [{"a": value} for value in ("x", "y", "x", "y", "x", "y", "x")]
    weights = [1 / 3, 1, 2 / 3, 1, 1, 1.5, 1.5]  # their mean is 1
    y = ["p", "q", "q", "q", "p", "p", "p"]
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y, weights), X, y, weights)
    found = sheet.nodes[0].candidates[0].branches[0].impurity
    text = sheet.to_text(decimals=decimals, width=1000)
    assert f" {found:.{decimals}f}\n" in text
    assert "0.67" in text if decimals < 2 else f"{2 / 3:.{decimals}f}" in text


def test_a_node_is_worked_out_by_its_number_alone():
    sheet = a_sheet("tennis")
    assert sheet.to_text(steps=1) == sheet.to_text(steps=[1])


def test_a_hundred_classes_are_abridged():
    X = [{"a": float(number)} for number in range(300)]
    y = [f"class {number % 100:02}" for number in range(300)]
    sheet = tw.worksheet(tw.CARTClassifier(prune=None, max_depth=1).fit(X, y), X, y)
    text = sheet.to_text(steps=0)
    assert "93 other classes" in text
    assert "- ..." in text
    assert max(map(len, text.splitlines())) <= 100


def test_many_columns_are_abridged():
    X = [{f"column {at}": (row >> at % 5) & 1 for at in range(40)} for row in range(32)]
    y = [row % 3 == 0 for row in range(32)]
    sheet = tw.worksheet(tw.TreeClassifier(max_depth=1).fit(X, y), X, y)
    text = sheet.to_text(steps=0)
    assert "Columns compared, the best 20 of 40" in text
    assert text.count("\n    remainder =") == 10
    assert "30 more columns" in text


def test_a_large_tree_is_abridged():
    X = [[float(number)] for number in range(200)]
    y = [number % 2 for number in range(200)]
    sheet = tw.worksheet(tw.CARTClassifier(prune=None).fit(X, y), X, y)
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


def test_rich_prints_a_worksheet_as_wide_as_its_console():
    console = imported("rich.console").Console(width=60, file=io.StringIO())
    sheet = a_sheet("weekend")
    with console.capture() as captured:
        console.print(sheet)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    assert lines == [line.rstrip() for line in sheet.to_text(width=60).splitlines()]


def test_print_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, str(a_sheet("weekend")).splitlines())) <= 60


@pytest.mark.parametrize("ending", ["html", "md", "tex", "txt"])
def test_a_worksheet_is_saved_in_the_form_of_its_name(ending, tmp_path):
    sheet = a_sheet("tennis")
    forms = {"html": sheet.to_html, "md": sheet.to_markdown, "tex": sheet.to_latex}
    expected = forms.get(ending, sheet.to_text)(steps=[0], decimals=3)
    sheet.save(tmp_path / f"sheet.{ending}", steps=[0], decimals=3)
    assert (tmp_path / f"sheet.{ending}").read_text(encoding="utf-8") == expected


def test_an_unknown_form_is_refused(tmp_path):
    with pytest.raises(tw.ParameterError, match=r"\.docx"):
        a_sheet("tennis").save(tmp_path / "sheet.docx")


@pytest.mark.parametrize("unit", [1e-9, 1e12])
def test_numbers_of_any_size_are_legible(unit):
    X = [{"a": number} for number in range(6)]
    y = [number**2 * unit for number in range(6)]
    sheet = tw.worksheet(tw.CARTRegressor(prune=None, max_depth=1).fit(X, y), X, y)
    total = sum((value - sum(y) / 6) ** 2 for value in y)
    assert f"{total:.4e}/6" in sheet.to_text()
    assert r" \cdot 10^{" in sheet.to_latex()
    assert "<msup><mn>10</mn>" in sheet.to_html()


def test_a_tree_of_one_leaf_says_why():
    X, y = [{"a": 1}, {"a": 2}], ["p", "q"]
    text = tw.worksheet(tw.CARTClassifier(prune=None, min_samples_leaf=2).fit(X, y), X, y).to_text()
    assert "Leaf: p, because every split would leave too few rows in a branch." in text
    assert "The tree" not in text


@pytest.mark.parametrize("steps", [1.5, None, []])
def test_steps_that_name_no_node_are_refused(steps):
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    with pytest.raises(tw.errors.ParameterError, match="steps"):
        sheet.to_text(steps=steps)


@pytest.mark.parametrize("width", [0, 3, 39, None, "wide"])
def test_a_text_is_at_least_forty_columns_wide(width):
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    with pytest.raises(tw.errors.ParameterError, match="width"):
        sheet.to_text(width=width)


def test_a_page_of_some_nodes_has_the_formulas():
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    assert "Here p_i is the share of class i" in sheet.to_text(steps=[1])
    assert "Here p_i is the share of class i" not in sheet.to_text(steps="summary")


@pytest.mark.parametrize(
    ("criterion", "total"),
    [
        ("squared_error", "sum of squares"),
        ("absolute_error", "sum of distances"),
        ("poisson", "sum of deviances"),
    ],
)
def test_worksheets_of_numbers_begin_with_the_formula_of_the_gain(criterion, total):
    X, y = [[1], [2], [3]], [1.0, 2.0, 4.0]
    model = tw.TreeRegressor(criterion=criterion).fit(X, y)
    text = tw.worksheet(model, X, y).to_text()
    assert f"gain = ({total}(node) - sum over b of {total}(branch b))/w" in text


def test_numbers_with_missing_values_add_up():
    X, y = [[1], [2], [3], [None]], [-1.0, -2.0, 3.0, 9.0]
    model = tw.CARTRegressor(prune=None, max_depth=1).fit(X, y)
    text = tw.worksheet(model, X, y).to_text(decimals=2)
    known = [
        "mean(known rows) = (- 2 × 1.50 + 1 × 3.00)/3 = 0",
        "sum of squares(known rows) = 0.50 + 0 + 2 × (- 1.50 - 0)^2 + 1 × (3.00 - 0)^2 = 14.00",
        "variance(known rows) = (sum of squares)/weight = 14.00/3 = 4.67",
        "sum of squares left = 0.50 + 0 = 0.50",
        "remainder = 0.50/3 = 0.17",
        "gain(x0) = 3/4 × (4.67 - 0.17) = 3.38",
    ]
    assert [line.strip() for line in text.splitlines() if line.strip() in known] == known, text


def test_large_sums_have_no_more_digits_than_are_sure():
    X, y = [[1], [2], [3], [4]] * 99, [1e5, 3e5 + 1 / 3, 4e5, 9e5] * 99
    text = tw.worksheet(tw.CARTRegressor(prune=None).fit(X, y), X, y).to_text()
    numbers = re.findall(r"\d+\.\d+", text)
    assert any(len(number) > 12 for number in numbers)
    assert all(len(number.replace(".", "")) <= 15 for number in numbers)


def test_notebooks_show_the_summary():
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    assert len(sheet._repr_html_()) < len(sheet.to_html()) / 2
    assert "Columns compared" in sheet._repr_html_()


def test_one_measure_may_be_named_alone():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    alone = tw.worksheet(model, X, y, measures="gini_gain").to_text()
    assert alone == tw.worksheet(model, X, y, measures=["gini_gain"]).to_text()
    with pytest.raises(tw.errors.ParameterError, match="did you mean `gini_gain`"):
        tw.worksheet(model, X, y, measures="gini_gan")


def test_a_page_without_its_frame_has_the_nodes_alone():
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    page = sheet.document(steps="summary", max_nodes=2, framed=False)
    titles = [block.text for block in page.blocks if isinstance(block, Heading)]
    assert [title.partition(":")[0] for title in titles] == ["Node 0", "Node 1"]
    assert not any(isinstance(block, Listing) for block in page.blocks)
