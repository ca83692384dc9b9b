"""Rust code, run by rustc, answers as the model does, on every witness of every model."""

import pytest

from builders import branches, build, leaf
from exports.export_models import EVERY_MODEL_AND_FORM, fitted
from exports.machine import needs
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ExportError
from treewright.models.exporting import export, verify_export


@needs("rustc")
@pytest.mark.parametrize(("name", "form"), EVERY_MODEL_AND_FORM)
def test_rust_answers_as_the_model(name, form):
    model = fitted(name)
    found = verify_export(model, export(model, to="rust", form=form), to="rust")
    assert found, str(found)


@pytest.mark.parametrize(("level", "other"), [("half \ud800", "whole"), (2**63, 1)])
def test_what_rust_cannot_hold_is_refused(level, other):
    schema = Schema((ColumnSpec("level", "nominal", (level, other)),))
    tree = build(branches(0, {0: 0, 1: 1}, leaf(2, 1), leaf(0, 3)), schema, ("no", "yes"))
    with pytest.raises(ExportError):
        export(tree, to="rust")
