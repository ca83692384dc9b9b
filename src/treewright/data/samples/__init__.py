"""Small tables that come with the package: those of the lecture notes, loans, and iris."""

import csv
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.sources import table_from
from treewright.data.sources.from_files import read_table
from treewright.data.table import Table
from treewright.errors import DataError

# The last column of a file is the target; five_points has none.
FILES = (
    "tennis",
    "golf",
    "buys_computer",
    "weekend",
    "shapes",
    "shapes_disjunctive",
    "tiny_variable",
    "five_points",
    "two_moons",
    "loans",
)
NUMERIC = {"five_points", "two_moons"}
AS_FILE = {"loans"}  # text, numbers and missing values: read like a user's file
WITHOUT_TARGET = {"five_points"}
ALIASES = {"netball": "tennis"}
NAMES = (*FILES, "iris")


def sample_names() -> tuple[str, ...]:
    """The names that `load_sample` knows; `netball` is another name for tennis.

    Examples
    --------
    >>> sample_names()[:4]
    ('tennis', 'golf', 'buys_computer', 'weekend')
    """
    return NAMES


def load_sample(name: str) -> tuple[Table, NDArray[Any] | None]:
    """Load a bundled table and its target: `X, y = load_sample("tennis")`.

    `five_points` has no target: its `y` is None. `loans` is made up. Like many real tables, it has
    missing values and a column of ids.

    Examples
    --------
    >>> X, y = load_sample("weekend")
    >>> X.names, y[:3].tolist()
    (('weather', 'parents', 'money'), ['Cinema', 'Tennis', 'Cinema'])
    """
    name = ALIASES.get(name, name)
    if name == "iris":
        return load_iris()
    if name not in FILES:
        near = get_close_matches(name, [*NAMES, *ALIASES], n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"samples are: {', '.join(NAMES)}"
        raise DataError(f"no sample `{name}`", hint=hint)
    table = read_sample(name)
    return (table, None) if name in WITHOUT_TARGET else table.split_target(table.names[-1])


def sample_file(name: str) -> Path:
    """Where the file of a sample lies."""
    return Path(__file__).with_name(f"{name}.csv")


def read_sample(name: str) -> Table:
    """The whole table of one file, target column included."""
    if name in AS_FILE:
        return read_table(sample_file(name))
    header, *rows = csv.reader(sample_file(name).read_text(encoding="utf-8").splitlines())
    cells = np.array(rows, dtype=np.float64 if name in NUMERIC else str)
    return table_from(cells, feature_names=header)


def load_iris() -> tuple[Table, NDArray[Any]]:
    """Fisher's iris flowers, from scikit-learn; the classes are the species' names."""
    from sklearn.datasets import load_iris as load

    bunch = load()
    names = [name.removesuffix(" (cm)") for name in bunch.feature_names]
    species = np.asarray(bunch.target_names)[bunch.target]
    return table_from(bunch.data, feature_names=names), species
