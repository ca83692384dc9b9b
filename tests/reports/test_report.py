"""One page about a model: everything is on it, nothing comes from elsewhere."""

import re

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.documents.page import Contents, Heading
from treewright.errors import ParameterError
from treewright.reports.report import Report

CLASSIFIERS = (tw.ID3Classifier, tw.C45Classifier, tw.CARTClassifier, tw.TreeClassifier)
HOSTILE = "<img src=x onerror=alert(1)>\n\"'&`|</script>" + "long" * 40


def words_of(page: Report) -> str:
    """The text of a page, as a reader sees it."""
    text = re.sub(r"<svg.*?</svg>|<style>.*?</style>", " ", page.to_html(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


@pytest.fixture(scope="module")
def iris_page():
    X, y = tw.load_sample("iris")
    model = tw.C45Classifier().fit(X, pd.Series(y, name="species"))
    return tw.report(model, X, y, name="iris")


def test_every_section_is_there_and_in_the_contents(iris_page):
    blocks = iris_page.document().blocks
    titles = [block.text for block in blocks if isinstance(block, Heading) and block.level == 2]
    assert iris_page.document().title == "Predicting species from iris"
    assert titles == [
        "The tree",
        "Rules",
        "Evaluation",
        "Which columns matter",
        "Columns",
        "The calculation at the top",
        "Settings and versions",
    ]
    contents = next(block for block in blocks if isinstance(block, Contents))
    assert [heading.text for heading in contents.headings] == titles
    html = iris_page.to_html()
    for link in re.findall("href='#([^']*)'", html):
        assert html.count(f"id='{link}'") == 1


def test_numbers_are_those_of_evaluate(iris_page):
    X, y = tw.load_sample("iris")
    found = tw.evaluate(tw.C45Classifier(), X, y)
    assert f"{found.mean('accuracy'):.4f}" in iris_page.to_html()
    assert iris_page.facts.evaluation.mean("accuracy") == found.mean("accuracy")
    assert "0.3333 accuracy of always" in words_of(iris_page)


def test_nothing_comes_from_elsewhere(iris_page):
    html = iris_page.to_html().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(src|href)=['\"](?!#)|url\(|@import|https?://|<script", html)


def test_a_model_that_is_not_fitted_is_fitted_in_a_copy():
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier()
    page = tw.report(model, X, y, target="play", title="Tennis for the exam")
    assert not hasattr(model, "tree_")
    assert page.document().title == "Tennis for the exam"
    assert "predicts play from 4 columns, learned from 14 rows" in words_of(page)


def test_an_evaluation_can_be_given():
    X, y = tw.load_sample("iris")
    found = tw.evaluate(tw.CARTClassifier(prune=None), X, y, folds=3, repeats=2)
    page = tw.report(tw.CARTClassifier(prune=None), X, y, evaluation=found)
    assert page.facts.evaluation is found
    assert "stratified 3-fold cross-validation, repeated 2 times" in words_of(page)


def test_new_rows_are_judged_with_the_model_as_it_is():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X[::2], y[::2])
    page = tw.report(model, X[1::2], y[1::2])
    assert page.facts.worksheet is None
    assert page.facts.evaluation.mean("accuracy") == model.score(X[1::2], y[1::2])
    words = words_of(page)
    assert "These are not the training rows of the model" in words
    assert "The calculation at the top" not in words


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_saved_model_knows_its_rows_again(classifier, tmp_path):
    X, y = tw.load_sample("buys_computer")
    weights = np.linspace(0.5, 2, len(y))
    classifier().fit(X, y, sample_weight=weights).save(tmp_path / "model.json")
    model = tw.load(tmp_path / "model.json")
    assert tw.report(model, X, y, weights, folds=2).facts.worksheet is not None
    assert tw.report(model, X, y, folds=2).facts.worksheet is None  # other weights


def test_a_pruned_tree_says_what_it_was_before():
    X, y = tw.load_sample("iris")
    model = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "pessimistic")
    page = tw.report(model, X, y, folds=3)
    assert "Before pruning (pessimistic) there were 9." in words_of(page)
    assert page.facts.worksheet is not None


def test_copies_of_a_pruned_tree_are_pruned():
    table, y = tw.load_sample("loans")
    X = table.drop("loan")
    model = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "pessimistic")
    page = tw.report(model, X, y, folds=3)
    assert page.facts.evaluation.mean_leaves < 2 * model.get_n_leaves()
    assert "copies of the model, pruned in the same way (pessimistic), each tested" in words_of(
        page
    )
    assert "after the model was fitted" not in words_of(page)


def test_copies_that_are_not_made_as_the_model_was_are_told():
    table, y = tw.load_sample("loans")
    X = table.drop("loan")
    whole = tw.CARTClassifier(prune=None).fit(X, y)
    found = tw.evaluate(whole, X, y, folds=2)
    page = tw.report(tw.prune(whole, "mdl"), X, y, evaluation=found)
    assert "pruned (mdl) after the model was fitted; the evaluated" in words_of(page)
    assert "pruned in the same way" not in words_of(page)
    cut = words_of(tw.report(whole.to_depth(2), X, y, folds=2))
    assert "make a tree of 82 leaves from these rows; this one was changed after" in cut
    with pytest.warns(UserWarning, match="pruned by reduced_error"):
        page = tw.report(tw.prune(whole, "reduced_error", X, y), X, y, folds=2)
    assert "pruned (reduced error) after the model was fitted" in words_of(page)


def test_rules_have_a_page_without_a_tree():
    X, y = tw.load_sample("iris")
    page = tw.report(tw.C45Rules(), X, y, folds=3)
    words = words_of(page)
    assert "The first rule that holds makes the prediction." in words
    assert "If no rule holds, the prediction is" in words
    assert "The tree has" not in words


