"""A wrong command line gets one line that names what is wrong, and a hint."""

from pathlib import Path
from typing import get_args

import pytest

from treewright.cli.algorithms import ModelName

MISTAKES = {
    "train": ("TABLE is missing", "`treewright train --help` lists its arguments and options"),
    "export m.json": (
        "--to is missing",
        "`treewright export --help` lists its arguments and options",
    ),
    "train a.csv b.csv c.csv": (
        "too many arguments: b.csv c.csv",
        "to read many files as one table, quote the pattern, as in 'day*.csv'",
    ),
    "trane tennis": ("there is no command `trane`", "did you mean `train`?"),
    "train tennis --max-detph 3": (
        "there is no option `--max-detph`",
        "did you mean `--max-depth`?",
    ),
    "train tennis --times outlook": (
        "there is no option `--times`",
        "--times is for the commands evaluate, compare, tune and report",
    ),
    "train tennis --model C45": ("--model: there is no `C45`", "did you mean `c45`?"),
    "train tennis --model jungle": (
        "--model: there is no `jungle`",
        f"choices are: {', '.join(get_args(ModelName))}",
    ),
    "evaluate tennis --folds x": (
        "--folds: must be a whole number",
        "`treewright evaluate --help` lists its arguments and options",
    ),
    "evaluate tennis --folds 1": (
        "--folds: must be at least 2",
        "`treewright evaluate --help` lists its arguments and options",
    ),
    "compare tennis --rope much": (
        "--rope: must be a number",
        "`treewright compare --help` lists its arguments and options",
    ),
    "rules m.json --min-confidence 2": (
        "--min-confidence: must be at most 1",
        "`treewright rules --help` lists its arguments and options",
    ),
    "train tennis --method stochastic": (
        "there is no option `--method`",
        "did you mean --descent?",
    ),
    "train tennis play": ("too many arguments: play", "did you mean `--target play`?"),
    "train tennis iris": (
        "too many arguments: iris",
        "`treewright train --help` lists its arguments and options",
    ),
    "train tennis --out": (
        "--out needs a value",
        "`treewright --help` lists its arguments and options",
    ),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_the_message_names_what_is_wrong(treewright, line):
    problem, hint = MISTAKES[line]
    run = treewright(*line.split())
    assert (run.code, run.out) == (2, "")
    assert run.err == f"error: {problem}\nhint: {hint}\n"


def test_no_words_at_all_show_the_help(treewright):
    assert treewright() == treewright("--help")


@pytest.mark.parametrize("source", ["tennis", "days.csv"])
def test_a_target_after_the_table_of_evaluate_is_told_apart_from_a_model(treewright, source):
    Path("days.csv").write_text(treewright("samples", "tennis").out)
    run = treewright("evaluate", source, "play")
    assert run.code == 2
    assert run.err == (
        f"error: `{source}` is a table, not a saved model, and `play` is one argument too many\n"
        f"hint: `treewright evaluate {source} --target play` cross-validates, "
        "`treewright evaluate MODEL TABLE` tests a model\n"
    )
    two = treewright("evaluate", source, "iris")
    assert f"`treewright evaluate {source} --target COLUMN`" in two.err


@pytest.mark.parametrize(
    "words", [("show",), ("rules",), ("predict", "iris"), ("export", "--to", "python")]
)
def test_a_table_in_the_place_of_a_model_is_called_a_table(treewright, words):
    Path("days.csv").write_text(treewright("samples", "tennis").out)
    for source in ("tennis", "days.csv"):
        run = treewright(words[0], source, *words[1:])
        assert run.code == 3
        assert (
            f"`{source}` is a table, not a saved model\nhint: `treewright train {source}" in run.err
        )
