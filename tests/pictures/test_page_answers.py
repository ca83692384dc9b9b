"""The page of a tree in Chromium: rows that are typed in and followed."""

import numpy as np
import pytest

import builders
import treewright as tw
from exports.export_models import EXPORT_MODELS, fitted
from pictures.html_models import iris, tennis
from pictures.page_reading import on_way
from treewright.data.schema import ColumnSpec, Schema
from treewright.exports.program import Program
from treewright.exports.witnesses import has_unseen, witnesses
from treewright.pictures.html_page import values_of_row
from treewright.single_trees.as_tree import tree_of
from treewright.tree.predict import predict_values, predicted_classes

# Types rows into the form, one after the other, and reads what the page answers.
ANSWERS = """
(rows) => rows.map((row) => {
  row.forEach((value, at) => {
    const field = document.getElementById(`column-${at}`);
    if (!field) return;
    const isList = field.matches("select");
    field.value = value === null ? "" : String(value);
    if (isList && field.value === "") throw new Error(`column ${at} has no option ${value}`);
  });
  document.getElementById("row-form").requestSubmit();
  const answer = document.getElementById("answer");
  if (!answer) return null;
  const shares = [...document.querySelectorAll("#row-result .shares data")];
  return [Number(answer.value), shares.map((share) => Number(share.value))];
})
"""


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_a_row_typed_in_is_answered_as_the_model_answers(browser, name):
    assert_page_answers_as(browser, fitted(name))


def assert_page_answers_as(browser, model):
    tree = tree_of(model)
    opened = browser.open(tw.draw(model).to_html())
    if not Program(tree).used_columns:
        assert not opened.page.locator("#row-form").is_visible()
        return
    given = witnesses(tree, max_rows=40)
    rows = tree.schema.encode(given, "majority")  # keeps unseen levels apart from missing ones
    as_typed = [list(typed(values_of_row(rows[at : at + 1]), tree)) for at in range(len(rows))]
    predictions = opened.page.evaluate(ANSWERS, as_typed)
    refused = has_unseen(Program(tree), given) if tree.unseen == "error" else [False] * len(rows)
    known = tree.schema.encode(given[~np.array(refused)], "majority")
    if tree.unseen == "missing":
        known = without_unseen(known)
    values = iter(predict_values(tree, known))
    for prediction, is_refused in zip(predictions, refused, strict=True):
        assert (prediction is None) == bool(is_refused)
        if prediction is None:
            continue
        expected = next(values)
        if tree.classes is None:
            assert prediction[0] == expected[0]
            continue
        assert prediction[0] == predicted_classes(tree, expected[np.newaxis])[0]
        largest = np.sort(expected[expected > 0])[::-1][:12]
        assert [share for share in prediction[1] if share > 0] == largest.tolist()
    assert not opened.errors


@pytest.mark.parametrize("seed", range(6))
def test_any_tree_answers_on_its_page_as_in_python(browser, seed):
    rng = np.random.default_rng(seed)
    tree = builders.a_random_tree(
        rng, builders.a_mixed_schema(rng), n_splits=25, is_classifier=seed % 2 == 0
    )
    assert_page_answers_as(browser, tree)


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"])
def test_dates_are_counted_as_numpy_counts_them(browser, unit):
    rng = np.random.default_rng(0)
    span = np.timedelta64(200 * 365, "D").astype("timedelta64[s]").astype(np.int64)
    moments = (
        rng.integers(-span, span, size=30).astype("datetime64[s]").astype(f"datetime64[{unit}]")
    )
    cuts = np.unique(moments.astype(np.int64).astype(np.float64))
    below = builders.leaf(float(len(cuts)), weight=1)
    for at in range(len(cuts) - 1, -1, -1):
        below = builders.threshold(0, cuts[at], builders.leaf(float(at), weight=1), below)
    column = ColumnSpec("when", "numeric", (), f"datetime64[{unit}]")
    opened = browser.open(tw.draw(builders.build(below, Schema((column,)), None)).to_html())
    predictions = opened.page.evaluate(ANSWERS, [[str(moment)] for moment in moments])
    assert [prediction[0] for prediction in predictions] == np.searchsorted(
        cuts, moments.astype(np.int64).astype(np.float64)
    ).tolist()


