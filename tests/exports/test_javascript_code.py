"""JavaScript code, run by node, predicts as the model does, on every witness of every model."""

import pytest

from builders import branches, build, leaf, numeric_schema, threshold
from exports.export_models import EVERY_MODEL_AND_FORM, fitted
from machine import needs
from treewright.data.schema import ColumnSpec, Schema
from treewright.errors import ExportError
from treewright.verbs.export import export, verify_export


@needs("node")
@pytest.mark.parametrize(("name", "form"), EVERY_MODEL_AND_FORM)
def test_P16_javascript_predicts_as_the_model(name, form):
    model = fitted(name)
    found = verify_export(model, export(model, to="javascript", form=form), to="javascript")
    assert found, str(found)


@needs("node")
def test_half_of_a_pair_is_a_letter_too():
    schema = Schema((ColumnSpec("level", "nominal", ("\ud800", "\u2028", "\0")),))
    root = branches(0, {0: 0, 1: 1, 2: 2}, leaf(2, 1), leaf(0, 3), leaf(1, 0))
    tree = build(root, schema, ("no", "yes"))
    assert verify_export(tree, export(tree, to="javascript"), to="javascript")


def test_whole_numbers_that_javascript_would_round_are_refused():
    schema = Schema((ColumnSpec("level", "nominal", (2**53 + 1, 1)),))
    tree = build(branches(0, {0: 0, 1: 1}, leaf(2, 1), leaf(0, 3)), schema, ("no", "yes"))
    with pytest.raises(ExportError, match="beyond the whole numbers"):
        export(tree, to="javascript")


def test_the_one_name_that_javascript_keeps_for_itself_is_refused():
    root = threshold(0, 1.0, leaf(1, 0), leaf(0, 1))
    tree = build(root, numeric_schema("__proto__"), ("no", "yes"))
    with pytest.raises(ExportError, match="__proto__"):
        export(tree, to="javascript")
