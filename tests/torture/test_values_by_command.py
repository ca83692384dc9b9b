"""T01 to T24 as typed: `train` and `predict` of every algorithm, from CSV files."""

import csv
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import treewright as tw
from torture.models import MODELS, table_for
from treewright.cli.algorithms import ESTIMATORS
from treewright.cli.main import main

LARGE = pytest.mark.large
UNUSABLE, UNFIT = 3, 4  # exit codes: contents cannot be used; columns are not those of the model

# One of each kind: the others take the same ways, and minutes.
FEW = {"c45 classification", "knn regression", "kprototypes no target"}
for_every_algorithm = pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=" ".join(words), marks=() if " ".join(words) in FEW else LARGE)
        for words in ESTIMATORS
    ],
)


class Run(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """`run("train", "t.csv")` as if typed in an empty folder; nobody sees a traceback."""
    monkeypatch.chdir(tmp_path)

    def typed(*words: str) -> Run:
        capsys.readouterr()
        told = Run(main(words), *capsys.readouterr())
        assert "Traceback" not in told.err
        assert "unexpected" not in told.err
        return told

    return typed


def write(name: str, columns: dict[str, list]) -> None:
    """A CSV file in the folder of the test; None is an empty cell."""
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def with_target(words: tuple[str, str], n_rows: int = 40) -> dict[str, list]:
    """Columns that the algorithm takes, and a target `ok` where it needs one."""
    kind = MODELS[ESTIMATORS[words]]
    table, y = table_for(kind, n_rows)
    if kind.is_classifier:
        table["ok"] = ["yes" if one else "no" for one in y]
    elif kind.has_target:
        table["ok"] = [one + 0.25 for one in y.tolist()]
    return table


def train(words: tuple[str, str], *more: str) -> list[str]:
    """What is typed to learn `t.csv` soon, and to save m."""
    name, task = words
    kind = MODELS[ESTIMATORS[words]]
    flags = ["train", "t.csv", "--model", name, "--out", "m", "-q", *more]
    if kind.has_target:
        flags += ["--target", "ok", "--task", task]
    for setting, value in kind.settings.items():
        flags += [f"--{setting.replace('_', '-')}", str(value)]
    return flags


def predictions_of(told: Run) -> list[dict[str, str]]:
    """The rows that `predict` has printed."""
    assert told.code == 0, told.err
    return list(csv.DictReader(io.StringIO(told.out)))


@for_every_algorithm
def test_T01_holes_in_the_target_are_told_or_left_out_if_asked_for(run, words):
    if not MODELS[ESTIMATORS[words]].has_target:
        pytest.skip("has no target")
    table = with_target(words)
    table["ok"][4] = table["ok"][9] = None
    write("t.csv", table)
    told = run(*train(words))
    assert told.code == UNUSABLE
    assert "`ok`" in told.err
    assert "missing in 2 of 40 rows" in told.err
    assert "first in row 4" in told.err
    assert not Path("m").exists()
    assert run(*train(words, "--drop-missing-target")).code == 0


@for_every_algorithm
def test_T02_T03_T07_columns_of_odd_values_are_learned_or_told(run, words):
    """Without a value, infinite, or near the largest double."""
    kind = MODELS[ESTIMATORS[words]]
    table = with_target(words)
    write("t.csv", {**table, "empty": [None] * 40})
    assert run(*train(words)).code == 0
    for value in ("inf", "1.7e308"):
        write("t.csv", {**table, "size": [*table["size"][:17], value, *table["size"][18:]]})
        told = run(*train(words))
        if kind.takes_infinities:
            assert told.code == 0, told.err
        if value == "inf" and not kind.takes_infinities:
            assert told.code == UNUSABLE
        if told.code:
            assert told.code == UNUSABLE
            assert "`size`" in told.err
            assert "row 17" in told.err


@for_every_algorithm
def test_T04_T14_T16_T20_rows_unlike_those_of_training(run, words):
    """Holes, new levels, columns moved, added, missing, of another kind: as in Python, or told."""
    kind = MODELS[ESTIMATORS[words]]
    table = with_target(words)
    write("t.csv", table)
    assert run(*train(words)).code == 0
    model = tw.load("m")
    rows = {"size": [0.1, None, 0.3], "color": [table["color"][0], table["color"][1], None]}
    write("holes.csv", rows)  # moved, too: the command finds columns by their names
    in_order = {"color": rows["color"], "size": rows["size"]}
    if not kind.takes_words:
        in_order["color"] = [np.nan if cell is None else cell for cell in rows["color"]]
    expected = [str(prediction) for prediction in model.predict(in_order)]
    found = [row["prediction"] for row in predictions_of(run("predict", "m", "holes.csv", "-q"))]
    assert [str(type(model.predict(in_order)[0])(cell)) for cell in found] == expected

    if kind.has_unseen:
        write("new.csv", {"color": ["violet"], "size": [0.1]})
        write("hole.csv", {"color": [None], "size": [0.1]})
        told = run("predict", "m", "new.csv")
        assert told.err.count("violet") == 1
        assert "`color`" in told.err
        assert predictions_of(told) == predictions_of(run("predict", "m", "hole.csv"))

    write("more.csv", {**in_order, "other": [1, 2, 3]})
    told = run("predict", "m", "more.csv")
    assert "`other`" in told.err
    assert [row["prediction"] for row in predictions_of(told)] == found
    write("fewer.csv", {"color": rows["color"]})
    told = run("predict", "m", "fewer.csv")
    assert told.code == UNFIT
    assert "`size`" in told.err
    write("text.csv", {**in_order, "size": [0.1, "12a", 0.3]})
    told = run("predict", "m", "text.csv")
    assert told.code == UNFIT
    assert "`size`" in told.err
    assert "12a" in told.err


@for_every_algorithm
def test_T10_T12_weights_of_a_column_and_few_rows(run, words):
    kind = MODELS[ESTIMATORS[words]]
    table = with_target(words)
    weight = [float(at % 3 > 0) for at in range(40)]
    write("t.csv", {**table, "w": weight})
    assert run(*train(words, "--weight", "w")).code == 0
    weighted = run("predict", "m", "t.csv", "-q").out
    kept = [at for at in range(40) if weight[at]]
    write("t.csv", {name: [cells[at] for at in kept] for name, cells in table.items()})
    assert run(*train(words)).code == 0
    write("t.csv", {**table, "w": weight})
    assert run("predict", "m", "t.csv", "-q").out == weighted
    write("t.csv", {**table, "w": [*weight[:5], -1, *weight[6:]]})
    told = run(*train(words, "--weight", "w"))
    assert told.code == UNUSABLE
    assert "row 5" in told.err
    assert "-1" in told.err
    if kind.is_classifier:
        write("t.csv", {**table, "ok": ["yes"] * 40})
        told = run(*train(words))
        assert told.code == 0 or "class" in told.err


@for_every_algorithm
def test_T17_T18_T21_headers(run, words):
    """Names given twice, odd names, no rows at all."""
    kind = MODELS[ESTIMATORS[words]]
    table = with_target(words)
    Path("t.csv").write_text("a,b,a,ok\n1,2,3,yes\n2,3,4,no\n")
    told = run(*train(words))
    assert told.code in (0, UNUSABLE)  # two rows of words are not enough for all
    assert "unexpected" not in told.err
    if told.code == 0:
        assert "a.1" in tw.load("m").feature_names_in_
    Path("t.csv").write_text("color,size,ok\n")
    told = run(*train(words))
    assert told.code == UNUSABLE
    assert "rows" in told.err
    odd = {'"größe",\n\\': table["size"], "[a]<b>": table["color"]}
    write("t.csv", {**odd, **{name: table[name] for name in table if name == "ok"}})
    assert run(*train(words)).code == 0
    model = tw.load("m")
    assert model.feature_names_in_.tolist() == list(odd)
    expected = [str(prediction) for prediction in model.predict(odd)]
    found = [row["prediction"] for row in predictions_of(run("predict", "m", "t.csv", "-q"))]
    kept = type(model.predict(odd)[0])
    assert [str(kept(cell)) for cell in found] == expected
    if kind.has_missing_policies:
        assert "größe" in run("rules", "m").out


@for_every_algorithm
def test_T24_a_mark_of_missing_is_a_word_unless_it_is_named(run, words):
    if not MODELS[ESTIMATORS[words]].takes_words:
        pytest.skip("takes no words")
    table = with_target(words)
    table["color"] = ["NA" if color == "red" else color for color in table["color"]]
    write("t.csv", table)
    assert run(*train(words)).code == 0
    assert "NA" in tw.load("m").schema_.columns[0].levels
    assert run(*train(words, "--na", "NA")).code == 0
    assert "NA" not in tw.load("m").schema_.columns[0].levels
