"""The worksheet of an Imputer: every number recounted from the rows."""

import math
import random
import statistics
from collections import Counter

import pytest

import treewright as tw
from treewright.documents.page import Heading, SheetTable
from treewright.errors import DataError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def people(seed, n_rows=80):
    rng = random.Random(seed)
    rows = [
        {
            "age": None if rng.random() < 0.2 else float(rng.randint(18, 30)),
            "town": None if rng.random() < 0.2 else rng.choice(["Ulm", "Rom", "Bonn"]),
            "height": rng.gauss(170, 10),
        }
        for _ in range(n_rows)
    ]
    return rows, [rng.choice(["yes", "no"]) for _ in range(n_rows)]


def known(rows, name):
    return [row[name] for row in rows if row[name] is not None]


@pytest.mark.parametrize("strategy", ["mean", "median", "mode"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_overview_is_recounted(strategy, seed):
    X, _ = people(seed)
    sheet = tw.worksheet(tw.Imputer(strategy=strategy).fit(X), X, None)
    table = next(one for one in sheet.document(decimals=9).blocks if isinstance(one, SheetTable))
    assert [row[0] for row in table.rows] == ["age", "town", "height"]
    for at, (name, _, with_value, without, fill) in enumerate(table.rows):
        values = known(X, name)
        assert int(with_value) == len(values)
        assert int(without) == len(X) - len(values)
        assert (at in table.marked) == (len(values) < len(X))
        if name == "town":
            counts = Counter(values)
            assert counts[fill] == max(counts.values())
        elif strategy == "mode":
            counts = Counter(values)
            best = max(counts.values())
            expected = min(value for value in counts if counts[value] == best)
            assert float(fill) == pytest.approx(expected)
        else:
            assert float(fill) == pytest.approx(getattr(statistics, strategy)(values))


@pytest.mark.parametrize("seed", [1, 2])
def test_the_mean_is_a_sum_divided_by_the_rows(seed):
    X, _ = people(seed)
    text = tw.worksheet(tw.Imputer().fit(X), X).to_text()
    values = known(X, "age")
    assert f"mean = {sum(values):.4f}/{len(values)} = " in text
    assert "No value is missing in height." in text


def test_frequencies_are_recounted_by_class():
    X, y = people(5)
    model = tw.Imputer(strategy="mode", by_class=True)
    model.fit(X, y)
    blocks = tw.worksheet(model, X, y).document().blocks
    heading, n_checked = "", 0
    for block in blocks:
        if isinstance(block, Heading):
            heading = block.text
        elif isinstance(block, SheetTable) and heading.startswith("town"):
            label = heading.rpartition("class ")[2] if "class" in heading else None
            own = [row for row, one in zip(X, y, strict=True) if label in (None, one)]
            counts = Counter(known(own, "town"))
            assert {row[0]: int(row[1]) for row in block.rows} == counts
            (at,) = block.marked
            assert block.rows[at][0] == (
                model.fill_values_ if label is None else
                {"town": model.class_fill_values_["town"][label]}
            )["town"]  # fmt: skip
            n_checked += 1
    assert n_checked == 3


def test_weights_count():
    X = {"x": [1.0, 2.0, None], "y": ["a", "b", None]}
    weights = [1, 3, 1]
    text = tw.worksheet(tw.Imputer().fit(X, sample_weight=weights), X, None, weights).to_text()
    assert "mean = 7.0000/4 = 1.75" in text
    assert "weight with a value" in text


def test_a_constant_and_a_column_without_values_are_shown():
    X = {"x": [1.0, None], "empty": [None, None]}
    text = tw.worksheet(tw.Imputer(strategy="constant").fit(X), X).to_text()
    assert "replaced by a constant" in text
    text = tw.worksheet(tw.Imputer().fit(X), X).to_text()
    assert "empty" in text


def test_other_rows_and_no_rows_are_refused():
    X, _ = people(1)
    model = tw.Imputer().fit(X)
    with pytest.raises(ParameterError, match="needs the training rows"):
        tw.worksheet(model)
    with pytest.raises(DataError, match="not the training rows"):
        tw.worksheet(model, people(2)[0])


def test_all_forms_are_written(tmp_path):
    X, y = people(1)
    sheet = tw.worksheet(tw.Imputer(strategy="median", by_class=True).fit(X, y), X, y)
    for ending in ("html", "md", "tex", "txt", "json", "csv"):
        sheet.save(tmp_path / f"sheet.{ending}")
    assert repr(sheet) == "<FillSheet: 3 columns>"
    assert math.isfinite(len(sheet.to_frame()))