def test_what_is_not_a_date_is_not_followed(browser):
    opened = browser.open(tw.draw(fitted("dates and durations")).to_html())
    born = opened.page.locator("#row-fields input").first
    for text in ("31st of May", "2023-02-30", "2023-05-17 25:00", "17.5.2023"):
        born.fill(text)
        opened.page.get_by_role("button", name="Show its path").click()
        assert opened.page.locator("#answer").count() == 0
    born.fill("2023-5-17 14:30")
    opened.page.get_by_role("button", name="Show its path").click()
    assert opened.page.locator("#answer").count() == 1


def typed(values, tree):
    """Values as somebody types them: codes only where there is a list to choose from."""
    for value, spec in zip(values, tree.schema.columns, strict=True):
        if spec.is_numeric or len(spec.levels) <= 200:
            yield value
        else:
            yield None if value == -1 else "never seen" if value < 0 else spec.levels[value]


def without_unseen(rows):
    from dataclasses import replace

    from treewright.data.column import NominalColumn
    from treewright.data.table import Table

    columns = [
        replace(column, codes=np.maximum(column.codes, -1))
        if isinstance(column, NominalColumn)
        else column
        for column in rows.columns
    ]
    return Table(columns, len(rows))


def test_a_row_is_followed_by_typing_and_clicking(browser):
    opened = browser.open(tw.draw(tennis()).to_html())
    page = opened.page
    page.get_by_label("outlook", exact=True).select_option(label="Rain")
    page.get_by_label("wind", exact=True).select_option(label="Strong")
    assert on_way(opened) == []
    page.get_by_role("button", name="Show its path").click()
    row = {"outlook": "Rain", "temperature": "Hot", "humidity": "High", "wind": "Strong"}
    path = tennis().path_of([row])
    assert on_way(opened) == [*path]
    assert page.locator("#answer").inner_text() == "No"
    page.get_by_label("wind", exact=True).select_option(label="Weak")  # followed at once
    assert page.locator("#answer").inner_text() == "Yes"
    page.get_by_role("button", name="Clear").click()
    assert on_way(opened) == []
    assert page.locator("#answer").count() == 0


def test_a_divided_row_marks_all_its_ways_with_their_shares(browser):
    X, y = tw.load_sample("golf")
    model = tw.C45Classifier(prune=None).fit(X, y)
    opened = browser.open(tw.draw(model, row={"outlook": "Sunny"}).to_html())
    tree = tree_of(model)
    marked = {at: opened.page.locator(f'g.node[data-node="{at}"]') for at in on_way(opened)}
    assert len(marked) > 3
    leaves = [at for at in marked if tree.is_leaf[at]]
    shares = [float(marked[at].get_attribute("data-way")) for at in leaves]
    assert len(leaves) > 1
    assert sum(shares) == pytest.approx(1)
    assert "of the row" in marked[leaves[0]].text_content()
    assert opened.page.get_by_text("is missing").count() >= 1


def test_the_way_of_a_row_given_in_python_is_shown_and_unfolded(browser):
    opened = browser.open(tw.draw(builders.a_chain(200), row={"x": 150.0}).to_html())
    assert opened.page.locator("#column-0").input_value() == "150"
    assert 298 in on_way(opened) or 299 in on_way(opened)
    assert opened.page.locator("#answer").inner_text() == "no"


def test_what_is_not_a_number_is_not_followed(browser):
    opened = browser.open(tw.draw(iris()).to_html())
    column = opened.page.locator("#row-fields input").first
    column.fill("wide")
    opened.page.get_by_role("button", name="Show its path").click()
    assert opened.page.locator("#answer").count() == 0
    column.fill("0,5")  # a comma will do
    opened.page.get_by_role("button", name="Show its path").click()
    assert opened.page.locator("#answer").count() == 1
