"""JSON with stable keys, and pages that names cannot break."""

import json
from html.parser import HTMLParser

import numpy as np
import pytest

import treewright as tw

KEYS = [
    "row",
    "prediction",
    "probabilities",
    "runner_up",
    "path",
    "ends",
    "gaps",
    "reason",
    "change",
    "change_is_known",
    "immutable",
    "directions",
    "wanted",
    "tolerance",
    "neighbors",
    "what_if",
]
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "{{7*7}}",
    "שלום",
    "🌳" * 3,
    "a\nb|c`d*e_f",
    "\"quoted\" & 'so'",
]


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *(name for name, _ in attrs)))


def hostile_explanation():
    rng = np.random.default_rng(0)
    rows = [
        dict(zip(HOSTILE, rng.choice(HOSTILE, size=len(HOSTILE)), strict=True)) for _ in range(60)
    ]
    y = [row[HOSTILE[0]] for row in rows]
    model = tw.C45Classifier().fit(rows, y)
    return model.explain(rows[0] | {HOSTILE[1]: None}, rows, y)


def test_the_keys_are_those_of_the_documentation():
    X, y = tw.load_sample("tennis")
    data = json.loads(tw.C45Classifier().fit(X, y).explain({"outlook": "Rain"}, X, y).to_json())
    assert [*data] == KEYS
    assert [*data["path"][0]] == [
        "node",
        "depth",
        "condition",
        "value",
        "share",
        "n_rows",
        "weight",
        "counts",
        "prediction",
        "support",
        "interval",
    ]
    assert [*data["gaps"][0]] == ["node", "column", "why", "effect", "if_known"]
    assert [*data["reason"]] == ["columns", "conditions", "is_minimal", "is_smallest", "is_widest"]
    condition = ["column", "text", "above", "up_to", "levels", "is_unknown"]
    assert [*data["reason"]["conditions"][0]] == condition
    assert [*data["change"]] == ["columns", "prediction", "size"]
    assert [*data["change"]["columns"][0]] == ["column", "old", "new", "size", "to", "text"]
    assert [*data["change"]["columns"][0]["to"]] == condition
    assert [*data["neighbors"][0]] == ["row", "distance", "target", "values"]
    assert [end["share"] for end in data["ends"]] == [0.6, 0.4]


def test_json_holds_numbers_dates_and_infinities():
    days = np.array(["2024-01-01", "2024-01-10", "2024-02-01", "2024-03-01"], dtype="datetime64[D]")
    model = tw.CARTClassifier(prune=None).fit({"day": days}, [1, 1, 2, 2])
    data = json.loads(model.explain({"day": days[0]}).to_json())
    assert data["row"] == {"day": "2024-01-01"}
    assert data["prediction"] == 1
    assert data["change"]["columns"][0]["to"]["above"] == "2024-01-21"
    model = tw.CARTRegressor(prune=None).fit([[0.0], [1.0]], [0.0, 1.0])
    data = json.loads(model.explain([np.inf]).to_json())
    assert data["row"] == {"x0": "inf"}
    assert data["path"][-1]["interval"] is None


def test_hostile_names_stay_words_on_a_page():
    found = hostile_explanation()
    for page in (found.to_html(), found._repr_html_()):
        tags = Tags()
        tags.feed(page)
        assert not {tag for tag, *_ in tags.found} & {"img", "script", "iframe", "object"}
        assert not [attrs for _, *attrs in tags.found if any(a.startswith("on") for a in attrs)]
        assert "http://" not in page.replace("http://www.w3.org", "")
    assert json.loads(found.to_json())["row"][HOSTILE[0]] == found.row[HOSTILE[0]]
    assert len(found.to_text().splitlines()) < 40


def test_the_page_shows_the_row_that_it_explains():
    X, y = tw.load_sample("tennis")
    page = tw.ID3Classifier().fit(X, y).explain(X[0:1]).to_markdown()
    assert "| temperature | Hot |" in page
    assert "| **outlook** | **Sunny** |" in page  # part of the reason


def test_an_explanation_is_known_by_its_public_name():
    X, y = tw.load_sample("tennis")
    found = tw.ID3Classifier().fit(X, y).explain(X[0:1])
    assert isinstance(found, tw.Explanation)
    assert repr(found).startswith("<Explanation: No because outlook = Sunny")


@pytest.mark.parametrize("form", ["to_text", "to_markdown", "to_html", "to_json", "to_latex"])
def test_every_form_is_text(form):
    assert isinstance(getattr(hostile_explanation(), form)(), str)
