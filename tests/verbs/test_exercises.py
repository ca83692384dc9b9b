"""Exercises: nothing asked is told, the answers are right, and every form can be printed."""

import re
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from machine import needs
from treewright.worksheets.blanks import number_pattern

LECTURE_TABLES = ("tennis", "golf", "weekend", "buys_computer", "shapes")
MODELS = (
    tw.ID3Classifier(),
    tw.C45Classifier(prune=None, collapse=False, min_gain=None, min_samples_leaf=1),
    tw.CARTClassifier(prune=None),
    tw.TreeClassifier(criterion="chi2"),
)
BLANK = re.compile(r"\[(\d+): _+\]")


def a_table(seed: int) -> dict:
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(8, 30))
    table = {
        "letter": ["abcd"[at] for at in rng.integers(0, 4, n_rows)],
        "size": rng.integers(0, 9, n_rows).astype(float),
        "truth": ["pq"[at] for at in rng.integers(0, 2, n_rows)],
    }
    table["truth"][:2] = "pq"
    table["size"][:2] = (0.0, 1.0)
    return table


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.sampled_from(MODELS))
def test_nothing_that_is_asked_is_printed(seed, n_blanks, model):
    sheet = tw.exercise(a_table(seed), "truth", seed=seed, n_blanks=n_blanks, model=model)
    text = sheet.to_text(width=10_000)
    printed = set(number_pattern(3).findall(text))
    asked = {question.answers[0] for question in sheet.questions if not question.choices}
    assert not printed & asked
    assert len(sheet.questions) <= n_blanks


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.sampled_from(MODELS))
def test_blanks_are_numbered_down_the_page(seed, n_blanks, model):
    sheet = tw.exercise(a_table(seed), "truth", seed=seed, n_blanks=n_blanks, model=model)
    numbers = [int(number) for number in BLANK.findall(sheet.to_text(width=10_000))]
    firsts = list(dict.fromkeys(numbers))
    assert firsts == [question.number for question in sheet.questions]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(MODELS))
def test_the_right_answers_are_marked_right_and_others_wrong(seed, model):
    sheet = tw.exercise(a_table(seed), "truth", seed=seed, model=model)
    n_blanks = len(sheet.questions)
    assert sheet.mark(sheet.answers).points == n_blanks
    assert sheet.mark({}).points == 0
    assert sheet.mark(dict.fromkeys(sheet.answers, "123.456")).points == 0
    filled = BLANK.sub(lambda blank: f"[{blank[1]}: {sheet.answers[int(blank[1])]}]", str(sheet))
    assert sheet.mark(filled).points == n_blanks


@pytest.mark.parametrize("name", LECTURE_TABLES)
def test_the_answers_are_those_of_the_worksheet(name):
    sheet = tw.exercise(name, n_blanks=100)
    X, y = tw.load_sample(name)
    worksheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    for question in sheet.questions:
        asked = re.fullmatch(r"gain\((\w+)\) at node (\d+)", question.asked)
        if asked:
            works = {found.column: found for found in worksheet.nodes[int(asked[2])].candidates}
            assert question.answers == (f"{works[asked[1]].gain:.3f}",)
        elif question.asked.startswith("column chosen"):
            node = int(question.asked.rpartition(" ")[2])
            assert question.answers[0] == worksheet.nodes[node].chosen.column


def test_the_numbers_of_the_lecture_notes_are_right_answers():
    sheet = tw.exercise("tennis", "play", n_blanks=100)
    number_of = {question.asked: question.number for question in sheet.questions}
    notes = {"entropy(5, 9) at node 0": "0.94", "gain(wind) at node 0": "0.048"}
    marking = sheet.mark({number_of[asked]: answer for asked, answer in notes.items()})
    assert marking.points == 2


def test_a_choice_that_a_later_heading_tells_is_not_asked_for():
    for seed in range(20):
        sheet = tw.exercise("tennis", seed=seed, n_blanks=6)
        asked = {question.asked for question in sheet.questions}
        assert "column chosen at node 0" not in asked


