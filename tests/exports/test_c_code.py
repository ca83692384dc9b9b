"""C code, compiled by gcc, predicts as the model does, on every witness of every model."""

import subprocess

import pytest

import treewright as tw
from builders import branches, build, leaf
from exports.export_models import EVERY_MODEL_AND_FORM, fitted
from machine import needs
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ExportError, ParameterError
from treewright.verbs.export import export, verify_export

WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-pedantic", "-Werror")


@needs("gcc")
@pytest.mark.parametrize(("name", "form"), EVERY_MODEL_AND_FORM)
def test_P16_c_predicts_as_the_model(name, form):
    model = fitted(name)
    found = verify_export(model, export(model, to="c", form=form), to="c")
    assert found, str(found)


@needs("gcc")
@pytest.mark.parametrize("name", ["odd names", "odd levels and classes", "everything, classes"])
@pytest.mark.parametrize("form", ["auto", "tables"])
def test_the_compiler_has_nothing_to_say(name, form, tmp_path):
    export(fitted(name), to="c", form=form, path=tmp_path / "tree.c")
    command = ["gcc", "-std=c99", *WARNINGS, "-fsyntax-only", str(tmp_path / "tree.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@needs("gcc")
@pytest.mark.parametrize("options", [["-O3"], ["-std=gnu17", "-O2", "-ffp-contract=fast"]])
def test_a_fused_product_and_sum_would_not_change_a_bit(options, monkeypatch):
    model = fitted("weights of rows")
    command = ("gcc", *options, "-o", "tree", "tree.c", "-lm")
    monkeypatch.setattr("treewright.exports.languages.c_code.COMPILE", command)
    assert verify_export(model, export(model, to="c"), to="c")


@needs("gcc")
def test_the_name_is_the_users():
    model = fitted("tennis by C4.5")
    code = export(model, to="c", name="play")
    assert "int play_predict(const struct play_row *row)" in code
    assert "tree_" not in code
    assert verify_export(model, code, to="c", name="play")


def test_a_name_that_is_none_is_refused():
    with pytest.raises(ParameterError, match="'my tree' is not a name in C"):
        export(fitted("one leaf"), to="c", name="my tree")


def a_tree_of_levels(*levels: str | int) -> tw.Tree:
    schema = Schema((ColumnSpec("level", "nominal", levels),))
    return build(branches(0, {0: 0, 1: 1}, leaf(2, 1), leaf(0, 3)), schema, ("no", "yes"))


@pytest.mark.parametrize("level", ["end\0here", "half \ud800", 2**53 + 1])
def test_what_c_cannot_hold_is_refused(level):
    other = "other" if isinstance(level, str) else 1
    with pytest.raises(ExportError):
        export(a_tree_of_levels(level, other), to="c")
