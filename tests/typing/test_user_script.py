"""Type checkers accept a user's script, and the script runs."""

import subprocess
import sys
from pathlib import Path

from machine import imported

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("user_script.py")
# A mistake in each line, which a type checker finds.
MISTAKES = """
import treewright as tw
X, y = tw.load_sample("tennis")
model = tw.C45Classifier().fit(X, y)
tw.prune(model, "reduce_error")
tw.export(model, to="cobol")
tw.draw(model, direction="up")
tw.tune(model, X, y, {}, method="gird")
tw.evaluate("C45Classifier", X, y)
tw.distil(3, X)
tw.load("model.json").predict_probability(X)
"""


def run(*words, **options):
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, cwd=ROOT, **options
    )


def test_the_script_runs(tmp_path):
    done = run(str(SCRIPT), str(tmp_path))
    assert done.returncode == 0, done.stderr
    written = {path.name for path in tmp_path.iterdir()}
    assert {"tree.svg", "row.html", "worksheet.md", "model.json", "model.sql"} <= written


def test_mypy_accepts_the_script_and_finds_mistakes(tmp_path):
    imported("mypy")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(MISTAKES, encoding="utf-8")
    done = run("-m", "mypy", "--strict", "--no-error-summary", str(SCRIPT), str(wrong))
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line for line in lines if "user_script" in line] == []
    found = {int(line.split(":")[1]) for line in lines if "wrong.py" in line}
    n_lines = len(MISTAKES.splitlines())
    assert found == set(range(5, n_lines + 1)), done.stdout + done.stderr


def test_pyright_accepts_the_script():
    imported("pyright")
    done = run("-m", "pyright", str(SCRIPT))
    assert done.returncode == 0, done.stdout
