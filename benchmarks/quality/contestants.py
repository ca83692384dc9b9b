"""How each library is given the words and holes in the way that suits it best, and nothing set.

A contestant answers the test rows: probabilities of the classes by code, or numbers. What it needs
is imported when it is asked, so a library that is not installed is skipped.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.quality.problems import Problem

MOST_LEVELS = 255  # of a nominal column, for scikit-learn's own way


@dataclass(frozen=True, slots=True)
class Fold:
    """What one contestant learns from, and what it is asked."""

    problem: Problem
    X: pd.DataFrame
    y: NDArray[Any]
    X_test: pd.DataFrame
    n_threads: int

    def predictions_of(self, model: Any) -> NDArray[Any]:
        """Fit and ask a model that talks as scikit-learn's do."""
        model.fit(self.X, self.y)
        if self.problem.n_classes == 0:
            return np.asarray(model.predict(self.X_test)).ravel()
        return by_code(model.predict_proba(self.X_test), model.classes_, self.problem.n_classes)


def by_code(scores: Any, classes: Any, n_classes: int) -> NDArray[Any]:
    """Columns for all classes, also for those that the training rows lack."""
    full = np.zeros((len(scores), n_classes))
    full[:, np.asarray(classes, dtype=int)] = scores
    return full


def treewright_boosted(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    number = fold.problem.n_classes == 0
    kind = tw.BoostedTreesRegressor if number else tw.BoostedTreesClassifier
    return fold.predictions_of(kind(n_jobs=fold.n_threads))


def treewright_forest(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    number = fold.problem.n_classes == 0
    kind = tw.RandomForestRegressor if number else tw.RandomForestClassifier
    return fold.predictions_of(kind(n_jobs=fold.n_threads))


def treewright_extra_trees(fold: Fold) -> NDArray[Any]:
    import treewright as tw

    number = fold.problem.n_classes == 0
    kind = tw.ExtraTreesRegressor if number else tw.ExtraTreesClassifier
    return fold.predictions_of(kind(n_jobs=fold.n_threads))


def lightgbm(fold: Fold) -> NDArray[Any]:
    """Columns of the kind `category` are nominal to it."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if fold.problem.n_classes else LGBMRegressor
    return fold.predictions_of(kind(n_jobs=fold.n_threads, random_state=0, verbosity=-1))


def xgboost(fold: Fold) -> NDArray[Any]:
    """Columns of the kind `category` are nominal to it, if it is told to look."""
    from xgboost import XGBClassifier, XGBRegressor

    kind = XGBClassifier if fold.problem.n_classes else XGBRegressor
    return fold.predictions_of(kind(n_jobs=fold.n_threads, random_state=0, enable_categorical=True))


def catboost(fold: Fold) -> NDArray[Any]:
    """Nominal columns are named; a hole among words is a word to it."""
    from catboost import CatBoostClassifier, CatBoostRegressor

    words = fold.problem.words
    kind = CatBoostClassifier if fold.problem.n_classes else CatBoostRegressor
    model = kind(
        cat_features=words,
        thread_count=fold.n_threads,
        random_seed=0,
        verbose=False,
        allow_writing_files=False,
    )
    with_words = Fold(
        fold.problem,
        holes_as_words(fold.X, words),
        fold.y,
        holes_as_words(fold.X_test, words),
        fold.n_threads,
    )
    return with_words.predictions_of(model)


def holes_as_words(X: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    return X.assign(
        **{name: X[name].astype(object).fillna("missing").astype(str) for name in words}
    )


def sklearn_boosted(fold: Fold) -> NDArray[Any]:
    """Nominal columns as they are, but where they have too many levels the mean of the target."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.pipeline import make_pipeline

    kind = (
        HistGradientBoostingClassifier if fold.problem.n_classes else HistGradientBoostingRegressor
    )
    _, many = few_and_many(fold)
    encode = make_column_transformer(
        (target_encoder(fold), many),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    return fold.predictions_of(make_pipeline(encode, kind(random_state=0)))


def sklearn_forest(fold: Fold) -> NDArray[Any]:
    """A column for each level, but where there are too many the mean of the target."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    kind = RandomForestClassifier if fold.problem.n_classes else RandomForestRegressor
    few, many = few_and_many(fold)
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), few),
        (target_encoder(fold), many),
        remainder="passthrough",
    )
    return fold.predictions_of(make_pipeline(encode, kind(random_state=0, n_jobs=fold.n_threads)))


def few_and_many(fold: Fold) -> tuple[list[str], list[str]]:
    """The nominal columns that scikit-learn takes level by level, and those too rich for it."""
    n_levels = {name: len(fold.problem.X[name].cat.categories) for name in fold.problem.words}
    few = [name for name, n in n_levels.items() if n <= MOST_LEVELS]
    return few, [name for name in n_levels if name not in few]


def target_encoder(fold: Fold) -> Any:
    from sklearn.preprocessing import TargetEncoder

    kinds = {0: "continuous", 2: "binary"}
    return TargetEncoder(
        target_type=kinds.get(fold.problem.n_classes, "multiclass"), random_state=0
    )


def ydf_boosted(fold: Fold) -> NDArray[Any]:
    import ydf

    return answers_of_ydf(fold, ydf.GradientBoostedTreesLearner)


def ydf_forest(fold: Fold) -> NDArray[Any]:
    import ydf

    return answers_of_ydf(fold, ydf.RandomForestLearner)


def answers_of_ydf(fold: Fold, kind: Any) -> NDArray[Any]:
    """Words as words; the target becomes a column of the frame."""
    import ydf

    ydf.verbose(0)
    n_classes = fold.problem.n_classes
    words = fold.problem.words
    task = ydf.Task.CLASSIFICATION if n_classes else ydf.Task.REGRESSION
    learner = kind(label="the target", task=task, num_threads=fold.n_threads)
    plain = {name: fold.X[name].astype(object).fillna("") for name in words}
    model = learner.train(fold.X.assign(**plain, **{"the target": fold.y}))
    plain = {name: fold.X_test[name].astype(object).fillna("") for name in words}
    predictions = np.asarray(model.predict(fold.X_test.assign(**plain)))
    if n_classes == 0:
        return predictions
    if predictions.ndim == 1:
        predictions = np.column_stack([1 - predictions, predictions])
    return by_code(predictions, model.label_classes(), n_classes)


def id3_cut_by(method: str) -> Callable[[Fold], NDArray[Any]]:
    """ID3, whose numeric columns are cut in advance."""

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

    return fold.predictions_of(DecisionTreeClassifier(random_state=0))


def sklearn_cut_tree(fold: Fold) -> NDArray[Any]:
    """Numbers cut in advance there too: five intervals with as many rows each, one column each."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer
    from sklearn.tree import DecisionTreeClassifier

    cut = KBinsDiscretizer(encode="onehot-dense", quantile_method="averaged_inverted_cdf")
    tree = DecisionTreeClassifier(random_state=0)
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

# On tables of numbers: what cutting them in advance costs or gains.
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
