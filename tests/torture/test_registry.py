"""The list of estimators in this folder is whole, and its traits are true."""

import inspect
import warnings

import numpy as np
from sklearn.base import is_classifier, is_regressor

import treewright as tw
from small_tables import numbers
from torture.models import MODELS, for_every_model, is_sane, predictions, table_for
from treewright.registry import IMPORTED, is_listed


def test_no_public_estimator_is_missing():
    public = [getattr(tw, name) for name in tw.__all__]
    estimators = {
        kind.__name__ for kind in public if inspect.isclass(kind) and hasattr(kind, "fit")
    }
    assert set(MODELS) == estimators - set(IMPORTED)  # which nobody fits


@for_every_model
def test_traits_are_true(kind):
    model = kind()
    settings = model.get_params()
    assert kind.is_classifier == is_classifier(model)
    assert (kind.gives == "numbers") == is_regressor(model)
    assert kind.has_unseen == ("handle_unknown" in settings)
    assert kind.has_missing_policies == ("missing" in settings)
    assert kind.is_saved == is_listed(type(model))
    assert "sample_weight" in inspect.signature(model.fit).parameters


@for_every_model
def test_ordinary_tables_are_learned_and_answered_without_a_warning(kind):
    (X, y), (table, of_table) = numbers(), table_for(kind)
    if not kind.takes_any_number_of_classes:  # concepts are conjunctions
        X = {name: ["ab"[int(cell > 0)] for cell in X[:, at]] for at, name in enumerate("uvw")}
        y, of_table = np.array(X["u"]) == "a", [color == "red" for color in table["color"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows, target in ((X, y), (table, of_table)):
            found = predictions(kind().fit(rows, target), rows)
            assert is_sane(found)
            assert len(found) == len(y)
        assert kind.has_importances == hasattr(kind().fit(table, of_table), "feature_importances_")
    assert len(np.unique(found, axis=0)) > 1
