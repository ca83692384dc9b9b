"""Makes the ONNX files of this folder, and what onnxruntime predicts, with the real converters.

skl2onnx 1.20.0, onnxmltools 1.16.0, onnxruntime 1.31.1, scikit-learn, xgboost.
"""

from pathlib import Path

import numpy as np
import onnxmltools
import onnxruntime
import xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeRegressor

FOLDER = Path(__file__).parent


def models():
    """Models by name, and the rows they learned from."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(200, 3)), 2).astype(np.float32)
    number = X[:, 0] * 3 + (X[:, 1] > 0.3) + 0.1 * X[:, 2]
    label = np.array(["low", "mid", "high"])[np.digitize(number, [-1.0, 1.5])]
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X).astype(np.float32)
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, label)
    boosted = GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0)
    boosted.fit(X, label == "low")
    multi = xgboost.XGBClassifier(n_estimators=2, max_depth=2, n_jobs=1)
    multi.fit(gaps, np.digitize(number, [-1.0, 1.5]))
    types = [("X", FloatTensorType([None, 3]))]
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, number)
    means = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X, number)
    return gaps, {
        "forest": to_onnx(forest, X[:1]),
        "boosted": to_onnx(boosted, X[:1]),
        "xgboost": onnxmltools.convert_xgboost(multi, initial_types=types),
        "tree": to_onnx(tree, X[:1]),
        "means": to_onnx(means, X[:1]),
    }


if __name__ == "__main__":
    X, made = models()
    found = {"X": X}
    for name, model in made.items():
        content = model.SerializeToString()
        (FOLDER / f"onnx_{name}.onnx").write_bytes(content)
        session = onnxruntime.InferenceSession(content)
        predicted = session.run(None, {session.get_inputs()[0].name: X})[-1]
        if isinstance(predicted, list):
            predicted = np.array([[row[key] for key in sorted(row)] for row in predicted])
        found[name] = predicted
    np.savez(FOLDER / "onnx.npz", **found)
