"""What explanations and worksheets of nearest neighbors show."""

import json

import numpy as np
import pytest

import treewright as tw

HOUSES = {
    "kind": ["house", "house", "flat", "flat", "flat", "flat"],
    "size": [120, 90, 60, None, 30, 40],
}
PRICES = [400, 300, 210, 190, 100, 120]
X, Y = tw.load_sample("tennis")


def test_the_neighbors_of_a_row_are_shown_with_distance_and_vote():
    model = tw.KNeighborsClassifier(3).fit(X, Y)
    found = model.explain({"outlook": "Rain", "temperature": "Hot", "humidity": "High"})
    assert found.work.rows.tolist() == [0, 1, 2, 3, 13]
    text = found.to_text()
    assert "prediction: No (60 %)" in text
    assert "5 neighbors (3 requested) among 14 rows" in text
    assert "* distance              1.4142  1.4142" in text
    assert "* No             3      3  0.6000" in text


@pytest.mark.parametrize("distance", ["heom", "manhattan", "gower", "ibl"])
def test_what_the_columns_add_is_what_makes_the_distance(distance):
    model = tw.KNeighborsRegressor(metric=distance).fit(HOUSES, PRICES)
    for kind, size in (("flat", 50), ("house", None), (None, None)):
        row = {"kind": kind, "size": size}
        work = model.explain(row).work
        differences = work.differences
        if distance == "gower":
            n_known = np.maximum(np.count_nonzero(~np.isnan(differences), axis=1), 1)
            sums = np.nansum(differences, axis=1) / n_known
            expected = np.where(np.isnan(differences).all(axis=1), 1.0, sums)
        elif distance == "manhattan":
            expected = differences.sum(axis=1)
        else:
            expected = np.sqrt(np.square(differences).sum(axis=1))
        np.testing.assert_allclose(work.distances, expected)


def test_an_explanation_as_json_has_every_neighbor():
    model = tw.KNeighborsRegressor(2, metric="gower").fit(HOUSES, PRICES)
    row = {"kind": "flat", "size": 50}
    data = json.loads(model.explain(row).to_json())
    first = data["neighbors"][0]
    assert data["prediction"] == model.predict([row])[0]
    assert first == {
        "row": 3,
        "distance": 0.0,
        "counts": 1.0,
        "target": 190.0,
        "values": {"kind": "flat", "size": None},
        "differences": {"kind": 0.0, "size": None},
    }


def test_of_many_columns_those_are_shown_that_differ_most():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 40))
    rows[:, 7] = np.arange(30)
    model = tw.KNeighborsRegressor().fit(rows, rows[:, 0])
    text = model.explain(rows[0]).to_text()
    assert "20 more columns" in text
    assert "other columns" in text


@pytest.mark.parametrize("row", [X[:2], {"outlok": "Rain"}])
def test_a_row_that_cannot_be_explained_is_told_so(row):
    with pytest.raises(tw.DataError):
        tw.KNeighborsClassifier(3).fit(X, Y).explain(row)


def test_a_worksheet_has_the_distance_table_of_each_row():
    model = tw.KNeighborsRegressor(metric="gower").fit(HOUSES, PRICES)
    text = tw.worksheet(model, {"kind": ["flat"], "size": [50]}, [190]).to_text()
    assert "size    |a - b| / 90" in text
    line = next(line for line in text.splitlines() if line.startswith("*   2 "))
    assert line.split() == ["*", "2", "0", "0.1111", "0.1111", "0.0556", "210", "1"]
    assert "distance = (0 + (60 - 50)/90)/2 = 0.0556" in text
    assert "mean = (190 + 210 + 120 + 100 + 300)/5 = 184.0000" in text
    assert "prediction: 184; the true target is 190" in text


def test_a_worksheet_without_rows_is_that_of_the_training_rows():
    sheet = tw.worksheet(tw.KNeighborsClassifier(3).fit(X, Y))
    assert "11 more rows" in sheet.to_text()
    assert "training row 0 is identical" in sheet.to_text()
    assert "Row 13" in sheet.to_text(max_steps=14)
    for form in (sheet.to_markdown, sheet.to_latex, sheet.to_html):
        assert "outlook" in form(max_steps=1)
    with pytest.raises(tw.ParameterError, match="max_steps"):
        sheet.to_text(max_steps=0)


def test_neighbors_that_count_by_distance_are_shown_so():
    model = tw.KNeighborsRegressor(2, weights="distance").fit([[0.0], [1.0], [4.0]], [6.0, 4.0, 8])
    assert "mean = (4 + 0.3333 × 6)/1.3333 = 4.5000" in model.explain([1.5]).to_text()
