"""Models that YDF fits are imported from the object, and predict as it does."""

import warnings

import numpy as np
import pytest

import treewright as tw
from imports.test_libraries import N_RANDOM, check_saved
from machine import imported as library
from treewright.imports.foreign import UnsupportedError

N_ROWS = 400
BOOSTED, FOREST, CART = "GradientBoostedTreesLearner", "RandomForestLearner", "CartLearner"


def rows(n=N_ROWS, seed=0):
    """Numbers, categories of texts and of whole numbers, flags; numbers and texts may miss."""
    rng = np.random.default_rng(seed)
    columns = {
        "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "b": np.round(rng.normal(size=n), 1) * 10.0 ** rng.integers(-9, 9, n),
        "town": np.where(rng.random(n) < 0.1, "", rng.choice(["Rome", "Ulm", "Oslo", "Bern"], n)),
        "floor": rng.integers(0, 5, n),
        "flag": rng.random(n) < 0.4,
    }
    score = np.nan_to_num(columns["a"]) + (columns["town"] == "Rome") + 0.5 * columns["flag"]
    score = score + (columns["floor"] % 3) * 0.3 + 0.2 * rng.normal(size=n)
    targets = {
        "two": np.where(score > 0.8, "yes", "no"),
        "three": np.digitize(score, [0.3, 1.1]),
        "number": score,
        "count": rng.poisson(np.exp(np.clip(score, -2, 2))).astype(np.float64),
    }
    return columns, targets


FEW = {"num_trees": 6}
PLAIN = {**FEW, "validation_ratio": 0.0}
NO_OOB = {**FEW, "compute_oob_performances": False}
MODELS = {
    "two classes": (BOOSTED, "two", {**PLAIN, "max_depth": 4}),
    "three classes": (BOOSTED, "three", PLAIN),
    "numbers": (BOOSTED, "number", {**PLAIN, "weights": "weight"}),
    "counts": (BOOSTED, "count", {**PLAIN, "loss": "POISSON"}),
    "absolute error": (BOOSTED, "number", {**PLAIN, "loss": "MEAN_AVERAGE_ERROR"}),
    "focal loss": (BOOSTED, "two", {**PLAIN, "loss": "BINARY_FOCAL_LOSS"}),
    "best first": (BOOSTED, "two", {**PLAIN, "growing_strategy": "BEST_FIRST_GLOBAL"}),
    "asks for missing": (BOOSTED, "two", {**PLAIN, "allow_na_conditions": True}),
    "forest": (FOREST, "three", {**NO_OOB, "weights": "weight"}),
    "forest of shares": (FOREST, "three", {**NO_OOB, "winner_take_all": False}),
    "forest of numbers": (FOREST, "number", NO_OOB),
    "discretized": (FOREST, "two", {**NO_OOB, "discretize_numerical_columns": True}),
    "random categories": (FOREST, "two", {**NO_OOB, "categorical_algorithm": "RANDOM"}),
    "tree": (CART, "two", {}),
    "tree of numbers": (CART, "number", {"max_depth": 5}),
}


def fitted(name):
    ydf = library("ydf")
    ydf.verbose(0)
    learner, target, settings = MODELS[name]
    columns, targets = rows()
    data = {**columns, "target": targets[target]}
    data["weight"] = np.random.default_rng(1).random(N_ROWS) + 0.1
    task = ydf.Task.REGRESSION if target in ("number", "count") else ydf.Task.CLASSIFICATION
    features = [
        name if name != "floor" else ydf.Feature("floor", ydf.Semantic.CATEGORICAL)
        for name in columns
    ]
    made = getattr(ydf, learner)(label="target", task=task, features=features, **settings)
    return made.train(data)


@pytest.mark.full
@pytest.mark.parametrize("name", MODELS)
def test_ydf(name, tmp_path):
    model = fitted(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # categories that were not seen
        found = tw.import_model(model)
        assert found.import_report_.status == "verified"
        columns, _ = rows(N_RANDOM, seed=2)
        given = {key: columns[key] for key in found.schema_.names}
        theirs = np.asarray(model.predict(given), dtype=np.float64)
        table = tw.table_from(
            {
                key: [None if one == "" else one for one in own.tolist()] if key == "town" else own
                for key, own in given.items()
            },
            categorical_features=["floor"],
        )
        if hasattr(found, "classes_"):
            ours = found.predict_proba(table)
            ours = ours[:, 1] if theirs.ndim == 1 else ours
        else:
            ours = found.predict(table)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)
        check_saved(found, table, tmp_path)


def test_a_model_of_ydf_is_imported_without_files():
    model = fitted("tree")
    found = tw.import_model(model)
    assert isinstance(found, tw.ImportedTreeClassifier)
    assert found.import_report_.source == "object RandomForestModel"
    assert found.classes_.tolist() == model.label_classes()


@pytest.mark.full
def test_what_cannot_be_reproduced_is_named():
    ydf = library("ydf")
    ydf.verbose(0)
    columns, targets = rows()
    data = {"a": columns["a"], "b": columns["b"], "target": targets["two"]}
    settings = {"label": "target", "num_trees": 3, "compute_oob_performances": False}
    oblique = ydf.RandomForestLearner(split_axis="SPARSE_OBLIQUE", **settings).train(data)
    with pytest.raises(UnsupportedError, match="Oblique"):
        tw.import_model(oblique)
    isolated = ydf.IsolationForestLearner(features=["a", "b"], num_trees=3).train(data)
    with pytest.raises(UnsupportedError, match="IsolationForest"):
        tw.import_model(isolated)
    boosted = fitted("two classes")
    boosted.set_output_logits(True)
    with pytest.raises(UnsupportedError, match="logits"):
        tw.import_model(boosted)
    with pytest.raises(UnsupportedError, match="files of YDF are not read"):
        tw.import_model(b"anything", format="ydf")
