"""T14 to T20: columns and levels that are not those of training, in every estimator."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from small_tables import numbers, words
from torture.models import for_every, for_every_model, is_sane, learned, predictions, table_for

# No conjunction tells the rows of most tables here apart, and concepts say so.
pytestmark = pytest.mark.filterwarnings("ignore:CandidateElimination", "ignore:FindS")

NEW_LEVEL = {"color": ["violet", "violet", "red"], "size": [0.1, 0.2, 0.3]}
AS_MISSING = {"color": [None, None, "red"], "size": [0.1, 0.2, 0.3]}

for_every_unseen = for_every(lambda kind: kind.has_unseen)


@for_every_unseen
def test_T14_a_new_level_counts_as_missing_with_one_warning(kind):
    """A level that training never met: as a hole, and one warning with column and value."""
    table, y = words()
    model = kind().fit(table, y)
    with pytest.warns(UserWarning, match="'violet' in column `color`, row 0") as caught:
        found = predictions(model, NEW_LEVEL)
    assert len(caught) == 1
    np.testing.assert_array_equal(found, predictions(model, AS_MISSING))


@for_every_unseen
def test_T14_a_new_level_is_an_error_if_asked_for(kind):
    table, y = words()
    model = kind(handle_unknown="error").fit(table, y)
    with pytest.raises(ValueError, match="'violet' in column `color`, row 1"):
        model.predict({"color": ["red", "violet"], "size": [0.1, 0.2]})


@for_every(lambda kind: kind.trees == "one" and kind.name not in ("C45Rules", "M5Regressor"))
@pytest.mark.filterwarnings("error:.*violet")
def test_T14_a_new_level_goes_with_the_majority_if_asked_for(kind):
    """Of trees: rules, sums and ensembles know two ways only."""
    y = np.array([0] * 10 + [1] * 30)
    model = kind(handle_unknown="majority").fit({"color": ["red"] * 10 + ["blue"] * 30}, y)
    assert model.predict({"color": ["violet"]})[0] > 0.5


@for_every(lambda kind: kind.has_missing_policies)
@pytest.mark.parametrize("unseen", ["missing", "majority"])
@pytest.mark.filterwarnings("ignore:.*violet")
def test_T14_rules_and_exported_code_treat_a_new_level_as_the_model_does(kind, unseen):
    table, y = words(80)
    model = kind(handle_unknown=unseen, missing="majority").fit(table, y)
    assert tw.verify_export(model, tw.export(model, to="python"), to="python")
    np.testing.assert_array_equal(tw.rules(model).predict(NEW_LEVEL), model.predict(NEW_LEVEL))


@for_every(lambda kind: kind.takes_words)
def test_T15_the_order_of_categories_is_no_information(kind):
    """Categories in another order, more or fewer of them: the answers to the words."""
    table, y = words()
    plain = pd.DataFrame(table)
    model = kind().fit(plain, y)
    other = plain.copy()
    other["color"] = pd.Categorical(plain["color"], ["violet", "blue", "red", "green"])
    np.testing.assert_array_equal(predictions(model, other), predictions(model, plain))
    few = other.iloc[:3].copy()
    few["color"] = few["color"].cat.remove_unused_categories()
    np.testing.assert_array_equal(predictions(model, few), predictions(model, plain.iloc[:3]))


@for_every_model
def test_T16_missing_extra_and_moved_columns_are_listed(kind):
    table, y = table_for(kind)
    frame = pd.DataFrame(table)
    model = kind().fit(frame, y)
    with pytest.raises(ValueError, match="now missing:\n- size"):
        predictions(model, frame[["color"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- weight"):
        predictions(model, frame.assign(weight=1.0))
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- width.*now missing:\n- size"):
        predictions(model, frame.rename(columns={"size": "width"}))
    with pytest.raises(ValueError, match="same order"):
        predictions(model, frame[["size", "color"]])
    X, y = numbers()
    with pytest.raises(ValueError, match=r"2 features.*expecting 3"):
        predictions(kind().fit(X, y), X[:, :2])


@for_every_model
def test_T16_names_on_one_side_only_get_a_warning(kind):
    X, y = numbers()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        predictions(kind().fit(frame, y), X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        predictions(kind().fit(X, y), frame)


@for_every_model
def test_T17_duplicate_names_are_listed_with_their_positions(kind):
    frame = pd.DataFrame([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]], columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="`a` at positions 0, 2"):
        kind.alone().fit(frame, [0, 1])
    model = kind.alone().fit(frame.iloc[:, :2], [0, 1])
    with pytest.raises(ValueError, match="`a` at positions 0, 2"):
        predictions(model, frame)


ODD_NAMES = [
    "", " ", "größe", "体重", "🌲", "[a]<b>", '"', "\\", "new\nline", "tab\t", "a,b", "x" * 10_000,
    "nan", "1",
]  # fmt: skip


def table_of_odd_names(kind):
    """A column for each odd name, and one whose levels they are."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, len(ODD_NAMES))).round(1), columns=ODD_NAMES)
    frame["color"] = rng.choice([name[:50] for name in ODD_NAMES if name], 50)
    if not kind.takes_words:
        frame["color"] = frame["color"].str.len().astype(float)
    return frame, (frame["[a]<b>"] + frame['"'] > 0).astype(int)


@for_every_model
def test_T18_any_string_is_a_name(kind, tmp_path):
    """Empty, of any script, with quotes and line ends, of 10,000 letters: through a file too."""
    frame, y = table_of_odd_names(kind)
    model = kind().fit(frame, y)
    assert model.feature_names_in_.tolist() == list(frame)
    found = predictions(model, frame)
    assert is_sane(found)
    if kind.is_saved:
        model.save(tmp_path / "model")
        loaded = tw.load(tmp_path / "model")
        assert loaded.feature_names_in_.tolist() == list(frame)
        np.testing.assert_array_equal(predictions(loaded, frame), found)


