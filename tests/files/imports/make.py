"""Makes the model files of this folder with the real libraries."""

from pathlib import Path

import catboost
import lightgbm
import numpy as np
import xgboost

FOLDER = Path(__file__).parent


def rows():
    """Numbers with missing values, and a column of categories."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(200, 3)), 2)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 2] = rng.integers(0, 5, 200)
    return X, ((np.nan_to_num(X[:, 0]) > 0.2) | (X[:, 2] == 3)).astype(int)


if __name__ == "__main__":
    X, y = rows()
    model = lightgbm.LGBMClassifier(
        n_estimators=3, num_leaves=5, min_data_per_group=2, cat_smooth=0, verbosity=-1, n_jobs=1
    ).fit(X, y, categorical_feature=[2], feature_name=["a", "b", "kind"])
    model.booster_.save_model(FOLDER / "lightgbm.txt")
    table = xgboost.DMatrix(
        X,
        y,
        feature_names=["a", "b", "kind"],
        feature_types=["q", "q", "c"],
        enable_categorical=True,
    )
    settings = {"objective": "binary:logistic", "max_depth": 2, "max_cat_to_onehot": 2}
    booster = xgboost.train(settings, table, 3)
    booster.save_model(FOLDER / "xgboost.json")
    booster.save_model(FOLDER / "xgboost.ubj")
    smooth = catboost.CatBoostClassifier(
        iterations=3, depth=2, verbose=0, thread_count=1, allow_writing_files=False
    ).fit(X, y)
    smooth.save_model(FOLDER / "catboost.json", format="json")
    scores = {
        "catboost": smooth.predict(X, prediction_type="RawFormulaVal"),
        "lightgbm": model.booster_.predict(X, raw_score=True),
        "xgboost": booster.predict(table, output_margin=True).astype(np.float64),
    }
    np.savez(FOLDER / "scores.npz", X=X, **scores)
