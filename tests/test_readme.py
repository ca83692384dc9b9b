"""The Python of README.md and the commands of `make demo`; test_docs.py runs its other commands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import blocks, printed_by

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("code", "output"), list(zip(blocks(README, "python"), blocks(README, "text"), strict=True))
)
def test_a_python_example_prints_what_the_readme_shows(code, output, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.stderr == ""
    assert done.stdout == output


def test_the_readme_is_short_and_names_the_two_commands():
    assert len(README.splitlines()) <= 180
    assert "make demo" in README
    assert "make test" in README


def test_the_first_python_example_has_ten_lines():
    code, *_ = blocks(README, "python")
    assert len([line for line in code.splitlines() if line.strip()]) == 10


def test_the_demo_goes_from_a_table_to_a_report(tmp_path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    demo = re.search(r"^demo:.*?\n\n", makefile, flags=re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^\t\.venv/bin/(treewright .*)$", demo[0], flags=re.MULTILINE)
    (tmp_path / "out").mkdir()
    for command in commands:
        assert "error:" not in printed_by(command, tmp_path)
    assert "<svg" in (tmp_path / "out" / "loans_report.html").read_text(encoding="utf-8")
