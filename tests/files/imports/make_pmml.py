"""Makes pmml/*.pmml and pmml.npz: models that sklearn2pmml wrote, and what the libraries predict.

sklearn2pmml 0.133.1 (`pip install --no-deps sklearn2pmml dill`, and Java), scikit-learn 1.9.1,
LightGBM 4.7.0, XGBoost 3.2.0: python make_pmml.py
"""

from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import sklearn.base
import xgboost
from sklearn import ensemble, tree
from sklearn2pmml import make_pmml_pipeline, sklearn2pmml

FOLDER = Path(__file__).parent
sklearn.__version__ = sklearn.base.__version__ = "1.9.0"  # the last that the converter accepts

rng = np.random.default_rng(0)
X = pd.DataFrame(np.round(rng.normal(size=(300, 3)), 2), columns=["a", "b", "c"])
score = X.a + X.b * (X.c > 0)
two, three = np.where(score > 0, "p", "n"), np.digitize(score, [-0.3, 0.5])
words = np.array(["no", "maybe", "yes"])[three]
with_missing = X.mask(rng.random(X.shape) < 0.1)

MODELS = {
    "tree": (tree.DecisionTreeClassifier(max_depth=3), X, words),
    "tree_number": (tree.DecisionTreeRegressor(max_depth=3), X, score),
    "forest": (ensemble.RandomForestClassifier(3, max_depth=3, random_state=0), X, words),
    "forest_number": (ensemble.RandomForestRegressor(3, max_depth=3, random_state=0), X, score),
    "boosting": (ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2), X, words),
    "boosting_two": (ensemble.GradientBoostingClassifier(n_estimators=3, max_depth=2), X, two),
    "boosting_number": (ensemble.GradientBoostingRegressor(n_estimators=3, max_depth=2), X, score),
    "histogram": (
        ensemble.HistGradientBoostingClassifier(max_iter=3, max_depth=2),
        with_missing,
        words,
    ),
    "histogram_number": (
        ensemble.HistGradientBoostingRegressor(max_iter=3, max_depth=2, loss="poisson"),
        with_missing,
        np.abs(score),
    ),
    "adaboost": (ensemble.AdaBoostClassifier(n_estimators=3), X, two),
    "adaboost_number": (ensemble.AdaBoostRegressor(n_estimators=3, random_state=0), X, score),
    "xgboost": (xgboost.XGBClassifier(n_estimators=2, max_depth=2), with_missing, three),
    "xgboost_two": (xgboost.XGBClassifier(n_estimators=3, max_depth=2), with_missing, three // 2),
    "xgboost_number": (xgboost.XGBRegressor(n_estimators=3, max_depth=2), with_missing, score),
    "lightgbm": (
        lightgbm.LGBMClassifier(n_estimators=2, num_leaves=4, verbose=-1),
        with_missing,
        words,
    ),
    "lightgbm_two": (
        lightgbm.LGBMClassifier(n_estimators=3, num_leaves=4, verbose=-1),
        with_missing,
        two,
    ),
}

found = {"X": X.to_numpy(), "with_missing": with_missing.to_numpy()}
for name, (model, rows, target) in MODELS.items():
    model.fit(rows, target)
    pipeline = make_pmml_pipeline(model, active_fields=list(rows.columns), target_fields=["y"])
    sklearn2pmml(pipeline, str(FOLDER / "pmml" / f"{name}.pmml"))
    found[name] = model.predict_proba(rows) if hasattr(model, "classes_") else model.predict(rows)
np.savez_compressed(FOLDER / "pmml.npz", **found)
