"""The page of a worksheet begins with contents, a picture and the training rows."""

import re

import pytest

import treewright as tw
from treewright.worksheets.page_start import MOST_COLUMNS, MOST_ROWS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def tennis_page():
    X, y = tw.load_sample("tennis")
    return tw.worksheet(tw.ID3Classifier().fit(X, y), X, y).to_html()


def test_every_entry_of_the_contents_leads_to_a_heading(tennis_page):
    nav = re.search("<nav.*?</nav>", tennis_page, re.DOTALL)[0]
    links = re.findall("href='#([^']+)'", nav)
    assert links[:2] == ["picture", "data"]
    assert len(links) == len(set(links)) > 8
    for link in links:
        assert tennis_page.count(f"id='{link}'") == 1


def test_the_page_has_the_picture_and_all_rows(tennis_page):
    assert tennis_page.count("<svg") == 1
    X, y = tw.load_sample("tennis")
    table = re.search("id='data'.*?</table>", tennis_page, re.DOTALL)[0]
    rows = [re.findall("<td[^>]*>([^<]*)</td>", row) for row in table.split("<tr>")[2:]]
    assert rows == [
        [str(at), *(str(column.value(at)) for column in X.columns), str(y[at])] for at in range(14)
    ]


def test_large_tables_are_cut_and_missing_values_are_empty():
    X = {f"x{at}": [float(at)] * 199 + [None] for at in range(40)}
    X["key"] = [float(at) for at in range(200)]
    y = [at > 100 for at in range(200)]
    page = tw.worksheet(tw.CARTClassifier().fit(X, y), X, y).to_html(max_nodes=1)
    assert f"... {200 - MOST_ROWS} more rows and {41 - MOST_COLUMNS} more columns" in page


def test_parts_for_other_pages_and_notebooks_stay_short():
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y)
    for part in (sheet.to_html(standalone=False), sheet.to_html(steps=[0]), sheet._repr_html_()):
        assert "<svg" not in part
        assert "<nav" not in part


def test_numbers_weights_rules_and_rounds_have_a_start():
    X, y = tw.load_sample("iris")
    lengths = X["petal width"].to_numpy()
    weights = [1 + at % 2 for at in range(150)]
    page = tw.worksheet(
        tw.CARTRegressor(max_depth=2).fit(X, lengths, weights), X, lengths, weights
    ).to_html()
    assert ">weight</th>" in page
    assert "The rules as a picture" in tw.worksheet(tw.C45Rules().fit(X, y), X, y).to_html()
    boosted = tw.BoostedTreesRegressor(n_estimators=3).fit(X, lengths)
    assert "href='#round-2'" in tw.worksheet(boosted, X, lengths).to_html()
    stored = tw.worksheet(tw.ID3Classifier().fit(*tw.load_sample("tennis"))).to_html()
    assert "id='picture'" in stored
    assert "id='data'" not in stored


def test_fractions_are_as_large_as_text(tennis_page):
    assert "<math displaystyle='true'>" in tennis_page
