"""The walks through the code in ARCHITECTURE.md are the calls that happen."""

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import treewright as tw
from treewright.cli import main

PAGE = (Path(__file__).parents[1] / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_FROM_FIT_TO_THE_GROWER = 6  # Python functions


def walk_after(heading: str) -> list[tuple[str, str]]:
    """Module and function of each line of the block that follows a line of the page."""
    block = PAGE.split(heading)[1].split("```text\n")[1].split("```")[0]
    return re.findall(r"^(\S+\.py)\s+(\S+)", block, re.MULTILINE)


def calls_to(last: tuple[str, str], call: Callable[[], object]) -> list[tuple[str, str]]:
    """The functions of the package that were running when the last one was first called."""
    found: list[tuple[str, str]] = []

    def profile(frame, event, _):
        if event != "call" or found:
            return
        if named(frame) == last:
            while frame is not None:
                if named(frame) is not None:
                    found.insert(0, named(frame))
                frame = frame.f_back

    sys.setprofile(profile)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    finally:
        sys.setprofile(None)
    return found


def named(frame) -> tuple[str, str] | None:
    module = frame.f_globals.get("__name__", "")
    if not module.startswith("treewright."):
        return None
    path = module.removeprefix("treewright.").replace(".", "/") + ".py"
    return path, frame.f_code.co_qualname


def test_a_fit():
    walk = walk_after("`C45Classifier().fit(X, y)`, from")
    assert len(walk) <= MOST_FROM_FIT_TO_THE_GROWER
    X, y = tw.load_sample("loans")
    assert calls_to(walk[-1], lambda: tw.C45Classifier().fit(X, y)) == walk


def test_a_worksheet():
    walk = walk_after("`tw.worksheet(model, X, y)`, from")
    X, y = tw.load_sample("tennis")
    model = tw.ID3Classifier().fit(X, y)
    assert calls_to(walk[-1], lambda: tw.worksheet(model, X, y)) == walk


def test_a_command(tmp_path, monkeypatch):
    walk = walk_after("`treewright train loans --report report.html`, from")
    page = tmp_path / "report.html"
    monkeypatch.setattr(sys, "argv", ["treewright", "train", "loans", "--report", str(page), "-q"])

    def run():
        with pytest.raises(SystemExit):
            main.command()

    assert calls_to(walk[-1], run) == walk
    assert page.exists()
