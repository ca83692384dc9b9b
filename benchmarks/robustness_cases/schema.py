"""Columns and levels that are not those of training: T14 to T24."""

import numpy as np

from benchmarks.robustness_cases.case import case
from benchmarks.robustness_cases.values import CLASSES, X, learns

COLUMN = "column|feature|name"
DIMENSIONS = r"[123]-?d\b|\bdim|dimension|shape"


def colors(values, **kwargs):
    """A frame of one nominal column."""
    import pandas as pd

    return pd.DataFrame({"color": pd.Categorical(values, **kwargs)})


def fitted(library, **kwargs):
    """A model of the colors: green alone is 1."""
    values = ["red", "green", "blue", "gray"] * 10
    y = (np.array(values) == "green").astype(int)
    return library.boosted().fit(colors(values, **kwargs), y)


def numbers_frame(names=("age", "income")):
    import pandas as pd

    return pd.DataFrame(X, columns=list(names))


@case(
    "T14",
    "a level that training never saw",
    names=("unknown|unseen|new|never|not.*(known|training)",),
    place="color.*pink|pink.*color",
)
def unseen_level(library):
    predictions = fitted(library).predict(colors(["pink", "green", "red"]))
    return np.asarray(predictions).tolist()[1:] == [1, 0]


@case("T15", "the order of categories differs when predicting", names=("categor",))
def order_of_categories(library):
    model = fitted(library, categories=["red", "green", "blue", "gray"])
    asked = colors(["green", "red", "blue"], categories=["gray", "blue", "green", "red"])
    return np.asarray(model.predict(asked)).tolist() == [1, 0, 0]


@case("T15", "a frame with some of the levels when predicting", names=("categor",))
def some_of_the_levels(library):
    return np.asarray(fitted(library).predict(colors(["green", "red"]))).tolist() == [1, 0]


@case("T15", "the same row among other companions", names=("categor",))
def row_among_others(library):
    import pandas as pd

    model = fitted(library)
    alone = model.predict_proba(pd.DataFrame({"color": pd.Categorical(["green"])}))
    among = model.predict_proba(pd.DataFrame({"color": pd.Categorical(["red", "green"])}))
    return np.array_equal(np.asarray(alone)[0], np.asarray(among)[1])


@case(
    "T16",
    "columns in another order when predicting",
    names=(COLUMN, "order|mismatch|moved"),
    place="age",
)
def permuted_columns(library):
    frame = numbers_frame()
    model = library.tree().fit(frame, CLASSES)
    return np.array_equal(model.predict(frame[["income", "age"]]), CLASSES)


@case("T16", "a column is missing when predicting", names=(COLUMN,), place="income|1.*2|2.*1")
def absent_column(library):
    """The column that is left is the one that tells the classes."""
    frame = numbers_frame()
    model = library.tree().fit(frame, CLASSES)
    return np.array_equal(model.predict(frame[["age"]]), CLASSES)


@case("T16", "a column too many when predicting", names=(COLUMN,), place="extra|2.*3|3.*2")
def extra_column(library):
    frame = numbers_frame()
    model = library.tree().fit(frame, CLASSES)
    return np.array_equal(model.predict(frame.assign(extra=1.0)), CLASSES)


@case(
    "T16",
    "an array of another width when predicting",
    names=("feature|column|shape",),
    place="3.*2|2.*3",
)
def other_width(library):
    model = library.tree().fit(X, CLASSES)
    return np.array_equal(model.predict(np.column_stack([X, X[:, 1]])), CLASSES)


@case("T17", "two columns of one name", names=("duplicate|unique|twice|more than on",), place="age")
def columns_of_one_name(library):
    return learns(library.tree(), numbers_frame(["age", "age"]), CLASSES)


