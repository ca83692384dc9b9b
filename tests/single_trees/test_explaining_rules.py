"""C45Rules explains its predictions: the rule, the rules before it, the reason, the change."""

import random

import numpy as np
import pytest

import treewright as tw
from treewright.errors import ParameterError, UnknownColumnError
from treewright.explanations import by_rules
from treewright.rulesets.as_tree import tree_of_rules

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def people(seed, n_rows=150, missing=0.1):
    rng = random.Random(seed)
    rows, y = [], []
    for _ in range(n_rows):
        row = {"age": rng.randint(18, 80), "rate": rng.random(), "town": rng.choice("abcd")}
        label = "yes" if (row["age"] > 50) == (row["town"] in "ab") else "no"
        y.append(label if rng.random() > 0.15 else rng.choice(["yes", "no"]))
        rows.append({name: None if rng.random() < missing else row[name] for name in row})
    return rows, y


def fulfills(reason, row):
    for one in reason.conditions:
        value = row[one.column]
        if one.is_unknown:
            if value is not None:
                return False
        elif value is None:
            return False
        elif one.levels is not None:
            if value not in one.levels:
                return False
        elif (one.above is not None and value <= one.above) or (
            one.up_to is not None and value > one.up_to
        ):
            return False
    return True


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_reason_determines_the_prediction_and_the_change_flips_it(seed):
    X, y = people(seed)
    model = tw.C45Rules(min_samples_leaf=1).fit(X, y)
    others, _ = people(seed + 100, n_rows=400, missing=0.3)
    predicted = model.predict(others)
    n_met = 0
    for row in X[:40]:
        found = model.explain(row)
        assert found.prediction == model.predict([row])[0]
        assert list(found.probabilities.values()) == model.predict_proba([row])[0].tolist()
        alike = [label for one, label in zip(others, predicted, strict=True)
                 if fulfills(found.reason, one)]  # fmt: skip
        n_met += len(alike)
        assert set(alike) <= {found.prediction}
        changed = row | {one.column: one.new for one in found.change.columns}
        assert model.predict([changed])[0] == found.change.prediction != found.prediction
    assert n_met > 200


@pytest.mark.parametrize("seed", [1, 2])
def test_the_rules_before_it_fail_where_the_explanation_says(seed):
    X, y = people(seed)
    model = tw.C45Rules(min_samples_leaf=1).fit(X, y)
    rules = list(model.rules_)
    for row, at in zip(X[:40], model.apply(X[:40]), strict=True):
        found = model.explain(row)
        assert [one.name for one in found.failed] == [
            rule.name for rule in (rules if at < 0 else rules[:at])
        ]
        assert (found.rule is None) == (at < 0)
        for failed in found.failed:
            rule = model.rules_[failed.name]
            own = [one for one in rule.conditions if str(one) == failed.condition]
            shares = [tw.rules(model).encode_rows([row])]
            assert own
            assert by_rules.fulfilling(tuple(own), shares[0])[0] == 0
        if found.rule is not None:
            assert found.rule.name == rules[at].name
            assert found.path[-1].n_rows == rules[at].n_rows


def test_without_the_tree_the_reason_is_longer_but_still_true(monkeypatch):
    X, y = people(5)
    model = tw.C45Rules(min_samples_leaf=1).fit(X, y)
    monkeypatch.setattr(by_rules, "tree_of_rules", lambda rules: tree_of_rules(rules, max_nodes=3))
    others, _ = people(105, n_rows=400)
    predicted = model.predict(others)
    for row in X[:30]:
        found = model.explain(row)
        alike = [label for one, label in zip(others, predicted, strict=True)
                 if fulfills(found.reason, one)]  # fmt: skip
        assert set(alike) <= {found.prediction}
        assert found.change is None
        assert "not found, the search was cut short" in str(found)


def test_limits_neighbors_and_mistakes_are_those_of_trees():
    X, y = tw.load_sample("tennis")
    model = tw.C45Rules().fit(X, y)
    found = model.explain(X[0:1], X, y, immutable=("humidity",))
    assert "humidity fixed" in str(found)
    assert len(found.neighbors) == 3
    with pytest.raises(ParameterError, match="did you mean 'Yes'"):
        model.explain(X[0:1], wanted="yess")
    with pytest.raises(ParameterError, match="for numeric predictions"):
        model.explain(X[0:1], tolerance=1)
    with pytest.raises(UnknownColumnError, match="`outlok`"):
        model.explain({"outlok": "Rain"})


def test_the_picture_shows_the_rules_and_the_way_of_a_row():
    X, y = tw.load_sample("tennis")
    model = tw.C45Rules().fit(X, y)
    svg = tw.draw(model, row=X[4:5]).to_svg()
    for text in ("R1", "R5", "otherwise", "if humidity = Normal", "7 rows, 1 wrong"):
        assert f">{text}" in svg
    assert repr(tw.draw(model, max_nodes=2)).startswith("<Picture: 2 of 5 rules")
    assert "… 3 more rules, otherwise" in tw.draw(model, max_nodes=2).to_svg()
    assert repr(tw.draw(model, max_nodes=1, row=X[4:5])).startswith("<Picture: 2 of 5 rules")
    assert repr(tw.draw(model, min_share=0.25)).startswith("<Picture: 2 of 5 rules")
    with pytest.raises(ParameterError, match="direction= is for trees"):
        tw.draw(model, direction="down")
    with pytest.raises(ParameterError, match="max_nodes is 0"):
        tw.draw(model, max_nodes=0)


def test_no_text_of_the_picture_leaves_it():
    rng = np.random.default_rng(0)
    X = {f"a rather long name of a column {at}": rng.normal(size=300) for at in range(4)}
    columns = np.array(list(X.values()))
    y = np.where(columns[0] * columns[1] + columns[2] > 0, "a class with a long name", "no")
    picture = tw.draw(tw.C45Rules(min_samples_leaf=2).fit(X, y))
    drawing = picture.drawing
    assert drawing.width < 800
    for left, right in texts_in(drawing.shapes):
        assert left >= 0
        assert right <= drawing.width


def texts_in(shapes, shift=0.0):
    """The left and right end of every text."""
    from treewright.pictures.shapes import Group, Text
    from treewright.pictures.text_width import text_width

    for shape in shapes:
        if isinstance(shape, Group):
            yield from texts_in(shape.shapes, shift + shape.shift[0])
        elif isinstance(shape, Text):
            width = text_width(shape.text, shape.size, bold=shape.bold)
            start = {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor]
            yield shift + shape.x - start * width, shift + shape.x + (1 - start) * width
