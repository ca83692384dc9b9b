"""The worksheet of a forest: its draws made again, its nodes, and the vote."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.documents.page import Heading, SheetTable
from treewright.ensembles.forests.drawn_columns import DrawnTree
from treewright.ensembles.forests.growth import drawn
from treewright.ensembles.forests.settings import forest_settings
from treewright.errors import DataError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def mixed_rows(seed, n_rows=150, n_levels=6):
    """Numbers with few and with many values, categories, constants, missing values."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n_rows)
    few = rng.integers(0, 4, n_rows).astype(float)
    few[rng.random(n_rows) < 0.15] = np.nan
    names = np.array([f"level {at}" for at in range(n_levels)])
    words = [None if rng.random() < 0.1 else str(one) for one in rng.choice(names, n_rows)]
    X = {"x": x, "few": few, "words": words, "same": np.ones(n_rows), "z": rng.normal(size=n_rows)}
    score = x + np.nan_to_num(few) + rng.normal(size=n_rows)
    return X, score


def draws_of(forest, X, y, number, sample_weight=None):
    state = forest.state_
    rows = forest.training_rows(X, y, sample_weight)
    config = forest_settings(forest, rows, state.seed, 0)
    own = drawn(rows, config, number)
    tree = state.trees[number]
    return tree, DrawnTree(state.trees, number, tree, own, config).drawn_again()


@given(
    seed=st.integers(0, 10_000),
    max_features=st.sampled_from([1, 2, 3, 5]),
    is_class=st.booleans(),
    params=st.sampled_from(
        [
            {},
            {"bootstrap": False, "max_samples": 0.6},
            {"bootstrap": False},
            {"max_depth": 3},
            {"min_samples_leaf": 4},
            {"min_samples_split": 9},
            {"min_gain": 0.01},
        ]
    ),
)
@settings(max_examples=60, deadline=None)
def test_the_draws_made_again_are_those_of_the_growers(seed, max_features, is_class, params):
    """Every split is on a column that was drawn: by chance that would hardly ever be so."""
    X, score = mixed_rows(seed)
    y = np.digitize(score, [0, 1, 2]) if is_class else score
    kind = tw.RandomForestClassifier if is_class else tw.RandomForestRegressor
    forest = kind(n_estimators=3, max_features=max_features, random_state=seed, **params).fit(X, y)
    for number in range(3):
        tree, found = draws_of(forest, X, y, number)
        assert found is not None
        inner = np.flatnonzero(~tree.is_leaf)
        assert {*inner.tolist()} <= {*found.columns}
        for node in inner.tolist():
            assert int(tree.feature[node]) in found.columns[node]
            assert len(set(found.columns[node])) == len(found.columns[node]) >= min(max_features, 4)


def test_columns_of_very_many_categories_are_drawn_again_too():
    X, score = mixed_rows(3, n_rows=900, n_levels=400)
    y = np.digitize(score, [0, 1])
    forest = tw.RandomForestClassifier(n_estimators=4, max_features=2, random_state=1).fit(X, y)
    for number in range(4):
        _, found = draws_of(forest, X, y, number)
        assert found is not None


def test_weights_of_rows_are_kept():
    X, score = mixed_rows(5)
    weights = np.random.default_rng(0).integers(0, 4, len(score)).astype(float)
    y = np.digitize(score, [0, 1])
    forest = tw.RandomForestClassifier(n_estimators=3, random_state=2).fit(X, y, weights)
    sheet = tw.worksheet(forest, X, y, weights, tree=2)
    assert sheet.nodes[0].group.weight > 0
    shown = table_after(sheet.document(), "The vote", 1)
    assert all(weights[int(row[0])] > 0 for row in shown.rows)


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_each_node_chose_the_best_of_the_columns_that_were_drawn(task, number):
    X, score = mixed_rows(11, n_rows=120)
    y = np.digitize(score, [0, 1, 2]) if task == "classes" else score
    kind = tw.RandomForestClassifier if task == "classes" else tw.RandomForestRegressor
    forest = kind(n_estimators=3, max_features=2, random_state=4).fit(X, y)
    sheet = tw.worksheet(forest, X, y, tree=number)
    columns = sheet.work.columns
    n_refused = n_inner = 0
    for work in sheet.nodes:
        assert work.group.n_rows == sheet.work.tree.n_rows[work.node]
        if work.chosen is None:
            assert work.stop_reason
            continue
        n_inner += 1
        drawn_here = columns[work.node]
        for found in work.candidates:
            assert (found.refused == "not drawn") == (found.feature not in drawn_here)
            n_refused += found.refused == "not drawn"
        assert not work.margin < -1e-9
    assert n_inner > 5
    assert n_refused > n_inner


