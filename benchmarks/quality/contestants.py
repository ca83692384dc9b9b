"""How each library gets nominal columns and missing values in the way that suits it best.

Everything else has its default. A contestant predicts the test rows: probabilities of the classes
by code, or numbers. What it needs is imported when it runs, so a library that is not installed is
skipped.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MOST_LEVELS = 255  # of a nominal column, in scikit-learn


@dataclass(frozen=True, slots=True)
class Fold:
    """What one contestant learns from, and the rows that it has to predict."""

    X: pd.DataFrame
    y: NDArray[Any]  # codes 0, 1, ... of the classes that occur, or numbers
    X_test: pd.DataFrame
    n_classes: int  # 0: the target is a number
    words: list[str]  # the nominal columns
    seed: int
    n_threads: int

    def predictions_of(self, model: Any) -> NDArray[Any]:
        """Fit a model with scikit-learn's methods and let it predict."""
        model.fit(self.X, self.y)
        if self.n_classes == 0:
            return np.asarray(model.predict(self.X_test)).ravel()
        return np.asarray(model.predict_proba(self.X_test))


def treewright_boosted(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    kind = tw.BoostedTreesClassifier if fold.n_classes else tw.BoostedTreesRegressor
    return fold.predictions_of(kind(n_jobs=fold.n_threads, random_state=fold.seed))


def treewright_forest(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    kind = tw.RandomForestClassifier if fold.n_classes else tw.RandomForestRegressor
    return fold.predictions_of(kind(n_jobs=fold.n_threads, random_state=fold.seed))


def treewright_extra_trees(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    kind = tw.ExtraTreesClassifier if fold.n_classes else tw.ExtraTreesRegressor
    return fold.predictions_of(kind(n_jobs=fold.n_threads, random_state=fold.seed))


def lightgbm(fold: Fold) -> NDArray[Any]:
    """Columns of the kind `category` are nominal to it."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if fold.n_classes else LGBMRegressor
    return fold.predictions_of(kind(n_jobs=fold.n_threads, random_state=fold.seed, verbosity=-1))


def xgboost(fold: Fold) -> NDArray[Any]:
    """Columns of the kind `category` are nominal to it if `enable_categorical` is set.

    It refuses nominal columns without a single category; these are left out.
    """
    from xgboost import XGBClassifier, XGBRegressor

    kind = XGBClassifier if fold.n_classes else XGBRegressor
    empty = [name for name in fold.words if len(fold.X[name].cat.categories) == 0]
    fold = replace(fold, X=fold.X.drop(columns=empty), X_test=fold.X_test.drop(columns=empty))
    return fold.predictions_of(
        kind(n_jobs=fold.n_threads, random_state=fold.seed, enable_categorical=True)
    )


def catboost(fold: Fold) -> NDArray[Any]:
    """Nominal columns are named; missing is one of their categories."""
    from catboost import CatBoostClassifier, CatBoostRegressor

    words = fold.words
    kind = CatBoostClassifier if fold.n_classes else CatBoostRegressor
    model = kind(
        cat_features=words,
        thread_count=fold.n_threads,
        random_seed=fold.seed,
        verbose=False,
        allow_writing_files=False,
    )
    return replace(
        fold, X=with_missing_named(fold.X, words), X_test=with_missing_named(fold.X_test, words)
    ).predictions_of(model)


def with_missing_named(X: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    return X.assign(
        **{name: X[name].astype(object).fillna("missing").astype(str) for name in words}
    )


def sklearn_boosted(fold: Fold) -> NDArray[Any]:
    """Nominal columns as they are; those of too many categories by the mean of the target."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.pipeline import make_pipeline

    kind = HistGradientBoostingClassifier if fold.n_classes else HistGradientBoostingRegressor
    _, many = few_and_many(fold)
    encode = make_column_transformer(
        (target_encoder(fold), many),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    return fold.predictions_of(make_pipeline(encode, kind(random_state=fold.seed)))


def sklearn_forest(fold: Fold) -> NDArray[Any]:
    """A column for each category; where there are too many, the mean of the target."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    kind = RandomForestClassifier if fold.n_classes else RandomForestRegressor
    few, many = few_and_many(fold)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), few),
        (target_encoder(fold), many),
        remainder="passthrough",
    )
    return fold.predictions_of(
        make_pipeline(encode, kind(random_state=fold.seed, n_jobs=fold.n_threads))
    )


def few_and_many(fold: Fold) -> tuple[list[str], list[str]]:
    """The nominal columns that scikit-learn takes, and those with too many categories for it."""
    n_levels = {name: len(fold.X[name].cat.categories) for name in fold.words}
    few = [name for name, n in n_levels.items() if n <= MOST_LEVELS]
    return few, [name for name in n_levels if name not in few]


def target_encoder(fold: Fold) -> Any:
    from sklearn.preprocessing import TargetEncoder

    kinds = {0: "continuous", 2: "binary"}
    return TargetEncoder(
        target_type=kinds.get(fold.n_classes, "multiclass"), random_state=fold.seed
    )


def ydf_boosted(fold: Fold) -> NDArray[Any]:
    import ydf

    return predictions_of_ydf(fold, ydf.GradientBoostedTreesLearner)


def ydf_forest(fold: Fold) -> NDArray[Any]:
    import ydf

    return predictions_of_ydf(fold, ydf.RandomForestLearner)


def predictions_of_ydf(fold: Fold, kind: Any) -> NDArray[Any]:
    """Nominal columns as strings; the target becomes a column of the frame."""
    import ydf

    ydf.verbose(0)
    task = ydf.Task.CLASSIFICATION if fold.n_classes else ydf.Task.REGRESSION
    learner = kind(label="the target", task=task, num_threads=fold.n_threads)
    plain = {name: fold.X[name].astype(object).fillna("") for name in fold.words}
    model = learner.train(fold.X.assign(**plain, **{"the target": fold.y}))
    plain = {name: fold.X_test[name].astype(object).fillna("") for name in fold.words}
    predictions = np.asarray(model.predict(fold.X_test.assign(**plain)))
    if fold.n_classes == 0:
        return predictions
    if predictions.ndim == 1:
        predictions = np.column_stack([1 - predictions, predictions])
    by_code = np.empty_like(predictions)
    by_code[:, np.asarray(model.label_classes(), dtype=int)] = predictions
    return by_code


def id3_cut_by(method: str) -> Callable[[Fold], NDArray[Any]]:
    """ID3, whose numeric columns are discretized first."""

    def predictions(fold: Fold) -> NDArray[Any]:
        import treewright as tw

        return fold.predictions_of(tw.ID3Classifier(discretize=method, n_jobs=fold.n_threads))

    return predictions


def treewright_c45(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    return fold.predictions_of(tw.C45Classifier(n_jobs=fold.n_threads))


def treewright_cart(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    return fold.predictions_of(tw.CARTClassifier(n_jobs=fold.n_threads))


def sklearn_tree(fold: Fold) -> NDArray[Any]:
    from sklearn.tree import DecisionTreeClassifier

    return fold.predictions_of(DecisionTreeClassifier(random_state=fold.seed))


def sklearn_cut_tree(fold: Fold) -> NDArray[Any]:
    """Numbers are discretized here too: five intervals of as many rows, a column for each."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer
    from sklearn.tree import DecisionTreeClassifier

    cut = KBinsDiscretizer(encode="onehot-dense", quantile_method="averaged_inverted_cdf")
    tree = DecisionTreeClassifier(random_state=fold.seed)
    return fold.predictions_of(make_pipeline(cut, tree))


CONTESTANTS: dict[str, Callable[[Fold], NDArray[Any]]] = {
    "treewright boosted": treewright_boosted,
    "treewright forest": treewright_forest,
    "treewright extra trees": treewright_extra_trees,
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "CatBoost": catboost,
    "scikit-learn boosted": sklearn_boosted,
    "scikit-learn forest": sklearn_forest,
    "YDF boosted": ydf_boosted,
    "YDF forest": ydf_forest,
}
OURS = tuple(name for name in CONTESTANTS if name.startswith("treewright"))

# On tables of numbers: what discretizing them first costs or gains.
TREES: dict[str, Callable[[Fold], NDArray[Any]]] = {
    "ID3, mdl": id3_cut_by("mdl"),
    "ID3, equal width": id3_cut_by("equal_width"),
    "ID3, equal frequency": id3_cut_by("equal_frequency"),
    "ID3, kmeans": id3_cut_by("kmeans"),
    "C4.5": treewright_c45,
    "CART": treewright_cart,
    "scikit-learn tree": sklearn_tree,
    "scikit-learn tree, equal frequency": sklearn_cut_tree,
}