def test_names_are_text_whatever_they_hold():
    n = 60
    table = pd.DataFrame({HOSTILE: ["a", "b", HOSTILE] * 20, "n": np.arange(float(n))})
    y = pd.Series([HOSTILE, "ok"] * 30, name=HOSTILE)
    page = tw.report(tw.C45Classifier(), table, y, name=HOSTILE, command=HOSTILE)
    assert not re.search("<img|</script>", page.to_html())
    listings = re.compile("```text.*?```", re.DOTALL)
    assert not re.search(r"(?<!\\)<(img|/script)", listings.sub("", page.to_markdown()))


def test_a_tree_of_one_leaf_has_a_report():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    page = tw.report(tw.CARTClassifier(prune=None, max_depth=1, min_samples_leaf=3), X, y, folds=2)
    words = words_of(page)
    assert "No split was good enough" in words
    assert "Which columns matter" not in words


def test_costs_are_part_of_the_judgment():
    table, y = tw.load_sample("loans")
    X = table.drop("loan")
    model = tw.CARTClassifier(prune=None, costs=[[0, 1], [5, 0]], max_depth=3)
    page = tw.report(model, X, y, folds=3)
    assert "cost" in page.facts.evaluation.scores
    assert "cost of always" in words_of(page)
    assert "marked ones are not the default" in words_of(page)


def test_a_judgment_on_training_rows_is_called_one():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(prune=None).fit(X, y)
    page = tw.report(model, X, y, evaluation=tw.evaluate_fitted(model, X, y))
    assert "tested on its own training rows" in words_of(page)
    assert "These are not the rows" not in words_of(page)


def test_what_is_reached_without_a_model_has_the_prices_of_the_evaluation():
    X, y = tw.load_sample("iris")
    costs = 1 - np.eye(3)
    for model in (tw.CARTClassifier(prune=None, costs=costs), tw.CARTClassifier(prune=None)):
        found = tw.evaluate(model, X, y, folds=3, costs=100 * costs)
        page = tw.report(model, X, y, evaluation=found)
        guessed = f"{found.verdict.guess_score:.2f}"
        assert f"{guessed} cost of always predicting setosa" in words_of(page)


def test_holes_are_shown_by_class():
    table, y = tw.load_sample("loans")
    page = tw.report(tw.CARTClassifier(prune=None, max_depth=2), table.drop("loan"), y, folds=3)
    assert "Missing values by class" in page.to_html()


def test_the_page_can_be_saved_as_html_or_markdown(iris_page, tmp_path):
    iris_page.save(tmp_path / "r.html")
    iris_page.save(tmp_path / "r.md")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == iris_page.to_html()
    assert (tmp_path / "r.md").read_text(encoding="utf-8").startswith("# Predicting species")
    with pytest.raises(ParameterError, match="cannot be saved"):
        iris_page.save(tmp_path / "r.docx")


def test_progress_is_told():
    X, y = tw.load_sample("iris")
    seen = []
    tw.report(
        tw.CARTClassifier(prune=None), X, y, folds=3, progress=lambda *done: seen.append(done)
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_something_else_is_refused():
    with pytest.raises(ParameterError, match="no report"):
        tw.report("tree", [[1]], [1])


def test_markdown_holds_the_tree_as_text():
    X, y = tw.load_sample("iris")
    model = tw.C45Classifier().fit(X, y)
    page = tw.report(model, X, y, folds=2)
    assert f"```text\n{model.export_text()}\n\n(48/1): 48 training rows" in page.to_markdown()
    assert model.export_text() not in page.to_html()


def test_a_large_tree_is_told_in_markdown_by_its_first_levels():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(600, 3))
    page = tw.report(tw.CARTClassifier(prune=None), X, generator.integers(2, size=600), folds=2)
    text = page.to_markdown().split("```text\n")[1].split("\n```")[0]
    assert 20 < len(text.splitlines()) <= 60
    assert "The picture shows" in page.to_html()
    assert "The picture shows" not in page.to_markdown()


def test_leaves_are_counted_as_everywhere():
    X = {"c": ["r", "g", "b", "k", "r", "g"] * 5, "x": [1.0, 1.0, 2.0, 2.0, 2.0, 2.0] * 5}
    y = ["u", "v", "w", "w", "w", "w"] * 5  # b and k occur in no row below x <= 1.5
    model = tw.TreeClassifier(nominal="branches").fit(X, y)
    page = tw.report(model, X, y, folds=2)
    card = f"<dt>leaves</dt><dd class='value'>{model.get_n_leaves()}</dd>"
    assert card in page.to_html()
    assert model.get_n_leaves() > model.tree_.is_leaf.sum()


def test_a_model_that_is_no_tree_shows_its_way_and_the_first_steps():
    X, y = tw.load_sample("iris")
    rows = np.arange(150) % 5 == 0
    columns = tw.table_from({f"a rather long name {at}": X.columns[0].values for at in range(6)})
    model = tw.GradientDescentClassifier(tol=1e-3).fit(columns[rows], y[rows])
    page = tw.report(model, columns[rows], y[rows], folds=2)
    assert "The calculation" in words_of(page)
    assert "Step 1" in words_of(page)
    assert page.to_html().count("<svg") >= 1
    listing = page.to_markdown().split("## The model")[1].split("## Evaluation")[0]
    assert max(map(len, listing.splitlines())) <= 100
    others = tw.report(model, columns[~rows], y[~rows])
    assert "The calculation" not in words_of(others)
