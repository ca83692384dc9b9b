"""Help is there for everything, and at once."""

import resource
import subprocess
import sys

import pytest

import treewright as package

COMMANDS = [
    *("train", "evaluate", "compare", "tune", "show", "worksheet", "explain"),
    *("predict", "prune", "rules", "export", "report", "columns", "samples", "doctor"),
]


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
        lines = treewright(command, "--help").out.splitlines()
        for line, after in zip(lines, [*lines[1:], ""], strict=True):
            if line.startswith("  -"):
                beside = line[2:].partition("  ")[2]
                assert beside.strip() or after.startswith("      "), line


def test_version(treewright):
    assert treewright("--version").out == f"treewright {package.__version__}\n"


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom treewright.cli.main import main\nmain(['--help'])\n"
        "print({'numpy', 'sklearn', 'polars', 'pandas'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def test_help_comes_at_once():
    """Wanted: 0.3 s. Time of the processor, with room to spare: the machine may be busy."""
    command = [sys.executable, "-m", "treewright.cli.main", "--help"]
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command, capture_output=True, check=True)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    assert min(times) < 0.5
