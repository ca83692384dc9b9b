"""What a report says of how to make it again is true."""

import re

import numpy as np
import pytest

import treewright as tw
from treewright.documents.page import Listing, Paragraph


def told(page):
    """The words before the lines to make the page again, and the lines."""
    blocks = page.document().blocks
    at = max(at for at, block in enumerate(blocks) if isinstance(block, Listing))
    before = blocks[at - 1]
    assert isinstance(before, Paragraph)
    return "".join(run.text for run in before.runs), blocks[at].text


def check_made_again(page, folder, monkeypatch, **names):
    """Run the lines, and compare the page that they make."""
    monkeypatch.chdir(folder)
    lines = told(page)[1].replace("report.html", "report.md")
    exec(lines, names)
    assert (folder / "report.md").read_text(encoding="utf-8") == page.to_markdown()


@pytest.fixture(scope="module")
def loans():
    table, y = tw.load_sample("loans")
    return table.drop("loan"), y


MODELS = {
    "as usual": (lambda X, y: tw.C45Classifier(), {}),
    "with settings": (
        lambda X, y: tw.CARTClassifier(prune=None, max_depth=3).fit(X, y),
        {"name": "loans"},
    ),
    "with costs": (
        lambda X, y: tw.CARTClassifier(prune=None, costs=np.array([[0, 1], [5, 0]]), max_depth=2),
        {},
    ),
    "with words": (
        lambda X, y: tw.ID3Classifier(max_depth=2),
        {"target": "repaid", "title": "It's ours", "unused": ("loan",)},
    ),
    "divided otherwise": (
        lambda X, y: tw.CARTClassifier(prune=None, max_depth=2),
        {"folds": 3, "repeats": 2, "random_state": 7, "stratified": False},
    ),
    "held out": (lambda X, y: tw.CARTClassifier(prune=None, max_depth=2), {"hold_out": 0.25}),
    "pruned": (
        lambda X, y: tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "pessimistic"),
        {"folds": 2},
    ),
    "pruned by its rows": (
        lambda X, y: tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "cost_complexity", X, y),
        {"folds": 2},
    ),
}


@pytest.mark.parametrize(("model", "arguments"), MODELS.values(), ids=MODELS)
def test_the_lines_make_the_same_page(model, arguments, loans, tmp_path, monkeypatch):
    X, y = loans
    page = tw.report(model(X, y), X, y, **arguments)
    assert told(page)[0] == "This code reproduces the model and this page:"
    check_made_again(page, tmp_path, monkeypatch, X=X, y=y)


def test_values_too_long_to_write_are_named(loans, tmp_path, monkeypatch):
    X, y = loans
    names = {"groups": np.arange(400) % 7, "sample_weight": np.linspace(1, 2, 400)}
    page = tw.report(tw.CARTClassifier(prune=None, max_depth=2), X, y, **names, folds=3)
    assert told(page)[1].endswith("sample_weight, folds=3, groups=groups).save('report.html')")
    check_made_again(page, tmp_path, monkeypatch, X=X, y=y, **names)
    found = tw.evaluate(tw.ID3Classifier(max_depth=1), X, y, folds=2)
    page = tw.report(tw.ID3Classifier(max_depth=1), X, y, evaluation=found)
    check_made_again(page, tmp_path, monkeypatch, X=X, y=y, evaluation=found)


def test_rows_of_the_fit_that_are_not_at_hand_are_told(loans, tmp_path, monkeypatch):
    X, y = loans
    train, test = np.arange(300), np.arange(300, 400)
    model = tw.CARTClassifier(prune=None, max_depth=3).fit(X.take(train), y[train])
    page = tw.report(model, X.take(test), y[test])
    words, _ = told(page)
    assert "X_train and y_train are the training rows" in words
    rows = {"X_train": X.take(train), "y_train": y[train], "X": X.take(test), "y": y[test]}
    check_made_again(page, tmp_path, monkeypatch, **rows)


def test_a_tree_changed_by_hand_is_not_said_to_be_made_by_its_settings(
    loans, tmp_path, monkeypatch
):
    X, y = loans
    model = tw.CARTClassifier(prune=None).fit(X, y).to_depth(2)
    page = tw.report(model, X, y, folds=2)
    assert told(page)[0] == "This code reproduces the page from the model:"
    check_made_again(page, tmp_path, monkeypatch, X=X, y=y, model=model)


def test_pruning_by_rows_held_back_names_them(loans):
    X, y = loans
    model = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "reduced_error", X, y)
    with pytest.warns(UserWarning, match="reduced_error"):
        lines = told(tw.report(model, X, y, folds=2))[1]
    assert "model = tw.prune(model, 'reduced_error', X_pruning, y_pruning)\n" in lines


def test_a_command_is_said_to_make_the_page_only(loans):
    X, y = loans
    command = "treewright report m.json loans --out r.html"
    page = tw.report(tw.ID3Classifier(max_depth=1), X, y, folds=2, command=command)
    assert told(page) == ("This command reproduces the page:", command)
    pruned = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "mdl")
    words, line = told(tw.report(pruned, X, y, folds=2, command=command))
    assert words == "After its fit the model was pruned:"
    assert re.fullmatch(r"model = tw.prune\(model, 'mdl', structure=1(\.0)?\)", line)