def table_after(document, heading, at=0):
    """The table number `at` of a section."""
    blocks = document.blocks
    start = next(
        place
        for place, one in enumerate(blocks)
        if isinstance(one, Heading) and one.text == heading
    )
    return [one for one in blocks[start:] if isinstance(one, SheetTable)][at]


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_the_vote_is_recounted(voting):
    X, score = mixed_rows(7)
    y = np.array(["low", "mid", "high"])[np.digitize(score, [0, 2])]
    forest = tw.RandomForestClassifier(n_estimators=15, voting=voting, random_state=3).fit(X, y)
    document = tw.worksheet(forest, X, y).document(decimals=9)
    votes = forest.votes(X)
    one, every = table_after(document, "The vote", 0), table_after(document, "The vote", 1)
    (marked,) = every.marked
    row = int(every.rows[marked][0])
    assert [line[-1] for line in one.rows] == votes[row].tolist()
    shares = np.array([[float(cell) for cell in line[2:-1]] for line in one.rows])
    np.testing.assert_allclose(
        shares.mean(axis=0), forest.predict_proba(forest_rows(X, row))[0], atol=1e-8
    )
    for place, (at, truth, counts, predicted, n_without, by_others) in enumerate(every.rows):
        own = votes[int(at)].tolist()
        assert truth == y[int(at)]
        assert predicted == forest.predict(forest_rows(X, int(at)))[0]
        parts = [part.rpartition(" ") for part in counts.split(", ")]
        assert {label: int(n) for label, _, n in parts} == {one: own.count(one) for one in own}
        drawn_for = [int(at) in forest.drawn_rows(number) for number in range(15)]
        assert int(n_without) == drawn_for.count(False)
        if voting == "hard" and by_others:
            others = [label for label, is_in in zip(own, drawn_for, strict=True) if not is_in]
            assert others.count(by_others) == max(others.count(label) for label in set(others))
        assert place < 30


def forest_rows(X, row):
    return {name: list(values)[row : row + 1] for name, values in X.items()}


def test_the_drawn_rows_are_counted():
    X, score = mixed_rows(9)
    forest = tw.RandomForestRegressor(n_estimators=2, random_state=0).fit(X, score)
    document = tw.worksheet(forest, X, score, tree=1).document()
    times = np.bincount(forest.drawn_rows(1), minlength=len(score))
    by_times = table_after(document, "Rows drawn for tree 1", 0)
    expected = [(str(at), str(n)) for at, n in enumerate(np.bincount(times)) if n]
    assert list(by_times.rows) == expected
    each = table_after(document, "Rows drawn for tree 1", 1)
    assert [(int(row), int(n)) for row, n in each.rows] == list(enumerate(times[:30].tolist()))


@pytest.mark.parametrize(
    "forest",
    [
        tw.ExtraTreesClassifier(n_estimators=3, random_state=0),
        tw.RandomForestClassifier(n_estimators=3, max_leaf_nodes=4, random_state=0),
        tw.RandomForestClassifier(n_estimators=3, inductors=["id3", "cart"], random_state=0),
        tw.RandomForestClassifier(n_estimators=3, splits="exact", random_state=0),
    ],
)
def test_forests_that_draw_otherwise_show_the_tree_and_the_vote(forest, tmp_path):
    X, y = tw.load_sample("tennis")
    sheet = tw.worksheet(forest.fit(X, y), X, y)
    text = sheet.to_text()
    assert "The comparison at each node is not shown" in text
    assert "The vote" in text
    for ending in ("html", "md", "tex"):
        sheet.save(tmp_path / f"sheet.{ending}")


def test_all_columns_and_all_rows_are_said_to_be_all():
    X, y = tw.load_sample("iris")
    model = tw.RandomForestClassifier(
        n_estimators=2, bootstrap=False, max_features=1.0, random_state=0
    ).fit(X, y)
    text = tw.worksheet(model, X, y).to_text(steps="summary")
    assert "The tree gets all 150 training rows, each once." in text
    assert "Every node may choose from all columns." in text


def test_mistakes_are_named():
    X, y = tw.load_sample("tennis")
    model = tw.RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(ParameterError, match="there is no tree 3: the forest has 3"):
        tw.worksheet(model, X, y, tree=3)
    with pytest.raises(ParameterError, match="needs the training rows"):
        tw.worksheet(model)
    with pytest.raises(DataError, match="fitted to 14 rows, but 3 are given"):
        tw.worksheet(model, X[:3], y[:3])
    with pytest.raises(DataError, match="not the rows that the model was fitted to"):
        tw.worksheet(model, X, np.roll(y, 1))
    with pytest.raises(ParameterError, match="tree= is for forests"):
        tw.worksheet(tw.ID3Classifier().fit(X, y), X, y, tree=1)
    with pytest.raises(ParameterError, match="measures is for single trees"):
        tw.worksheet(model, X, y, measures="gini_gain")
