"""ARFF text: a table, or a `DataError`."""

import warnings
from contextlib import suppress

import treewright as tw
from fuzz.targets.csv_table import check_table
from treewright.data.sources.from_arff import table_from_arff


def check(data: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(tw.DataError):
            check_table(table_from_arff(data, source="the fuzzed file"))
