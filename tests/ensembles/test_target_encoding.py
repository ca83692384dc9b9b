"""Nominal columns of many categories, encoded by the mean target of each."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treewright as tw
from treewright._kernels.learners import LeafPrediction
from treewright.data.column import NominalColumn
from treewright.data.scanned_table import ScannedTable
from treewright.ensembles.boosting import target_encoding
from treewright.ensembles.boosting.target_encoding import TargetEncoding, means
from treewright.persistence.model_file import model_bytes
from treewright.tree.predict import kernel_rows


def made_rows(n_rows, n_categories, seed=0):
    """Rows whose target follows their categories; some values are missing."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(size=n_categories)
    code = rng.integers(n_categories, size=n_rows)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "city": [f"c{one}" for one in code],
            "color": rng.choice(["red", "green", "blue"], n_rows),
        }
    )
    y = effect[code] + 0.5 * X["size"] + 0.3 * rng.normal(size=n_rows)
    X.loc[::17, "city"] = None
    X.loc[::13, "size"] = np.nan
    return X, y.to_numpy()


def targets(y):
    return {
        "number": (tw.BoostedTreesRegressor, y),
        "two classes": (tw.BoostedTreesClassifier, y > 0),
        "three classes": (
            tw.BoostedTreesClassifier,
            np.array(["low", "mid", "high"])[np.digitize(y, [-0.5, 0.5])],
        ),
    }


def means_by_definition(codes, n_levels, target, weights, folds, smoothing):
    known = codes >= 0
    prior = (weights * target)[known].sum() / weights[known].sum() if known.any() else 0.0

    def mean(of):
        total = (weights * target)[of].sum() + smoothing * prior
        return total / (weights[of].sum() + smoothing) if of.any() else prior

    of_category = [
        mean(codes == code) if (codes == code).any() else np.nan for code in range(n_levels)
    ]
    of_row = [
        mean((codes == code) & (folds != fold)) if code >= 0 else np.nan
        for code, fold in zip(codes, folds, strict=True)
    ]
    return of_category, of_row


@given(
    st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 30), st.sampled_from([0.0, 0.5, 5.0])
)
def test_the_mean_of_a_row_comes_from_the_other_folds(seed, n_rows, n_levels, smoothing):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, n_levels, size=n_rows).astype(np.int32)
    target = rng.normal(size=n_rows)
    weights = rng.integers(1, 4, size=n_rows).astype(float)
    folds = rng.integers(10, size=n_rows)
    column = NominalColumn("c", codes, tuple(map(str, range(n_levels))))
    found = means(column, target, weights, folds, smoothing)
    expected = means_by_definition(codes, n_levels, target, weights, folds, smoothing)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("growth", ["leaf", "level", "symmetric"])
@pytest.mark.parametrize("n_categories", [21, 64, 300])
@pytest.mark.parametrize("kind", ["number", "two classes", "three classes"])
def test_sets_send_new_rows_as_the_thresholds_do(monkeypatch, kind, n_categories, growth):
    X, y = made_rows(900, n_categories)
    estimator, y = targets(y)[kind]
    seen = []
    as_sets = TargetEncoding.as_sets
    monkeypatch.setattr(
        TargetEncoding,
        "as_sets",
        lambda self, trees: seen.append((self, trees)) or as_sets(self, trees),
    )
    encoded = []
    rows_of = TargetEncoding.rows
    monkeypatch.setattr(
        TargetEncoding,
        "rows",
        lambda self, held: encoded.append(rows_of(self, held)) or encoded[-1],
    )
    model = estimator(n_estimators=8, growth=growth, random_state=0)
    model.fit(X[:800], y[:800], validation=(X[800:], y[800:]))
    assert model.encoded_columns_ == ("city",)
    (_, trees), new = seen[-1], encoded[-1].table
    sums = [np.zeros((100, len(model.start_))) for _ in range(2)]
    trees.add_values(kernel_rows(new), sums[0], 1, LeafPrediction.value, 0, trees.n_trees)
    state = model.state_
    state.packed.add_values(state.encode(X[800:], model), sums[1])
    assert (sums[0] == sums[1]).all()
    assert len(np.unique(sums[0])) > 10