def test_what_is_said_of_the_columns_does_not_tell_the_choice():
    sheet = tw.exercise("tennis", max_nodes=1, n_blanks=3)
    (question,) = [question for question in sheet.questions if question.choices]
    text = sheet.to_text()
    assert question.answers == ("outlook",)
    assert not re.search("chosen$|runner-up|Branches|margin", text, flags=re.MULTILINE)
    assert "* outlook" not in text
    assert "chosen" in sheet.solution.to_text()


def test_tied_columns_are_all_right():
    table = {"one": list("aabb"), "two": list("aabb"), "truth": list("ppqq")}
    sheet = tw.exercise(table, "truth", n_blanks=3)
    (question,) = [question for question in sheet.questions if question.choices]
    assert question.answers == ("one", "two")


def test_the_same_seed_makes_the_same_exercise_and_another_one_another():
    texts = [tw.exercise("golf", seed=seed, n_blanks=5).to_markdown() for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_tables_come_from_samples_files_and_frames(tmp_path):
    X, y = tw.load_sample("tennis")
    frame = X.to_pandas()
    frame["play"] = y
    frame.to_csv(tmp_path / "days.csv", index=False)
    by_name = tw.exercise("tennis", "play").to_text()
    assert tw.exercise(tmp_path / "days.csv", "play").to_text() == by_name
    assert tw.exercise(str(tmp_path / "days.csv"), "play").to_text() == by_name
    assert tw.exercise(frame, "play").to_text() == by_name
    assert tw.exercise("netball").to_text() == by_name


def test_numbers_to_predict_make_a_regression_tree():
    sheet = tw.exercise({"x": [1.0, 2, 3, 4], "y": [1.5, 1.75, 4.0, 4.5]}, "y")
    assert "CARTRegressor" in sheet.to_text()
    assert sheet.mark(sheet.answers).points == len(sheet.questions) > 0


def test_a_choice_that_is_not_by_gain_is_not_asked_for():
    by_order = tw.ID3Classifier(column_order=["wind"])
    sheet = tw.exercise("tennis", model=by_order, max_nodes=1, n_blanks=100)
    assert "Chosen: wind" in sheet.to_text()
    assert not [question for question in sheet.questions if "column" in question.asked]


def test_splits_that_pruning_has_raised_are_left_out():
    rng = np.random.default_rng(0)
    for _ in range(60):
        table = {f"x{at}": rng.integers(0, 4, 80).astype(str) for at in range(4)}
        table["y"] = np.where(rng.random(80) < 0.35, "p", np.where(table["x0"] == "0", "q", "r"))
        X = {name: values for name, values in table.items() if name != "y"}
        model = tw.C45Classifier().fit(X, table["y"])
        raised = {cut.node for cut in model.pruning_.cuts if cut.became == "branch"}
        if raised and 0 not in raised:
            break
    text = tw.exercise(table, "y", model=model, max_nodes=9).to_text()
    assert "Node 0: root" in text
    assert not any(f"Node {node}:" in text for node in raised)


def test_pruning_is_not_asked_about():
    sheet = tw.exercise("tennis", model=tw.C45Classifier(), n_blanks=100)
    assert not [question for question in sheet.questions if "leaf" in question.asked]
    averages = [question.asked for question in sheet.questions if "average" in question.asked]
    assert averages == [asked.partition(" of ")[0] for asked in averages]


def test_a_large_table_is_not_printed():
    text = tw.exercise("iris").to_text()
    assert "The table has 150 rows" in text
    assert "5.1  " not in text.partition("Node 0")[0]


def passengers() -> dict:
    return {
        "name": [f"passenger {at}" for at in range(12)],
        "sex": ["m", "f"] * 6,
        "class": ["1", "2", "3"] * 4,
        "survived": ["no", "yes", "no"] * 4,
    }


def test_columns_that_name_the_rows_are_left_out_and_the_sheet_says_so():
    for model in (None, tw.C45Classifier(min_samples_leaf=1)):
        sheet = tw.exercise(passengers(), "survived", model=model, n_blanks=100)
        text = sheet.to_text(width=200)
        assert "Column name is left out because it looks like an id: 12 different values" in text
        assert "passenger 3" not in text
        choices = [question.choices for question in sheet.questions if "column" in question.asked]
        assert all("name" not in names for names in choices)


def test_columns_that_name_the_rows_can_be_kept():
    with pytest.warns(UserWarning, match="name"):
        sheet = tw.exercise(passengers(), "survived", keep_ids=True)
    assert "gain(name)" in sheet.solution.to_text()
    assert "left out" not in sheet.to_text()


def test_a_table_of_nothing_but_names_is_an_error():
    table = {"name": [f"n{at}" for at in range(12)], "truth": list("pq" * 6)}
    with pytest.raises(tw.DataError, match=r"(?s)look like ids: name.*keep_ids=True"):
        tw.exercise(table, "truth")


@pytest.mark.parametrize("filled", [None, ["0.94"], 5])
def test_answers_without_the_numbers_of_their_blanks_are_an_error(filled):
    with pytest.raises(tw.ParameterError, match="which blank"):
        tw.exercise("tennis").mark(filled)


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_every_form_has_blanks_and_its_solution_has_none(form):
    sheet = tw.exercise("weekend", seed=2)
    page, solved = (getattr(one, f"to_{form}")() for one in (sheet, sheet.solution))
    blank = {"latex": r"\blank{1}", "html": "class='blank'"}.get(form, "[1: ")
    assert blank in page.replace('"', "'")
    assert blank not in solved.replace('"', "'")
    assert sheet.answers[1] in solved


@needs("pdflatex")
def test_the_latex_compiles(tmp_path):
    for name, page in (("asked", tw.exercise("golf")), ("solved", tw.exercise("golf").solution)):
        (tmp_path / f"{name}.tex").write_text(page.to_latex(), encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]


def test_odd_names_are_never_markup():
    table = {"<script>": ["a|b", "$x$", "a|b", "]"], "\\end{document}": list("pqpq")}
    sheet = tw.exercise(table, "\\end{document}")
    assert "<script>" not in sheet.to_html()
    assert sheet.to_latex().count(r"\end{document}") == 1
    assert sheet.mark(sheet.answers).points == len(sheet.questions)


@pytest.mark.parametrize(
    ("arguments", "options", "told"),
    [
        (("tenis",), {}, "neither a sample nor a file"),
        (("tennis", "plai"), {}, "play"),
        (({"a": ["x", "y"]},), {}, "target= is missing"),
        (({"a": ["x", "y"], "b": ["p", "q"]}, "c"), {}, "no column `c`"),
        (("five_points",), {}, "no target"),
        (("tennis",), {"n_blanks": 0}, "n_blanks"),
        (("tennis",), {"max_nodes": 1.5}, "max_nodes"),
        (("tennis",), {"decimals": 1}, "decimals"),
        (("tennis",), {"seed": "x"}, "seed is 'x'"),
        (("tennis",), {"seed": -1}, "seed is -1"),
        (("tennis",), {"model": 5}, "a int has no worksheet"),
        (("tennis",), {"model": tw.ID3Classifier}, "a class ID3Classifier has no worksheet"),
        (({"a": ["x", "x"], "b": ["p", "p"]}, "b"), {}, "nothing to compute"),
        (({"a": ["x", "x"], "b": ["p", "q"]}, "b"), {}, "nothing to compute"),
    ],
)
def test_mistakes_are_told(arguments, options, told):
    with pytest.raises(tw.TreewrightError, match=told):
        tw.exercise(*arguments, **options)


def test_only_tree_estimators_can_be_asked_about():
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(tw.ParameterError, match="DecisionTreeClassifier"):
        tw.exercise("tennis", model=DecisionTreeClassifier())
