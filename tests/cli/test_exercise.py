"""`treewright exercise`: made, solved, filled in and marked."""

import json
import re

import treewright as tw


def test_the_solution_marks_itself_right(treewright, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ("exercise", "tennis", "--seed", "4", "--blanks", "5")
    made = treewright(*words, "--out", "sheet.md", "--solution", "solved.md")
    assert made.code == 0
    sheet = (tmp_path / "sheet.md").read_text()
    answers = tw.exercise("tennis", seed=4, n_blanks=5).answers
    filled = re.sub(
        r"\[(\d+): *_*\]", lambda blank: f"[{blank[1]}: {answers[int(blank[1])]}]", sheet
    )
    assert filled != sheet
    (tmp_path / "filled.md").write_text(filled)
    marked = treewright(*words, "--mark", "filled.md")
    assert "5 of 5 points" in marked.out
    assert all(answer in (tmp_path / "solved.md").read_text() for answer in answers.values())
    facts = json.loads(treewright(*words, "--mark", "filled.md", "--json").out)
    assert facts["marking"]["points"] == 5
    assert [one["answers"][0] for one in facts["questions"]] == [*answers.values()]


def test_the_format_is_that_of_the_ending(treewright, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    treewright("exercise", "tennis", "-o", "sheet.html")
    assert "<html" in (tmp_path / "sheet.html").read_text()
    assert "\\begin" in treewright("exercise", "tennis", "--format", "latex").out


def test_the_algorithm_can_be_chosen(treewright):
    assert "C45Classifier" in treewright("exercise", "tennis", "--model", "c45").out
    assert "CARTClassifier" in treewright("exercise", "iris").out


def test_mistakes_are_named(treewright, tmp_path):
    assert "did you mean `play`" in treewright("exercise", "tennis", "-t", "plya").err
    plain = tmp_path / "plain.txt"
    plain.write_text("nothing here")
    run = treewright("exercise", "tennis", "--mark", str(plain))
    assert run.code == 2
    assert "the text has no blanks" in run.err
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"[1: \xff]")
    assert "UTF-8" in treewright("exercise", "tennis", "--mark", str(latin)).err
    assert treewright("exercise", "tennis", "--mark", str(tmp_path / "absent.md")).code in (2, 3)
