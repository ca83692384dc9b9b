"""A wrong command line gets one line that names what is wrong, and a hint."""

from typing import get_args

import pytest

from treewright.cli.algorithms import ModelName

MISTAKES = {
    "train": ("TABLE is missing", "`treewright train --help` shows what it takes"),
    "export m.json": ("--to is missing", "`treewright export --help` shows what it takes"),
    "trane tennis": ("there is no command `trane`", "did you mean `train`?"),
    "train tennis --max-detph 3": (
        "there is no option `--max-detph`",
        "did you mean `--max-depth`?",
    ),
    "train tennis --times outlook": (
        "there is no option `--times`",
        "--times is for the commands that judge: evaluate, compare, tune and report",
    ),
    "train tennis --model C45": ("--model: there is no `C45`", "did you mean `c45`?"),
    "train tennis --model jungle": (
        "--model: there is no `jungle`",
        f"choices are: {', '.join(get_args(ModelName))}",
    ),
    "evaluate tennis --folds x": (
        "--folds: must be a whole number",
        "`treewright evaluate --help` shows what it takes",
    ),
    "evaluate tennis --folds 1": (
        "--folds: must be at least 2",
        "`treewright evaluate --help` shows what it takes",
    ),
    "compare tennis --rope much": (
        "--rope: must be a number",
        "`treewright compare --help` shows what it takes",
    ),
    "rules m.json --min-confidence 2": (
        "--min-confidence: must be at most 1",
        "`treewright rules --help` shows what it takes",
    ),
    "train tennis --method stochastic": (
        "there is no option `--method`",
        "did you mean --descent?",
    ),
    "train tennis iris": (
        "too many words: iris",
        "`treewright train --help` shows what it takes",
    ),
    "train tennis --out": ("--out needs a value", "`treewright --help` shows what it takes"),
}


@pytest.mark.parametrize("line", MISTAKES)
def test_the_message_names_what_is_wrong(treewright, line):
    problem, hint = MISTAKES[line]
    run = treewright(*line.split())
    assert (run.code, run.out) == (2, "")
    assert run.err == f"error: {problem}\nhint: {hint}\n"


def test_no_words_at_all_show_the_help(treewright):
    assert treewright() == treewright("--help")
