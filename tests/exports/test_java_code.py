"""Java code, compiled by javac, predicts as the model does, on every witness of every model."""

import subprocess
from pathlib import Path

import pytest

from exports.export_models import EVERY_MODEL_AND_FORM, fitted
from machine import needs
from treewright.errors import ParameterError
from treewright.exports.compiled import read_predictions, row_lines
from treewright.exports.languages.java_code import main_class, write
from treewright.exports.witnesses import witnesses
from treewright.verbs.export import (
    compare,
    expected_predictions,
    export,
    program_of,
    verify_export,
)

RUN_ALL = """
public final class All {{
    public static void main(String[] arguments) throws Exception {{
{calls}
    }}
}}
"""
RUN_ONE = """
        System.setIn(new java.io.FileInputStream("{at}.rows"));
        System.setOut(new java.io.PrintStream("{at}.predictions"));
        Main{at}.main(arguments);
        System.out.close();
"""


@needs("javac", "java")
@pytest.mark.timeout(600)
def test_P16_java_predicts_as_every_model(tmp_path):
    """All models in one go: starting a compiler for each would take minutes."""
    cases = []
    for at, (name, form) in enumerate(EVERY_MODEL_AND_FORM):
        program = program_of(fitted(name))
        rows = witnesses(program.tree)
        code = write(program, form=form, name=f"Tree{at}")
        main = main_class(program, f"Tree{at}").replace("class Main", f"class Main{at}")
        (tmp_path / f"Tree{at}.java").write_text(code, encoding="utf-8")
        (tmp_path / f"Main{at}.java").write_text(main, encoding="utf-8")
        (tmp_path / f"{at}.rows").write_text(row_lines(program, rows, "utf-16-be"))
        cases.append((name, form, program, rows))
    calls = "".join(RUN_ONE.format(at=at) for at in range(len(cases)))
    (tmp_path / "All.java").write_text(RUN_ALL.format(calls=calls))
    in_folder(tmp_path, "javac", "-encoding", "UTF-8", *sorted(map(str, tmp_path.glob("*.java"))))
    in_folder(tmp_path, "java", "All")
    for at, (name, form, program, rows) in enumerate(cases):
        found = read_predictions(program, (tmp_path / f"{at}.predictions").read_text())
        differing = compare("java", rows, expected_predictions(fitted(name), program, rows), found)
        assert differing, f"{name}, {form}: {differing}"


def in_folder(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@needs("javac", "java")
def test_one_model_is_compiled_and_run_by_verify_export():
    model = fitted("tennis by C4.5")
    assert verify_export(model, export(model, to="java", name="Play"), to="java", name="Play")


@pytest.mark.parametrize("name", ["my tree", "class", "Row", ""])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(ParameterError, match="is not a name for a class"):
        export(fitted("one leaf"), to="java", name=name)
