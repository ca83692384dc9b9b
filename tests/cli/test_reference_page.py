"""The page of commands is made from the commands."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_commands_say(monkeypatch):
    script = runpy.run_path(str(DOCS / "command_reference.py"))
    assert (DOCS / "commands.md").read_text(encoding="utf-8") == script["page"]()