@case("T18", "names of every kind", names=(COLUMN,), place="größe|\\[|体重")
def odd_names(library):
    import pandas as pd

    odd = ["", " ", "größe", "体重", "🌳", "[a]<b>", '"', "\\", "line\nbreak", "a,b", "nan", "1"]
    frame = pd.DataFrame(np.tile(X[:, :1], len(odd)), columns=odd)
    return learns(library.tree(), frame, CLASSES)


@case(
    "T19",
    "the names 1 and '1' in one table",
    names=(COLUMN, "str|type|unique|more than on"),
    place="1",
)
def names_of_two_types(library):
    return learns(library.tree(), numbers_frame([1, "1"]), CLASSES)


@case("T20", "words in a column that was numeric", names=("age|column|convert",), place="12a")
def words_for_numbers(library):
    """No answer is right for a row whose age is a word."""
    frame = numbers_frame()
    model = library.tree().fit(frame, CLASSES)
    asked = frame.astype(object)
    asked.loc[17, "age"] = "12a"
    model.predict(asked)
    return False


@case("T20", "a number in a column of levels", names=("color|categor|column",), place="color")
def numbers_for_words(library):
    """Right is what a level that training never saw is told."""
    import pandas as pd

    model = fitted(library)
    unseen = np.asarray(model.predict_proba(colors(["pink", "pink"])))
    return np.array_equal(model.predict_proba(pd.DataFrame({"color": [1.5, 2.5]})), unseen)


@case("T21", "no rows", names=("row|sample|empty|no data",))
def no_rows(library):
    library.tree().fit(np.empty((0, 2)), np.empty(0, dtype=int))
    return False


@case("T21", "no columns", names=("column|feature|empty",))
def no_columns(library):
    library.tree().fit(np.empty((40, 0)), CLASSES)
    return False


@case("T21", "a table of one dimension", names=(DIMENSIONS,))
def one_dimension(library):
    return learns(library.tree(), X[:, 0], CLASSES)


@case("T21", "a table of three dimensions", names=(DIMENSIONS,))
def three_dimensions(library):
    return learns(library.tree(), X.reshape(40, 2, 1), CLASSES)


@case("T22", "column order, steps backwards and read-only arrays are no information")
def layouts(library):
    first = np.asarray(library.tree().fit(X, CLASSES).predict_proba(X))
    read_only = X.copy()
    read_only.flags.writeable = False
    backwards = np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1]
    return all(
        np.array_equal(library.tree().fit(laid_out, CLASSES).predict_proba(laid_out), first)
        for laid_out in (np.asfortranarray(X), backwards, read_only)
    )


@case("T23", "cells that hold lists", names=("list|sequence|object|dtype|type",), place="age|row")
def cells_of_lists(library):
    frame = numbers_frame().astype(object)
    frame.at[3, "age"] = [1, 2]
    library.tree().fit(frame, CLASSES)
    return False


@case("T23", "complex numbers", names=("complex",))
def complex_numbers(library):
    return learns(library.tree(), X.astype(complex) + 1j, CLASSES)


@case(
    "T24",
    "nullable columns of pandas are as plain ones",
    names=("nullable|int64|object|dtype",),
    place=r"\ba\b",
)
def nullable_columns(library):
    import pandas as pd

    whole = pd.array([None, *range(1, 40)], dtype="Int64")
    plain = np.array([np.nan, *range(1, 40)])
    nullable = library.boosted().fit(pd.DataFrame({"a": whole}), CLASSES)
    usual = library.boosted().fit(pd.DataFrame({"a": plain}), CLASSES)
    asked = pd.DataFrame({"a": whole})
    return np.array_equal(
        nullable.predict_proba(asked), usual.predict_proba(pd.DataFrame({"a": plain}))
    )


@case("T24", "a frame of polars with words and holes", names=("polars|type|string",), place="color")
def polars_frame(library):
    import polars as pl

    values = ["red", "green", None, "blue"] * 10
    y = np.array([value == "green" for value in values]).astype(int)
    return learns(library.boosted(), pl.DataFrame({"color": values}), y)
