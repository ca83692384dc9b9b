"""T10 to T13: odd weights, contradictions, few rows, odd targets, in every estimator."""

import numpy as np
import pytest

import treewright as tw
from small_tables import numbers
from torture.models import (
    for_every,
    for_every_classifier,
    for_every_many_classes,
    for_every_model,
    for_every_predictor,
    is_sane,
    learned,
    predictions,
    problem_of,
    table_for,
    trees_of,
)
from treewright.tree.as_json import tree_to_json
from treewright.verbs.load import model_bytes, model_from_bytes

# No conjunction tells the rows of most tables here apart, and concepts say so.
pytestmark = pytest.mark.filterwarnings("ignore:CandidateElimination", "ignore:FindS")
ignore_warnings = pytest.mark.filterwarnings("ignore::UserWarning")


@for_every_model
@pytest.mark.parametrize("heavy", [False, True], ids=["of weight one", "of any weight"])
@ignore_warnings
def test_T10_rows_of_weight_zero_are_rows_left_out(kind, heavy):
    """The same model, bit for bit: such rows leave no level, and no order of levels either."""
    table, y = table_for(kind, 80)
    weights = np.random.default_rng(2).random(80) if heavy else np.ones(80)
    weights[::3] = 0
    if kind.takes_words:
        table["color"][0] = "only with weight zero"
        table["color"][3] = table["color"][77]
    table["size"][6] = 99.0
    kept = np.flatnonzero(weights)
    fewer = {name: [column[row] for row in kept] for name, column in table.items()}
    one = kind().fit(table, y, sample_weight=weights)
    other = kind().fit(fewer, y[kept], sample_weight=weights[kept] if heavy else None)
    np.testing.assert_array_equal(predictions(one, fewer), predictions(other, fewer))
    if kind.trees != "none":
        pairs = zip(trees_of(one), trees_of(other), strict=True)
        assert all(tree_to_json(tree) == tree_to_json(same) for tree, same in pairs)
    tells_which_rows = kind.trees == "many" or kind.gives in ("groups", "tables")
    if heavy and not tells_which_rows and kind.takes_any_number_of_classes:
        assert learned(one) == learned(other)


@for_every_many_classes
@ignore_warnings
def test_T10_a_class_with_weight_zero_is_no_class(kind):
    X, y = numbers(30)
    y[3] = 7
    weights = np.where(y == 7, 0.0, 1.0)
    model = kind().fit(X, y, sample_weight=weights)
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(X).shape == (30, 2)


@for_every(lambda kind: "priors" in kind().get_params())
@ignore_warnings
def test_T10_a_class_with_weight_zero_stays_a_class_if_priors_name_it(kind):
    X, y = numbers(30)
    y[3] = 7
    model = kind(priors=[0.5, 0.25, 0.25])
    model.fit(X, y, sample_weight=np.where(y == 7, 0.0, 1.0))
    assert model.classes_.tolist() == [0, 1, 7]
    assert 7 not in model.predict(X)


WRONG_WEIGHTS = {
    "all zero": ([0.0, 0.0, 0.0, 0.0], "zero"),
    "negative": ([1.0, -1.0, 1.0, 1.0], "row 1.*-1"),
    "nan": ([1.0, 1.0, np.nan, 1.0], "row 2.*nan"),
    "inf": ([1.0, 1.0, 1.0, np.inf], "row 3.*inf"),
    "too few": ([1.0, 1.0], "2 rows.*4"),
    "too many": ([1.0] * 5, "5 rows.*4"),
    "words": ([1.0, "b", "c", "d"], "row 1.*'b'"),
    "two columns": (np.ones((4, 2)), r"shape \(4, 2\)"),
}


@for_every_model
@pytest.mark.parametrize(("weights", "told"), WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS)
def test_T10_odd_weights_are_refused(kind, weights, told):
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=told):
        kind.alone().fit(X, y, sample_weight=weights)


@for_every(lambda kind: kind.name.startswith("Boosted"))
@pytest.mark.parametrize(("weights", "told"), WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS)
def test_T10_odd_weights_of_validation_rows_are_refused(kind, weights, told):
    """With the same words; and that they are those of the validation rows."""
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=f"validation sample_weight.*{told}"):
        kind.alone().fit(X, y, validation=(X, y, weights))


@for_every(lambda kind: kind.has_missing_policies)
@pytest.mark.parametrize(("weights", "told"), WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS)
def test_T10_odd_weights_of_rows_to_prune_by_are_refused(kind, weights, told):
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=f"sample_weight.*{told}"):
        tw.prune(kind.alone().fit(X, y), "reduced_error", X, y, sample_weight=weights)


