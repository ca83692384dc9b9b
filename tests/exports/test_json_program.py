"""The JSON document says all that is needed to predict as the model does."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_mixed_schema, a_random_tree, build, leaf, numeric_schema, threshold
from exports.export_models import EXPORT_MODELS, fitted
from treewright.verbs.export import export, verify_export


@pytest.mark.parametrize("name", EXPORT_MODELS)
def test_P16_json_predicts_as_the_model(name):
    model = fitted(name)
    found = verify_export(model, export(model, to="json"), to="json")
    assert found, str(found)


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.booleans())
def test_json_carries_any_tree(seed, is_classifier):
    rng = np.random.default_rng(seed)
    tree = a_random_tree(rng, a_mixed_schema(rng), is_classifier=is_classifier)
    found = verify_export(tree, export(tree, to="json"), to="json")
    assert found, str(found)


def test_the_document_is_plain():
    document = json.loads(export(fitted("tennis by ID3"), to="json"))
    assert document["format"] == "treewright program"
    assert document["columns"][2] == {
        "name": "wind",
        "kind": "nominal",
        "levels": ["Weak", "Strong"],
    }
    asked = {"column": "outlook", "levels": [["Sunny", 1], ["Overcast", 2], ["Rain", 3]]}
    assert document["nodes"][0] == {"question": asked, "prediction": [5 / 14, 9 / 14]}
    assert document["nodes"][2] == {"prediction": [0.0, 1.0]}


def test_half_of_a_pair_in_a_name_is_written_in_ascii():
    tree = build(threshold(0, 1.0, leaf(1, 0), leaf(0, 1)), numeric_schema("\ud800"), ("a", "b"))
    assert export(tree, to="json").isascii()
