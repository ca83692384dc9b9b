"""CandidateElimination and FindS as estimators."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import treewright as tw
from fitted_states import with_learned
from treewright.errors import DataError, ModelFileError, ParameterError

BOTH = [tw.CandidateElimination, tw.FindS]
for_both = pytest.mark.parametrize("kind", BOTH, ids=lambda kind: kind.__name__)

# Mitchell's days of water sports: S and G are printed in his book, chapter 2.
SPORT = pd.DataFrame(
    [
        ["Sunny", "Warm", "Normal", "Strong", "Warm", "Same"],
        ["Sunny", "Warm", "High", "Strong", "Warm", "Same"],
        ["Rainy", "Cold", "High", "Strong", "Warm", "Change"],
        ["Sunny", "Warm", "High", "Strong", "Cool", "Change"],
    ],
    columns=["sky", "air", "humidity", "wind", "water", "forecast"],
)
ENJOYED = ["Yes", "Yes", "No", "Yes"]


def test_the_boundaries_of_mitchell():
    model = tw.CandidateElimination().fit(SPORT, ENJOYED)
    assert model.summary().splitlines() == [
        "CandidateElimination: 6 hypotheses agree with all 4 rows",
        "S  [Sunny, Warm, any, Strong, any, any]",
        "G  [Sunny, any, any, any, any, any]",
        "   [any, Warm, any, any, any, any]",
    ]
    assert model.positive_ == "Yes"
    assert not model.is_empty_


def test_new_days_are_voted_on_as_in_the_book():
    model = tw.CandidateElimination().fit(SPORT, ENJOYED)
    new = pd.DataFrame(
        [
            ["Sunny", "Warm", "Normal", "Strong", "Cool", "Change"],
            ["Rainy", "Cold", "Normal", "Strong", "Warm", "Same"],
            ["Sunny", "Warm", "Normal", None, "Warm", "Same"],
            ["Sunny", "Cold", "Normal", "Strong", "Warm", "Same"],
        ],
        columns=SPORT.columns,
    )
    np.testing.assert_allclose(model.predict_proba(new)[:, 1], [1, 0, 1 / 2, 2 / 6])
    assert model.is_certain(new).tolist() == [True, True, False, False]
    assert model.predict(new).tolist() == ["Yes", "No", "No", "No"]


def test_find_s_learns_from_positive_rows_alone():
    model = tw.FindS().fit(SPORT, ENJOYED)
    assert model.hypothesis_ == {"sky": "Sunny", "air": "Warm", "wind": "Strong"}
    assert model.predict(SPORT).tolist() == ENJOYED
    assert model.summary().splitlines() == [
        "FindS: Yes if sky = Sunny and air = Warm and wind = Strong",
        "covers 3 of 3 positive rows, 0 of 1 negative ones",
    ]


def test_the_disjunctive_shapes_empty_the_space_at_the_first_negative_row():
    X, y = tw.load_sample("shapes_disjunctive")
    with pytest.warns(UserWarning, match=r"rows 0 and 1 need at least \[any, any\]"):
        model = tw.CandidateElimination().fit(X, y)
    assert model.emptied_by_ == 3
    assert model.is_empty_
    with pytest.raises(DataError, match="no conjunction agrees") as error:
        tw.CandidateElimination(when_empty="error").fit(X, y)
    assert "ID3Classifier" in error.value.hint


def test_the_sheet_of_the_disjunctive_shapes_ends_with_the_tree_that_succeeds():
    X, y = tw.load_sample("shapes_disjunctive")
    with pytest.warns(UserWarning, match="empty"):
        model = tw.CandidateElimination().fit(X, y)
    explained = model.explain(X[0:1]).to_text(width=200)
    assert "row 3 ruled out the last. These agree with all but 2 negative rows" in explained
    text = str(tw.worksheet(model, X, y))
    assert "Example 4 (row 3) empties the version space" in text
    assert "agrees with all 5 examples" in text
    for rule in ("color = blue then YES", "color = red and shape = circle then YES"):
        assert rule in text


def test_the_sheet_shows_both_boundaries_after_each_example():
    model = tw.CandidateElimination().fit(SPORT, ENJOYED)
    sheet = tw.worksheet(model, SPORT, ENJOYED)
    text = sheet.to_text(width=400)
    assert "generalized from [Sunny, Warm, Normal, Strong, Warm, Same]" in text
    assert "specialized from [any, any, any, any, any, any]" in text
    assert "6 hypotheses agree with all examples" in text
    assert text.count("Yes if") == 6
    short = sheet.to_text(max_steps=1)
    assert "3 more examples" in short
    for page in (sheet.to_markdown(), sheet.to_latex(), sheet.to_html()):
        assert "Strong" in page


def test_a_sheet_is_of_the_rows_of_the_fit():
    model = tw.CandidateElimination().fit(SPORT, ENJOYED)
    for rows, predictions in [
        (SPORT.iloc[:3], ENJOYED[:3]),
        (SPORT, ["No", "Yes", "Yes", "Yes"]),
        (SPORT.rename(columns={"sky": "heaven"}), ENJOYED),
    ]:
        with pytest.raises(DataError, match="not the rows that the model was fitted to"):
            tw.worksheet(model, rows, predictions)
    backwards = tw.worksheet(model, SPORT[::-1], ENJOYED[::-1])
    assert "6 hypotheses agree" in str(backwards)


def test_find_s_shows_what_each_example_does():
    sheet = tw.worksheet(tw.FindS().fit(SPORT, ENJOYED), SPORT, ENJOYED).to_text(width=400)
    assert "negative: ignored" in sheet
    assert sheet.count("generalized") == 3
    assert sheet.count("as before") == 1


def test_find_s_warns_of_negative_rows_that_it_covers_and_shows_the_tree():
    X, y = tw.load_sample("tennis")
    with pytest.warns(UserWarning, match="covers 5 negative rows"):
        model = tw.FindS().fit(X, y)
    assert model.n_covered_negatives_ == 5
    assert "outlook = Overcast" in str(tw.worksheet(model, X, y))


def test_an_explanation_tells_the_vote():
    model = tw.CandidateElimination().fit(SPORT, ENJOYED)
    text = str(model.explain({"sky": "Sunny", "air": "Cold", "wind": "Strong"}))
    assert "2 of the 6 hypotheses that are left cover it" in text
    assert "probability of Yes is 0.3333" in text
    assert "S requires" in str(tw.FindS().fit(SPORT, ENJOYED).explain(SPORT.iloc[0].tolist()))


@for_both
def test_the_positive_class_is_named_or_guessed(kind):
    X = {"color": ["red", "blue"]}
    assert kind().fit(X, ["+", "-"]).positive_ == "+"
    assert kind().fit(X, [True, False]).positive_ is True
    assert kind().fit(X, [0, 1]).positive_ == 1
    assert kind().fit(X, ["a", "b"]).positive_ == "b"
    assert kind(positive="a").fit(X, ["a", "b"]).positive_ == "a"
    assert kind(positive="1").fit(X, [1, 2]).positive_ == 1
    with pytest.raises(ParameterError, match="no class of the target"):
        kind(positive="c").fit(X, ["a", "b"])


@for_both
def test_numbers_are_refused_with_a_way_out_or_cut(kind):
    X, y = tw.load_sample("iris")
    is_setosa = np.where(y == "setosa", "yes", "no")
    with pytest.raises(DataError, match="`sepal length` is numeric") as error:
        kind().fit(X, is_setosa)
    assert "Discretizer" in error.value.hint
    model = kind(discretize="mdl").fit(X, is_setosa)
    assert model.score(X, is_setosa) == 1
    assert "petal width in (-inf, 0.8]" in model.summary() or "[any" in model.summary()
    of_array = kind(discretize="equal_width", n_bins=3).fit(np.asarray(X), is_setosa)
    assert of_array.score(np.asarray(X), is_setosa) == 1


@for_both
def test_columns_that_are_not_cut_are_never_asked(kind):
    X = pd.DataFrame({"x": [1.0, 2.0, 1.0, 2.0], "w": ["u", "u", "v", "v"]})
    model = kind(discretize="mdl").fit(X, ["yes", "yes", "no", "no"])
    assert model.cuts_ == ((), None)
    assert model.specific_.tolist() == [-1, 0]
    sheet = str(tw.worksheet(model, X, ["yes", "yes", "no", "no"]))
    assert "not cut: never used" in sheet


@for_both
def test_more_than_two_classes_are_refused(kind):
    X, y = tw.load_sample("weekend")
    with pytest.raises(DataError, match="Only binary classification is supported"):
        kind().fit(X, y)


@for_both
def test_one_class_alone_is_answered_for_every_row(kind):
    model = kind().fit({"color": ["red", "red"]}, ["a", "a"])
    assert model.predict({"color": [None]}).tolist() == ["a"]


@for_both
def test_missing_values_are_covered_by_columns_that_are_not_asked(kind):
    X = pd.DataFrame({"a": ["u", "u", "v"], "b": ["x", None, "x"]})
    model = kind().fit(X, ["yes", "yes", "no"])
    assert model.specific_.tolist() == [0, -1]
    with pytest.warns(UserWarning, match="not seen in training"):
        found = model.predict(pd.DataFrame({"a": ["u", None, "w"], "b": [None, "x", "x"]}))
    assert found.tolist() == ["yes", "no", "no"]


@for_both
def test_rows_of_weight_zero_are_left_out(kind):
    weights = [1, 1, 0, 1]
    model = kind().fit(SPORT, ENJOYED, sample_weight=weights)
    kept = SPORT.iloc[[0, 1, 3]]
    assert model.classes_.tolist() == ["No", "Yes"]
    assert model.predict(kept).tolist() == ["Yes"] * 3


@pytest.mark.filterwarnings("ignore:CandidateElimination")
def test_the_row_that_empties_the_space_is_counted_among_all_rows():
    X, y = tw.load_sample("shapes_disjunctive")
    model = tw.CandidateElimination().fit(X, y, sample_weight=[1, 0, 1, 1, 1])
    assert model.emptied_by_ == 3


@pytest.mark.filterwarnings("ignore:CandidateElimination")
def test_one_row_of_both_classes_empties_the_space():
    model = tw.CandidateElimination().fit({"a": ["u", "u"]}, ["no", "yes"])
    assert model.emptied_by_ == 1
    assert model.n_set_aside_ == 1
    assert model.predict({"a": ["u"]}).tolist() == ["yes"]


@for_both
def test_files_and_clones_answer_alike(kind, tmp_path):
    X, y = tw.load_sample("iris")
    target = np.where(y == "virginica", "yes", "no")
    for model, rows, predictions in [
        (kind(), SPORT, ENJOYED),
        (kind(discretize="equal_width", n_bins=2), X, target),
    ]:
        fitted = fit_quietly(clone(model), rows, predictions)
        fitted.save(tmp_path / "model.tw")
        loaded = tw.load(tmp_path / "model.tw")
        np.testing.assert_array_equal(loaded.predict_proba(rows), fitted.predict_proba(rows))
        assert loaded.summary() == fitted.summary()


def fit_quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("specific_", np.array([2, 0, -1, 0, -1, -1]), "a level that is not there"),
        ("specific_", np.array([-2, 0, -1, 0, -1, -1]), "a level that is not there"),
        ("specific_", np.array([0, 0]), "another number of columns"),
        ("near_misses_", np.array([[0, 0, 0, 2, 0, 0]]), "not 0 and 1"),
        ("near_misses_", np.zeros((1, 5), dtype=np.int64), "not 0 and 1"),
        ("near_misses_", np.array([[0, 0, 1, 0, 0, 0]]), "does not fit S"),
        ("near_misses_", np.array([[0, 0, 0, 1, 0, 0], [1, 1, 0, 1, 0, 0]]), "does not fit S"),
        ("general_", np.full((1, 5), -1), "another number of columns"),
        ("general_", np.array([[0, -1, -1, 1, -1, -1]]), "a level that is not there"),
        ("general_", np.array([[1, -1, -1, -1, -1, -1]]), "G is not more general"),
        ("general_", np.empty((0, 6), dtype=np.int64), "G is not more general"),
        ("classes_", np.array(["No", "Yes", "Zero"]), "at most another"),
        ("positive_code_", 2, "at most another"),
        ("cuts_", (None,), "`cuts_`"),
        ("cuts_", ((1.0,),) + (None,) * 5, "`cuts_`"),
    ],
)
def test_a_file_that_does_not_fit_together_is_refused(name, value, words, tmp_path):
    model = tw.CandidateElimination().fit(SPORT, ENJOYED)
    model = with_learned(model, **{name: value})
    model.save(tmp_path / "odd.tw")
    with pytest.raises(ModelFileError, match=words):
        tw.load(tmp_path / "odd.tw")


@pytest.mark.parametrize(
    "cuts", [None, 2.5, ("2.5",), (2, 3), (3.0, 2.0), (2.0, 2.0), (1.0, float("inf"))]
)
def test_cuts_of_a_file_that_are_no_rising_numbers_are_refused(cuts, tmp_path):
    model = fit_quietly(
        tw.FindS(discretize="equal_width"), {"x": [1.0, 2.0, 8.0, 9.0]}, ["no", "no", "yes", "yes"]
    )
    model.save(tmp_path / "sound.tw")
    assert tw.load(tmp_path / "sound.tw").cuts_ == model.cuts_
    model = with_learned(model, cuts_=(cuts,))
    with pytest.raises(ModelFileError, match="`cuts_`"):
        pickle.loads(pickle.dumps(model))


@pytest.mark.filterwarnings("ignore:CandidateElimination")
def test_wide_tables_answer_without_counting():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.choice(["u", "v"], size=(60, 30)))
    X.columns = [f"c{at}" for at in range(30)]
    X.iloc[:3] = X.iloc[0]
    y = ["yes"] * 3 + ["no"] * 57
    model = tw.CandidateElimination().fit(X, y)
    assert model.n_hypotheses_ is None
    assert set(np.unique(model.predict_proba(X))) <= {0.0, 0.5, 1.0}
    assert model.predict(X).tolist() == y
    assert "many hypotheses" in model.summary()
    assert "S  [c0 = " in model.summary()
    assert "more than 20 conditions" in str(model.explain(X.iloc[0]))


@pytest.mark.filterwarnings("ignore:CandidateElimination", "ignore:FindS")
@parametrize_with_checks([kind(discretize="equal_width") for kind in BOTH])
def test_concept_learners_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


def test_a_hypothesis_that_asks_all_of_many_columns_has_no_others():
    X = pd.DataFrame(
        [list("abcdefghijklmn"), list("nmlkjihgfedcba")], columns=list("ABCDEFGHIJKLMN")
    )
    model = tw.FindS().fit(X, ["yes", "no"])
    assert "others any" not in str(tw.worksheet(model, X, ["yes", "no"]))
