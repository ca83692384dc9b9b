"""K-Prototypes against plain loops, and what it says of words and holes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import treewright as tw
from changed_arrays import with_number
from fitted_states import with_learned
from reference import clustering_reference as reference
from treewright.verbs.load import model_bytes

WORDS = ("a", "b", "c")


@st.composite
def mixed_tables(draw):
    """Rows of numbers, words and holes, weights, and start points without holes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.lists(st.sampled_from(["number", "word"]), min_size=1, max_size=4))
    n_rows, n_clusters = draw(st.integers(4, 25)), draw(st.integers(1, 3))
    columns = [
        rng.integers(0, 4, n_rows) / 2.0 if kind == "number" else rng.choice(WORDS, n_rows)
        for kind in kinds
    ]
    rows = [
        [None if rng.random() < 0.15 else column[row].item() for column in columns]
        for row in range(n_rows)
    ]
    for at, column in enumerate(columns):  # every level is known, in the order of the alphabet
        for row, word in enumerate(WORDS):
            rows[row][at] = word if isinstance(column[0], str) else float(row)
    start = [[columns[at][row].item() for at in range(len(kinds))] for row in range(n_clusters)]
    weights = rng.integers(1, 4, n_rows).astype(float)
    return rows, start, weights, kinds


@given(mixed_tables(), st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from([1, 3]))
def test_P17_it_does_what_plain_loops_do(table, gamma, n_jobs):
    rows, start, weights, kinds = table
    levels = [WORDS if kind == "word" else () for kind in kinds]
    try:
        expected = reference.lloyd(rows, start, weights.tolist(), levels, gamma=gamma, max_iter=25)
    except reference.EmptyCluster:
        reject()
    settings = {"gamma": gamma, "scale": None, "max_iter": 25, "n_jobs": n_jobs}
    model = tw.KPrototypes(len(start), init=start, **settings).fit(rows, sample_weight=weights)
    labels, centers, n_rounds = expected
    assert model.labels_.tolist() == labels
    assert model.n_iter_ == n_rounds
    for at, column in enumerate(model.prototypes_.columns):
        for k, center in enumerate(centers):
            assert column.value(k) == (
                center[at] if isinstance(center[at], str) else pytest.approx(center[at])
            )
    squares = [
        reference.squared_distance(row, centers[k], gamma=gamma)
        for row, k in zip(rows, labels, strict=True)
    ]
    assert model.inertia_ == pytest.approx(float(np.dot(weights, squares)))


@given(mixed_tables(), st.sampled_from([0.0, 0.5, 2.0]))
def test_P17_no_round_raises_the_inertia(table, gamma):
    rows, start, weights, _ = table
    inertias = []
    for max_iter in range(1, 100):
        model = tw.KPrototypes(len(start), init=start, gamma=gamma, max_iter=max_iter)
        inertias.append(model.fit(rows, sample_weight=weights).inertia_)
        if model.converged_:
            break
    assert model.converged_
    assert all(after <= before * (1 + 1e-14) for before, after in pairwise(inertias))


def test_numbers_alone_are_k_means():
    X = np.asarray(tw.load_sample("iris")[0])
    mixed = tw.KPrototypes(3, scale=None).fit(X)
    plain = tw.KMeans(3).fit(X)
    np.testing.assert_array_equal(mixed.labels_, plain.labels_)
    np.testing.assert_array_equal(mixed.cluster_centers_, plain.cluster_centers_)


def test_words_alone_are_k_modes():
    X, _ = tw.load_sample("tennis")
    model = tw.KPrototypes(2).fit(X)
    assert model.gamma_ == 1.0
    differing = (np.asarray(X) != np.asarray(model.prototypes_)[model.labels_]).sum()
    assert model.inertia_ == differing


def test_gamma_makes_both_kinds_of_columns_count_the_same():
    rng = np.random.default_rng(0)
    X = {"size": rng.normal(size=4000), "word": rng.choice(["a", "b"], 4000)}
    assert tw.KPrototypes(2).fit(X).gamma_ == pytest.approx(2.0, abs=0.01)  # 1 / (1 - 1/2)


def test_clusters_of_words_and_numbers_are_found():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 3, 600)
    X = {
        "size": rng.normal(size=600) + 6.0 * (group == 2),
        "kind": np.where(rng.random(600) < 0.95, np.array(["x", "y", "x"])[group], "z"),
        "shape": np.where(rng.random(600) < 0.95, np.array(["p", "q", "p"])[group], "p"),
    }
    model = tw.KPrototypes(3).fit(X)
    counts = np.array([np.bincount(model.labels_[group == one], minlength=3) for one in range(3)])
    assert counts.max(axis=1).sum() > 550


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-160, 1e100])
@pytest.mark.parametrize("scale", ["standard", "range"])
def test_the_size_of_scaled_numbers_changes_nothing(size, scale):
    rng = np.random.default_rng(0)
    numbers, words = rng.normal(size=(60, 2)), rng.choice(WORDS, 60)
    numbers[:30] += 20
    numbers[5, 0] = np.nan
    fitted = [
        tw.KPrototypes(3, scale=scale).fit(
            {"x": numbers[:, 0] * by, "y": numbers[:, 1], "word": words}
        )
        for by in (1.0, size)
    ]
    np.testing.assert_array_equal(fitted[0].labels_, fitted[1].labels_)
    assert fitted[1].inertia_ == pytest.approx(fitted[0].inertia_)