@pytest.mark.parametrize("kind", ["number", "two classes", "three classes"])
def test_categories_that_say_much_are_used_and_noise_is_not(kind):
    X, y = made_rows(3000, 500)
    estimator, y = targets(y)[kind]
    plain = estimator(random_state=0, target_encoding=False).fit(X[:2000], y[:2000])
    model = estimator(random_state=0).fit(X[:2000], y[:2000])
    assert model.score(X[2000:], y[2000:]) > plain.score(X[2000:], y[2000:]) + 0.02
    noise = np.random.default_rng(1).permutation(y)
    model.fit(X[["city"]][:2000], noise[:2000])
    cities = X[["city"]]
    spread = model.predict_proba(cities) if kind != "number" else model.predict(cities)
    assert np.std(spread, axis=0).max() < 0.2


def test_a_model_file_holds_the_sets_and_the_names(tmp_path):
    X, y = made_rows(400, 40)
    model = tw.BoostedTreesRegressor(n_estimators=5, random_state=0).fit(X, y)
    model.save(tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    assert again.encoded_columns_ == ("city",)
    assert (again.predict(X) == model.predict(X)).all()
    rule = tw.BoostedTreesRegressor(n_estimators=5, random_state=0, n_jobs=2).fit(X, y)
    assert model_bytes(rule.set_params(n_jobs=None)) == model_bytes(model)


def test_few_categories_many_rows_and_later_rounds_keep_sets_found_in_nodes(monkeypatch):
    monkeypatch.setattr(target_encoding, "MOST_ROWS", 500)
    few, few_y = made_rows(400, 20)
    many, many_y = made_rows(501, 40)
    for X, y, settings in (
        (few, few_y, {}),
        (many, many_y, {}),
        (many[:400], many_y[:400], {"warm_start": True}),
        (many[:400], many_y[:400], {"target_encoding": False}),
    ):
        model = tw.BoostedTreesRegressor(n_estimators=3, random_state=0, **settings).fit(X, y)
        assert not hasattr(model, "encoded_columns_")
    asked = tw.BoostedTreesRegressor(n_estimators=3, target_encoding=True).fit(many, many_y)
    assert asked.encoded_columns_ == ("city",)


def test_what_the_encoding_cannot_do_is_refused(monkeypatch):
    X, y = made_rows(400, 40)
    with pytest.raises(tw.ParameterError, match="target_encoding=True with warm_start=True"):
        tw.BoostedTreesRegressor(n_estimators=3, target_encoding=True, warm_start=True).fit(X, y)
    scan = tw.scan([(X, y)])
    model = tw.BoostedTreesRegressor(n_estimators=3, random_state=0)
    expected = model_bytes(model.fit(*scan.read()))
    assert model_bytes(model.fit(scan)) == expected
    model = tw.BoostedTreesRegressor(n_estimators=2, growth="leaf", subsample=1.0).fit(X, y)
    with pytest.raises(tw.ParameterError, match="means that leave out some rows"):
        tw.worksheet(model, X, y)
    monkeypatch.setattr(ScannedTable, "most_rows_read", 10)
    monkeypatch.setattr(target_encoding, "MOST_ROWS", 100)
    with pytest.raises(tw.ParameterError, match="needs the values of 400 rows of a scan"):
        tw.BoostedTreesRegressor(n_estimators=3, target_encoding=True).fit(scan)


def test_columns_that_encode_one_column_share_its_group():
    X, y = made_rows(800, 40)
    _, y = targets(y)["three classes"]
    model = tw.BoostedTreesClassifier(
        n_estimators=10, random_state=0, interaction_cst=[["city"], ["size", "color"]]
    ).fit(X, y)
    used = [{tree.schema.names[at] for at in tree.feature if at >= 0} for tree in model.trees_]
    assert {"city"} in used
    assert not any("city" in names and names & {"size", "color"} for names in root_paths(model))


def root_paths(model):
    """The columns on the way to each leaf."""
    for tree in model.trees_:
        parent = {
            first + at: node
            for node, first in enumerate(tree.first_child.tolist())
            for at in range(tree.n_children[node])
        }
        for leaf in np.flatnonzero(tree.feature < 0).tolist():
            names, node = set(), leaf
            while node in parent:
                node = parent[node]
                names.add(tree.schema.names[tree.feature[node]])
            yield names


def test_targets_near_the_largest_number_are_encoded_too():
    X, y = made_rows(400, 40)
    model = tw.BoostedTreesRegressor(n_estimators=3, random_state=0).fit(X, y * 1e150)
    assert np.isfinite(model.predict(X)).all()
    assert np.unique(model.predict(X)).size > 5
