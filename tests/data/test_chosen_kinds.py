"""What the user says of columns that came with a kind: missing cells, nominal, numeric."""

import numpy as np
import pytest

from treewright.data.sources import table_from
from treewright.data.sources.from_csv import ReadSettings
from treewright.data.sources.from_files import chosen_kinds
from treewright.errors import DataError, UnknownColumnError

TABLE = table_from({"word": ["a", "none", "b"], "digits": ["3", "?", "1"], "size": [1.5, -9, 2]})


def made(**settings):
    return chosen_kinds(TABLE, ReadSettings(**settings), "t")


def test_words_that_mean_missing_are_missing_in_every_kind_of_column():
    table = made(na=["none", "-9", "?"])
    expected = {"word": ["a", None, "b"], "digits": [3, None, 1], "size": [1.5, np.nan, 2]}
    assert table.same_as(table_from(expected))


def test_levels_that_are_numbers_can_be_numeric():
    table = made(na=["?"], numeric=["digits"])
    np.testing.assert_array_equal(table["digits"].values, [3, np.nan, 1])
    with pytest.raises(DataError, match="t, row 0: `a` in column `word` is not a number"):
        made(numeric=["word"])


def test_numbers_can_be_levels():
    assert made(categorical=["size"])["size"].levels == ("-9.0", "1.5", "2.0")


def test_nothing_said_changes_nothing():
    table = TABLE.drop("digits")
    assert chosen_kinds(table, ReadSettings(), "t") is table
    assert chosen_kinds(table, ReadSettings(na=["absent"]), "t").same_as(table)


@pytest.mark.parametrize("kind", ["categorical", "numeric"])
def test_an_unknown_column_gets_the_nearest_name(kind):
    with pytest.raises(UnknownColumnError, match="did you mean `digits`"):
        made(**{kind: ["digit"]})