@for_every(lambda kind: kind.name.startswith("Boosted") or kind.has_missing_policies)
@pytest.mark.filterwarnings("error::RuntimeWarning")
@ignore_warnings
def test_T10_weights_of_other_rows_whose_sum_overflows_are_ratios(kind):
    X, y = numbers(100)
    weights = np.where(np.arange(100) < 50, 1e308, 1.5e308)
    model = kind().fit(X, y)
    if kind.trees == "many":
        model = model.fit(X, y, validation=(X, y, weights))
    else:
        model = tw.prune(model, "reduced_error", X, y, sample_weight=weights)
    assert is_sane(predictions(model, X))


@for_every(lambda kind: kind.trees != "none")
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_T10_the_scale_of_weights_does_not_matter(kind, scale):
    """All weights times 1e-300 or 1e300: the same splits."""
    X, y = numbers(100)
    weights = np.random.default_rng(1).random(100)
    one = kind().fit(X, y, sample_weight=weights)
    other = kind().fit(X, y, sample_weight=weights * scale)
    for tree, same in zip(trees_of(one), trees_of(other), strict=True):
        np.testing.assert_array_equal(tree.feature, same.feature)
        np.testing.assert_array_equal(tree.threshold, same.threshold)
        np.testing.assert_array_equal(tree.first_child, same.first_child)


@for_every_model
@pytest.mark.parametrize("scale", [1e-300, 1e300])
@ignore_warnings
def test_T10_weights_of_any_scale_leave_sane_answers(kind, scale):
    X, y = numbers(100)
    weights = np.random.default_rng(1).random(100) * scale
    assert is_sane(predictions(kind().fit(X, y, sample_weight=weights), X))


def assert_sane(kind, settings, sample_weight=None):
    """The model predicts numbers, and predicts the same after it is saved and loaded."""
    X, y = numbers(100)
    model = kind(**settings).fit(X, y, sample_weight=sample_weight)
    found = predictions(model, X)
    assert is_sane(found)
    if kind.is_saved:
        np.testing.assert_array_equal(predictions(model_from_bytes(model_bytes(model)), X), found)


@for_every_model
@pytest.mark.parametrize("weight", [1e302, 1e305, 1e308])
@pytest.mark.filterwarnings("error::RuntimeWarning")
@ignore_warnings
def test_T10_weights_whose_sum_overflows_are_ratios(kind, weight):
    assert_sane(kind, {}, np.full(100, weight))
    assert_sane(kind, {}, np.where(np.arange(100) < 50, weight, weight / 3))


@for_every(lambda kind: "class_weight" in kind().get_params())
@pytest.mark.parametrize("weight", [1e302, 1e308])
@pytest.mark.filterwarnings("error::RuntimeWarning")
@ignore_warnings
@pytest.mark.parametrize("weights", [None, np.full(100, 0.5)], ids=["alone", "with weights"])
def test_T10_class_weights_whose_sum_overflows_are_ratios(kind, weight, weights):
    assert_sane(kind, {"class_weight": {0: weight, 1: weight / 3}}, weights)


@for_every(lambda kind: kind.has_target and kind.trees == "many")
def test_T10_weights_of_very_different_sizes_survive(kind):
    X, y = numbers(400)
    weights = np.where(np.arange(400) < 200, 1.0, 1e7)
    model = kind(n_estimators=30).fit(X, y, sample_weight=weights)
    heavy = model.predict(X[200:])
    assert ((heavy > 0.5) == y[200:]).mean() > 0.9


@for_every_classifier
@ignore_warnings
def test_T11_contradictions_end_in_one_leaf_with_exact_shares(kind):
    """10,000 equal rows of different classes: done at once, with the shares of the classes."""
    X = np.ones((10_000, 2))
    y = np.arange(10_000) % 4 == 0
    is_forest = "bootstrap" in kind().get_params()
    model = kind(bootstrap=False, shrinkage=0) if is_forest else kind()
    shares = model.fit(X, y).predict_proba(X[:1])
    assert shares.sum() == 1
    if kind.trees != "none":
        assert all(tree.n_leaves == 1 for tree in trees_of(model))
        np.testing.assert_allclose(shares, [[0.75, 0.25]], rtol=1e-6)
    if kind.trees == "one" and kind.name != "C45Rules":
        np.testing.assert_array_equal(shares, [[0.75, 0.25]])


ASK_ANYWAY = [f"{kind}{task}" for kind in ("CART", "Tree") for task in ("Classifier", "Regressor")]