@for_every(lambda kind: kind.gives != "tables")
def test_T18_pages_show_odd_names_as_text(kind):
    frame, y = table_of_odd_names(kind)
    few = frame[["größe", "[a]<b>", '"', "\\", "new\nline", "color"]]
    model = kind().fit(few, y)
    explained = model.rules_ if kind.name == "C45Rules" else model
    page = explained.explain(few.iloc[0])
    assert str(page)
    pages = [page] if hasattr(page, "to_html") else []
    if kind.trees == "none":
        pages.append(tw.worksheet(model, few, y))
    for shown in pages:
        assert "[a]<b>" not in shown.to_html()
        if kind.name != "C45Rules":  # its rule does not ask for that column
            assert "[a]&lt;b&gt;" in shown.to_html()
        if hasattr(shown, "to_latex"):
            assert shown.to_latex()


@for_every(lambda kind: kind.has_missing_policies)
@pytest.mark.parametrize("to", ["python", "sql", "json", "dot", "c", "pmml"])
def test_T18_exports_quote_odd_names(kind, to):
    """What can be run on the spot answers as the model does; the rest is run by tests/exports."""
    frame, y = table_of_odd_names(kind)
    pruned = {"prune": None} if kind.name.startswith("CART") else {}
    model = kind(max_depth=4, **pruned).fit(frame, y)
    code = tw.export(model, to=to)
    if to in ("python", "sql", "json"):
        assert tw.verify_export(model, code, to=to)
    assert len(code) > 100


@for_every(lambda kind: kind.trees == "one" and kind.is_classifier and not kind.settings)
def test_T18_rules_and_pictures_hold_odd_names(kind):
    frame, y = table_of_odd_names(kind)
    model = kind(max_depth=4).fit(frame, y)
    rules = model.rules_ if kind.name == "C45Rules" else tw.rules(model)
    np.testing.assert_array_equal(rules.predict(frame), model.predict(frame))
    if kind.name != "C45Rules":
        picture = tw.draw(model).to_svg()
        assert "[a]<b>" not in picture
        assert "[a]&lt;b&gt;" in picture


MIXED_NAMES = {
    "a number among strings": ["a", 1, "b"],
    "tuples": [("a", 1), ("a", 2), ("b", 1)],
    "None": [None, "a", "b"],
    "1 and '1'": ["1", 1, "b"],
}


@for_every_model
@pytest.mark.parametrize("names", MIXED_NAMES.values(), ids=MIXED_NAMES)
def test_T19_names_that_are_not_strings_never_collide(kind, names):
    """Names that are not all strings are refused, and the first offender is named."""
    X, y = numbers()
    frame = pd.DataFrame(X)
    frame.columns = pd.Index(names, tupleize_cols=False)
    offender = next(name for name in frame.columns if not isinstance(name, str))
    with pytest.raises(TypeError, match="string") as told:
        kind().fit(frame, y)
    assert repr(offender) in str(told.value)


@for_every_model
def test_T19_all_integer_names_are_no_names(kind):
    X, y = numbers()
    model = kind().fit(pd.DataFrame(X), y)
    assert not hasattr(model, "feature_names_in_")
    assert learned(model) == learned(kind().fit(X, y))


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas strings": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas categories": lambda columns: pd.DataFrame(columns).astype({"size": "category"}),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "columns": dict,
    "rows": lambda columns: [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ],
}
for_every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@for_every_frame
@for_every_model
def test_T20_words_in_a_column_of_numbers_are_named_with_row_and_value(kind, frame):
    """ "12" is a word like "12a": no frame is parsed."""
    table, y = table_for(kind)
    model = kind().fit(table, y)
    color = table["color"][0]
    for word in ("12", "12a", " 1e3", ""):
        with pytest.raises(ValueError, match=f"'{word}' in column `size`, row 1: .*numeric"):
            predictions(model, frame({"color": [color] * 3, "size": [None, word, word]}))


@for_every_frame
@for_every(lambda kind: kind.takes_words)
def test_T20_numbers_in_a_column_of_words_are_named_with_row_and_value(kind, frame):
    table, y = table_for(kind)
    model = kind().fit(table, y)
    for value in (12.5, True):
        columns = {"color": [None, value, value], "size": [0.5] * 3}
        told = f"{value} in column `color`, row 1: .*string categories such as 'blue'"
        with pytest.raises(ValueError, match=told):
            predictions(model, frame(columns))


@for_every_model
def test_T20_one_cell_of_another_type_is_named(kind):
    """Of an object column, of a list, of an array: the column, the row and the value."""
    table, y = table_for(kind)
    model = kind().fit(table, y)
    color = table["color"][0]
    mixed = {"color": [color] * 18, "size": [0.5] * 17 + ["12a"]}
    for given in (mixed, pd.DataFrame(mixed)):
        with pytest.raises(ValueError, match=r"column `size` mixes .*'12a' in row 17"):
            predictions(model, given)
    X, y = numbers()
    model = kind().fit(X, y)
    cells = X[:3].astype(object)
    cells[1, 2] = "4"
    for given in (cells, cells.tolist()):
        with pytest.raises(ValueError, match=r"column `x2` mixes .*'4' in row 1"):
            predictions(model, given)
    with pytest.raises(ValueError, match="'1' in column `x0`, row 0"):
        predictions(model, np.array([["1", "2", "3"]]))
    with pytest.raises(ValueError, match=r"column `x1` mixes .*'4' in row 1"):
        kind().fit([[1.0, 2.0], [3.0, "4"]], [0, 1])
