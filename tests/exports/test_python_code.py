"""Python code answers as the model does, on every witness of every model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_mixed_schema, a_random_tree
from exports.export_models import EXPORT_MODELS, fitted
from treewright.models.exporting import export, verify_export


@pytest.mark.parametrize("form", ["auto", "tables"])
@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_python_answers_as_the_model(name, form):
    model = fitted(name)
    found = verify_export(model, export(model, to="python", form=form), to="python")
    assert found, str(found)


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.booleans(), st.sampled_from(["ifs", "tables"]))
def test_python_carries_any_tree(seed, is_classifier, form):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), is_classifier=is_classifier)
    found = verify_export(tree, export(tree, to="python", form=form), to="python")
    assert found, str(found)
