"""What README.md shows is what happens."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PICTURES = ROOT / "docs" / "pictures"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def commands_and_outputs() -> list[tuple[str, str]]:
    """Every `$ command` of the console blocks with what is printed below it."""
    pairs = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            pairs.append((command, output))
    return pairs


@pytest.mark.parametrize(("command", "output"), commands_and_outputs())
def test_a_command_prints_what_the_readme_shows(command, output, tmp_path):
    program, *words = shlex.split(command)
    assert program == "treewright"
    done = subprocess.run(
        [sys.executable, "-m", "treewright.cli.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.stdout == output


@pytest.mark.parametrize(
    ("code", "output"),
    list(zip(blocks("python"), blocks("text"), strict=True)),
    ids=["ten lines", "work", "rules"],
)
def test_a_python_example_prints_what_the_readme_shows(code, output, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.stderr == ""
    assert done.stdout == output
    for picture in tmp_path.glob("*.svg"):
        kept = (PICTURES / picture.name).read_text(encoding="utf-8")
        assert picture.read_text(encoding="utf-8") == kept, "save it anew by the example, and look"


def test_the_first_python_example_has_ten_lines():
    code, *_ = blocks("python")
    assert len([line for line in code.splitlines() if line.strip()]) == 10


def test_every_link_leads_somewhere():
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
