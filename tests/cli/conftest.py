"""Run the command inside the test process, in an empty folder."""

from dataclasses import dataclass

import pytest

from treewright.cli.main import main


@dataclass(frozen=True, slots=True)
class Run:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def treewright(tmp_path, monkeypatch, capsys):
    """`treewright("train", "tennis")` as if typed in `tmp_path`."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Run:
        code = main(words)
        return Run(code, *capsys.readouterr())

    return run