def test_unseen_levels_and_holes_add_nothing():
    X, _ = tw.load_sample("loans")
    X = X.drop("loan")
    model = tw.KPrototypes(3).fit(X)
    row = {name: X[name].value(0) for name in X.names}
    with pytest.warns(UserWarning, match="not seen in training"):
        strange = model.transform([{**row, "work": "pirate"}])
    hole = model.transform([{**row, "work": None}])
    np.testing.assert_array_equal(strange, hole)
    strict = tw.KPrototypes(3, handle_unknown="error").fit(X)
    with pytest.raises(tw.DataError, match="'pirate' in column `work`, row 0"):
        strict.predict([{**row, "work": "pirate"}])


def test_a_level_of_left_out_rows_leaves_no_trace(recwarn):
    X = {"word": ["a", "a", "b", "c"], "size": [0.0, 1.0, 9.0, 1.0]}
    model = tw.KPrototypes(2).fit(X, sample_weight=[1.0, 1.0, 1.0, 0.0])
    assert model.schema_.columns[0].levels == ("a", "b")
    assert model.labels_[3] == model.labels_[1]
    assert not recwarn.list


def test_scores_count_weights():
    X, _ = tw.load_sample("tennis")
    weights = np.arange(14) % 3
    model = tw.KPrototypes(3).fit(X, sample_weight=weights)
    assert model.score(X, sample_weight=weights) == pytest.approx(-model.inertia_)


def test_start_points_must_be_known_levels():
    X, _ = tw.load_sample("tennis")
    start = [["Sunny", "Hot", "High", "Weak"], ["Foggy", "Mild", "High", "Weak"]]
    with pytest.raises(tw.DataError, match="'Foggy'"):
        tw.KPrototypes(2, init=start).fit(X)


def test_numbers_can_be_taken_as_words():
    X = [[1.0, 5.0], [2.0, 5.0], [1.0, 6.0], [2.0, 6.0]]
    model = tw.KPrototypes(2, categorical_features=[0, 1]).fit(X)
    assert [column.kind for column in model.prototypes_.columns] == ["nominal", "nominal"]
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_file_whose_prototype_has_no_level_is_refused(tmp_path):
    X, _ = tw.load_sample("tennis")
    model = tw.KPrototypes(2).fit(X)
    broken = model.cluster_centers_.copy()
    broken[0, 0] = 7.0
    model = with_learned(model, cluster_centers_=broken)
    model.save(tmp_path / "broken.tw")
    with pytest.raises(tw.ModelFileError, match="no level in column `outlook`"):
        tw.load(tmp_path / "broken.tw")


NO_FIT = "centers, labels and columns do not fit together"
NO_LEVEL = "no level in column `color`"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"gamma_": lambda _: 0.0}, None),
        ({"gamma_": lambda _: -0.1}, NO_FIT),
        ({"start_centers_": lambda a: a[:1]}, NO_FIT),
        ({name: lambda a: a[:, :1] for name in ("cluster_centers_", "start_centers_")}, NO_FIT),
        ({"divisors_": lambda a: a[:1]}, NO_FIT),
        ({"divisors_": with_number(0, 0.0)}, NO_FIT),
        ({"divisors_": with_number(0, -1.0)}, NO_FIT),
        ({"moves_": lambda a: a[:-1]}, NO_FIT),
        ({"moves_": with_number(0, -1)}, NO_FIT),
        ({"moves_": lambda a: a[:0], "n_iter_": lambda _: 0}, NO_FIT),
        ({"labels_": lambda a: a[:0]}, NO_FIT),
        ({"labels_": with_number(0, -1)}, NO_FIT),
        ({"labels_": with_number(0, 2)}, NO_FIT),
        ({"cluster_centers_": with_number((1, 1), 3.0)}, NO_LEVEL),
        ({"cluster_centers_": with_number((1, 1), 0.5)}, NO_LEVEL),
        ({"start_centers_": with_number((1, 1), -1.0)}, NO_LEVEL),
        ({"divisors_": with_number(1, 2.0)}, "`divisors_` of the words in `color`"),
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused(changes, words, tmp_path):
    X = {"size": [1.0, 2.0, 8.0, 9.0], "color": ["red", "red", "blue", "green"]}
    model = tw.KPrototypes(2).fit(X)
    for name, change in changes.items():
        model = with_learned(model, **{name: change(getattr(model, name))})
    model.save(tmp_path / "model.tw")
    if words is None:
        assert tw.load(tmp_path / "model.tw").predict(X).tolist() == model.predict(X).tolist()
    else:
        with pytest.raises(tw.ModelFileError, match=words):
            tw.load(tmp_path / "model.tw")


@pytest.mark.parametrize("kind", [tw.KMeans, tw.KPrototypes])
def test_the_answer_to_a_row_does_not_depend_on_the_holes_of_others(kind):
    X = np.random.default_rng(0).normal(size=(200, 5)) * [1.0, 3.0, 0.1, 7.0, 1e6]
    model = kind(n_clusters=4, n_init=1, scale="standard").fit(X)
    among_holes = np.vstack([X, np.full((1, 5), np.nan)])
    np.testing.assert_array_equal(model.transform(X), model.transform(among_holes)[:200])


def test_the_clusters_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    n_rows = 12_000
    numbers = np.where(rng.random((n_rows, 3)) < 0.05, np.nan, rng.normal(size=(n_rows, 3)))
    columns = {f"x{i}": numbers[:, i] for i in range(3)}
    columns |= {f"word{i}": rng.choice(list("abcdefg"), n_rows) for i in range(2)}
    weights = rng.random(n_rows)
    models = [tw.KPrototypes(5, max_iter=8, n_init=1, n_jobs=jobs) for jobs in (1, 2, 3, 8)]
    files = {model_bytes(model.fit(columns, sample_weight=weights)) for model in models}
    assert len(files) == 1
