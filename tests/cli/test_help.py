"""Help is there for everything, and at once."""

import os
import resource
import subprocess
import sys

import pytest

import treewright as package
from machine import needs
from treewright.cli.app import LEARNING, OTHERS
from watched import SLOWER

COMMANDS = [*LEARNING, *OTHERS]


@pytest.mark.parametrize("words", [["--help"], ["-h"]])
def test_help_lists_the_commands(treewright, words):
    run = treewright(*words)
    assert run.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in run.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(treewright, command):
    run = treewright(command, "--help")
    assert run.code == 0
    assert run.out.startswith(f"Usage: treewright {command}")


def test_every_flag_has_a_line_of_help(treewright):
    for command in COMMANDS:
        lines = treewright(command, "--help-all").out.splitlines()
        for line, after in zip(lines, [*lines[1:], ""], strict=True):
            if line.startswith("  -"):
                beside = line[2:].partition("  ")[2]
                assert beside.strip() or after.startswith("      "), line


@pytest.mark.parametrize("command", LEARNING)
def test_help_fits_two_screens_and_the_rest_is_shown_on_request(treewright, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "100")
    usual = treewright(command, "--help").out
    assert len(usual.splitlines()) <= (90 if command == "train" else 110)
    assert "--max-depth" in usual
    assert "--min-gain" not in usual
    every = treewright(command, "--help-all").out
    assert "--min-gain" in every
    assert "--metric" in every
    assert usual.splitlines()[0] == every.splitlines()[0]


def test_help_shows_the_settings_of_the_algorithm_that_is_named(treewright):
    for words in (["--model", "knn"], ["--model=knn"]):
        found = treewright("train", *words, "--help").out
        assert "--metric" in found
        assert "--criterion" not in found
    assert "--max-depth" in treewright("train", "--model", "knnn", "--help").out


def test_hidden_settings_work_and_are_suggested(treewright):
    assert treewright("train", "tennis", "--min-gain", "0.1").code == 0
    assert "did you mean `--min-gain`" in treewright("train", "tennis", "--min-gan", "1").err


def test_summaries_are_not_cut(treewright, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert "..." not in treewright("--help").out.partition("Commands:")[2]


def test_version(treewright):
    assert treewright("--version").out == f"treewright {package.__version__}\n"


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom treewright.cli.main import main\nmain(['--help'])\n"
        "print({'numpy', 'scipy', 'sklearn', 'polars', 'pandas'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.timed
def test_help_comes_at_once():
    """Wanted: 0.3 s. Time of the processor, with room to spare: the machine may be busy."""
    command = [sys.executable, "-m", "treewright.cli.main", "--help"]
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.5 * SLOWER


@pytest.mark.parametrize("width", [60, 100, 200])
def test_help_is_as_wide_as_the_terminal(treewright, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for command in ("train", "report"):
        lines = treewright(command, "--help").out.splitlines()
        assert max(map(len, lines)) <= max(width, 80)


SCRIPT_BEGINS = {
    "bash": "_treewright_completion() {",
    "zsh": "#compdef treewright",
    "fish": "complete --command treewright",
}


@pytest.mark.parametrize("shell", SCRIPT_BEGINS)
def test_every_shell_gets_a_script_for_completion(shell):
    done = completed(_TREEWRIGHT_COMPLETE=f"source_{shell}")
    assert done.stdout.lstrip().startswith(SCRIPT_BEGINS[shell])


@needs("bash")
def test_a_shell_is_told_how_to_complete():
    command = f"'{sys.executable}' -m treewright.cli.main --show-completion; true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.lstrip().startswith(SCRIPT_BEGINS["bash"])


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("treewright tr", "train"),
        ("treewright train tennis --max-d", "--max-depth"),
        ("treewright tune iris --model c", "c45rules"),
        ("treewright predict --pro", "--proba"),
    ],
)
def test_commands_flags_and_choices_are_completed(line, word):
    for_bash = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    assert word in completed(_TREEWRIGHT_COMPLETE="complete_bash", **for_bash).stdout.split()


def test_other_shells_complete_too():
    line = "treewright predict --pro"
    in_zsh = completed(_TREEWRIGHT_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS=line).stdout
    assert '"--proba"' in in_zsh
    for_fish = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    in_fish = completed(_TREEWRIGHT_COMPLETE="complete_fish", **for_fish).stdout
    assert "--proba" in in_fish.split()


def completed(**variables):
    """What the command answers to a shell."""
    code = "import sys; sys.argv = ['treewright']; from treewright.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
