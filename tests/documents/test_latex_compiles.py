"""LaTeX that pdfLaTeX takes, whatever the names; skipped where there is no pdfLaTeX."""

import subprocess
from pathlib import Path

import pytest

import treewright as tw
from documents.expressions import NASTY
from documents.pages import a_page_of
from machine import needs
from treewright.documents.as_latex import to_latex
from treewright.documents.page import Document

LETTERS = "".join(map(chr, [*range(0xA1, 0x180), *range(0x391, 0x3CA), *range(0x2010, 0x2028)]))
NAMES = (*NASTY, LETTERS, "[x]", "]", "&", "\\", "^^M", "%", "", " ")
pytestmark = needs("pdflatex")


def compiled(text: str, folder: Path) -> bytes:
    """The PDF; an assertion with the end of the log if there is none."""
    (folder / "page.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"],
        cwd=folder,
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-1500:]
    return (folder / "page.pdf").read_bytes()


def test_every_kind_of_name_compiles(tmp_path):
    blocks = [block for name in NAMES for block in a_page_of(name)]
    page = to_latex(Document("Names", tuple(blocks)))
    assert compiled(page, tmp_path).startswith(b"%PDF")


@pytest.mark.parametrize("name", ["tennis", "weekend", "iris"])
def test_a_worksheet_compiles(name, tmp_path):
    X, y = tw.load_sample(name)
    model = (tw.C45Classifier if name == "iris" else tw.ID3Classifier)().fit(X, y)
    sheet = tw.worksheet(model, X, y, measures=["gini_gain", "chi_square"])
    assert compiled(sheet.to_latex(), tmp_path)
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert "Overfull" not in log


def test_a_part_compiles_twice_inside_another_document(tmp_path):
    X, y = tw.load_sample("tennis")
    part = tw.worksheet(tw.ID3Classifier().fit(X, y), X, y).to_latex(standalone=False)
    text = (
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n"
        "\\usepackage{amsmath,array,booktabs,graphicx}\n"
        f"\\begin{{document}}\n{part}\n\n{part}\n\\end{{document}}\n"
    )
    assert compiled(text, tmp_path)
