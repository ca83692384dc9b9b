"""Trees, rules, explanations, reports and pictures write columns and targets in the same words."""

import json
import pickle

import numpy as np
import pytest

import treewright as tw

N_ROWS = 240


@pytest.fixture(scope="module")
def houses():
    """A table as people have it: dollars, square meters, columns of 0 and 1 with missing values."""
    random = np.random.default_rng(4)
    area, pool, garage = random.integers(40, 220, N_ROWS), *random.integers(0, 2, (2, N_ROWS))
    price = 500 * area + 60_000 * pool + 40_000 * garage + random.normal(0, 5000, N_ROWS)
    is_missing = random.random(N_ROWS) < 0.1
    lines = ["area,pool,garage,price,is_dear"]
    for at in range(N_ROWS):
        cells = [f"{area[at]} m²", str(pool[at]), "" if is_missing[at] else str(garage[at])]
        cells += [f'"${price[at]:,.0f}"', "yes" if price[at] > 120_000 else "no"]
        lines.append(",".join(cells))
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def priced(houses, tmp_path_factory):
    """The rows, the prices and a tree of them."""
    path = tmp_path_factory.mktemp("houses") / "houses.csv"
    path.write_bytes(houses)
    table = tw.read_table(path)
    X, y = table.drop("is_dear").split_target("price")
    return X, y, tw.CARTRegressor(max_depth=3).fit(X, y)


@pytest.fixture(scope="module")
def judged(houses, tmp_path_factory):
    """The rows, the classes and a tree in which rows with missing values are divided."""
    path = tmp_path_factory.mktemp("houses") / "houses.csv"
    path.write_bytes(houses)
    X, y = tw.read_table(path).drop("price").split_target("is_dear")
    return X, y, tw.C45Classifier().fit(X, y)


def texts_of(X, y, model):
    """Everything that people read about a model."""
    explanation = model.explain(X[0:1], X, y)
    rules = tw.rules(model)
    return {
        "tree": str(model.tree_),
        "export": model.export_text(),
        "rules": str(rules),
        "rule": str(rules[0]),
        "table": rules.to_markdown(),
        "why": rules.explain(X, row=0).to_text(),
        "explanation": explanation.to_text(),
        "page": explanation.to_html(),
        "report": tw.report(model, X, y).to_html(),
    }


@pytest.mark.parametrize("kind", ["priced", "judged"])
def test_a_column_of_0_and_1_is_yes_or_no_everywhere(kind, request):
    X, y, model = request.getfixturevalue(kind)
    for name, text in texts_of(X, y, model).items():
        shown = text.split('id="calculation"')[0] if name == "report" else text
        assert "pool <= 0" not in shown, name
        assert "pool > 0" not in shown, name
        assert "pool" in shown, name
    assert "pool = yes" in str(model.tree_)
    row = {"area": 100, "pool": 0, "garage": 1}
    assert "pool from no to yes" in str(model.explain(row, immutable=["area"]))


def test_thresholds_stay_where_programs_or_calculations_need_them(judged):
    X, y, model = judged
    assert "pool <= 0" in model.export_text(exact=True)
    assert "pool <= 0" in tw.rules(model).to_text(exact=True)
    assert "pool <= 0" in tw.worksheet(model, X, y).to_text()
    assert "pool <= 0" in tw.export(model, to="dot")
    found = json.loads(model.explain({"area": 100, "pool": 0, "garage": 1}).to_json())
    assert any(one["condition"] == "pool <= 0" for one in found["path"])
    assert any(one["value"] == "0" for one in found["path"])
    conditions = json.loads(tw.rules(model).to_json())["rules"][0]["conditions"]
    assert all("above" in one or "at_most" in one for one in conditions)
    assert "pool = no (&lt;= 0)" in model.draw().to_svg()


