"""The example notebooks run, and show what is stored in them; the site shows the same."""

import json
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from machine import imported
from pages import printed_by, steps_of

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
SLOW = {"titanic"}  # half a minute
MOST_BYTES = 150_000
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
LOOKS = re.compile(r"<style>.*?</style>| (?:class|style)='[^']*'", flags=re.DOTALL)

imported("nbclient")
imported("ipykernel")

for_every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def script(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    imported("myst_parser")
    return script(DOCS / "notebook_pages.py")


def forms_of(output: dict) -> dict[str, str]:
    """What a cell showed: text by kind."""
    if output["output_type"] == "stream":
        return {output["name"]: "".join(output["text"])}
    return {kind: "".join(text) for kind, text in output["data"].items()}


def assert_alike(kept: dict[str, str], made: dict[str, str], remedy: str) -> None:
    """The same texts, whatever the style; a picture may be off by a hundredth of a pixel."""
    assert kept.keys() == made.keys(), remedy
    for kind, text in kept.items():
        if kind == "image/svg+xml":
            assert NUMBER.sub("", text) == NUMBER.sub("", made[kind]), remedy
            numbers = [list(map(float, NUMBER.findall(each))) for each in (text, made[kind])]
            assert numbers[0] == pytest.approx(numbers[1], abs=0.02), remedy
        else:
            assert LOOKS.sub(" ", text) == LOOKS.sub(" ", made[kind]), remedy


def markdown_of(cell: dict) -> str:
    return "".join(cell["source"]) + "\n" if cell["cell_type"] == "markdown" else ""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=pytest.mark.large if path.stem in SLOW else ())
        for path in NOTEBOOKS
    ],
    ids=lambda path: path.stem,
)
def test_a_notebook_shows_what_is_stored_and_its_commands_work(path, tmp_path):
    stored = json.loads(path.read_text(encoding="utf-8"))
    fresh = script(DOCS / "notebooks" / "rerun.py").rerun(path, tmp_path)
    remedy = f"{path.name}: run `make notebooks` and look at it"
    for kept, made in zip(stored["cells"], fresh["cells"], strict=True):
        if kept["cell_type"] == "code":
            for pair in zip(kept["outputs"], made["outputs"], strict=True):
                assert_alike(*map(forms_of, pair), f"{remedy}: {kept['id']}")
    for step in steps_of("".join(map(markdown_of, stored["cells"]))):
        assert "error:" not in printed_by(step.command, tmp_path), step.command


@for_every_notebook
def test_a_notebook_is_small_ran_from_top_to_bottom_and_tells_nothing_of_its_machine(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert not re.search(r"/(home|tmp|root|work|usr)/", text)
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.get("name") == "stderr" for cell in cells for output in cell["outputs"])


@for_every_notebook
def test_links_of_a_notebook_lead_somewhere(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for target in re.findall(r"\]\(([^)#]+)\)", markdown_of(cell)):
            assert (path.parent / target).exists(), target


def test_a_page_has_the_text_the_code_and_the_richest_output(pages):
    data = {"text/plain": ["<Picture>"], "image/svg+xml": ["<svg/>"]}
    code = {
        "cell_type": "code",
        "source": ["draw()\n", "print(1)"],
        "outputs": [
            {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
            {"output_type": "execute_result", "data": data},
        ],
    }
    page = pages.page_of({"cells": [{"cell_type": "markdown", "source": ["# Title"]}, code]})
    assert page.startswith("# Title\n\n```python\ndraw()\nprint(1)\n```\n\n")
    assert "```{code-block} text\n:class: printed\n\n1\n```\n" in page
    assert "```{raw} html" in page
    assert "<svg/>" in page
    assert "<Picture>" not in page


def test_no_output_can_end_its_own_block(pages):
    assert pages.fenced("text", "a\n```\nb") == "````text\na\n```\nb\n````"


def test_the_site_shows_notebooks_and_formulas_from_no_network(tmp_path):
    imported("sphinx")
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    shutil.copy(DOCS / "notebooks" / "lecture_table.ipynb", source)
    text = "# Site\n\nIn line $p_i$.\n\n$$\\frac{1}{2}$$\n\n```{toctree}\nlecture_table\n```\n"
    (source / "index.md").write_text(text, encoding="utf-8")
    (source / "conf.py").write_text(
        "extensions = ['myst_parser', 'notebook_pages', 'formulas']\n"
        "myst_enable_extensions = ['dollarmath']\n"
        "html_math_renderer = 'mathml'\n"
        "suppress_warnings = ['myst.xref_missing']\n"
    )
    line = [sys.executable, "-m", "sphinx", "-W", "-q", str(source), str(site)]
    done = subprocess.run(line, capture_output=True, text=True, cwd=DOCS, check=False)
    assert done.returncode == 0, done.stderr
    index, page = [
        (site / name).read_text("utf-8") for name in ("index.html", "lecture_table.html")
    ]
    assert index.count("<math") == 2
    assert page.count("<svg") == 3
    assert not re.search(r"(src|href)=.https?:.*(js|css)\b", index + page)