@for_every(lambda kind: kind.name in ("ID3Classifier", *ASK_ANYWAY))
def test_T11_xor_is_one_leaf_with_min_gain_0_and_solved_without(kind):
    """No single question helps with a full exclusive or."""
    X = {"a": ["0", "0", "1", "1"] * 5, "b": ["0", "1", "0", "1"] * 5}
    y = np.array([0, 1, 1, 0] * 5)
    assert kind(min_gain=0).fit(X, y).get_n_leaves() == 1
    np.testing.assert_array_equal(kind(min_gain=None).fit(X, y).predict(X), y)


def test_T11_c45_leaves_xor_as_quinlan_does():
    X = {"a": ["0", "0", "1", "1"] * 5, "b": ["0", "1", "0", "1"] * 5}
    assert tw.C45Classifier().fit(X, [0, 1, 1, 0] * 5).get_n_leaves() == 1


@for_every_classifier
@pytest.mark.parametrize("n_rows", [1, 2, 5])
@ignore_warnings
def test_T12_one_class_gives_certainty(kind, n_rows):
    """One class only: probability 1 in the shape (n_rows, 1), or a message about classes."""
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    model = kind.alone()
    problem = problem_of(lambda: model.fit(X, ["only"] * n_rows))
    if problem:
        assert not kind.takes_any_number_of_classes
        assert "class" in problem
        return
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((n_rows, 1)))
    assert model.predict(X).tolist() == ["only"] * n_rows


@for_every_model
@ignore_warnings
def test_T12_one_row_and_two_rows_are_enough(kind):
    two = kind.alone().fit([[0.0], [1.0]], [0, 1])
    found = predictions(two, [[0.5], [2.0]])
    assert len(found) == 2
    assert is_sane(found)
    if not kind.takes_any_number_of_classes:
        return
    one = kind.alone().fit([[0.0]], [1])
    assert is_sane(predictions(one, [[5.0]]))
    if kind.has_target:
        assert one.predict([[5.0]])[0] == pytest.approx(1)


LABELS = {
    "strings": np.array(["b", "a", "b", "a"]),
    "booleans": np.array([True, False, True, False]),
    "int8": np.array([3, -1, 3, -1], dtype=np.int8),
    "beyond 2^31": np.array([2**40, 1, 2**40, 1]),
    "beyond 2^63": np.array([2**63, 1, 2**63, 1], dtype=np.uint64),
    "whole floats": np.array([1.0, 0.0, 1.0, 0.0]),
    "objects": np.array(["b", "a", "b", "a"], dtype=object),
}


@for_every_classifier
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@ignore_warnings
def test_T13_classes_are_sorted_and_keep_their_type(kind, labels):
    X = [[0.0], [1.0], [0.0], [1.0]]
    model = kind.alone().fit(X, labels)
    np.testing.assert_array_equal(model.classes_, np.unique(labels))
    assert model.classes_.dtype == labels.dtype
    assert model.predict(X).dtype == labels.dtype


@for_every_classifier
@ignore_warnings
def test_T13_odd_labels_are_refused_with_the_reason(kind):
    """Mixed types are named; numbers that are measured are a case for regression."""
    X, _ = numbers(4)
    with pytest.raises(TypeError, match=r"str.*int|int.*str"):
        kind.alone().fit(X, np.array(["a", 1, "b", 2], dtype=object))
    with pytest.raises(ValueError, match="regression"):
        kind.alone().fit(X, [0.5, 1.25, 3.0, 2.0])


@for_every_predictor
def test_T13_a_target_of_two_axes_is_refused_and_a_column_is_taken(kind):
    X, _ = numbers(4)
    with pytest.raises(ValueError, match="1d"):
        kind.alone().fit(X, np.zeros((4, 2)))
    with pytest.warns(UserWarning, match="column-vector"):
        model = kind.alone().fit(X, np.array([[0], [1], [0], [1]]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        assert learned(kind.alone().fit(X, [0, 1, 0, 1])) == learned(model)


@for_every(lambda kind: kind.gives == "numbers")
def test_T13_words_are_no_numbers_to_predict(kind):
    X, _ = numbers(4)
    with pytest.raises(ValueError, match=r"(?s)'red'|classif"):
        kind.alone().fit(X, ["red", "blue", "red", "blue"])


@for_every(lambda kind: kind.gives == "numbers" and kind.trees == "many")
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_numbers_of_any_size_are_learned_alike(kind, scale):
    rng = np.random.default_rng(5)
    X = rng.random((500, 4))
    y = (X[:, 0] + (X[:, 1] > 0.5) + 3.0) * scale
    params = {"learning_rate": 0.2} if "learning_rate" in kind().get_params() else {}
    model = kind(n_estimators=60, **params).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert (np.abs(model.predict(X) - y) / scale).mean() < 0.1
