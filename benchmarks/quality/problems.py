"""Real tables, as every library gets them: a frame, a target, which columns are words."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.tables import real_table

N_FOLDS = 5

# Chosen by kind and size: numbers alone, words alone, both; holes; words with hundreds of levels;
# two, several and ten classes; targets that are numbers. One was changed after a first look: car
# stands for nursery, whose class of two rows scikit-learn's boosted trees refuse.
TABLES = {
    "adult": "two classes, words and numbers, holes",
    "spambase": "two classes, numbers",
    "titanic": "two classes, names and tickets with hundreds of levels, holes",
    "credit_g": "two classes, mostly words, small",
    "digits": "ten classes, numbers",
    "eucalyptus": "five classes, words with many levels, holes, small",
    "car": "four classes, words alone",
    "california_housing": "a number from numbers",
    "ames_housing": "a number from words and numbers, holes, small",
    "diamonds": "a number from words and numbers",
}
# For single trees: numbers alone, which ID3 has to cut in advance.
TREE_TABLES = {
    "iris": "three classes, four numbers, small",
    "wine": "three classes, thirteen numbers, small",
    "letter": "26 classes, sixteen whole numbers",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One table to be learned from."""

    name: str
    X: pd.DataFrame  # numbers as float64, words as `category`; holes are NaN
    y: NDArray[Any]  # codes of classes, or numbers
    n_classes: int  # 0: the target is a number

    @property
    def words(self) -> list[str]:
        return [name for name in self.X if isinstance(self.X[name].dtype, pd.CategoricalDtype)]

    @property
    def measure(self) -> str:
        return {0: "R2", 2: "AUC"}.get(self.n_classes, "accuracy")

    def folds(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The same folds for every library."""
        kind = StratifiedKFold if self.n_classes else KFold
        return list(kind(N_FOLDS, shuffle=True, random_state=0).split(self.X, self.y))

    def quality(self, predictions: NDArray[Any], truth: NDArray[Any]) -> float:
        """Larger is better: area under the curve, share of right classes, explained variance."""
        from sklearn.metrics import r2_score, roc_auc_score

        if self.n_classes == 0:
            return float(r2_score(truth, predictions))
        if self.n_classes == 2:
            return float(roc_auc_score(truth, predictions[:, 1]))
        return float(np.mean(predictions.argmax(axis=1) == truth))


def problem(name: str) -> Problem:
    """Read one of the tables."""
    about = json.loads(real_table("schema.json").read_text(encoding="utf-8"))[name]
    frame = pd.read_csv(
        real_table(about["file"]),
        keep_default_na=False,
        na_values=[""],
        dtype={column: str for column, kind in about["columns"].items() if kind != "numeric"},
    )
    target = frame.pop(about["target"])
    columns = {  # plain names: some libraries refuse brackets in them
        f"x{place}": values.astype("category" if about["columns"][column] != "numeric" else float)
        for place, (column, values) in enumerate(frame.items())
    }
    if about["task"] == "regression":
        return Problem(name, pd.DataFrame(columns), target.to_numpy(float), 0)
    levels, codes = np.unique(target.to_numpy(str), return_inverse=True)
    return Problem(name, pd.DataFrame(columns), codes, len(levels))
