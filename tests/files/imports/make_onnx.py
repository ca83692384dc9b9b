"""Makes the ONNX files of this folder, and what onnxruntime predicts, with the real converters.

skl2onnx 1.20.0, onnxmltools 1.16.0, onnxruntime 1.31.1, scikit-learn, xgboost, lightgbm. What is
there is not written again.
"""

from pathlib import Path

import lightgbm
import numpy as np
import onnx
import onnxmltools
import onnxruntime
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

FOLDER = Path(__file__).parent
make_attribute = onnx.helper.make_attribute


def attribute_of_whole_numbers(key, value, *rest, **more):
    """skl2onnx writes booleans, which onnx 1.23 refuses."""
    if isinstance(value, list):
        value = [int(one) if isinstance(one, bool | np.bool_) else one for one in value]
    return make_attribute(key, value, *rest, **more)


onnx.helper.make_attribute = attribute_of_whole_numbers


def models():
    """Models by name, and the rows they learned from."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(200, 3)), 2).astype(np.float32)
    number = X[:, 0] * 3 + (X[:, 1] > 0.3) + 0.1 * X[:, 2]
    label = np.array(["low", "mid", "high"])[np.digitize(number, [-1.0, 1.5])]
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X).astype(np.float32)
    types = [("X", FloatTensorType([None, 3]))]
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, label)
    boosted = GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0)
    boosted.fit(X, label == "low")
    multi = xgboost.XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1)
    multi.fit(gaps, np.digitize(number, [-1.0, 1.5]))
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, number)
    means = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, number)
    edges = near_each_other(rng)
    whole, two = np.digitize(number, [-1.0, 1.5]), (number > 0).astype(int)
    few = {"n_estimators": 3, "n_jobs": 1}
    of_lightgbm = {**few, "num_leaves": 5, "verbose": -1}
    histogram = {"max_iter": 3, "max_leaf_nodes": 5}
    more = {
        "whole_classes": to_onnx(DecisionTreeClassifier(max_depth=4).fit(X, whole), X[:1]),
        "edges": to_onnx(DecisionTreeClassifier(random_state=0).fit(edges, whole), edges[:1]),
        "double": to_onnx(forest, X[:1].astype(np.float64)),
        "extra_trees": to_onnx(
            ExtraTreesClassifier(3, max_depth=4, random_state=0).fit(X, two), X[:1]
        ),
        "boosted_three": to_onnx(
            GradientBoostingClassifier(n_estimators=3, max_depth=2).fit(X, label), X[:1]
        ),
        "boosted_number": to_onnx(
            GradientBoostingRegressor(n_estimators=4, max_depth=3).fit(X, number), X[:1]
        ),
        "histogram": to_onnx(HistGradientBoostingClassifier(**histogram).fit(gaps, two), gaps[:1]),
        "histogram_number": to_onnx(
            HistGradientBoostingRegressor(**histogram).fit(gaps, number), gaps[:1]
        ),
        "lightgbm": onnxmltools.convert_lightgbm(
            lightgbm.LGBMClassifier(**of_lightgbm).fit(gaps, whole), initial_types=types
        ),
        "lightgbm_two": onnxmltools.convert_lightgbm(
            lightgbm.LGBMClassifier(**of_lightgbm).fit(gaps, two), initial_types=types
        ),
        "lightgbm_number": onnxmltools.convert_lightgbm(
            lightgbm.LGBMRegressor(**of_lightgbm).fit(gaps, number), initial_types=types
        ),
        "xgboost_two": onnxmltools.convert_xgboost(
            xgboost.XGBClassifier(**few, max_depth=3).fit(gaps, two), initial_types=types
        ),
        "xgboost_number": onnxmltools.convert_xgboost(
            xgboost.XGBRegressor(**few, max_depth=3).fit(gaps, number), initial_types=types
        ),
    }
    return gaps, more | {
        "forest": to_onnx(forest, X[:1]),
        "boosted": to_onnx(boosted, X[:1]),
        "xgboost": onnxmltools.convert_xgboost(multi, initial_types=types),
        "tree": to_onnx(tree, X[:1]),
        "means": to_onnx(means, X[:1]),
    }


def near_each_other(rng):
    """Floats that follow each other, very large ones and the smallest ones."""
    one = np.float32(1.0) + np.arange(200).astype(np.float32) * np.float32(2.0**-23)
    large = rng.normal(size=200).astype(np.float32) * np.float32(1e37)
    small = rng.integers(-9, 9, 200).astype(np.float32) * np.float32(1e-45)
    return np.stack([rng.permutation(one), large, small], axis=1)


if __name__ == "__main__":
    X, made = models()
    found = {"X": X}
    for name, model in made.items():
        path = FOLDER / f"onnx_{name}.onnx"
        if not path.exists():
            path.write_bytes(model.SerializeToString())
        content = path.read_bytes()
        session = onnxruntime.InferenceSession(content)
        rows = X.astype(np.float64) if "double" in session.get_inputs()[0].type else X
        predicted = session.run(None, {session.get_inputs()[0].name: rows})[-1]
        if isinstance(predicted, list):
            predicted = np.array([[row[key] for key in sorted(row)] for row in predicted])
        found[name] = predicted
    np.savez(FOLDER / "onnx.npz", **found)