def test_a_target_in_dollars_is_predicted_in_dollars(priced):
    X, y, model = priced
    for name, text in texts_of(X, y, model).items():
        assert "$" in text, name
    svg = model.draw(target="price").to_svg()
    mean = y.mean()
    assert f"${mean:,.0f}" in svg
    verdict = tw.evaluate(model, X, y, folds=3).verdict
    assert "; off by $" in str(verdict)
    assert "RMSE $" in str(verdict)
    assert model.predict(X).dtype == np.float64
    assert tw.rules(model).to_frame()["then"].dtype == np.float64


def test_the_format_of_the_target_is_kept_in_files_and_pickles(priced, tmp_path):
    *_, model = priced
    model.save(tmp_path / "model.json")
    assert str(tw.load(tmp_path / "model.json").tree_) == str(model.tree_)
    assert str(pickle.loads(pickle.dumps(model)).tree_) == str(model.tree_)
    model_in_file = json.loads((tmp_path / "model.json").read_text())
    assert '"target_format": {"before": "$", "thousands": ","}' in json.dumps(model_in_file)
    assert "$" in str(model.to_depth(1).tree_)


def test_what_is_computed_from_the_target_has_no_dollars(priced):
    X, y, _ = priced
    assert "$" not in str(tw.CARTRegressor(max_depth=1).fit(X, np.log(y)).tree_)
    half = np.arange(0, N_ROWS, 2)
    assert "$" in str(tw.CARTRegressor(max_depth=1).fit(X.take(half), y[half]).tree_)


@pytest.mark.parametrize(
    "model", [tw.RandomForestRegressor(n_estimators=3), tw.BoostedTreesRegressor(n_estimators=3)]
)
def test_ensembles_predict_dollars_too(model, priced):
    X, y, _ = priced
    fitted = model.fit(X, y)
    text = fitted.explain(X[0:1]).to_text()
    assert "prediction: $" in text
    assert "m²" in text
    assert "$" in str(fitted.trees_[0])


def test_logarithms_of_the_target_are_not_in_dollars(priced):
    X, y, _ = priced
    fitted = tw.BoostedTreesRegressor(n_estimators=3, loss="poisson").fit(X, y)
    assert "$" not in str(fitted.trees_[0])


def test_parts_of_rows_are_rounded_to_rows_unless_rows_have_weights(judged):
    X, y, model = judged
    text = str(model.explain({"area": 100, "pool": 0, "garage": 1}))
    assert " of weight" not in text
    paths = [model.explain(X[at : at + 1]).path for at in range(20)]
    assert any(one.weight != round(one.weight) for path in paths for one in path)
    weighted = tw.C45Classifier().fit(X, y, sample_weight=np.arange(N_ROWS) % 3 + 1)
    assert " rows of weight " in str(weighted.explain({"area": 100, "pool": 0, "garage": 1}))


def test_a_printed_tree_explains_fractional_counts(judged):
    *_, model = judged
    last = str(model.tree_).splitlines()[-1]
    assert last.startswith("# (")
    assert "training rows reach the leaf" in last
    assert last.endswith("Rows with missing values count fractionally.")
    again = tw.tree_from("\n".join([model.export_text(exact=True), last]))
    assert again.get_n_leaves() == model.get_n_leaves()


@pytest.mark.parametrize("exact", [True, False])
def test_a_printed_tree_of_yes_and_no_reads_back(exact):
    X = {"flag": [True, False, True, False] * 5, "dummy": [1, 0, 0, 1] * 5}
    y = ["a", "b", "a", "c"] * 5
    model = tw.CARTClassifier(prune=None, min_samples_leaf=1).fit(X, y)
    assert "dummy = yes" in model.export_text()
    assert "flag = no" in model.export_text()
    again = tw.tree_from(model.export_text(exact=exact))
    assert again.predict(X).tolist() == model.predict(X).tolist()


def test_other_numbers_are_no_answer_to_yes_or_no():
    tree = tw.tree_from({"dummy": {"yes": "a", "no": "b"}})
    with pytest.raises(tw.DataError, match="knows this column by string categories"):
        tree.predict({"dummy": [0.0, 2.0]})
