"""Rust code, compiled by rustc, predicts as the model does, on every witness of every model."""

import subprocess
from pathlib import Path

import pytest

from builders import branches, build, leaf
from exports.export_models import EVERY_MODEL_AND_FORM, fitted
from machine import needs
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ExportError
from treewright.exports.compiled import read_predictions, row_lines
from treewright.exports.languages.rust_code import main_module, write
from treewright.exports.witnesses import witnesses
from treewright.verbs.export import (
    compare,
    expected_predictions,
    export,
    program_of,
    verify_export,
)


@needs("rustc")
@pytest.mark.timeout(600)
def test_P16_rust_predicts_as_every_model(tmp_path):
    """All models in one program: starting a compiler for each would take minutes."""
    cases = []
    for at, (name, form) in enumerate(EVERY_MODEL_AND_FORM):
        program = program_of(fitted(name))
        main = main_module(program).replace("mod tree;", f"use crate::tree_{at} as tree;")
        (tmp_path / f"main_{at}.rs").write_text(main.replace("fn main", "pub fn main"))
        (tmp_path / f"tree_{at}.rs").write_text(write(program, form=form), encoding="utf-8")
        cases.append((name, form, program))
    modules = "".join(f"mod main_{at};\nmod tree_{at};\n" for at in range(len(cases)))
    arms = "".join(f'        "{at}" => main_{at}::main(),\n' for at in range(len(cases)))
    choice = "    match std::env::args().nth(1).unwrap().as_str() {\n"
    whole = f"{modules}\nfn main() {{\n{choice}{arms}        _ => panic!(),\n    }}\n}}\n"
    (tmp_path / "all.rs").write_text(whole)
    in_folder(tmp_path, "", "rustc", "--edition", "2021", "-A", "warnings", "all.rs")
    for at, (name, form, program) in enumerate(cases):
        rows = witnesses(program.tree)
        output = in_folder(tmp_path, row_lines(program, rows), tmp_path / "all", str(at))
        expected = expected_predictions(fitted(name), program, rows)
        differing = compare("rust", rows, expected, read_predictions(program, output))
        assert differing, f"{name}, {form}: {differing}"


def in_folder(folder: Path, given: str, *command: str | Path) -> str:
    done = subprocess.run(
        command, cwd=folder, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs("rustc")
@pytest.mark.parametrize("name", ["tennis by C4.5", "unseen is an error"])
def test_one_model_is_compiled_and_run_by_verify_export(name):
    model = fitted(name)
    assert verify_export(model, export(model, to="rust"), to="rust")


@pytest.mark.parametrize(("level", "other"), [("half \ud800", "whole"), (2**63, 1)])
def test_what_rust_cannot_hold_is_refused(level, other):
    schema = Schema((ColumnSpec("level", "nominal", (level, other)),))
    tree = build(branches(0, {0: 0, 1: 1}, leaf(2, 1), leaf(0, 3)), schema, ("no", "yes"))
    with pytest.raises(ExportError):
        export(tree, to="rust")
